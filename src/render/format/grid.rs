//! Tables with lines: boxes in Unicode, or plain ASCII as sqlcmd draws them.

use super::{Layout, escape_controls, is_right_aligned};
use crate::render::Role;
use crate::types::{ResultSet, Value};
use unicode_width::UnicodeWidthStr;

/// The parts of a table: names, cells, widths.
struct Grid {
    names: Vec<String>,
    cells: Vec<Vec<String>>,
    widths: Vec<usize>,
    right: Vec<bool>,
}

impl Grid {
    fn of(set: &ResultSet, layout: &Layout) -> Grid {
        let names: Vec<String> = set.columns.iter().map(|column| escape_controls(&column.name)).collect();
        let cell = |value: &Value| match value {
            Value::Null => layout.null_text().to_owned(),
            other => escape_controls(&other.to_string()),
        };
        let cells: Vec<Vec<String>> = set.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        let shown = usize::from(layout.header);
        let widths = (0..names.len())
            .map(|i| cells.iter().map(|row| row[i].width()).chain([names[i].width() * shown, 1]).max().unwrap_or(1))
            .collect();
        Grid { names, cells, widths, right: set.columns.iter().map(|c| is_right_aligned(c.data_type)).collect() }
    }

    fn padded(&self, cells: &[String], at: usize, right: bool) -> String {
        let padding = " ".repeat(self.widths[at] - cells[at].width().min(self.widths[at]));
        if right { format!("{padding}{}", cells[at]) } else { format!("{}{padding}", cells[at]) }
    }
}

/// ```text
/// ┌────┬──────┐
/// │ id │ name │
/// ├────┼──────┤
/// │  1 │ ann  │
/// └────┴──────┘
/// ```
pub(super) fn boxed(set: &ResultSet, layout: &Layout) -> String {
    let grid = Grid::of(set, layout);
    let quiet = |text: &str| layout.theme.paint(Role::Quiet, text);
    let rule = |left: &str, cross: &str, right: &str| {
        let parts: Vec<String> = grid.widths.iter().map(|width| "─".repeat(width + 2)).collect();
        quiet(&format!("{left}{}{right}", parts.join(cross))) + "\n"
    };
    let bar = quiet("│");
    let line = |cells: &[String], is_header: bool, nulls: Option<&[Value]>| {
        let mut out = bar.clone();
        for i in 0..cells.len() {
            let text = grid.padded(cells, i, grid.right[i]);
            let is_null = nulls.is_some_and(|row| row[i].is_null());
            let role = if is_header { Some(Role::Heading) } else { is_null.then_some(Role::Null) };
            let text = role.map_or(text.clone(), |role| layout.theme.paint(role, &text));
            out.push_str(&format!(" {text} {bar}"));
        }
        out.push('\n');
        out
    };
    let mut out = rule("┌", "┬", "┐");
    if layout.header {
        out.push_str(&line(&grid.names, true, None));
        out.push_str(&rule("├", "┼", "┤"));
    }
    for (cells, row) in grid.cells.iter().zip(&set.rows) {
        out.push_str(&line(cells, false, Some(row)));
    }
    out.push_str(&rule("└", "┴", "┘"));
    out
}

/// Names, dashes, rows, parted by spaces.
pub(super) fn plain(set: &ResultSet, layout: &Layout) -> String {
    let grid = Grid::of(set, layout);
    let line = |cells: &[String], right: &dyn Fn(usize) -> bool| {
        let cells: Vec<String> = (0..cells.len()).map(|i| grid.padded(cells, i, right(i))).collect();
        format!("{}\n", cells.join(" ").trim_end())
    };
    let mut out = String::new();
    if layout.header {
        out.push_str(&line(&grid.names, &|_| false));
        let dashes: Vec<String> = grid.widths.iter().map(|width| "-".repeat(*width)).collect();
        out.push_str(&format!("{}\n", dashes.join(" ")));
    }
    for cells in &grid.cells {
        out.push_str(&line(cells, &|i| grid.right[i]));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::test_support::*;
    use super::*;

    #[test]
    fn wide_and_combining_characters_stay_in_their_boxes() {
        let set = rows(
            &[("名前", TEXT), ("n", BIGINT)],
            vec![
                vec![text("漢字"), Value::Int(1)],
                vec![text("👍"), Value::Int(22)],
                vec![text("e\u{301}"), Value::Null],
            ],
        );
        let drawn = boxed(&set, &Layout::default());
        assert!(drawn.lines().all(|line| line.width() == 15), "{drawn}");
        assert!(drawn.contains("│ 漢字 │    1 │\n"), "{drawn}");
    }

    #[test]
    fn a_plain_table_is_ascii() {
        assert_eq!(
            plain(&contestants(), &Layout::default()),
            concat!(
                "contestant_number contestant_name\n",
                "----------------- ---------------\n",
                "                1 Edwina Burnam\n",
                "               12 NULL\n",
                "              300 NULL\n",
            )
        );
    }
}
