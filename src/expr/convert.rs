//! Conversions: CAST on datums, the client's values to declared types, and the type two operands meet in.

use super::arithmetic::overflow;
use super::error::EvalError;
use crate::types::{Arena, BYTES_MAX, DataType, Datum, Decimal, DecimalError, Timestamp, Value};
use std::fmt::Write;

/// True if a CAST from `from` to `to` exists; it may still fail on a value.
pub fn castable(from: DataType, to: DataType) -> bool {
    use DataType as T;
    match (from, to) {
        (T::Null, _) => true,
        (T::Array(_), _) | (_, T::Array(_)) => from == to,
        (_, T::Varchar { .. }) => true,
        (T::Varchar { .. }, to) => to != T::Null,
        (T::Varbinary { .. }, to) => matches!(to, T::Varbinary { .. }),
        (T::Boolean, to) => to == T::Boolean || to.is_integer(),
        (T::Timestamp, to) => to == T::Timestamp || to.is_integer(),
        (from, T::Boolean) => from.is_integer(),
        (from, T::Timestamp) => from.is_numeric(),
        (_, to) => to.is_numeric(),
    }
}

/// True if each value of `from` is the same datum as a value of `to`, so that a cast has nothing to do.
pub fn is_same_datum(from: DataType, to: DataType) -> bool {
    use DataType as T;
    match (from, to) {
        (a, b) if a == b => true,
        (T::Null, _) => true,
        (T::Timestamp, T::BigInt) => true,
        (T::TinyInt | T::SmallInt | T::Integer | T::BigInt, T::Timestamp) => true,
        (T::Varchar { max: a, bytes: false }, T::Varchar { max: b, bytes: false }) => a <= b,
        (T::Varchar { .. }, T::Varchar { max: b, bytes: true }) => from.bytes_max().is_some_and(|a| a <= b),
        (T::Varchar { max: a, bytes: true }, T::Varchar { max: b, bytes: false }) => a <= b,
        (T::Varbinary { max: a }, T::Varbinary { max: b }) => a <= b,
        (a, b) => match (a.integer_range(), b.integer_range()) {
            (Some(a), Some(b)) => a.0 >= b.0 && a.1 <= b.1,
            _ => false,
        },
    }
}

/// CAST: `datum` of type `from` as a datum of type `to`. FLOAT and DECIMAL to integers truncate; text is read without the
/// blanks around it; nothing is ever cut or wrapped.
///
/// Fails with `Overflow` (22003), `BadCast` (22018) if a text does not read as `to`, `TooLong` (22026). Asserts
/// [`castable`].
pub fn cast_datum(datum: Datum, from: DataType, to: DataType, arena: &mut Arena) -> Result<Datum, EvalError> {
    if datum.is_null() || is_same_datum(from, to) {
        return Ok(datum);
    }
    match to {
        DataType::TinyInt | DataType::SmallInt | DataType::Integer | DataType::BigInt => {
            let v = to_integer(datum, from, to, arena)?;
            in_range(v, to).map(Datum::int)
        }
        DataType::Float => to_float(datum, from, arena).map(Datum::float),
        DataType::Decimal => to_decimal(datum, from, arena).map(Datum::decimal),
        DataType::Timestamp if from.is_text() => {
            read_text(datum, to, arena, |text| text.parse().ok()).map(|t: Timestamp| Datum::int(t.micros()))
        }
        DataType::Timestamp => to_integer(datum, from, to, arena).map(Datum::int),
        DataType::Boolean if from.is_text() => read_text(datum, to, arena, parse_bool).map(Datum::bool),
        DataType::Boolean => Ok(Datum::bool(datum.lo != 0)),
        DataType::Varchar { .. } => {
            let text = to_text(datum, from, arena);
            check_length(text, to, arena)
        }
        DataType::Varbinary { .. } if from.is_text() => {
            let bytes = read_text(datum, to, arena, parse_hex)?;
            let stored = arena.store(&bytes);
            check_length(stored, to, arena)
        }
        DataType::Varbinary { .. } => check_length(datum, to, arena),
        DataType::Null | DataType::Array(_) => unreachable!("a cast to {to} was bound"),
    }
}

/// `v`, if the integer type `to` holds it.
#[inline]
fn in_range(v: i64, to: DataType) -> Result<i64, EvalError> {
    match to.integer_range() {
        Some((min, max)) if v < min || v > max => Err(overflow(to)),
        _ => Ok(v),
    }
}

fn to_integer(datum: Datum, from: DataType, to: DataType, arena: &Arena) -> Result<i64, EvalError> {
    match from {
        DataType::Float => {
            let v = datum.as_f64().trunc();
            // Both bounds are exact doubles; the upper one is the first that is too large.
            if v >= -(2f64.powi(63)) && v < 2f64.powi(63) { Ok(v as i64) } else { Err(overflow(to)) }
        }
        DataType::Decimal => datum.as_decimal().to_i64().ok_or_else(|| overflow(to)),
        DataType::Varchar { .. } => {
            let v = read_text(datum, to, arena, parse_whole_part)?;
            i64::try_from(v).map_err(|_| overflow(to))
        }
        _ => Ok(datum.as_i64()),
    }
}

fn to_float(datum: Datum, from: DataType, arena: &Arena) -> Result<f64, EvalError> {
    let v = match from {
        DataType::Decimal => datum.as_decimal().to_f64(),
        DataType::Varchar { .. } => read_text(datum, DataType::Float, arena, parse_float)?,
        _ => datum.as_i64() as f64,
    };
    if v.is_finite() { Ok(v) } else { Err(overflow(DataType::Float)) }
}

fn to_decimal(datum: Datum, from: DataType, arena: &Arena) -> Result<Decimal, EvalError> {
    match from {
        DataType::Float => Decimal::from_f64(datum.as_f64()).ok_or_else(|| overflow(DataType::Decimal)),
        DataType::Varchar { .. } => {
            let outcome = read_text(datum, DataType::Decimal, arena, |text| match text.parse() {
                Err(DecimalError::Malformed) => None,
                outcome => Some(outcome),
            });
            outcome?.map_err(|_| overflow(DataType::Decimal))
        }
        _ => Ok(Decimal::from_i64(datum.as_i64())),
    }
}

/// The text of a value of any type, before any check of its length.
fn to_text(datum: Datum, from: DataType, arena: &mut Arena) -> Datum {
    let mut text = ShortText::default();
    let written = match from {
        DataType::Varchar { .. } => return datum,
        DataType::Varbinary { .. } => {
            let hex = Value::Bytes(arena.bytes(datum, &mut [0; 16]).to_vec()).to_string();
            return arena.store(hex.as_bytes());
        }
        DataType::Boolean => write!(text, "{}", datum.lo != 0),
        DataType::Float => write!(text, "{}", scientific(datum.as_f64())),
        DataType::Decimal => write!(text, "{}", datum.as_decimal()),
        DataType::Timestamp => write!(text, "{}", Timestamp::from_micros(datum.as_i64())),
        _ => write!(text, "{}", datum.as_i64()),
    };
    written.expect("no number or timestamp has more than 64 characters");
    arena.store(&text.bytes[..text.len])
}

/// A FLOAT as CAST writes it, VoltDB's way: one digit before the point, at least one after it, as many as it takes to read
/// back the same number; zero is `0E0`.
fn scientific(v: f64) -> String {
    let text = format!("{v:E}");
    match text.split_once('E') {
        Some((digits, exponent)) if v != 0.0 && !digits.contains('.') => format!("{digits}.0E{exponent}"),
        _ => text,
    }
}

/// Reads the text of a datum, without blanks around it, or fails with what it should have been.
fn read_text<T>(
    datum: Datum,
    to: DataType,
    arena: &Arena,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, EvalError> {
    let mut scratch = [0; 16];
    let text = text_of(arena.bytes(datum, &mut scratch));
    read(text.trim_ascii()).ok_or_else(|| EvalError::BadCast { text: text.to_owned(), to })
}

/// The characters of a VARCHAR. All ways into the engine check that they are UTF-8.
#[inline]
pub fn text_of(bytes: &[u8]) -> &str {
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("a VARCHAR holds bytes that are not UTF-8: {bytes:?}"),
    }
}

/// Number of characters of UTF-8 text.
#[inline]
pub fn char_count(text: &[u8]) -> usize {
    // Each character has one byte that does not continue another.
    text.iter().filter(|&&b| (b as i8) >= -0x40).count()
}

/// `datum`, if a VARCHAR(n) or VARBINARY(n) holds it.
#[inline]
pub fn check_length(datum: Datum, ty: DataType, arena: &Arena) -> Result<Datum, EvalError> {
    let (max, in_bytes) = match ty {
        DataType::Varchar { max, bytes } => (max as usize, bytes),
        DataType::Varbinary { max } => (max as usize, true),
        _ => return Ok(datum),
    };
    // No text has more characters than bytes.
    if datum.byte_len() <= max {
        return Ok(datum);
    }
    let len = if in_bytes { datum.byte_len() } else { char_count(arena.bytes(datum, &mut [0; 16])) };
    if len <= max { Ok(datum) } else { Err(EvalError::TooLong { len, ty }) }
}

fn parse_integer(text: &str) -> Option<i128> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // More digits than an i128 has are out of any range.
    Some(text.parse().unwrap_or(i128::MAX))
}

/// An integer, or any number, truncated as CAST does it.
fn parse_whole_part(text: &str) -> Option<i128> {
    parse_integer(text).or_else(|| match text.parse::<Decimal>() {
        Ok(v) => Some(v.scaled() / Decimal::ONE),
        // Past DECIMAL's range it is past every integer's; a double's sign is all that counts then.
        Err(_) => parse_float(text).map(|v| v as i128),
    })
}

/// A DECIMAL with or without an exponent, read exactly.
fn parse_decimal(text: &str) -> Option<Decimal> {
    let Some((number, exponent)) = text.split_once(['e', 'E']) else { return text.parse().ok() };
    // Past this no digit of a DECIMAL's 38 is left.
    let exponent = exponent.parse::<i32>().ok().filter(|exponent| exponent.unsigned_abs() <= 100)?;
    let (sign, number) = number.split_at(usize::from(number.starts_with(['+', '-'])));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let point = whole.len() as i32 + exponent;
    let zeros = |count: i32| "0".repeat(count.max(0) as usize);
    let digits = format!("{}{digits}{}", zeros(-point), zeros(point - digits.len() as i32));
    let (whole, fraction) = digits.split_at(point.max(0) as usize);
    format!("{sign}{whole}.{fraction}").parse().ok()
}

/// A decimal number with or without exponent; `inf` and `nan`, which the standard library reads, are none.
fn parse_float(text: &str) -> Option<f64> {
    let of_number = |b: u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
    if text.bytes().all(of_number) { text.parse().ok() } else { None }
}

fn parse_bool(text: &str) -> Option<bool> {
    let is = |words: [&str; 4]| words.iter().any(|w| text.eq_ignore_ascii_case(w));
    if is(["true", "t", "yes", "1"]) { Some(true) } else { is(["false", "f", "no", "0"]).then_some(false) }
}

/// An even number of hex digits.
fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

/// Text of a bounded length, written without an allocation.
struct ShortText {
    bytes: [u8; 64],
    len: usize,
}

impl Default for ShortText {
    fn default() -> ShortText {
        ShortText { bytes: [0; 64], len: 0 }
    }
}

impl Write for ShortText {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(std::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// A client's `value` as a value of the declared type `to`.
///
/// NULL, and the text `\N`, are NULL of any type. Text reads as a number without blanks and commas, as a TIMESTAMP in its
/// formats or as microseconds, as VARBINARY in hex digits, with or without `X'..'`. FLOAT and
/// TIMESTAMP are refused for integers, DECIMAL too unless it is whole. A scalar other than a DECIMAL becomes VARCHAR by its
/// text. Fails with `Conversion`, `ConversionOverflow` for an integer outside of the type's range, or `TooLong`.
pub fn convert_value(value: &Value, to: DataType) -> Result<Value, EvalError> {
    let refused = || EvalError::Conversion { value: value.to_string(), from: value_type(value), to };
    if matches!(value, Value::Null) || matches!(value, Value::Text(text) if text == "\\N") {
        return Ok(Value::Null);
    }
    let converted = match to {
        DataType::Null => None,
        DataType::Array(element) => array_value(value, element.data_type()),
        DataType::TinyInt | DataType::SmallInt | DataType::Integer | DataType::BigInt => {
            let v = integer_value(value).ok_or_else(refused)?;
            if in_range(v, to).is_err() {
                return Err(EvalError::ConversionOverflow { value: value.to_string(), from: value_type(value), to });
            }
            Some(Value::Int(v))
        }
        DataType::Float => float_value(value).filter(|v| v.is_finite()).map(Value::Float),
        DataType::Decimal => decimal_value(value).map(Value::Decimal),
        DataType::Timestamp => timestamp_value(value).map(Value::Timestamp),
        DataType::Boolean => match value {
            Value::Bool(v) => Some(Value::Bool(*v)),
            Value::Int(v @ (0 | 1)) => Some(Value::Bool(*v == 1)),
            Value::Text(text) => parse_bool(text.trim_ascii()).map(Value::Bool),
            _ => None,
        },
        DataType::Varchar { .. } => match value {
            Value::Text(text) => Some(Value::Text(text.clone())),
            Value::Bytes(bytes) => String::from_utf8(bytes.clone()).ok().map(Value::Text),
            // Which text a DECIMAL has, with or without the zeros at its end, is for the client to say.
            Value::Decimal(_) | Value::Array(_) => None,
            scalar => Some(Value::Text(scalar.to_string())),
        },
        DataType::Varbinary { .. } => match value {
            Value::Bytes(bytes) => Some(Value::Bytes(bytes.clone())),
            Value::Text(text) => {
                parse_hex(hex_digits(text.trim_ascii()).unwrap_or(text.trim_ascii())).map(Value::Bytes)
            }
            _ => None,
        },
    };
    let converted = converted.ok_or_else(refused)?;
    let (len, max) = match (&converted, to) {
        (Value::Text(text), DataType::Varchar { max, bytes: false }) => (char_count(text.as_bytes()), max),
        (Value::Text(text), DataType::Varchar { max, bytes: true }) => (text.len(), max),
        (Value::Bytes(bytes), DataType::Varbinary { max }) => (bytes.len(), max),
        _ => return Ok(converted),
    };
    if len <= max as usize { Ok(converted) } else { Err(EvalError::TooLong { len, ty: to }) }
}

/// A list whose every element is of the type itself: nothing is read from text in it.
fn array_value(value: &Value, element: DataType) -> Option<Value> {
    let Value::Array(values) = value else { return None };
    let fits = |value: &Value| match value {
        Value::Null => true,
        Value::Int(v) => element.integer_range().is_some_and(|(min, max)| (min..=max).contains(v)),
        Value::Float(_) => element == DataType::Float,
        Value::Decimal(_) => element == DataType::Decimal,
        Value::Timestamp(_) => element == DataType::Timestamp,
        Value::Text(_) => element.is_text(),
        Value::Bytes(_) => matches!(element, DataType::Varbinary { .. }),
        Value::Bool(_) | Value::Array(_) => false,
    };
    values.iter().all(fits).then(|| value.clone())
}

/// What is between `X'` and `'`.
fn hex_digits(text: &str) -> Option<&str> {
    text.strip_prefix(['X', 'x'])?.strip_prefix('\'')?.strip_suffix('\'')
}

fn integer_value(value: &Value) -> Option<i64> {
    match value {
        Value::Int(v) => Some(*v),
        Value::Bool(v) => Some(*v as i64),
        Value::Decimal(v) if v.is_integer() => v.to_i64(),
        Value::Text(text) => {
            let text = text.trim_ascii();
            match hex_digits(text) {
                Some(hex) if !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit()) => {
                    u64::from_str_radix(hex, 16).ok().map(|v| v as i64)
                }
                Some(_) => None,
                None => parse_integer(&text.replace(',', "")).and_then(|v| v.try_into().ok()),
            }
        }
        _ => None,
    }
}

fn float_value(value: &Value) -> Option<f64> {
    match value {
        Value::Float(v) => Some(*v),
        Value::Int(v) => Some(*v as f64),
        Value::Decimal(v) => Some(v.to_f64()),
        Value::Text(text) => parse_float(&text.trim_ascii().replace(',', "")),
        _ => None,
    }
}

fn decimal_value(value: &Value) -> Option<Decimal> {
    match value {
        Value::Decimal(v) => Some(*v),
        Value::Int(v) => Some(Decimal::from_i64(*v)),
        Value::Float(v) => Decimal::from_f64(*v),
        Value::Text(text) => parse_decimal(&text.trim_ascii().replace(',', "")),
        _ => None,
    }
}

fn timestamp_value(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Timestamp(v) => Some(*v),
        Value::Int(v) => Some(Timestamp::from_micros(*v)),
        Value::Text(text) => {
            let text = text.trim_ascii();
            let micros = || parse_integer(text).and_then(|v| v.try_into().ok()).map(Timestamp::from_micros);
            text.parse().ok().or_else(micros)
        }
        _ => None,
    }
}

fn value_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "NULL",
        Value::Bool(_) => "BOOLEAN",
        Value::Int(_) => "BIGINT",
        Value::Float(_) => "FLOAT",
        Value::Decimal(_) => "DECIMAL",
        Value::Text(_) => "VARCHAR",
        Value::Bytes(_) => "VARBINARY",
        Value::Timestamp(_) => "TIMESTAMP",
        Value::Array(_) => "an array",
    }
}

/// The type in which two operands of a comparison, CASE or UNION meet: the wider number, the longer text, anything with
/// NULL. None if nothing is implied, as for text and numbers.
pub fn common_type(a: DataType, b: DataType) -> Option<DataType> {
    use DataType as T;
    match (a, b) {
        (a, b) if a == b => Some(a),
        (T::Null, other) | (other, T::Null) => Some(other),
        (T::Float, other) | (other, T::Float) if other.is_numeric() => Some(T::Float),
        (T::Decimal, other) | (other, T::Decimal) if other.is_numeric() => Some(T::Decimal),
        (T::Varchar { max: x, bytes: p }, T::Varchar { max: y, bytes: q }) if p == q => {
            Some(T::Varchar { max: x.max(y), bytes: p })
        }
        (T::Varchar { .. }, T::Varchar { .. }) => {
            let max = a.bytes_max().max(b.bytes_max()).map_or(BYTES_MAX, |max| max.min(BYTES_MAX));
            Some(T::Varchar { max, bytes: true })
        }
        (T::Varbinary { max: x }, T::Varbinary { max: y }) => Some(T::Varbinary { max: x.max(y) }),
        (a, b) => match (a.integer_range(), b.integer_range()) {
            (Some(x), Some(y)) => Some(if x.1 >= y.1 { a } else { b }),
            _ => None,
        },
    }
}

/// True if values of the two types can be compared without an explicit CAST.
pub fn comparable(a: DataType, b: DataType) -> bool {
    common_type(a, b).is_some()
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
