//! The Latency view: percentiles of response and service time side by side, their distribution, their curve.

use crate::bench::tui::canvas::Canvas;
use crate::bench::tui::curve::curve;
use crate::bench::tui::distribution::distribution;
use crate::bench::tui::model::{Figures, Model};
use crate::bench::units;
use crate::stats::Histogram;

/// The percentiles that are named everywhere.
pub const PERCENTILES: [(&str, f64); 6] =
    [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999)];
/// Rows of the table: its titles, the percentiles, the maximum, the mean and the number of calls.
const TABLE_ROWS: usize = PERCENTILES.len() + 4;
const TABLE_WIDTH: usize = 46;

/// Draws the whole view.
pub fn latency_view(canvas: &mut Canvas<'_>, model: &Model, figures: &Figures) {
    let (width, height) = (canvas.width(), canvas.height());
    let response = &figures.total.latency;
    let chosen = figures.partitions.get(model.chosen).map_or(response, |p| &p.course.latency);
    let service = (!figures.service.is_empty()).then_some(&figures.service);
    let beside = width >= 110;
    let table_rows = table(
        &mut canvas.part(0, 0, if beside { TABLE_WIDTH + 2 } else { width }, height),
        model,
        response,
        chosen,
        service,
    );
    let (x, y) = if beside { (TABLE_WIDTH + 3, 0) } else { (0, table_rows) };
    let (picture_width, rows) = (width.saturating_sub(x), height.saturating_sub(y));
    if picture_width < 36 || rows < 5 {
        return;
    }
    // Below one another, the distribution first.
    let first = if rows >= 16 { rows / 2 } else { rows };
    let mut part = canvas.part(x, y, picture_width, first);
    part.rule(0, "calls by duration", "heights are square roots of shares");
    distribution(&mut part.part(0, 1, picture_width, first - 1), response, service, model.log_axis);
    if rows > first {
        let mut part = canvas.part(x, y + first, picture_width, rows - first);
        part.rule(
            0,
            "percentile curve",
            if model.log_axis { "logarithmic; l: linear" } else { "linear; l: logarithmic" },
        );
        curve(&mut part.part(0, 1, picture_width, rows - first - 1), response, service, model.log_axis);
    }
}

/// Draws the table with what its columns mean; gives its rows.
fn table(
    canvas: &mut Canvas<'_>,
    model: &Model,
    response: &Histogram,
    chosen: &Histogram,
    service: Option<&Histogram>,
) -> usize {
    let theme = canvas.theme;
    let ends = [22, 34, 46].map(|end| end.min(canvas.width()));
    let partition = format!("p{}", model.chosen);
    let titles = ["response", "service", &partition];
    let columns = [Some(response), service, Some(chosen)];
    titles.iter().zip(ends).for_each(|(title, end)| canvas.put_right(end, 0, title, theme.dim()));
    type Show = fn(&Histogram, f64) -> String;
    let mut rows: Vec<(&str, Show, f64)> =
        PERCENTILES.iter().map(|&(name, q)| (name, (|h, q| units::duration(h.quantile(q))) as Show, q)).collect();
    rows.push(("max", |h, _| units::duration(h.max()), 0.0));
    rows.push(("mean", |h, _| units::duration(h.mean() as u64), 0.0));
    rows.push(("calls", |h, _| units::count(h.count()), 0.0));
    debug_assert_eq!(rows.len() + 1, TABLE_ROWS);
    for (y, (name, text, q)) in rows.iter().enumerate() {
        canvas.put(3, y + 1, name, theme.dim());
        for (end, histogram) in ends.iter().zip(columns) {
            let cell = match histogram {
                Some(h) if !h.is_empty() || *name == "calls" => text(h, *q),
                _ => "–".to_owned(),
            };
            canvas.put_right(*end, y + 1, &cell, if *end == ends[0] { theme.strong() } else { theme.plain() });
        }
    }
    let notes = match service {
        Some(_) => ["response: from when a call should have started", "service: from when it did start"],
        None => ["response: from a call's start to its answer;", "service time differs only under a rate (< >)"],
    };
    for (y, note) in notes.iter().enumerate() {
        canvas.put(3, TABLE_ROWS + y, note, theme.dim());
    }
    TABLE_ROWS + notes.len()
}
