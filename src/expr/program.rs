//! The compiled form of an expression: a flat list of operations on registers, and the loop that runs it.
//!
//! An operation names its registers by index and its family of types by its own kind, so the loop neither looks at types
//! nor follows pointers to operands. `compile` makes these; what they mean, `eval` says.

use super::arithmetic;
use super::compare::{Family, compare_known, is_in};
use super::convert::{cast_datum, text_of};
use super::error::EvalError;
use super::expr::Arithmetic;
use super::host::Host;
use super::in_set::InSet;
use super::like::{LikePattern, like, starts_with};
use super::logic::{and, not, or};
use super::op::Op;
use crate::types::{Arena, DataType, Datum, Decimal, Frame, Reg};

/// A bound expression made ready to run. Immutable; may be run by many at once, each on a frame of its own.
#[derive(Clone, Debug)]
pub struct CompiledExpr {
    pub(super) ops: Vec<Op>,
    pub(super) result: Reg,
    /// Its jumps, not a register, tell whether it is TRUE.
    pub(super) condition: bool,
    pub(super) pool: Pool,
}

/// What does not fit into an operation.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    pub constants: Vec<Datum>,
    pub texts: Vec<Box<[u8]>>,
    pub casts: Vec<(DataType, DataType)>,
    pub sets: Vec<InSet>,
    pub patterns: Vec<LikePattern>,
}

impl CompiledExpr {
    /// The value on the registers of `frame`. Long strings of the result lie in the frame's arena, or where the register
    /// had them.
    #[inline]
    pub fn eval<H: Host>(&self, frame: &mut Frame, host: &mut H) -> Result<Datum, H::Error> {
        if self.condition {
            return self.run(frame, host).map(Datum::bool);
        }
        if !self.ops.is_empty() {
            self.run(frame, host)?;
        }
        Ok(frame.get(self.result))
    }

    /// True if the value is TRUE: FALSE and NULL are not.
    #[inline]
    pub fn is_true<H: Host>(&self, frame: &mut Frame, host: &mut H) -> Result<bool, H::Error> {
        let at_end = self.run(frame, host)?;
        Ok(if self.condition { at_end } else { frame.get(self.result).is_true() })
    }

    /// The register that is the whole expression, if it is nothing but one.
    pub fn as_reg(&self) -> Option<Reg> {
        (self.ops.is_empty() && !self.condition).then_some(self.result)
    }

    /// True if it reads the transaction's time.
    pub fn uses_now(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Now { .. }))
    }

    /// True for a constant or a register.
    pub fn cannot_fail(&self) -> bool {
        let constant =
            |op: &Op| matches!(op, Op::Move { .. } | Op::ConstInt { .. } | Op::Const { .. } | Op::ConstText { .. });
        self.ops.iter().all(constant)
    }

    /// Number of operations.
    pub fn op_count(&self) -> usize {
        self.ops.len()
    }

    /// Runs to the end; false if a jump left the program before, as conditions do that are not true.
    ///
    /// Only what is common and short is done in the loop itself, so that it needs few machine registers and starts fast.
    fn run<H: Host>(&self, frame: &mut Frame, host: &mut H) -> Result<bool, H::Error> {
        let mut rest = self.ops.iter();
        // Only a call out of the loop touches the frame's registers behind our back: the slice is taken anew after one.
        let mut regs = &mut frame.regs[..];
        macro_rules! get {
            ($reg:expr) => {
                regs[$reg as usize]
            };
        }
        macro_rules! set {
            ($dst:expr, $datum:expr) => {{
                let datum = $datum;
                regs[$dst as usize] = datum;
            }};
        }
        // A checked operation on two operands; NULL if one is.
        macro_rules! checked {
            ($dst:expr, $a:expr, $b:expr, $read:ident, $method:ident, $make:ident, $ty:ident) => {{
                let (x, y) = (get!($a), get!($b));
                if x.is_null() || y.is_null() {
                    set!($dst, Datum::NULL)
                } else {
                    match x.$read().$method(y.$read()) {
                        Some(v) => set!($dst, Datum::$make(v)),
                        None => return fail(arithmetic::overflow(DataType::$ty)),
                    }
                }
            }};
        }
        macro_rules! checked_k {
            ($dst:expr, $a:expr, $k:expr, $method:ident) => {{
                let x = get!($a);
                if x.is_null() {
                    set!($dst, Datum::NULL)
                } else {
                    match x.as_i64().$method($k) {
                        Some(v) => set!($dst, Datum::int(v)),
                        None => return fail(arithmetic::overflow(DataType::BigInt)),
                    }
                }
            }};
        }
        // Goes on at the target if the outcome is in the mask. The only target outside of the program is NOT_TRUE.
        macro_rules! jump_if {
            ($condition:expr, $target:expr) => {
                if $condition {
                    match self.ops.get($target as usize..) {
                        Some(from) => rest = from.iter(),
                        None => return Ok(false),
                    }
                }
            };
        }
        while let Some(op) = rest.next() {
            match *op {
                Op::Move { dst, src } => set!(dst, get!(src)),
                Op::ConstInt { dst, k } => set!(dst, Datum::int(k)),
                Op::Const { dst, index } => set!(dst, self.pool.constants[index as usize]),
                Op::AddInt { dst, a, b } => checked!(dst, a, b, as_i64, checked_add, int, BigInt),
                Op::SubtractInt { dst, a, b } => checked!(dst, a, b, as_i64, checked_sub, int, BigInt),
                Op::MultiplyInt { dst, a, b } => checked!(dst, a, b, as_i64, checked_mul, int, BigInt),
                Op::AddIntK { dst, a, k } => checked_k!(dst, a, k, checked_add),
                Op::MultiplyIntK { dst, a, k } => checked_k!(dst, a, k, checked_mul),
                Op::DivideIntK { dst, a, k } => checked_k!(dst, a, k, checked_div),
                Op::ModuloIntK { dst, a, k } => checked_k!(dst, a, k, checked_rem),
                Op::AddDecimal { dst, a, b } => checked!(dst, a, b, as_decimal, checked_add, decimal, Decimal),
                Op::SubtractDecimal { dst, a, b } => checked!(dst, a, b, as_decimal, checked_sub, decimal, Decimal),
                Op::FloatArithmetic { op, dst, a, b } => {
                    let (x, y) = (get!(a), get!(b));
                    if x.is_null() || y.is_null() {
                        set!(dst, Datum::NULL)
                    } else {
                        match float(op, x.as_f64(), y.as_f64()) {
                            v if v.is_finite() => set!(dst, Datum::float(v)),
                            _ => return fail(float_error(op, y.as_f64())),
                        }
                    }
                }
                Op::CompareInt { mask, dst, a, b } => {
                    let (x, y) = (get!(a), get!(b));
                    let is = Datum::bool(is_in(x.as_i64().cmp(&y.as_i64()), mask));
                    set!(dst, if x.is_null() || y.is_null() { Datum::NULL } else { is })
                }
                Op::CompareIntK { mask, dst, a, k } => {
                    let x = get!(a);
                    set!(dst, if x.is_null() { Datum::NULL } else { Datum::bool(is_in(x.as_i64().cmp(&k), mask)) })
                }
                Op::And { dst, a, b } => set!(dst, and(get!(a), get!(b))),
                Op::Or { dst, a, b } => set!(dst, or(get!(a), get!(b))),
                Op::Not { dst, a } => set!(dst, not(get!(a))),
                Op::IsNull { null, dst, a } => set!(dst, Datum::bool(get!(a).is_null() == null)),
                Op::Coalesce { dst, a, b } => {
                    let from = if get!(a).is_null() { b } else { a };
                    set!(dst, get!(from))
                }
                Op::CoalesceK { dst, a, index } => {
                    let x = get!(a);
                    set!(dst, if x.is_null() { self.pool.constants[index as usize] } else { x })
                }
                Op::IntToFloat { dst, a } => {
                    let x = get!(a);
                    set!(dst, if x.is_null() { x } else { Datum::float(x.as_i64() as f64) })
                }
                Op::IntToDecimal { dst, a } => {
                    let x = get!(a);
                    set!(dst, if x.is_null() { x } else { Datum::decimal(Decimal::from_i64(x.as_i64())) })
                }
                Op::Narrow { width, dst, a } => {
                    let x = get!(a);
                    let (v, unused) = (x.as_i64(), 64 - (8u32 << width));
                    if v << unused >> unused != v && !x.is_null() {
                        return fail(arithmetic::overflow(integer_of(width)));
                    }
                    set!(dst, x)
                }
                Op::Jump { target } => jump_if!(true, target),
                Op::JumpNull { null, a, target } => jump_if!(get!(a).is_null() == null, target),
                Op::JumpBool { mask, a, target } => {
                    let x = get!(a);
                    let outcome = if x.is_null() { 3 } else { x.lo as u8 & 1 };
                    jump_if!(mask >> outcome & 1 != 0, target)
                }
                Op::JumpInt { mask, a, b, target } => {
                    let (x, y) = (get!(a), get!(b));
                    let outcome = if x.is_null() || y.is_null() { 3 } else { x.as_i64().cmp(&y.as_i64()) as i8 + 1 };
                    jump_if!(mask >> outcome & 1 != 0, target)
                }
                Op::JumpIntK { mask, a, target, k } => {
                    let x = get!(a);
                    let outcome = if x.is_null() { 3 } else { x.as_i64().cmp(&k) as i8 + 1 };
                    jump_if!(mask >> outcome & 1 != 0, target)
                }
                Op::JumpEqual { mask, a, b, target } => {
                    let (x, y) = (get!(a), get!(b));
                    let outcome = if x.is_null() || y.is_null() { 3 } else { frame.arena.equal(x, y) as u8 };
                    jump_if!(mask >> outcome & 1 != 0, target)
                }
                Op::JumpEqualK { mask, a, index, target } => {
                    let (x, k) = (&get!(a), &self.pool.constants[index as usize]);
                    // Only the lanes matter: the constant is not long.
                    let outcome = if x.is_null() { 3 } else { (x.lo == k.lo && x.hi == k.hi) as u8 };
                    jump_if!(mask >> outcome & 1 != 0, target)
                }
                Op::JumpCompare { mask, family, a, b, target } => {
                    let outcome = compare_outcome(family, &get!(a), &get!(b), &frame.arena);
                    jump_if!(mask >> outcome & 1 != 0, target)
                }
                Op::JumpCompareK { mask, family, a, index, target } => {
                    let k = &self.pool.constants[index as usize];
                    let outcome = compare_outcome(family, &get!(a), k, &frame.arena);
                    jump_if!(mask >> outcome & 1 != 0, target)
                }
                Op::Now { dst } => set!(dst, Datum::int(host.now())),
                Op::Subquery { index } => {
                    host.subquery(index as usize, frame)?;
                    regs = &mut frame.regs[..];
                }
                ref other => {
                    if let Err(error) = self.run_long(other, frame) {
                        return fail(error);
                    }
                    regs = &mut frame.regs[..];
                }
            }
        }
        Ok(true)
    }

    /// An operation that takes longer than a call.
    #[inline(never)]
    fn run_long(&self, op: &Op, frame: &mut Frame) -> Result<(), EvalError> {
        let pool = &self.pool;
        let arena = &mut frame.arena;
        let regs = &frame.regs;
        let get = |reg: Reg| regs[reg as usize];
        let (dst, datum) = match *op {
            Op::ConstText { dst, index } => (dst, arena.store(&pool.texts[index as usize])),
            Op::DivideInt { dst, a, b } => (dst, arithmetic::apply(Arithmetic::Divide, Family::Int, get(a), get(b))?),
            Op::ModuloInt { dst, a, b } => (dst, arithmetic::apply(Arithmetic::Modulo, Family::Int, get(a), get(b))?),
            Op::Arithmetic { op, family, dst, a, b } => (dst, arithmetic::apply(op, family, get(a), get(b))?),
            Op::Negate { family, dst, a } => (dst, arithmetic::negate(family, get(a))?),
            Op::Compare { mask, family, dst, a, b } => {
                let outcome = compare_outcome(family, &get(a), &get(b), arena);
                (dst, if outcome == 3 { Datum::NULL } else { Datum::bool(mask >> outcome & 1 != 0) })
            }
            Op::Distinct { equal, family, dst, a, b } => {
                let (x, y) = (get(a), get(b));
                let same = match (x.is_null(), y.is_null()) {
                    (false, false) => compare_known(family, x, y, arena).is_eq(),
                    (x_null, y_null) => x_null == y_null,
                };
                (dst, Datum::bool(same == equal))
            }
            Op::Cast { dst, a, index } => {
                let (from, to) = pool.casts[index as usize];
                (dst, cast_datum(get(a), from, to, arena)?)
            }
            Op::InSet { dst, a, index } => (dst, pool.sets[index as usize].contains(get(a), arena)),
            Op::LikeK { dst, a, .. } if get(a).is_null() => (dst, Datum::NULL),
            Op::LikeK { dst, a, index } => {
                let mut scratch = [0; 16];
                let text = text_of(arena.bytes(get(a), &mut scratch));
                (dst, Datum::bool(pool.patterns[index as usize].matches(text)))
            }
            Op::Like { case_insensitive, dst, a, b, escape } => {
                (dst, like(get(a), get(b), escape, case_insensitive, arena)?)
            }
            Op::StartsWith { dst, a, b } => (dst, starts_with(get(a), get(b), arena)),
            Op::Call { function, family, dst, first, count } => {
                let arguments = &regs[first as usize..first as usize + count as usize];
                (dst, function.call(family, arguments, arena)?)
            }
            other => unreachable!("{other:?} is run in the loop"),
        };
        frame.set(dst, datum);
        Ok(())
    }
}

/// Less, equal, greater, a NULL among them: 0 to 3.
#[inline(never)]
fn compare_outcome(family: Family, a: &Datum, b: &Datum, arena: &Arena) -> u8 {
    if a.is_null() || b.is_null() { 3 } else { (compare_known(family, *a, *b, arena) as i8 + 1) as u8 }
}

#[cold]
#[inline(never)]
fn fail<E: From<EvalError>>(error: EvalError) -> Result<bool, E> {
    Err(error.into())
}

/// Not finite if there is no result: division by zero also is.
#[inline(always)]
fn float(op: Arithmetic, a: f64, b: f64) -> f64 {
    match op {
        Arithmetic::Add => a + b,
        Arithmetic::Subtract => a - b,
        Arithmetic::Multiply => a * b,
        Arithmetic::Divide => a / b,
        Arithmetic::Modulo => a % b,
    }
}

#[cold]
fn float_error(op: Arithmetic, b: f64) -> EvalError {
    match op {
        Arithmetic::Divide | Arithmetic::Modulo if b == 0.0 => EvalError::DivisionByZero,
        _ => arithmetic::overflow(DataType::Float),
    }
}

#[cold]
fn integer_of(width: u8) -> DataType {
    [DataType::TinyInt, DataType::SmallInt, DataType::Integer, DataType::BigInt][width as usize]
}
