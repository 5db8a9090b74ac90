//! Microseconds since 1970-01-01 00:00:00 UTC, and the calendar they are shown in.
//!
//! Owns calendar arithmetic (proleptic Gregorian, UTC, no leap seconds), parsing and printing. Which timestamps SQL's
//! date functions accept is `expr`'s matter.

use std::fmt;
use std::str::FromStr;

/// A point in time; any `i64` of microseconds may be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

/// Why a text is no TIMESTAMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a timestamp: write YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS with up to six digits of a second's fraction")]
pub struct TimestampError;

pub const MICROS_PER_SECOND: i64 = 1_000_000;
pub const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND;

/// Calendar fields of a point in time. `year` counts astronomically (0 is 1 BC); `month` 1..=12, `day` 1..=31, the rest
/// from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimestampParts {
    pub year: i64,
    pub month: u32,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
    pub micros: u32,
}

/// Days from 1970-01-01 to a date. Any `month` 1..=12; `day` may run over the month's end.
pub const fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    // Years begin in March here, so that the leap day is the last of its year and month lengths repeat every five.
    let (y, m) = if month > 2 { (year, month as i64 - 3) } else { (year - 1, month as i64 + 9) };
    let leap_days = y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400);
    const MARCH_0000_TO_1970: i64 = 719_468;
    y * 365 + leap_days + (153 * m + 2) / 5 + day as i64 - 1 - MARCH_0000_TO_1970
}

/// Year, month and day of a number of days since 1970-01-01.
pub const fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    // Leap days so far in these 400 years are taken out, then all years have 365 days.
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let m = (5 * of_year + 2) / 153;
    let day = (of_year - (153 * m + 2) / 5 + 1) as u32;
    let month = if m < 10 { m + 3 } else { m - 9 } as u32;
    (era * 400 + year_of_era + (month <= 2) as i64, month, day)
}

/// Number of days of a month.
pub const fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

impl Timestamp {
    pub const fn from_micros(micros: i64) -> Timestamp {
        Timestamp(micros)
    }
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Days since 1970-01-01, and microseconds since that day's midnight.
    pub const fn split_days(self) -> (i64, i64) {
        (self.0.div_euclid(MICROS_PER_DAY), self.0.rem_euclid(MICROS_PER_DAY))
    }

    pub const fn to_parts(self) -> TimestampParts {
        let (days, micros) = self.split_days();
        let (year, month, day) = civil_from_days(days);
        let seconds = (micros / MICROS_PER_SECOND) as u32;
        TimestampParts {
            year,
            month,
            day,
            hour: seconds / 3600,
            minute: seconds / 60 % 60,
            second: seconds % 60,
            micros: (micros % MICROS_PER_SECOND) as u32,
        }
    }

    /// None if a field is out of its range (a 30th of February too), or the time is no `i64` of microseconds.
    pub const fn from_parts(p: TimestampParts) -> Option<Timestamp> {
        const YEAR_MAX: i64 = 300_000;
        if p.year < -YEAR_MAX || p.year > YEAR_MAX || p.month < 1 || p.month > 12 {
            return None;
        }
        if p.day < 1 || p.day > days_in_month(p.year, p.month) {
            return None;
        }
        if p.hour > 23 || p.minute > 59 || p.second > 59 || p.micros > 999_999 {
            return None;
        }
        let seconds = (p.hour * 3600 + p.minute * 60 + p.second) as i64;
        let of_day = seconds * MICROS_PER_SECOND + p.micros as i64;
        let total = days_from_civil(p.year, p.month, p.day) as i128 * MICROS_PER_DAY as i128 + of_day as i128;
        if total < i64::MIN as i128 || total > i64::MAX as i128 {
            return None;
        }
        Some(Timestamp(total as i64))
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    /// `YYYY-MM-DD`, or `YYYY-MM-DD HH:MM:SS` with `.f` to `.ffffff` at will; a `T` may stand for the blank. All fields
    /// full width and in the calendar's range.
    fn from_str(text: &str) -> Result<Timestamp, TimestampError> {
        parse(text.as_bytes()).ok_or(TimestampError)
    }
}

fn parse(text: &[u8]) -> Option<Timestamp> {
    let (date, time) = text.split_at_checked(10)?;
    let mut parts = TimestampParts {
        year: number(&date[..4])?.into(),
        month: number(&date[5..7])?,
        day: number(&date[8..])?,
        hour: 0,
        minute: 0,
        second: 0,
        micros: 0,
    };
    if date[4] != b'-' || date[7] != b'-' {
        return None;
    }
    if !time.is_empty() {
        let (clock, fraction) = time.split_at_checked(9)?;
        if !matches!(clock[0], b' ' | b'T') || clock[3] != b':' || clock[6] != b':' {
            return None;
        }
        parts.hour = number(&clock[1..3])?;
        parts.minute = number(&clock[4..6])?;
        parts.second = number(&clock[7..])?;
        if let Some((point, digits)) = fraction.split_first() {
            if *point != b'.' || digits.is_empty() || digits.len() > 6 {
                return None;
            }
            parts.micros = number(digits)? * 10u32.pow(6 - digits.len() as u32);
        }
    }
    Timestamp::from_parts(parts)
}

/// A number of digits only.
fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |n, b| b.is_ascii_digit().then(|| n * 10 + (b - b'0') as u32))
}

impl fmt::Display for Timestamp {
    /// `YYYY-MM-DD HH:MM:SS.ffffff`; years outside 0..=9999 take more digits, or a minus sign.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = self.to_parts();
        let sign = if p.year < 0 { "-" } else { "" };
        f.pad(&format!(
            "{sign}{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}",
            p.year.unsigned_abs(),
            p.month,
            p.day,
            p.hour,
            p.minute,
            p.second,
            p.micros
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_and_printed() {
        for (text, micros, shown) in [
            ("1970-01-01", 0, "1970-01-01 00:00:00.000000"),
            ("1970-01-01T00:00:01.5", 1_500_000, "1970-01-01 00:00:01.500000"),
            ("1969-12-31 23:59:59.999999", -1, "1969-12-31 23:59:59.999999"),
            ("2000-02-29 12:34:56.000100", 951_827_696_000_100, "2000-02-29 12:34:56.000100"),
            ("1583-01-01", -12_212_553_600_000_000, "1583-01-01 00:00:00.000000"),
            ("9999-12-31 23:59:59.999999", 253_402_300_799_999_999, "9999-12-31 23:59:59.999999"),
            ("0000-03-01", -62_162_035_200_000_000, "0000-03-01 00:00:00.000000"),
        ] {
            let read: Timestamp = text.parse().unwrap();
            assert_eq!((read.micros(), read.to_string().as_str()), (micros, shown));
        }
        assert_eq!(Timestamp::from_micros(i64::MAX).to_string(), "294247-01-10 04:00:54.775807");
        assert_eq!(Timestamp::from_micros(i64::MIN).to_string(), "-290308-12-21 19:59:05.224192");
    }

    #[test]
    fn anything_but_the_two_forms_is_refused() {
        for text in [
            "",
            "1970",
            "970-01-01",
            "19700-01-01",
            "1970-1-01",
            "1970-001-01",
            "1970-13-01",
            "1970-00-01",
            "1970-02-29",
            "1900-02-29",
            "1970-01-32",
            "1970-01-01 ",
            "1970-01-01 00:00",
            "1970-01-01 24:00:00",
            "1970-01-01 00:60:00",
            "1970-01-01 00:00:60",
            "1970-01-01 00:00:00.",
            "1970-01-01 00:00:00.1234567",
            "1970-01-01 00:00:00Z",
            "1970-01-01  0:00:00",
            "+970-01-01",
            "1970/01/01",
            "1970-01-01é00:00:00",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn days_and_dates_are_inverse_over_every_day_of_two_eras() {
        let (mut year, mut month, mut day) = (1600, 1, 1);
        for days in days_from_civil(1600, 1, 1)..days_from_civil(2400, 1, 1) {
            assert_eq!(civil_from_days(days), (year, month, day));
            assert_eq!(days_from_civil(year, month, day), days);
            day += 1;
            if day > days_in_month(year, month) {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
    }

    #[test]
    fn parts_of_any_timestamp_give_it_back() {
        for micros in [i64::MIN, i64::MIN + 1, -62_167_219_200_000_001, -1, 0, 1, 951_827_696_000_100, i64::MAX] {
            let t = Timestamp::from_micros(micros);
            assert_eq!(Timestamp::from_parts(t.to_parts()), Some(t));
        }
        assert_eq!(Timestamp::from_parts(TimestampParts { year: 294_248, ..Timestamp::default().to_parts() }), None);
    }
}
