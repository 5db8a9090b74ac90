//! The procedures that every table has of itself: `T.insert`, `T.upsert`, `T.update`, `T.delete`, `T.select`.
//!
//! They are made when somebody asks for one, so they cost nothing to a schema of thousands of tables.

use super::code::Procedure;
use super::compile;
use crate::catalog::{Catalog, Table};
use crate::sql::ast::{Ddl, Statement};
use crate::sql::nearest;
use crate::sql::parse_statement;
use crate::types::Name;
use std::sync::Arc;

/// The five, in VoltDB's spelling.
pub const OPERATIONS: [&str; 5] = ["insert", "upsert", "update", "delete", "select"];

/// The table's own procedure of that name, compiled. Err: a hint to append to "no procedure ..", possibly empty.
pub fn find(catalog: &Catalog, name: &Name) -> Result<Arc<Procedure>, String> {
    let Some((table_name, operation)) = name.as_str().rsplit_once('.') else { return Err(String::new()) };
    let Some(table) = catalog.table(&Name::new(table_name)) else {
        let hint = nearest(table_name, catalog.tables().map(|table| table.name.as_str()));
        return Err(hint.map_or(String::new(), |hint| format!(": no such table; did you mean {hint}.{operation}?")));
    };
    let operation = operation.to_ascii_lowercase();
    let body = match body(table, &operation) {
        Ok(body) => body,
        Err(why) => return Err(format!(": {why}")),
    };
    let shown = Name::new(&format!("{}.{operation}", table.name));
    let text = format!("CREATE PROCEDURE own AS {}", body.sql);
    let Ok(Statement::Ddl(Ddl::CreateProcedure(mut ast))) = parse_statement(&text) else {
        unreachable!("{text} is a procedure")
    };
    ast.name.name = shown;
    let mut compiled = compile(&ast, &text, catalog).map_err(|errors| format!(": {}", errors[0].message))?;
    let mut definition = (*compiled.definition).clone();
    let names = body.parameters.into_iter();
    definition.parameters.iter_mut().zip(names).for_each(|(parameter, name)| parameter.name = name);
    definition.text = body.sql;
    compiled.code.spans.iter_mut().for_each(|span| *span = crate::sql::Span::NONE);
    compiled.definition = Arc::new(definition);
    Ok(Arc::new(compiled))
}

/// Names of those that a table has, as `insert`.
pub fn operations(table: &Table) -> Vec<&'static str> {
    OPERATIONS.into_iter().filter(|operation| body(table, operation).is_ok()).collect()
}

struct Body {
    sql: String,
    /// Names of the parameters in order.
    parameters: Vec<Name>,
}

/// The statement, or why the table has no such procedure.
fn body(table: &Table, operation: &str) -> Result<Body, String> {
    if table.is_view() {
        return Err(format!("{} is a view: it has no procedures of its own", table.name));
    }
    let columns: Vec<Name> = table.visible_columns().iter().map(|column| column.name.clone()).collect();
    let quoted = |name: &Name| format!("\"{}\"", name.as_str().replace('"', "\"\""));
    let list = |names: &[Name], separator: &str, each: &dyn Fn(&Name) -> String| {
        names.iter().map(each).collect::<Vec<_>>().join(separator)
    };
    let marks = |count: usize| vec!["?"; count].join(", ");
    let own = quoted(&table.name);
    if !OPERATIONS.contains(&operation) {
        let known = OPERATIONS.join(", ");
        return Err(format!("a table's own procedures are {known}"));
    }
    if operation == "insert" {
        let names = list(&columns, ", ", &quoted);
        let sql = format!("INSERT INTO {own} ({names}) VALUES ({})", marks(columns.len()));
        return Ok(Body { sql, parameters: columns });
    }
    let key = primary_key(table).ok_or_else(|| format!("{} has no primary key", table.name))?;
    if table.partition_column.is_some_and(|column| !key.contains(&column)) {
        return Err(format!("the primary key of {} does not hold the partition column", table.name));
    }
    let key: Vec<Name> = key.into_iter().map(|column| table.columns[column].name.clone()).collect();
    let equals = |name: &Name| format!("{} = ?", quoted(name));
    let at = list(&key, " AND ", &equals);
    Ok(match operation {
        "upsert" => {
            let names = list(&columns, ", ", &quoted);
            let sql = format!("UPSERT INTO {own} ({names}) VALUES ({})", marks(columns.len()));
            Body { sql, parameters: columns }
        }
        "update" => {
            let sql = format!("UPDATE {own} SET {} WHERE {at}", list(&columns, ", ", &equals));
            let keys = key.iter().map(|name| Name::new(&format!("{name}_key")));
            Body { sql, parameters: columns.into_iter().chain(keys).collect() }
        }
        "delete" => Body { sql: format!("DELETE FROM {own} WHERE {at}"), parameters: key },
        _ if table.partition_column.is_none() => {
            return Err(format!("{} is replicated: only partitioned tables have select", table.name));
        }
        _ => Body { sql: format!("SELECT * FROM {own} WHERE {at}"), parameters: key },
    })
}

fn primary_key(table: &Table) -> Option<Vec<usize>> {
    table.indexes[table.primary_key?].columns()
}
