//! Checked arithmetic of the three number families.

use super::compare::Family;
use super::error::EvalError;
use super::expr::Arithmetic;
use crate::types::{DataType, Datum, Decimal};

#[cold]
pub fn overflow(ty: DataType) -> EvalError {
    EvalError::Overflow { ty }
}

/// Quotient and rest truncate towards zero.
#[inline]
pub fn int(op: Arithmetic, a: i64, b: i64) -> Result<i64, EvalError> {
    let result = match op {
        Arithmetic::Add => a.checked_add(b),
        Arithmetic::Subtract => a.checked_sub(b),
        Arithmetic::Multiply => a.checked_mul(b),
        Arithmetic::Divide | Arithmetic::Modulo if b == 0 => return Err(EvalError::DivisionByZero),
        Arithmetic::Divide => a.checked_div(b),
        // The rest by -1 is 0 for every dividend, the smallest too.
        Arithmetic::Modulo => Some(a.wrapping_rem(b)),
    };
    result.ok_or_else(|| overflow(DataType::BigInt))
}

/// The result is never NaN or infinite: that is an overflow.
#[inline]
pub fn float(op: Arithmetic, a: f64, b: f64) -> Result<f64, EvalError> {
    let result = match op {
        Arithmetic::Add => a + b,
        Arithmetic::Subtract => a - b,
        Arithmetic::Multiply => a * b,
        Arithmetic::Divide | Arithmetic::Modulo if b == 0.0 => return Err(EvalError::DivisionByZero),
        Arithmetic::Divide => a / b,
        Arithmetic::Modulo => a % b,
    };
    finite(result)
}

/// `v`, unless it is no FLOAT.
#[inline]
pub fn finite(v: f64) -> Result<f64, EvalError> {
    if v.is_finite() { Ok(v) } else { Err(overflow(DataType::Float)) }
}

/// Products and quotients are truncated at 12 places.
#[inline]
pub fn decimal(op: Arithmetic, a: Decimal, b: Decimal) -> Result<Decimal, EvalError> {
    let result = match op {
        Arithmetic::Add => a.checked_add(b),
        Arithmetic::Subtract => a.checked_sub(b),
        Arithmetic::Multiply => a.checked_mul(b),
        Arithmetic::Divide | Arithmetic::Modulo if b.scaled() == 0 => return Err(EvalError::DivisionByZero),
        Arithmetic::Divide => a.checked_div(b),
        Arithmetic::Modulo => a.checked_rem(b),
    };
    result.ok_or_else(|| overflow(DataType::Decimal))
}

/// `a op b` on datums of one number family; NULL if one is.
pub fn apply(op: Arithmetic, family: Family, a: Datum, b: Datum) -> Result<Datum, EvalError> {
    if a.is_null() || b.is_null() {
        return Ok(Datum::NULL);
    }
    match family {
        Family::Int => int(op, a.as_i64(), b.as_i64()).map(Datum::int),
        Family::Float => float(op, a.as_f64(), b.as_f64()).map(Datum::float),
        Family::Decimal => decimal(op, a.as_decimal(), b.as_decimal()).map(Datum::decimal),
        Family::Bytes => unreachable!("arithmetic on strings was bound"),
    }
}

/// `-a`; NULL if it is NULL.
pub fn negate(family: Family, a: Datum) -> Result<Datum, EvalError> {
    if a.is_null() {
        return Ok(a);
    }
    match family {
        Family::Int => a.as_i64().checked_neg().map(Datum::int).ok_or_else(|| overflow(DataType::BigInt)),
        Family::Float => Ok(Datum::float(-a.as_f64())),
        Family::Decimal => Ok(Datum::decimal(a.as_decimal().neg())),
        Family::Bytes => unreachable!("a negated string was bound"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_truncate_and_never_wrap() {
        assert_eq!(int(Arithmetic::Divide, 7, -2), Ok(-3));
        assert_eq!(int(Arithmetic::Modulo, -7, 2), Ok(-1));
        assert_eq!(int(Arithmetic::Modulo, i64::MIN, -1), Ok(0));
        assert_eq!(int(Arithmetic::Divide, 1, 0).unwrap_err().sqlstate(), "22012");
        for (op, a, b) in [
            (Arithmetic::Divide, i64::MIN, -1),
            (Arithmetic::Add, i64::MAX, 1),
            (Arithmetic::Subtract, i64::MIN, 1),
            (Arithmetic::Multiply, i64::MAX, 2),
        ] {
            assert_eq!(int(op, a, b).unwrap_err().sqlstate(), "22003", "{op:?}");
        }
    }

    #[test]
    fn floats_and_decimals_fail_rather_than_leave_their_range() {
        assert_eq!(float(Arithmetic::Multiply, 1e300, 1e300), Err(EvalError::Overflow { ty: DataType::Float }));
        assert_eq!(float(Arithmetic::Divide, 0.0, 0.0), Err(EvalError::DivisionByZero));
        assert_eq!(decimal(Arithmetic::Add, Decimal::MAX, Decimal::MAX).unwrap_err().sqlstate(), "22003");
        assert_eq!(decimal(Arithmetic::Modulo, Decimal::MAX, Decimal::ZERO), Err(EvalError::DivisionByZero));
        assert_eq!(negate(Family::Int, Datum::int(i64::MIN)).unwrap_err().sqlstate(), "22003");
        assert_eq!(negate(Family::Float, Datum::float(0.0)), Ok(Datum::float(0.0)));
    }
}
