//! Gallery: which charts a document has.

use crate::bench::report::charts::{Bars, ChartError, Lines};
use crate::bench::results::{Document, Entry};
use crate::bench::run::Report;

/// One chart: the name of its file, and its SVG.
pub type Chart = (&'static str, String);

/// Every chart that the document has figures for.
pub fn charts(document: &Document) -> Result<Vec<Chart>, ChartError> {
    match (&document.run, document.kind) {
        (Some(report), _) => run(report),
        (None, "matrix") => matrix(&document.entries),
        _ => bars(document),
    }
}

fn run(report: &Report) -> Result<Vec<Chart>, ChartError> {
    let seconds = &report.seconds;
    let over_time = |of: fn(&crate::bench::run::Second) -> f64| {
        seconds.iter().filter(|s| s.is_whole()).map(|s| (s.begins_s + s.lasts_s, of(s))).collect::<Vec<_>>()
    };
    let named = |name: &str, points| (name.to_owned(), points);
    let throughput = Lines {
        title: "Throughput over time".to_owned(),
        x_label: "seconds of the run, warm-up included".to_owned(),
        y_label: "votes a second".to_owned(),
        series: vec![named("votes/s", over_time(|s| s.rate()))],
        ..Lines::default()
    };
    let latency = Lines {
        title: "Response time over time".to_owned(),
        x_label: "seconds of the run, warm-up included".to_owned(),
        y_label: "µs, logarithmic".to_owned(),
        series: vec![
            named("p50", over_time(|s| s.latency_us.p50)),
            named("p95", over_time(|s| s.latency_us.p95)),
            named("p99", over_time(|s| s.latency_us.p99)),
            named("max", over_time(|s| s.latency_us.max)),
        ],
        log_y: true,
        ..Lines::default()
    };
    let mut distribution = Lines {
        title: "Distribution of response times".to_owned(),
        x_label: "µs, logarithmic".to_owned(),
        y_label: "share of calls, % a quarter octave".to_owned(),
        series: vec![named("response", shares(&report.distribution_ns))],
        log_x: true,
        ..Lines::default()
    };
    let mut percentiles = Lines {
        title: "Percentiles".to_owned(),
        x_label: "one call in so many is slower, logarithmic".to_owned(),
        y_label: "µs, logarithmic".to_owned(),
        series: vec![named("response", curve(&report.distribution_ns))],
        log_x: true,
        log_y: true,
        ..Lines::default()
    };
    if !report.service_distribution_ns.is_empty() {
        distribution.series.push(named("service", shares(&report.service_distribution_ns)));
        percentiles.series.push(named("service", curve(&report.service_distribution_ns)));
    }
    let partitions = Bars {
        title: "Votes a second by partition".to_owned(),
        unit: "votes/s".to_owned(),
        kinds: vec!["votes/s".to_owned()],
        groups: report
            .partitions_detail
            .iter()
            .map(|p| (format!("p{}", p.partition), vec![p.throughput_tps]))
            .collect(),
    };
    Ok(vec![
        ("throughput", throughput.svg()?),
        ("latency", latency.svg()?),
        ("distribution", distribution.svg()?),
        ("percentiles", percentiles.svg()?),
        ("partitions", partitions.svg()?),
    ])
}

/// Percent of all calls by duration in µs, four steps to a doubling.
fn shares(buckets: &[(u64, u64, u64)]) -> Vec<(f64, f64)> {
    let all = buckets.iter().map(|bucket| bucket.2).sum::<u64>().max(1) as f64;
    let mut steps = std::collections::BTreeMap::<i64, u64>::new();
    for &(low, high, n) in buckets {
        let middle = (low + (high - low) / 2).max(1) as f64;
        *steps.entry((middle.log2() * 4.0).floor() as i64).or_default() += n;
    }
    steps.into_iter().map(|(step, n)| (2f64.powf((step as f64 + 0.5) / 4.0) / 1e3, n as f64 / all * 100.0)).collect()
}

/// Duration in µs by how rare slower calls are, up to one in as many as there were calls.
fn curve(buckets: &[(u64, u64, u64)]) -> Vec<(f64, f64)> {
    let all: u64 = buckets.iter().map(|bucket| bucket.2).sum();
    let mut below = 0;
    let mut points = Vec::new();
    for &(low, high, n) in buckets {
        below += n;
        if below < all {
            points.push((all as f64 / (all - below) as f64, (low + (high - low) / 2) as f64 / 1e3));
        }
    }
    points
}

fn matrix(entries: &[Entry]) -> Result<Vec<Chart>, ChartError> {
    let mut names: Vec<&str> = entries.iter().map(|entry| entry.series.as_str()).collect();
    names.dedup();
    let chart = |title: &str, y_label: &str, of: fn(&Entry) -> f64, marks: Vec<(String, f64, f64)>, log_y| {
        let line = |name: &&str| {
            let points = entries.iter().filter(|entry| entry.series == *name).map(|entry| (entry.x, of(entry)));
            (name.to_string(), points.collect())
        };
        Lines {
            title: title.to_owned(),
            x_label: "partitions".to_owned(),
            y_label: y_label.to_owned(),
            series: names.iter().map(line).collect(),
            marks,
            log_y,
            dots: true,
            ..Lines::default()
        }
        .svg()
    };
    let published = entries.iter().flat_map(|entry| {
        entry.published.iter().take(1).map(|p| (format!("published, {} ({})", entry.series, p.of), entry.x, p.value))
    });
    let mean = |entry: &Entry| entry.latency_us.mean / 1e3;
    let p95 = |entry: &Entry| entry.latency_us.p95 / 1e3;
    let slow = vec![("published, async, 16 threads".to_owned(), 16.0, 131.0)];
    let slowest = vec![("published, async, 16 threads".to_owned(), 16.0, 350.0)];
    let rate = |entry: &Entry| entry.throughput;
    Ok(vec![
        ("throughput", chart("Throughput by partitions", "votes a second", rate, Vec::new(), false)?),
        (
            "throughput-published",
            chart(
                "Throughput, published figures beside",
                "votes a second, logarithmic",
                rate,
                published.collect(),
                true,
            )?,
        ),
        ("latency-mean", chart("Mean latency by partitions", "ms, logarithmic", mean, slow, true)?),
        ("latency-p95", chart("95 % latency by partitions", "ms, logarithmic", p95, slowest, true)?),
    ])
}

fn bars(document: &Document) -> Result<Vec<Chart>, ChartError> {
    let unit = document.entries.first().map_or("", |entry| entry.unit.as_str()).to_owned();
    let groups = document.entries.iter().map(|entry| {
        let published = entry.published.first().map_or(0.0, |p| p.value);
        (entry.name.clone(), vec![entry.throughput, published])
    });
    let throughput = Bars {
        title: format!("{unit}, the published beside ours"),
        unit,
        kinds: vec!["here".to_owned(), "published".to_owned()],
        groups: groups.collect(),
    };
    let of = |entry: &Entry| (entry.name.clone(), vec![entry.latency_us.p50, entry.latency_us.p99]);
    let latency = Bars {
        title: "Latency of an operation".to_owned(),
        unit: "µs".to_owned(),
        kinds: vec!["p50".to_owned(), "p99".to_owned()],
        groups: document.entries.iter().map(of).collect(),
    };
    Ok(vec![("throughput", throughput.svg()?), ("latency", latency.svg()?)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_and_shares_keep_every_call() {
        let buckets = [(1_000, 1_000, 90), (10_000, 10_000, 9), (100_000, 100_000, 1)];
        let sum: f64 = shares(&buckets).iter().map(|point| point.1).sum();
        assert!((sum - 100.0).abs() < 1e-9);
        assert_eq!(curve(&buckets), [(10.0, 1.0), (100.0, 10.0)]);
    }
}
