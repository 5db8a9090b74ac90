//! The compiled form of an expression: a flat list of operations on registers, and the loop that runs it.
//!
//! An operation names its registers by index and its family of types by its own kind, so the loop neither looks at types
//! nor follows pointers to operands. `compile` makes these; what they mean, `eval` says.

use super::arithmetic;
use super::compare::{Family, Outcomes, compare_known, is_in};
use super::convert::{cast_datum, text_of};
use super::error::EvalError;
use super::expr::Arithmetic;
use super::function::Function;
use super::host::Host;
use super::in_set::InSet;
use super::like::LikePattern;
use crate::types::{DataType, Datum, Decimal, Frame, Reg};

/// Where a jump goes that ends a condition as not true.
pub const NOT_TRUE: u32 = u32::MAX;

/// One operation. `k` is a constant operand, `target` the index of the operation to go on with. Results are NULL if an
/// operand is, unless said otherwise. The outcomes of a jump's test include what NULL does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    Move {
        dst: Reg,
        src: Reg,
    },
    ConstInt {
        dst: Reg,
        k: i64,
    },
    /// `constants[index]`
    Const {
        dst: Reg,
        index: u32,
    },
    /// `texts[index]`, stored to the frame's arena.
    ConstText {
        dst: Reg,
        index: u32,
    },
    AddInt {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    SubtractInt {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    MultiplyInt {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    DivideInt {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    ModuloInt {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    AddIntK {
        dst: Reg,
        a: Reg,
        k: i64,
    },
    MultiplyIntK {
        dst: Reg,
        a: Reg,
        k: i64,
    },
    /// `k` is neither 0 nor -1.
    DivideIntK {
        dst: Reg,
        a: Reg,
        k: i64,
    },
    ModuloIntK {
        dst: Reg,
        a: Reg,
        k: i64,
    },
    AddDecimal {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    SubtractDecimal {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// The rest of FLOAT's and DECIMAL's arithmetic.
    Arithmetic {
        op: Arithmetic,
        family: Family,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Negate {
        family: Family,
        dst: Reg,
        a: Reg,
    },
    CompareInt {
        mask: Outcomes,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    CompareIntK {
        mask: Outcomes,
        dst: Reg,
        a: Reg,
        k: i64,
    },
    Compare {
        mask: Outcomes,
        family: Family,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// IS [NOT] DISTINCT FROM: `equal` is what two equal operands, or two NULLs, give.
    Distinct {
        equal: bool,
        family: Family,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    And {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Or {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Not {
        dst: Reg,
        a: Reg,
    },
    /// TRUE if `a` being NULL is `null`.
    IsNull {
        null: bool,
        dst: Reg,
        a: Reg,
    },
    /// `a`, or `b` where that is NULL.
    Coalesce {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    CoalesceK {
        dst: Reg,
        a: Reg,
        index: u32,
    },
    IntToFloat {
        dst: Reg,
        a: Reg,
    },
    IntToDecimal {
        dst: Reg,
        a: Reg,
    },
    /// Fails if `a` is out of the range of the integer type of `8 << width` bits.
    Narrow {
        width: u8,
        dst: Reg,
        a: Reg,
    },
    /// `casts[index]`
    Cast {
        dst: Reg,
        a: Reg,
        index: u32,
    },
    /// `sets[index]`
    InSet {
        dst: Reg,
        a: Reg,
        index: u32,
    },
    /// `patterns[index]`
    LikeK {
        dst: Reg,
        a: Reg,
        index: u32,
    },
    Like {
        case_insensitive: bool,
        dst: Reg,
        a: Reg,
        b: Reg,
        escape: Option<char>,
    },
    StartsWith {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// `count` arguments from register `first` on.
    Call {
        function: Function,
        family: Family,
        dst: Reg,
        first: Reg,
        count: u16,
    },
    Now {
        dst: Reg,
    },
    Subquery {
        index: u32,
    },
    Jump {
        target: u32,
    },
    /// If `a` being NULL is `null`.
    JumpNull {
        null: bool,
        a: Reg,
        target: u32,
    },
    /// FALSE is `LESS` here, TRUE `EQUAL`: its order to TRUE.
    JumpBool {
        mask: Outcomes,
        a: Reg,
        target: u32,
    },
    JumpInt {
        mask: Outcomes,
        a: Reg,
        b: Reg,
        target: u32,
    },
    JumpIntK {
        mask: Outcomes,
        a: Reg,
        target: u32,
        k: i64,
    },
    JumpCompare {
        mask: Outcomes,
        family: Family,
        a: Reg,
        b: Reg,
        target: u32,
    },
    /// `a` against `constants[index]`.
    JumpCompareK {
        mask: Outcomes,
        family: Family,
        a: Reg,
        index: u32,
        target: u32,
    },
}

/// A bound expression made ready to run. Immutable; may be run by many at once, each on a frame of its own.
#[derive(Clone, Debug)]
pub struct CompiledExpr {
    pub(super) ops: Vec<Op>,
    pub(super) result: Reg,
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
        if self.ops.is_empty() && !self.condition {
            return Ok(frame.get(self.result));
        }
        let end = self.run(frame, host)?;
        Ok(if self.condition { Datum::bool(end != NOT_TRUE as usize) } else { frame.get(self.result) })
    }

    /// True if the value is TRUE: FALSE and NULL are not.
    #[inline]
    pub fn is_true<H: Host>(&self, frame: &mut Frame, host: &mut H) -> Result<bool, H::Error> {
        let end = self.run(frame, host)?;
        Ok(if self.condition { end != NOT_TRUE as usize } else { frame.get(self.result).is_true() })
    }

    /// The register that holds the value after a run.
    pub fn result(&self) -> Reg {
        self.result
    }

    /// The register that is the whole expression, if it is nothing but one.
    pub fn as_reg(&self) -> Option<Reg> {
        (self.ops.is_empty() && !self.condition).then_some(self.result)
    }

    /// Number of operations.
    pub fn op_count(&self) -> usize {
        self.ops.len()
    }

    /// Runs to the end; gives where it ended: behind the last operation, or at [`NOT_TRUE`].
    fn run<H: Host>(&self, frame: &mut Frame, host: &mut H) -> Result<usize, H::Error> {
        let ops = &self.ops[..];
        let pool = &self.pool;
        // Only a subquery may touch the frame's registers behind our back; the slice is taken anew after one.
        let mut regs = &mut frame.regs[..];
        let mut pc = 0;
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
        // A checked integer operation; NULL if an operand is.
        macro_rules! int {
            ($dst:expr, $a:expr, $b:expr, $method:ident) => {{
                let (x, y) = (get!($a), get!($b));
                if x.null || y.null {
                    set!($dst, Datum::NULL)
                } else {
                    match x.as_i64().$method(y.as_i64()) {
                        Some(v) => set!($dst, Datum::int(v)),
                        None => return Err(arithmetic::overflow(DataType::BigInt).into()),
                    }
                }
            }};
        }
        macro_rules! int_k {
            ($dst:expr, $a:expr, $k:expr, $method:ident) => {{
                let x = get!($a);
                if x.null {
                    set!($dst, Datum::NULL)
                } else {
                    match x.as_i64().$method($k) {
                        Some(v) => set!($dst, Datum::int(v)),
                        None => return Err(arithmetic::overflow(DataType::BigInt).into()),
                    }
                }
            }};
        }
        macro_rules! decimal {
            ($dst:expr, $a:expr, $b:expr, $method:ident) => {{
                let (x, y) = (get!($a), get!($b));
                if x.null || y.null {
                    set!($dst, Datum::NULL)
                } else {
                    match x.as_decimal().$method(y.as_decimal()) {
                        Some(v) => set!($dst, Datum::decimal(v)),
                        None => return Err(arithmetic::overflow(DataType::Decimal).into()),
                    }
                }
            }};
        }
        macro_rules! jump_if {
            ($condition:expr, $target:expr) => {
                if $condition {
                    pc = $target as usize;
                }
            };
        }
        while let Some(op) = ops.get(pc) {
            pc += 1;
            match *op {
                Op::Move { dst, src } => set!(dst, get!(src)),
                Op::ConstInt { dst, k } => set!(dst, Datum::int(k)),
                Op::Const { dst, index } => set!(dst, pool.constants[index as usize]),
                Op::ConstText { dst, index } => set!(dst, frame.arena.store(&pool.texts[index as usize])),
                Op::AddInt { dst, a, b } => int!(dst, a, b, checked_add),
                Op::SubtractInt { dst, a, b } => int!(dst, a, b, checked_sub),
                Op::MultiplyInt { dst, a, b } => int!(dst, a, b, checked_mul),
                Op::DivideInt { dst, a, b } => {
                    set!(dst, int_division(Arithmetic::Divide, get!(a), get!(b))?)
                }
                Op::ModuloInt { dst, a, b } => {
                    set!(dst, int_division(Arithmetic::Modulo, get!(a), get!(b))?)
                }
                Op::AddIntK { dst, a, k } => int_k!(dst, a, k, checked_add),
                Op::MultiplyIntK { dst, a, k } => int_k!(dst, a, k, checked_mul),
                Op::DivideIntK { dst, a, k } => int_k!(dst, a, k, checked_div),
                Op::ModuloIntK { dst, a, k } => int_k!(dst, a, k, checked_rem),
                Op::AddDecimal { dst, a, b } => decimal!(dst, a, b, checked_add),
                Op::SubtractDecimal { dst, a, b } => decimal!(dst, a, b, checked_sub),
                Op::Arithmetic { op, family, dst, a, b } => set!(dst, arithmetic::apply(op, family, get!(a), get!(b))?),
                Op::Negate { family, dst, a } => set!(dst, arithmetic::negate(family, get!(a))?),
                Op::CompareInt { mask, dst, a, b } => {
                    let (x, y) = (get!(a), get!(b));
                    let is = Datum::bool(is_in(x.as_i64().cmp(&y.as_i64()), mask));
                    set!(dst, if x.null || y.null { Datum::NULL } else { is })
                }
                Op::CompareIntK { mask, dst, a, k } => {
                    let x = get!(a);
                    set!(dst, if x.null { Datum::NULL } else { Datum::bool(is_in(x.as_i64().cmp(&k), mask)) })
                }
                Op::Compare { mask, family, dst, a, b } => {
                    let (x, y) = (get!(a), get!(b));
                    let is = if x.null || y.null {
                        Datum::NULL
                    } else {
                        Datum::bool(is_in(compare_known(family, x, y, &frame.arena), mask))
                    };
                    set!(dst, is)
                }
                Op::Distinct { equal, family, dst, a, b } => {
                    let (x, y) = (get!(a), get!(b));
                    let same = match (x.null, y.null) {
                        (false, false) => compare_known(family, x, y, &frame.arena).is_eq(),
                        (x_null, y_null) => x_null == y_null,
                    };
                    set!(dst, Datum::bool(same == equal))
                }
                Op::And { dst, a, b } => set!(dst, and(get!(a), get!(b))),
                Op::Or { dst, a, b } => set!(dst, or(get!(a), get!(b))),
                Op::Not { dst, a } => set!(dst, not(get!(a))),
                Op::IsNull { null, dst, a } => set!(dst, Datum::bool(get!(a).null == null)),
                Op::Coalesce { dst, a, b } => {
                    let x = get!(a);
                    set!(dst, if x.null { get!(b) } else { x })
                }
                Op::CoalesceK { dst, a, index } => {
                    let x = get!(a);
                    set!(dst, if x.null { pool.constants[index as usize] } else { x })
                }
                Op::IntToFloat { dst, a } => {
                    let x = get!(a);
                    set!(dst, if x.null { x } else { Datum::float(x.as_i64() as f64) })
                }
                Op::IntToDecimal { dst, a } => {
                    let x = get!(a);
                    set!(dst, if x.null { x } else { Datum::decimal(Decimal::from_i64(x.as_i64())) })
                }
                Op::Narrow { width, dst, a } => {
                    let x = get!(a);
                    if x.null {
                        set!(dst, x)
                    } else {
                        let (v, unused) = (x.as_i64(), 64 - (8u32 << width));
                        if v << unused >> unused != v {
                            return Err(arithmetic::overflow(integer_of(width)).into());
                        }
                        set!(dst, x)
                    }
                }
                Op::Cast { dst, a, index } => {
                    let (from, to) = pool.casts[index as usize];
                    set!(dst, cast_datum(get!(a), from, to, &mut frame.arena)?)
                }
                Op::InSet { dst, a, index } => {
                    set!(dst, pool.sets[index as usize].contains(get!(a), &frame.arena))
                }
                Op::LikeK { dst, a, index } => {
                    let x = get!(a);
                    if x.null {
                        set!(dst, x)
                    } else {
                        let mut scratch = [0; 16];
                        let text = text_of(frame.arena.bytes(x, &mut scratch));
                        set!(dst, Datum::bool(pool.patterns[index as usize].matches(text)))
                    }
                }
                Op::Like { case_insensitive, dst, a, b, escape } => {
                    set!(dst, like(get!(a), get!(b), escape, case_insensitive, &frame.arena)?)
                }
                Op::StartsWith { dst, a, b } => set!(dst, starts_with(get!(a), get!(b), &frame.arena)),
                Op::Call { function, family, dst, first, count } => {
                    let arguments = &regs[first as usize..first as usize + count as usize];
                    set!(dst, function.call(family, arguments, &mut frame.arena)?)
                }
                Op::Now { dst } => set!(dst, Datum::int(host.now())),
                Op::Subquery { index } => {
                    host.subquery(index as usize, frame)?;
                    regs = &mut frame.regs[..];
                }
                Op::Jump { target } => pc = target as usize,
                Op::JumpNull { null, a, target } => jump_if!(get!(a).null == null, target),
                Op::JumpBool { mask, a, target } => {
                    let x = get!(a);
                    let outcome = if x.null { 3 } else { x.lo as u8 & 1 };
                    jump_if!(mask >> outcome & 1 != 0, target)
                }
                Op::JumpInt { mask, a, b, target } => {
                    let (x, y) = (get!(a), get!(b));
                    let outcome = if x.null || y.null { 3 } else { x.as_i64().cmp(&y.as_i64()) as i8 + 1 };
                    jump_if!(mask >> outcome & 1 != 0, target)
                }
                Op::JumpIntK { mask, a, target, k } => {
                    let x = get!(a);
                    let outcome = if x.null { 3 } else { x.as_i64().cmp(&k) as i8 + 1 };
                    jump_if!(mask >> outcome & 1 != 0, target)
                }
                Op::JumpCompare { mask, family, a, b, target } => {
                    let (x, y) = (get!(a), get!(b));
                    let outcome =
                        if x.null || y.null { 3 } else { compare_known(family, x, y, &frame.arena) as i8 + 1 };
                    jump_if!(mask >> outcome & 1 != 0, target)
                }
                Op::JumpCompareK { mask, family, a, index, target } => {
                    let (x, y) = (get!(a), pool.constants[index as usize]);
                    let outcome = if x.null { 3 } else { compare_known(family, x, y, &frame.arena) as i8 + 1 };
                    jump_if!(mask >> outcome & 1 != 0, target)
                }
            }
        }
        Ok(pc)
    }
}

#[inline]
fn int_division(op: Arithmetic, a: Datum, b: Datum) -> Result<Datum, EvalError> {
    if a.null || b.null { Ok(Datum::NULL) } else { arithmetic::int(op, a.as_i64(), b.as_i64()).map(Datum::int) }
}

#[cold]
fn integer_of(width: u8) -> DataType {
    [DataType::TinyInt, DataType::SmallInt, DataType::Integer, DataType::BigInt][width as usize]
}

/// FALSE if one is FALSE, else NULL if one is NULL.
#[inline(always)]
pub fn and(a: Datum, b: Datum) -> Datum {
    let is_false = |d: Datum| !d.null && d.lo == 0;
    if is_false(a) || is_false(b) {
        Datum::FALSE
    } else if a.null || b.null {
        Datum::NULL
    } else {
        Datum::TRUE
    }
}

/// TRUE if one is TRUE, else NULL if one is NULL.
#[inline(always)]
pub fn or(a: Datum, b: Datum) -> Datum {
    if a.is_true() || b.is_true() {
        Datum::TRUE
    } else if a.null || b.null {
        Datum::NULL
    } else {
        Datum::FALSE
    }
}

#[inline(always)]
pub fn not(a: Datum) -> Datum {
    if a.null { a } else { Datum::bool(a.lo == 0) }
}

/// LIKE with a pattern that is only known now.
pub fn like(
    text: Datum,
    pattern: Datum,
    escape: Option<char>,
    case_insensitive: bool,
    arena: &crate::types::Arena,
) -> Result<Datum, EvalError> {
    if text.null || pattern.null {
        return Ok(Datum::NULL);
    }
    let (mut x, mut y) = ([0; 16], [0; 16]);
    let pattern = LikePattern::new(text_of(arena.bytes(pattern, &mut y)), escape, case_insensitive)?;
    Ok(Datum::bool(pattern.matches(text_of(arena.bytes(text, &mut x)))))
}

/// True if `text` starts with the bytes of `prefix`.
pub fn starts_with(text: Datum, prefix: Datum, arena: &crate::types::Arena) -> Datum {
    if text.null || prefix.null {
        return Datum::NULL;
    }
    let (mut x, mut y) = ([0; 16], [0; 16]);
    Datum::bool(arena.bytes(text, &mut x).starts_with(arena.bytes(prefix, &mut y)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_takes_sixteen_bytes() {
        assert_eq!(size_of::<Op>(), 16);
    }

    #[test]
    fn logic_is_three_valued() {
        let all = [Datum::FALSE, Datum::NULL, Datum::TRUE];
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                // FALSE < NULL < TRUE: AND is the least, OR the greatest.
                assert_eq!(and(*a, *b), all[i.min(j)]);
                assert_eq!(or(*a, *b), all[i.max(j)]);
            }
            assert_eq!(not(*a), all[2 - i]);
        }
    }
}
