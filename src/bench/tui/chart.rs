//! Charts: a history cut into columns, as an area, a sparkline or a heat strip.
//!
//! Columns lie at fixed moments of the run, so a chart that scrolls moves by whole columns and does not shimmer. It fills
//! from the left and scrolls once it is full.

use std::ops::Range;

use crate::bench::tui::canvas::Canvas;
use crate::bench::tui::model::Point;
use crate::bench::units;
use crate::stats::Ring;

/// A history as columns: the first one's start, each one's length, and their contents.
pub struct Columns {
    pub start_ns: u64,
    pub column_ns: u64,
    /// What happened in each column, where something did. As many as asked for.
    pub cells: Vec<Option<Slice>>,
}

/// One column's part of a history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slice {
    /// Mean throughput.
    pub tps: f64,
    /// The best p50 and the worst p99 of the column's points; both 0 if nothing was answered.
    pub p50_ns: u64,
    pub p99_ns: u64,
}

impl Columns {
    /// Cuts the last `span_ns` of a history, up to `now_ns`, into `columns`.
    pub fn of(history: &Ring<Point>, now_ns: u64, span_ns: u64, columns: usize) -> Columns {
        let column_ns = (span_ns / columns.max(1) as u64).max(1);
        let newest = now_ns.saturating_sub(1) / column_ns;
        let first = (newest + 1).saturating_sub(columns as u64);
        let mut sums: Vec<(Option<Slice>, u32)> = vec![(None, 0); columns];
        for point in history.iter() {
            let begins = point.at_ns.saturating_sub(point.interval_ns) / column_ns;
            let ends = point.at_ns.saturating_sub(1) / column_ns;
            for column in begins.max(first)..=ends {
                let Some((sum, points)) = sums.get_mut((column - first) as usize) else { break };
                let sum = sum.get_or_insert(Slice { tps: 0.0, p50_ns: point.p50_ns, p99_ns: 0 });
                sum.tps += point.tps as f64;
                sum.p50_ns = sum.p50_ns.min(point.p50_ns);
                sum.p99_ns = sum.p99_ns.max(point.p99_ns);
                *points += 1;
            }
        }
        let mean = |(sum, points): (Option<Slice>, u32)| sum.map(|s| Slice { tps: s.tps / points as f64, ..s });
        let cells = sums.into_iter().map(mean).collect();
        Columns { start_ns: first * column_ns, column_ns, cells }
    }

    fn tps_max(&self) -> f64 {
        self.cells.iter().flatten().map(|cell| cell.tps).fold(0.0, f64::max)
    }

    /// The column in which a moment lies, if it is shown.
    fn column_at(&self, at_ns: u64) -> Option<usize> {
        let column = at_ns.checked_sub(self.start_ns)? / self.column_ns;
        (column < self.cells.len() as u64).then_some(column as usize)
    }
}

/// The least round number that is not below `value`.
fn round_up(value: f64) -> f64 {
    let scale = 10f64.powf(value.max(1.0).log10().floor());
    let steps = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.iter().map(|step| step * scale).find(|round| *round >= value).unwrap_or(10.0 * scale)
}

/// An axis label without needless zeros: `4 M`, `1.5 M`, `500`.
fn axis_label(value: f64) -> String {
    let text = units::rate(value);
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

/// Columns that the labels of an area chart take.
pub const LABELS_WIDTH: usize = 9;

/// Throughput over time as a filled area with axes; the warm-up is grey and named. Needs 2 rows and 20 columns.
pub fn area(canvas: &mut Canvas<'_>, history: &Ring<Point>, now_ns: u64, span_ns: u64, warmup_ns: u64) {
    let (width, rows) = (canvas.width().saturating_sub(LABELS_WIDTH + 1), canvas.height().saturating_sub(1));
    if width < 10 || rows == 0 {
        return;
    }
    let columns = Columns::of(history, now_ns, span_ns, width * 2);
    let most = columns.tps_max();
    let top = round_up(most);
    let theme = canvas.theme;
    for row in 0..rows {
        let value = top * (rows - row) as f64 / rows as f64;
        let half = rows >= 4 && rows.is_multiple_of(2) && row == rows / 2 && top >= 10.0;
        let labelled = most > 0.0 && (row == 0 || half);
        let text = if labelled { format!("{} ┤", axis_label(value)) } else { "│".to_owned() };
        canvas.put_right(LABELS_WIDTH, row, &text, theme.dim());
    }
    for x in 0..width {
        let begins_ns = columns.start_ns + columns.column_ns * 2 * x as u64;
        let style = if begins_ns < warmup_ns { theme.dim() } else { theme.accent() };
        let dots = [0, 1].map(|half| match columns.cells[2 * x + half] {
            // What was answered at all leaves a dot.
            Some(Slice { tps, .. }) if tps > 0.0 => ((tps / top * (rows * 4) as f64).round() as usize).max(1),
            _ => 0,
        });
        for row in 0..rows {
            let below = (rows - 1 - row) * 4;
            let glyph = braille(dots.map(|dots| 0..dots.saturating_sub(below).min(4)));
            if let Some(glyph) = glyph {
                canvas.put(LABELS_WIDTH + x, row, glyph.encode_utf8(&mut [0; 4]), style);
            }
        }
    }
    time_axis(&mut canvas.part(0, rows, LABELS_WIDTH + width, 1), "0", &columns, warmup_ns);
}

/// The decades of a logarithmic axis around some latencies, as powers of ten of nanoseconds.
fn decades(columns: &Columns) -> Option<(u32, u32)> {
    let answered = || columns.cells.iter().flatten().filter(|slice| slice.p99_ns > 0);
    let least = answered().map(|slice| slice.p50_ns.max(1)).min()?;
    let most = answered().map(|slice| slice.p99_ns).max()?;
    let low = least.ilog10();
    Some((low, (most.ilog10() + 1).max(low + 1)))
}

/// Latency over time as a band from p50 to p99 on a logarithmic axis. Needs 2 rows and 20 columns.
pub fn band(canvas: &mut Canvas<'_>, history: &Ring<Point>, now_ns: u64, span_ns: u64, warmup_ns: u64) {
    let (width, rows) = (canvas.width().saturating_sub(LABELS_WIDTH + 1), canvas.height().saturating_sub(1));
    if width < 10 || rows == 0 {
        return;
    }
    let (columns, theme) = (Columns::of(history, now_ns, span_ns, width * 2), canvas.theme);
    for row in 0..rows {
        canvas.put_right(LABELS_WIDTH, row, "│", theme.dim());
    }
    let decade_label = |decade: u32| units::duration(10u64.pow(decade)).replace(".0", "");
    let mut foot = String::new();
    if let Some((low, high)) = decades(&columns) {
        foot = decade_label(low);
        let levels = rows * 4;
        let level = |ns: u64| {
            let share = ((ns.max(1) as f64).log10() - low as f64) / (high - low) as f64;
            ((share * levels as f64) as usize).min(levels - 1)
        };
        for decade in low + 1..high {
            let row = rows - 1 - level(10u64.pow(decade)) / 4;
            canvas.put_right(LABELS_WIDTH, row, &format!("{} ┤", decade_label(decade)), theme.dim());
        }
        for (x, pair) in columns.cells.chunks(2).enumerate() {
            let reach =
                |slice: &Option<Slice>| slice.filter(|s| s.p99_ns > 0).map(|s| (level(s.p50_ns), level(s.p99_ns)));
            for row in 0..rows {
                let below = (rows - 1 - row) * 4;
                let halves = [0, 1].map(|half| pair.get(half).and_then(reach).map_or(0..0, |r| within(r, below)));
                if let Some(glyph) = braille(halves) {
                    let middle = low as f64 + (high - low) as f64 * (below as f64 + 2.0) / levels as f64;
                    let style = theme.heat(10f64.powf(middle) as u64);
                    canvas.put(LABELS_WIDTH + x, row, glyph.encode_utf8(&mut [0; 4]), style);
                }
            }
        }
    }
    time_axis(&mut canvas.part(0, rows, LABELS_WIDTH + width, 1), &foot, &columns, warmup_ns);
}

/// The part of a reach of levels (inclusive) that lies in the cell whose lowest level is `below`, counted from it.
fn within((low, high): (usize, usize), below: usize) -> Range<usize> {
    let clip = |level: usize| level.saturating_sub(below).min(4);
    clip(low)..clip(high.max(low) + 1)
}

/// Two columns of up to 4 dots, counted from below; none if both are empty.
fn braille([left, right]: [Range<usize>; 2]) -> Option<char> {
    const LEFT: [u32; 4] = [0x40, 0x04, 0x02, 0x01];
    const RIGHT: [u32; 4] = [0x80, 0x20, 0x10, 0x08];
    let dots = LEFT[left].iter().chain(&RIGHT[right]).fold(0, |dots, dot| dots | dot);
    if dots == 0 { None } else { char::from_u32(0x2800 + dots) }
}

/// The axis below a chart, in one row: `label` at its foot, times of the run along it, the end of the warm-up.
fn time_axis(canvas: &mut Canvas<'_>, label: &str, columns: &Columns, warmup_ns: u64) {
    let (theme, width) = (canvas.theme, canvas.width() - LABELS_WIDTH);
    canvas.put_right(LABELS_WIDTH, 0, &format!("{label} ┼"), theme.dim());
    canvas.put(LABELS_WIDTH, 0, &"─".repeat(width), theme.dim());
    let cell_ns = columns.column_ns * 2;
    let cell_at = |ns| columns.column_at(ns).map(|column| column / 2);
    let step_s = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600u64];
    let step_ns =
        step_s.map(|s| s * 1_000_000_000).into_iter().find(|step| step / cell_ns >= 11).unwrap_or(600_000_000_000);
    // The end of the warm-up stays on the axis as long as it is in sight; times keep clear of it.
    let warm = if warmup_ns == 0 { 0 } else { cell_at(warmup_ns.saturating_sub(1)).map_or(0, |cell| cell + 1) };
    let mut at_ns = columns.start_ns.div_ceil(step_ns).max(1) * step_ns;
    while let Some(cell) = cell_at(at_ns) {
        let label = units::clock(at_ns / 1_000_000_000);
        let begins = cell.saturating_sub(label.len() / 2);
        if begins > warm + 1 && begins + label.len() < width {
            canvas.put(LABELS_WIDTH + begins, 0, &label, theme.dim());
        }
        at_ns += step_ns;
    }
    if warm > 0 {
        canvas.put(LABELS_WIDTH + warm.min(width - 1), 0, "┬", theme.dim());
        let name = "warm-up";
        if warm >= name.len() {
            canvas.put(LABELS_WIDTH + (warm - name.len()) / 2, 0, name, theme.dim());
        }
    }
}

/// Throughput over time in one row; `top` is what fills a cell.
pub fn sparkline(canvas: &mut Canvas<'_>, history: &Ring<Point>, now_ns: u64, span_ns: u64, top: f64) {
    const LEVELS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    let columns = Columns::of(history, now_ns, span_ns, canvas.width());
    for (x, cell) in columns.cells.iter().enumerate() {
        if let Some(Slice { tps, .. }) = cell {
            let level = (tps / top.max(1.0) * 8.0).ceil().clamp(1.0, 8.0) as usize - 1;
            let style = canvas.theme.accent();
            canvas.put(x, 0, LEVELS[level], style);
        }
    }
}

/// What the shades of a heat strip mean.
pub const HEAT_LEGEND: &str = "p99  · <10 µs  ░ <100 µs  ▒ <1 ms  ▓ <10 ms  █ more";

/// The worst p99 over time in one row, a shade per decade.
pub fn heat_strip(canvas: &mut Canvas<'_>, history: &Ring<Point>, now_ns: u64, span_ns: u64) {
    let columns = Columns::of(history, now_ns, span_ns, canvas.width());
    for (x, cell) in columns.cells.iter().enumerate() {
        let Some(Slice { p99_ns, .. }) = *cell else { continue };
        let shade = match p99_ns {
            0 => " ",
            1..10_000 => "·",
            10_000..100_000 => "░",
            100_000..1_000_000 => "▒",
            1_000_000..10_000_000 => "▓",
            _ => "█",
        };
        let style = canvas.theme.heat(p99_ns);
        canvas.put(x, 0, shade, style);
    }
}

/// A horizontal bar, to an eighth of a cell; any share above 0 is seen.
pub fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let mut eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round() as usize;
    if share > 0.0 && width > 0 {
        eighths = eighths.max(1);
    }
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(points: &[(u64, f32)]) -> Ring<Point> {
        let mut ring = Ring::new(100);
        for &(at_ns, tps) in points {
            ring.push(Point { at_ns, interval_ns: 10, tps, p50_ns: 1, p99_ns: at_ns });
        }
        ring
    }

    fn slice(tps: f64, p99_ns: u64) -> Option<Slice> {
        Some(Slice { tps, p50_ns: 1, p99_ns })
    }

    #[test]
    fn columns_fill_from_the_left_and_then_scroll_by_whole_columns() {
        let ring = history(&[(10, 1.0), (20, 2.0), (30, 3.0), (40, 4.0)]);
        let columns = Columns::of(&ring, 40, 80, 4);
        assert_eq!(columns.cells, [slice(1.5, 20), slice(3.5, 40), None, None]);
        let columns = Columns::of(&ring, 40, 40, 2);
        assert_eq!((columns.start_ns, columns.cells), (0, vec![slice(1.5, 20), slice(3.5, 40)]));
        let columns = Columns::of(&ring, 40, 20, 2);
        assert_eq!((columns.start_ns, columns.cells), (20, vec![slice(3.0, 30), slice(4.0, 40)]));
    }

    #[test]
    fn a_point_longer_than_a_column_fills_all_that_it_covers() {
        let columns = Columns::of(&history(&[(10, 5.0)]), 10, 20, 8);
        assert_eq!(columns.cells.iter().filter(|c| c.is_some()).count(), 5);
    }

    #[test]
    fn axes_end_at_round_numbers() {
        assert_eq!([round_up(3.41e6), round_up(1.0), round_up(0.0), round_up(9.9e3)], [4e6, 1.0, 1.0, 1e4]);
        assert_eq!(
            [axis_label(4e6), axis_label(1.5e6), axis_label(500e3), axis_label(7.0)],
            ["4 M", "1.5 M", "500 k", "7"]
        );
    }

    #[test]
    fn bars_are_drawn_to_an_eighth() {
        assert_eq!([bar(0.0, 4), bar(0.0001, 4), bar(0.5, 3), bar(1.0, 2), bar(7.0, 2)], ["", "▏", "█▌", "██", "██"]);
        assert_eq!((braille([0..0, 0..0]), braille([0..4, 0..4]), braille([0..1, 0..0])), (None, Some('⣿'), Some('⡀')));
        assert_eq!([within((2, 5), 0), within((2, 5), 4), within((2, 5), 8)], [2..4, 0..2, 0..0]);
    }
}
