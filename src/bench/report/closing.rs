//! The closing block: what VoltDB's voter clients print when they end, section by section.

use std::fmt::Write as _;

use crate::bench::run::Report;
use crate::bench::units::{duration, grouped, percent};

const RULE: &str = "--------------------------------------------------------------------------------";

/// The block. `with_histogram`: the distribution of latencies, too. Times are in milliseconds, as there.
pub fn closing(report: &Report, with_histogram: bool) -> String {
    let mut out = String::new();
    section(&mut out, "Command Line Configuration");
    configuration(&mut out, report);
    section(&mut out, "Voting Results");
    voting(&mut out, report);
    section(&mut out, "Client Workload Statistics");
    workload(&mut out, report);
    section(&mut out, "System Server Statistics");
    let service = report.service_us.as_ref().unwrap_or(&report.latency_us);
    let _ = writeln!(out, "Reported Internal Avg Latency: {:>13.3} ms", service.mean / 1e3);
    if let Some(busy) = report.generator.busy {
        let _ = writeln!(out, "Time in transactions:          {:>13.2} processors of {}", busy, report.machine.cores);
    }
    if with_histogram {
        section(&mut out, "Latency Histogram");
        histogram(&mut out, &report.distribution_ns);
    }
    out
}

fn section(out: &mut String, title: &str) {
    let _ = writeln!(out, "\n{RULE}\n {title}\n{RULE}\n");
}

fn configuration(out: &mut String, report: &Report) {
    let (options, machine) = (&report.options, &report.machine);
    let rate = options.rate.map_or_else(|| "unlimited".to_owned(), |rate| rate.to_string());
    let lines = [
        ("mode", options.mode.to_string()),
        ("partitions", options.partitions.to_string()),
        ("threads", options.clients.to_string()),
        ("duration", format!("{} s", options.duration.as_secs_f64())),
        ("warmup", format!("{} s", options.warmup.as_secs_f64())),
        ("contestants", options.contestants.to_string()),
        ("maxvotes", options.max_votes.to_string()),
        ("ratelimit", rate),
        ("seed", options.seed.to_string()),
        ("durability", options.durability.clone()),
        ("machine", format!("{}, {} processors, {}", machine.cpu, machine.cores, machine.os)),
        ("build", format!("votedb {} ({})", machine.version, machine.build)),
        ("at", machine.time()),
    ];
    for (name, value) in lines {
        let _ = writeln!(out, "{name:<16} = {value}");
    }
}

fn voting(out: &mut String, report: &Report) {
    let votes = &report.votes;
    let mut line = |text: &str, n: u64| {
        let _ = writeln!(out, "{text:<34} {:>15}", grouped(n));
    };
    line("A total of votes was received:", votes.calls() + report.errors);
    line(" - Accepted:", votes.accepted);
    line(" - Rejected (invalid contestant):", votes.rejected_contestant);
    line(" - Rejected (maximum reached):", votes.rejected_limit);
    line(" - Failed (transaction error):", report.errors);
    let _ = writeln!(out, "\n{:<24} {:>15}", "Contestant Name", "Votes Received");
    for contestant in &report.standing {
        let _ = writeln!(out, "{:<24} {:>15}", contestant.name, grouped(contestant.votes));
    }
    if let Some(winner) = report.standing.first() {
        let _ = writeln!(out, "\nThe Winner is: {}", winner.name);
    }
    let _ = writeln!(out, "(votes received include the warm-up's)");
}

fn workload(out: &mut String, report: &Report) {
    let latency = &report.latency_us;
    let _ =
        writeln!(out, "Average throughput:            {:>13} txns/sec", grouped(report.throughput_tps.round() as u64));
    let _ = writeln!(out, "Average latency:               {:>13.3} ms", latency.mean / 1e3);
    let named = |q: f64| quantile(&report.distribution_ns, q) as f64 / 1e6;
    for (name, q) in [("10th", 0.1), ("25th", 0.25), ("50th", 0.5), ("75th", 0.75), ("90th", 0.9), ("95th", 0.95)]
        .into_iter()
        .chain([("99th", 0.99), ("99.5th", 0.995), ("99.9th", 0.999), ("99.99th", 0.9999)])
    {
        let _ = writeln!(out, "{:<30} {:>13.3} ms", format!("{name} percentile latency:"), named(q));
    }
    let _ = writeln!(out, "{:<30} {:>13.3} ms", "Maximum latency:", latency.max / 1e3);
}

/// The upper bound of the bucket that holds the quantile, in nanoseconds; 0 without calls.
fn quantile(buckets: &[(u64, u64, u64)], q: f64) -> u64 {
    let all: u64 = buckets.iter().map(|bucket| bucket.2).sum();
    let rank = ((q * all as f64).ceil() as u64).max(1);
    let mut below = 0;
    let found = buckets.iter().find(|bucket| {
        below += bucket.2;
        below >= rank
    });
    found.map_or(0, |&(low, high, _)| low + (high - low) / 2)
}

/// A row for each doubling of the duration.
fn histogram(out: &mut String, buckets: &[(u64, u64, u64)]) {
    let all: u64 = buckets.iter().map(|bucket| bucket.2).sum::<u64>().max(1);
    let mut rows = std::collections::BTreeMap::<u32, u64>::new();
    buckets.iter().for_each(|&(low, _, n)| *rows.entry(low.max(1).ilog2()).or_default() += n);
    let most = rows.values().copied().max().unwrap_or(1) as f64;
    for (power, n) in rows {
        let bar = "#".repeat((n as f64 / most * 40.0).ceil() as usize);
        let _ = writeln!(
            out,
            "{:>8} {:>16} {:>8}  {bar}",
            duration(1 << power),
            grouped(n),
            percent(n as f64 / all as f64)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::options::VoterOptions;
    use crate::bench::run::tests::outcome;

    #[test]
    fn the_block_has_the_sections_and_figures_of_the_original() {
        let report = Report::new(&VoterOptions { partitions: 2, ..VoterOptions::default() }, &outcome(), Ok(()));
        let text = closing(&report, true);
        for line in [
            "ratelimit        = unlimited",
            "A total of votes was received:             100,000",
            " - Rejected (invalid contestant):            1,990",
            "Average throughput:                   50,000 txns/sec",
            "95th percentile latency:               0.012 ms",
            "99.9th percentile latency:             0.048 ms",
            " Latency Histogram",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(text.contains("  8.2 µs           99,000   99.0 %  ####"), "{text}");
        assert!(!closing(&report, false).contains("Histogram"));
    }
}
