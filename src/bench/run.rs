//! Run: what came of a run, and the report that is saved of it.

use serde::Serialize;

use crate::bench::machine::Machine;
use crate::bench::options::VoterOptions;
use crate::bench::recorder::VoteCounts;
use crate::bench::sampler::Standing;
use crate::bench::verify::Told;
use crate::stats::Histogram;

/// One partition's measured calls.
#[derive(Debug, Clone, Default)]
pub struct PartitionOutcome {
    pub votes: VoteCounts,
    /// From the intended start to the answer, in nanoseconds.
    pub response: Histogram,
    /// From the real start to the answer; only with a rate, where the two differ.
    pub service: Option<Histogram>,
}

/// One client's measured calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ClientOutcome {
    pub votes: VoteCounts,
    pub errors: u64,
}

/// Who used the processors, over the whole run: 1 is one processor all the time. None where the system does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Generator {
    /// The clients' threads. They run transactions themselves while a partition is idle.
    pub cpu: Option<f64>,
    /// The clients' threads, ready to run but waiting for a processor.
    pub cpu_wait: Option<f64>,
    /// Time in transactions, of all partitions.
    pub busy: Option<f64>,
}

/// One measured second. The last may be shorter. Latencies are response times in microseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Second {
    /// From the beginning of the run, warm-up included.
    pub begins_s: f64,
    pub lasts_s: f64,
    pub calls: u64,
    pub latency_us: LatencyUs,
}

impl Second {
    pub(super) fn of(begins_ns: u64, ends_ns: u64, latency: &Histogram) -> Second {
        Second {
            begins_s: begins_ns as f64 / 1e9,
            lasts_s: (ends_ns - begins_ns) as f64 / 1e9,
            calls: latency.count(),
            latency_us: LatencyUs::of(latency),
        }
    }

    /// Calls per second.
    pub fn rate(&self) -> f64 {
        self.calls as f64 / self.lasts_s
    }

    /// Long enough for its rate to be compared.
    pub fn is_whole(&self) -> bool {
        self.lasts_s > 0.9
    }
}

/// What the clients saw. A call was measured if it was answered after the warm-up.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// By partition, from 0; without the warm-up.
    pub partitions: Vec<PartitionOutcome>,
    /// By client, from 0; those that only waited, too.
    pub clients: Vec<ClientOutcome>,
    /// From the end of the warm-up to the last answer.
    pub measured_ns: u64,
    /// Measured calls that failed.
    pub errors: u64,
    /// Answered calls of the whole run, warm-up included.
    pub all_votes: VoteCounts,
    /// Failed calls of the whole run.
    pub all_errors: u64,
    /// Calls handed to the database in the whole run.
    pub submitted: u64,
    /// Calls that were never answered.
    pub lost: u64,
    /// Answers to no call, or to one that had been answered.
    pub unasked: u64,
    /// Calls that were due under the rate and never started.
    pub unsent: u64,
    pub first_error: Option<String>,
    pub generator: Generator,
    /// Every measured call is in one of them.
    pub seconds: Vec<Second>,
    /// Mode, clients or rate were changed while the run went on.
    pub changed: bool,
    /// The run ended before its time: someone left, or a client lost every call.
    pub stopped_early: bool,
    /// After the last vote, most votes first. Empty without a source.
    pub standing: Vec<Standing>,
    /// Each state and its winner.
    pub winners: Vec<(String, i32)>,
}

impl Outcome {
    /// The clients' side of the check.
    pub fn told(&self) -> Told {
        Told {
            votes: self.all_votes,
            submitted: self.submitted,
            errors: self.all_errors,
            first_error: self.first_error.clone(),
            lost: self.lost,
            unasked: self.unasked,
        }
    }
}

/// Latencies in microseconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, serde::Deserialize)]
pub struct LatencyUs {
    pub mean: f64,
    pub p50: f64,
    pub p90: f64,
    pub p95: f64,
    pub p99: f64,
    pub p999: f64,
    pub p9999: f64,
    pub max: f64,
}

impl LatencyUs {
    pub fn of(histogram: &Histogram) -> LatencyUs {
        let us = |ns: u64| ns as f64 / 1000.0;
        let quantiles = histogram.quantiles([0.5, 0.9, 0.95, 0.99, 0.999, 0.9999]).map(us);
        let [p50, p90, p95, p99, p999, p9999] = quantiles;
        let mean = (histogram.mean()).round() / 1000.0;
        LatencyUs { mean, p50, p90, p95, p99, p999, p9999, max: us(histogram.max()) }
    }
}

/// One partition's line of the report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartitionReport {
    pub partition: usize,
    pub throughput_tps: f64,
    pub latency_us: LatencyUs,
    pub votes: VoteCounts,
}

/// Something that makes the numbers mean less than they seem to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "warning", rename_all = "snake_case")]
pub enum Warning {
    DebugBuild,
    StoppedEarly {
        measured_s: f64,
        asked_s: f64,
    },
    RateNotReached {
        asked: f64,
        reached: f64,
        unsent: u64,
    },
    FewCalls {
        calls: u64,
    },
    /// Partitions were idle for most of the time although the clients' threads were at work all the time.
    GeneratorBound {
        clients_cpu: f64,
        partitions_busy: f64,
    },
    /// Threads waited for processors: latencies have that waiting in them.
    Oversubscribed {
        waited: f64,
    },
    /// Mode, clients or rate were changed by hand.
    Changed,
    /// Saved while the run went on.
    Unfinished,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use crate::bench::units::{grouped, rate};
        match self {
            Warning::DebugBuild => f.write_str("this is a debug build; figures need --release"),
            Warning::StoppedEarly { measured_s, asked_s } => {
                write!(f, "stopped after {measured_s:.1} of {asked_s:.1} s")
            }
            Warning::RateNotReached { asked, reached, unsent } => write!(
                f,
                "{}/s were asked for, {}/s reached; {} calls never started, and their waiting is not in the latencies",
                rate(*asked),
                rate(*reached),
                grouped(*unsent)
            ),
            Warning::GeneratorBound { clients_cpu, partitions_busy } => write!(
                f,
                "the load generator is the bottleneck: its threads were at work for {clients_cpu:.1} s a second, \
                 transactions took {partitions_busy:.1} s of them"
            ),
            Warning::Oversubscribed { waited } => write!(
                f,
                "the clients' threads waited for a processor for {waited:.1} s a second; their waiting is in the latencies"
            ),
            Warning::Unfinished => f.write_str("saved while the run went on: nothing has been checked yet"),
            Warning::Changed => f.write_str("mode, clients or rate were changed while the run went on"),
            Warning::FewCalls { calls } => {
                write!(f, "{} calls are too few for the higher percentiles; run longer", grouped(*calls))
            }
        }
    }
}

/// What is saved of a run, and shown when it is over. As JSON its field names are its keys.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    pub workload: &'static str,
    pub mode: String,
    pub partitions: usize,
    pub clients: usize,
    /// Measured seconds: from the end of the warm-up to the last answer.
    pub duration_s: f64,
    pub throughput_tps: f64,
    /// From the intended start to the answer.
    pub latency_us: LatencyUs,
    pub partitions_detail: Vec<PartitionReport>,
    /// Measured calls by answer; `calls` below also has the warm-up.
    pub votes: VoteCounts,
    /// Every promise of the check was kept.
    pub verified: bool,
    /// The promises that were broken.
    pub broken: Vec<String>,
    pub warnings: Vec<Warning>,
    /// From the real start to the answer; only with a rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_us: Option<LatencyUs>,
    /// Measured calls that failed.
    pub errors: u64,
    /// Answered calls of the whole run, warm-up included: what the check is about.
    pub votes_with_warmup: VoteCounts,
    /// Calls per second of each whole measured second.
    pub throughput_per_second: Vec<f64>,
    pub seconds: Vec<Second>,
    pub clients_detail: Vec<ClientOutcome>,
    pub generator: Generator,
    /// Shortest and longest latency in nanoseconds and how many, for each bucket that holds something.
    pub distribution_ns: Vec<(u64, u64, u64)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub service_distribution_ns: Vec<(u64, u64, u64)>,
    pub machine: Machine,
    pub warmup_s: f64,
    pub rate: Option<f64>,
    pub seed: u64,
    pub durability: String,
    pub options: VoterOptions,
    pub standing: Vec<Standing>,
    pub winners: Vec<(String, i32)>,
}

/// Below this the 99.9 % latency rests on fewer than ten calls.
const CALLS_LEAST: u64 = 10_000;

impl Report {
    /// `checked` is the answer of [`crate::bench::verify::verify`].
    pub fn new(options: &VoterOptions, outcome: &Outcome, checked: Result<(), Vec<String>>) -> Report {
        let seconds = outcome.measured_ns as f64 / 1e9;
        let per_second = |calls: u64| if seconds > 0.0 { calls as f64 / seconds } else { 0.0 };
        let (mut response, mut service) = (Histogram::new(), None);
        let mut votes = VoteCounts::default();
        for partition in &outcome.partitions {
            votes += partition.votes;
            response.merge(&partition.response);
            if let Some(part) = &partition.service {
                service.get_or_insert_with(Histogram::new).merge(part);
            }
        }
        let detail = |(partition, of): (usize, &PartitionOutcome)| PartitionReport {
            partition,
            throughput_tps: per_second(of.votes.calls()),
            latency_us: LatencyUs::of(&of.response),
            votes: of.votes,
        };
        let throughput_tps = per_second(votes.calls());
        Report {
            workload: "voter",
            mode: options.mode.to_string(),
            partitions: options.partitions,
            clients: options.clients,
            duration_s: seconds,
            throughput_tps,
            latency_us: LatencyUs::of(&response),
            partitions_detail: outcome.partitions.iter().enumerate().map(detail).collect(),
            votes,
            verified: checked.is_ok(),
            broken: checked.err().unwrap_or_default(),
            warnings: warnings(options, outcome, votes.calls(), throughput_tps),
            service_us: service.as_ref().map(LatencyUs::of),
            errors: outcome.errors,
            votes_with_warmup: outcome.all_votes,
            throughput_per_second: outcome.seconds.iter().filter(|s| s.is_whole()).map(Second::rate).collect(),
            seconds: outcome.seconds.clone(),
            clients_detail: outcome.clients.clone(),
            generator: outcome.generator,
            distribution_ns: response.buckets().collect(),
            service_distribution_ns: service.iter().flat_map(Histogram::buckets).collect(),
            machine: Machine::this(),
            warmup_s: options.warmup.as_secs_f64(),
            rate: options.rate,
            seed: options.seed,
            durability: options.durability.clone(),
            options: options.clone(),
            standing: outcome.standing.clone(),
            winners: outcome.winners.clone(),
        }
    }

    /// Indented JSON with a line feed at its end.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("a report has only string keys and finite numbers");
        json.push('\n');
        json
    }
}

fn warnings(options: &VoterOptions, outcome: &Outcome, calls: u64, reached: f64) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if cfg!(debug_assertions) {
        warnings.push(Warning::DebugBuild);
    }
    if outcome.stopped_early {
        let measured_s = outcome.measured_ns as f64 / 1e9;
        warnings.push(Warning::StoppedEarly { measured_s, asked_s: options.duration.as_secs_f64() });
    }
    if let Some(asked) = options.rate
        && outcome.unsent as f64 > outcome.submitted as f64 * 0.001 + options.clients as f64
    {
        warnings.push(Warning::RateNotReached { asked, reached, unsent: outcome.unsent });
    }
    let generator = outcome.generator;
    if let (Some(clients_cpu), Some(partitions_busy)) = (generator.cpu, generator.busy)
        && options.rate.is_none()
        && clients_cpu > 0.8 * options.clients as f64
        && partitions_busy < 0.4 * clients_cpu.min(options.partitions as f64)
    {
        warnings.push(Warning::GeneratorBound { clients_cpu, partitions_busy });
    }
    if let Some(waited) = generator.cpu_wait.filter(|waited| *waited > 0.25 * options.clients as f64) {
        warnings.push(Warning::Oversubscribed { waited });
    }
    if outcome.changed {
        warnings.push(Warning::Changed);
    }
    if calls < CALLS_LEAST {
        warnings.push(Warning::FewCalls { calls });
    }
    warnings
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// 100,000 calls in 2 s, all to the first of two partitions.
    pub(in crate::bench) fn outcome() -> Outcome {
        let mut response = Histogram::new();
        response.record_n(12_000, 99_000);
        response.record_n(48_000, 1_000);
        let votes = VoteCounts { accepted: 98_000, rejected_contestant: 1_990, rejected_limit: 10 };
        Outcome {
            partitions: vec![PartitionOutcome { votes, response, service: None }, PartitionOutcome::default()],
            measured_ns: 2_000_000_000,
            clients: vec![ClientOutcome { votes, errors: 0 }],
            errors: 0,
            all_votes: votes,
            all_errors: 0,
            submitted: 100_000,
            lost: 0,
            unasked: 0,
            unsent: 5_000,
            first_error: None,
            generator: Generator::default(),
            seconds: [40_000, 60_000]
                .map(|calls| Second { calls, begins_s: 0.0, lasts_s: 1.0, latency_us: LatencyUs::default() })
                .to_vec(),
            changed: false,
            stopped_early: false,
            standing: Vec::new(),
            winners: Vec::new(),
        }
    }

    #[test]
    fn the_json_has_the_promised_keys() {
        let options = VoterOptions { partitions: 2, ..VoterOptions::default() };
        let report = Report::new(&options, &outcome(), Ok(()));
        let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
        assert_eq!(json["workload"], "voter");
        assert_eq!(json["mode"], "async");
        assert_eq!((&json["partitions"], &json["clients"]), (&2.into(), &1.into()));
        assert_eq!((&json["duration_s"], &json["throughput_tps"]), (&2.0.into(), &50_000.0.into()));
        for key in ["mean", "p50", "p95", "p99", "p999", "max"] {
            assert!(json["latency_us"][key].is_f64(), "{key}");
            assert!(json["partitions_detail"][1]["latency_us"][key].is_f64(), "{key}");
        }
        assert_eq!(json["partitions_detail"][0]["throughput_tps"], 50_000.0);
        assert_eq!(json["partitions_detail"][1]["partition"], 1);
        assert_eq!(
            json["votes"],
            serde_json::json!({"accepted": 98_000, "rejected_contestant": 1_990, "rejected_limit": 10})
        );
        assert_eq!(json["verified"], true);
        assert_eq!(json["options"]["duration"], 60.0);
    }

    #[test]
    fn a_broken_promise_is_in_the_report() {
        let report = Report::new(&VoterOptions::default(), &outcome(), Err(vec!["one row is missing".to_owned()]));
        assert!(!report.verified);
        assert_eq!(report.broken, ["one row is missing"]);
    }

    #[test]
    fn a_rate_that_was_not_reached_is_told() {
        let warned = |options: &VoterOptions| {
            let report = Report::new(options, &outcome(), Ok(()));
            report.warnings.iter().any(|w| matches!(w, Warning::RateNotReached { unsent: 5_000, .. }))
        };
        assert!(warned(&VoterOptions { rate: Some(1e6), ..VoterOptions::default() }));
        assert!(!warned(&VoterOptions::default()));
    }
}
