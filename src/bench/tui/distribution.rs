//! Distribution: response times on a logarithmic axis, the chosen partition beside all.

use crate::bench::tui::canvas::Canvas;
use crate::bench::units;
use crate::stats::Histogram;

/// The axis goes from here, in nanoseconds, over [`DECADES`] powers of ten.
const FIRST_NS: u64 = 100;
const DECADES: usize = 8;
/// Columns left of the axis.
const MARGIN: usize = 9;

/// The horizontal axis.
#[derive(Clone, Copy)]
struct Axis {
    width: usize,
    /// Linear from 0 to here; none: logarithmic.
    linear_to: Option<u64>,
}

impl Axis {
    fn column_of(self, ns: u64) -> usize {
        let share = match self.linear_to {
            None => (ns.max(1) as f64 / FIRST_NS as f64).log10() / DECADES as f64,
            Some(top) => ns as f64 / top.max(1) as f64,
        };
        ((share.clamp(0.0, 1.0) * self.width as f64) as usize).min(self.width - 1)
    }

    fn start_of(self, x: usize) -> u64 {
        let share = x as f64 / self.width as f64;
        match self.linear_to {
            None => (FIRST_NS as f64 * 10f64.powf(share * DECADES as f64)) as u64,
            Some(top) => (share * top as f64) as u64,
        }
    }

    /// Calls by column; what lies beside the axis goes to its ends.
    fn columns(self, latency: &Histogram) -> Vec<u64> {
        let mut counts = vec![0; self.width];
        for (low, high, n) in latency.buckets() {
            counts[self.column_of(low + (high - low) / 2)] += n;
        }
        counts
    }
}

/// Draws how many calls took how long; service times, where there are some, as a line over it. Needs 4 rows and 36
/// columns.
///
/// The bars' heights are shares of the tallest, on a square root, so that the rare and slow calls stay in sight. The axis
/// is logarithmic, or linear up to the 99.9 % latency.
pub fn distribution(canvas: &mut Canvas<'_>, latency: &Histogram, service: Option<&Histogram>, log: bool) {
    let (width, rows) = (canvas.width().saturating_sub(MARGIN + 2), canvas.height().saturating_sub(2));
    if width < 24 || rows == 0 {
        return;
    }
    let theme = canvas.theme;
    let axis = Axis { width, linear_to: (!log).then(|| latency.quantile(0.999).max(100)) };
    let counts = axis.columns(latency);
    let tallest = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let eighths =
        |count: u64, tallest: f64| ((count as f64 / tallest).sqrt() * (rows * 8) as f64).round().max(1.0) as usize;
    for row in 0..rows {
        canvas.put_right(MARGIN, row + 1, "│", theme.dim());
    }
    for (x, &count) in counts.iter().enumerate() {
        if count == 0 {
            continue;
        }
        let eighths = eighths(count, tallest);
        let style = theme.heat(axis.start_of(x));
        for row in 0..rows {
            let filled = eighths.saturating_sub((rows - 1 - row) * 8).min(8);
            if filled > 0 {
                let glyph = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"][filled - 1];
                canvas.put(MARGIN + x, row + 1, glyph, style);
            }
        }
    }
    if let Some(service) = service {
        let counts = axis.columns(service);
        let tallest = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
        for (x, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let row = rows - 1 - ((eighths(count, tallest) - 1) / 8).min(rows - 1);
            canvas.put(MARGIN + x, row + 1, "o", theme.strong());
        }
    }
    markers(canvas, latency, axis);
    draw_axis(canvas, axis);
}

/// Names the percentiles above their columns, from the right, since the high ones matter most.
fn markers(canvas: &mut Canvas<'_>, latency: &Histogram, axis: Axis) {
    if latency.is_empty() {
        return;
    }
    let [p50, p99, p999] = latency.quantiles([0.5, 0.99, 0.999]);
    let mut free_until = usize::MAX;
    for (name, ns) in [("max", latency.max()), ("p99.9", p999), ("p99", p99), ("p50", p50)] {
        let x = MARGIN + axis.column_of(ns);
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

fn draw_axis(canvas: &mut Canvas<'_>, axis: Axis) {
    let (theme, y, width) = (canvas.theme, canvas.height() - 1, axis.width);
    canvas.put(MARGIN - 1, y, "└", theme.dim());
    canvas.put(MARGIN, y, &"─".repeat(width), theme.dim());
    if axis.linear_to.is_some() {
        for quarter in 0..4 {
            let x = quarter * width / 4;
            canvas.put(MARGIN + x, y, &format!("┴{}", units::duration(axis.start_of(x))), theme.dim());
        }
        return;
    }
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
        let counts = Axis { width: 80, linear_to: None }.columns(&latency);
        assert_eq!(counts.iter().sum::<u64>(), 50);
        assert_eq!((counts[0], counts[1], counts[11], counts[21], counts[79]), (10, 10, 10, 10, 10));
    }

    #[test]
    fn a_linear_axis_spreads_durations_evenly() {
        let axis = Axis { width: 100, linear_to: Some(1_000) };
        assert_eq!([axis.column_of(0), axis.column_of(505), axis.column_of(9_999)], [0, 50, 99]);
        assert_eq!(axis.start_of(50), 500);
    }
}
