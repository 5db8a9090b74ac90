//! Counts, rates and durations for people: three digits and a unit, so that columns of them stay aligned.

/// A count with three digits: `812`, `41.2 k`, `57.4 M`, `1.02 G`. At most 6 characters below 10^15.
pub fn count(n: u64) -> String {
    if n < 1000 { n.to_string() } else { scaled(n as f64, "") }
}

/// Events per second with three digits and a unit, without the "/s": `3.41 M`. Below 1000 as a whole number.
pub fn rate(per_second: f64) -> String {
    if !per_second.is_finite() || per_second < 0.0 {
        return "–".to_owned();
    }
    if per_second < 999.5 { format!("{per_second:.0}") } else { scaled(per_second, "") }
}

/// Microseconds without a unit, for columns that name it: `0.26`, `4.1`, `12`, `4,100`.
pub fn micros(us: f64) -> String {
    if us < 0.995 {
        format!("{us:.2}")
    } else if us < 9.95 {
        format!("{us:.1}")
    } else {
        grouped(us.round() as u64)
    }
}

/// A duration with its unit, two or three digits: `260 ns`, `4.1 µs`, `12 µs`, `4.1 ms`, `2.5 s`.
pub fn duration(ns: u64) -> String {
    let (value, unit) = match ns {
        0..1_000 => return format!("{ns} ns"),
        1_000..999_500 => (ns as f64 / 1e3, "µs"),
        999_500..999_500_000 => (ns as f64 / 1e6, "ms"),
        _ => (ns as f64 / 1e9, "s"),
    };
    if value < 9.95 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// All digits, in groups of three: `3,412,880`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A share (0 to 1) in percent with one decimal: `31.2 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Run time as minutes and seconds, hours where there are some: `00:17`, `1:02:00`.
pub fn clock(seconds: u64) -> String {
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if h > 0 { format!("{h}:{m:02}:{s:02}") } else { format!("{m:02}:{s:02}") }
}

/// Three significant digits with a decimal prefix; `value` is at least 999.5.
fn scaled(value: f64, suffix: &str) -> String {
    let (mut value, mut prefixes) = (value / 1e3, ["k", "M", "G", "T", "P"].iter());
    let mut prefix = prefixes.next().expect("there is a first prefix");
    while value >= 999.5 {
        let Some(next) = prefixes.next() else { break };
        (value, prefix) = (value / 1e3, next);
    }
    let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.decimals$} {prefix}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_rates_keep_three_digits() {
        let cases = [(0, "0"), (999, "999"), (1_000, "1.00 k"), (41_230, "41.2 k"), (999_400, "999 k")];
        cases.iter().for_each(|&(n, text)| assert_eq!(count(n), text));
        assert_eq!(count(999_600), "1.00 M");
        assert_eq!(count(57_400_000), "57.4 M");
        assert_eq!(count(u64::MAX), "18447 P");
        assert_eq!(rate(3_412_880.0), "3.41 M");
        assert_eq!(rate(999.7), "1.00 k");
        assert_eq!(rate(0.0), "0");
        assert_eq!(rate(f64::NAN), "–");
    }

    #[test]
    fn durations_choose_their_unit_without_a_fourth_digit() {
        let cases = [(0, "0 ns"), (999, "999 ns"), (4_100, "4.1 µs"), (999_499, "999 µs"), (999_500, "1.0 ms")];
        cases.iter().for_each(|&(ns, text)| assert_eq!(duration(ns), text));
        assert_eq!(duration(2_500_000_000), "2.5 s");
        assert_eq!(duration(73 * 60 * 1_000_000_000), "4380 s");
        assert_eq!(
            [micros(0.26), micros(0.999), micros(4.14), micros(9.96), micros(4100.4)],
            ["0.26", "1.0", "4.1", "10", "4,100"]
        );
    }

    #[test]
    fn digits_are_grouped_in_threes() {
        assert_eq!([grouped(7), grouped(999), grouped(1000), grouped(3_412_880)], ["7", "999", "1,000", "3,412,880"]);
        assert_eq!(percent(0.3124), "31.2 %");
        assert_eq!([clock(17), clock(3_720)], ["00:17", "1:02:00"]);
    }
}
