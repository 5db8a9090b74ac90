//! An error with the line it is about and a caret under the part that is wrong.

use super::database::StatementError;
use crate::render::{Role, Theme};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Longest part of a statement's line that is shown around the caret, in columns.
const LINE_WIDTH_MAX: usize = 120;

/// Where a text came from.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The file, or None for what was typed or piped in.
    pub file: Option<&'a str>,
    /// Line of the source on which the text begins, from 1.
    pub first_line: usize,
}

impl Place<'_> {
    /// `ddl.sql:12: `, or nothing.
    fn prefix(self, line: usize) -> String {
        self.file.map_or(String::new(), |file| format!("{file}:{line}: "))
    }
}

/// The error as lines of text:
///
/// ```text
/// LINE 1: SELECT num_vote FROM t
///                ^^^^^^^^
/// error: no column num_vote in t
/// ```
///
/// `text` is what was run, starting at `place`; the error's span points into it.
pub fn statement(error: &StatementError, text: &str, place: Place<'_>, theme: Theme) -> String {
    let mut out = String::new();
    let mut line = place.first_line;
    if let Some((start, end)) = error.span {
        let excerpt = Excerpt::cut(text, start, end);
        line += excerpt.lines_before;
        let label = format!("LINE {line}: ");
        let indent = " ".repeat(label.width() + excerpt.caret_at);
        out.push_str(&format!("{}{}\n", theme.paint(Role::Quiet, &label), excerpt.shown));
        out.push_str(&format!("{indent}{}\n", theme.paint(Role::Error, &"^".repeat(excerpt.caret_width))));
    }
    let state = error.sqlstate.as_ref().map_or(String::new(), |state| format!(" (SQLSTATE {state})"));
    out.push_str(&message(&format!("{}{state}", error.message), place.prefix(line).as_str(), theme));
    if let Some(hint) = &error.hint {
        out.push_str(&format!("{} {hint}\n", theme.paint(Role::Quiet, "hint:")));
    }
    for other in &error.more {
        out.push_str(&statement(other, text, place, theme));
    }
    out
}

/// All that is known about an error.
pub fn verbose(error: &StatementError, text: &str, place: Place<'_>) -> String {
    let mut out = format!("error:     {}\n", error.message.trim_end());
    if let Some(state) = &error.sqlstate {
        out.push_str(&format!("SQLSTATE:  {state}\n"));
    }
    if let Some((start, end)) = error.span {
        let start = floor_boundary(text, start);
        let line = place.first_line + text[..start].matches('\n').count();
        let column = text[text[..start].rfind('\n').map_or(0, |at| at + 1)..start].chars().count() + 1;
        out.push_str(&format!("at:        line {line}, column {column}, bytes {start} to {end}\n"));
    }
    if let Some(file) = place.file {
        out.push_str(&format!("file:      {file}\n"));
    }
    if let Some(hint) = &error.hint {
        out.push_str(&format!("hint:      {hint}\n"));
    }
    out.push_str(&format!("statement: {}\n", text.trim_end().replace('\n', "\n           ")));
    out
}

/// An error of the shell itself, about line `place.first_line`.
pub fn plain(text: &str, place: Place<'_>, theme: Theme) -> String {
    message(text, place.prefix(place.first_line).as_str(), theme)
}

fn message(text: &str, prefix: &str, theme: Theme) -> String {
    format!("{prefix}{} {}\n", theme.paint(Role::Error, "error:"), text.trim_end())
}

/// The line of a text that a span begins on.
struct Excerpt {
    shown: String,
    caret_at: usize,
    caret_width: usize,
    lines_before: usize,
}

impl Excerpt {
    fn cut(text: &str, start: usize, end: usize) -> Excerpt {
        let start = floor_boundary(text, start);
        // A span at the end of the text is about what is missing there: the end of the last line with words.
        let start = if start >= text.trim_end().len() { text.trim_end().len() } else { start };
        let end = floor_boundary(text, end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let before = visible(&text[line_start..start]);
        let marked = visible(text[start..end.min(line_end)].trim_end());
        let (before, room) = if before.width() > LINE_WIDTH_MAX / 2 {
            let kept = tail(&before, LINE_WIDTH_MAX / 2 - 1);
            (format!("…{kept}"), LINE_WIDTH_MAX / 2)
        } else {
            let room = LINE_WIDTH_MAX - before.width();
            (before, room)
        };
        let rest = head(&visible(&text[start..line_end]), room);
        Excerpt {
            caret_at: before.width(),
            caret_width: marked.width().clamp(1, room),
            shown: format!("{before}{rest}").trim_end().to_owned(),
            lines_before: text[..start].matches('\n').count(),
        }
    }
}

/// Every character takes its own place: tabs and controls become one space, so that the caret stands right.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The first characters of `text` that fit `width` columns, with `…` where some are left out.
fn head(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= width
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// The last characters of `text` that fit `width` columns.
fn tail(text: &str, width: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices().rev() {
        used += c.width().unwrap_or(0);
        if used > width {
            return &text[at + c.len_utf8()..];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPED: Place<'static> = Place { file: None, first_line: 1 };

    fn at(text: &str, part: &str) -> StatementError {
        let start = text.find(part).expect("the part is in the text");
        StatementError { span: Some((start, start + part.len())), ..StatementError::new("wrong") }
    }

    #[test]
    fn the_caret_stands_under_the_part_that_is_wrong() {
        let text = "SELECT state, num_vote FROM v";
        assert_eq!(
            statement(&at(text, "num_vote"), text, TYPED, Theme::PLAIN),
            "LINE 1: SELECT state, num_vote FROM v\n                      ^^^^^^^^\nerror: wrong\n"
        );
    }

    #[test]
    fn wide_letters_and_tabs_do_not_move_the_caret() {
        let text = "SELECT\t'漢字é', bad";
        assert_eq!(
            statement(&at(text, "bad"), text, TYPED, Theme::PLAIN),
            "LINE 1: SELECT '漢字é', bad\n                        ^^^\nerror: wrong\n"
        );
    }

    #[test]
    fn lines_count_from_the_start_of_the_file() {
        let text = "SELECT a\n  FROM b\n WHERE c";
        let place = Place { file: Some("x.sql"), first_line: 11 };
        assert_eq!(
            statement(&at(text, "b"), text, place, Theme::PLAIN),
            "LINE 12:   FROM b\n                ^\nx.sql:12: error: wrong\n"
        );
        let error = StatementError {
            sqlstate: Some("23505".into()),
            hint: Some("try UPSERT".into()),
            ..StatementError::new("duplicate key")
        };
        assert_eq!(
            statement(&error, text, place, Theme::PLAIN),
            "x.sql:11: error: duplicate key (SQLSTATE 23505)\nhint: try UPSERT\n"
        );
    }

    #[test]
    fn a_span_over_lines_marks_the_first_and_one_at_the_end_marks_one_place() {
        let text = "SELECT (a\n + b) x\n";
        assert!(
            statement(&at(text, "(a\n + b)"), text, TYPED, Theme::PLAIN)
                .starts_with("LINE 1: SELECT (a\n               ^^\n")
        );
        let error = StatementError { span: Some((text.len(), text.len())), ..StatementError::new("wrong") };
        assert_eq!(statement(&error, text, TYPED, Theme::PLAIN), "LINE 2:  + b) x\n               ^\nerror: wrong\n");
    }

    #[test]
    fn a_long_line_is_shown_around_its_caret_and_no_span_is_too_wild() {
        let text = format!("SELECT {} bad, {}", "a, ".repeat(400), "b, ".repeat(400));
        let shown = statement(&at(&text, "bad"), &text, TYPED, Theme::PLAIN);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[0].width() <= LINE_WIDTH_MAX + 8, "{shown}");
        let caret = lines[1].find('^').expect("there is a caret");
        assert_eq!(lines[0].chars().skip(caret).take(3).collect::<String>(), "bad");
        for span in [(0, 9999), (9999, 3), (3, 1), (5, 6)] {
            let error = StatementError { span: Some(span), ..StatementError::new("wrong") };
            assert!(statement(&error, "aéééé", TYPED, Theme::PLAIN).ends_with("error: wrong\n"));
            statement(&error, "", TYPED, Theme::PLAIN);
        }
    }
}
