//! Literals to values.

use crate::sql::{Span, SqlError};
use crate::types::{Decimal, Timestamp, TimestampError, Value};

/// A number as written, with a minus before it where `negative`: digits only give `Int`, or `Decimal` if they don't fit;
/// a point `Decimal`; an exponent `Float`.
pub fn number(text: &str, negative: bool, span: Span) -> Result<Value, SqlError> {
    let signed = if negative { format!("-{text}") } else { text.to_owned() };
    if text.contains(['e', 'E']) {
        return match signed.parse::<f64>() {
            Ok(v) if v.is_finite() => Ok(Value::Float(v)),
            _ => Err(SqlError::new(format!("{signed} is out of the range of FLOAT"), span)),
        };
    }
    if !text.contains('.')
        && let Ok(v) = signed.parse::<i64>()
    {
        return Ok(Value::Int(v));
    }
    decimal(text).map(|v| Value::Decimal(Decimal::from_scaled(if negative { -v } else { v }))).ok_or_else(|| {
        SqlError::new(format!("{signed} is out of range: DECIMAL has at most 26 digits before the point"), span)
    })
}

/// Digits with or without a point, scaled by 10^12, rounded half up; None if out of range.
fn decimal(text: &str) -> Option<i128> {
    const WHOLE_DIGITS_MAX: usize = 26;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole = whole.trim_start_matches('0');
    if whole.len() > WHOLE_DIGITS_MAX {
        return None;
    }
    let scale = Decimal::SCALE as usize;
    let kept = &fraction[..fraction.len().min(scale)];
    let digits = format!("0{whole}{kept:0<scale$}");
    let rounds_up = fraction.as_bytes().get(scale).is_some_and(|d| *d >= b'5');
    let scaled = digits.parse::<i128>().ok()? + i128::from(rounds_up);
    (scaled < 10_i128.pow(WHOLE_DIGITS_MAX as u32) * Decimal::ONE).then_some(scaled)
}

/// The digits of X'..'.
pub fn bytes(digits: &str, span: Span) -> Result<Value, SqlError> {
    let digit = |b: u8| (b as char).to_digit(16);
    if !digits.len().is_multiple_of(2) {
        return Err(SqlError::new("a hex literal needs an even number of digits, two for each byte", span));
    }
    let bytes: Option<Vec<u8>> =
        digits.as_bytes().chunks(2).map(|pair| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8)).collect();
    bytes.map(Value::Bytes).ok_or_else(|| SqlError::new("a hex literal has the digits 0 to 9 and A to F only", span))
}

/// The text of TIMESTAMP '..': `YYYY-MM-DD`, with ` HH:MM:SS` and up to six digits of a fraction where wanted.
pub fn timestamp(text: &str, span: Span) -> Result<Value, SqlError> {
    micros(text.trim())
        .map(|micros| Value::Timestamp(Timestamp::from_micros(micros)))
        .ok_or_else(|| SqlError::new(format!("'{text}' is {TimestampError}"), span))
}

fn micros(text: &str) -> Option<i64> {
    let (date, time) = match text.split_once([' ', 'T']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let [year, month, day] = fields(date, '-', [4, 2, 2])?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let month_days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=month_days).contains(&day) {
        return None;
    }
    let of_day = time.map_or(Some(0), time_micros)?;
    Some(days_from_epoch(year, month, day) * 86_400_000_000 + of_day)
}

fn time_micros(time: &str) -> Option<i64> {
    let (clock, fraction) = match time.split_once('.') {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (time, None),
    };
    let [hour, minute, second] = fields(clock, ':', [2, 2, 2])?;
    let fraction = match fraction {
        None => 0,
        Some(digits) if (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{digits:0<6}").parse().ok()?
        }
        Some(_) => return None,
    };
    let in_range = hour < 24 && minute < 60 && second < 60;
    in_range.then_some(((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction)
}

/// Three numbers of exactly these many digits.
fn fields(text: &str, separator: char, widths: [usize; 3]) -> Option<[i64; 3]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; 3];
    for (number, width) in numbers.iter_mut().zip(widths) {
        let part = parts.next()?;
        if part.len() != width || !part.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

/// Days from 1970-01-01 in the Gregorian calendar: years are counted from March, so that the leap day comes last.
fn days_from_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_get_the_type_that_their_form_says() {
        let of = |text| number(text, false, Span::NONE).unwrap();
        assert_eq!(of("42"), Value::Int(42));
        assert_eq!(number("9223372036854775808", true, Span::NONE), Ok(Value::Int(i64::MIN)));
        assert_eq!(of("9223372036854775808"), Value::Decimal(Decimal::from_scaled(9223372036854775808 * Decimal::ONE)));
        assert_eq!(of("1.50"), Value::Decimal(Decimal::from_scaled(1_500_000_000_000)));
        assert_eq!(of(".0000000000015"), Value::Decimal(Decimal::from_scaled(2)));
        assert_eq!(of("1e3"), Value::Float(1000.0));
        assert!(number("1e999", false, Span::NONE).is_err());
        assert!(number(&"9".repeat(27), false, Span::NONE).is_err());
        assert!(number(&format!("{}.9999999999999", "9".repeat(26)), false, Span::NONE).is_err());
    }

    #[test]
    fn timestamps_are_microseconds_from_1970() {
        let of = |text| micros(text);
        assert_eq!(of("1970-01-01"), Some(0));
        assert_eq!(of("2000-02-29 12:34:56.5"), Some(951_827_696_500_000));
        assert_eq!(of("1583-01-01"), Some(-12_212_553_600_000_000));
        assert_eq!(of("9999-12-31 23:59:59.999999"), Some(253_402_300_799_999_999));
        for bad in
            ["2001-02-29", "99-01-01", "2001-1-1", "2001-01-01 1:00:00", "2001-01-01 00:00:00.", "2001-13-01", ""]
        {
            assert_eq!(of(bad), None, "{bad}");
        }
    }

    #[test]
    fn hex_digits_come_in_pairs() {
        assert_eq!(bytes("0fA0", Span::NONE), Ok(Value::Bytes(vec![15, 160])));
        assert!(bytes("0", Span::NONE).is_err());
        assert!(bytes("zz", Span::NONE).is_err());
    }
}
