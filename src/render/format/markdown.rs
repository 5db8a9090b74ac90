//! A Markdown table (the GitHub dialect), padded so that its source reads as a table too.

use super::{escape_controls, is_right_aligned};
use crate::types::{ResultSet, Value};
use unicode_width::UnicodeWidthStr;

pub(super) fn render(set: &ResultSet) -> String {
    if set.columns.is_empty() {
        return String::new();
    }
    let names: Vec<String> = set.columns.iter().map(|column| cell_text(&column.name)).collect();
    let rows: Vec<Vec<String>> = set.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    let right: Vec<bool> = set.columns.iter().map(|column| is_right_aligned(column.data_type)).collect();
    let widths: Vec<usize> = (0..names.len())
        .map(|i| rows.iter().map(|row| row[i].width()).chain([names[i].width(), 3]).max().unwrap_or(3))
        .collect();
    let mut out = line(&names, &widths, &right);
    let rule: Vec<String> = widths
        .iter()
        .zip(&right)
        .map(|(width, right)| if *right { format!("{}:", "-".repeat(width - 1)) } else { "-".repeat(*width) })
        .collect();
    out.push_str(&line(&rule, &widths, &right));
    for row in &rows {
        out.push_str(&line(row, &widths, &right));
    }
    out
}

fn line(cells: &[String], widths: &[usize], right: &[bool]) -> String {
    let mut out = String::from("|");
    for ((cell, width), right) in cells.iter().zip(widths).zip(right) {
        let padding = " ".repeat(width - cell.width());
        let (before, after) = if *right { (padding.as_str(), "") } else { ("", padding.as_str()) };
        out.push_str(&format!(" {before}{cell}{after} |"));
    }
    out.push('\n');
    out
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => "*NULL*".to_owned(),
        Value::Text(text) => cell_text(text),
        other => other.to_string(),
    }
}

/// Text that Markdown shows as it is, in one cell.
fn cell_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, part) in text.split('\n').enumerate() {
        out.push_str(if i == 0 { "" } else { "<br>" });
        for c in escape_controls(part).chars() {
            match c {
                '|' | '\\' | '*' | '_' | '`' => out.extend(['\\', c]),
                '<' => out.push_str("&lt;"),
                '&' => out.push_str("&amp;"),
                c => out.push(c),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::test_support::*;
    use super::*;

    #[test]
    fn numbers_align_right_and_null_is_emphasised() {
        let set = rows(
            &[("n", BIGINT), ("name", TEXT)],
            vec![vec![Value::Int(1), text("Edwina")], vec![Value::Int(1000), Value::Null]],
        );
        assert_eq!(super::render(&set), "|    n | name   |\n| ---: | ------ |\n|    1 | Edwina |\n| 1000 | *NULL* |\n");
    }

    #[test]
    fn marks_of_markdown_in_values_are_escaped() {
        let set = rows(&[("a", TEXT)], vec![vec![text("a|b\n*c* <i>")]]);
        assert_eq!(super::render(&set).lines().nth(2), Some("| a\\|b<br>\\*c\\* &lt;i> |"));
    }
}
