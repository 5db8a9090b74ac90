//! Distribution: response times on a logarithmic axis, the chosen partition beside all.

use crate::bench::tui::canvas::Canvas;
use crate::bench::units;
use crate::stats::Histogram;

/// The axis goes from here, in nanoseconds, over [`DECADES`] powers of ten.
const FIRST_NS: u64 = 100;
const DECADES: usize = 8;
/// Columns left of the axis.
const MARGIN: usize = 9;

/// Draws how many calls took how long. Needs 4 rows and 40 columns.
///
/// The bars' heights are shares of the tallest, on a square root, so that the rare and slow calls stay in sight.
pub fn distribution(canvas: &mut Canvas<'_>, latency: &Histogram) {
    let (width, rows) = (canvas.width().saturating_sub(MARGIN + 2), canvas.height().saturating_sub(2));
    if width < 24 || rows == 0 {
        return;
    }
    let theme = canvas.theme;
    let counts = columns(latency, width);
    let tallest = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    for row in 0..rows {
        canvas.put_right(MARGIN, row + 1, "│", theme.dim());
    }
    for (x, &count) in counts.iter().enumerate() {
        if count == 0 {
            continue;
        }
        let eighths = ((count as f64 / tallest).sqrt() * (rows * 8) as f64).round().max(1.0) as usize;
        let style = theme.heat(column_start(x, width));
        for row in 0..rows {
            let filled = eighths.saturating_sub((rows - 1 - row) * 8).min(8);
            if filled > 0 {
                let glyph = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"][filled - 1];
                canvas.put(MARGIN + x, row + 1, glyph, style);
            }
        }
    }
    markers(canvas, latency, width);
    axis(canvas, width);
}

/// Calls by column of the axis; what lies beside it goes to its ends.
fn columns(latency: &Histogram, width: usize) -> Vec<u64> {
    let mut counts = vec![0; width];
    for (low, high, n) in latency.buckets() {
        counts[column_of(low + (high - low) / 2, width)] += n;
    }
    counts
}

fn column_of(ns: u64, width: usize) -> usize {
    let share = (ns.max(1) as f64 / FIRST_NS as f64).log10() / DECADES as f64;
    ((share.clamp(0.0, 1.0) * width as f64) as usize).min(width - 1)
}

fn column_start(x: usize, width: usize) -> u64 {
    (FIRST_NS as f64 * 10f64.powf(x as f64 * DECADES as f64 / width as f64)) as u64
}

/// Names the percentiles above their columns, from the right, since the high ones matter most.
fn markers(canvas: &mut Canvas<'_>, latency: &Histogram, width: usize) {
    if latency.is_empty() {
        return;
    }
    let [p50, p99, p999] = latency.quantiles([0.5, 0.99, 0.999]);
    let mut free_until = usize::MAX;
    for (name, ns) in [("max", latency.max()), ("p99.9", p999), ("p99", p99), ("p50", p50)] {
        let x = MARGIN + column_of(ns, width);
        // The median's name stands on its other side, where the higher ones leave room.
        let (text, begins) = match name {
            "p50" => (format!("{name}▾"), x.saturating_sub(3)),
            _ => (format!("▾{name}"), x),
        };
        if begins + text.chars().count() <= free_until {
            let style = canvas.theme.dim();
            canvas.put(begins, 0, &text, style);
            free_until = begins;
        }
    }
}

fn axis(canvas: &mut Canvas<'_>, width: usize) {
    let (theme, y) = (canvas.theme, canvas.height() - 1);
    canvas.put(MARGIN - 1, y, "└", theme.dim());
    canvas.put(MARGIN, y, &"─".repeat(width), theme.dim());
    let labelled_each = if width >= DECADES * 8 { 1 } else { 2 };
    for decade in (0..DECADES).step_by(labelled_each) {
        let x = MARGIN + decade * width / DECADES;
        let ns = FIRST_NS * 10u64.pow(decade as u32);
        let label = units::duration(ns).replace(".0", "");
        canvas.put(x, y, &format!("┴{label}"), theme.dim());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_is_in_some_column_in_order_of_its_duration() {
        let mut latency = Histogram::new();
        for ns in [1, 150, 1_500, 15_000, u64::MAX] {
            latency.record_n(ns, 10);
        }
        let counts = columns(&latency, 80);
        assert_eq!(counts.iter().sum::<u64>(), 50);
        assert_eq!((counts[0], counts[1], counts[11], counts[21], counts[79]), (10, 10, 10, 10, 10));
    }
}
