//! Machine and build: what a figure was measured on. A figure without them means nothing.

use serde::Serialize;

/// Where and by which build something was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Machine {
    pub cpu: String,
    /// Processors that this process may use.
    pub cores: usize,
    pub memory_bytes: u64,
    pub os: String,
    pub version: &'static str,
    /// `release` or `debug`.
    pub build: &'static str,
    /// Seconds since 1970, UTC.
    pub at: u64,
    pub command: String,
}

impl Machine {
    /// This machine, this build, now. What the system does not tell is empty or 0.
    pub fn this() -> Machine {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let field = |text: &str, name: &str| {
            let value = |line: &str| {
                line.strip_prefix(name).and_then(|rest| rest.split_once(':')).map(|(_, v)| v.trim().to_owned())
            };
            text.lines().find_map(value).unwrap_or_default()
        };
        let memory = field(&read("/proc/meminfo"), "MemTotal");
        let kib: u64 = memory.split(' ').next().and_then(|kib| kib.parse().ok()).unwrap_or(0);
        let release = read("/proc/sys/kernel/osrelease");
        let quoted = |argument: String| if argument.contains(' ') { format!("'{argument}'") } else { argument };
        Machine {
            cpu: field(&read("/proc/cpuinfo"), "model name"),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: kib * 1024,
            os: format!("{} {} {}", std::env::consts::OS, std::env::consts::ARCH, release.trim()),
            version: env!("CARGO_PKG_VERSION"),
            build: if cfg!(debug_assertions) { "debug" } else { "release" },
            at: std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs()),
            command: std::env::args().skip(1).map(quoted).collect::<Vec<_>>().join(" "),
        }
    }

    /// When, as `2026-11-30 20:15:00 UTC`.
    pub fn time(&self) -> String {
        let (days, second) = (self.at / 86_400, self.at % 86_400);
        let (year, month, day) = civil(days as i64);
        format!("{year}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", second / 3600, second / 60 % 60, second % 60)
    }
}

/// Memory that can be had without swapping, in bytes; 0 where the system does not say.
pub fn free_memory_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    line.and_then(|rest| rest.trim().split(' ').next()?.parse::<u64>().ok()).map_or(0, |kib| kib * 1024)
}

/// Year, month and day of a day since 1970-01-01, in the Gregorian calendar.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months from March on, so that the leap day is the last of a year.
    let from_march = (5 * day_of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_told_by_the_calendar() {
        assert_eq!(
            [civil(0), civil(59), civil(11_016), civil(20_787)],
            [(1970, 1, 1), (1970, 3, 1), (2000, 2, 29), (2026, 11, 30)]
        );
    }
}
