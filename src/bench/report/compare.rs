//! Compare: two reports, entry by entry, with intervals, verdicts, and conditions for a build to fail.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::bench::report::charts::Bars;
use crate::bench::results::{Entry, Repetition};
use serde::Deserialize;

/// The part of a report that a comparison needs.
#[derive(Debug, Deserialize)]
struct Saved {
    schema: String,
    title: String,
    entries: Vec<Entry>,
}

/// Why two reports were not compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path} is no report of a benchmark: {message}")]
    NoReport { path: PathBuf, message: String },
    #[error("the reports have no entry in common: {a} in one, {b} in the other")]
    NothingInCommon { a: String, b: String },
    #[error("{text} is no condition; write a metric, > or <, and percent: p99>+10%, throughput<-5%")]
    Condition { text: String },
    #[error("cannot write {path}: {message}")]
    Write { path: PathBuf, message: String },
}

type Metric = (&'static str, fn(&Repetition) -> f64);

/// Metrics by name; of throughput more is better, of the others less.
const METRICS: [Metric; 9] = [
    ("throughput", |r| r.throughput),
    ("mean", |r| r.latency_us.mean),
    ("p50", |r| r.latency_us.p50),
    ("p90", |r| r.latency_us.p90),
    ("p95", |r| r.latency_us.p95),
    ("p99", |r| r.latency_us.p99),
    ("p99.9", |r| r.latency_us.p999),
    ("p99.99", |r| r.latency_us.p9999),
    ("max", |r| r.latency_us.max),
];

/// The change of one metric from the first report to the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Percent of the first's mean, with its 95 % interval; none with fewer than two samples on either side.
    pub percent: f64,
    pub interval: Option<(f64, f64)>,
}

impl Change {
    /// Of the means of some samples, by Welch's method.
    pub fn of(a: &[f64], b: &[f64]) -> Option<Change> {
        let (mean_a, var_a) = mean_and_variance(a)?;
        let (mean_b, var_b) = mean_and_variance(b)?;
        if mean_a <= 0.0 {
            return None;
        }
        let percent = (mean_b - mean_a) / mean_a * 100.0;
        let interval = (a.len() > 1 && b.len() > 1).then(|| {
            let (of_a, of_b) = (var_a / a.len() as f64, var_b / b.len() as f64);
            let error = (of_a + of_b).sqrt();
            let freedom = if error > 0.0 {
                (of_a + of_b).powi(2) / (of_a.powi(2) / (a.len() - 1) as f64 + of_b.powi(2) / (b.len() - 1) as f64)
            } else {
                1.0
            };
            let half = student(freedom) * error / mean_a * 100.0;
            (percent - half, percent + half)
        });
        Some(Change { percent, interval })
    }

    /// In words; `more_is_better` for throughput.
    pub fn verdict(&self, more_is_better: bool) -> &'static str {
        match self.interval {
            None => "one sample",
            Some((low, high)) if low > 0.0 || high < 0.0 => {
                if (self.percent > 0.0) == more_is_better {
                    "better"
                } else {
                    "worse"
                }
            }
            Some((low, high)) if high - low < 6.0 => "same",
            Some(_) => "unclear",
        }
    }
}

fn mean_and_variance(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    let mean = (!values.is_empty()).then(|| values.iter().sum::<f64>() / n)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((mean, if values.len() > 1 { squares / (n - 1.0) } else { 0.0 }))
}

/// The 97.5 % quantile of Student's distribution.
fn student(freedom: f64) -> f64 {
    const TABLE: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    if freedom < 10.5 {
        return TABLE[(freedom.floor().max(1.0) as usize - 1).min(9)];
    }
    // Within a thousandth from ten degrees on.
    let z = 1.959964_f64;
    z + (z.powi(3) + z) / (4.0 * freedom) + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * freedom * freedom)
}

/// `p99>+10%`: the build fails if the metric of any entry changed by more, and surely in that direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    metric: String,
    above: bool,
    percent: f64,
}

impl std::str::FromStr for Condition {
    type Err = CompareError;

    fn from_str(text: &str) -> Result<Condition, CompareError> {
        let wrong = || CompareError::Condition { text: text.to_owned() };
        let at = text.find(['>', '<']).ok_or_else(wrong)?;
        let metric = text[..at].trim().to_lowercase();
        let percent = text[at + 1..].trim().trim_end_matches('%').trim();
        if !METRICS.iter().any(|(name, _)| *name == metric) {
            return Err(wrong());
        }
        let percent = percent.parse::<f64>().ok().filter(|percent| percent.is_finite()).ok_or_else(wrong)?;
        Ok(Condition { metric, above: text.as_bytes()[at] == b'>', percent })
    }
}

impl Condition {
    fn met(&self, metric: &str, change: &Change) -> bool {
        let sure = match change.interval {
            Some((low, high)) => {
                if self.above {
                    low > 0.0
                } else {
                    high < 0.0
                }
            }
            None => true,
        };
        let beyond = if self.above { change.percent > self.percent } else { change.percent < self.percent };
        self.metric == metric && beyond && sure
    }
}

fn read(path: &Path) -> Result<Saved, CompareError> {
    let file = if path.is_dir() { path.join("report.json") } else { path.to_owned() };
    let text = std::fs::read_to_string(&file).map_err(|source| CompareError::Read { path: file.clone(), source })?;
    let saved: Saved = serde_json::from_str(&text)
        .map_err(|error| CompareError::NoReport { path: file.clone(), message: error.to_string() })?;
    if saved.schema != crate::bench::results::SCHEMA {
        let message = format!("its schema is {}, not {}", saved.schema, crate::bench::results::SCHEMA);
        return Err(CompareError::NoReport { path: file, message });
    }
    Ok(saved)
}

/// Compares two reports (files, or folders with a `report.json`): the table, and the conditions that were met.
///
/// `chart`: where an overlay of both is written.
pub fn compare(
    a: &Path,
    b: &Path,
    conditions: &[Condition],
    chart: Option<&Path>,
) -> Result<(String, Vec<String>), CompareError> {
    let (first, second) = (read(a)?, read(b)?);
    let pairs: Vec<(&Entry, &Entry)> = first
        .entries
        .iter()
        .filter_map(|entry| Some((entry, second.entries.iter().find(|other| other.name == entry.name)?)))
        .collect();
    if pairs.is_empty() {
        let names =
            |saved: &Saved| saved.entries.iter().map(|e| e.name.as_str()).take(3).collect::<Vec<_>>().join(", ");
        return Err(CompareError::NothingInCommon { a: names(&first), b: names(&second) });
    }
    let mut out = format!("\n A: {} ({})\n B: {} ({})\n", a.display(), first.title, b.display(), second.title);
    let mut met = Vec::new();
    for (before, after) in &pairs {
        let _ = writeln!(
            out,
            "\n {}\n   {:<12} {:>14} {:>14} {:>10}  {:<22} verdict",
            before.name, "", "A", "B", "change", "95 % interval"
        );
        for (metric, of) in METRICS {
            let values = |entry: &Entry| entry.samples.iter().map(of).collect::<Vec<_>>();
            let Some(change) = Change::of(&values(before), &values(after)) else { continue };
            let mean = |entry: &Entry| mean_and_variance(&values(entry)).map_or(0.0, |(mean, _)| mean);
            let interval =
                change.interval.map_or_else(|| "–".to_owned(), |(low, high)| format!("{low:+.1} % to {high:+.1} %"));
            let verdict = change.verdict(metric == "throughput");
            let _ = writeln!(
                out,
                "   {metric:<12} {:>14} {:>14} {:>9}%  {interval:<22} {verdict}",
                figure(mean(before)),
                figure(mean(after)),
                format!("{:+.1} ", change.percent)
            );
            for condition in conditions.iter().filter(|condition| condition.met(metric, &change)) {
                let sign = if condition.above { '>' } else { '<' };
                met.push(format!(
                    "{}: {metric} changed by {:+.1} % ({metric}{sign}{:+}%)",
                    before.name, change.percent, condition.percent
                ));
            }
        }
    }
    let _ = writeln!(
        out,
        "\n Samples are repetitions, or the seconds of a single run; seconds follow one another, so their intervals are narrow."
    );
    if let Some(path) = chart {
        let bars = Bars {
            title: "A and B".to_owned(),
            unit: pairs[0].0.unit.clone(),
            kinds: vec!["A".to_owned(), "B".to_owned()],
            groups: pairs.iter().map(|(a, b)| (a.name.clone(), vec![a.throughput, b.throughput])).collect(),
        };
        let write = |message: String| CompareError::Write { path: path.to_owned(), message };
        std::fs::write(path, bars.svg().map_err(|error| write(error.to_string()))?)
            .map_err(|error| write(error.to_string()))?;
        let _ = writeln!(out, " saved {}", path.display());
    }
    Ok((out, met))
}

fn figure(value: f64) -> String {
    if value >= 1_000.0 { crate::bench::units::grouped(value.round() as u64) } else { format!("{value:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_intervals_and_verdicts() {
        let change = Change::of(&[100.0, 102.0, 98.0], &[120.0, 121.0, 119.0]).unwrap();
        assert!((change.percent - 20.0).abs() < 1e-9);
        let (low, high) = change.interval.unwrap();
        // Some 2.9 degrees of freedom count as 2: 4.303 times the square root of 4/3 + 1/3.
        assert!((low - 14.445).abs() < 0.001 && (high - 25.555).abs() < 0.001, "{low} {high}");
        assert_eq!((change.verdict(true), change.verdict(false)), ("better", "worse"));
        assert_eq!(Change::of(&[100.0, 150.0, 50.0], &[110.0, 60.0, 160.0]).unwrap().verdict(true), "unclear");
        assert_eq!(Change::of(&[100.0, 100.1, 99.9], &[100.0, 100.1, 99.9]).unwrap().verdict(true), "same");
        assert_eq!(Change::of(&[100.0], &[120.0]).unwrap().verdict(true), "one sample");
        assert!((student(30.0) - 2.042).abs() < 0.002 && (student(1e6) - 1.96).abs() < 0.001);
    }

    #[test]
    fn conditions_are_read_and_met_only_by_sure_changes() {
        let condition: Condition = "p99>+10%".parse().unwrap();
        assert_eq!(condition, Condition { metric: "p99".to_owned(), above: true, percent: 10.0 });
        let change = |percent, interval| Change { percent, interval: Some(interval) };
        assert!(condition.met("p99", &change(12.0, (5.0, 19.0))));
        assert!(!condition.met("p99", &change(12.0, (-5.0, 29.0))));
        assert!(!condition.met("p99", &change(9.0, (5.0, 13.0))) && !condition.met("p50", &change(12.0, (5.0, 19.0))));
        let slower: Condition = "throughput < -5 %".parse().unwrap();
        assert!(
            slower.met("throughput", &change(-8.0, (-9.0, -7.0)))
                && !slower.met("throughput", &change(8.0, (7.0, 9.0)))
        );
        for wrong in ["p99", "p98>1%", "p99>much", ">1%"] {
            assert!(wrong.parse::<Condition>().is_err(), "{wrong}");
        }
    }
}
