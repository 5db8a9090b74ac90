//! CREATE INDEX, and the keys of constraints.

use super::{DdlOutcome, check_stored, column_binder, column_environment, find_index};
use crate::catalog::{Catalog, CatalogChange, Index, IndexKind, Key, Table};
use crate::expr::expr::Expr;
use crate::planner::binder;
use crate::planner::environment::Environment;
use crate::planner::error::{BindError, Result, fail};
use crate::sql::Span;
use crate::sql::ast::{self, CreateIndex};
use crate::types::{DataType, Name};
use std::sync::Arc;

/// Parts that a key may have: look-ups keep them on the stack.
const KEYS_MAX: usize = 8;

pub(super) fn create(catalog: &mut Catalog, create: &CreateIndex) -> Result<DdlOutcome> {
    let table = binder::table(catalog, &create.table)?;
    if let Some((other, _)) = find_index(catalog, &create.name.name) {
        let message = format!("index {} is there already, on {}", create.name.name, other.name);
        return fail(message, create.name.span);
    }
    let unique = create.unique || create.assume_unique;
    if unique && table.is_view() {
        return fail(format!("{} is a view: its indexes can't be UNIQUE", table.name), create.name.span);
    }
    let columns: Vec<&ast::Expr> = create.columns.iter().collect();
    let keys = key_columns(&table, &columns, &create.table.name)?;
    check_key_count(keys.len(), create.name.span)?;
    let filter = match &create.filter {
        Some(e) => Some(bind_filter(&column_environment(catalog, &table), &table, e)?),
        None => None,
    };
    let index = Index {
        name: create.name.name.clone(),
        kind: if create.hash { IndexKind::Hash } else { IndexKind::Ordered },
        unique,
        assume_unique: create.assume_unique,
        constraint: false,
        keys,
        filter,
    };
    check_partition(&table, &index).map_err(|message| BindError::new(message, create.name.span))?;
    let mut outcome =
        DdlOutcome::done("index created", vec![CatalogChange::CreateIndex(table.id, table.indexes.len())]);
    if let Some(same) = table.indexes.iter().find(|other| same_keys(other, &index)) {
        outcome.notes.push(format!("index {} has the same keys as {}", index.name, same.name));
    }
    let mut changed = table.as_ref().clone();
    changed.indexes.push(Arc::new(index));
    catalog.put_table(changed);
    Ok(outcome)
}

fn same_keys(a: &Index, b: &Index) -> bool {
    a.kind == b.kind
        && a.filter == b.filter
        && a.keys.len() == b.keys.len()
        && a.keys.iter().zip(&b.keys).all(|(a, b)| a.expr.kind == b.expr.kind)
}

pub(super) fn check_key_count(keys: usize, span: Span) -> Result<()> {
    match keys {
        0 => fail("a key needs a column", span),
        n if n > KEYS_MAX => fail(format!("a key of {n} parts: the limit is {KEYS_MAX}"), span),
        _ => Ok(()),
    }
}

/// Partitions can't see each other's rows: a unique key must keep equal rows in one partition, or ASSUMEUNIQUE says that
/// it doesn't.
pub(super) fn check_partition(table: &Table, index: &Index) -> std::result::Result<(), String> {
    let Some(column) = table.partition_column.filter(|_| table.spread && !table.is_view()) else { return Ok(()) };
    let includes = index.keys.iter().any(|key| key.column == Some(column));
    let column = &table.columns[column].name;
    if index.unique && !index.assume_unique && !includes {
        return Err(format!(
            "unique key {} of partitioned table {} must include the partition column {column}; \
             ASSUMEUNIQUE checks each partition by itself",
            index.name, table.name
        ));
    }
    if index.assume_unique && includes {
        return Err(format!(
            "key {} of {} includes the partition column {column}, so it is unique everywhere: write UNIQUE",
            index.name, table.name
        ));
    }
    Ok(())
}

/// Key parts from what is written: columns or expressions of the table.
pub(super) fn key_columns(table: &Arc<Table>, columns: &[&ast::Expr], alias: &Name) -> Result<Vec<Key>> {
    let nothing = Catalog::default();
    let env = column_environment(&nothing, table);
    let mut keys: Vec<Key> = Vec::with_capacity(columns.len());
    for e in columns {
        let key = bind_key(&env, table, e, alias)?;
        if let Some(column) = key.column.filter(|_| keys.iter().any(|other| other.column == key.column)) {
            return fail(format!("column {} is in the key twice", table.columns[column].name), e.span);
        }
        keys.push(key);
    }
    Ok(keys)
}

fn bind_key<'a>(env: &'a Environment<'a>, table: &Arc<Table>, e: &'a ast::Expr, alias: &Name) -> Result<Key> {
    let mut binder = column_binder(env, table, alias, "an index key");
    let expr = binder.expr(e)?;
    check_stored(&binder, &expr, "an index key", e.span)?;
    if expr.ty == DataType::Boolean && expr.as_reg().is_none() {
        return fail("a condition is no index key: put it in the WHERE of the index", e.span);
    }
    Ok(Key { column: expr.as_reg().map(usize::from), ty: expr.ty, expr })
}

pub(super) fn column_key(table: &Table, column: usize) -> Key {
    let of = &table.columns[column];
    Key { expr: Expr::reg(column as u16, of.ty, of.nullable), column: Some(column), ty: of.ty }
}

fn bind_filter<'a>(env: &'a Environment<'a>, table: &Arc<Table>, e: &'a ast::Expr) -> Result<Expr> {
    let mut binder = column_binder(env, table, &table.name, "an index condition");
    let predicate = binder.predicate(e, "WHERE of an index")?;
    check_stored(&binder, &predicate, "an index condition", e.span)?;
    Ok(predicate)
}

/// The index behind PRIMARY KEY, UNIQUE or ASSUMEUNIQUE.
pub(super) fn constraint_index(name: Name, keys: Vec<Key>, assume_unique: bool) -> Index {
    Index { name, kind: IndexKind::Hash, unique: true, assume_unique, constraint: true, keys, filter: None }
}
