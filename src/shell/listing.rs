//! Tables, procedures and columns as result sets, so that every format can show them.

use super::database::{ProcedureSummary, TableSummary};
use crate::render::units;
use crate::types::{Column, DataType, ResultSet, Value};

/// Answers SHOW TABLES: name, kind, partitioned on, rows.
pub fn tables(tables: &[TableSummary]) -> ResultSet {
    let rows = tables.iter().map(|table| {
        vec![
            Value::from(table.name.as_str()),
            Value::from(table.kind.name()),
            Value::from(match (&table.partitioned_on, table.is_spread) {
                (Some(column), _) => column.as_str(),
                (None, true) => "(parts added up)",
                (None, false) => "(replicated)",
            }),
            Value::Int(i64::try_from(table.row_count).unwrap_or(i64::MAX)),
        ]
    });
    set(&[("name", TEXT), ("kind", TEXT), ("partitioned on", TEXT), ("rows", DataType::BigInt)], rows)
}

/// Answers SHOW PROCEDURES: name, parameters, partition, returns.
pub fn procedures(procedures: &[ProcedureSummary]) -> ResultSet {
    let rows = procedures.iter().map(|procedure| {
        let parameters: Vec<String> =
            procedure.parameters.iter().map(|p| format!("{} {}", p.name, p.type_text).trim().to_owned()).collect();
        vec![
            Value::from(procedure.name.as_str()),
            Value::from(parameters.join(", ")),
            Value::from(procedure.partition_text.as_str()),
            Value::from(procedure.returns.as_str()),
        ]
    });
    set(&[("name", TEXT), ("parameters", TEXT), ("partition", TEXT), ("returns", TEXT)], rows)
}

/// A list of names in one column.
pub fn names<'a>(title: &str, names: impl Iterator<Item = &'a str>) -> ResultSet {
    set(&[(title, TEXT)], names.map(|name| vec![Value::from(name)]))
}

/// Answers SHOW INDEXES: of all tables, or of one.
pub fn indexes(tables: &[TableSummary], name: Option<&str>) -> ResultSet {
    let wanted = tables.iter().filter(|table| name.is_none_or(|name| table.name.eq_ignore_ascii_case(name)));
    let rows = wanted.flat_map(|table| {
        table.indexes.iter().map(|index| {
            vec![
                Value::from(index.name.as_str()),
                Value::from(table.name.as_str()),
                Value::from(index.columns.as_str()),
                Value::from(if index.is_unique { "yes" } else { "no" }),
            ]
        })
    });
    set(&[("name", TEXT), ("table", TEXT), ("columns", TEXT), ("unique", TEXT)], rows)
}

/// Answers \\config: name, value and source of each setting.
pub fn settings(origins: &[(String, String, String)]) -> ResultSet {
    let rows = origins.iter().map(|(name, value, source)| {
        vec![Value::from(name.as_str()), Value::from(value.as_str()), Value::from(source.as_str())]
    });
    set(&[("setting", TEXT), ("value", TEXT), ("from", TEXT)], rows)
}

/// Answers DESCRIBE: a row for each column.
pub fn columns(table: &TableSummary) -> ResultSet {
    let rows = table.columns.iter().map(|column| {
        vec![
            Value::from(column.name.as_str()),
            Value::from(column.type_text.as_str()),
            Value::from(if column.nullable { "yes" } else { "no" }),
            Value::from(column.default_text.as_deref().unwrap_or("")),
            Value::from(column.remarks.as_str()),
        ]
    });
    set(&[("column", TEXT), ("type", TEXT), ("nullable", TEXT), ("default", TEXT), ("remarks", TEXT)], rows)
}

/// `table votes · partitioned on phone_number · primary key (a, b) · 12 rows`
pub fn summary(table: &TableSummary) -> String {
    let mut parts = vec![format!("{} {}", table.kind.name(), table.name)];
    parts.push(match (&table.partitioned_on, table.is_spread) {
        (Some(column), _) => format!("partitioned on {column}"),
        (None, true) => "a part in each partition, added up by queries".to_owned(),
        (None, false) => "replicated".to_owned(),
    });
    if !table.primary_key.is_empty() {
        parts.push(format!("primary key ({})", table.primary_key.join(", ")));
    }
    parts.push(units::plural(table.row_count, "row"));
    parts.join(" · ")
}

const TEXT: DataType = DataType::TEXT;

fn set(columns: &[(&str, DataType)], rows: impl Iterator<Item = Vec<Value>>) -> ResultSet {
    let column = |(name, data_type): &(&str, DataType)| Column { name: (*name).to_owned(), data_type: *data_type };
    ResultSet { columns: columns.iter().map(column).collect(), rows: rows.collect() }
}

#[cfg(test)]
mod tests {
    use super::super::fake::FakeDatabase;
    use super::*;
    use crate::render::{Format, Layout};
    use crate::shell::database::ShellDatabase;

    #[test]
    fn tables_show_what_they_are_partitioned_on() {
        let text = Format::Table.text(&tables(&FakeDatabase::default().tables()), &Layout::default());
        assert_eq!(
            text,
            concat!(
                " name         kind   partitioned on  rows\n",
                " ───────────  ─────  ──────────────  ────\n",
                " contestants  table  (replicated)       6\n",
                " votes        table  phone_number    1200\n",
                " v_votes      view   phone_number      12\n",
            )
        );
    }

    #[test]
    fn procedures_show_their_parameters_with_types() {
        let text = Format::Csv.text(&procedures(&FakeDatabase::default().procedures()), &Layout::default());
        assert_eq!(
            text,
            "name,parameters,partition,returns\n\
             Vote,\"phone_number BIGINT, contestant_number INTEGER, max_votes BIGINT\",\"one, by phone_number\",BIGINT\n\
             Results,\"\",all,\"\"\n"
        );
    }

    #[test]
    fn a_table_is_summed_up_in_a_line() {
        let tables = FakeDatabase::default().tables();
        assert_eq!(summary(&tables[0]), "table contestants · replicated · primary key (contestant_number) · 6 rows");
        assert_eq!(summary(&tables[2]), "view v_votes · partitioned on phone_number · 12 rows");
    }
}
