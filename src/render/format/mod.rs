//! A result set as text: for people (table, vertical), for programs (CSV, JSON), for documents (Markdown).

mod chart;
mod csv;
mod json;
mod markdown;
mod table;
#[cfg(test)]
mod test_support;
mod vertical;

pub use chart::{ChartError, chart};

use super::Theme;
use crate::types::{DataType, ResultSet};
use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

/// How result sets are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Format {
    #[default]
    Table,
    Vertical,
    Csv,
    Json,
    Markdown,
}

/// A name that is no [`Format`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no format {name}: there are table, vertical, csv, json and markdown")]
pub struct UnknownFormat {
    pub name: String,
}

impl Format {
    pub const ALL: [Format; 5] = [Format::Table, Format::Vertical, Format::Csv, Format::Json, Format::Markdown];

    pub fn name(self) -> &'static str {
        match self {
            Format::Table => "table",
            Format::Vertical => "vertical",
            Format::Csv => "csv",
            Format::Json => "json",
            Format::Markdown => "markdown",
        }
    }

    /// True for the formats that people read: there, counts and notes may stand around the rows.
    pub fn is_for_people(self) -> bool {
        matches!(self, Format::Table | Format::Vertical)
    }

    /// `set` as text. Every line ends with a line feed; a set without columns gives no text.
    pub fn text(self, set: &ResultSet, layout: &Layout) -> String {
        match self {
            Format::Table => table::render(set, layout),
            Format::Vertical => vertical::render(set, layout),
            Format::Csv => csv::render(set),
            Format::Json => json::render(set),
            Format::Markdown => markdown::render(set),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        let found = Format::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

/// Where text for people goes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// Columns of the terminal; None where lines may have any length.
    pub width: Option<usize>,
    pub theme: Theme,
}

/// Numbers stand right-aligned, everything else left.
fn is_right_aligned(data_type: DataType) -> bool {
    data_type.is_numeric()
}

/// `text` without anything that moves a cursor, hides or reorders text: control characters become `\n`, `\t`, `\x1B` and
/// so on, the invisible direction marks of Unicode `\u{202E}`.
pub fn escape_controls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() && c.is_ascii() => write!(out, "\\x{:02X}", c as u32).expect("a String takes all"),
            c if c.is_control() || is_invisible(c) => {
                write!(out, "\\u{{{:X}}}", c as u32).expect("a String takes all");
            }
            c => out.push(c),
        }
    }
    out
}

/// Direction marks, line and paragraph separators, zero-width spaces, and the private range that `table` uses inside.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
        || matches!(c, '\u{F8F0}'..='\u{F8F3}')
}

#[cfg(test)]
mod tests {
    use super::test_support::*;
    use super::*;

    #[test]
    fn formats_are_known_by_name_without_case() {
        for format in Format::ALL {
            assert_eq!(format.name().to_uppercase().parse(), Ok(format));
        }
        let error = "xml".parse::<Format>().unwrap_err();
        assert_eq!(error.to_string(), "no format xml: there are table, vertical, csv, json and markdown");
    }

    #[test]
    fn controls_are_shown_not_obeyed() {
        assert_eq!(escape_controls("a\nb\t\x1b[31m\u{7f}\u{85}"), "a\\nb\\t\\x1B[31m\\x7F\\u{85}");
        assert_eq!(escape_controls("\u{202E}é漢"), "\\u{202E}é漢");
    }

    #[test]
    fn no_format_lets_a_control_character_through_to_a_terminal() {
        let set = rows(&[("a\x1bb", TEXT)], vec![vec![text("x\x1b[2Jy")]]);
        for format in [Format::Table, Format::Vertical, Format::Json] {
            assert!(!format.text(&set, &Layout::default()).contains('\x1b'), "{format}");
        }
    }

    #[test]
    fn a_set_without_columns_gives_no_text() {
        for format in Format::ALL {
            assert_eq!(format.text(&ResultSet::default(), &Layout::default()), "", "{format}");
        }
    }
}
