//! Percentile curve: how long the slowest tenth, hundredth, thousandth of the calls take.

use crate::bench::tui::canvas::Canvas;
use crate::bench::units;
use crate::stats::Histogram;

const MARGIN: usize = 9;
/// The axis goes to this many nines: 99.999 %.
const NINES: f64 = 5.0;

/// Draws duration by percentile, each nine as wide as the one before. Needs 4 rows and 36 columns.
pub fn curve(canvas: &mut Canvas<'_>, response: &Histogram, service: Option<&Histogram>, log: bool) {
    let (width, rows) = (canvas.width().saturating_sub(MARGIN + 2), canvas.height().saturating_sub(1));
    if width < 20 || rows < 2 {
        return;
    }
    let theme = canvas.theme;
    (0..rows).for_each(|row| canvas.put_right(MARGIN, row, "│", theme.dim()));
    let share = |x: usize| 1.0 - 10f64.powf(-NINES * x as f64 / (width - 1) as f64);
    let last = |h: &Histogram| h.quantile(share(width - 1)).max(1) as f64;
    if !response.is_empty() {
        let top = last(response).max(service.map_or(1.0, last));
        let low = if log { 10f64.powf((response.quantile(0.0).max(1) as f64).log10().floor()) } else { 0.0 };
        let level = |ns: f64| {
            let share = if log { (ns.max(low) / low).log10() / (top / low).log10().max(1e-9) } else { ns / top };
            ((share.clamp(0.0, 1.0) * (rows * 2 - 1) as f64).round() as usize).min(rows * 2 - 1)
        };
        let labels = [(top, rows - 1), (if log { (top * low).sqrt() } else { top / 2.0 }, (rows - 1) / 2)];
        for (value, from_below) in labels {
            canvas.put_right(
                MARGIN,
                rows - 1 - from_below,
                &format!("{} ┤", units::duration(value as u64)),
                theme.dim(),
            );
        }
        let mut draw = |histogram: &Histogram, glyphs: [&str; 2], style| {
            for x in 0..width {
                let level = level(histogram.quantile(share(x)) as f64);
                canvas.put(MARGIN + x, rows - 1 - level / 2, glyphs[level % 2], style);
            }
        };
        if let Some(service) = service {
            draw(service, [".", "˙"], theme.dim());
        }
        draw(response, ["▄", "▀"], theme.accent());
    }
    canvas.put_right(MARGIN, rows, "└", theme.dim());
    canvas.put(MARGIN, rows, &"─".repeat(width), theme.dim());
    for (nines, label) in [(1, "90 %"), (2, "99"), (3, "99.9"), (4, "99.99")] {
        canvas.put(MARGIN + nines * (width - 1) / NINES as usize, rows, &format!("┴{label}"), theme.dim());
    }
}
