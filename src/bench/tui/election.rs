//! Election: accepted and rejected votes by reason, and how the contestants stand.

use unicode_width::UnicodeWidthStr;

use crate::bench::recorder::VoteCounts;
use crate::bench::sampler::Standing;
use crate::bench::tui::canvas::Canvas;
use crate::bench::tui::chart::bar;
use crate::bench::units::{count, percent};

/// Votes by answer in one row: counts of the whole run, warm-up included, with their shares where there is room.
pub fn votes_line(canvas: &mut Canvas<'_>, votes: &VoteCounts, errors: u64) {
    let theme = canvas.theme;
    let all = (votes.calls() + errors).max(1) as f64;
    let wide = canvas.width() >= 78 && errors == 0;
    let names = if wide { ["unknown contestant", "over the limit"] } else { ["unknown", "over limit"] };
    let answers =
        [("accepted", votes.accepted), (names[0], votes.rejected_contestant), (names[1], votes.rejected_limit)];
    let mut x = 3;
    for (name, n) in answers {
        x = canvas.put(x, 0, name, theme.dim()) + 1;
        x = canvas.put(x, 0, &format!("{:<6}", count(n)), theme.plain()) + 1;
        if canvas.width() >= 96 && wide {
            x = canvas.put(x, 0, &format!("{:>7}", percent(n as f64 / all)), theme.dim()) + 1;
        }
        x += 2;
    }
    if errors > 0 {
        canvas.put(x, 0, &format!("failed {}", count(errors)), theme.error());
    }
}

/// The contestants by rank, a row each, as many as fit: votes, share of all votes, a bar, states led.
pub fn standing(canvas: &mut Canvas<'_>, contestants: &[Standing]) {
    let theme = canvas.theme;
    if contestants.is_empty() {
        canvas.put(3, 0, "no standing yet", theme.dim());
        return;
    }
    let total = contestants.iter().map(|c| c.votes).sum::<u64>().max(1) as f64;
    let most = contestants.iter().map(|c| c.votes).max().unwrap_or(0).max(1) as f64;
    let name_width = contestants.iter().map(|c| c.name.width()).max().unwrap_or(0).min(20);
    // Number, name, votes and share stand before the bar, so that they line up; the states end at the edge.
    let bar_at = 6 + name_width + 2 + 7 + 9;
    let states_width = 20;
    let edge = canvas.width().saturating_sub(1);
    let bar_width = edge.saturating_sub(bar_at + states_width).min(60);
    for (y, contestant) in contestants.iter().take(canvas.height()).enumerate() {
        let leads = y == 0;
        let style = if leads { theme.strong() } else { theme.plain() };
        canvas.put_right(5, y, &contestant.number.to_string(), theme.dim());
        canvas.part(6, y, name_width, 1).put(0, 0, &contestant.name, style);
        canvas.put_right(6 + name_width + 8, y, &count(contestant.votes), style);
        canvas.put_right(6 + name_width + 16, y, &percent(contestant.votes as f64 / total), style);
        let bar_style = if leads { theme.accent() } else { theme.dim() };
        canvas.put(bar_at, y, &bar(contestant.votes as f64 / most, bar_width), bar_style);
        let plural = if contestant.states_led == 1 { "" } else { "s" };
        let states = format!("leads in {:>2} state{plural}", contestant.states_led);
        if bar_at + states_width <= edge {
            canvas.put(bar_at + bar_width + 2, y, &states, theme.dim());
        }
    }
}
