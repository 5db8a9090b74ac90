//! Short ways to write result sets in tests.

use crate::types::{Column, DataType, ResultSet, Value};

pub const TEXT: DataType = DataType::TEXT;
pub const BIGINT: DataType = DataType::BigInt;

pub fn rows(columns: &[(&str, DataType)], rows: Vec<Vec<Value>>) -> ResultSet {
    let columns = columns.iter().map(|(name, data_type)| Column { name: (*name).to_owned(), data_type: *data_type });
    ResultSet { columns: columns.collect(), rows }
}

pub fn text(value: &str) -> Value {
    Value::from(value)
}

/// Two contestants and one without a name.
pub fn contestants() -> ResultSet {
    rows(
        &[("contestant_number", BIGINT), ("contestant_name", TEXT)],
        vec![
            vec![Value::Int(1), text("Edwina Burnam")],
            vec![Value::Int(12), text("NULL")],
            vec![Value::Int(300), Value::Null],
        ],
    )
}
