//! Reports as plain text: a line a second without a dashboard, and the summary that stays when a run is over.

use std::fmt::Write as _;
use std::io::Write;
use std::time::Duration;

use crate::bench::driver::{Flow, Observer};
use crate::bench::options::VoterOptions;
use crate::bench::run::{LatencyUs, Report};
use crate::bench::sampler::{Phase, Sample};
use crate::bench::signals;
use crate::bench::units::{clock, count, duration, grouped, micros, percent, rate};
use crate::stats::Histogram;

/// The summary of a run: some ten lines, each ending with a line feed. `color` marks only what went wrong.
pub fn summary(report: &Report, color: bool) -> String {
    let mut out = String::new();
    let title = report.options.title();
    let whole = if report.duration_s < 9.95 { 1 } else { 0 };
    let _ = write!(out, " {title} · {:.whole$} s measured", report.duration_s);
    if report.warmup_s > 0.0 {
        let _ = write!(out, " after {} s warm-up", report.warmup_s);
    }
    let _ = writeln!(out, " · {}\n", report.durability);
    line(&mut out, "throughput", &throughput(report));
    latency(&mut out, "latency µs", &report.latency_us);
    if let Some(service) = &report.service_us {
        latency(&mut out, "service µs", service);
    }
    line(&mut out, "votes", &votes(report));
    if report.verified {
        let limit = report.options.max_votes;
        let kept = format!("rows = views = accepted; no phone above {limit}; no call lost or counted twice");
        line(&mut out, "verified", &kept);
    } else {
        for broken in &report.broken {
            let text = if color { format!("\x1b[31m{broken}\x1b[39m") } else { broken.clone() };
            line(&mut out, "NOT VERIFIED", &text);
        }
    }
    for warning in &report.warnings {
        line(&mut out, "warning", &warning.to_string());
    }
    let times = report.throughput_tps / STUDY_TPS;
    line(&mut out, "study", &format!("12 nodes: 695 thousand/s; this run: {times:.2} times that"));
    if let Some(winner) = report.standing.first() {
        let total: u64 = report.standing.iter().map(|s| s.votes).sum();
        let share = percent(winner.votes as f64 / total.max(1) as f64);
        let _ = writeln!(out);
        line(&mut out, "winner", &format!("{} with {} votes ({share})", winner.name, grouped(winner.votes)));
    }
    out
}

/// What the published study of voter reached on twelve nodes.
const STUDY_TPS: f64 = 695_000.0;

fn line(out: &mut String, label: &str, text: &str) {
    let _ = writeln!(out, "   {label:<12} {text}");
}

fn throughput(report: &Report) -> String {
    let mut text = format!("{} votes/s", grouped(report.throughput_tps.round() as u64));
    let mut seconds = report.throughput_per_second.clone();
    if seconds.len() > 1 {
        seconds.sort_by(f64::total_cmp);
        let (median, lowest) = (seconds[seconds.len() / 2], seconds[0]);
        let _ = write!(text, "   (per second: median {}, lowest {})", rate(median), rate(lowest));
    }
    text
}

/// Two lines: the usual, and the tail.
fn latency(out: &mut String, label: &str, l: &LatencyUs) {
    let figures = |some: &[(&str, f64)]| {
        some.iter().map(|(name, us)| format!("{name} {}", micros(*us))).collect::<Vec<_>>().join("   ")
    };
    line(out, label, &figures(&[("mean", l.mean), ("p50", l.p50), ("p90", l.p90), ("p95", l.p95), ("p99", l.p99)]));
    line(out, "", &figures(&[("p99.9", l.p999), ("p99.99", l.p9999), ("max", l.max)]));
}

fn votes(report: &Report) -> String {
    let votes = &report.votes;
    let mut text = format!(
        "{} calls: {} accepted, {} unknown contestant, {} over the limit",
        count(votes.calls() + report.errors),
        count(votes.accepted),
        count(votes.rejected_contestant),
        count(votes.rejected_limit)
    );
    if report.errors > 0 {
        let _ = write!(text, ", {} failed", count(report.errors));
    }
    text
}

/// Writes a line a second: run time, votes per second, latencies of that second, totals.
pub struct Progress<W: Write> {
    out: W,
    ends_s: u64,
    /// Since the last line.
    latency: Histogram,
    ns: u64,
    interval_ns: u64,
    seen_signals: usize,
}

impl<W: Write> Progress<W> {
    /// Also begins to watch signals, so that the run ends in order when one comes.
    pub fn new(options: &VoterOptions, out: W) -> Progress<W> {
        signals::watch();
        let ends_s = (options.warmup + options.duration).as_secs();
        Progress {
            out,
            ends_s,
            latency: Histogram::new(),
            ns: 0,
            interval_ns: 1_000_000_000,
            seen_signals: signals::count(),
        }
    }

    /// How long it is from line to line, at least; a second, if nothing is said.
    pub fn every(mut self, interval: Duration) -> Progress<W> {
        self.interval_ns = crate::bench::clock::nanos(interval);
        self
    }
}

impl<W: Write> Observer for Progress<W> {
    fn sample(&mut self, sample: &Sample) {
        self.latency.merge(&sample.latency);
        self.ns += sample.interval_ns;
        if self.ns + sample.interval_ns / 10 < self.interval_ns {
            return;
        }
        let [p50, p99] = self.latency.quantiles([0.5, 0.99]);
        let per_second = self.latency.count() as f64 * 1e9 / self.ns as f64;
        let rejected = sample.votes.calls() - sample.votes.accepted;
        let phase = if sample.phase == Phase::WarmUp { "  warm-up" } else { "" };
        // A reader that went away is no reason to end a run.
        let _ = writeln!(
            self.out,
            "{} / {}  {:>7} votes/s  p50 {:>6}  p99 {:>6}  max {:>6}  accepted {:>7}  rejected {:>7}  failed {}{phase}",
            clock((sample.at_ns + 50_000_000) / 1_000_000_000),
            clock(self.ends_s),
            rate(per_second),
            duration(p50),
            duration(p99),
            duration(self.latency.max()),
            count(sample.votes.accepted),
            count(rejected),
            count(sample.errors),
        );
        let _ = self.out.flush();
        self.latency.reset();
        self.ns = 0;
    }

    fn wait(&mut self, limit: Duration) -> Flow {
        std::thread::sleep(limit.min(Duration::from_millis(50)));
        let seen = signals::count();
        if seen > self.seen_signals {
            self.seen_signals = seen;
            return Flow::Leave;
        }
        Flow::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::run::Warning;
    use crate::bench::run::tests::outcome;
    use crate::bench::sampler::Standing;

    fn report(checked: Result<(), Vec<String>>) -> Report {
        let mut outcome = outcome();
        outcome.standing = vec![
            Standing { number: 1, name: "Edwina Burnam".to_owned(), votes: 60_000, states_led: 40 },
            Standing { number: 2, name: "Tabatha Gehling".to_owned(), votes: 38_000, states_led: 11 },
        ];
        let options = VoterOptions { partitions: 2, ..VoterOptions::default() };
        let mut report = Report::new(&options, &outcome, checked);
        // Whether this is a debug build depends on how the tests are built.
        report.warnings.clear();
        report
    }

    #[test]
    fn the_summary_says_what_ran_how_fast_and_whether_it_was_right() {
        let expected = "\x20voter · async · 2 partitions · 1 client · 2.0 s measured after 5 s warm-up · memory only

   throughput   50,000 votes/s   (per second: median 60.0 k, lowest 40.0 k)
   latency µs   mean 12   p50 12   p90 12   p95 12   p99 12
                p99.9 48   p99.99 48   max 48
   votes        100 k calls: 98.0 k accepted, 1.99 k unknown contestant, 10 over the limit
   verified     rows = views = accepted; no phone above 2; no call lost or counted twice
   study        12 nodes: 695 thousand/s; this run: 0.07 times that

   winner       Edwina Burnam with 60,000 votes (61.2 %)
";
        assert_eq!(summary(&report(Ok(())), true), expected);
    }

    #[test]
    fn broken_promises_and_warnings_stand_out_in_the_summary() {
        let mut report = report(Err(vec!["one row is missing".to_owned(), "a call was lost".to_owned()]));
        report.warnings.push(Warning::FewCalls { calls: 7 });
        let text = summary(&report, false);
        assert!(text.contains("   NOT VERIFIED one row is missing\n   NOT VERIFIED a call was lost\n"), "{text}");
        assert!(text.contains("   warning      7 calls are too few"), "{text}");
        assert!(!text.contains("verified  ") && !text.contains('\x1b'), "{text}");
        assert!(summary(&report, true).contains("\x1b[31mone row is missing\x1b[39m"));
    }

    #[test]
    fn progress_is_a_line_a_second() {
        let mut out = Vec::new();
        let mut progress = Progress::new(&VoterOptions::default(), &mut out);
        let mut sample = Sample::new(1);
        for step in 1..=10 {
            (sample.at_ns, sample.interval_ns) = (step * 200_000_000, 200_000_000);
            sample.phase = if step <= 5 { Phase::WarmUp } else { Phase::Measure };
            sample.latency.reset();
            sample.latency.record_n(12_000, 100_000);
            sample.votes.accepted += 100_000;
            progress.sample(&sample);
        }
        let expected = "\
00:01 / 01:05    500 k votes/s  p50  12 µs  p99  12 µs  max  12 µs  accepted   500 k  rejected       0  failed 0  warm-up
00:02 / 01:05    500 k votes/s  p50  12 µs  p99  12 µs  max  12 µs  accepted  1.00 M  rejected       0  failed 0
";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
