//! String functions. Positions and lengths count characters from 1; results are at most 1 MB.

use crate::expr::convert::{char_count, text_of};
use crate::expr::error::EvalError;
use crate::types::{Arena, BYTES_MAX, Datum, INLINE_MAX};
use std::ops::Range;

const TOO_LONG: &str = "the result would be longer than 1048576 bytes";

/// Stores a result, unless it is too long for any VARCHAR.
fn store(function: &'static str, bytes: &[u8], arena: &mut Arena) -> Result<Datum, EvalError> {
    if bytes.len() > BYTES_MAX as usize {
        return Err(EvalError::BadLength { function, problem: TOO_LONG });
    }
    Ok(arena.store(bytes))
}

/// A part of a string, given in bytes. Shares the bytes of a long one.
fn part(of: Datum, range: Range<usize>, arena: &Arena) -> Datum {
    if of.is_long() && range.len() > INLINE_MAX {
        let (offset, _) = of.long_parts();
        return Datum::long(offset + range.start as u64, range.len() as u32);
    }
    Datum::short(&arena.bytes(of, &mut [0; 16])[range])
}

/// Where character number `n`, from 0, starts; the end if there are fewer.
fn byte_index(text: &[u8], n: usize) -> usize {
    if n >= text.len() {
        return text.len();
    }
    let mut starts = text.iter().enumerate().filter(|(_, b)| (**b as i8) >= -0x40);
    starts.nth(n).map_or(text.len(), |(at, _)| at)
}

fn clamp(n: i64) -> usize {
    usize::try_from(n).unwrap_or(0)
}

pub fn char_length(s: Datum, arena: &Arena) -> Datum {
    Datum::int(char_count(arena.bytes(s, &mut [0; 16])) as i64)
}

pub fn concat(parts: &[Datum], arena: &mut Arena) -> Result<Datum, EvalError> {
    let len: usize = parts.iter().map(|p| p.byte_len()).sum();
    if len <= INLINE_MAX {
        // The bytes of a lane begin at its low end, and its length is in its highest byte.
        let (mut lane, mut at) = ((len as u128) << 120, 0);
        for part in parts {
            lane |= ((part.hi << 8 >> 8) as u128) << 64 << at | (part.lo as u128) << at;
            at += 8 * part.byte_len() as u32;
        }
        return Ok(Datum { lo: lane as u64, hi: (lane >> 64) as u64 });
    }
    if len > BYTES_MAX as usize {
        return Err(EvalError::BadLength { function: "CONCAT", problem: TOO_LONG });
    }
    let (mut joined, mut scratch) = (Vec::with_capacity(len), [0; 16]);
    for part in parts {
        joined.extend_from_slice(arena.bytes(*part, &mut scratch));
    }
    Ok(arena.store(&joined))
}

pub fn left(s: Datum, count: i64, arena: &Arena) -> Result<Datum, EvalError> {
    if count < 0 {
        return Err(EvalError::BadLength { function: "LEFT", problem: "the count must not be negative" });
    }
    let end = byte_index(arena.bytes(s, &mut [0; 16]), clamp(count));
    Ok(part(s, 0..end, arena))
}

pub fn right(s: Datum, count: i64, arena: &Arena) -> Result<Datum, EvalError> {
    if count < 0 {
        return Err(EvalError::BadLength { function: "RIGHT", problem: "the count must not be negative" });
    }
    let mut scratch = [0; 16];
    let text = arena.bytes(s, &mut scratch);
    let start = byte_index(text, char_count(text).saturating_sub(clamp(count)));
    Ok(part(s, start..text.len(), arena))
}

/// Changes the case of those of eight ASCII bytes that are among the 26 letters from `first` on.
fn flip_letters(bytes: u64, first: u8) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // The sums reach the high bit of a byte exactly from the first letter on, and behind the last.
    let from_first = bytes + EACH * (0x80 - first) as u64;
    let after_last = bytes + EACH * (0x80 - first - 26) as u64;
    bytes ^ (from_first & !after_last & EACH << 7) >> 2
}

/// UPPER or LOWER of all of Unicode, by the root locale.
pub fn change_case(upper: bool, s: Datum, arena: &mut Arena) -> Result<Datum, EvalError> {
    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    if !s.is_long() && (s.lo | s.hi) & HIGH_BITS == 0 {
        let first = if upper { b'a' } else { b'A' };
        return Ok(Datum { lo: flip_letters(s.lo, first), hi: flip_letters(s.hi, first) });
    }
    let mut scratch = [0; 16];
    let bytes = arena.bytes(s, &mut scratch);
    let text = text_of(bytes);
    let changed = if upper { text.to_uppercase() } else { text.to_lowercase() };
    store(if upper { "UPPER" } else { "LOWER" }, changed.as_bytes(), arena)
}

/// Takes `what` off the ends asked for, as often as it stands there.
pub fn trim(
    function: &'static str,
    (leading, trailing): (bool, bool),
    s: Datum,
    what: Option<Datum>,
    arena: &Arena,
) -> Result<Datum, EvalError> {
    let (mut x, mut y) = ([0; 16], [0; 16]);
    let text = arena.bytes(s, &mut x);
    let what = what.map_or(&b" "[..], |what| arena.bytes(what, &mut y));
    if what.is_empty() {
        return Err(EvalError::OutOfRange { function, problem: "what to trim must not be empty" });
    }
    let mut range = 0..text.len();
    while leading && text[range.clone()].starts_with(what) {
        range.start += what.len();
    }
    while trailing && text[range.clone()].ends_with(what) {
        range.end -= what.len();
    }
    Ok(part(s, range, arena))
}

/// `s` with `count` characters from number `start` on replaced; as many as `with` has if there is no count.
pub fn overlay(s: Datum, with: Datum, start: i64, count: Option<i64>, arena: &mut Arena) -> Result<Datum, EvalError> {
    let function = "OVERLAY";
    if start < 1 {
        return Err(EvalError::OutOfRange { function, problem: "the start must be at least 1" });
    }
    let (mut x, mut y) = ([0; 16], [0; 16]);
    let (text, with) = (arena.bytes(s, &mut x), arena.bytes(with, &mut y));
    let count = count.unwrap_or_else(|| char_count(with) as i64);
    if count < 0 {
        return Err(EvalError::OutOfRange { function, problem: "the length must not be negative" });
    }
    let from = byte_index(text, clamp(start - 1));
    let to = from + byte_index(&text[from..], clamp(count));
    let result = [&text[..from], with, &text[to..]].concat();
    store(function, &result, arena)
}

/// Number of the character at which `needle` first stands in `haystack`; 0 if nowhere.
pub fn position(needle: Datum, haystack: Datum, arena: &Arena) -> Datum {
    let (mut x, mut y) = ([0; 16], [0; 16]);
    let haystack = text_of(arena.bytes(haystack, &mut y));
    let at = haystack.find(text_of(arena.bytes(needle, &mut x)));
    Datum::int(at.map_or(0, |at| char_count(&haystack.as_bytes()[..at]) as i64 + 1))
}

pub fn repeat(function: &'static str, s: &[u8], count: i64, arena: &mut Arena) -> Result<Datum, EvalError> {
    if count < 0 {
        return Err(EvalError::BadLength { function, problem: "the count must not be negative" });
    }
    if s.is_empty() {
        return Ok(Datum::short(b""));
    }
    if (s.len() as i64).checked_mul(count).is_none_or(|len| len > BYTES_MAX as i64) {
        return Err(EvalError::BadLength { function, problem: TOO_LONG });
    }
    Ok(arena.store(&s.repeat(clamp(count))))
}

pub fn replace(s: Datum, from: Datum, to: Datum, arena: &mut Arena) -> Result<Datum, EvalError> {
    let (mut x, mut y, mut z) = ([0; 16], [0; 16], [0; 16]);
    let (text, from) = (text_of(arena.bytes(s, &mut x)), text_of(arena.bytes(from, &mut y)));
    if from.is_empty() {
        return Ok(s);
    }
    let to = text_of(arena.bytes(to, &mut z));
    let count = text.matches(from).count();
    if count == 0 {
        return Ok(s);
    }
    // Checked first, so that no huge text is built only to be refused.
    if text.len() + count * to.len() - count * from.len() > BYTES_MAX as usize {
        return Err(EvalError::BadLength { function: "REPLACE", problem: TOO_LONG });
    }
    let replaced = text.replace(from, to);
    Ok(arena.store(replaced.as_bytes()))
}

/// `count` characters from number `start` on, as the standard has it: those before the first count too, but are not there.
pub fn substring(s: Datum, start: i64, count: Option<i64>, arena: &Arena) -> Result<Datum, EvalError> {
    if count.is_some_and(|count| count < 0) {
        return Err(EvalError::OutOfRange { function: "SUBSTRING", problem: "the length must not be negative" });
    }
    let mut scratch = [0; 16];
    let text = arena.bytes(s, &mut scratch);
    let from = byte_index(text, clamp(start.saturating_sub(1)));
    let to = match count {
        Some(count) => {
            let taken = start.saturating_add(count).max(1) - start.max(1);
            from + byte_index(&text[from..], clamp(taken))
        }
        None => text.len(),
    };
    Ok(part(s, from..to, arena))
}

/// The character of a code point.
pub fn char(code: i64, arena: &mut Arena) -> Result<Datum, EvalError> {
    let c = u32::try_from(code).ok().and_then(char::from_u32).ok_or_else(|| EvalError::BadArgument {
        function: "CHAR",
        problem: format!("{code} is no Unicode code point"),
    })?;
    Ok(arena.store(c.encode_utf8(&mut [0; 4]).as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(datum: Datum, arena: &Arena) -> String {
        text_of(arena.bytes(datum, &mut [0; 16])).to_owned()
    }

    #[test]
    fn parts_count_characters_in_short_and_long_strings() {
        let mut arena = Arena::default();
        let long = "grüße an alle, die das hier lesen";
        for (s, start, count, expected) in [
            ("äbcd", 2, Some(2), "bc"),
            ("äbcd", 0, Some(2), "ä"),
            ("äbcd", -5, Some(3), ""),
            ("äbcd", -5, None, "äbcd"),
            ("äbcd", 9, Some(1), ""),
            ("äbcd", 1, Some(i64::MAX), "äbcd"),
            ("äbcd", i64::MIN, Some(i64::MAX), ""),
            (long, 4, Some(2), "ße"),
            (long, 7, Some(20), "an alle, die das hie"),
        ] {
            let datum = arena.store(s.as_bytes());
            let part = substring(datum, start, count, &arena).unwrap();
            assert_eq!(text(part, &arena), expected, "{s} {start} {count:?}");
        }
        let datum = arena.store(long.as_bytes());
        assert_eq!(text(left(datum, 5, &arena).unwrap(), &arena), "grüße");
        assert_eq!(text(right(datum, 5, &arena).unwrap(), &arena), "lesen");
        assert_eq!(text(right(datum, 99, &arena).unwrap(), &arena), long);
        assert_eq!(left(datum, -1, &arena).unwrap_err().sqlstate(), "22026");
        assert_eq!(substring(datum, 1, Some(-1), &arena).unwrap_err().sqlstate(), "22003");
    }

    #[test]
    fn case_and_joining_of_short_strings_agree_with_the_bytes() {
        let mut arena = Arena::default();
        for c in 0..128u8 {
            let s = format!("{}{}aZ@[`{{", c as char, c as char);
            let datum = arena.store(s.as_bytes());
            for upper in [true, false] {
                let changed = change_case(upper, datum, &mut arena).unwrap();
                let expected = if upper { s.to_ascii_uppercase() } else { s.to_ascii_lowercase() };
                assert_eq!(text(changed, &arena), expected);
            }
        }
        let letters = "abcdefghijklmno";
        for (i, j) in (0..16).flat_map(|i| (i..16).map(move |j| (i, j))) {
            let parts = [&letters[..i], &letters[i..j], &letters[j..]].map(|s| arena.store(s.as_bytes()));
            let joined = concat(&parts, &mut arena).unwrap();
            assert_eq!(text(joined, &arena), letters, "{i} {j}");
        }
    }

    #[test]
    fn texts_are_joined_changed_and_searched() {
        let mut arena = Arena::default();
        let mut d = |s: &str| arena.store(s.as_bytes());
        let (a, b, e, spaced, xy) = (d("straße"), d("ss und so weiter"), d(""), d("  x  "), d("xyxyzxy"));
        let (x_y, z, ue) = (d("xy"), d("z"), d("ü"));
        let check = |result: Result<Datum, EvalError>, expected: &str, arena: &Arena| {
            assert_eq!(text(result.unwrap(), arena), expected)
        };
        let joined = concat(&[a, e, b], &mut arena);
        check(joined, "straßess und so weiter", &arena);
        check(concat(&[e, e], &mut Arena::default()), "", &arena);
        let upper = change_case(true, a, &mut arena);
        check(upper, "STRASSE", &arena);
        check(trim("TRIM", (true, true), spaced, None, &arena), "x", &arena);
        check(trim("LTRIM", (true, false), spaced, None, &arena), "x  ", &arena);
        check(trim("TRIM", (true, true), xy, Some(x_y), &arena), "z", &arena);
        assert_eq!(trim("TRIM", (true, true), xy, Some(e), &arena).unwrap_err().sqlstate(), "22003");
        let overlaid = overlay(a, z, 5, Some(1), &mut arena);
        check(overlaid, "straze", &arena);
        let appended = overlay(a, z, 50, None, &mut arena);
        check(appended, "straßez", &arena);
        let replaced = replace(xy, x_y, ue, &mut arena);
        check(replaced, "üüzü", &arena);
        assert_eq!(position(z, xy, &arena), Datum::int(5));
        assert_eq!(position(ue, xy, &arena), Datum::int(0));
        assert_eq!(position(e, xy, &arena), Datum::int(1));
        let repeated = repeat("REPEAT", b"ab", 10, &mut arena);
        check(repeated, &"ab".repeat(10), &arena);
        assert_eq!(repeat("REPEAT", b"ab", 1 << 40, &mut arena).unwrap_err().sqlstate(), "22026");
        assert_eq!(char(0xD800, &mut arena).unwrap_err().sqlstate(), "22023");
        let euro = char(0x20AC, &mut arena);
        check(euro, "€", &arena);
    }
}
