//! The options of `--bench` on the command line. Where VoltDB's voter clients have an option, its name works too.

use crate::bench::options::{CLIENTS_MAX, Mode, parse_duration};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Options that mean something only with `--bench`.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Benchmark options (with --bench)")]
pub struct BenchArgs {
    /// How clients call: sync (one call at a time), async (many in flight) or sql (one at a time, each as text)
    #[arg(long, value_name = "MODE", default_value_t = Mode::Async, value_parser = mode, requires = "bench")]
    pub mode: Mode,

    /// Number of client threads, 1 to 1024; also --threads [default: chosen for the machine]
    #[arg(long, alias = "threads", value_name = "N", requires = "bench", value_parser = clients, allow_negative_numbers = true)]
    pub clients: Option<usize>,

    /// How long to measure; a number without a unit is seconds
    #[arg(long, value_name = "DURATION", default_value = "10s", requires = "bench", value_parser = positive_duration)]
    pub duration: Duration,

    /// How long to run before measuring
    #[arg(long, value_name = "DURATION", default_value = "2s", requires = "bench", value_parser = duration)]
    pub warmup: Duration,

    /// Calls a second to aim at, over all clients; also --ratelimit [default: as many as possible]
    #[arg(long, alias = "ratelimit", value_name = "N", requires = "bench", value_parser = clap::value_parser!(u64).range(1..))]
    pub rate: Option<u64>,

    /// Voter: number of contestants
    #[arg(long, value_name = "N", default_value_t = 6, requires = "bench",
          value_parser = clap::value_parser!(u32).range(1..=12))]
    pub contestants: u32,

    /// Voter: votes that each phone number has
    #[arg(long, value_name = "N", default_value_t = 2, requires = "bench",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub maxvotes: u32,

    /// Seed of everything random; the same seed gives the same calls
    #[arg(long, value_name = "N", requires = "bench")]
    pub seed: Option<u64>,

    /// No live view: a line a second, and the full closing block; also --no-tui
    #[arg(long, alias = "no-tui", requires = "bench")]
    pub plain: bool,

    /// Without a live view: how long from line to line
    #[arg(long, alias = "displayinterval", value_name = "DURATION", default_value = "1s", requires = "bench",
          value_parser = positive_duration)]
    pub display_interval: Duration,

    /// Also print the histogram of latencies in the end
    #[arg(long, alias = "latencyreport", requires = "bench", num_args = 0..=1, default_missing_value = "true",
          default_value_t = false, action = clap::ArgAction::Set)]
    pub latency_report: bool,

    /// Also write a line of CSV for each second to this file; also --statsfile
    #[arg(long, alias = "statsfile", value_name = "FILE", requires = "bench")]
    pub stats_file: Option<PathBuf>,

    /// Also write the measurements to this file
    #[arg(long, value_name = "FILE", requires = "bench")]
    pub json: Option<PathBuf>,

    /// Write report.html, report.json, report.csv and charts into a folder of this one
    #[arg(long, value_name = "DIR", requires = "bench")]
    pub report: Option<PathBuf>,

    /// Voter: every number of partitions with every mode, beside the published study
    #[arg(long, requires = "bench")]
    pub matrix: bool,

    /// Numbers of partitions of the matrix: 1,2,4..11
    #[arg(long, value_name = "LIST", default_value = "1,2,4,8,16", requires = "matrix", value_parser = number_list)]
    pub partitions_list: NumberList,

    /// How often each cell of a matrix, and each side of a comparison with a peer, is run
    #[arg(long, value_name = "N", default_value_t = 3, requires = "bench", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repetitions: u32,

    /// Records: also with each record as one JSON document
    #[arg(long, requires = "bench")]
    pub json_documents: bool,

    /// Records and other workloads: size, as a multiple of the published one (0.01 to 100) [default: chosen by memory]
    #[arg(long, value_name = "FACTOR", requires = "bench", value_parser = scale)]
    pub scale: Option<f64>,

    /// Voter: the same calls also on another database, in turn (sqlite; needs the feature peers)
    #[arg(long, value_name = "NAME", requires = "bench")]
    pub peer: Option<String>,

    /// Measure what the live view costs: the same run is drawn in every other second
    #[arg(long, requires = "bench", conflicts_with = "plain")]
    pub screen_cost: bool,
}

/// Numbers of partitions, ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberList(pub Vec<usize>);

fn mode(text: &str) -> Result<Mode, String> {
    text.parse().map_err(|error: crate::bench::options::OptionsError| error.to_string())
}

fn clients(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("there must be at least 1 client".to_owned()),
        Ok(count) if count > CLIENTS_MAX => Err(format!("there may be at most {CLIENTS_MAX} clients")),
        Ok(count) => Ok(count),
        Err(_) => Err(format!("write the number of clients as a whole number from 1 to {CLIENTS_MAX}")),
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

fn positive_duration(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err(format!("{text} is no time at all: it must be more than 0")),
        value => Ok(value),
    }
}

fn scale(text: &str) -> Result<f64, String> {
    let scale = text.parse::<f64>().ok().filter(|scale| (0.0001..=100.0).contains(scale));
    scale.ok_or_else(|| format!("{text} is no scale: write a number from 0.0001 to 100"))
}

fn number_list(text: &str) -> Result<NumberList, String> {
    let wrong = |part: &str| format!("{part} is no number of partitions from 1 to 1024; write a list like 1,2,4..11");
    let number = |part: &str| part.trim().parse().ok().filter(|n| (1..=1024).contains(n)).ok_or_else(|| wrong(part));
    let mut numbers = Vec::new();
    for part in text.split(',') {
        match part.split_once("..") {
            Some((first, last)) => numbers.extend(number(first)?..=number(last)?),
            None => numbers.push(number(part)?),
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.is_empty() { Err(wrong(text)) } else { Ok(NumberList(numbers)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_partitions_have_ranges() {
        assert_eq!(number_list("1,2,4..7,4"), Ok(NumberList(vec![1, 2, 4, 5, 6, 7])));
        for wrong in ["", "0", "1,,2", "9..4", "1..2000", "two"] {
            assert!(number_list(wrong).is_err(), "{wrong}");
        }
        assert!(scale("0").is_err() && scale("1e9").is_err());
        assert_eq!(scale("0.01"), Ok(0.01));
    }
}
