//! Compiled programs against the walk over the tree, on random expressions and values.

use super::error::EvalError;
use super::eval::{eval, eval_condition};
use super::expr::{Arithmetic, Comparison, Expr, ExprKind};
use super::function::{self, Function};
use super::host::Host;
use super::program::CompiledExpr;
use crate::types::{BYTES_MAX, DataType, Datum, Decimal, Frame, Reg, Timestamp, Value, datum_value};

/// A splitmix64 generator: the same seed gives the same expressions on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
}

const TYPES: [DataType; 8] = [
    DataType::BigInt,
    DataType::Boolean,
    DataType::Float,
    DataType::Decimal,
    DataType::TEXT,
    DataType::Varbinary { max: BYTES_MAX },
    DataType::Timestamp,
    DataType::SmallInt,
];
/// Registers of each type that expressions read.
const REGS_PER_TYPE: usize = 3;
const INPUTS: usize = TYPES.len() * REGS_PER_TYPE;
/// Registers that subqueries leave their values in, one for each type.
const SUBQUERY_RESULTS: usize = INPUTS;
const FIRST_FREE: usize = INPUTS + TYPES.len();

fn random_value(random: &mut Random, ty: DataType) -> Value {
    if random.chance(6) {
        return Value::Null;
    }
    match ty {
        DataType::BigInt => Value::Int(match random.below(4) {
            0 => random.pick(&[i64::MIN, i64::MIN + 1, i64::MAX, -1, 0, 1, 2, 1 << 40]),
            1 => random.next() as i64,
            _ => random.below(20) as i64 - 5,
        }),
        DataType::SmallInt => Value::Int(random.pick(&[i16::MIN as i64, i16::MAX as i64, 0, 1, -7, 100])),
        DataType::Boolean => Value::Bool(random.chance(2)),
        DataType::Float => Value::Float(random.pick(&[0.0, 1.0, -2.5, 1e300, -1e300, 1e-300, 12345.678, 3e18])),
        DataType::Decimal => Value::Decimal(match random.below(3) {
            0 => random.pick(&[Decimal::MAX, Decimal::MIN, Decimal::ZERO, Decimal::from_scaled(-1)]),
            _ => Decimal::from_scaled(random.next() as i64 as i128 * random.pick(&[1, 1_000, 10i128.pow(15)])),
        }),
        DataType::Varbinary { .. } => Value::Bytes((0..random.below(20)).map(|_| random.next() as u8).collect()),
        DataType::Timestamp => {
            Value::Timestamp(Timestamp::from_micros(random.pick(&[0, -1, i64::MAX, 951_827_696_000_100])))
        }
        _ => {
            let words =
                ["", "a", "ab%", "A_b", "12", "-3.5", "true", "grün", "YEAR", "DAY", "2000-02-29", "1e5", "0aff"];
            let words_long =
                ["exactly 15 byte", "exactly 16 bytes", "a text longer than any lane", "äöü und noch so einiges"];
            Value::from(if random.chance(3) { random.pick(&words_long) } else { random.pick(&words) })
        }
    }
}

fn typed(kind: ExprKind, ty: DataType) -> Expr {
    Expr { kind, ty, nullable: true }
}

fn random_expr(random: &mut Random, ty: DataType, depth: usize) -> Expr {
    if depth == 0 || random.chance(6) {
        return leaf(random, ty);
    }
    let depth = depth - 1;
    match random.below(10) {
        0 => typed(ExprKind::Coalesce(several(random, ty, depth)), ty),
        1 => {
            let branches = (0..1 + random.below(2))
                .map(|_| (random_expr(random, DataType::Boolean, depth), random_expr(random, ty, depth)))
                .collect();
            let otherwise = (!random.chance(3)).then(|| Box::new(random_expr(random, ty, depth)));
            typed(ExprKind::Case { branches, otherwise }, ty)
        }
        2 => {
            let from = random.pick(&TYPES);
            if !super::castable(from, ty) {
                return leaf(random, ty);
            }
            typed(ExprKind::Cast(Box::new(random_expr(random, from, depth))), ty)
        }
        3 | 4 => random_call(random, ty, depth),
        _ if ty == DataType::Boolean => random_predicate(random, depth),
        _ if matches!(ty, DataType::BigInt | DataType::Float | DataType::Decimal) => {
            let op = random.pick(&[
                Arithmetic::Add,
                Arithmetic::Subtract,
                Arithmetic::Multiply,
                Arithmetic::Divide,
                Arithmetic::Modulo,
            ]);
            if random.chance(8) {
                return typed(ExprKind::Negate(Box::new(random_expr(random, ty, depth))), ty);
            }
            let (left, right) = (random_expr(random, ty, depth), random_expr(random, ty, depth));
            typed(ExprKind::Arithmetic { op, left: Box::new(left), right: Box::new(right) }, ty)
        }
        _ => leaf(random, ty),
    }
}

fn leaf(random: &mut Random, ty: DataType) -> Expr {
    let at = TYPES.iter().position(|t| *t == ty).expect("one of the types");
    match random.below(12) {
        0..6 => Expr::reg((at * REGS_PER_TYPE + random.below(REGS_PER_TYPE)) as Reg, ty, true),
        6 => typed(ExprKind::Subquery { index: at, result: (SUBQUERY_RESULTS + at) as Reg }, ty),
        7 if ty == DataType::Timestamp => typed(ExprKind::Now, ty),
        _ => Expr::literal(random_value(random, ty), ty),
    }
}

fn several(random: &mut Random, ty: DataType, depth: usize) -> Vec<Expr> {
    (0..1 + random.below(3)).map(|_| random_expr(random, ty, depth)).collect()
}

fn random_predicate(random: &mut Random, depth: usize) -> Expr {
    let boolean = |random: &mut Random| Box::new(random_expr(random, DataType::Boolean, depth));
    let ty = random.pick(&TYPES);
    let kind = match random.below(12) {
        0 | 1 => ExprKind::And(several(random, DataType::Boolean, depth)),
        2 | 3 => ExprKind::Or(several(random, DataType::Boolean, depth)),
        4 => ExprKind::Not(boolean(random)),
        5 => ExprKind::IsNull(Box::new(random_expr(random, ty, depth))),
        6 => ExprKind::IsTruth(boolean(random), random.pick(&[Some(true), Some(false), None])),
        7 => ExprKind::InList {
            operand: Box::new(random_expr(random, ty, depth)),
            list: if random.chance(2) {
                (0..random.below(6)).map(|_| Expr::literal(random_value(random, ty), ty)).collect()
            } else {
                several(random, ty, depth)
            },
        },
        8 => ExprKind::Like {
            operand: Box::new(random_expr(random, DataType::TEXT, depth)),
            pattern: Box::new(random_expr(random, DataType::TEXT, depth)),
            escape: random.pick(&[None, Some('b')]),
            case_insensitive: random.chance(3),
        },
        9 => ExprKind::StartsWith {
            operand: Box::new(random_expr(random, DataType::TEXT, depth)),
            prefix: Box::new(random_expr(random, DataType::TEXT, depth)),
        },
        _ => {
            let op = random.pick(&[
                Comparison::Eq,
                Comparison::NotEq,
                Comparison::Lt,
                Comparison::LtEq,
                Comparison::Gt,
                Comparison::GtEq,
                Comparison::IsDistinct,
                Comparison::IsNotDistinct,
            ]);
            let (left, right) = (random_expr(random, ty, depth), random_expr(random, ty, depth));
            ExprKind::Compare { op, left: Box::new(left), right: Box::new(right) }
        }
    };
    typed(kind, DataType::Boolean)
}

/// A call of some function that gives `ty`, or a leaf if chance finds none.
fn random_call(random: &mut Random, ty: DataType, depth: usize) -> Expr {
    for _ in 0..20 {
        let (_, function) = random.pick(&function::NAMES);
        // It makes texts so large that they only cost time.
        if function == Function::Repeat {
            continue;
        }
        let wanted: Vec<DataType> = (0..random.below(4)).map(|_| random.pick(&TYPES)).collect();
        let Ok((casts, result)) = function::resolve(function, &wanted) else { continue };
        if result != ty {
            continue;
        }
        let argument = |(from, to): (&DataType, &DataType)| {
            let argument = random_expr(random, *from, depth);
            if from == to { argument } else { typed(ExprKind::Cast(Box::new(argument)), *to) }
        };
        let arguments = wanted.iter().zip(&casts).map(argument).collect();
        return typed(ExprKind::Function { function, arguments }, ty);
    }
    leaf(random, ty)
}

/// Subquery `n` gives the first register of type `n`; every fifth run fails.
struct TestHost {
    runs: usize,
}

impl Host for TestHost {
    type Error = EvalError;

    fn subquery(&mut self, index: usize, frame: &mut Frame) -> Result<(), EvalError> {
        self.runs += 1;
        if self.runs.is_multiple_of(5) {
            return Err(EvalError::BadArgument { function: "subquery", problem: format!("run {}", self.runs) });
        }
        let datum = frame.get((index * REGS_PER_TYPE) as Reg);
        frame.set((SUBQUERY_RESULTS + index) as Reg, datum);
        Ok(())
    }
    fn now(&self) -> i64 {
        1_000_000
    }
}

fn random_frame(random: &mut Random, size: usize) -> Frame {
    let mut frame = Frame::new(size);
    for reg in 0..INPUTS {
        let value = random_value(random, TYPES[reg / REGS_PER_TYPE]);
        let datum = frame.datum(&value);
        frame.set(reg as Reg, datum);
    }
    frame
}

fn same(a: &Result<Value, EvalError>, b: &Result<Value, EvalError>) -> bool {
    match (a, b) {
        (Ok(Value::Float(a)), Ok(Value::Float(b))) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    }
}

fn copy(frame: &Frame) -> Frame {
    Frame { regs: frame.regs.clone(), arena: frame.arena.clone() }
}

#[test]
fn a_compiled_expression_agrees_with_the_walk_over_its_tree() {
    let (mut values, mut errors) = (0, 0);
    for seed in 0..20_000 {
        let mut random = Random(seed);
        let ty = random.pick(&TYPES);
        let depth = 1 + random.below(5);
        let expr = random_expr(&mut random, ty, depth);
        let mut next = FIRST_FREE as Reg;
        let program = CompiledExpr::compile(&expr, &mut || {
            next += 1;
            next - 1
        });
        for _ in 0..4 {
            let frame = random_frame(&mut random, next as usize);
            let (mut walked, mut run) = (copy(&frame), copy(&frame));
            let value = |datum: Datum, frame: &Frame| datum_value(datum, ty, &frame.arena);
            let expected = eval(&expr, &mut walked, &mut TestHost { runs: 0 }).map(|d| value(d, &walked));
            let found = program.eval(&mut run, &mut TestHost { runs: 0 }).map(|d| value(d, &run));
            assert!(
                same(&expected, &found),
                "seed {seed}: {expected:?}, but compiled {found:?}\n{expr:#?}\n{program:#?}"
            );
            assert_eq!(run.regs[..INPUTS], frame.regs[..INPUTS], "seed {seed}: inputs were written to");
            if expected.is_ok() { values += 1 } else { errors += 1 }
        }
    }
    assert!(values > 5_000 && errors > 1_000, "{values} values and {errors} errors are no fair sample");
}

#[test]
fn a_compiled_condition_agrees_with_the_walk_over_its_tree() {
    let (mut trues, mut others) = (0, 0);
    for seed in 0..20_000 {
        let mut random = Random(seed ^ 0xC0FF_EE00_0000);
        let depth = 1 + random.below(5);
        let expr = random_expr(&mut random, DataType::Boolean, depth);
        let mut next = FIRST_FREE as Reg;
        let program = CompiledExpr::compile_condition(&expr, &mut || {
            next += 1;
            next - 1
        });
        for _ in 0..4 {
            let frame = random_frame(&mut random, next as usize);
            let (mut walked, mut run) = (copy(&frame), copy(&frame));
            let expected = eval_condition(&expr, false, &mut walked, &mut TestHost { runs: 0 });
            let found = program.is_true(&mut run, &mut TestHost { runs: 0 });
            assert_eq!(expected, found, "seed {seed}: {expr:#?}\n{program:#?}");
            if expected == Ok(true) { trues += 1 } else { others += 1 }
        }
    }
    assert!(trues > 1_000 && others > 1_000, "{trues} TRUE and {others} others are no fair sample");
}
