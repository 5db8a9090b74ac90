//! Reports as CSV: a line for each thing measured, or for each second of a run.

use crate::bench::results::Document;
use crate::bench::run::{LatencyUs, Report};

const LATENCY_COLUMNS: &str = "mean_us,p50_us,p90_us,p95_us,p99_us,p999_us,p9999_us,max_us";

fn latency(l: &LatencyUs) -> String {
    [l.mean, l.p50, l.p90, l.p95, l.p99, l.p999, l.p9999, l.max].map(|us| format!("{us:.3}")).join(",")
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// A line for each entry, then one for each of its samples.
pub fn entries(document: &Document) -> String {
    let mut out = format!("name,sample,unit,throughput,calls,errors,verified,{LATENCY_COLUMNS},published\n");
    for entry in &document.entries {
        let name = quoted(&entry.name);
        let published = entry.published.first().map_or_else(String::new, |p| p.value.to_string());
        out.push_str(&format!(
            "{name},all,{},{:.3},{},{},{},{},{published}\n",
            entry.unit,
            entry.throughput,
            entry.calls,
            entry.errors,
            entry.verified,
            latency(&entry.latency_us)
        ));
        for (at, sample) in entry.samples.iter().enumerate() {
            let columns = latency(&sample.latency_us);
            out.push_str(&format!("{name},{},{},{:.3},,,,{columns},\n", at + 1, entry.unit, sample.throughput));
        }
    }
    out
}

/// A line for each measured second of a run; the last may be shorter than a second.
pub fn seconds(report: &Report) -> String {
    let mut out = format!("begins_s,lasts_s,calls,throughput,{LATENCY_COLUMNS}\n");
    for second in &report.seconds {
        out.push_str(&format!(
            "{:.3},{:.3},{},{:.3},{}\n",
            second.begins_s,
            second.lasts_s,
            second.calls,
            second.rate(),
            latency(&second.latency_us)
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::options::VoterOptions;
    use crate::bench::run::tests::outcome;

    #[test]
    fn a_known_distribution_comes_out_right_in_csv_and_json() {
        let report = Report::new(&VoterOptions { partitions: 2, ..VoterOptions::default() }, &outcome(), Ok(()));
        let document = Document::of_run(&report);
        let csv = entries(&document);
        let line = csv.lines().nth(1).unwrap();
        assert!(line.starts_with("voter async p2 c1,all,votes/s,50000.000,100000,0,true,"), "{line}");
        let fields: Vec<f64> = line.split(',').skip(7).take(8).map(|field| field.parse().unwrap()).collect();
        let json: serde_json::Value = serde_json::from_str(&document.to_json()).unwrap();
        let keys = ["mean", "p50", "p90", "p95", "p99", "p999", "p9999", "max"];
        // 99 of 100 calls took 12 µs, one 48 µs.
        for ((key, field), exact) in keys.iter().zip(fields).zip([12.36, 12.0, 12.0, 12.0, 12.0, 48.0, 48.0, 48.0]) {
            assert!((field - exact).abs() <= exact * 0.016, "{key}: {field}");
            let told = json["entries"][0]["latency_us"][*key].as_f64().unwrap();
            assert!((told - field).abs() < 0.001, "{key}");
        }
        assert_eq!(seconds(&report).lines().count(), 3);
    }
}
