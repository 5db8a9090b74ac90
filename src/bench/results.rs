//! Results: what every benchmark leaves, in one shape, so that reports and comparisons need to know no workload.

use serde::{Deserialize, Serialize};

use crate::bench::machine::Machine;
use crate::bench::run::{LatencyUs, Report};

/// The `schema` of a document: raised when a key changes its meaning or goes away.
pub const SCHEMA: &str = "votedb-bench-1";

/// One figure that was published for the same thing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// On what: `one node, 8 threads`.
    pub of: String,
    /// In the entry's unit.
    pub value: f64,
}

/// One repetition, or one second, of an entry.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Repetition {
    /// A second, in the entry's unit.
    pub throughput: f64,
    pub latency_us: LatencyUs,
}

/// One thing that was measured: a cell of a matrix, a scenario, a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Unique in its document; comparisons pair entries by it.
    pub name: String,
    /// The line of a chart that it belongs to, and where on it: the number of partitions.
    pub series: String,
    pub x: f64,
    /// What is counted: `votes/s`, `records/s`.
    pub unit: String,
    /// The median repetition's.
    pub throughput: f64,
    /// What a comparison takes its intervals from.
    pub samples: Vec<Repetition>,
    /// Of all calls.
    pub latency_us: LatencyUs,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_us: Option<LatencyUs>,
    pub calls: u64,
    pub errors: u64,
    pub verified: bool,
    pub broken: Vec<String>,
    #[serde(default)]
    pub published: Vec<Published>,
    /// Remarks in words: what was counted, what was not synchronous.
    #[serde(default)]
    pub note: String,
}

impl Entry {
    /// Throughput of the repetitions: least, median, greatest.
    pub fn spread(&self) -> (f64, f64, f64) {
        let mut rates: Vec<f64> = self.samples.iter().map(|sample| sample.throughput).collect();
        rates.sort_by(f64::total_cmp);
        match rates.len() {
            0 => (self.throughput, self.throughput, self.throughput),
            n => (rates[0], median(&rates), rates[n - 1]),
        }
    }
}

/// Of ascending values; 0 without any.
pub fn median(ascending: &[f64]) -> f64 {
    match ascending.len() {
        0 => 0.0,
        n if n % 2 == 1 => ascending[n / 2],
        n => (ascending[n / 2 - 1] + ascending[n / 2]) / 2.0,
    }
}

/// What is saved as `report.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document {
    pub schema: &'static str,
    /// `run`, `matrix`, `records`, `workload` or `peers`.
    pub kind: &'static str,
    pub title: String,
    pub machine: Machine,
    pub durability: String,
    pub warnings: Vec<String>,
    pub entries: Vec<Entry>,
    /// All of a single run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Report>,
}

impl Document {
    pub fn new(kind: &'static str, title: impl Into<String>, durability: &str) -> Document {
        let warnings = if cfg!(debug_assertions) {
            vec!["this is a debug build; figures need --release".to_owned()]
        } else {
            Vec::new()
        };
        Document {
            schema: SCHEMA,
            kind,
            title: title.into(),
            machine: Machine::this(),
            durability: durability.to_owned(),
            warnings,
            entries: Vec::new(),
            run: None,
        }
    }

    /// A single run: its seconds are its samples.
    pub fn of_run(report: &Report) -> Document {
        let mut document = Document::new("run", report.options.title(), &report.durability);
        document.warnings = report.warnings.iter().map(ToString::to_string).collect();
        document.machine = report.machine.clone();
        document.entries.push(Entry::of_run(report));
        document.run = Some(report.clone());
        document
    }

    /// Whether every self-check held.
    pub fn verified(&self) -> bool {
        self.entries.iter().all(|entry| entry.verified)
    }

    /// Indented JSON with a line feed at its end.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("a document has only string keys");
        json.push('\n');
        json
    }
}

impl Entry {
    /// A run of voter as one entry.
    pub fn of_run(report: &Report) -> Entry {
        let samples = report.seconds.iter().filter(|second| second.is_whole());
        Entry {
            name: format!("voter {} p{} c{}", report.mode, report.partitions, report.clients),
            series: report.mode.clone(),
            x: report.partitions as f64,
            unit: "votes/s".to_owned(),
            throughput: report.throughput_tps,
            samples: samples
                .map(|second| Repetition { throughput: second.rate(), latency_us: second.latency_us.clone() })
                .collect(),
            latency_us: report.latency_us.clone(),
            service_us: report.service_us.clone(),
            calls: report.votes.calls(),
            errors: report.errors,
            verified: report.verified,
            broken: report.broken.clone(),
            published: Vec::new(),
            note: String::new(),
        }
    }
}
