//! CSV as in RFC 4180, with line feeds: a header, then a line for each row.
//!
//! NULL is an empty field, the empty string is `""`, so the two stay apart. Values have no spaces put around them.

use crate::types::{ResultSet, Value};

pub(super) fn render(set: &ResultSet) -> String {
    let mut out = String::new();
    if set.columns.is_empty() {
        return out;
    }
    for (i, column) in set.columns.iter().enumerate() {
        separate(&mut out, i);
        field(&mut out, &column.name);
    }
    out.push('\n');
    for row in &set.rows {
        for (i, value) in row.iter().enumerate() {
            separate(&mut out, i);
            match value {
                Value::Null => {}
                Value::Text(text) => field(&mut out, text),
                other => out.push_str(&other.to_string()),
            }
        }
        out.push('\n');
    }
    out
}

fn separate(out: &mut String, index: usize) {
    if index > 0 {
        out.push(',');
    }
}

fn field(out: &mut String, text: &str) {
    let plain = !text.is_empty()
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
    use super::*;

    #[test]
    fn null_is_empty_and_the_empty_string_is_quoted() {
        let set = rows(&[("a", TEXT), ("b", TEXT)], vec![vec![Value::Null, text("")], vec![text("x"), text("NULL")]]);
        assert_eq!(super::render(&set), "a,b\n,\"\"\nx,NULL\n");
    }

    #[test]
    fn fields_with_separators_quotes_line_ends_or_outer_spaces_are_quoted() {
        let values = ["a,b", "say \"hi\"", "two\nlines", " padded"];
        let set = rows(&[("a", TEXT)], values.iter().map(|v| vec![text(v)]).collect());
        assert_eq!(super::render(&set), "a\n\"a,b\"\n\"say \"\"hi\"\"\"\n\"two\nlines\"\n\" padded\"\n");
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
        let read = parse(&super::render(&set));
        assert_eq!(read.len(), values.len() + 1);
        for (value, line) in values.iter().zip(&read[1..]) {
            assert_eq!(line, &vec![value.as_str().map(str::to_owned), Some("-".to_owned())]);
        }
    }
}
