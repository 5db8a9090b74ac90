//! What can be set of a voter run, each with its unit, default and bound.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;

use crate::bench::workloads::voter::CONTESTANTS_MAX;

/// Client threads at most.
pub const CLIENTS_MAX: usize = 1024;
/// Calls in flight at most, per client.
pub const IN_FLIGHT_MAX: usize = 1 << 16;

/// How a client calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// One call at a time: the next starts when the last was answered.
    Sync,
    /// Pipelined: many calls in flight, answers as they come.
    Async,
    /// One call at a time, each as the text of an `EXEC` through the general statement interface.
    Sql,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Sync => "sync",
            Mode::Async => "async",
            Mode::Sql => "sql",
        })
    }
}

impl FromStr for Mode {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Mode, OptionsError> {
        match text.to_ascii_lowercase().as_str() {
            "sync" => Ok(Mode::Sync),
            "async" => Ok(Mode::Async),
            "sql" => Ok(Mode::Sql),
            _ => Err(OptionsError::UnknownMode { text: text.to_owned() }),
        }
    }
}

/// A run of voter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VoterOptions {
    /// Partitions of the database under test, at least 1. Answers name partitions below it.
    pub partitions: usize,
    pub mode: Mode,
    /// Client threads, 1 to [`CLIENTS_MAX`].
    pub clients: usize,
    /// How long is measured.
    #[serde(serialize_with = "as_seconds")]
    pub duration: Duration,
    /// How long calls are made before; their votes are stored but not measured.
    #[serde(serialize_with = "as_seconds")]
    pub warmup: Duration,
    /// Calls per second of all clients together, started on schedule (open loop). Without: as fast as answers come.
    pub rate: Option<f64>,
    /// Contestants 1 to this one exist; at most [`CONTESTANTS_MAX`].
    pub contestants: usize,
    /// Votes that a phone has.
    pub max_votes: i64,
    pub seed: u64,
    /// Calls in flight per client when pipelined, 1 to [`IN_FLIGHT_MAX`].
    pub in_flight: usize,
    /// Clients that wait beside the others, so that there can be more of them while the run goes on. Default: 0.
    pub spare_clients: usize,
    /// Between two samples, and so the longest that a dashboard stands still; 200 ms by default. 10 ms to 10 s.
    #[serde(serialize_with = "as_seconds")]
    pub sample_interval: Duration,
    /// How the database keeps its data, in the words of the report: "memory only", "command log, sync".
    pub durability: String,
}

impl Default for VoterOptions {
    fn default() -> VoterOptions {
        VoterOptions {
            partitions: 1,
            mode: Mode::Async,
            clients: 1,
            duration: Duration::from_secs(60),
            warmup: Duration::from_secs(5),
            rate: None,
            contestants: 6,
            max_votes: 2,
            seed: 1,
            in_flight: 1024,
            spare_clients: 0,
            sample_interval: Duration::from_millis(200),
            durability: "memory only".to_owned(),
        }
    }
}

/// An option out of bounds.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OptionsError {
    #[error("{option} is {value}, but must be {least} to {most}")]
    OutOfRange { option: &'static str, value: String, least: u64, most: u64 },
    #[error("the rate is {rate}, but must be a positive number of calls per second")]
    Rate { rate: f64 },
    #[error("the duration must be longer than 0 s")]
    NoDuration,
    #[error("the interval between samples is {millis} ms, but must be 10 ms to 10 s")]
    SampleInterval { millis: u128 },
    #[error("{text} is no mode; modes are sync (one call at a time), async (pipelined) and sql (each call as text)")]
    UnknownMode { text: String },
    #[error("{text} is no duration; write a number and ms, s, m or h: 500ms, 10s, 2m")]
    BadDuration { text: String },
    #[error("{targets} connections for {clients} clients; each client needs its own")]
    Targets { targets: usize, clients: usize },
}

impl VoterOptions {
    /// Fails with the first option that is out of its bounds.
    pub fn validate(&self) -> Result<(), OptionsError> {
        in_range("the number of partitions", self.partitions as i128, 1, 1 << 16)?;
        in_range("the number of clients", (self.clients + self.spare_clients) as i128, 1, CLIENTS_MAX as u64)?;
        in_range("the number of contestants", self.contestants as i128, 1, CONTESTANTS_MAX as u64)?;
        in_range("the number of votes per phone", self.max_votes as i128, 1, i64::MAX as u64)?;
        in_range("the number of calls in flight", self.in_flight as i128, 1, IN_FLIGHT_MAX as u64)?;
        if let Some(rate) = self.rate.filter(|rate| !(rate.is_finite() && *rate > 0.0)) {
            return Err(OptionsError::Rate { rate });
        }
        if self.duration.is_zero() {
            return Err(OptionsError::NoDuration);
        }
        let millis = self.sample_interval.as_millis();
        if !(10..=10_000).contains(&millis) {
            return Err(OptionsError::SampleInterval { millis });
        }
        Ok(())
    }

    /// The run's head line: `voter · async · 2 partitions · 2 clients`.
    pub fn title(&self) -> String {
        let mut title = format!(
            "voter · {} · {} · {}",
            self.mode,
            plural(self.partitions, "partition"),
            plural(self.clients, "client")
        );
        if let Some(rate) = self.rate {
            title.push_str(&format!(" · {}/s asked", super::units::rate(rate)));
        }
        title
    }
}

fn plural(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

fn in_range(option: &'static str, value: i128, least: u64, most: u64) -> Result<(), OptionsError> {
    if (least as i128..=most as i128).contains(&value) {
        return Ok(());
    }
    Err(OptionsError::OutOfRange { option, value: value.to_string(), least, most })
}

fn as_seconds<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}

/// A duration as people write it: `500ms`, `10s`, `2m`, `1h`, or a plain number of seconds; fractions are fine.
pub fn parse_duration(text: &str) -> Result<Duration, OptionsError> {
    let text = text.trim();
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let seconds = match unit.trim() {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(OptionsError::BadDuration { text: text.to_owned() }),
    };
    number
        .parse::<f64>()
        .ok()
        .and_then(|n| Duration::try_from_secs_f64(n * seconds).ok())
        .ok_or_else(|| OptionsError::BadDuration { text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        assert_eq!(parse_duration("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(parse_duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration(" 250 ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse_duration("3"), Ok(Duration::from_secs(3)));
        for bad in ["", "s", "-1s", "10 parsecs", "1.2.3s", "99999999999999999999h"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn options_out_of_bounds_are_named() {
        assert_eq!(VoterOptions::default().validate(), Ok(()));
        let message = |change: fn(&mut VoterOptions)| {
            let mut options = VoterOptions::default();
            change(&mut options);
            options.validate().unwrap_err().to_string()
        };
        assert_eq!(message(|o| o.contestants = 13), "the number of contestants is 13, but must be 1 to 12");
        assert_eq!(message(|o| o.rate = Some(0.0)), "the rate is 0, but must be a positive number of calls per second");
        assert_eq!(message(|o| o.duration = Duration::ZERO), "the duration must be longer than 0 s");
        assert!(message(|o| o.clients = 0).contains("clients is 0"));
        assert!(message(|o| o.max_votes = -1).contains("per phone is -1"));
        assert!("fast".parse::<Mode>().unwrap_err().to_string().contains("sync"));
    }
}
