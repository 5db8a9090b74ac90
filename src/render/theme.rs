//! Colours, in one place, by what they mean.
//!
//! One accent, greys for structure, red for errors alone, and a ramp from dark to bright for heat. All are indexes of
//! the 256-colour palette, so that a full-screen front end can use the same ones.

/// What a piece of text is; the theme knows its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The one thing to look at: the prompt, a headline number.
    Accent,
    /// Column names, titles.
    Heading,
    /// Lines, units, timings, everything that may be overlooked.
    Quiet,
    /// A value that is not there.
    Null,
    Error,
    Keyword,
    Text,
    Number,
}

impl Role {
    /// Index in the 256-colour palette, or None for the terminal's own foreground.
    pub const fn colour(self) -> Option<u8> {
        match self {
            Role::Accent => Some(80),
            Role::Heading => None,
            Role::Quiet | Role::Null => Some(244),
            Role::Error => Some(203),
            Role::Keyword => Some(80),
            Role::Text => Some(186),
            Role::Number => Some(180),
        }
    }

    const fn sgr(self) -> &'static str {
        match self {
            Role::Accent => "1;38;5;80",
            Role::Heading => "1",
            Role::Quiet => "38;5;244",
            Role::Null => "3;38;5;244",
            Role::Error => "1;38;5;203",
            Role::Keyword => "38;5;80",
            Role::Text => "38;5;186",
            Role::Number => "38;5;180",
        }
    }
}

/// From nothing to most: palette indexes of rising brightness, for heat strips and maps.
pub const HEAT: [u8; 8] = [234, 54, 90, 126, 162, 203, 215, 229];

/// Whether text is coloured at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Theme {
    coloured: bool,
}

impl Theme {
    /// Adds nothing to any text.
    pub const PLAIN: Theme = Theme { coloured: false };
    pub const COLOURED: Theme = Theme { coloured: true };

    /// Coloured if the text goes to a terminal, the user did not refuse (`NO_COLOR` set and not empty, `--no-color`), and
    /// the terminal is not `dumb`.
    pub fn choose(terminal: bool, refused: bool, no_color: Option<&str>, term: Option<&str>) -> Theme {
        let willing = !refused && no_color.is_none_or(str::is_empty) && term != Some("dumb");
        Theme { coloured: terminal && willing }
    }

    pub fn is_coloured(self) -> bool {
        self.coloured
    }

    /// `text` in the colour of `role`, or as it is.
    pub fn paint(self, role: Role, text: &str) -> String {
        if !self.coloured || text.is_empty() {
            return text.to_owned();
        }
        format!("\x1b[{}m{text}\x1b[0m", role.sgr())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_theme_adds_nothing() {
        assert_eq!(Theme::PLAIN.paint(Role::Error, "error"), "error");
        assert_eq!(Theme::COLOURED.paint(Role::Error, "error"), "\x1b[1;38;5;203merror\x1b[0m");
        assert_eq!(Theme::COLOURED.paint(Role::Error, ""), "");
    }

    #[test]
    fn colour_needs_a_terminal_and_no_refusal() {
        assert!(Theme::choose(true, false, None, Some("xterm")).is_coloured());
        assert!(Theme::choose(true, false, Some(""), None).is_coloured());
        assert!(!Theme::choose(false, false, None, None).is_coloured());
        assert!(!Theme::choose(true, true, None, None).is_coloured());
        assert!(!Theme::choose(true, false, Some("1"), None).is_coloured());
        assert!(!Theme::choose(true, false, None, Some("dumb")).is_coloured());
    }

    #[test]
    fn the_palette_index_of_a_role_is_the_one_it_paints_with() {
        for role in [Role::Accent, Role::Quiet, Role::Null, Role::Error, Role::Keyword, Role::Text, Role::Number] {
            let colour = role.colour().expect("these have a colour");
            assert!(role.sgr().ends_with(&format!("38;5;{colour}")), "{role:?}");
        }
    }
}
