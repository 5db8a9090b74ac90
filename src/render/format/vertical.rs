//! One line for each value: for rows that are too wide to stand in a table.

use super::{Layout, escape_controls};
use crate::render::Role;
use crate::types::{ResultSet, Value};
use unicode_width::UnicodeWidthStr;

const RULE_WIDTH: usize = 24;

pub(super) fn render(set: &ResultSet, layout: &Layout) -> String {
    let theme = layout.theme;
    let names: Vec<String> = set.columns.iter().map(|column| escape_controls(&column.name)).collect();
    let width = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let mut out = String::new();
    if names.is_empty() {
        return out;
    }
    for (i, row) in set.rows.iter().enumerate() {
        let title = format!(" row {} ", i + 1);
        let rule = format!(" ─{title}{}", "─".repeat(RULE_WIDTH.saturating_sub(title.len())));
        out.push_str(&theme.paint(Role::Quiet, &rule));
        out.push('\n');
        for (name, value) in names.iter().zip(row) {
            let padding = " ".repeat(width - name.width());
            let value = match value {
                Value::Null => theme.paint(Role::Null, layout.null_text()),
                Value::Text(text) => escape_controls(text),
                other => other.to_string(),
            };
            let line = format!(" {}{padding}  {value}", theme.paint(Role::Heading, name));
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::test_support::*;
    use super::*;

    #[test]
    fn each_value_stands_on_its_line_after_its_column() {
        let set = rows(
            &[("n", BIGINT), ("name", TEXT)],
            vec![vec![Value::Int(1), text("Edwina\nBurnam")], vec![Value::Null, text("")]],
        );
        assert_eq!(
            super::render(&set, &Layout::default()),
            " ─ row 1 ─────────────────\n n     1\n name  Edwina\\nBurnam\n \
             ─ row 2 ─────────────────\n n     NULL\n name\n"
        );
    }
}
