//! Reports as one page of HTML: no script, nothing from elsewhere, light and dark, and fit for paper.

use std::fmt::Write as _;

use crate::bench::report::charts::{GRID, GROUND, SERIES, TEXT};
use crate::bench::report::gallery::Chart;
use crate::bench::report::table::published;
use crate::bench::results::{Document, Entry};
use crate::bench::run::{LatencyUs, Report};
use crate::bench::units::{grouped, micros, percent};

const STYLE: &str = "
:root { color-scheme: light dark; --ground: #fefefe; --text: #222; --dim: #666; --grid: #ddd; --accent: #1f6fb5;
  --s0: #1f6fb5; --s1: #c75b12; --s2: #2e8b57; --s3: #8e44ad; --s4: #b03a2e; --s5: #5d6d7e; }
@media (prefers-color-scheme: dark) { :root { --ground: #15171a; --text: #e4e4e2; --dim: #9a9a98; --grid: #33363b;
  --accent: #6cb2ee; --s0: #6cb2ee; --s1: #f0a066; --s2: #6fcf97; --s3: #c39bd3; --s4: #ec7063; --s5: #aeb6bf; } }
body { background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; max-width: 1280px;
  margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; margin-bottom: 0; } h2 { font-size: 1.15em; margin-top: 2em; border-bottom: 1px solid var(--grid); }
.dim, caption { color: var(--dim); } .big { font-size: 2.2em; color: var(--accent); font-weight: 600; }
.cards { display: flex; flex-wrap: wrap; gap: 1em 3em; } .cards div span { display: block; color: var(--dim); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(460px, 1fr)); gap: 1em; }
.charts svg { width: 100%; height: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .2em .6em; border-bottom: 1px solid var(--grid); } th:first-child, td:first-child { text-align: left; }
td.text { text-align: left; white-space: normal; } td:first-child { white-space: nowrap; } .scroll { overflow-x: auto; } .wrong { color: var(--s4); font-weight: 600; }
code { overflow-wrap: anywhere; }
@media print { body { max-width: none; margin: 0; font-size: 11px; } .charts { grid-template-columns: 1fr 1fr; }
  figure, tr { break-inside: avoid; } }
figure { margin: 0; }";

/// The page.
pub fn page(document: &Document, charts: &[Chart]) -> String {
    let mut out = String::new();
    let title = escape(&document.title);
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>votedb: {title}</title>\
         <style>{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n<p class=\"dim\">{} · {} · {}</p>\n",
        escape(&document.durability),
        escape(&document.machine.time()),
        escape(&document.machine.cpu)
    );
    headline(&mut out, document);
    doubts(&mut out, document);
    out.push_str("<h2>Charts</h2>\n<div class=\"charts\">\n");
    for (name, svg) in charts {
        let _ = writeln!(out, "<figure id=\"{name}\">{}</figure>", themed(svg));
    }
    out.push_str("</div>\n");
    entries(&mut out, &document.entries);
    if let Some(report) = &document.run {
        run(&mut out, report);
    }
    machine(&mut out, document);
    out.push_str("</body></html>\n");
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A chart in the page's colours, whatever they are.
fn themed(svg: &str) -> String {
    let hex = |color: plotters::style::RGBColor| format!("\"#{:02X}{:02X}{:02X}\"", color.0, color.1, color.2);
    let mut svg = svg.to_owned();
    for (at, color) in SERIES.iter().enumerate() {
        svg = svg.replace(&hex(*color), &format!("\"var(--s{at})\""));
    }
    for (color, name) in [(TEXT, "text"), (GRID, "grid"), (GROUND, "ground")] {
        svg = svg.replace(&hex(color), &format!("\"var(--{name})\""));
    }
    svg
}

fn headline(out: &mut String, document: &Document) {
    let (Some(best), true) =
        (document.entries.iter().max_by(|a, b| a.throughput.total_cmp(&b.throughput)), !document.entries.is_empty())
    else {
        return;
    };
    let named = if document.entries.len() > 1 { format!(" ({})", best.name) } else { String::new() };
    let _ = writeln!(
        out,
        "<p><span class=\"big\">{}</span> {}{}</p>",
        grouped(best.throughput.round() as u64),
        escape(&best.unit),
        escape(&named)
    );
    let l = &best.latency_us;
    out.push_str("<div class=\"cards\">");
    let figures = [("mean", l.mean), ("p50", l.p50), ("p90", l.p90), ("p95", l.p95), ("p99", l.p99), ("p99.9", l.p999)];
    for (name, us) in figures.into_iter().chain([("p99.99", l.p9999), ("max", l.max)]) {
        let _ = write!(out, "<div><span>{name}</span>{} µs</div>", micros(us));
    }
    out.push_str("</div>\n");
}

fn doubts(out: &mut String, document: &Document) {
    if document.verified() {
        out.push_str("<p>Verified: what the clients were told agrees with what the database holds.</p>\n");
    }
    for entry in document.entries.iter().filter(|entry| !entry.verified) {
        let broken = if entry.broken.is_empty() { "not checked".to_owned() } else { entry.broken.join("; ") };
        let _ = writeln!(out, "<p class=\"wrong\">Not verified: {}: {}</p>", escape(&entry.name), escape(&broken));
    }
    for warning in &document.warnings {
        let _ = writeln!(out, "<p class=\"wrong\">Warning: {}</p>", escape(warning));
    }
}

const LATENCY_TITLES: &str =
    "<th>mean</th><th>p50</th><th>p90</th><th>p95</th><th>p99</th><th>p99.9</th><th>p99.99</th><th>max</th>";

fn latency_cells(l: &LatencyUs) -> String {
    [l.mean, l.p50, l.p90, l.p95, l.p99, l.p999, l.p9999, l.max].map(|us| format!("<td>{}</td>", micros(us))).concat()
}

fn entries(out: &mut String, entries: &[Entry]) {
    let _ = writeln!(
        out,
        "<h2>Figures</h2>\n<div class=\"scroll\"><table><caption>latencies in µs; spread: least to greatest of the repetitions</caption>\
         <tr><th></th><th>a second</th><th>least</th><th>greatest</th>{LATENCY_TITLES}<th>published, and ours as a multiple</th></tr>"
    );
    for entry in entries {
        let (least, _, most) = entry.spread();
        let _ = writeln!(
            out,
            "<tr><td title=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td>{}<td class=\"text\">{}</td></tr>",
            escape(&entry.note),
            escape(&entry.name),
            grouped(entry.throughput.round() as u64),
            grouped(least.round() as u64),
            grouped(most.round() as u64),
            latency_cells(&entry.latency_us),
            escape(&published(entry))
        );
    }
    out.push_str("</table></div>\n");
    let notes: Vec<&Entry> = entries.iter().filter(|entry| !entry.note.is_empty()).collect();
    if !notes.is_empty() {
        out.push_str("<details><summary>What each was</summary><ul>\n");
        notes.iter().for_each(|e| _ = writeln!(out, "<li>{}: {}</li>", escape(&e.name), escape(&e.note)));
        out.push_str("</ul></details>\n");
    }
}

fn run(out: &mut String, report: &Report) {
    if let Some(service) = &report.service_us {
        let _ = writeln!(
            out,
            "<h2>Response and service time</h2><table><caption>µs; response counts from when a call should have started, \
             service from when it did</caption><tr><th></th>{LATENCY_TITLES}</tr><tr><td>response</td>{}</tr>\
             <tr><td>service</td>{}</tr></table>",
            latency_cells(&report.latency_us),
            latency_cells(service)
        );
    }
    let _ = writeln!(out, "<h2>Partitions</h2><table><tr><th></th><th>votes/s</th><th>calls</th>{LATENCY_TITLES}</tr>");
    for partition in &report.partitions_detail {
        let _ = writeln!(
            out,
            "<tr><td>p{}</td><td>{}</td><td>{}</td>{}</tr>",
            partition.partition,
            grouped(partition.throughput_tps.round() as u64),
            grouped(partition.votes.calls()),
            latency_cells(&partition.latency_us)
        );
    }
    let votes = report.standing.iter().map(|contestant| contestant.votes).sum::<u64>().max(1) as f64;
    out.push_str(
        "</table>\n<h2>Election</h2><table><tr><th>contestant</th><th>votes</th><th>share</th><th>states</th></tr>\n",
    );
    for contestant in &report.standing {
        let _ = writeln!(
            out,
            "<tr><td>{} {}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            contestant.number,
            escape(&contestant.name),
            grouped(contestant.votes),
            percent(contestant.votes as f64 / votes),
            contestant.states_led
        );
    }
    out.push_str("</table>\n");
}

fn machine(out: &mut String, document: &Document) {
    let machine = &document.machine;
    let memory = format!("{:.1} GiB", machine.memory_bytes as f64 / (1u64 << 30) as f64);
    let rows = [
        ("processor", format!("{}, {} for this process", machine.cpu, machine.cores)),
        ("memory", memory),
        ("system", machine.os.clone()),
        ("build", format!("votedb {}, {}", machine.version, machine.build)),
        ("durability", document.durability.clone()),
        ("when", machine.time()),
        ("to repeat", format!("votedb-shell {}", machine.command)),
    ];
    out.push_str("<h2>Machine and options</h2><table>\n");
    for (name, value) in rows {
        let _ = writeln!(out, "<tr><td>{name}</td><td class=\"text\"><code>{}</code></td></tr>", escape(&value));
    }
    out.push_str("</table>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::options::VoterOptions;
    use crate::bench::report::gallery::charts;
    use crate::bench::run::tests::outcome;

    #[test]
    fn the_page_is_whole_and_escapes_what_it_is_given() {
        let report = Report::new(&VoterOptions { partitions: 2, ..VoterOptions::default() }, &outcome(), Ok(()));
        let mut document = Document::of_run(&report);
        document.title = "a <b> & c".to_owned();
        let page = page(&document, &charts(&document).unwrap());
        assert!(page.contains("a &lt;b&gt; &amp; c") && !page.contains("a <b>"));
        assert_eq!((page.matches("<svg").count(), page.matches("</svg>").count()), (5, 5));
        assert!(page.contains("var(--s0)") && page.contains("50,000") && page.ends_with("</html>\n"));
        assert!(!page.contains("<script") && !page.contains("http://") || page.contains("http://www.w3.org/2000/svg"));
    }
}
