//! A result set as text: for people (table, vertical), for programs (CSV, JSON), for documents (Markdown).

mod chart;
mod csv;
mod grid;
mod json;
mod markdown;
mod plot;
mod rows;
mod table;
#[cfg(test)]
mod test_support;
mod vertical;

pub use chart::{ChartError, chart};
pub use plot::{heat, lines, svg};
pub use rows::literal;

use super::Theme;
use crate::types::{DataType, ResultSet};
use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;
use std::sync::Arc;

/// How result sets are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Format {
    #[default]
    Table,
    /// A line for each value.
    Vertical,
    /// A table, or a line for each value where the table is wider than the terminal.
    Auto,
    /// A table with lines around its cells.
    Box,
    /// A table in ASCII.
    Plain,
    Csv,
    /// Values parted by tabs; tabs and line ends in them are written `\t`, `\n`.
    Tsv,
    Json,
    /// An object a line.
    Jsonl,
    Markdown,
    Html,
    /// INSERT statements.
    Insert,
}

/// A name that is no [`Format`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no format {name}: there are {}", Format::names())]
pub struct UnknownFormat {
    pub name: String,
}

/// Other names of formats: sqlcmd's, psql's, sqlite's.
const ALIASES: [(&str, Format); 11] = [
    ("expanded", Format::Vertical),
    ("line", Format::Vertical),
    ("fixed", Format::Plain),
    ("ascii", Format::Plain),
    ("aligned", Format::Table),
    ("wrapped", Format::Table),
    ("column", Format::Table),
    ("tab", Format::Tsv),
    ("tabs", Format::Tsv),
    ("ndjson", Format::Jsonl),
    ("md", Format::Markdown),
];

impl Format {
    pub const ALL: [Format; 12] = [
        Format::Table,
        Format::Vertical,
        Format::Auto,
        Format::Box,
        Format::Plain,
        Format::Csv,
        Format::Tsv,
        Format::Json,
        Format::Jsonl,
        Format::Markdown,
        Format::Html,
        Format::Insert,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Format::Table => "table",
            Format::Vertical => "vertical",
            Format::Auto => "auto",
            Format::Box => "box",
            Format::Plain => "plain",
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Json => "json",
            Format::Jsonl => "jsonl",
            Format::Markdown => "markdown",
            Format::Html => "html",
            Format::Insert => "insert",
        }
    }

    /// `table, vertical, .. and insert`
    fn names() -> String {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        let (last, others) = names.split_last().expect("there are formats");
        format!("{} and {last}", others.join(", "))
    }

    /// True for the formats that people read: there, counts and notes may stand around the rows.
    pub fn is_for_people(self) -> bool {
        matches!(self, Format::Table | Format::Vertical | Format::Auto | Format::Box | Format::Plain)
    }

    /// True if an empty line has to part one result from the next: the format does not do so itself.
    pub fn needs_parting(self) -> bool {
        matches!(self, Format::Csv | Format::Tsv | Format::Markdown)
    }

    /// `set` as text. Every line ends with a line feed; a set without columns gives no text.
    pub fn text(self, set: &ResultSet, layout: &Layout) -> String {
        let mut text = String::new();
        self.write(set, layout, &mut |piece| {
            text.push_str(piece);
            true
        });
        text
    }

    /// Hands the text of `set` to `sink`, in pieces of some 64 KiB where the format goes row by row. `sink` says false to
    /// have no more of it.
    pub fn write(self, set: &ResultSet, layout: &Layout, sink: &mut dyn FnMut(&str) -> bool) {
        if set.columns.is_empty() {
            return;
        }
        match self {
            Format::Table => sink(&table::render(set, layout)),
            Format::Vertical => sink(&vertical::render(set, layout)),
            Format::Auto if table::fits(set, layout) => sink(&table::render(set, layout)),
            Format::Auto => sink(&vertical::render(set, layout)),
            Format::Box => sink(&grid::boxed(set, layout)),
            Format::Plain => sink(&grid::plain(set, layout)),
            Format::Markdown => sink(&markdown::render(set)),
            Format::Csv | Format::Tsv | Format::Json | Format::Jsonl | Format::Html | Format::Insert => {
                rows::write(self, set, layout, sink)
            }
        };
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
        let named = Format::ALL.iter().map(|format| (format.name(), *format)).chain(ALIASES);
        let found = named.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, format)| format).ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

/// How text is laid out, and what stands in it for what.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Columns of the terminal; None where lines may have any length.
    pub width: Option<usize>,
    pub theme: Theme,
    /// What stands for NULL in text formats; None: what the format says.
    pub null: Option<Arc<str>>,
    /// Whether the names of columns are written.
    pub header: bool,
    /// CSV puts every field in quotes.
    pub quotes_all: bool,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout { width: None, theme: Theme::PLAIN, null: None, header: true, quotes_all: false }
    }
}

impl Layout {
    /// NULL as people see it.
    fn null_text(&self) -> &str {
        self.null.as_deref().unwrap_or("NULL")
    }
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
        assert!(error.to_string().starts_with("no format xml: there are table, vertical, auto, "), "{error}");
        assert!(error.to_string().ends_with(" html and insert"), "{error}");
        assert_eq!("TAB".parse(), Ok(Format::Tsv));
    }

    #[test]
    fn controls_are_shown_not_obeyed() {
        assert_eq!(escape_controls("a\nb\t\x1b[31m\u{7f}\u{85}"), "a\\nb\\t\\x1B[31m\\x7F\\u{85}");
        assert_eq!(escape_controls("\u{202E}é漢"), "\\u{202E}é漢");
    }

    #[test]
    fn no_format_lets_a_control_character_through_to_a_terminal() {
        let set = rows(&[("a\x1bb", TEXT)], vec![vec![text("x\x1b[2Jy")]]);
        for format in
            [Format::Table, Format::Vertical, Format::Auto, Format::Box, Format::Plain, Format::Json, Format::Jsonl]
        {
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
