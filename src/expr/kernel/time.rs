//! Date and time functions. They take and give timestamps of the years 1583 to 9999 only.

use super::zone;
use crate::expr::error::EvalError;
use crate::types::{
    Arena, Datum, Decimal, MICROS_PER_DAY, MICROS_PER_SECOND, Timestamp, TimestampParts, civil_from_days,
    days_from_civil, days_in_month,
};

/// First and last microsecond that the functions know.
pub const MICROS_MIN: i64 = -12_212_553_600_000_000;
pub const MICROS_MAX: i64 = 253_402_300_799_999_999;

const MICROS_PER_MINUTE: i64 = 60 * MICROS_PER_SECOND;
const MICROS_PER_HOUR: i64 = 60 * MICROS_PER_MINUTE;

/// A unit of time, as the functions take it in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Year,
    Quarter,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
    Millis,
    Micros,
}

impl Unit {
    /// By its name, in upper case.
    pub fn parse(name: &[u8]) -> Option<Unit> {
        Some(match name {
            b"YEAR" => Unit::Year,
            b"QUARTER" => Unit::Quarter,
            b"MONTH" => Unit::Month,
            b"WEEK" => Unit::Week,
            b"DAY" => Unit::Day,
            b"HOUR" => Unit::Hour,
            b"MINUTE" => Unit::Minute,
            b"SECOND" => Unit::Second,
            b"MILLIS" | b"MILLISECOND" => Unit::Millis,
            b"MICROS" | b"MICROSECOND" => Unit::Micros,
            _ => return None,
        })
    }

    /// Its length, if it always has the same.
    fn micros(self) -> Option<i64> {
        Some(match self {
            Unit::Year | Unit::Quarter | Unit::Month => return None,
            Unit::Week => 7 * MICROS_PER_DAY,
            Unit::Day => MICROS_PER_DAY,
            Unit::Hour => MICROS_PER_HOUR,
            Unit::Minute => MICROS_PER_MINUTE,
            Unit::Second => MICROS_PER_SECOND,
            Unit::Millis => 1000,
            Unit::Micros => 1,
        })
    }

    /// Its length in months, if it is a calendar's.
    fn months(self) -> Option<i64> {
        match self {
            Unit::Year => Some(12),
            Unit::Quarter => Some(3),
            Unit::Month => Some(1),
            _ => None,
        }
    }
}

/// A number of a date or a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Year,
    Quarter,
    Month,
    Day,
    /// Sunday is 1.
    DayOfWeek,
    DayOfYear,
    /// Monday is 0.
    Weekday,
    /// ISO: the one with the year's first Thursday is 1.
    Week,
    Hour,
    Minute,
    /// DECIMAL, with microseconds.
    Second,
}

impl Field {
    /// By the name that EXTRACT takes, in upper case.
    pub fn parse(name: &[u8]) -> Option<Field> {
        Some(match name {
            b"YEAR" => Field::Year,
            b"QUARTER" => Field::Quarter,
            b"MONTH" => Field::Month,
            b"DAY" | b"DAY_OF_MONTH" => Field::Day,
            b"DAY_OF_WEEK" => Field::DayOfWeek,
            b"DAY_OF_YEAR" => Field::DayOfYear,
            b"WEEKDAY" => Field::Weekday,
            b"WEEK" | b"WEEK_OF_YEAR" => Field::Week,
            b"HOUR" => Field::Hour,
            b"MINUTE" => Field::Minute,
            b"SECOND" => Field::Second,
            _ => return None,
        })
    }
}

pub fn bad_unit(function: &'static str, unit: &[u8]) -> EvalError {
    let problem = format!("'{}' is no unit it takes", String::from_utf8_lossy(unit));
    EvalError::BadArgument { function, problem }
}

/// `micros`, if the functions know it.
fn valid(function: &'static str, micros: i64) -> Result<i64, EvalError> {
    if (MICROS_MIN..=MICROS_MAX).contains(&micros) {
        return Ok(micros);
    }
    Err(EvalError::OutOfRange { function, problem: "timestamps must be from 1583-01-01 to 9999-12-31" })
}

fn out_of_range(function: &'static str) -> EvalError {
    EvalError::OutOfRange { function, problem: "the resulting timestamp is out of range" }
}

/// A field of a timestamp: BIGINT, `Field::Second` DECIMAL.
pub fn extract(field: Field, micros: i64) -> Result<Datum, EvalError> {
    let micros = valid("EXTRACT", micros)?;
    let (days, of_day) = Timestamp::from_micros(micros).split_days();
    let (year, month, day) = civil_from_days(days);
    // 1970-01-01 was a Thursday.
    let weekday = (days + 3).rem_euclid(7);
    Ok(Datum::int(match field {
        Field::Year => year,
        Field::Quarter => (month as i64 + 2) / 3,
        Field::Month => month as i64,
        Field::Day => day as i64,
        Field::DayOfWeek => (weekday + 1) % 7 + 1,
        Field::DayOfYear => days - days_from_civil(year, 1, 1) + 1,
        Field::Weekday => weekday,
        Field::Week => {
            // A week belongs to the year of its Thursday.
            let thursday = days - weekday + 3;
            (thursday - days_from_civil(civil_from_days(thursday).0, 1, 1)) / 7 + 1
        }
        Field::Hour => of_day / MICROS_PER_HOUR,
        Field::Minute => of_day / MICROS_PER_MINUTE % 60,
        Field::Second => {
            let second = of_day % MICROS_PER_MINUTE;
            return Ok(Datum::decimal(Decimal::from_scaled(second as i128 * 1_000_000)));
        }
    }))
}

/// `count` units later. Months keep the day where they can, and the end of a month stays one.
pub fn date_add(unit: Unit, count: i64, micros: i64) -> Result<i64, EvalError> {
    let function = "DATEADD";
    let micros = valid(function, micros)?;
    let sum = match (unit.months(), unit.micros()) {
        (Some(months), _) => count.checked_mul(months).and_then(|months| add_months(micros, months)),
        (None, Some(length)) => count.checked_mul(length).and_then(|length| micros.checked_add(length)),
        (None, None) => unreachable!("a unit has months or microseconds"),
    };
    let sum = sum.ok_or_else(|| out_of_range(function))?;
    valid(function, sum).map_err(|_| out_of_range(function))
}

fn add_months(micros: i64, months: i64) -> Option<i64> {
    let p = Timestamp::from_micros(micros).to_parts();
    let total = (p.year * 12 + p.month as i64 - 1).checked_add(months)?;
    let (year, month) = (total.div_euclid(12), total.rem_euclid(12) as u32 + 1);
    let last = days_in_month(year, month);
    let day = if p.day == days_in_month(p.year, p.month) { last } else { p.day.min(last) };
    Timestamp::from_parts(TimestampParts { year, month, day, ..p }).map(Timestamp::micros)
}

/// Units from `a` to `b`: how many bounds of the unit lie between them; weeks are seven days.
pub fn date_diff(unit: Unit, a: i64, b: i64) -> Result<i64, EvalError> {
    let function = "DATEDIFF";
    let (a, b) = (valid(function, a)?, valid(function, b)?);
    let months = |micros| {
        let p = Timestamp::from_micros(micros).to_parts();
        p.year * 12 + p.month as i64 - 1
    };
    let bounds = |length: i64| b.div_euclid(length) - a.div_euclid(length);
    Ok(match (unit.months(), unit.micros()) {
        (Some(length), _) => months(b).div_euclid(length) - months(a).div_euclid(length),
        (None, Some(_)) if unit == Unit::Week => bounds(MICROS_PER_DAY) / 7,
        (None, Some(length)) => bounds(length),
        (None, None) => unreachable!("a unit has months or microseconds"),
    })
}

/// The start of the unit that `micros` lies in. Not for weeks.
pub fn truncate(unit: Unit, micros: i64) -> Result<i64, EvalError> {
    let micros = valid("TRUNCATE", micros)?;
    Ok(match (unit.months(), unit.micros()) {
        (Some(length), _) => {
            let (year, month, _) = civil_from_days(micros.div_euclid(MICROS_PER_DAY));
            let month = if length == 12 { 1 } else { (month - 1) / length as u32 * length as u32 + 1 };
            days_from_civil(year, month, 1) * MICROS_PER_DAY
        }
        (None, Some(length)) => micros.div_euclid(length) * length,
        (None, None) => unreachable!("a unit has months or microseconds"),
    })
}

/// The start (or, with `end`, the end) of the window of `count` units that `micros` lies in. Windows follow each other from
/// 1970-01-01 on, in both directions; those of weeks from the Monday before.
pub fn window(unit: Unit, count: i64, micros: i64, end: bool) -> Result<i64, EvalError> {
    let function = "TIME_WINDOW";
    let micros = valid(function, micros)?;
    if count < 1 {
        return Err(EvalError::OutOfRange { function, problem: "the number of units must be at least 1" });
    }
    let bound = match (unit.months(), unit.micros()) {
        (Some(length), _) => length.checked_mul(count).and_then(|length| {
            let p = Timestamp::from_micros(micros).to_parts();
            let months = (p.year - 1970) * 12 + i64::from(p.month) - 1;
            let months = (months.div_euclid(length) + i64::from(end)).checked_mul(length)?;
            let year = 1970 + months.div_euclid(12);
            let known = (1000..=11_000).contains(&year);
            known.then(|| days_from_civil(year, months.rem_euclid(12) as u32 + 1, 1) * MICROS_PER_DAY)
        }),
        (None, Some(length)) => length.checked_mul(count).and_then(|length| {
            let origin = if unit == Unit::Week { -3 * MICROS_PER_DAY } else { 0 };
            let number = (micros - origin).div_euclid(length) + i64::from(end);
            number.checked_mul(length)?.checked_add(origin)
        }),
        (None, None) => unreachable!("a unit has months or microseconds"),
    };
    let bound = bound.ok_or_else(|| out_of_range(function))?;
    valid(function, bound).map_err(|_| out_of_range(function))
}

/// The timestamp as text, by the clocks of a time zone.
pub fn format(micros: i64, zone: &str, arena: &mut Arena) -> Result<Datum, EvalError> {
    let function = "FORMAT_TIMESTAMP";
    let micros = valid(function, micros)?;
    let offset = zone::offset(function, zone, micros.div_euclid(MICROS_PER_SECOND))?;
    let local = Timestamp::from_micros(micros + offset * MICROS_PER_SECOND);
    Ok(arena.store(local.to_string().as_bytes()))
}

/// Whole units since 1970; SECOND, MILLIS and MICROS only.
pub fn since_epoch(unit: Unit, micros: i64) -> Result<i64, EvalError> {
    let micros = valid("SINCE_EPOCH", micros)?;
    Ok(micros / unit.micros().expect("a unit of fixed length"))
}

/// The timestamp `count` units after 1970; SECOND, MILLIS and MICROS only.
pub fn to_timestamp(function: &'static str, unit: Unit, count: i64) -> Result<i64, EvalError> {
    let micros = count.checked_mul(unit.micros().expect("a unit of fixed length"));
    let micros = micros.ok_or_else(|| out_of_range(function))?;
    valid(function, micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().micros()
    }

    #[test]
    fn fields_follow_the_calendar() {
        let at = t("2026-01-01 13:14:15.5");
        for (field, value) in [
            (Field::Year, 2026),
            (Field::Quarter, 1),
            (Field::Month, 1),
            (Field::Day, 1),
            (Field::DayOfWeek, 5),
            (Field::DayOfYear, 1),
            (Field::Weekday, 3),
            (Field::Week, 1),
            (Field::Hour, 13),
            (Field::Minute, 14),
        ] {
            assert_eq!(extract(field, at), Ok(Datum::int(value)), "{field:?}");
        }
        assert_eq!(extract(Field::Second, at), Ok(Datum::decimal("15.5".parse().unwrap())));
        for (date, week, day_of_week) in
            [("2021-01-03", 53, 1), ("2020-12-31", 53, 5), ("2024-12-30", 1, 2), ("1969-12-28", 52, 1)]
        {
            assert_eq!(extract(Field::Week, t(date)), Ok(Datum::int(week)), "{date}");
            assert_eq!(extract(Field::DayOfWeek, t(date)), Ok(Datum::int(day_of_week)), "{date}");
        }
        assert_eq!(extract(Field::Year, MICROS_MIN - 1).unwrap_err().sqlstate(), "22003");
    }

    #[test]
    fn months_are_added_by_the_calendar() {
        for (unit, count, from, to) in [
            (Unit::Month, 1, "2001-01-30", "2001-02-28"),
            (Unit::Month, 1, "2001-02-28", "2001-03-31"),
            (Unit::Month, -13, "2001-03-15 01:02:03", "2000-02-15 01:02:03"),
            (Unit::Quarter, 1, "2000-11-30", "2001-02-28"),
            (Unit::Year, -1, "2000-02-29", "1999-02-28"),
            (Unit::Day, 1, "2000-02-28", "2000-02-29"),
            (Unit::Hour, -1, "2000-01-01", "1999-12-31 23:00:00"),
            (Unit::Micros, 1, "2000-01-01", "2000-01-01 00:00:00.000001"),
        ] {
            assert_eq!(date_add(unit, count, t(from)), Ok(t(to)), "{unit:?} {count} {from}");
        }
        for (unit, count) in [(Unit::Year, 8000), (Unit::Year, i64::MAX), (Unit::Day, i64::MIN), (Unit::Month, -10_000)]
        {
            assert_eq!(date_add(unit, count, t("2000-01-01")).unwrap_err().sqlstate(), "22003");
        }
    }

    #[test]
    fn differences_count_bounds_and_truncation_finds_them() {
        let (a, b) = (t("1999-12-31 23:59:59.999999"), t("2000-01-15 00:00:00"));
        for (unit, count) in [
            (Unit::Year, 1),
            (Unit::Quarter, 1),
            (Unit::Month, 1),
            (Unit::Week, 2),
            (Unit::Day, 15),
            (Unit::Hour, 14 * 24 + 1),
            (Unit::Second, 14 * 86_400 + 1),
        ] {
            assert_eq!(date_diff(unit, a, b), Ok(count), "{unit:?}");
            assert_eq!(date_diff(unit, b, a), Ok(-count), "{unit:?}");
        }
        for (unit, start) in [
            (Unit::Year, "1969-01-01"),
            (Unit::Quarter, "1969-04-01"),
            (Unit::Month, "1969-05-01"),
            (Unit::Day, "1969-05-06"),
            (Unit::Hour, "1969-05-06 07:00:00"),
            (Unit::Millis, "1969-05-06 07:08:09.123"),
        ] {
            assert_eq!(truncate(unit, t("1969-05-06 07:08:09.123456")), Ok(t(start)), "{unit:?}");
        }
        for (unit, count, start, end) in [
            (Unit::Minute, 15, "2021-03-04 05:00:00", "2021-03-04 05:15:00"),
            (Unit::Week, 1, "2021-03-01", "2021-03-08"),
            (Unit::Month, 5, "2020-11-01", "2021-04-01"),
            (Unit::Year, 10, "2020-01-01", "2030-01-01"),
        ] {
            let at = t("2021-03-04 05:06:07.891011");
            assert_eq!(window(unit, count, at, false), Ok(t(start)), "{unit:?}");
            assert_eq!(window(unit, count, at, true), Ok(t(end)), "{unit:?}");
        }
        for (unit, count) in [(Unit::Hour, 0), (Unit::Day, i64::MAX), (Unit::Year, i64::MAX), (Unit::Year, 10_000)] {
            assert_eq!(window(unit, count, a, true).unwrap_err().sqlstate(), "22003", "{unit:?} {count}");
        }
        assert_eq!(since_epoch(Unit::Second, t("1970-01-01 00:00:01.9")), Ok(1));
        assert_eq!(to_timestamp("TO_TIMESTAMP", Unit::Millis, 1500), Ok(1_500_000));
        assert_eq!(to_timestamp("TO_TIMESTAMP", Unit::Second, i64::MAX).unwrap_err().sqlstate(), "22003");
    }
}
