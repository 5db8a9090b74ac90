//! Time zones: how far a place's clocks are from UTC, from the system's time zone files.

use crate::expr::error::EvalError;
use crate::types::{civil_from_days, days_from_civil, days_in_month};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

/// Where systems keep their zone files.
const FOLDERS: [&str; 3] = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo"];
const HOURS_MAX: i64 = 18;
const DAY: i64 = 86_400;

/// The offset from UTC, in seconds, that `zone` has at `seconds` since 1970: a signed `HH`, `HH:MM` or the name of a region
/// (`Asia/Tokyo`, `UTC`, `GMT`). Abbreviations (EST) mean several zones and are refused.
pub fn offset(function: &'static str, zone: &str, seconds: i64) -> Result<i64, EvalError> {
    let name = zone.trim();
    if let Some(seconds) = fixed(name) {
        return Ok(seconds);
    }
    let region = name.contains('/')
        && !name.starts_with('/')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"/_-+".contains(&b));
    match region.then(|| table(name)).flatten() {
        Some(table) => Ok(table.offset(seconds)),
        None => Err(EvalError::BadArgument {
            function,
            problem: format!("'{zone}' is no time zone: write +HH:MM, -HH:MM, or a region such as Europe/Paris"),
        }),
    }
}

fn fixed(name: &str) -> Option<i64> {
    if ["UTC", "GMT"].iter().any(|utc| name.eq_ignore_ascii_case(utc)) {
        return Some(0);
    }
    let (sign, digits) = match name.as_bytes().first()? {
        b'+' => (1, &name[1..]),
        b'-' => (-1, &name[1..]),
        _ => return None,
    };
    let (hours, minutes) = digits.split_once(':').unwrap_or((digits, "0"));
    let number = |text: &str| {
        let digits = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse::<i64>().ok()).flatten()
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours <= HOURS_MAX && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// A zone as its file (TZif, RFC 8536) has it: the changes that were, and the rule that goes on.
struct Zone {
    /// Seconds since 1970 at which an offset begins, and the offset; ascending.
    changes: Vec<(i64, i64)>,
    /// Before the first change.
    first: i64,
    rule: Option<Rule>,
}

/// The rule after the last change: an offset, and for a part of each year another.
struct Rule {
    standard: i64,
    summer: Option<Summer>,
}

struct Summer {
    offset: i64,
    begins: Moment,
    ends: Moment,
}

/// A weekday of a week (5 is the last) of a month, and seconds of local time from its midnight.
#[derive(Clone, Copy)]
struct Moment {
    month: u32,
    week: i64,
    /// Sunday is 0.
    weekday: i64,
    time: i64,
}

impl Zone {
    fn offset(&self, seconds: i64) -> i64 {
        let at = self.changes.partition_point(|(from, _)| *from <= seconds);
        match (&self.rule, at.checked_sub(1)) {
            (Some(rule), last) if at == self.changes.len() && (last.is_some() || rule.summer.is_none()) => {
                rule.offset(seconds)
            }
            (_, Some(at)) => self.changes[at].1,
            (_, None) => self.first,
        }
    }
}

impl Rule {
    fn offset(&self, seconds: i64) -> i64 {
        let Some(summer) = &self.summer else { return self.standard };
        let year = civil_from_days((seconds + self.standard).div_euclid(DAY)).0;
        let begins = summer.begins.local(year) - self.standard;
        let ends = summer.ends.local(year) - summer.offset;
        // In the south summer lies around the new year.
        let is_summer =
            if begins < ends { (begins..ends).contains(&seconds) } else { !(ends..begins).contains(&seconds) };
        if is_summer { summer.offset } else { self.standard }
    }
}

impl Moment {
    /// Seconds since 1970 as the clocks there show them.
    fn local(self, year: i64) -> i64 {
        let first = days_from_civil(year, self.month, 1);
        // 1970-01-01 was a Thursday.
        let weekday = (first + 4).rem_euclid(7);
        let mut day = (self.weekday - weekday).rem_euclid(7) + 7 * (self.week - 1);
        if day >= i64::from(days_in_month(year, self.month)) {
            day -= 7;
        }
        (first + day) * DAY + self.time
    }
}

/// The zone of a name, read once for the whole process; None if there is no such file.
fn table(name: &str) -> Option<Arc<Zone>> {
    static KNOWN: OnceLock<Mutex<HashMap<String, Option<Arc<Zone>>>>> = OnceLock::new();
    let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // Names that no file has are not kept: anybody could make up any number of them.
    if let Some(zone) = known.get(name) {
        return zone.clone();
    }
    let bytes = FOLDERS.iter().find_map(|folder| std::fs::read(Path::new(folder).join(name)).ok())?;
    let zone = parse(&bytes).map(Arc::new);
    known.insert(name.to_owned(), zone.clone());
    zone
}

/// Reads a file of version 2 or later: a block of 32-bit numbers, the same in 64 bits, and the rule as a line.
fn parse(file: &[u8]) -> Option<Zone> {
    let counts = |at: usize| -> Option<[usize; 6]> {
        let header = file.get(at..at + 44)?;
        (header.starts_with(b"TZif") && header[4] >= b'2').then_some(())?;
        let count =
            |i: usize| u32::from_be_bytes(header[20 + 4 * i..24 + 4 * i].try_into().expect("four bytes")) as usize;
        Some([0, 1, 2, 3, 4, 5].map(count))
    };
    let [utc, standard, leaps, times, types, letters] = counts(0)?;
    let second = 44 + times * 5 + types * 6 + letters + leaps * 8 + standard + utc;
    let [utc, standard, leaps, times, types, letters] = counts(second)?;
    let (at, kinds) = (second + 44, second + 44 + times * 8);
    let described = kinds + times;
    let long = |at: usize| Some(i64::from_be_bytes(file.get(at..at + 8)?.try_into().ok()?));
    let kind = |kind: usize| {
        let at = described + kind * 6;
        Some(i64::from(i32::from_be_bytes(file.get(at..at + 4)?.try_into().ok()?)))
    };
    let change = |i: usize| Some((long(at + 8 * i)?, kind(usize::from(*file.get(kinds + i)?))?));
    let changes = (0..times).map(change).collect::<Option<Vec<_>>>()?;
    let rule = described + types * 6 + letters + leaps * 12 + standard + utc;
    let rule = str::from_utf8(file.get(rule..)?).ok()?.trim_matches('\n');
    Some(Zone { changes, first: kind(0)?, rule: parse_rule(rule) })
}

/// The POSIX form: `EST5EDT,M3.2.0,M11.1.0`, where a number is what to add to local time to get UTC.
fn parse_rule(text: &str) -> Option<Rule> {
    let mut parts = text.split(',');
    let zones = parts.next()?;
    let (standard, rest) = parse_zone(zones)?;
    if rest.is_empty() {
        return Some(Rule { standard, summer: None });
    }
    let offset = match parse_zone(rest) {
        Some((offset, "")) => offset,
        _ => standard + 3600,
    };
    let summer = Summer { offset, begins: parse_moment(parts.next()?)?, ends: parse_moment(parts.next()?)? };
    Some(Rule { standard, summer: Some(summer) })
}

/// A name and the offset after it, and what follows.
fn parse_zone(text: &str) -> Option<(i64, &str)> {
    let name = match text.strip_prefix('<') {
        Some(rest) => rest.find('>')? + 2,
        None => text.bytes().position(|b| !b.is_ascii_alphabetic())?,
    };
    let rest = &text[name..];
    let len = rest.bytes().position(|b| !(b.is_ascii_digit() || b"+-:".contains(&b))).unwrap_or(rest.len());
    Some((-parse_clock(&rest[..len])?, &rest[len..]))
}

/// `[+-]h[:mm[:ss]]` in seconds.
fn parse_clock(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.trim_start_matches('+')),
    };
    let mut seconds = 0;
    for (part, unit) in digits.split(':').zip([3600, 60, 1]) {
        seconds += part.parse::<i64>().ok()? * unit;
    }
    Some(sign * seconds)
}

/// `Mm.w.d`, with `/time` unless it is 2:00.
fn parse_moment(text: &str) -> Option<Moment> {
    let (day, time) = text.split_once('/').unwrap_or((text, "2"));
    let mut numbers = day.strip_prefix('M')?.split('.').map(|number| number.parse::<i64>().ok());
    let (month, week, weekday) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let fits = (1..=12).contains(&month) && (1..=5).contains(&week) && (0..=6).contains(&weekday);
    fits.then_some(Moment { month: month as u32, week, weekday, time: parse_clock(time)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Timestamp;

    fn seconds(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().micros() / 1_000_000
    }

    #[test]
    fn offsets_are_written_or_named() {
        for (zone, expected) in [("+05:30", 19_800), (" -8 ", -28_800), ("+14:00", 50_400), ("utc", 0), ("GMT", 0)] {
            assert_eq!(offset("FORMAT_TIMESTAMP", zone, 0), Ok(expected), "{zone}");
        }
        for zone in ["EST", "", "+", "+5:", "+99:00", "+1:60", "Mars/Olympus", "../../etc/passwd", "05:30"] {
            assert_eq!(offset("FORMAT_TIMESTAMP", zone, 0).unwrap_err().sqlstate(), "22023", "{zone}");
        }
    }

    #[test]
    fn rules_go_on_for_ever_on_both_sides_of_the_equator() {
        let new_york = parse_rule("EST5EDT,M3.2.0,M11.1.0").unwrap();
        for (at, hours) in [
            ("2100-03-14 06:59:59", -5),
            ("2100-03-14 07:00:00", -4),
            ("2100-11-07 05:59:59", -4),
            ("2100-11-07 06:00:00", -5),
        ] {
            assert_eq!(new_york.offset(seconds(at)), hours * 3600, "{at}");
        }
        let hobart = parse_rule("AEST-10AEDT,M10.1.0,M4.1.0/3").unwrap();
        assert_eq!(hobart.offset(seconds("2100-01-01")), 11 * 3600);
        assert_eq!(hobart.offset(seconds("2100-07-01")), 10 * 3600);
        assert_eq!(parse_rule("<+0530>-5:30").unwrap().offset(0), 19_800);
    }

    #[test]
    fn the_systems_files_are_read_where_there_are_any() {
        if !FOLDERS.iter().any(|folder| Path::new(folder).join("America/New_York").exists()) {
            println!("skipped: no time zone files");
            return;
        }
        for (zone, at, expected) in [
            ("America/New_York", "1969-12-31 23:59:59", -5 * 3600),
            ("America/New_York", "2021-07-01", -4 * 3600),
            ("America/New_York", "2200-07-01", -4 * 3600),
            ("Asia/Tokyo", "9999-12-31", 9 * 3600),
        ] {
            assert_eq!(offset("FORMAT_TIMESTAMP", zone, seconds(at)), Ok(expected), "{zone} {at}");
        }
    }
}
