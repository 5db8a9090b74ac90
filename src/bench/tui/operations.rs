//! The Operations view: the procedure's calls and failures, rows and memory, how clients call and who is busy.

use crate::bench::tui::canvas::Canvas;
use crate::bench::tui::model::{Figures, Model};
use crate::bench::units::{count, duration, grouped, percent, rate};

/// Draws the whole view, what matters most first, as far as it fits.
pub fn operations_view(canvas: &mut Canvas<'_>, model: &Model, figures: &Figures) {
    let theme = canvas.theme;
    let mut y = 0;
    for (title, lines) in sections(model, figures) {
        if y >= canvas.height() {
            return;
        }
        canvas.rule(y, title, "");
        y += 1;
        for (name, text, alarming) in lines {
            canvas.put(3, y, &name, theme.dim());
            canvas.put(26, y, &text, if alarming { theme.notice() } else { theme.plain() });
            y += 1;
        }
    }
}

type Line = (String, String, bool);

fn sections(model: &Model, figures: &Figures) -> [(&'static str, Vec<Line>); 4] {
    let line = |name: &str, text: String| (name.to_owned(), text, false);
    let latency = &figures.total.latency;
    let votes = &figures.votes;
    let all = (votes.calls() + figures.errors).max(1) as f64;
    let share = |n: u64| format!("{} ({})", grouped(n), percent(n as f64 / all));
    let procedures = vec![
        line(
            "Vote",
            format!(
                "{} calls  {}/s  mean {}  p99 {}  max {}",
                count(votes.calls()),
                rate(figures.total.rate.per_second()),
                duration(latency.mean() as u64),
                duration(latency.quantile(0.99)),
                duration(latency.max())
            ),
        ),
        line("  accepted", share(votes.accepted)),
        line("  unknown contestant", share(votes.rejected_contestant)),
        line("  over the limit", share(votes.rejected_limit)),
        ("  failed".to_owned(), share(figures.errors), figures.errors > 0),
        line(
            "standing and map",
            format!("two reads a second on the live views, {}", duration(figures.election.took.as_nanos() as u64)),
        ),
    ];
    let generator = &figures.generator;
    let processors =
        |share: Option<f64>| share.map_or_else(|| "unknown".to_owned(), |share| format!("{share:.2} processors"));
    let busy: Option<f64> = figures.partitions.iter().map(|partition| partition.busy).sum();
    let settings = model.settings;
    let reached = figures.total.rate.per_second();
    let short = settings.rate.is_some_and(|asked| reached < asked * 0.98 && figures.at_ns > 2_000_000_000);
    let waiting = generator.cpu_wait.is_some_and(|wait| wait > 0.25 * settings.clients as f64);
    let bound = settings.rate.is_none()
        && generator.cpu.zip(busy).is_some_and(|(cpu, busy)| cpu > 0.8 * settings.clients as f64 && busy < 0.4 * cpu);
    let clients = vec![
        line("calls", format!("{settings} (m mode, [ ] clients, < > rate, 0 no rate)")),
        (
            "rate".to_owned(),
            match settings.rate {
                Some(asked) => format!("asked {}/s, reached {}/s", rate(asked), rate(reached)),
                None => format!("as fast as answers come: {}/s", rate(reached)),
            },
            short,
        ),
        (
            "clients' threads".to_owned(),
            format!("{}, waiting for one {}", processors(generator.cpu), processors(generator.cpu_wait)),
            waiting,
        ),
        (
            "transactions".to_owned(),
            match (busy, bound) {
                (Some(busy), true) => format!("{busy:.2} processors: the load generator is the bottleneck"),
                (busy, _) => processors(busy),
            },
            bound,
        ),
    ];
    let mut storage = vec![line("all tables and indexes", format!("{}B", count(figures.election.memory_bytes)))];
    storage.extend(figures.election.rows.iter().map(|(name, rows)| line(name, format!("{} rows", grouped(*rows)))));
    let durability = vec![line("kept", model.durability.clone())];
    [("procedures", procedures), ("load", clients), ("durability", durability), ("storage", storage)]
}
