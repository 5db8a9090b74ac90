//! Numbers as text for people, and where a pattern stands in a text.

use crate::expr::convert::{char_count, text_of};
use crate::expr::error::EvalError;
use crate::types::{Arena, Datum, Decimal};
use regex::Regex;
use std::cell::RefCell;

/// Most digits after the point that the functions write.
const PLACES_MAX: i64 = 11;
/// Patterns that a thread keeps compiled.
const PATTERNS_KEPT: usize = 16;

fn out_of_range(function: &'static str, problem: &'static str) -> EvalError {
    EvalError::OutOfRange { function, problem }
}

/// `x` half-even at `places`, as sign, digits before the point, and as many digits after it as `places` says.
fn rounded(function: &'static str, x: Decimal, places: i64) -> Result<(bool, String, String), EvalError> {
    let rounded = x.round(places as i32).ok_or_else(|| out_of_range(function, "the rounded number is no DECIMAL"))?;
    let scaled = rounded.scaled().unsigned_abs();
    let (whole, fraction) = (scaled / Decimal::ONE as u128, scaled % Decimal::ONE as u128);
    let fraction = format!("{fraction:012}")[..places.max(0) as usize].to_owned();
    Ok((rounded.scaled() < 0, whole.to_string(), fraction))
}

/// Groups of three digits with commas, rounded half-even at -25 to 11 places.
pub fn currency(x: Decimal, places: i64, arena: &mut Arena) -> Result<Datum, EvalError> {
    let function = "FORMAT_CURRENCY";
    if !(-25..=PLACES_MAX).contains(&places) {
        return Err(out_of_range(function, "the places must be from -25 to 11"));
    }
    let (negative, whole, fraction) = rounded(function, x, places)?;
    let mut text = String::from(if negative { "-" } else { "" });
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if !fraction.is_empty() {
        text = format!("{text}.{fraction}");
    }
    Ok(arena.store(text.as_bytes()))
}

/// At most `width` characters with `places` digits after the point, or as many stars.
pub fn str(x: Decimal, width: i64, places: i64, arena: &mut Arena) -> Result<Datum, EvalError> {
    let function = "STR";
    if !(1..=37).contains(&width) {
        return Err(out_of_range(function, "the width must be from 1 to 37"));
    }
    if !(0..=PLACES_MAX).contains(&places) {
        return Err(out_of_range(function, "the decimal places must be from 0 to 11"));
    }
    let (negative, whole, fraction) = rounded(function, x, places)?;
    let point = if fraction.is_empty() { "" } else { "." };
    let text = format!("{}{whole}{point}{fraction}", if negative { "-" } else { "" });
    let text = if text.len() > width as usize { "*".repeat(width as usize) } else { text };
    Ok(arena.store(text.as_bytes()))
}

thread_local! {
    /// The patterns that were used last, oldest first.
    static PATTERNS: RefCell<Vec<(String, Regex)>> = const { RefCell::new(Vec::new()) };
}

/// Number of the character at which a regular expression first matches, 0 if nowhere. `flags`: c for exact case, i for any.
pub fn regexp_position(s: Datum, pattern: Datum, flags: Option<Datum>, arena: &Arena) -> Result<Datum, EvalError> {
    let function = "REGEXP_POSITION";
    let (mut x, mut y, mut z) = ([0; 16], [0; 16], [0; 16]);
    let (text, pattern) = (text_of(arena.bytes(s, &mut x)), text_of(arena.bytes(pattern, &mut y)));
    let flags = flags.map_or("", |flags| text_of(arena.bytes(flags, &mut z)));
    if let Some(flag) = flags.chars().find(|flag| !matches!(flag, 'c' | 'i')) {
        return Err(EvalError::BadArgument { function, problem: format!("'{flag}' is no flag: they are c and i") });
    }
    // The last flag counts.
    let pattern = if flags.ends_with('i') { format!("(?i){pattern}") } else { pattern.to_owned() };
    PATTERNS.with_borrow_mut(|kept| {
        let at = match kept.iter().position(|(known, _)| *known == pattern) {
            Some(at) => at,
            None => {
                let compiled = Regex::new(&pattern).map_err(|error| EvalError::BadArgument {
                    function,
                    problem: format!("'{pattern}' is no regular expression: {}", last_line(&error.to_string())),
                })?;
                if kept.len() == PATTERNS_KEPT {
                    kept.remove(0);
                }
                kept.push((pattern, compiled));
                kept.len() - 1
            }
        };
        let found = kept[at].1.find(text);
        Ok(Datum::int(found.map_or(0, |found| char_count(&text.as_bytes()[..found.start()]) as i64 + 1)))
    })
}

/// What is wrong, without the drawing of where.
fn last_line(message: &str) -> &str {
    message.lines().last().unwrap_or_default().trim_start_matches("error: ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn shown(result: Result<Datum, EvalError>, arena: &Arena) -> String {
        text_of(arena.bytes(result.unwrap(), &mut [0; 16])).to_owned()
    }

    #[test]
    fn numbers_are_grouped_and_rounded_half_even() {
        let mut arena = Arena::default();
        for (number, places, text) in [
            ("1234567.891", 2, "1,234,567.89"),
            ("-1234567.895", 2, "-1,234,567.90"),
            ("0.5", 0, "0"),
            ("2.5", 0, "2"),
            ("999.999", 2, "1,000.00"),
            ("1234567.891", -3, "1,235,000"),
            ("-0.4", 0, "0"),
            ("99999999999999999999999999.99", 2, "99,999,999,999,999,999,999,999,999.99"),
        ] {
            let result = currency(d(number), places, &mut arena);
            assert_eq!(shown(result, &arena), text);
        }
        assert_eq!(currency(d("1"), 12, &mut arena).unwrap_err().sqlstate(), "22003");
        assert_eq!(currency(Decimal::MAX, 2, &mut arena).unwrap_err().sqlstate(), "22003");
    }

    #[test]
    fn numbers_that_are_too_wide_are_stars() {
        let mut arena = Arena::default();
        for (number, width, places, text) in
            [("12.345", 10, 0, "12"), ("12345.678", 4, 1, "****"), ("3.5", 10, 0, "4"), ("-7", 5, 2, "-7.00")]
        {
            let result = str(d(number), width, places, &mut arena);
            assert_eq!(shown(result, &arena), text);
        }
        for (width, places) in [(0, 0), (38, 0), (5, 12), (5, -1)] {
            assert_eq!(str(d("1"), width, places, &mut arena).unwrap_err().sqlstate(), "22003");
        }
    }

    #[test]
    fn patterns_are_found_by_character() {
        let mut arena = Arena::default();
        let mut at = |text: &str, pattern: &str, flags: Option<&str>| {
            let (s, p) = (arena.store(text.as_bytes()), arena.store(pattern.as_bytes()));
            let flags = flags.map(|flags| arena.store(flags.as_bytes()));
            regexp_position(s, p, flags, &arena)
        };
        assert_eq!(at("日本語", "語", None), Ok(Datum::int(3)));
        assert_eq!(at("abc", "C", None), Ok(Datum::int(0)));
        assert_eq!(at("abc", "C", Some("i")), Ok(Datum::int(3)));
        assert_eq!(at("abc", "(", None).unwrap_err().sqlstate(), "22023");
        assert_eq!(at("abc", "a", Some("x")).unwrap_err().sqlstate(), "22023");
    }
}
