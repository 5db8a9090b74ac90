//! @SystemCatalog: the schema as tables, with the columns that JDBC and VoltDB have.

use super::{Spec, bad_selector, int, set};
use crate::catalog::{Catalog, Default, Index, IndexKind, Procedure, ProcedurePartitioning, Table};
use crate::engine::Engine;
use crate::partition::TxnError;
use crate::types::DataType::{BigInt, Integer, SmallInt, TinyInt};
use crate::types::{DataType, ResultSet, Value};

const TEXT: DataType = DataType::TEXT;

pub(super) const SELECTORS: [&str; 8] =
    ["TABLES", "COLUMNS", "INDEXINFO", "PRIMARYKEYS", "PROCEDURES", "PROCEDURECOLUMNS", "FUNCTIONS", "TYPEINFO"];

impl Engine {
    pub(super) fn system_catalog(&self, selector: &str) -> Result<ResultSet, Box<TxnError>> {
        let schema = self.schema();
        let catalog = &schema.catalog;
        Ok(match selector.trim().to_ascii_uppercase().as_str() {
            "TABLES" => set(TABLES, catalog.tables().map(|table| table_row(table)).collect()),
            "COLUMNS" => set(COLUMNS, catalog.tables().flat_map(|table| column_rows(table)).collect()),
            "INDEXINFO" => set(INDEX_INFO, catalog.tables().flat_map(|table| index_rows(table)).collect()),
            "PRIMARYKEYS" => set(PRIMARY_KEYS, catalog.tables().flat_map(|table| key_rows(table)).collect()),
            "PROCEDURES" => set(PROCEDURES, catalog.procedures().map(|p| procedure_row(p, catalog)).collect()),
            "PROCEDURECOLUMNS" => {
                set(PROCEDURE_COLUMNS, catalog.procedures().flat_map(|p| parameter_rows(p)).collect())
            }
            "FUNCTIONS" => set(FUNCTIONS, Vec::new()),
            "TYPEINFO" => set(TYPE_INFO, type_rows()),
            _ => return Err(bad_selector("@SystemCatalog", "selector", selector, &SELECTORS)),
        })
    }
}

fn text(value: &str) -> Value {
    Value::from(value)
}

/// JDBC's number of a type.
fn jdbc(ty: DataType) -> i64 {
    match ty {
        DataType::Null => 0,
        DataType::Boolean => 16,
        DataType::TinyInt => -6,
        DataType::SmallInt => 5,
        DataType::Integer => 4,
        DataType::BigInt => -5,
        DataType::Float => 6,
        DataType::Decimal => 3,
        DataType::Varchar { .. } => 12,
        DataType::Varbinary { .. } => -3,
        DataType::Timestamp => 93,
        DataType::Array(_) => 2003,
    }
}

/// The type's name without its length.
pub(super) fn type_name(ty: DataType) -> String {
    ty.to_string().split('(').next().unwrap_or_default().trim().to_owned()
}

/// Bits of numbers, characters or bytes of strings; and the radix of that.
fn size(ty: DataType) -> (Value, Value) {
    let (size, radix) = match ty {
        DataType::TinyInt => (7, 2),
        DataType::SmallInt => (15, 2),
        DataType::Integer => (31, 2),
        DataType::BigInt | DataType::Timestamp => (63, 2),
        DataType::Float => (53, 2),
        DataType::Decimal => (38, 10),
        DataType::Varchar { max, .. } | DataType::Varbinary { max } => return (Value::Int(max.into()), Value::Null),
        DataType::Boolean | DataType::Null => return (Value::Int(1), Value::Null),
        DataType::Array(_) => return (Value::Null, Value::Null),
    };
    (Value::Int(size), Value::Int(radix))
}

fn digits(ty: DataType) -> Value {
    if ty == DataType::Decimal { Value::Int(12) } else { Value::Null }
}

fn octets(ty: DataType) -> Value {
    match ty {
        DataType::Varchar { max, bytes: false } => int(u64::from(max) * 4),
        DataType::Varchar { max, .. } | DataType::Varbinary { max } => int(max.into()),
        _ => Value::Null,
    }
}

/// A default as SQL writes it.
pub(super) fn default_text(default: &Option<Default>) -> Value {
    match default {
        None => Value::Null,
        Some(Default::Value(Value::Text(text))) => Value::from(format!("'{}'", text.replace('\'', "''"))),
        Some(Default::Value(value)) => Value::from(value.to_string()),
        Some(other) => Value::from(format!("{other:?}").to_uppercase()),
    }
}

fn table_row(table: &Table) -> Vec<Value> {
    let remarks = match table.partition_column {
        Some(column) => text(&format!("{{\"partitionColumn\":\"{}\"}}", table.columns[column].name)),
        None => Value::Null,
    };
    let kind = if table.is_view() { "VIEW" } else { "TABLE" };
    let mut row = vec![Value::Null, Value::Null, text(table.name.as_str()), text(kind), remarks];
    row.resize(TABLES.len(), Value::Null);
    row
}

fn column_rows(table: &Table) -> Vec<Vec<Value>> {
    let rows = table.visible_columns().iter().enumerate().map(|(at, column)| {
        let (size, radix) = size(column.ty);
        let remarks = match table.partition_column == Some(at) {
            true => text("PARTITION_COLUMN"),
            false => Value::Null,
        };
        vec![
            Value::Null,
            Value::Null,
            text(table.name.as_str()),
            text(column.name.as_str()),
            Value::Int(jdbc(column.ty)),
            text(&type_name(column.ty)),
            size,
            Value::Null,
            digits(column.ty),
            radix,
            Value::Int(column.nullable.into()),
            remarks,
            default_text(&column.default),
            Value::Null,
            Value::Null,
            octets(column.ty),
            Value::Int(at as i64 + 1),
            text(if column.nullable { "YES" } else { "NO" }),
            Value::Null,
            Value::Null,
            Value::Null,
            Value::Null,
            text("NO"),
        ]
    });
    rows.collect()
}

/// The keys of an index as SQL would name them.
pub(super) fn key_names(table: &Table, index: &Index) -> Vec<String> {
    let name = |key: &crate::catalog::Key| match key.column {
        Some(column) => table.columns[column].name.to_string(),
        None => "(expression)".to_owned(),
    };
    index.keys.iter().map(name).collect()
}

fn index_rows(table: &Table) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for index in &table.indexes {
        for (at, name) in key_names(table, index).into_iter().enumerate() {
            let ordered = index.kind == IndexKind::Ordered;
            rows.push(vec![
                Value::Null,
                Value::Null,
                text(table.name.as_str()),
                Value::Int((!index.unique).into()),
                Value::Null,
                text(index.name.as_str()),
                Value::Int(if ordered { 3 } else { 2 }),
                Value::Int(at as i64 + 1),
                text(&name),
                if ordered { text("A") } else { Value::Null },
                Value::Null,
                Value::Null,
                if index.filter.is_some() { text("(partial)") } else { Value::Null },
            ]);
        }
    }
    rows
}

fn key_rows(table: &Table) -> Vec<Vec<Value>> {
    let Some(index) = table.primary_key.map(|at| &table.indexes[at]) else { return Vec::new() };
    let rows = key_names(table, index).into_iter().enumerate().map(|(at, name)| {
        let place = [Value::Null, Value::Null, text(table.name.as_str()), text(&name)];
        place.into_iter().chain([Value::Int(at as i64 + 1), text(index.name.as_str())]).collect()
    });
    rows.collect()
}

fn procedure_row(procedure: &Procedure, catalog: &Catalog) -> Vec<Value> {
    let mut remarks = format!("{{\"readOnly\":{}", procedure.read_only);
    match procedure.partitioning {
        ProcedurePartitioning::Single { parameter, table, column } => {
            let ty = catalog.get(table).map_or(String::new(), |table| type_name(table.columns[column].ty));
            remarks += &format!(
                ",\"singlePartition\":true,\"partitionParameter\":{parameter},\"partitionParameterType\":\"{ty}\""
            );
        }
        _ => remarks += ",\"singlePartition\":false",
    }
    remarks += ",\"compound\":false}";
    let name = text(procedure.name.as_str());
    let kinds = [Value::Int(0), name.clone()];
    let head = [Value::Null, Value::Null, name, Value::Null, Value::Null, Value::Null, text(&remarks)];
    head.into_iter().chain(kinds).collect()
}

fn parameter_rows(procedure: &Procedure) -> Vec<Vec<Value>> {
    let rows = procedure.parameters.iter().enumerate().map(|(at, parameter)| {
        let (size, radix) = size(parameter.ty);
        let partitions =
            matches!(procedure.partitioning, ProcedurePartitioning::Single { parameter, .. } if parameter == at);
        vec![
            Value::Null,
            Value::Null,
            text(procedure.name.as_str()),
            text(parameter.name.as_str()),
            Value::Int(1),
            Value::Int(jdbc(parameter.ty)),
            text(&type_name(parameter.ty)),
            size.clone(),
            size,
            digits(parameter.ty),
            radix,
            Value::Int(1),
            if partitions { text("PARTITION_PARAMETER") } else { Value::Null },
            parameter.default.as_ref().map_or(Value::Null, |value| Value::from(value.to_string())),
            Value::Null,
            Value::Null,
            octets(parameter.ty),
            Value::Int(at as i64 + 1),
            text("YES"),
            text(procedure.name.as_str()),
        ]
    });
    rows.collect()
}

fn type_rows() -> Vec<Vec<Value>> {
    let types = [
        DataType::TinyInt,
        DataType::SmallInt,
        DataType::Integer,
        DataType::BigInt,
        DataType::Float,
        DataType::Decimal,
        DataType::Timestamp,
        DataType::Varchar { max: crate::types::VARCHAR_CHARS_MAX, bytes: false },
        DataType::Varbinary { max: crate::types::BYTES_MAX },
        DataType::Boolean,
    ];
    let row = |ty: DataType| {
        let quote = match ty {
            DataType::Varchar { .. } | DataType::Varbinary { .. } | DataType::Timestamp => text("'"),
            _ => Value::Null,
        };
        let scale = if ty == DataType::Decimal { Value::Int(12) } else { Value::Null };
        vec![
            text(&type_name(ty)),
            Value::Int(jdbc(ty)),
            size(ty).0,
            quote.clone(),
            quote,
            if ty.bytes_max().is_some() { text("max_length") } else { Value::Null },
            Value::Int(1),
            Value::Int(i64::from(ty.is_text())),
            Value::Int(3),
            if ty.is_numeric() { Value::Int(0) } else { Value::Null },
            Value::Int(0),
            Value::Int(0),
            text(&type_name(ty)),
            scale.clone(),
            scale,
            Value::Null,
            Value::Null,
            size(ty).1,
        ]
    };
    types.into_iter().map(row).collect()
}

macro_rules! spec {
    ($name:ident: $($column:literal $ty:expr),* $(,)?) => {
        const $name: Spec = &[$(($column, $ty)),*];
    };
}

spec!(TABLES: "TABLE_CAT" TEXT, "TABLE_SCHEM" TEXT, "TABLE_NAME" TEXT, "TABLE_TYPE" TEXT, "REMARKS" TEXT,
    "TYPE_CAT" TEXT, "TYPE_SCHEM" TEXT, "TYPE_NAME" TEXT, "SELF_REFERENCING_COL_NAME" TEXT, "REF_GENERATION" TEXT);
spec!(COLUMNS: "TABLE_CAT" TEXT, "TABLE_SCHEM" TEXT, "TABLE_NAME" TEXT, "COLUMN_NAME" TEXT, "DATA_TYPE" Integer,
    "TYPE_NAME" TEXT, "COLUMN_SIZE" Integer, "BUFFER_LENGTH" Integer, "DECIMAL_DIGITS" Integer,
    "NUM_PREC_RADIX" Integer, "NULLABLE" Integer, "REMARKS" TEXT, "COLUMN_DEF" TEXT, "SQL_DATA_TYPE" Integer,
    "SQL_DATETIME_SUB" Integer, "CHAR_OCTET_LENGTH" Integer, "ORDINAL_POSITION" Integer, "IS_NULLABLE" TEXT,
    "SCOPE_CATALOG" TEXT, "SCOPE_SCHEMA" TEXT, "SCOPE_TABLE" TEXT, "SOURCE_DATA_TYPE" SmallInt,
    "IS_AUTOINCREMENT" TEXT);
spec!(INDEX_INFO: "TABLE_CAT" TEXT, "TABLE_SCHEM" TEXT, "TABLE_NAME" TEXT, "NON_UNIQUE" TinyInt,
    "INDEX_QUALIFIER" TEXT, "INDEX_NAME" TEXT, "TYPE" SmallInt, "ORDINAL_POSITION" SmallInt, "COLUMN_NAME" TEXT,
    "ASC_OR_DESC" TEXT, "CARDINALITY" Integer, "PAGES" Integer, "FILTER_CONDITION" TEXT);
spec!(PRIMARY_KEYS: "TABLE_CAT" TEXT, "TABLE_SCHEM" TEXT, "TABLE_NAME" TEXT, "COLUMN_NAME" TEXT, "KEY_SEQ" SmallInt,
    "PK_NAME" TEXT);
spec!(PROCEDURES: "PROCEDURE_CAT" TEXT, "PROCEDURE_SCHEM" TEXT, "PROCEDURE_NAME" TEXT, "RESERVED1" TEXT,
    "RESERVED2" TEXT, "RESERVED3" TEXT, "REMARKS" TEXT, "PROCEDURE_TYPE" SmallInt, "SPECIFIC_NAME" TEXT);
spec!(PROCEDURE_COLUMNS: "PROCEDURE_CAT" TEXT, "PROCEDURE_SCHEM" TEXT, "PROCEDURE_NAME" TEXT, "COLUMN_NAME" TEXT,
    "COLUMN_TYPE" SmallInt, "DATA_TYPE" Integer, "TYPE_NAME" TEXT, "PRECISION" Integer, "LENGTH" Integer,
    "SCALE" SmallInt, "RADIX" SmallInt, "NULLABLE" SmallInt, "REMARKS" TEXT, "COLUMN_DEF" TEXT,
    "SQL_DATA_TYPE" Integer, "SQL_DATETIME_SUB" Integer, "CHAR_OCTET_LENGTH" Integer, "ORDINAL_POSITION" Integer,
    "IS_NULLABLE" TEXT, "SPECIFIC_NAME" TEXT);
spec!(FUNCTIONS: "FUNCTION_TYPE" TEXT, "FUNCTION_NAME" TEXT, "CLASS_NAME" TEXT, "METHOD_NAME" TEXT);
spec!(TYPE_INFO: "TYPE_NAME" TEXT, "DATA_TYPE" Integer, "PRECISION" BigInt, "LITERAL_PREFIX" TEXT,
    "LITERAL_SUFFIX" TEXT, "CREATE_PARAMS" TEXT, "NULLABLE" SmallInt, "CASE_SENSITIVE" TinyInt,
    "SEARCHABLE" SmallInt, "UNSIGNED_ATTRIBUTE" TinyInt, "FIXED_PREC_SCALE" TinyInt, "AUTO_INCREMENT" TinyInt,
    "LOCAL_TYPE_NAME" TEXT, "MINIMUM_SCALE" SmallInt, "MAXIMUM_SCALE" SmallInt, "SQL_DATA_TYPE" Integer,
    "SQL_DATETIME_SUB" Integer, "NUM_PREC_RADIX" Integer);
