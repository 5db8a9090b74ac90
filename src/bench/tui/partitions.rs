//! Partitions: a row for each, with what its clients saw, and its course beside or below.

use crate::bench::tui::canvas::Canvas;
use crate::bench::tui::chart::{heat_strip, sparkline};
use crate::bench::tui::model::{Figures, Model, PartitionFigures};
use crate::bench::units;

/// How the course of a partition is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CourseAt {
    Nowhere,
    /// In a row of its own below the figures.
    Below,
    /// In the row, right of the figures.
    Beside,
}

/// A column of the table; those with a low rank are left out first.
struct Column {
    title: &'static str,
    width: usize,
    rank: u8,
    text: fn(&Row<'_>) -> String,
}

struct Row<'a> {
    partition: &'a PartitionFigures,
    tps: f64,
    share: f64,
    /// p50, p95, p99, p99.9 and max in nanoseconds.
    latency: [u64; 5],
}

const NAME_WIDTH: usize = 10;

const COLUMNS: [Column; 9] = [
    Column { title: "votes/s", width: 8, rank: 9, text: |row| units::rate(row.tps) },
    Column { title: "share", width: 7, rank: 3, text: |row| whole_percent(Some(row.share)) },
    Column { title: "busy", width: 7, rank: 4, text: |row| whole_percent(row.partition.busy) },
    Column { title: "queue", width: 8, rank: 5, text: |row| queue(row.partition.queued) },
    Column { title: "p50", width: 7, rank: 7, text: |row| latency(row, 0, 7) },
    Column { title: "p95", width: 7, rank: 1, text: |row| latency(row, 1, 7) },
    Column { title: "p99", width: 7, rank: 8, text: |row| latency(row, 2, 7) },
    Column { title: "p99.9", width: 7, rank: 2, text: |row| latency(row, 3, 7) },
    Column { title: "max", width: 8, rank: 6, text: |row| latency(row, 4, 8) },
];
const P99: usize = 6;

/// Width of the table with all its columns.
pub const TABLE_WIDTH: usize = 79;

fn whole_percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", share * 100.0))
}

fn queue(queued: Option<u64>) -> String {
    queued.map_or_else(|| "–".to_owned(), |n| if n < 100_000 { units::grouped(n) } else { units::count(n) })
}

/// Microseconds; a duration with its unit where the digits would not fit.
fn latency(row: &Row<'_>, at: usize, width: usize) -> String {
    if row.partition.course.latency.is_empty() {
        return "–".to_owned();
    }
    let text = units::micros(row.latency[at] as f64 / 1e3);
    if text.len() < width { text } else { units::duration(row.latency[at]) }
}

/// Draws the table: titles, then as many partitions as fit, the chosen one among them.
pub fn table(canvas: &mut Canvas<'_>, model: &Model, figures: &Figures, course: CourseAt) {
    let columns = chosen_columns(canvas.width());
    titles(canvas, &columns, course, model);
    let total: f64 = figures.partitions.iter().map(|p| p.course.rate.per_second()).sum();
    let rows: Vec<Row<'_>> = figures.partitions.iter().map(|partition| row(partition, total)).collect();
    let slowest = slowest(&rows);
    let fastest_tps =
        figures.partitions.iter().flat_map(|p| p.course.history.iter()).map(|p| p.tps).fold(0.0, f32::max);
    let lines = if course == CourseAt::Below { 2 } else { 1 };
    let (first, shown) = visible(rows.len(), model.chosen, canvas.height().saturating_sub(1) / lines);
    for (place, index) in (first..first + shown).enumerate() {
        let y = 1 + place * lines;
        figures_row(canvas, y, index, &rows[index], &columns, (index == model.chosen, slowest == Some(index)));
        let history = &rows[index].partition.course.history;
        let at = (figures.at_ns, model.span_ns());
        let (x, room, y) = match course {
            CourseAt::Nowhere => continue,
            CourseAt::Below => (5, canvas.width().saturating_sub(7), y + 1),
            CourseAt::Beside => (TABLE_WIDTH + 3, canvas.width().saturating_sub(TABLE_WIDTH + 5), y),
        };
        let half = room.saturating_sub(3) / 2;
        if course == CourseAt::Below {
            let dim = canvas.theme.dim();
            canvas.put(x, y, "votes/s", dim);
            canvas.put(x + half + 3, y, "p99", dim);
            sparkline(&mut canvas.part(x + 9, y, half - 9, 1), history, at.0, at.1, fastest_tps as f64);
            heat_strip(&mut canvas.part(x + half + 8, y, half - 5, 1), history, at.0, at.1);
        } else {
            sparkline(&mut canvas.part(x, y, half, 1), history, at.0, at.1, fastest_tps as f64);
            heat_strip(&mut canvas.part(x + half + 3, y, half, 1), history, at.0, at.1);
        }
    }
}

/// The first partition shown, and how many, so that `chosen` is one of them.
pub fn visible(partitions: usize, chosen: usize, room: usize) -> (usize, usize) {
    let shown = partitions.min(room);
    let first = (chosen + 1 + shown / 2).saturating_sub(shown).min(partitions - shown);
    (if chosen < shown { 0 } else { first }, shown)
}

fn row(partition: &PartitionFigures, total: f64) -> Row<'_> {
    let course = &partition.course;
    let tps = course.rate.per_second();
    let [p50, p95, p99, p999] = course.latency.quantiles([0.5, 0.95, 0.99, 0.999]);
    let share = if total > 0.0 { tps / total } else { 0.0 };
    Row { partition, tps, share, latency: [p50, p95, p99, p999, course.latency.max()] }
}

/// The partition that stands out by its p99: more than half above the median one's.
fn slowest(rows: &[Row<'_>]) -> Option<usize> {
    let mut p99: Vec<u64> = rows.iter().map(|row| row.latency[2]).collect();
    p99.sort_unstable();
    let median = *p99.get(p99.len().checked_sub(1)? / 2)?;
    let index = (0..rows.len()).max_by_key(|&index| rows[index].latency[2])?;
    (rows.len() > 1 && rows[index].latency[2] > median + median / 2).then_some(index)
}

/// The columns that fit; under 60 columns of screen only votes/s and p99.
fn chosen_columns(width: usize) -> Vec<&'static Column> {
    let mut columns: Vec<&Column> = COLUMNS.iter().filter(|c| width >= 60 || c.rank >= 8).collect();
    let needed = |columns: &[&Column]| 3 + NAME_WIDTH.min(width / 3) + columns.iter().map(|c| c.width).sum::<usize>();
    while columns.len() > 1 && needed(&columns) > width {
        let least = columns.iter().enumerate().min_by_key(|(_, c)| c.rank).map(|(at, _)| at);
        columns.remove(least.expect("there is more than one"));
    }
    columns
}

fn titles(canvas: &mut Canvas<'_>, columns: &[&Column], course: CourseAt, model: &Model) {
    let dim = canvas.theme.dim();
    let name = NAME_WIDTH.min(canvas.width() / 3);
    canvas.part(3, 0, name, 1).put(0, 0, "partition", dim);
    let mut end = 3 + name;
    for column in columns {
        end += column.width;
        canvas.put_right(end, 0, column.title, dim);
    }
    if course == CourseAt::Beside {
        let x = TABLE_WIDTH + 3;
        let half = canvas.width().saturating_sub(TABLE_WIDTH + 5).saturating_sub(3) / 2;
        canvas.put(x, 0, &format!("votes/s, {}", span(model)), dim);
        canvas.put(x + half + 3, 0, &format!("p99, {}", span(model)), dim);
    }
}

/// The time span of the charts in words.
pub fn span(model: &Model) -> String {
    match model.span_ns() / 1_000_000_000 {
        s @ 0..=60 => format!("last {s} s"),
        s => format!("last {} min", s / 60),
    }
}

fn figures_row(
    canvas: &mut Canvas<'_>,
    y: usize,
    index: usize,
    row: &Row<'_>,
    columns: &[&Column],
    (chosen, slowest): (bool, bool),
) {
    let theme = canvas.theme;
    let name_width = NAME_WIDTH.min(canvas.width() / 3);
    if chosen {
        canvas.put(1, y, "▸", theme.accent());
    }
    let name_style = if chosen { theme.strong() } else { theme.plain() };
    let mut name = canvas.part(3, y, name_width, 1);
    let x = name.put(0, 0, &format!("p{index}"), name_style);
    if slowest {
        let word = if x + 8 <= name_width { "slowest" } else { "slow" };
        name.put(x + 1, 0, word, theme.notice());
    }
    let mut end = 3 + name_width;
    for column in columns {
        end += column.width;
        let style = if slowest && column.title == COLUMNS[P99].title { theme.notice() } else { name_style };
        canvas.put_right(end, y, &(column.text)(row), style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_partition_is_always_in_sight() {
        for partitions in [1, 2, 5, 64] {
            for room in 0..20 {
                for chosen in 0..partitions {
                    let (first, shown) = visible(partitions, chosen, room);
                    assert!(first + shown <= partitions && shown == partitions.min(room));
                    assert!(room == 0 || (first..first + shown).contains(&chosen), "{partitions} {room} {chosen}");
                }
            }
        }
    }

    #[test]
    fn narrow_screens_keep_the_columns_that_matter_most() {
        let titles = |width| chosen_columns(width).iter().map(|c| c.title).collect::<Vec<_>>();
        assert_eq!(titles(80).len(), COLUMNS.len());
        assert_eq!(titles(60), ["votes/s", "busy", "queue", "p50", "p99", "max"]);
        assert_eq!(titles(59), ["votes/s", "p99"]);
        assert_eq!(COLUMNS[P99].title, "p99");
        assert_eq!(3 + NAME_WIDTH + COLUMNS.iter().map(|c| c.width).sum::<usize>(), TABLE_WIDTH);
    }
}
