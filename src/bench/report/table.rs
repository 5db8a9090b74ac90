//! A document as a table for people: what was measured, its spread, and the published figure beside it.

use std::fmt::Write as _;

use crate::bench::results::{Document, Entry};
use crate::bench::units::{grouped, micros};

/// The table, then what is doubtful or wrong. Ends with a line feed.
pub fn table(document: &Document) -> String {
    let mut out = format!("\n {} · {}\n\n", document.title, document.durability);
    let width = document.entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0).max(12);
    let _ = writeln!(
        out,
        " {:<width$} {:>12} {:>9} {:>10} {:>10} {:>10} {:>10} {:>10}  published",
        "", "per second", "spread", "mean µs", "p50", "p95", "p99", "max"
    );
    for entry in &document.entries {
        let latency = &entry.latency_us;
        let _ = writeln!(
            out,
            " {:<width$} {:>12} {:>9} {:>10} {:>10} {:>10} {:>10} {:>10}  {}",
            entry.name,
            grouped(entry.throughput.round() as u64),
            spread(entry),
            micros(latency.mean),
            micros(latency.p50),
            micros(latency.p95),
            micros(latency.p99),
            micros(latency.max),
            published(entry)
        );
    }
    let _ = writeln!(out);
    for warning in &document.warnings {
        let _ = writeln!(out, " warning      {warning}");
    }
    for entry in document.entries.iter().filter(|entry| !entry.verified) {
        entry.broken.iter().for_each(|broken| _ = writeln!(out, " NOT VERIFIED {}: {broken}", entry.name));
    }
    if document.verified() {
        let _ = writeln!(out, " verified     what clients were told agrees with what the database holds");
    }
    out
}

/// Half of the distance between the best and the worst repetition, in percent of the median.
fn spread(entry: &Entry) -> String {
    let (least, median, most) = entry.spread();
    if entry.samples.len() < 2 || median <= 0.0 {
        return "–".to_owned();
    }
    format!("± {:.1} %", (most - least) / 2.0 / median * 100.0)
}

/// The published figures with how many times ours is.
pub fn published(entry: &Entry) -> String {
    let figure = |p: &crate::bench::results::Published| {
        let times = entry.throughput / p.value;
        let digits = if times >= 100.0 {
            0
        } else if times >= 10.0 {
            1
        } else {
            2
        };
        let of = if p.of.is_empty() { String::new() } else { format!(" ({})", p.of) };
        format!("{}{of}: {times:.digits$} times", grouped(p.value.round() as u64))
    };
    entry.published.iter().map(figure).collect::<Vec<_>>().join("; ")
}
