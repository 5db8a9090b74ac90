//! The operations of a compiled expression.

use super::compare::{Family, Outcomes};
use super::expr::Arithmetic;
use super::function::Function;
use crate::types::Reg;

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
    FloatArithmetic {
        op: Arithmetic,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// The rest of DECIMAL's arithmetic.
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
    /// Equality of two values of any family: unequal ones are `LESS`.
    JumpEqual {
        mask: Outcomes,
        a: Reg,
        b: Reg,
        target: u32,
    },
    /// `a` against `constants[index]`, which is not NULL.
    JumpEqualK {
        mask: Outcomes,
        a: Reg,
        index: u32,
        target: u32,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_takes_sixteen_bytes() {
        assert_eq!(size_of::<Op>(), 16);
    }
}
