//! The voter study: throughput and latency by number of partitions, for each way to call.

use std::time::{Duration, Instant};

use crate::bench::database::{open_voter, run_voter};
use crate::bench::driver::{Flow, Observer};
use crate::bench::options::{Mode, VoterOptions};
use crate::bench::results::{Entry, Published, Repetition};
use crate::bench::run::{LatencyUs, Report};
use crate::bench::sampler::Sample;
use crate::bench::signals;
use crate::bench::units;
use crate::stats::Histogram;

pub const MODES: [Mode; 3] = [Mode::Sync, Mode::Async, Mode::Sql];

/// What the study published for a cell, in votes a second. It measured one node with as many client threads as named.
pub fn published(mode: Mode, partitions: usize) -> Vec<Published> {
    let of = |of: &str, value| Published { of: of.to_owned(), value };
    match (mode, partitions) {
        (Mode::Async, 8) => vec![
            of("one node, 8 threads", 118_000.0),
            of("12 nodes", 695_000.0),
            of("12 nodes, the first run", 686_000.0),
        ],
        (Mode::Sync, 4) => vec![of("one node, 4 threads", 63_000.0)],
        (Mode::Sql, 4) => vec![of("one node, JDBC, 4 threads", 59_000.0)],
        _ => Vec::new(),
    }
}

/// What the study said of latencies.
pub fn published_latency(mode: Mode, partitions: usize) -> &'static str {
    match (mode, partitions) {
        (Mode::Async, 9..) => "published with 16 threads: 131 ms mean, 350 ms at 95 %",
        (Mode::Async, _) => "published: below 20 ms up to 8 threads",
        _ => "published: below 5 ms",
    }
}

/// Ends a run at a signal, and shows nothing.
struct Quiet(usize);

impl Observer for Quiet {
    fn sample(&mut self, _: &Sample) {}
    fn wait(&mut self, limit: Duration) -> Flow {
        std::thread::sleep(limit.min(Duration::from_millis(50)));
        if signals::count() > self.0 { Flow::Leave } else { Flow::Continue }
    }
}

/// Runs every mode with every number of partitions, all of it `repetitions` times over, so that what changes on the
/// machine meets all alike. `told` gets a line after each run. A signal ends it; what is done is kept.
pub fn run(
    base: &VoterOptions,
    partitions: &[usize],
    repetitions: u32,
    told: &mut dyn FnMut(&str),
) -> Result<(Vec<Entry>, bool), String> {
    signals::watch();
    let seen = signals::count();
    let cells: Vec<(Mode, usize)> =
        MODES.iter().flat_map(|mode| partitions.iter().map(move |partitions| (*mode, *partitions))).collect();
    let mut done: Vec<Vec<Report>> = cells.iter().map(|_| Vec::new()).collect();
    let (begun, all) = (Instant::now(), cells.len() * repetitions as usize);
    let mut runs = 0;
    'all: for repetition in 1..=repetitions {
        for (cell, (mode, partitions)) in cells.iter().enumerate() {
            let options = VoterOptions { mode: *mode, partitions: *partitions, ..base.clone() };
            let db = open_voter(&options).map_err(|error| error.to_string())?;
            let report = run_voter(&db, &options, &mut Quiet(seen)).map_err(|error| error.to_string())?;
            if signals::count() > seen {
                break 'all;
            }
            runs += 1;
            let left = begun.elapsed().mul_f64((all - runs) as f64 / runs as f64);
            told(&format!(
                "{runs:>3} of {all}  {mode:<5} p{partitions:<3} repetition {repetition}  {:>7} votes/s  mean {:>8} µs  p95 {:>8} µs  \
                 p99 {:>8} µs{}  {} left",
                units::rate(report.throughput_tps),
                units::micros(report.latency_us.mean),
                units::micros(report.latency_us.p95),
                units::micros(report.latency_us.p99),
                if report.verified { "" } else { "  NOT VERIFIED" },
                units::clock(left.as_secs())
            ));
            done[cell].push(report);
        }
    }
    let interrupted = runs < all;
    let cells = cells.into_iter().zip(done).filter(|(_, reports)| !reports.is_empty());
    Ok((cells.map(|((mode, partitions), reports)| entry(mode, partitions, &reports)).collect(), interrupted))
}

fn entry(mode: Mode, partitions: usize, reports: &[Report]) -> Entry {
    let mut entry = repeated(&format!("voter {mode} p{partitions}"), &mode.to_string(), partitions, reports);
    entry.published = published(mode, partitions);
    entry.note = published_latency(mode, partitions).to_owned();
    entry
}

/// Several runs of the same as one entry.
pub(super) fn repeated(name: &str, series: &str, partitions: usize, reports: &[Report]) -> Entry {
    let mut latency = Histogram::new();
    let buckets = reports.iter().flat_map(|report| &report.distribution_ns);
    buckets.for_each(|&(low, high, n)| latency.record_n(low + (high - low) / 2, n));
    let samples = reports
        .iter()
        .map(|report| Repetition { throughput: report.throughput_tps, latency_us: report.latency_us.clone() });
    let mut entry = Entry {
        name: name.to_owned(),
        series: series.to_owned(),
        x: partitions as f64,
        unit: "votes/s".to_owned(),
        samples: samples.collect(),
        latency_us: LatencyUs::of(&latency),
        calls: reports.iter().map(|report| report.votes.calls()).sum(),
        errors: reports.iter().map(|report| report.errors).sum(),
        verified: reports.iter().all(|report| report.verified),
        broken: reports.iter().flat_map(|report| report.broken.clone()).collect(),
        ..Entry::default()
    };
    entry.throughput = entry.spread().1;
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_run_as_often_as_asked_for() {
        let base = VoterOptions {
            duration: Duration::from_millis(60),
            warmup: Duration::ZERO,
            sample_interval: Duration::from_millis(20),
            ..VoterOptions::default()
        };
        let mut lines = Vec::new();
        let (entries, interrupted) = run(&base, &[1, 2], 2, &mut |line| lines.push(line.to_owned())).unwrap();
        assert_eq!((entries.len(), lines.len(), interrupted), (6, 12, false));
        assert!(entries.iter().all(|entry| entry.verified && entry.samples.len() == 2 && entry.throughput > 0.0));
        assert!(lines[11].contains("12 of 12") && lines[11].ends_with("00:00 left"), "{}", lines[11]);
        assert!(entries.iter().all(|entry| entry.latency_us.p95 >= entry.latency_us.p50));
    }
}
