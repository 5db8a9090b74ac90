//! Aggregates: for GROUP BY, for views that follow each change, and for the coordinator that merges partitions' parts.

use super::arithmetic::{finite, overflow};
use super::compare::{Family, compare_known};
use super::error::EvalError;
use super::sketch::Sketch;
use crate::types::{Arena, BYTES_MAX, DataType, Datum, Decimal};
use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AggregateKind {
    /// COUNT(*): rows.
    CountStar,
    /// Values that are not NULL.
    Count,
    Sum,
    Avg,
    Min,
    Max,
    /// Different values, nearly.
    ApproxCountDistinct,
    /// Variance of the whole, or of a sample: of one value that is NULL.
    VarPop,
    VarSamp,
    StddevPop,
    StddevSamp,
    /// The texts one after the other. Each comes with the separator before it, of this many bytes; the first one's is left
    /// out.
    StringAgg {
        separator_len: u32,
    },
}

impl AggregateKind {
    /// By the name of a call with one argument, in any case.
    pub fn lookup(name: &str) -> Option<AggregateKind> {
        Some(match name.to_ascii_lowercase().as_str() {
            "count" => AggregateKind::Count,
            "sum" => AggregateKind::Sum,
            "avg" => AggregateKind::Avg,
            "min" => AggregateKind::Min,
            "max" => AggregateKind::Max,
            "approx_count_distinct" => AggregateKind::ApproxCountDistinct,
            "var_pop" => AggregateKind::VarPop,
            "var_samp" | "variance" => AggregateKind::VarSamp,
            "stddev_pop" => AggregateKind::StddevPop,
            "stddev_samp" | "stddev" => AggregateKind::StddevSamp,
            "string_agg" => AggregateKind::StringAgg { separator_len: 0 },
            _ => return None,
        })
    }

    /// The type of the result: counts and sums of integers are BIGINT, averages of integers DECIMAL. The message of an error
    /// says what is taken. The argument of COUNT(*) is not looked at.
    pub fn result_type(self, arg_type: DataType) -> Result<DataType, String> {
        match self {
            AggregateKind::CountStar | AggregateKind::Count => Ok(DataType::BigInt),
            AggregateKind::ApproxCountDistinct => match arg_type {
                DataType::Float => Err(format!("{} does not take FLOAT: its values are not exact", self.name())),
                ty if ty.is_bytes() => Err(format!("{} takes values of fixed width, not {ty}", self.name())),
                _ => Ok(DataType::BigInt),
            },
            AggregateKind::VarPop | AggregateKind::VarSamp | AggregateKind::StddevPop | AggregateKind::StddevSamp => {
                match arg_type {
                    ty if ty.is_numeric() || ty == DataType::Null => Ok(DataType::Float),
                    ty => Err(format!("{} takes a number, not {ty}", self.name())),
                }
            }
            AggregateKind::StringAgg { .. } => Ok(DataType::TEXT),
            AggregateKind::Min | AggregateKind::Max => Ok(arg_type),
            AggregateKind::Sum | AggregateKind::Avg => match arg_type {
                DataType::Float | DataType::Decimal => Ok(arg_type),
                ty if ty.is_integer() || ty == DataType::Null => {
                    Ok(if self == AggregateKind::Sum { DataType::BigInt } else { DataType::Decimal })
                }
                ty => Err(format!("{} takes a number, not {ty}", self.name())),
            },
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            AggregateKind::CountStar | AggregateKind::Count => "COUNT",
            AggregateKind::Sum => "SUM",
            AggregateKind::Avg => "AVG",
            AggregateKind::Min => "MIN",
            AggregateKind::Max => "MAX",
            AggregateKind::ApproxCountDistinct => "APPROX_COUNT_DISTINCT",
            AggregateKind::VarPop => "VAR_POP",
            AggregateKind::VarSamp => "VAR_SAMP",
            AggregateKind::StddevPop => "STDDEV_POP",
            AggregateKind::StddevSamp => "STDDEV_SAMP",
            AggregateKind::StringAgg { .. } => "STRING_AGG",
        }
    }
}

/// The state of one aggregate over one group. Owns what it keeps: no arena needs to outlive a call.
#[derive(Clone, Debug)]
pub struct Accumulator {
    kind: AggregateKind,
    family: Family,
    /// Values that are not NULL; rows, for COUNT(*).
    count: i64,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    /// A count is all there is.
    Count,
    /// Sums of integers (and decimals, scaled) are kept in 128 bits: only what `finish` gives may overflow, not what rows
    /// added or taken away on the way.
    Exact(i128),
    Float(f64),
    /// The extreme so far, none if `count` is 0.
    Lane(Datum),
    Bytes(Vec<u8>),
    Sketch(Box<Sketch>),
    /// The mean so far, and the sum of the squared distances from it.
    Moments {
        mean: f64,
        squares: f64,
    },
    /// Texts with their separators.
    Texts(Vec<u8>),
}

impl Accumulator {
    /// Over no rows. `arg_type` must be one that [`AggregateKind::result_type`] takes.
    pub fn new(kind: AggregateKind, arg_type: DataType) -> Accumulator {
        let family = Family::of(arg_type);
        let state = match kind {
            AggregateKind::CountStar | AggregateKind::Count => State::Count,
            AggregateKind::Sum | AggregateKind::Avg if family == Family::Float => State::Float(0.0),
            AggregateKind::Sum | AggregateKind::Avg => State::Exact(0),
            AggregateKind::Min | AggregateKind::Max if family == Family::Bytes => State::Bytes(Vec::new()),
            AggregateKind::Min | AggregateKind::Max => State::Lane(Datum::NULL),
            AggregateKind::ApproxCountDistinct => State::Sketch(Box::default()),
            AggregateKind::StringAgg { .. } => State::Texts(Vec::new()),
            _ => State::Moments { mean: 0.0, squares: 0.0 },
        };
        Accumulator { kind, family, count: 0, state }
    }

    pub fn kind(&self) -> AggregateKind {
        self.kind
    }

    /// Takes in one row's value, whose long bytes lie in `arena`. NULL changes nothing, but counts for COUNT(*).
    #[inline]
    pub fn add(&mut self, datum: Datum, arena: &Arena) -> Result<(), EvalError> {
        if datum.is_null() && self.kind != AggregateKind::CountStar {
            return Ok(());
        }
        let is_first = self.count == 0;
        match &mut self.state {
            State::Count => {}
            State::Exact(sum) => *sum = exact_sum(*sum, exact(self.family, datum), self.family)?,
            State::Float(sum) => *sum = finite(*sum + datum.as_f64())?,
            State::Lane(best) => {
                let ordering = if is_first { None } else { Some(compare_known(self.family, datum, *best, arena)) };
                if is_better(self.kind, ordering) {
                    *best = datum;
                }
            }
            State::Sketch(sketch) => sketch.add(datum.lane()),
            State::Moments { mean, squares } => {
                // Welford's: never the difference of two large sums.
                let distance = datum.as_f64() - *mean;
                *mean = finite(*mean + distance / (self.count + 1) as f64)?;
                *squares = finite(*squares + distance * (datum.as_f64() - *mean))?;
            }
            State::Texts(texts) => {
                let mut scratch = [0; 16];
                texts.extend_from_slice(arena.bytes(datum, &mut scratch));
                if texts.len() > BYTES_MAX as usize {
                    let problem = "the result is longer than 1048576 bytes";
                    return Err(EvalError::BadLength { function: "STRING_AGG", problem });
                }
            }
            State::Bytes(best) => {
                let mut scratch = [0; 16];
                let bytes = arena.bytes(datum, &mut scratch);
                let ordering = if is_first { None } else { Some(bytes.cmp(best)) };
                if is_better(self.kind, ordering) {
                    best.clear();
                    best.extend_from_slice(bytes);
                }
            }
        }
        self.count += 1;
        Ok(())
    }

    /// Takes in so many rows of a COUNT(*).
    #[inline(always)]
    pub fn add_rows(&mut self, rows: usize) {
        debug_assert_eq!(self.kind, AggregateKind::CountStar);
        self.count += rows as i64;
    }

    /// Takes in many values of a type of one lane, each as [`Datum::lo`] has it. `nulls`: which are NULL; empty if none is.
    pub fn add_lanes(&mut self, lanes: &[i64], nulls: &[bool]) -> Result<(), EvalError> {
        if nulls.is_empty() && self.family == Family::Int {
            match (&mut self.state, self.kind) {
                (State::Count, _) => {
                    self.count += lanes.len() as i64;
                    return Ok(());
                }
                (State::Exact(sum), _) => {
                    let more = lanes.iter().map(|&lane| lane as i128).sum();
                    *sum = exact_sum(*sum, more, self.family)?;
                    self.count += lanes.len() as i64;
                    return Ok(());
                }
                (State::Lane(_), AggregateKind::Min | AggregateKind::Max) => {
                    let best = if self.kind == AggregateKind::Min { lanes.iter().min() } else { lanes.iter().max() };
                    if let Some(&best) = best {
                        self.add(Datum::int(best), &Arena::default())?;
                        self.count += lanes.len() as i64 - 1;
                    }
                    return Ok(());
                }
                _ => {}
            }
        }
        for (at, &lane) in lanes.iter().enumerate() {
            if !nulls.get(at).is_some_and(|&null| null) {
                self.add(Datum { lo: lane as u64, hi: 0 }, &Arena::default())?;
            }
        }
        Ok(())
    }

    /// Undoes the `add` of a value. For COUNT, SUM and AVG only (asserted): what the next extreme is, is not known here.
    /// FLOAT sums may keep a rounding error.
    #[inline]
    pub fn retract(&mut self, datum: Datum) -> Result<(), EvalError> {
        if datum.is_null() && self.kind != AggregateKind::CountStar {
            return Ok(());
        }
        self.count -= 1;
        match &mut self.state {
            State::Count => {}
            State::Exact(sum) => *sum = exact_sum(*sum, -exact(self.family, datum), self.family)?,
            State::Float(sum) if self.count == 0 => *sum = 0.0,
            State::Float(sum) => *sum = finite(*sum - datum.as_f64())?,
            _ => panic!("{} cannot take a value back", self.kind.name()),
        }
        Ok(())
    }

    /// Takes in all that `other`, of the same kind and type, has taken in.
    pub fn merge(&mut self, other: &Accumulator) -> Result<(), EvalError> {
        assert_eq!((self.kind, self.family), (other.kind, other.family), "accumulators of one aggregate are merged");
        if other.count == 0 {
            return Ok(());
        }
        let is_first = self.count == 0;
        match (&mut self.state, &other.state) {
            (State::Exact(sum), State::Exact(more)) => *sum = exact_sum(*sum, *more, self.family)?,
            (State::Float(sum), State::Float(more)) => *sum = finite(*sum + more)?,
            (State::Sketch(sketch), State::Sketch(more)) => sketch.merge(more),
            (State::Moments { mean, squares }, State::Moments { mean: next, squares: more }) => {
                let (a, b) = (self.count as f64, other.count as f64);
                let distance = next - *mean;
                *mean = finite(*mean + distance * b / (a + b))?;
                *squares = finite(*squares + more + distance * distance * a * b / (a + b))?;
            }
            (State::Texts(texts), State::Texts(more)) => texts.extend_from_slice(more),
            (State::Lane(best), State::Lane(next)) => {
                let ordering = compare_known(self.family, *next, *best, &Arena::default());
                if is_better(self.kind, (!is_first).then_some(ordering)) {
                    *best = *next;
                }
            }
            (State::Bytes(best), State::Bytes(next)) if is_better(self.kind, (!is_first).then(|| next.cmp(best))) => {
                best.clone_from(next);
            }
            _ => {}
        }
        self.count += other.count;
        Ok(())
    }

    /// The result so far; its long bytes go to `arena`. COUNT of nothing is 0, everything else NULL. Fails with `Overflow`
    /// if a sum does not fit the result's type.
    pub fn finish(&self, arena: &mut Arena) -> Result<Datum, EvalError> {
        match &self.state {
            State::Count => Ok(Datum::int(self.count)),
            State::Sketch(sketch) => Ok(Datum::int(sketch.count())),
            _ if self.count == 0 => Ok(Datum::NULL),
            State::Moments { squares, .. } => self.finish_moments(*squares),
            State::Texts(texts) => {
                let AggregateKind::StringAgg { separator_len } = self.kind else {
                    unreachable!("texts are of STRING_AGG")
                };
                Ok(arena.store(&texts[separator_len as usize..]))
            }
            State::Exact(sum) => self.finish_exact(*sum),
            State::Float(sum) if self.kind == AggregateKind::Avg => Ok(Datum::float(sum / self.count as f64)),
            State::Float(sum) => Ok(Datum::float(*sum)),
            State::Lane(best) => Ok(*best),
            State::Bytes(best) => Ok(arena.store(best)),
        }
    }

    fn finish_moments(&self, squares: f64) -> Result<Datum, EvalError> {
        let sample = matches!(self.kind, AggregateKind::VarSamp | AggregateKind::StddevSamp);
        let divisor = self.count - i64::from(sample);
        if divisor == 0 {
            return Ok(Datum::NULL);
        }
        let variance = squares / divisor as f64;
        let root = matches!(self.kind, AggregateKind::StddevPop | AggregateKind::StddevSamp);
        finite(if root { variance.sqrt() } else { variance }).map(Datum::float)
    }

    fn finish_exact(&self, sum: i128) -> Result<Datum, EvalError> {
        match (self.kind, self.family) {
            (AggregateKind::Avg, Family::Int) => {
                // The whole part and the rest apart: the sum times 10^12 may not fit.
                let count = self.count as i128;
                let whole = (sum / count).checked_mul(Decimal::ONE);
                let scaled = whole.and_then(|whole| whole.checked_add(sum % count * Decimal::ONE / count));
                let average = scaled.and_then(Decimal::checked_from_scaled);
                average.map(Datum::decimal).ok_or_else(|| overflow(DataType::Decimal))
            }
            (AggregateKind::Avg, _) => Ok(Datum::decimal(Decimal::from_scaled(sum / self.count as i128))),
            (_, Family::Int) => i64::try_from(sum).map(Datum::int).map_err(|_| overflow(DataType::BigInt)),
            _ => {
                let sum = Decimal::checked_from_scaled(sum);
                sum.map(Datum::decimal).ok_or_else(|| overflow(DataType::Decimal))
            }
        }
    }
}

#[inline]
fn exact(family: Family, datum: Datum) -> i128 {
    match family {
        Family::Decimal => datum.as_decimal().scaled(),
        _ => datum.as_i64() as i128,
    }
}

#[inline]
fn exact_sum(sum: i128, more: i128, family: Family) -> Result<i128, EvalError> {
    let ty = if family == Family::Decimal { DataType::Decimal } else { DataType::BigInt };
    sum.checked_add(more).ok_or_else(|| overflow(ty))
}

/// True if a value that compares so to the best so far takes its place; `None`: there is no best yet.
fn is_better(kind: AggregateKind, ordering: Option<Ordering>) -> bool {
    let wanted = if kind == AggregateKind::Min { Ordering::Less } else { Ordering::Greater };
    ordering.is_none_or(|ordering| ordering == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use AggregateKind::*;

    fn over(kind: AggregateKind, ty: DataType, values: &[Datum]) -> Result<Datum, EvalError> {
        let mut arena = Arena::default();
        let (mut whole, mut left, mut right) =
            (Accumulator::new(kind, ty), Accumulator::new(kind, ty), Accumulator::new(kind, ty));
        for (at, value) in values.iter().enumerate() {
            whole.add(*value, &arena)?;
            if at % 2 == 0 { &mut left } else { &mut right }.add(*value, &arena)?;
        }
        left.merge(&right)?;
        let result = whole.finish(&mut arena);
        if !ty.is_bytes() && ty != DataType::Decimal {
            let lanes: Vec<i64> = values.iter().map(|d| if d.is_null() { 0 } else { d.as_i64() }).collect();
            let nulls: Vec<bool> = values.iter().map(|d| d.is_null()).collect();
            let mut bulk = Accumulator::new(kind, ty);
            match kind {
                CountStar => bulk.add_rows(values.len()),
                _ if nulls.contains(&true) => bulk.add_lanes(&lanes, &nulls)?,
                _ => bulk.add_lanes(&lanes, &[])?,
            }
            assert_eq!(bulk.finish(&mut arena), result, "{kind:?} of {values:?}, in bulk");
        }
        assert_eq!(left.finish(&mut arena), result, "{kind:?} of {values:?}, merged");
        result
    }

    fn d(text: &str) -> Datum {
        Datum::decimal(text.parse().unwrap())
    }

    #[test]
    fn nulls_are_skipped_and_nothing_gives_null() {
        let ints = [Datum::int(5), Datum::NULL, Datum::int(-2), Datum::int(4)];
        for (kind, some, none) in [
            (CountStar, Datum::int(4), Datum::int(0)),
            (Count, Datum::int(3), Datum::int(0)),
            (Sum, Datum::int(7), Datum::NULL),
            (Avg, d("2.333333333333"), Datum::NULL),
            (Min, Datum::int(-2), Datum::NULL),
            (Max, Datum::int(5), Datum::NULL),
        ] {
            assert_eq!(over(kind, DataType::Integer, &ints), Ok(some), "{kind:?}");
            assert_eq!(over(kind, DataType::Integer, &[]), Ok(none), "{kind:?}");
        }
        assert_eq!(over(Avg, DataType::Decimal, &[d("1"), d("2.5")]), Ok(d("1.75")));
        assert_eq!(over(Avg, DataType::Float, &[Datum::float(1.0), Datum::float(2.0)]), Ok(Datum::float(1.5)));
    }

    #[test]
    fn variance_counts_the_whole_or_a_sample() {
        let over_floats = |kind, values: &[f64]| {
            let mut accumulator = Accumulator::new(kind, DataType::Float);
            values.iter().for_each(|v| accumulator.add(Datum::float(*v), &Arena::default()).unwrap());
            accumulator.finish(&mut Arena::default()).unwrap()
        };
        let values = [1e9 + 2.0, 1e9 + 4.0, 1e9 + 4.0, 1e9 + 4.0, 1e9 + 5.0, 1e9 + 5.0, 1e9 + 7.0, 1e9 + 9.0];
        assert!((over_floats(VarPop, &values).as_f64() - 4.0).abs() < 1e-6);
        assert!((over_floats(StddevPop, &values).as_f64() - 2.0).abs() < 1e-6);
        assert!((over_floats(VarSamp, &values).as_f64() - 32.0 / 7.0).abs() < 1e-6);
        assert_eq!(over_floats(StddevSamp, &[3.0]), Datum::NULL);
        assert_eq!(over_floats(StddevPop, &[3.0]), Datum::float(0.0));
        let (mut left, mut right) =
            (Accumulator::new(VarPop, DataType::Float), Accumulator::new(VarPop, DataType::Float));
        values[..3].iter().for_each(|v| left.add(Datum::float(*v), &Arena::default()).unwrap());
        values[3..].iter().for_each(|v| right.add(Datum::float(*v), &Arena::default()).unwrap());
        left.merge(&right).unwrap();
        assert!((left.finish(&mut Arena::default()).unwrap().as_f64() - 4.0).abs() < 1e-6);
    }

    #[test]
    fn texts_are_strung_together_without_the_first_separator() {
        let mut arena = Arena::default();
        let mut accumulator = Accumulator::new(StringAgg { separator_len: 2 }, DataType::TEXT);
        assert_eq!(accumulator.finish(&mut arena), Ok(Datum::NULL));
        for text in [", a", ", b"] {
            let datum = arena.store(text.as_bytes());
            accumulator.add(datum, &arena).unwrap();
        }
        let result = accumulator.finish(&mut arena).unwrap();
        assert_eq!(arena.bytes(result, &mut [0; 16]), b"a, b");
    }

    #[test]
    fn only_the_final_sum_may_overflow() {
        let max = Datum::int(i64::MAX);
        assert_eq!(over(Sum, DataType::BigInt, &[max, max]), Err(EvalError::Overflow { ty: DataType::BigInt }));
        assert_eq!(over(Sum, DataType::BigInt, &[max, max, Datum::int(-i64::MAX)]), Ok(max));
        assert_eq!(over(Avg, DataType::BigInt, &[max, max]), Ok(d("9223372036854775807")));
        let big = Datum::decimal(Decimal::MAX);
        assert_eq!(over(Sum, DataType::Decimal, &[big, d("1")]).unwrap_err().sqlstate(), "22003");
        let huge = Datum::float(1e308);
        assert_eq!(over(Sum, DataType::Float, &[huge, huge]).unwrap_err().sqlstate(), "22003");
    }

    #[test]
    fn what_is_taken_back_was_never_there() {
        for kind in [CountStar, Count, Sum, Avg] {
            let mut arena = Arena::default();
            let mut accumulator = Accumulator::new(kind, DataType::BigInt);
            for v in [Datum::int(1), Datum::int(7), Datum::NULL] {
                accumulator.add(v, &arena).unwrap();
            }
            for v in [Datum::NULL, Datum::int(7)] {
                accumulator.retract(v).unwrap();
            }
            assert_eq!(accumulator.finish(&mut arena), over(kind, DataType::BigInt, &[Datum::int(1)]));
        }
    }

    #[test]
    fn extremes_of_strings_are_owned() {
        let mut arena = Arena::default();
        let mut least = Accumulator::new(Min, DataType::TEXT);
        for text in ["a much longer string, second", "a much longer string, first", "b"] {
            let mark = arena.mark();
            let datum = arena.store(text.as_bytes());
            least.add(datum, &arena).unwrap();
            arena.truncate(mark);
        }
        let result = least.finish(&mut arena).unwrap();
        assert_eq!(arena.bytes(result, &mut [0; 16]), b"a much longer string, first");
    }

    #[test]
    fn result_types_follow_the_argument() {
        assert_eq!(Sum.result_type(DataType::TinyInt), Ok(DataType::BigInt));
        assert_eq!(Avg.result_type(DataType::TinyInt), Ok(DataType::Decimal));
        assert_eq!(Avg.result_type(DataType::Float), Ok(DataType::Float));
        assert_eq!(Max.result_type(DataType::Timestamp), Ok(DataType::Timestamp));
        assert_eq!(Sum.result_type(DataType::TEXT), Err("SUM takes a number, not VARCHAR".to_owned()));
        assert_eq!(AggregateKind::lookup("AVG"), Some(Avg));
    }
}
