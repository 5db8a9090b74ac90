//! The Timeline view: the whole run on one axis, throughput above latencies, with what happened and a cursor.

use crate::bench::tui::canvas::Canvas;
use crate::bench::tui::chart::{LABELS_WIDTH, area, band};
use crate::bench::tui::model::{Figures, Mark, Model, Point};
use crate::bench::units;
use crate::stats::Ring;

/// Draws the whole view. Needs 8 rows.
pub fn timeline_view(canvas: &mut Canvas<'_>, model: &Model, figures: &Figures) {
    let (width, height) = (canvas.width(), canvas.height());
    let mut history = Ring::new(figures.whole.points.len().max(1));
    figures.whole.points.iter().for_each(|point| history.push(*point));
    let span_ns = (model.total_s * 1_000_000_000).max(figures.at_ns).max(1);
    canvas.rule(0, "throughput", &cursor_text(model, figures));
    let marks = model.marks.iter().rev().take((height / 6).min(6)).rev().collect::<Vec<_>>();
    let names = marks.len();
    let room = height.saturating_sub(3 + names);
    let above = room / 2;
    area(&mut canvas.part(0, 1, width, above), &history, figures.at_ns, span_ns, model.warmup_ns);
    canvas.rule(1 + above, "p50 to p99", "whole run");
    band(&mut canvas.part(0, 2 + above, width, room - above), &history, figures.at_ns, span_ns, model.warmup_ns);
    let plot = width.saturating_sub(LABELS_WIDTH + 1).max(1);
    let column = |at_ns: u64| LABELS_WIDTH + (at_ns as u128 * plot as u128 / span_ns as u128) as usize;
    if let Some(at_ns) = model.cursor_ns {
        let style = canvas.theme.notice();
        (1..above).chain(2 + above..1 + room).for_each(|y| _ = canvas.put(column(at_ns).min(width - 1), y, "│", style));
    }
    let theme = canvas.theme;
    for (row, Mark { at_ns, letter, text }) in marks.iter().enumerate() {
        canvas.put(column(*at_ns), 2 + room, &letter.to_string(), theme.notice());
        let at = canvas.put(LABELS_WIDTH, 3 + room + row, &letter.to_string(), theme.notice());
        canvas.put(at + 1, 3 + room + row, &format!("{} {text}", units::clock(at_ns / 1_000_000_000)), theme.dim());
    }
}

/// The figures at the cursor, or how to get one.
fn cursor_text(model: &Model, figures: &Figures) -> String {
    let Some(at_ns) = model.cursor_ns else { return "← → move a cursor".to_owned() };
    let near = figures.whole.points.iter().find(|point| point.at_ns >= at_ns).or(figures.whole.points.last());
    let Some(Point { at_ns, tps, p50_ns, p99_ns, .. }) = near else { return String::new() };
    format!(
        "{}: {}/s  p50 {}  p99 {}",
        units::clock(at_ns / 1_000_000_000),
        units::rate(*tps as f64),
        units::duration(*p50_ns),
        units::duration(*p99_ns)
    )
}
