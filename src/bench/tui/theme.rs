//! Theme: the few styles of the dashboard. Colours come from the middle of the 256, so they read on light and dark.

use ratatui::style::{Color, Modifier, Style};

const ACCENT: Color = Color::Indexed(32);
const GREY: Color = Color::Indexed(244);
const AMBER: Color = Color::Indexed(172);
const RED: Color = Color::Indexed(160);
/// Latency from short to long: cool and dark to warm and bright, a step each half decade from 10 µs.
const HEAT: [u8; 8] = [60, 61, 67, 72, 108, 143, 179, 203];

/// Contestants, from the first on: hues that keep apart, each dark enough for white letters.
const CONTESTANTS: [u8; 12] = [25, 130, 28, 125, 60, 94, 30, 240, 97, 64, 131, 24];

/// Styles by meaning. Without colour they differ by weight only.
#[derive(Debug, Clone, Copy)]
pub struct Theme {
    color: bool,
}

impl Theme {
    pub fn new(color: bool) -> Theme {
        Theme { color }
    }

    pub fn plain(self) -> Style {
        Style::new()
    }

    /// What counts most on the screen.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The one accent: what is chosen, and the measured course of the run.
    pub fn accent(self) -> Style {
        self.colored(ACCENT)
    }

    /// Marks one of several words in a row, also without colour.
    pub fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// Structure: rules, captions, labels.
    pub fn dim(self) -> Style {
        if self.color { Style::new().fg(GREY) } else { Style::new().add_modifier(Modifier::DIM) }
    }

    /// Worth a look: the slowest partition, a frozen screen.
    pub fn notice(self) -> Style {
        self.colored(AMBER).add_modifier(Modifier::BOLD)
    }

    /// Something went wrong.
    pub fn error(self) -> Style {
        self.colored(RED).add_modifier(Modifier::BOLD)
    }

    /// A latency on the heat ramp.
    pub fn heat(self, ns: u64) -> Style {
        let half_decades = (ns.max(1) as f64 / 10_000.0).log10() * 2.0;
        let step = (half_decades.floor() as i64 + 1).clamp(0, HEAT.len() as i64 - 1);
        self.colored(Color::Indexed(HEAT[step as usize]))
    }

    /// A contestant's tile, from 1. Without colour only its number tells.
    pub fn contestant(self, number: i32) -> Style {
        let index = (number.max(1) as usize - 1) % CONTESTANTS.len();
        if self.color {
            Style::new().fg(Color::Indexed(231)).bg(Color::Indexed(CONTESTANTS[index]))
        } else {
            Style::new()
        }
    }

    fn colored(self, color: Color) -> Style {
        if self.color { Style::new().fg(color) } else { Style::new() }
    }
}
