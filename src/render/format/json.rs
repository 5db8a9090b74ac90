//! JSON: one array of objects for each result set, on one line, so several sets read as JSON lines.
//!
//! Numbers stay numbers with all their digits (BIGINT and DECIMAL may exceed what a double holds), bytes are upper-case
//! hex, timestamps are texts. Columns of one name get `_2`, `_3`: an object has no name twice.

use crate::types::{ResultSet, Value};
use std::collections::HashSet;

/// One row as an object. `keys` are those of [`keys`].
pub(super) fn object(keys: &[String], row: &[Value], out: &mut String) {
    out.push('{');
    for (j, (key, value)) in keys.iter().zip(row).enumerate() {
        if j > 0 {
            out.push(',');
        }
        out.push_str(key);
        out.push(':');
        out.push_str(&json(value));
    }
    out.push('}');
}

/// The names of the columns, each once, as JSON strings.
pub(super) fn keys(set: &ResultSet) -> Vec<String> {
    let written: HashSet<&str> = set.columns.iter().map(|column| column.name.as_str()).collect();
    let mut used: HashSet<String> = HashSet::new();
    let mut keys = Vec::with_capacity(set.columns.len());
    for column in &set.columns {
        let mut key = column.name.clone();
        let mut number = 1;
        while used.contains(&key) || (number > 1 && written.contains(key.as_str())) {
            number += 1;
            key = format!("{}_{number}", column.name);
        }
        keys.push(quoted(&key));
        used.insert(key);
    }
    keys
}

fn json(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Int(_) | Value::Decimal(_) => value.to_string(),
        // JSON has no NaN and no infinities; the engine has none either.
        Value::Float(v) if !v.is_finite() => "null".to_owned(),
        Value::Float(_) => value.to_string(),
        Value::Text(text) => quoted(text),
        Value::Bytes(_) | Value::Timestamp(_) => quoted(&value.to_string()),
        Value::Array(values) => format!("[{}]", values.iter().map(json).collect::<Vec<_>>().join(",")),
    }
}

/// A JSON string. DEL and the C1 controls are escaped too, though JSON allows them: a terminal may obey them.
fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    if !json.contains(|c: char| c.is_control()) {
        return json;
    }
    json.chars().map(|c| if c.is_control() { format!("\\u{:04x}", c as u32) } else { c.to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::test_support::*;
    use super::super::{Format, Layout};
    use crate::types::{DataType, Decimal, Timestamp};
    use crate::types::{ResultSet, Value};

    fn text_of(set: &ResultSet) -> String {
        Format::Json.text(set, &Layout::default())
    }

    #[test]
    fn a_set_is_one_line_with_an_array_of_objects() {
        assert_eq!(
            text_of(&contestants()),
            "[{\"contestant_number\":1,\"contestant_name\":\"Edwina Burnam\"},\
             {\"contestant_number\":12,\"contestant_name\":\"NULL\"},\
             {\"contestant_number\":300,\"contestant_name\":null}]\n"
        );
        assert_eq!(text_of(&rows(&[("a", TEXT)], vec![])), "[]\n");
    }

    #[test]
    fn numbers_keep_all_their_digits_and_all_values_are_valid_json() {
        let values = vec![
            Value::Int(i64::MIN),
            Value::Float(1e300),
            Value::Float(-0.5),
            Value::Decimal(Decimal::from_scaled(i128::from(i64::MAX) * 1_000_000_007)),
            Value::Decimal(Decimal::from_scaled(-1)),
            Value::Bool(true),
            Value::Bytes(vec![0, 0xAB]),
            Value::Timestamp(Timestamp::from_micros(1)),
            text("quote \" slash \\ line\n\u{7f}\u{9b}"),
        ];
        let columns: Vec<(String, DataType)> = (0..values.len()).map(|i| (format!("c{i}"), TEXT)).collect();
        let columns: Vec<(&str, DataType)> = columns.iter().map(|(name, ty)| (name.as_str(), *ty)).collect();
        let line = text_of(&rows(&columns, vec![values.clone()]));
        assert!(line.contains("\"c0\":-9223372036854775808,"), "{line}");
        assert!(line.contains(&format!("\"c3\":{},", values[3])), "{line}");
        assert!(line.contains("\"c6\":\"00AB\""), "{line}");
        let read: serde_json::Value = serde_json::from_str(&line).expect("valid JSON");
        assert_eq!(read[0]["c8"], "quote \" slash \\ line\n\u{7f}\u{9b}");
        assert!(read[0]["c4"].is_number() && read[0]["c1"].is_number());
    }

    #[test]
    fn columns_of_one_name_are_told_apart() {
        let set = rows(
            &[("a", BIGINT), ("a", BIGINT), ("a_2", BIGINT)],
            vec![vec![Value::Int(1), Value::Int(2), Value::Int(3)]],
        );
        assert_eq!(text_of(&set), "[{\"a\":1,\"a_3\":2,\"a_2\":3}]\n");
    }
}
