//! View: the model as a frame. The same model and size always give the same cells.
//!
//! From the top: what runs, the total, its course, the partitions, the votes, the distribution of response times, the
//! keys. What does not fit is left out from the bottom of that order of importance: under 10 rows only the headline
//! stays, under 60 columns only the headline and the table.

use ratatui::Frame;
use unicode_width::UnicodeWidthStr;

use crate::bench::sampler::Phase;
use crate::bench::tui::canvas::Canvas;
use crate::bench::tui::chart::{self, HEAT_LEGEND};
use crate::bench::tui::distribution::distribution;
use crate::bench::tui::election::{standing, votes_line};
use crate::bench::tui::latency::latency_view;
use crate::bench::tui::map::election_view;
use crate::bench::tui::model::{Figures, Model, View};
use crate::bench::tui::operations::operations_view;
use crate::bench::tui::partitions::{CourseAt, TABLE_WIDTH, span, table, visible};
use crate::bench::tui::theme::Theme;
use crate::bench::tui::timeline::timeline_view;
use crate::bench::units;

/// Screens smaller than this show less, and say so by showing it calmly.
const WIDTH_FULL: usize = 60;
const HEIGHT_FULL: usize = 10;
/// From here on a partition's course fits beside its figures.
const WIDTH_BESIDE: usize = TABLE_WIDTH + 41;

/// Draws the dashboard over the whole frame.
pub fn view(model: &Model, frame: &mut Frame<'_>) {
    let area = frame.area();
    let mut canvas = Canvas::new(frame.buffer_mut(), area, Theme::new(model.color));
    let figures = model.shown();
    if canvas.height() < HEIGHT_FULL {
        small(&mut canvas, model, figures);
    } else if canvas.width() < WIDTH_FULL {
        narrow(&mut canvas, model, figures);
    } else {
        match model.view {
            View::Partitions if !model.enlarged => full(&mut canvas, model, figures),
            view => whole(&mut canvas, model, figures, view),
        }
    }
    if canvas.height() >= HEIGHT_FULL {
        tabs(&mut canvas, model);
    }
    if model.help {
        help(&mut canvas);
    }
}

/// A view of one subject: what runs, the total, then the subject down to the tabs.
fn whole(canvas: &mut Canvas<'_>, model: &Model, figures: &Figures, view: View) {
    let (width, height) = (canvas.width(), canvas.height());
    header(canvas, model, figures);
    headline(&mut canvas.part(0, 1, width, 1), figures);
    canvas.rule(2, if view == View::Partitions { "" } else { view.name() }, &latency_caption(model, figures));
    let mut part = canvas.part(0, 3, width, height - 4);
    match view {
        View::Partitions => enlarged(&mut part, model, figures),
        View::Latency => latency_view(&mut part, model, figures),
        View::Timeline => timeline_view(&mut part, model, figures),
        View::Election => election_view(&mut part, figures),
        View::Operations => operations_view(&mut part, model, figures),
    }
}

/// The chosen partition alone: its row, throughput, latencies over time and their distribution.
fn enlarged(canvas: &mut Canvas<'_>, model: &Model, figures: &Figures) {
    let Some(partition) = figures.partitions.get(model.chosen) else { return };
    let (width, height) = (canvas.width(), canvas.height());
    table(&mut canvas.part(0, 0, width, 2), model, figures, CourseAt::Nowhere);
    let history = &partition.course.history;
    let pictures = ((height.saturating_sub(2)) / 5).min(3);
    if pictures == 0 {
        return;
    }
    let rows = height.saturating_sub(2) / pictures;
    let (at, span_ns, warmup_ns) = (figures.at_ns, model.span_ns(), model.warmup_ns);
    canvas.rule(2, &format!("votes/s of p{}", model.chosen), &span(model));
    chart::area(&mut canvas.part(0, 3, width, rows - 1), history, at, span_ns, warmup_ns);
    if pictures > 1 {
        canvas.rule(2 + rows, &format!("p50 to p99 of p{}", model.chosen), &span(model));
        chart::band(&mut canvas.part(0, 3 + rows, width, rows - 1), history, at, span_ns, warmup_ns);
    }
    if pictures > 2 {
        canvas.rule(
            2 + 2 * rows,
            &format!("response times of p{}", model.chosen),
            "heights are square roots of shares",
        );
        let mut part = canvas.part(0, 3 + 2 * rows, width, rows - 1);
        distribution(&mut part, &partition.course.latency, None, model.log_axis);
    }
}

fn small(canvas: &mut Canvas<'_>, model: &Model, figures: &Figures) {
    let (width, height) = (canvas.width(), canvas.height());
    if height <= 2 {
        headline(canvas, figures);
        return;
    }
    header(canvas, model, figures);
    headline(&mut canvas.part(0, 1, width, height - 1), figures);
}

fn narrow(canvas: &mut Canvas<'_>, model: &Model, figures: &Figures) {
    let (width, height) = (canvas.width(), canvas.height());
    header(canvas, model, figures);
    let used = headline(&mut canvas.part(0, 1, width, 3), figures);
    canvas.rule(1 + used, "", "p99 in µs");
    table(&mut canvas.part(0, 2 + used, width, height - used - 3), model, figures, CourseAt::Nowhere);
}

/// Rows of each part of a full screen.
#[derive(Debug, PartialEq, Eq)]
struct Layout {
    /// With its axis; 0: no chart.
    chart: usize,
    /// With its titles.
    table: usize,
    course: CourseAt,
    standing: usize,
    /// The band of latencies with its rule and axis; 0: none.
    band: usize,
    /// With its rule; 0: no distribution.
    distribution: usize,
}

/// Shares out the rows. Fixed ones: header, rule, headline, two more rules, votes and keys.
fn layout(width: usize, height: usize, partitions: usize, contestants: usize) -> Layout {
    const FIXED: usize = 7;
    let beside = width >= WIDTH_BESIDE;
    let contestants = contestants.max(1);
    let mut free = height.saturating_sub(FIXED + 2);
    let mut take = |wanted: usize| {
        let taken = wanted.min(free);
        free -= taken;
        taken
    };
    // The least of everything first, then more of each in turn.
    let mut rows = 1 + take(partitions.min(3) - 1);
    let mut standing = take(contestants.min(2));
    let mut chart = if take(3) == 3 { 3 } else { 0 };
    standing += take(contestants.min(3) - standing.min(3));
    rows += take(partitions.min(8).saturating_sub(rows));
    standing += take(contestants - standing.min(contestants));
    let mut course = if beside { CourseAt::Beside } else { CourseAt::Nowhere };
    rows += take(partitions - rows);
    let mut lines = rows;
    if !beside && rows == partitions && partitions <= 8 && free >= partitions {
        free -= partitions;
        lines *= 2;
        course = CourseAt::Below;
    }
    let mut take = |wanted: usize| {
        let taken = wanted.min(free);
        free -= taken;
        taken
    };
    if chart > 0 {
        chart += take(6);
    }
    let mut band = if take(8) == 8 { 8 } else { 0 };
    let mut distribution = if take(8) == 8 { 8 } else { 0 };
    // Room that is left makes the pictures finer, each within reason; a very tall screen stays empty below.
    for _ in 0..3 {
        chart += if chart > 0 { take(2) } else { 0 };
        band += if band > 0 { take(2) } else { 0 };
        distribution += if distribution > 0 { take(2) } else { 0 };
    }
    Layout { chart, table: lines + 1, course, standing, band, distribution }
}

fn full(canvas: &mut Canvas<'_>, model: &Model, figures: &Figures) {
    let (width, height) = (canvas.width(), canvas.height());
    let layout = layout(width, height, figures.partitions.len(), figures.election.standing.len());
    header(canvas, model, figures);
    canvas.rule(1, "", "");
    headline(&mut canvas.part(0, 2, width, 1), figures);
    let mut y = 3;
    let history = &figures.total.history;
    if layout.chart > 0 {
        let mut part = canvas.part(0, y, width, layout.chart);
        chart::area(&mut part, history, figures.at_ns, model.span_ns(), model.warmup_ns);
    }
    y += layout.chart;
    let lines = if layout.course == CourseAt::Below { 2 } else { 1 };
    let (first, shown) = visible(figures.partitions.len(), model.chosen, (layout.table - 1) / lines);
    let scrolled = if shown < figures.partitions.len() {
        format!("p{first} to p{} of {}", first + shown - 1, figures.partitions.len())
    } else {
        String::new()
    };
    canvas.rule(y, &scrolled, &latency_caption(model, figures));
    table(&mut canvas.part(0, y + 1, width, layout.table), model, figures, layout.course);
    y += 1 + layout.table;
    let course = layout.course != CourseAt::Nowhere;
    let charts = if course { span(model) } else { String::new() };
    let charts = if layout.course == CourseAt::Beside { String::new() } else { charts };
    canvas.rule(y, &charts, if course { HEAT_LEGEND } else { "" });
    votes_line(&mut canvas.part(0, y + 1, width, 1), &figures.votes, figures.errors);
    standing(&mut canvas.part(0, y + 2, width, layout.standing), &figures.election.standing);
    y += 2 + layout.standing;
    if layout.band > 0 {
        canvas.rule(y, "p50 to p99 of all partitions", &span(model));
        let mut part = canvas.part(0, y + 1, width, layout.band - 1);
        chart::band(&mut part, history, figures.at_ns, model.span_ns(), model.warmup_ns);
    }
    y += layout.band;
    if layout.distribution > 0 {
        let latency = figures.partitions.get(model.chosen).map_or(&figures.total.latency, |p| &p.course.latency);
        canvas.rule(y, &format!("response times of p{}", model.chosen), "heights are square roots of shares");
        distribution(&mut canvas.part(0, y + 1, width, layout.distribution - 1), latency, None, model.log_axis);
    }
}

/// What the latencies are, and since when they are counted.
fn latency_caption(model: &Model, figures: &Figures) -> String {
    let what = if model.settings.rate.is_some() { "µs from the intended start" } else { "latencies in µs" };
    match (figures.phase, figures.since_ns) {
        (Phase::WarmUp, 0) => format!("{what}, of the warm-up"),
        (_, since) => format!("{what}, since {}", units::clock(since / 1_000_000_000)),
    }
}

/// What runs on the left, how far it is on the right.
fn header(canvas: &mut Canvas<'_>, model: &Model, figures: &Figures) {
    let (theme, width) = (canvas.theme, canvas.width());
    let time = format!("{} / {}", units::clock(figures.at_ns / 1_000_000_000), units::clock(model.total_s));
    let (state, style) = match (model.frozen.is_some(), figures.phase) {
        (true, _) => ("frozen ", theme.notice()),
        (false, Phase::WarmUp) => ("warm-up ", theme.dim()),
        (false, Phase::Measure) => ("", theme.dim()),
        (false, Phase::Drain) => ("draining ", theme.dim()),
    };
    let right = time.width() + state.width() + 1;
    if right + 8 > width {
        canvas.put(1, 0, "votedb", theme.strong());
        if time.width() + 8 < width {
            canvas.put_right(width - 1, 0, &time, theme.plain());
        }
        return;
    }
    let left_width = width - right - 1;
    let mut left = canvas.part(0, 0, left_width, 1);
    let x = left.put(1, 0, "votedb", theme.strong()) + 2;
    let whole = format!("{} · {}", model.title(), model.durability);
    // Cut at a separator rather than in a word.
    let room = left_width.saturating_sub(x);
    let mut text = whole.as_str();
    while text.width() > room {
        text = text.rfind(" · ").map_or("", |at| &text[..at]);
    }
    left.put(x, 0, text, theme.plain());
    let at = width - right;
    let at = canvas.put(at, 0, state, style);
    canvas.put(at, 0, &time, theme.plain());
}

/// The total and the latencies of all partitions, in as many rows as it takes; returns how many.
fn headline(canvas: &mut Canvas<'_>, figures: &Figures) -> usize {
    let theme = canvas.theme;
    let latency = &figures.total.latency;
    let [p50, p95, p99, p999] = latency.quantiles([0.5, 0.95, 0.99, 0.999]);
    let narrow = canvas.width() < WIDTH_FULL;
    let items = [("p50", p50, true), ("p95", p95, !narrow), ("p99", p99, true), ("p99.9", p999, !narrow)];
    let items = items.into_iter().chain([("max", latency.max(), true)]).filter(|item| item.2);
    let total = format!("{:>8}", units::rate(figures.total.rate.per_second()));
    let x = canvas.put(0, 0, &total, theme.accent().patch(theme.strong()));
    let (mut x, mut y) = (canvas.put(x, 0, " votes/s", theme.strong()), 0);
    let gap = if canvas.width() >= 100 { 5 } else { 2 };
    for (name, ns, _) in items {
        let text = if latency.is_empty() { "–".to_owned() } else { units::duration(ns) };
        let item_width = name.width() + 1 + 6;
        if x + gap + item_width > canvas.width() {
            (x, y) = (1, y + 1);
        }
        if y >= canvas.height() {
            return canvas.height();
        }
        let at = canvas.put(x + gap, y, name, theme.dim());
        canvas.put(at + 1, y, &text, theme.plain());
        x += gap + item_width;
    }
    y + 1
}

const KEYS: [(&str, &str); 13] = [
    ("1–5 Tab", "views: partitions, latency, timeline, election, operations"),
    ("↑ ↓", "choose a partition; Home and End: the first and the last; e: it alone"),
    ("← →", "move the timeline's cursor"),
    ("+ −", "charts show more or less of the run"),
    ("l", "latencies on a logarithmic or a linear axis"),
    ("p", "the screen stands still, the run goes on"),
    ("r", "latencies are counted anew here; the report keeps all"),
    ("m", "clients call one at a time, pipelined, or by the text of a statement"),
    ("[ ]", "fewer or more clients"),
    ("< >", "a lower or higher rate; 0: as fast as answers come"),
    ("s", "save the report now"),
    ("?", "this page; Esc closes it"),
    ("q", "ends the run and prints its report; so does Ctrl-C"),
];

/// The views, the one on the screen marked; then what the last key did, or the keys that help on.
fn tabs(canvas: &mut Canvas<'_>, model: &Model) {
    let (theme, width, y) = (canvas.theme, canvas.width(), canvas.height() - 1);
    canvas.put(0, y, &" ".repeat(width), theme.plain());
    let full = width >= 80;
    let mut x = 1;
    for (at, view) in View::ALL.into_iter().enumerate() {
        let chosen = view == model.view;
        let style = if chosen { theme.accent().patch(theme.strong()).patch(theme.chosen()) } else { theme.dim() };
        let text =
            if full || (chosen && width >= 40) { format!("{} {}", at + 1, view.name()) } else { format!("{}", at + 1) };
        x = canvas.put(x, y, &text, style) + 2;
    }
    let keys = "? help  q quit";
    let right = match &model.notice {
        Some(notice) if notice.width() + x < width => notice.as_str(),
        _ => keys,
    };
    if x + right.width() < width {
        let style = if right == keys { theme.dim() } else { theme.notice() };
        canvas.put_right(width - 1, y, right, style);
    }
}

fn help(canvas: &mut Canvas<'_>) {
    let mut lines: Vec<(String, String)> =
        KEYS.iter().map(|(key, meaning)| (key.to_string(), meaning.to_string())).collect();
    for note in [
        "",
        "votes/s is the mean of the last second. Latency goes from a call's start to its answer,",
        "as its client sees it; with --rate from when it should have started. busy is the share",
        "of time a partition spends in transactions, queue how many calls wait for it.",
        "Votes and the standing count the warm-up too; latencies and the report do not.",
    ] {
        lines.push((String::new(), note.to_owned()));
    }
    let (width, height) = (92.min(canvas.width()), (lines.len() + 4).min(canvas.height()));
    let (x, y) = ((canvas.width() - width) / 2, (canvas.height() - height) / 2);
    let mut page = canvas.part(x, y, width, height);
    page.clear();
    let dim = page.theme.dim();
    page.put(0, 0, &format!("┌ Help {}┐", "─".repeat(width.saturating_sub(8))), dim);
    for row in 1..height.saturating_sub(1) {
        page.put(0, row, "│", dim);
        page.put(width - 1, row, "│", dim);
    }
    page.put(0, height.saturating_sub(1), &format!("└{}┘", "─".repeat(width.saturating_sub(2))), dim);
    let mut inside = page.part(2, 2, width.saturating_sub(4), height.saturating_sub(3));
    for (row, (key, text)) in lines.iter().enumerate() {
        let accent = inside.theme.accent();
        inside.put(0, row, key, accent);
        inside.put(if key.is_empty() { 0 } else { 9 }, row, text, inside.theme.plain());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_a_layout_fit_its_screen() {
        for height in 10..120 {
            for width in [60, 80, 119, 120, 300] {
                for partitions in [1, 2, 3, 8, 16, 64, 1000] {
                    for contestants in [0, 1, 6, 12] {
                        let l = layout(width, height, partitions, contestants);
                        let used = 7 + l.chart + l.table + l.standing + l.band + l.distribution;
                        assert!(used <= height, "{width}x{height}, {partitions}, {contestants}: {l:?}");
                        assert!(l.table >= 2);
                    }
                }
            }
        }
    }

    #[test]
    fn an_ordinary_screen_shows_all_but_the_distribution() {
        let l = layout(80, 24, 2, 6);
        assert_eq!((l.table, l.course, l.standing), (5, CourseAt::Below, 6));
        assert!(l.chart >= 4, "{l:?}");
        assert!(layout(160, 50, 2, 6).distribution > 0);
    }
}
