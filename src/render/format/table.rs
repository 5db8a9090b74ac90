//! Rows under column names, with one light line between: no boxes.
//!
//! ```text
//!  contestant_name  votes
//!  ───────────────  ─────
//!  Edwina Burnam    63412
//! ```
//!
//! Given a terminal's width, long texts wrap inside their column; where the columns cannot stand beside one another at
//! all, each row is written as `vertical` does.

use super::{Layout, escape_controls, is_right_aligned, vertical};
use crate::render::{Role, units};
use crate::types::{ResultSet, Value};
use comfy_table::{CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Row, Table, TableStyle};
use unicode_width::UnicodeWidthStr;

/// Longest text that is shown whole, in characters: more is for CSV or JSON, not for eyes.
const CELL_CHARS_MAX: usize = 4096;
/// The least room that a column with long texts may be squeezed into, before the table turns vertical.
const SQUEEZED_WIDTH: usize = 12;
/// Stands for the letters of NULL while the table is laid out, so that they can be coloured and told from a text 'NULL'
/// afterwards. `escape_controls` keeps these characters out of every value.
const NULL_MARK: &str = "\u{F8F0}\u{F8F1}\u{F8F2}\u{F8F3}";

const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction(' '))
    .header_separator(LineStyle::none().fill('─').junction(' '))
    .content_lines(ContentLineStyle::none().junction(' '));

/// True if no text would have to wrap.
pub(super) fn fits(set: &ResultSet, layout: &Layout) -> bool {
    let Some(room) = layout.width else { return true };
    let width = |i: usize| {
        let values = set.rows.iter().map(|row| cell(&row[i]).width());
        values.chain([clipped(&set.columns[i].name).width(), 1]).max().unwrap_or(1) + 2
    };
    (0..set.columns.len()).map(width).sum::<usize>() <= room + 1
}

pub(super) fn render(set: &ResultSet, layout: &Layout) -> String {
    if set.columns.is_empty() {
        return String::new();
    }
    let names: Vec<String> = set.columns.iter().map(|column| clipped(&column.name)).collect();
    let rows: Vec<Vec<String>> = set.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    let widths: Vec<usize> = (0..names.len())
        .map(|i| rows.iter().map(|row| row[i].width()).chain([names[i].width(), 1]).max().unwrap_or(1))
        .collect();
    let total = widths.iter().map(|width| width + 2).sum::<usize>() - 1;
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Disabled);
    if let Some(width) = layout.width.filter(|width| total > *width) {
        let least = widths.iter().map(|width| (*width).min(SQUEEZED_WIDTH) + 2).sum::<usize>() - 1;
        if least > width && !rows.is_empty() {
            return vertical::render(set, layout);
        }
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width.min(usize::from(u16::MAX)) as u16);
    }
    if layout.header {
        table.set_header(Row::from(names));
    } else if rows.is_empty() {
        return String::new();
    }
    for row in rows {
        table.add_row(Row::from(row));
    }
    for (i, column) in set.columns.iter().enumerate() {
        let cells = table.column_mut(i).expect("the header or the first row has made a column for each name");
        cells.set_padding((1, 0));
        if is_right_aligned(column.data_type) {
            cells.set_cell_alignment(CellAlignment::Right);
        }
    }
    finish(&table, layout)
}

/// Trims, colours, and cuts the line under the header into one piece for each column.
fn finish(table: &Table, layout: &Layout) -> String {
    let theme = layout.theme;
    let mut out = String::new();
    let mut in_header = layout.header;
    for line in table.lines() {
        let line = line.trim_end();
        if in_header && is_rule(line) {
            in_header = false;
            out.push_str(&theme.paint(Role::Quiet, &rule(line)));
        } else if in_header {
            out.push_str(&theme.paint(Role::Heading, line));
        } else {
            out.push_str(&nulls(line, layout));
        }
        out.push('\n');
    }
    out
}

fn is_rule(line: &str) -> bool {
    line.chars().all(|c| matches!(c, '─' | ' '))
}

/// The line without its part above each column's left padding.
fn rule(line: &str) -> String {
    let mut after_space = true;
    let piece = |c: char| {
        let shown = if after_space { ' ' } else { c };
        after_space = c == ' ';
        shown
    };
    line.chars().map(piece).collect()
}

fn nulls(line: &str, layout: &Layout) -> String {
    let theme = layout.theme;
    if !line.contains(|c| NULL_MARK.contains(c)) {
        return line.to_owned();
    }
    if let Some(null) = &layout.null {
        // Another text has another width: it is filled up, or cut, to the width of the mark.
        let width = NULL_MARK.width();
        let cut: String = null.chars().take(width).collect();
        let padding = " ".repeat(width.saturating_sub(cut.width()));
        let line = line.replace(NULL_MARK, &format!("{}{padding}", theme.paint(Role::Null, &cut)));
        return line.chars().filter(|c| !NULL_MARK.contains(*c)).collect::<String>().trim_end().to_owned();
    }
    let whole = line.replace(NULL_MARK, &theme.paint(Role::Null, "NULL"));
    // A column of less than four places has broken the mark.
    NULL_MARK.chars().zip(["N", "U", "L", "L"]).fold(whole, |line, (mark, letter)| {
        if line.contains(mark) { line.replace(mark, &theme.paint(Role::Null, letter)) } else { line }
    })
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => NULL_MARK.to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Text(text) => clipped(text),
        other => clipped(&other.to_string()),
    }
}

/// `text` on one line, cut where it is longer than [`CELL_CHARS_MAX`], with its true length.
fn clipped(text: &str) -> String {
    match text.char_indices().nth(CELL_CHARS_MAX) {
        None => escape_controls(text),
        Some((end, _)) => {
            let length = units::grouped(text.chars().count() as u64);
            format!("{}… ({length} characters)", escape_controls(&text[..end]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::*;
    use super::*;
    use crate::render::Theme;

    fn plain(set: &ResultSet, width: Option<usize>) -> String {
        super::render(set, &Layout { width, ..Layout::default() })
    }

    #[test]
    fn a_table_is_a_header_a_light_line_and_rows() {
        assert_eq!(
            plain(&contestants(), None),
            concat!(
                " contestant_number  contestant_name\n",
                " ─────────────────  ───────────────\n",
                "                 1  Edwina Burnam\n",
                "                12  NULL\n",
                "               300  NULL\n",
            )
        );
        let scalar = ResultSet::scalar("vote", BIGINT, Value::Int(0));
        assert_eq!(plain(&scalar, Some(80)), " vote\n ────\n    0\n");
        assert_eq!(plain(&rows(&[("a", TEXT)], vec![]), Some(80)), " a\n ─\n");
    }

    #[test]
    fn null_and_the_text_null_differ_in_colour() {
        let coloured = super::render(&contestants(), &Layout { theme: Theme::COLOURED, ..Layout::default() });
        let lines: Vec<&str> = coloured.lines().collect();
        assert_eq!(lines[0], "\x1b[1m contestant_number  contestant_name\x1b[0m");
        assert_eq!(lines[3], "                12  NULL");
        assert_eq!(lines[4], "               300  \x1b[3;38;5;244mNULL\x1b[0m");
    }

    #[test]
    fn every_line_fits_the_terminal_and_no_letter_is_lost() {
        let long = "the quick brown fox jumps over the lazy dog ".repeat(8);
        let solid = "x".repeat(300);
        let set = rows(
            &[("n", BIGINT), ("words", TEXT), ("solid", TEXT)],
            vec![
                vec![Value::Int(1), text(&long), text(&solid)],
                vec![Value::Null, text("漢字漢字漢字漢字漢字漢字漢字漢字漢字"), text("é")],
            ],
        );
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '─').count();
        let whole = letters(&plain(&set, None));
        for width in 33..200 {
            let drawn = plain(&set, Some(width));
            assert!(drawn.lines().all(|line| line.width() <= width), "{width}:\n{drawn}");
            assert_eq!(letters(&drawn), whole, "{width}:\n{drawn}");
        }
    }

    #[test]
    fn a_table_that_cannot_fit_turns_vertical() {
        let set = rows(&[("first_column", TEXT), ("second_column", TEXT)], vec![vec![text("a"), text("b")]]);
        assert!(plain(&set, Some(20)).starts_with(" ─ row 1 ─"));
        assert!(plain(&set, Some(30)).starts_with(" first_column  second_column\n"));
    }

    #[test]
    fn line_ends_in_values_do_not_break_rows_and_giants_are_cut() {
        let set = rows(&[("a", TEXT)], vec![vec![text("one\ntwo")], vec![text(&"y".repeat(5000))]]);
        let drawn = plain(&set, None);
        assert_eq!(drawn.lines().count(), 4);
        assert_eq!(drawn.lines().nth(2), Some(" one\\ntwo"));
        assert!(drawn.ends_with("yyy… (5,000 characters)\n"));
    }

    #[test]
    fn values_keep_their_inner_spaces() {
        let set = rows(&[("a", TEXT), ("b", TEXT)], vec![vec![text("  two   gaps"), text("x")]]);
        assert_eq!(plain(&set, Some(80)).lines().nth(2), Some("   two   gaps  x"));
    }
}
