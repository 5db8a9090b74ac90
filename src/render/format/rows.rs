//! Formats that go row by row, so that no text of a large result stands in memory at once: CSV, TSV, JSON, JSON lines,
//! HTML, INSERT statements.

use super::{Format, Layout, csv, json};
use crate::types::{ResultSet, Value};
use std::fmt::Write as _;

/// A piece of text is handed over when it is this long, in bytes.
const PIECE: usize = 1 << 16;
/// Rows of one INSERT statement.
const INSERT_ROWS: usize = 100;

pub(super) fn write(format: Format, set: &ResultSet, layout: &Layout, sink: &mut dyn FnMut(&str) -> bool) -> bool {
    let keys = if matches!(format, Format::Json | Format::Jsonl) { json::keys(set) } else { Vec::new() };
    let mut out = String::new();
    head(format, set, layout, &mut out);
    for (i, row) in set.rows.iter().enumerate() {
        let is_last = i + 1 == set.rows.len();
        match format {
            Format::Csv => csv::row(row, layout, &mut out),
            Format::Tsv => tsv(row, layout, &mut out),
            Format::Jsonl => {
                json::object(&keys, row, &mut out);
                out.push('\n');
            }
            Format::Json => {
                json::object(&keys, row, &mut out);
                out.push_str(if is_last { "" } else { "," });
            }
            Format::Html => html(row, layout, &mut out),
            _ => insert(i, is_last, set, row, &mut out),
        }
        if out.len() >= PIECE {
            if !sink(&out) {
                return false;
            }
            out.clear();
        }
    }
    match format {
        Format::Json => out.push_str("]\n"),
        Format::Html => out.push_str("</table>\n"),
        _ => {}
    }
    sink(&out)
}

fn head(format: Format, set: &ResultSet, layout: &Layout, out: &mut String) {
    match format {
        Format::Json => out.push('['),
        Format::Csv if layout.header => csv::head(set, layout, out),
        Format::Tsv if layout.header => {
            let names: Vec<String> = set.columns.iter().map(|column| tsv_text(&column.name)).collect();
            out.push_str(&names.join("\t"));
            out.push('\n');
        }
        Format::Html => {
            out.push_str("<table>\n");
            if layout.header {
                let names: String =
                    set.columns.iter().map(|column| format!("<th>{}</th>", html_text(&column.name))).collect();
                writeln!(out, "  <tr>{names}</tr>").expect("a String takes all");
            }
        }
        _ => {}
    }
}

fn tsv(row: &[Value], layout: &Layout, out: &mut String) {
    for (i, value) in row.iter().enumerate() {
        if i > 0 {
            out.push('\t');
        }
        match value {
            Value::Null => out.push_str(layout.null.as_deref().unwrap_or("\\N")),
            Value::Text(text) => out.push_str(&tsv_text(text)),
            other => write!(out, "{other}").expect("a String takes all"),
        }
    }
    out.push('\n');
}

fn tsv_text(text: &str) -> String {
    if !text.contains(['\t', '\n', '\r', '\\']) {
        return text.to_owned();
    }
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn html(row: &[Value], layout: &Layout, out: &mut String) {
    out.push_str("  <tr>");
    for value in row {
        match value {
            Value::Null => {
                let null = html_text(layout.null_text());
                write!(out, "<td><i>{null}</i></td>").expect("a String takes all");
            }
            Value::Int(_) | Value::Float(_) | Value::Decimal(_) => {
                write!(out, "<td align=\"right\">{value}</td>").expect("a String takes all");
            }
            other => write!(out, "<td>{}</td>", html_text(&other.to_string())).expect("a String takes all"),
        }
    }
    out.push_str("</tr>\n");
}

fn html_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Rows of the table that is called `result`: where they came from is not known here.
fn insert(index: usize, is_last: bool, set: &ResultSet, row: &[Value], out: &mut String) {
    if index.is_multiple_of(INSERT_ROWS) {
        let names: Vec<&str> = set.columns.iter().map(|column| column.name.as_str()).collect();
        writeln!(out, "INSERT INTO result ({}) VALUES", names.join(", ")).expect("a String takes all");
    }
    let values: Vec<String> = row.iter().map(literal).collect();
    let end = if is_last || (index + 1).is_multiple_of(INSERT_ROWS) { ";" } else { "," };
    writeln!(out, "  ({}){end}", values.join(", ")).expect("a String takes all");
}

/// The value as SQL writes it.
pub fn literal(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Bytes(_) => format!("X'{value}'"),
        Value::Timestamp(_) => format!("'{value}'"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::*;
    use super::*;

    fn sample() -> ResultSet {
        rows(
            &[("n", BIGINT), ("s", TEXT)],
            vec![
                vec![Value::Int(1), text("it's <b>\t\\")],
                vec![Value::Int(2), text("")],
                vec![Value::Null, Value::Null],
            ],
        )
    }

    #[test]
    fn null_and_the_empty_string_differ_in_every_format() {
        let two = rows(&[("s", TEXT), ("t", TEXT)], vec![vec![text(""), text("-")], vec![Value::Null, text("-")]]);
        for format in Format::ALL {
            let drawn = format.text(&two, &Layout::default());
            let lines: Vec<&str> = drawn.lines().collect();
            let same = lines.windows(2).filter(|pair| pair[0] == pair[1]).count();
            assert_eq!(same, 0, "{format}:\n{drawn}");
        }
    }

    #[test]
    fn formats_write_a_row_as_their_readers_expect() {
        let text = |format: Format| format.text(&sample(), &Layout::default());
        assert_eq!(text(Format::Tsv), "n\ts\n1\tit's <b>\\t\\\\\n2\t\n\\N\t\\N\n");
        assert_eq!(
            text(Format::Jsonl),
            "{\"n\":1,\"s\":\"it's <b>\\t\\\\\"}\n{\"n\":2,\"s\":\"\"}\n{\"n\":null,\"s\":null}\n"
        );
        assert_eq!(
            text(Format::Insert),
            "INSERT INTO result (n, s) VALUES\n  (1, 'it''s <b>\t\\'),\n  (2, ''),\n  (NULL, NULL);\n"
        );
        let html = text(Format::Html);
        assert!(html.contains("<td align=\"right\">1</td><td>it's &lt;b&gt;"), "{html}");
        assert!(html.ends_with("<td><i>NULL</i></td><td><i>NULL</i></td></tr>\n</table>\n"), "{html}");
    }

    #[test]
    fn a_large_result_comes_in_pieces_and_stops_when_nobody_reads() {
        let many = rows(&[("n", BIGINT)], (0..50_000).map(|i| vec![Value::Int(i)]).collect());
        let mut pieces = 0;
        Format::Csv.write(&many, &Layout::default(), &mut |piece| {
            assert!(piece.len() < 2 * PIECE);
            pieces += 1;
            pieces < 3
        });
        assert_eq!(pieces, 3);
    }
}
