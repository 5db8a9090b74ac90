//! What is wrong with a text, and how that is shown.

use super::Span;
use unicode_width::UnicodeWidthChar;

/// A text that is no statement: what is wrong, where, and, where it can be said, what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct SqlError {
    pub message: String,
    pub span: Span,
}

impl SqlError {
    pub fn new(message: impl Into<String>, span: Span) -> SqlError {
        SqlError { message: message.into(), span }
    }

    /// The error under the line it is in, as [`render_error`] shows it; `text` is what was parsed, and starts at line
    /// `first_line` (from 1) of `file`.
    pub fn render(&self, text: &str, file: Option<&str>, first_line: usize) -> String {
        render_at(text, self.span, &self.message, file, first_line)
    }
}

/// Columns of a line that are shown; longer lines are cut around the span.
const LINE_COLUMNS_MAX: usize = 160;
/// Columns kept before the span in a line that is cut.
const LEAD_COLUMNS: usize = 60;
const TAB_COLUMNS: usize = 4;

/// An error in `text` (whose first line is line 1 of `file`), for people:
///
/// ```text
/// procs/vote.sql:2:
/// LINE 2:   SELEC 1;
///           ^^^^^
/// error: no statement starts with SELEC; did you mean SELECT?
/// ```
///
/// The first line only with a `file`; only the message if `span` is [`Span::NONE`]. No line end at the end. A span over
/// several lines is marked in its first one. Tabs are shown as four blanks, wide characters count as two columns.
pub fn render_error(text: &str, span: Span, message: &str, file: Option<&str>) -> String {
    render_at(text, span, message, file, 1)
}

fn render_at(text: &str, span: Span, message: &str, file: Option<&str>, first_line: usize) -> String {
    if span == Span::NONE {
        return match file {
            Some(file) => format!("{file}:\nerror: {message}"),
            None => format!("error: {message}"),
        };
    }
    let start = floor_boundary(text, span.start);
    let end = floor_boundary(text, span.end).max(start);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let number = first_line + text[..line_start].matches('\n').count();

    let (mut before, _) = shown(&text[line_start..start]);
    let (mut marked, mut width) = shown(text[start..end.min(line_end)].trim_end());
    let (mut after, after_width) =
        shown(text[start..line_end].trim_end().get(marked_bytes(text, start, end, line_end)..).unwrap_or(""));
    let mut lead = columns(&before);
    if lead + width + after_width > LINE_COLUMNS_MAX {
        if lead > LEAD_COLUMNS {
            before = format!("...{}", last_columns(&before, LEAD_COLUMNS - 3));
            lead = columns(&before);
        }
        let room = LINE_COLUMNS_MAX - lead;
        if width > room {
            marked = first_columns(&marked, room);
            width = columns(&marked);
            after = "...".to_owned();
        } else if width + after_width > room {
            after = format!("{}...", first_columns(&after, (room - width).saturating_sub(3)));
        }
    }

    let mut out = String::new();
    if let Some(file) = file {
        out.push_str(&format!("{file}:{number}:\n"));
    }
    let label = format!("LINE {number}: ");
    let indent = " ".repeat(label.len() + lead);
    let carets = "^".repeat(width.max(1));
    let line = format!("{label}{before}{marked}{after}");
    out.push_str(&format!("{}\n{indent}{carets}\nerror: {message}", line.trim_end()));
    out
}

/// Bytes of the span within its first line, without blanks at the end.
fn marked_bytes(text: &str, start: usize, end: usize, line_end: usize) -> usize {
    text[start..end.min(line_end)].trim_end().len()
}

fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The text as a terminal shows it, tabs and control characters as blanks, and its width in columns.
fn shown(text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.extend(std::iter::repeat_n(' ', TAB_COLUMNS)),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    let width = columns(&out);
    (out, width)
}

fn columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// As many characters from the start as fit `limit` columns.
fn first_columns(text: &str, limit: usize) -> String {
    let mut used = 0;
    text.chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= limit
        })
        .collect()
}

/// As many characters from the end as fit `limit` columns.
fn last_columns(text: &str, limit: usize) -> String {
    let reversed: String = text.chars().rev().collect();
    first_columns(&reversed, limit).chars().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_and_its_carets_are_shown() {
        let text = "SELECT a\nFROM t\nWHERE bad = 1";
        let error = SqlError::new("no column bad", Span::new(22, 25));
        assert_eq!(error.render(text, None, 1), "LINE 3: WHERE bad = 1\n              ^^^\nerror: no column bad");
        assert_eq!(
            error.render(text, Some("a.sql"), 10),
            "a.sql:12:\nLINE 12: WHERE bad = 1\n               ^^^\nerror: no column bad"
        );
    }

    #[test]
    fn tabs_and_wide_characters_keep_the_carets_in_place() {
        let text = "\tSELECT '漢字', bad";
        let start = text.find("bad").unwrap();
        assert_eq!(
            render_error(text, Span::new(start, start + 3), "no", None),
            "LINE 1:     SELECT '漢字', bad\n                           ^^^\nerror: no"
        );
        let start = text.find("'").unwrap();
        let carets = render_error(text, Span::new(start, start + 8), "no", None);
        assert!(carets.contains("\n                   ^^^^^^\n"), "{carets}");
    }

    #[test]
    fn the_end_of_a_text_gets_one_caret_and_several_lines_only_the_first() {
        assert_eq!(render_error("SELECT", Span::new(6, 6), "no", None), "LINE 1: SELECT\n              ^\nerror: no");
        assert_eq!(render_error("a b\nc", Span::new(2, 5), "no", None), "LINE 1: a b\n          ^\nerror: no");
    }

    #[test]
    fn long_lines_are_cut_around_the_span() {
        let text = format!("{}bad{}", "x".repeat(500), "y".repeat(500));
        let rendered = render_error(&text, Span::new(500, 503), "no", None);
        let lines: Vec<&str> = rendered.lines().collect();
        assert!(lines[0].starts_with("LINE 1: ...xxx") && lines[0].ends_with("yyy..."));
        assert!(lines[0].len() <= 8 + LINE_COLUMNS_MAX);
        let at = lines[1].find('^').unwrap();
        assert_eq!(&lines[0][at..at + 3], "bad");
    }

    #[test]
    fn spans_that_do_not_fit_the_text_are_no_panic() {
        for (start, end) in [(0, 99), (50, 60), (1, 2), (3, 1)] {
            render_error("é漢", Span::new(start, end), "no", None);
        }
        assert_eq!(render_error("a", Span::NONE, "no", None), "error: no");
    }
}
