//! What every statement returns: typed columns and rows.

use super::{DataType, Value};

/// A column of a result set.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Alias, or the column's name as declared, or `C1`, `C2`, .. by position.
    pub name: String,
    pub data_type: DataType,
}

/// Rows by position; every row has as many values as there are columns.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ResultSet {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Value>>,
}

/// The name of the one column that INSERT, UPDATE and DELETE answer with (VoltDB's).
pub const MODIFIED_TUPLES: &str = "modified_tuples";

impl ResultSet {
    /// One row, one BIGINT column.
    pub fn scalar(name: &str, data_type: DataType, value: Value) -> ResultSet {
        ResultSet { columns: vec![Column { name: name.to_owned(), data_type }], rows: vec![vec![value]] }
    }

    /// The answer of a data change: how many rows it touched.
    pub fn modified(count: i64) -> ResultSet {
        ResultSet::scalar(MODIFIED_TUPLES, DataType::BigInt, Value::Int(count))
    }

    /// The count, if this is the answer of a data change.
    pub fn modified_tuples(&self) -> Option<i64> {
        match (self.columns.as_slice(), self.rows.as_slice()) {
            ([column], [row]) if column.name == MODIFIED_TUPLES => row[0].as_i64(),
            _ => None,
        }
    }

    /// The only value of a result of one row and one column.
    pub fn scalar_value(&self) -> Option<&Value> {
        match (self.columns.len(), self.rows.as_slice()) {
            (1, [row]) => row.first(),
            _ => None,
        }
    }
}
