//! Window functions over one PARTITION BY and ORDER BY.
//!
//! Rows are kept and sorted; each partition is gone through once, row by row. A frame is a range of positions in the
//! sorted partition. An aggregate follows its frame: it takes in what comes, gives back what goes where it can, and starts
//! anew where it can't.

use super::sort::{SortKey, compare_rows};
use super::{Flow, Operator, Sink};
use crate::executor::{ExecError, Reader, RowBuffer};
use crate::expr::{Accumulator, AggregateKind, CompiledExpr};
use crate::planner::plan::{FrameUnit, WindowKind};
use crate::types::{DataType, Datum, Frame, Reg};
use std::cmp::Ordering;
use std::ops::Range;

pub struct Window {
    pub input: Operator,
    pub carry: Vec<Reg>,
    /// PARTITION BY, as keys of an ascending sort, then ORDER BY.
    pub keys: Vec<SortKey>,
    /// How many of `keys` are PARTITION BY.
    pub partition_keys: usize,
    pub calls: Vec<WindowCall>,
}

pub struct WindowCall {
    pub kind: WindowKind,
    pub arguments: Vec<CompiledExpr>,
    /// The first argument's type.
    pub ty: DataType,
    pub unit: FrameUnit,
    pub start: FrameBound,
    pub end: FrameBound,
    pub out: Reg,
}

pub enum FrameBound {
    First,
    Before(CompiledExpr),
    Current,
    After(CompiledExpr),
    Last,
}

/// A bound whose offset is known.
#[derive(Clone, Copy)]
enum Bound {
    First,
    Before(Datum),
    Current,
    After(Datum),
    Last,
}

/// One sorted partition.
struct Partition<'w> {
    window: &'w Window,
    rows: &'w RowBuffer,
    /// Numbers of rows, in order.
    order: &'w [u32],
    /// Where each group of peers starts, and the end of the last.
    starts: Vec<usize>,
    /// For each call, the column of its first argument in `rows`.
    arguments: &'w [usize],
    bounds: &'w [[Bound; 2]],
}

/// The row at hand.
#[derive(Clone, Copy)]
struct Current {
    at: usize,
    /// Its group of peers.
    group: usize,
}

/// An aggregate over a range of positions.
struct Running {
    accumulator: Accumulator,
    range: Range<usize>,
}

impl Window {
    pub fn run(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        let mut arguments = Vec::with_capacity(self.calls.len());
        let mut width = self.keys.len();
        for call in &self.calls {
            arguments.push(width);
            width += call.arguments.len();
        }
        let bounds = self.bounds(rd, frame)?;
        let mut rows = RowBuffer::new(width + self.carry.len());
        self.input.run(rd, frame, &mut |frame| {
            rows.begin();
            for expr in self.keys.iter().map(|key| &key.expr).chain(self.calls.iter().flat_map(|c| &c.arguments)) {
                let datum = rd.eval(expr, frame)?;
                rows.add(datum, &frame.arena);
            }
            self.carry.iter().for_each(|&reg| rows.add(frame.get(reg), &frame.arena));
            Ok(Flow::Continue)
        })?;
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        let compare = |a: u32, b: u32, keys: usize| {
            compare_rows(&self.keys[..keys], rows.row(a as usize), rows.row(b as usize), rows.arena())
        };
        order.sort_by(|&a, &b| compare(a, b, self.keys.len()));
        let mut rest = order.as_slice();
        while let Some(&first) = rest.first() {
            let end = rest.iter().position(|&at| compare(first, at, self.partition_keys) != Ordering::Equal);
            let (order, others) = rest.split_at(end.unwrap_or(rest.len()));
            let mut starts: Vec<usize> = (0..order.len())
                .filter(|&at| at == 0 || compare(order[at - 1], order[at], self.keys.len()) != Ordering::Equal)
                .collect();
            starts.push(order.len());
            let partition =
                Partition { window: self, rows: &rows, order, starts, arguments: &arguments, bounds: &bounds };
            if partition.run(width, rd, frame, sink)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
            rest = others;
        }
        Ok(Flow::Continue)
    }

    /// The bounds of each call's frame: their offsets are the same for all rows.
    fn bounds(&self, rd: &Reader<'_>, frame: &mut Frame) -> Result<Vec<[Bound; 2]>, ExecError> {
        let mut bound = |bound: &FrameBound, call: &WindowCall| {
            let (expr, before) = match bound {
                FrameBound::First => return Ok(Bound::First),
                FrameBound::Current => return Ok(Bound::Current),
                FrameBound::Last => return Ok(Bound::Last),
                FrameBound::Before(expr) => (expr, true),
                FrameBound::After(expr) => (expr, false),
            };
            let offset = rd.eval(expr, frame)?;
            if offset.is_null() || self.position(offset, call.unit) < Position::zero(self.key_type(call.unit)) {
                return Err(ExecError::BadWindow { what: "the offset of a frame", least: "negative" });
            }
            Ok(if before { Bound::Before(offset) } else { Bound::After(offset) })
        };
        self.calls.iter().map(|call| Ok([bound(&call.start, call)?, bound(&call.end, call)?])).collect()
    }

    /// The type in which offsets of that unit count.
    fn key_type(&self, unit: FrameUnit) -> DataType {
        match (unit, self.keys.get(self.partition_keys)) {
            (FrameUnit::Range, Some(key)) => key.ty,
            _ => DataType::BigInt,
        }
    }

    fn position(&self, datum: Datum, unit: FrameUnit) -> Position {
        Position::of(datum, self.key_type(unit))
    }
}

/// A key or an offset as a number that can be added to.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Position {
    Exact(i128),
    Float(f64),
}

impl Position {
    fn of(datum: Datum, ty: DataType) -> Position {
        match ty {
            DataType::Float => Position::Float(datum.as_f64()),
            DataType::Decimal => Position::Exact(datum.as_decimal().scaled()),
            _ => Position::Exact(datum.as_i64().into()),
        }
    }
    fn zero(ty: DataType) -> Position {
        if ty == DataType::Float { Position::Float(0.0) } else { Position::Exact(0) }
    }
    /// `self`, or with `sign` below 0 its opposite.
    fn signed(self, sign: i128) -> Position {
        match self {
            Position::Exact(a) => Position::Exact(a * sign),
            Position::Float(a) => Position::Float(a * sign as f64),
        }
    }
    fn plus(self, other: Position, sign: i128) -> Position {
        match (self, other) {
            (Position::Exact(a), Position::Exact(b)) => Position::Exact(a + b * sign),
            (Position::Float(a), Position::Float(b)) => Position::Float(a + b * sign as f64),
            _ => unreachable!("offsets are of the key's type"),
        }
    }
}

impl Partition<'_> {
    fn run(&self, carry: usize, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        let calls = &self.window.calls;
        let mut running: Vec<Option<Running>> = calls
            .iter()
            .map(|call| match call.kind {
                WindowKind::Aggregate(kind) => Some(Running::new(kind, call.ty)),
                _ => None,
            })
            .collect();
        let mut group = 0;
        for at in 0..self.order.len() {
            rd.tick()?;
            if at == self.starts[group + 1] {
                group += 1;
            }
            let current = Current { at, group };
            let mark = frame.arena.mark();
            self.rows.load(self.order[at] as usize, carry, &self.window.carry, frame);
            for (number, call) in calls.iter().enumerate() {
                let datum = match &mut running[number] {
                    Some(running) => {
                        running.go_to(self.frame(number, current), self, number)?;
                        running.accumulator.finish(&mut frame.arena)?
                    }
                    None => {
                        let datum = self.value(call.kind, number, current)?;
                        frame.arena.adopt(datum, self.rows.arena())
                    }
                };
                frame.set(call.out, datum);
            }
            if sink(frame)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
            frame.arena.truncate(mark);
        }
        Ok(Flow::Continue)
    }

    fn row(&self, at: usize) -> &[Datum] {
        self.rows.row(self.order[at] as usize)
    }

    /// An argument of a call at the row of a position.
    fn argument(&self, call: usize, argument: usize, at: usize) -> Datum {
        self.row(at)[self.arguments[call] + argument]
    }

    /// The value of a call that is no aggregate; long bytes are in the rows' arena.
    fn value(&self, kind: WindowKind, call: usize, current: Current) -> Result<Datum, ExecError> {
        let (rows, group) = (self.order.len(), current.group);
        Ok(match kind {
            WindowKind::RowNumber => Datum::int(current.at as i64 + 1),
            WindowKind::Rank => Datum::int(self.starts[group] as i64 + 1),
            WindowKind::DenseRank => Datum::int(group as i64 + 1),
            WindowKind::PercentRank if rows == 1 => Datum::float(0.0),
            WindowKind::PercentRank => Datum::float(self.starts[group] as f64 / (rows - 1) as f64),
            WindowKind::CumeDist => Datum::float(self.starts[group + 1] as f64 / rows as f64),
            WindowKind::Ntile => self.ntile(call, current)?,
            WindowKind::Lag => self.neighbour(call, current, -1),
            WindowKind::Lead => self.neighbour(call, current, 1),
            WindowKind::FirstValue | WindowKind::LastValue | WindowKind::NthValue => {
                let frame = self.frame(call, current);
                let at = match kind {
                    WindowKind::FirstValue => Some(frame.start),
                    WindowKind::LastValue => frame.end.checked_sub(1),
                    _ => self.nth(call, current, frame.start)?,
                };
                at.filter(|at| frame.contains(at)).map_or(Datum::NULL, |at| self.argument(call, 0, at))
            }
            WindowKind::Aggregate(_) => unreachable!("aggregates run along"),
        })
    }

    /// The first buckets have one row more, if they can't all have the same number.
    fn ntile(&self, call: usize, current: Current) -> Result<Datum, ExecError> {
        let buckets = self.argument(call, 0, current.at);
        if buckets.is_null() || buckets.as_i64() < 1 {
            return Err(ExecError::BadWindow { what: "the number of NTILE", least: "below 1" });
        }
        let (rows, buckets, at) = (self.order.len() as i64, buckets.as_i64(), current.at as i64);
        let (size, larger) = (rows / buckets, rows % buckets);
        let bucket = match at.checked_sub(larger * (size + 1)).filter(|rest| *rest >= 0) {
            Some(rest) => larger + rest / size,
            None => at / (size + 1),
        };
        Ok(Datum::int(bucket + 1))
    }

    /// LAG and LEAD: the value some rows away, or what the call gives for none.
    fn neighbour(&self, call: usize, current: Current, direction: i64) -> Datum {
        let given = self.window.calls[call].arguments.len();
        let distance = if given > 1 { self.argument(call, 1, current.at) } else { Datum::int(1) };
        if distance.is_null() {
            return Datum::NULL;
        }
        let away = distance.as_i64().checked_mul(direction).and_then(|d| d.checked_add(current.at as i64));
        match away.and_then(|at| usize::try_from(at).ok()).filter(|&at| at < self.order.len()) {
            Some(at) => self.argument(call, 0, at),
            None if given > 2 => self.argument(call, 2, current.at),
            None => Datum::NULL,
        }
    }

    fn nth(&self, call: usize, current: Current, start: usize) -> Result<Option<usize>, ExecError> {
        let number = self.argument(call, 1, current.at);
        if number.is_null() {
            return Ok(None);
        }
        match usize::try_from(number.as_i64()) {
            Ok(number) if number > 0 => Ok(start.checked_add(number - 1)),
            _ => Err(ExecError::BadWindow { what: "the number of NTH_VALUE", least: "below 1" }),
        }
    }

    /// The positions of a call's frame; empty if it ends before it starts.
    fn frame(&self, call: usize, current: Current) -> Range<usize> {
        let [start, end] = self.bounds[call];
        let unit = self.window.calls[call].unit;
        let (start, end) = (self.edge(start, unit, current, false), self.edge(end, unit, current, true));
        start..end.max(start)
    }

    /// Where a bound lies: the position of its first row, or with `end` the one after its last.
    fn edge(&self, bound: Bound, unit: FrameUnit, current: Current, end: bool) -> usize {
        let (rows, after) = (self.order.len(), end as usize);
        let (offset, sign) = match bound {
            Bound::First => return 0,
            Bound::Last => return rows,
            Bound::Current if unit == FrameUnit::Rows => return current.at + after,
            Bound::Current => return self.starts[current.group + after],
            Bound::Before(offset) => (offset, -1),
            Bound::After(offset) => (offset, 1),
        };
        let count = usize::try_from(offset.as_i64()).unwrap_or(usize::MAX);
        match (unit, sign) {
            (FrameUnit::Range, _) => self.range_edge(offset, sign, current, end),
            (FrameUnit::Rows, -1) => (current.at + after).saturating_sub(count),
            (FrameUnit::Rows, _) => (current.at + after).saturating_add(count).min(rows),
            (FrameUnit::Groups, -1) => match current.group.checked_sub(count) {
                Some(group) => self.starts[group + after],
                None => 0,
            },
            (FrameUnit::Groups, _) => {
                let groups = self.starts.len() - 1;
                self.starts[current.group.saturating_add(count).saturating_add(after).min(groups)]
            }
        }
    }

    /// The edge among the keys that differ by `offset`. NULL is near NULL alone.
    fn range_edge(&self, offset: Datum, sign: i128, current: Current, end: bool) -> usize {
        let column = self.window.partition_keys;
        let key = &self.window.keys[column];
        let own = self.row(current.at)[column];
        if own.is_null() {
            return self.starts[current.group + end as usize];
        }
        let direction = if key.descending { -1 } else { 1 };
        let position = |datum: Datum| Position::of(datum, key.ty).signed(direction);
        let limit = position(own).plus(Position::of(offset, key.ty), sign);
        self.order.partition_point(|&row| {
            let datum = self.rows.row(row as usize)[column];
            if datum.is_null() {
                return key.nulls_first;
            }
            let position = position(datum);
            if end { position <= limit } else { position < limit }
        })
    }
}

impl Running {
    fn new(kind: AggregateKind, ty: DataType) -> Running {
        Running { accumulator: Accumulator::new(kind, ty), range: 0..0 }
    }

    /// Brings the aggregate to another range of the partition.
    fn go_to(&mut self, range: Range<usize>, partition: &Partition<'_>, call: usize) -> Result<(), ExecError> {
        let ty = partition.window.calls[call].ty;
        let has_argument = !partition.window.calls[call].arguments.is_empty();
        let value = |at: usize| if has_argument { partition.argument(call, 0, at) } else { Datum::TRUE };
        // Floats would keep a rounding error.
        let gives_back = ty != DataType::Float
            && matches!(
                self.accumulator.kind(),
                AggregateKind::CountStar | AggregateKind::Count | AggregateKind::Sum | AggregateKind::Avg
            );
        let grows = self.range.start == range.start && self.range.end <= range.end;
        let moves =
            gives_back && self.range.start <= range.start && (range.start..=range.end).contains(&self.range.end);
        if !grows && !moves {
            *self = Running::new(self.accumulator.kind(), ty);
            self.range = range.start..range.start;
        }
        for at in self.range.start..range.start {
            self.accumulator.retract(value(at))?;
        }
        for at in self.range.end..range.end {
            self.accumulator.add(value(at), partition.rows.arena())?;
        }
        self.range = range;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_in_the_keys_own_numbers() {
        let three = Position::of(Datum::int(3), DataType::Integer);
        assert!(three.plus(Position::of(Datum::int(2), DataType::BigInt), -1) == Position::Exact(1));
        assert!(three.signed(-1) < Position::zero(DataType::Integer));
        let half = Position::of(Datum::float(0.5), DataType::Float);
        assert!(half.plus(half, 1) > half && Position::zero(DataType::Float) < half);
    }
}
