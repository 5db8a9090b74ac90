//! Whether two answers are the same: names without case, types without lengths, values exactly.

use super::case::Table;
use serde_json::Value as Json;
use votedb::types::Decimal;
use votedb::{ResultSet, Value};

/// Relative distance at which two FLOATs count as equal.
const FLOAT_TOLERANCE: f64 = 1e-12;

/// What differs between the tables that were expected and those that came, or nothing. Definitions answer with a STATUS of 0
/// there and with no table here.
pub fn difference(expected: &[Table], actual: &[ResultSet], ordered: bool) -> Option<String> {
    let status = |table: &Table| table.columns.len() == 1 && table.columns[0].name == "STATUS";
    if actual.is_empty() && expected.iter().all(status) {
        return None;
    }
    if expected.len() != actual.len() {
        return Some(format!("{} tables, not {}", actual.len(), expected.len()));
    }
    expected.iter().zip(actual).find_map(|(expected, actual)| table_difference(expected, actual, ordered))
}

fn table_difference(expected: &Table, actual: &ResultSet, ordered: bool) -> Option<String> {
    let wanted: Vec<String> =
        expected.columns.iter().map(|c| format!("{} {}", c.name.to_uppercase(), type_name(&c.ty))).collect();
    let got: Vec<String> = actual
        .columns
        .iter()
        .map(|c| format!("{} {}", c.name.to_uppercase(), type_name(&c.data_type.to_string())))
        .collect();
    let types: Vec<&str> = expected.columns.iter().map(|column| column.ty.as_str()).collect();
    let same = |(row, other): (&Vec<Json>, &Vec<Value>)| row_equal(row, other, &types);
    let rows_equal = wanted.len() == got.len()
        && expected.rows.len() == actual.rows.len()
        && match ordered {
            true => expected.rows.iter().zip(&actual.rows).all(same),
            false => multiset_equal(&expected.rows, &actual.rows, &types),
        };
    if wanted == got && rows_equal {
        return None;
    }
    let shown: Vec<String> = actual.rows.iter().map(|row| shown_row(row)).collect();
    let columns = if wanted == got { String::new() } else { format!("({}) ", got.join(", ")) };
    Some(match rows_equal {
        true => format!("columns {}", columns.trim_end()),
        false => format!("{columns}{}", shown.join(" ")),
    })
}

/// An expected table on one line.
pub fn shown_table(table: &Table) -> String {
    let columns: Vec<String> = table.columns.iter().map(|c| format!("{} {}", c.name, c.ty)).collect();
    let rows: Vec<String> = table.rows.iter().map(|row| Json::from(row.clone()).to_string()).collect();
    format!("({}) {}", columns.join(", "), rows.join(" "))
}

fn shown_row(row: &[Value]) -> String {
    let values: Vec<String> = row
        .iter()
        .map(|value| match value {
            Value::Text(text) => format!("{text:?}"),
            value => value.to_string(),
        })
        .collect();
    format!("[{}]", values.join(","))
}

fn type_name(ty: &str) -> String {
    ty.split('(').next().unwrap_or_default().trim().to_uppercase()
}

fn multiset_equal(expected: &[Vec<Json>], actual: &[Vec<Value>], types: &[&str]) -> bool {
    let mut left: Vec<&Vec<Value>> = actual.iter().collect();
    expected.iter().all(|row| match left.iter().position(|other| row_equal(row, other, types)) {
        Some(at) => {
            left.swap_remove(at);
            true
        }
        None => false,
    })
}

fn row_equal(expected: &[Json], actual: &[Value], types: &[&str]) -> bool {
    expected.len() == actual.len()
        && expected.iter().zip(actual).zip(types).all(|((expected, actual), ty)| value_equal(expected, actual, ty))
}

fn value_equal(expected: &Json, actual: &Value, ty: &str) -> bool {
    match (expected, actual) {
        (Json::Null, actual) => actual.is_null(),
        (Json::Number(number), Value::Int(v)) => match number.as_i64() {
            Some(n) => n == *v,
            None => number.as_f64() == Some(*v as f64),
        },
        (Json::Number(number), Value::Float(v)) => number.as_f64().is_some_and(|n| close(n, *v)),
        (Json::Number(number), Value::Decimal(v)) => number.to_string().parse::<Decimal>().is_ok_and(|n| n == *v),
        (Json::String(text), Value::Float(v)) => text.parse::<f64>().is_ok_and(|n| n == *v),
        (Json::String(text), Value::Decimal(v)) => text.parse::<Decimal>().is_ok_and(|n| n == *v),
        (Json::String(text), Value::Text(v)) => text == v,
        (Json::String(text), Value::Bytes(_)) if ty.starts_with("VARBINARY") => *text == actual.to_string(),
        (Json::String(text), Value::Timestamp(v)) => match text.strip_prefix("us:") {
            Some(micros) => micros.parse() == Ok(v.micros()),
            None => *text == v.to_string(),
        },
        _ => false,
    }
}

fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= FLOAT_TOLERANCE * a.abs().max(b.abs())
}
