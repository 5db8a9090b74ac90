//! Numeric and bit functions.

use crate::expr::arithmetic::{finite, overflow};
use crate::expr::compare::Family;
use crate::expr::error::EvalError;
use crate::types::{Arena, DataType, Datum, Decimal};

fn decimal(v: Option<Decimal>) -> Result<Datum, EvalError> {
    v.map(Datum::decimal).ok_or_else(|| overflow(DataType::Decimal))
}

pub fn abs(family: Family, x: Datum) -> Result<Datum, EvalError> {
    match family {
        Family::Float => Ok(Datum::float(x.as_f64().abs())),
        Family::Decimal => Ok(Datum::decimal(x.as_decimal().abs())),
        _ => x.as_i64().checked_abs().map(Datum::int).ok_or_else(|| overflow(DataType::BigInt)),
    }
}

pub fn floor(family: Family, x: Datum) -> Result<Datum, EvalError> {
    match family {
        Family::Float => Ok(Datum::float(x.as_f64().floor())),
        Family::Decimal => decimal(x.as_decimal().floor()),
        _ => Ok(x),
    }
}

pub fn ceiling(family: Family, x: Datum) -> Result<Datum, EvalError> {
    match family {
        Family::Float => Ok(Datum::float(x.as_f64().ceil())),
        Family::Decimal => decimal(x.as_decimal().ceil()),
        _ => Ok(x),
    }
}

/// -1, 0 or 1.
pub fn sign(family: Family, x: Datum) -> Datum {
    Datum::int(match family {
        Family::Float if x.as_f64() == 0.0 => 0,
        Family::Float => x.as_f64().signum() as i64,
        Family::Decimal => x.as_decimal().scaled().signum() as i64,
        _ => x.as_i64().signum(),
    })
}

/// Half-even, to at most 11 places after the point and 25 before it.
pub fn round(x: Decimal, places: i64) -> Result<Datum, EvalError> {
    if !(-25..=12).contains(&places) {
        return Err(EvalError::OutOfRange { function: "ROUND", problem: "places must be from -25 to 12" });
    }
    decimal(x.round(places as i32))
}

/// A function of FLOAT that has no value outside of its domain.
pub fn float(function: impl FnOnce(f64) -> f64, x: Datum) -> Result<Datum, EvalError> {
    finite(function(x.as_f64())).map(Datum::float)
}

pub fn power(x: Datum, y: Datum) -> Result<Datum, EvalError> {
    finite(x.as_f64().powf(y.as_f64())).map(Datum::float)
}

/// Shifts in zeros; 64 places and more leave nothing.
pub fn shift(left: bool, x: i64, places: i64) -> Result<Datum, EvalError> {
    let function = if left { "BIT_SHIFT_LEFT" } else { "BIT_SHIFT_RIGHT" };
    let Ok(places) = u64::try_from(places) else {
        return Err(EvalError::OutOfRange { function, problem: "the number of places must not be negative" });
    };
    let places = u32::try_from(places).unwrap_or(u32::MAX);
    let shifted = if left { (x as u64).checked_shl(places) } else { (x as u64).checked_shr(places) };
    Ok(Datum::int(shifted.unwrap_or(0) as i64))
}

/// The two's complement in hexadecimal or binary digits, without leading zeros.
pub fn digits(hex: bool, x: i64, arena: &mut Arena) -> Datum {
    let text = if hex { format!("{x:X}") } else { format!("{x:b}") };
    arena.store(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn results_keep_their_family() {
        assert_eq!(abs(Family::Int, Datum::int(-3)), Ok(Datum::int(3)));
        assert_eq!(abs(Family::Int, Datum::int(i64::MIN)).unwrap_err().sqlstate(), "22003");
        assert_eq!(floor(Family::Float, Datum::float(-1.5)), Ok(Datum::float(-2.0)));
        assert_eq!(ceiling(Family::Decimal, Datum::decimal(d("1.1"))), Ok(Datum::decimal(d("2"))));
        assert_eq!(sign(Family::Decimal, Datum::decimal(d("-0.1"))), Datum::int(-1));
        assert_eq!(sign(Family::Float, Datum::float(0.0)), Datum::int(0));
        assert_eq!(round(d("1.25"), 1), Ok(Datum::decimal(d("1.2"))));
        assert_eq!(round(d("1.25"), 13).unwrap_err().sqlstate(), "22003");
    }

    #[test]
    fn functions_fail_outside_of_their_domain() {
        assert_eq!(float(f64::sqrt, Datum::float(9.0)), Ok(Datum::float(3.0)));
        for result in [float(f64::sqrt, Datum::float(-1.0)), float(f64::ln, Datum::float(0.0)), {
            power(Datum::float(10.0), Datum::float(400.0))
        }] {
            assert_eq!(result.unwrap_err().sqlstate(), "22003");
        }
    }

    #[test]
    fn shifts_are_logical() {
        assert_eq!(shift(false, -1, 63), Ok(Datum::int(1)));
        assert_eq!(shift(true, 1, 63), Ok(Datum::int(i64::MIN)));
        assert_eq!(shift(true, 1, 64), Ok(Datum::int(0)));
        assert_eq!(shift(false, -1, i64::MAX), Ok(Datum::int(0)));
        assert_eq!(shift(false, 1, -1).unwrap_err().sqlstate(), "22003");
        let mut arena = Arena::default();
        assert_eq!(digits(true, -1, &mut arena).byte_len(), 16);
        assert_eq!(digits(false, 5, &mut arena), Datum::short(b"101"));
    }
}
