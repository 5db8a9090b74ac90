//! CSV as in RFC 4180, with line feeds: a header, then a line for each row.
//!
//! NULL is an empty field, the empty string is `""`, so the two stay apart. Values have no spaces put around them.

use super::Layout;
use crate::types::{ResultSet, Value};
use std::fmt::Write as _;

/// The line of column names.
pub(super) fn head(set: &ResultSet, layout: &Layout, out: &mut String) {
    for (i, column) in set.columns.iter().enumerate() {
        separate(out, i);
        field(out, &column.name, layout.quotes_all);
    }
    out.push('\n');
}

pub(super) fn row(row: &[Value], layout: &Layout, out: &mut String) {
    for (i, value) in row.iter().enumerate() {
        separate(out, i);
        match value {
            Value::Null => {
                if let Some(text) = &layout.null {
                    field(out, text, layout.quotes_all);
                }
            }
            Value::Text(text) => field(out, text, layout.quotes_all),
            other if layout.quotes_all => field(out, &other.to_string(), true),
            other => write!(out, "{other}").expect("a String takes all"),
        }
    }
    out.push('\n');
}

fn separate(out: &mut String, index: usize) {
    if index > 0 {
        out.push(',');
    }
}

fn field(out: &mut String, text: &str, quoted: bool) {
    let plain = !quoted
        && !text.is_empty()
        && !text.contains([',', '"', '\n', '\r'])
        && !text.starts_with(char::is_whitespace)
        && !text.ends_with(char::is_whitespace);
    if plain {
        out.push_str(text);
        return;
    }
    out.push('"');
    out.push_str(&text.replace('"', "\"\""));
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::super::test_support::*;
    use super::super::{Format, Layout};
    use crate::types::Value;

    #[test]
    fn null_is_empty_and_the_empty_string_is_quoted() {
        let set = rows(&[("a", TEXT), ("b", TEXT)], vec![vec![Value::Null, text("")], vec![text("x"), text("NULL")]]);
        assert_eq!(Format::Csv.text(&set, &Layout::default()), "a,b\n,\"\"\nx,NULL\n");
    }

    #[test]
    fn fields_with_separators_quotes_line_ends_or_outer_spaces_are_quoted() {
        let values = ["a,b", "say \"hi\"", "two\nlines", " padded"];
        let set = rows(&[("a", TEXT)], values.iter().map(|v| vec![text(v)]).collect());
        assert_eq!(
            Format::Csv.text(&set, &Layout::default()),
            "a\n\"a,b\"\n\"say \"\"hi\"\"\"\n\"two\nlines\"\n\" padded\"\n"
        );
    }

    /// Reads CSV the way RFC 4180 says: the oracle for [`every_text_reads_back`].
    fn parse(csv: &str) -> Vec<Vec<Option<String>>> {
        let (mut lines, mut row, mut field) = (Vec::new(), Vec::new(), None::<String>);
        let (mut quoted, mut chars) = (false, csv.chars().peekable());
        while let Some(c) = chars.next() {
            match c {
                '"' if quoted && chars.peek() == Some(&'"') => {
                    field.get_or_insert_default().push(chars.next().unwrap())
                }
                '"' => {
                    quoted = !quoted;
                    field.get_or_insert_default();
                }
                ',' if !quoted => row.push(field.take()),
                '\n' if !quoted => {
                    row.push(field.take());
                    lines.push(std::mem::take(&mut row));
                }
                c => field.get_or_insert_default().push(c),
            }
        }
        lines
    }

    #[test]
    fn every_text_reads_back() {
        let pieces = ["", "a", "\"", ",", "\n", "\r", " ", "é", "NULL"];
        let mut values = vec![Value::Null];
        for a in pieces {
            for b in pieces {
                for c in pieces {
                    values.push(text(&format!("{a}{b}{c}")));
                }
            }
        }
        let set = rows(&[("a", TEXT), ("b", TEXT)], values.iter().map(|v| vec![v.clone(), text("-")]).collect());
        let read = parse(&Format::Csv.text(&set, &Layout::default()));
        assert_eq!(read.len(), values.len() + 1);
        for (value, line) in values.iter().zip(&read[1..]) {
            assert_eq!(line, &vec![value.as_str().map(str::to_owned), Some("-".to_owned())]);
        }
    }
}
