//! Durations, counts and bytes as people read them: two to four digits and a unit.

use std::time::Duration;

const MICRO: u128 = 1_000;
const MILLI: u128 = 1_000_000;
const SECOND: u128 = 1_000_000_000;

/// `830 ns`, `4.1 µs`, `12 ms`, `1.20 s`, `12.3 s`, `2 min 05 s`, `1 h 02 min`. Rounds half up; what rounds to the next unit
/// is written in it (999.7 µs is `1.0 ms`).
pub fn duration(value: Duration) -> String {
    let nanos = value.as_nanos();
    if nanos < MICRO {
        return format!("{nanos} ns");
    }
    for (unit, name) in [(MICRO, "µs"), (MILLI, "ms")] {
        let tenths = rounded(nanos * 10, unit);
        if tenths < 100 {
            return format!("{}.{} {name}", tenths / 10, tenths % 10);
        }
        let whole = rounded(nanos, unit);
        if whole < 1000 {
            return format!("{whole} {name}");
        }
    }
    let hundredths = rounded(nanos * 100, SECOND);
    if hundredths < 1000 {
        return format!("{}.{:02} s", hundredths / 100, hundredths % 100);
    }
    let tenths = rounded(nanos * 10, SECOND);
    if tenths < 600 {
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    let seconds = rounded(nanos, SECOND);
    if seconds < 3600 {
        return format!("{} min {:02} s", seconds / 60, seconds % 60);
    }
    let minutes = rounded(nanos, 60 * SECOND);
    format!("{} h {:02} min", minutes / 60, minutes % 60)
}

/// `999`, `4,100`, `41 k`, `580 k`, `3.41 M`, `57.4 M`, `205 M`, `1.20 G`.
pub fn count(value: u64) -> String {
    let value = u128::from(value);
    if value < 10_000 {
        return grouped(value as u64);
    }
    let thousands = rounded(value, 1_000);
    if thousands < 1_000 {
        return format!("{thousands} k");
    }
    for (unit, name) in [(1_000_000, "M"), (1_000_000_000, "G"), (1_000_000_000_000, "T")] {
        if let Some(text) = three_digits(value, unit) {
            return format!("{text} {name}");
        }
    }
    format!("{} T", grouped(rounded(value, 1_000_000_000_000) as u64))
}

/// `512 B`, `4.10 KiB`, `12.0 MiB`, `1.50 GiB`.
pub fn bytes(value: u64) -> String {
    if value < 1024 {
        return format!("{value} B");
    }
    let value = u128::from(value);
    for (shift, name) in [(10, "KiB"), (20, "MiB"), (30, "GiB"), (40, "TiB")] {
        if let Some(text) = three_digits(value, 1 << shift) {
            return format!("{text} {name}");
        }
    }
    format!("{} TiB", grouped(rounded(value, 1 << 40) as u64))
}

/// All digits, in groups of three: `3,412,880`.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 row`, `0 rows`, `2,000 rows`.
pub fn plural(value: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(value), if value == 1 { "" } else { "s" })
}

fn rounded(value: u128, unit: u128) -> u128 {
    (value + unit / 2) / unit
}

/// `value` in `unit`s with three digits, or None where it would need four or more.
fn three_digits(value: u128, unit: u128) -> Option<String> {
    let hundredths = rounded(value * 100, unit);
    if hundredths < 1_000 {
        return Some(format!("{}.{:02}", hundredths / 100, hundredths % 100));
    }
    let tenths = rounded(value * 10, unit);
    if tenths < 1_000 {
        return Some(format!("{}.{}", tenths / 10, tenths % 10));
    }
    let whole = rounded(value, unit);
    (whole < 1_000).then(|| whole.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_two_or_three_digits_and_a_unit() {
        for (nanos, text) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (4_120, "4.1 µs"),
            (9_960, "10 µs"),
            (11_600, "12 µs"),
            (999_700, "1.0 ms"),
            (12_000_000, "12 ms"),
            (999_600_000, "1.00 s"),
            (1_200_000_000, "1.20 s"),
            (9_996_000_000, "10.0 s"),
            (12_340_000_000, "12.3 s"),
            (59_990_000_000, "1 min 00 s"),
            (125_000_000_000, "2 min 05 s"),
            (3_720_000_000_000, "1 h 02 min"),
        ] {
            assert_eq!(duration(Duration::from_nanos(nanos)), text, "{nanos} ns");
        }
    }

    #[test]
    fn counts_keep_small_numbers_exact_and_shorten_large_ones() {
        for (value, text) in [
            (0, "0"),
            (999, "999"),
            (4_100, "4,100"),
            (41_000, "41 k"),
            (579_600, "580 k"),
            (999_600, "1.00 M"),
            (3_412_880, "3.41 M"),
            (57_400_000, "57.4 M"),
            (204_800_000, "205 M"),
            (999_990_000, "1.00 G"),
            (u64::MAX, "18,446,744 T"),
        ] {
            assert_eq!(count(value), text);
        }
    }

    #[test]
    fn bytes_count_in_powers_of_1024() {
        for (value, text) in
            [(0, "0 B"), (1023, "1023 B"), (1024, "1.00 KiB"), (1_048_575, "1.00 MiB"), (12 << 20, "12.0 MiB")]
        {
            assert_eq!(bytes(value), text);
        }
    }

    #[test]
    fn groups_of_three_digits_are_parted_by_commas() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(123), "123");
        assert_eq!(grouped(1234), "1,234");
        assert_eq!(grouped(3_412_880), "3,412,880");
        assert_eq!(plural(1, "row"), "1 row");
        assert_eq!(plural(2000, "row"), "2,000 rows");
    }
}
