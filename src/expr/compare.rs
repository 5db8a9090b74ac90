//! Order and equality of datums.

use super::expr::Comparison;
use crate::types::{Arena, DataType, Datum};
use std::cmp::Ordering;

/// How the lane of a datum is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Integers, TIMESTAMP and BOOLEAN.
    Int,
    Float,
    Decimal,
    /// VARCHAR and VARBINARY.
    Bytes,
}

impl Family {
    /// Of a type; a bare NULL counts as an integer, since its lane is never read.
    pub fn of(ty: DataType) -> Family {
        match ty {
            DataType::Float => Family::Float,
            DataType::Decimal => Family::Decimal,
            DataType::Varchar { .. } | DataType::Varbinary { .. } => Family::Bytes,
            _ => Family::Int,
        }
    }
    /// Of two operands that have one, or are NULL.
    pub fn of_pair(left: DataType, right: DataType) -> Family {
        Family::of(if left == DataType::Null { right } else { left })
    }
}

/// A set of outcomes of a comparison, one bit each. `mask >> outcome & 1` tells whether it is in.
pub type Outcomes = u8;
pub const LESS: Outcomes = 1;
pub const EQUAL: Outcomes = 2;
pub const GREATER: Outcomes = 4;
/// An operand was NULL.
pub const UNKNOWN: Outcomes = 8;
pub const ALL_KNOWN: Outcomes = LESS | EQUAL | GREATER;

/// The outcomes for which `op` is TRUE, on operands that are not NULL.
pub const fn outcomes(op: Comparison) -> Outcomes {
    match op {
        Comparison::Eq | Comparison::IsNotDistinct => EQUAL,
        Comparison::NotEq | Comparison::IsDistinct => LESS | GREATER,
        Comparison::Lt => LESS,
        Comparison::LtEq => LESS | EQUAL,
        Comparison::Gt => GREATER,
        Comparison::GtEq => GREATER | EQUAL,
    }
}

/// The same test with its operands exchanged.
pub const fn mirrored(mask: Outcomes) -> Outcomes {
    (mask & (EQUAL | UNKNOWN)) | (mask & LESS) << 2 | (mask & GREATER) >> 2
}

#[inline(always)]
pub fn is_in(ordering: Ordering, mask: Outcomes) -> bool {
    mask >> (ordering as i8 + 1) & 1 != 0
}

/// Order of two datums that are not NULL.
#[inline]
pub fn compare_known(family: Family, a: Datum, b: Datum, arena: &Arena) -> Ordering {
    match family {
        Family::Int => a.as_i64().cmp(&b.as_i64()),
        Family::Float => a.as_f64().total_cmp(&b.as_f64()),
        Family::Decimal => a.as_decimal().cmp(&b.as_decimal()),
        Family::Bytes => arena.compare(a, arena, b),
    }
}

/// The total order of keys and sorts: NULL lowest, then by value. Both datums belong to `arena`.
#[inline]
pub fn compare_datums(a: Datum, b: Datum, ty: DataType, arena: &Arena) -> Ordering {
    match (a.is_null(), b.is_null()) {
        (false, false) => compare_known(Family::of(ty), a, b, arena),
        (a_null, b_null) => b_null.cmp(&a_null),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Decimal;

    #[test]
    fn null_sorts_lowest_and_values_by_their_family() {
        let mut arena = Arena::default();
        let texts = [arena.store(b"a"), arena.store(b"a text longer than a lane"), arena.store(b"b")];
        let cases: [(DataType, Vec<Datum>); 4] = [
            (DataType::BigInt, vec![Datum::NULL, Datum::int(i64::MIN), Datum::int(-1), Datum::int(0)]),
            (DataType::Float, vec![Datum::NULL, Datum::float(-1e300), Datum::float(-0.5), Datum::float(0.0)]),
            (DataType::Decimal, vec![Datum::NULL, Datum::decimal(Decimal::MIN), Datum::decimal(Decimal::ZERO)]),
            (DataType::TEXT, [&[Datum::NULL][..], &texts].concat()),
        ];
        for (ty, sorted) in cases {
            for (i, a) in sorted.iter().enumerate() {
                for (j, b) in sorted.iter().enumerate() {
                    assert_eq!(compare_datums(*a, *b, ty, &arena), i.cmp(&j), "{ty} {i} {j}");
                }
            }
        }
    }

    #[test]
    fn a_mirrored_mask_tests_the_exchanged_operands() {
        for op in
            [Comparison::Eq, Comparison::NotEq, Comparison::Lt, Comparison::LtEq, Comparison::Gt, Comparison::GtEq]
        {
            for ordering in [Ordering::Less, Ordering::Equal, Ordering::Greater] {
                assert_eq!(is_in(ordering, outcomes(op)), is_in(ordering.reverse(), mirrored(outcomes(op))));
            }
        }
        assert_eq!(mirrored(UNKNOWN | LESS), UNKNOWN | GREATER);
    }
}
