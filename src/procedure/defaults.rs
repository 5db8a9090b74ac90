//! The procedures that every table has of itself: `T.insert`, `T.upsert`, `T.update`, `T.delete`, `T.select`.
//!
//! They are made when somebody asks for one, so they cost nothing to a schema of thousands of tables.

use super::code::{Op, Procedure};
use super::compile;
use crate::catalog::{Catalog, Table};
use crate::sql::ast::{Ddl, Ident, Parameter, Statement};
use crate::sql::{Span, nearest, parse_statement};
use crate::types::{DataType, Name};
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
    let ident = |name: String| Ident { name: Name::new(&name), span: Span::NONE };
    ast.parameters = body.types.map(|types| {
        let parameter = |(at, data_type)| Parameter { name: ident(format!("p{at}")), data_type, default: None };
        types.into_iter().enumerate().map(parameter).collect()
    });
    let mut compiled = compile(&ast, &text, catalog).map_err(|errors| format!(": {}", errors[0].message))?;
    compiled.code.ops.iter_mut().for_each(|op| {
        if let Op::Execute { answer, .. } = op {
            *answer = true;
        }
    });
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
    /// Their types, if they are not `?` but `p0`, `p1` ..
    types: Option<Vec<DataType>>,
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
        return Ok(Body { sql, parameters: columns, types: None });
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
            Body { sql, parameters: columns, types: None }
        }
        "update" => update(table, columns, key),
        "delete" => Body { sql: format!("DELETE FROM {own} WHERE {at}"), parameters: key, types: None },
        _ if table.partition_column.is_none() => {
            return Err(format!("{} is replicated: only partitioned tables have select", table.name));
        }
        _ => Body { sql: format!("SELECT * FROM {own} WHERE {at}"), parameters: key, types: None },
    })
}

/// New values of all columns, then the key's values. A row stays in its partition, so the new value of the partition column
/// must be the old one.
fn update(table: &Table, columns: Vec<Name>, key: Vec<Name>) -> Body {
    let quoted = |name: &Name| format!("\"{}\"", name.as_str().replace('"', "\"\""));
    let place = |name: &Name| columns.iter().position(|column| column == name).expect("a key column is a column");
    let at: Vec<String> =
        key.iter().enumerate().map(|(i, name)| format!("{} = p{}", quoted(name), columns.len() + i)).collect();
    let fixed = table.partition_column.map(|column| &table.columns[column].name);
    let sets: Vec<String> = columns
        .iter()
        .enumerate()
        .filter(|(_, name)| Some(*name) != fixed)
        .map(|(i, name)| format!("{} = p{i}", quoted(name)))
        .collect();
    let mut sql = String::from("BEGIN ");
    if let Some(fixed) = fixed {
        let old = columns.len() + key.iter().position(|name| name == fixed).expect("the key holds it");
        sql += &format!(
            "IF p{} IS DISTINCT FROM p{old} THEN SIGNAL SQLSTATE '23000' SET MESSAGE_TEXT = \
             'column {} decides which partition a row is in, so it cannot change: delete and insert instead'; END IF; ",
            place(fixed),
            fixed.as_str().replace('\'', "''")
        );
    }
    let table_name = quoted(&table.name);
    match sets.is_empty() {
        // Nothing can change: it says whether the row is there.
        true => {
            let fixed = quoted(fixed.expect("a table has columns"));
            sql += &format!("UPDATE {table_name} SET {fixed} = {fixed} WHERE {}; END", at.join(" AND "));
        }
        false => sql += &format!("UPDATE {table_name} SET {} WHERE {}; END", sets.join(", "), at.join(" AND ")),
    }
    let types = table.visible_columns().iter().map(|column| column.ty);
    let key_types = key.iter().map(|name| table.columns[place(name)].ty);
    let types = types.chain(key_types).collect();
    let names = key.iter().map(|name| Name::new(&format!("{name}_key"))).collect::<Vec<_>>();
    Body { sql, parameters: columns.into_iter().chain(names).collect(), types: Some(types) }
}

fn primary_key(table: &Table) -> Option<Vec<usize>> {
    table.indexes[table.primary_key?].columns()
}
