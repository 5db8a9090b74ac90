//! CREATE TABLE.

use super::index::{constraint_index, key_columns};
use super::{DdlOutcome, check_stored, column_binder, column_environment, find_index, refuse_taken};
use crate::catalog::{Catalog, CatalogChange, Check, Column, Default, Index, Table, Ttl};
use crate::expr::expr::ExprKind;
use crate::planner::bind::insert::target_column;
use crate::planner::binder::Binder;
use crate::planner::environment::Environment;
use crate::planner::error::{BindError, Result, fail};
use crate::sql::Span;
use crate::sql::ast::{self, ConstraintKind, CreateTable, Expr, Ident, KeyKind};
use crate::types::{DataType, Name, Value};
use std::sync::Arc;

/// VoltDB's limits.
pub(super) const COLUMNS_MAX: usize = 1024;
const ROW_BYTES_MAX: u64 = 2_097_152;

/// A key of CREATE TABLE, written at a column or at the end.
pub(super) struct KeyDef<'a> {
    name: Option<&'a Ident>,
    pub kind: KeyKind,
    columns: Vec<&'a Expr>,
    /// Where it is written at a column.
    column: Option<&'a Ident>,
}

pub(super) fn create(catalog: &mut Catalog, create: &CreateTable, text: &str) -> Result<DdlOutcome> {
    let name = &create.name;
    if let Err(taken) = refuse_taken(catalog, name) {
        return if create.if_not_exists {
            Ok(DdlOutcome::nothing("nothing created", taken.message))
        } else {
            Err(taken)
        };
    }
    let columns = match &create.like {
        Some(other) => super::base_table(catalog, other, "LIKE")?.columns.clone(),
        None => columns(create)?,
    };
    let mut table = Table {
        id: catalog.next_table_id(),
        name: name.name.clone(),
        visible: columns.len(),
        columns,
        partition_column: None,
        spread: false,
        primary_key: None,
        indexes: Vec::new(),
        checks: Vec::new(),
        view: None,
        views: Vec::new(),
        ttl: None,
    };
    let keys = keys(create);
    let mut primary = keys.iter().filter(|key| key.kind == KeyKind::PrimaryKey);
    if let (Some(_), Some(second)) = (primary.next(), primary.next()) {
        return fail(format!("table {} has two primary keys", name.name), key_span(second, name));
    }
    let shape = Arc::new(table.clone());
    for key in &keys {
        let index = bind_key(catalog, &shape, &table.indexes, key, name)?;
        if key.kind == KeyKind::PrimaryKey {
            let columns = primary_columns(&index, key_span(key, name))?;
            columns.into_iter().for_each(|column| table.columns[column].nullable = false);
            table.primary_key = Some(table.indexes.len());
        }
        table.indexes.push(Arc::new(index));
    }
    table.checks = checks(catalog, &Arc::new(table.clone()), create, &[], text)?;
    if let Some(ttl) = &create.ttl {
        table.ttl = Some(bind_ttl(&table, ttl)?);
    }
    let id = table.id;
    catalog.put_table(table);
    Ok(DdlOutcome::done("table created", vec![CatalogChange::CreateTable(id)]))
}

fn columns(create: &CreateTable) -> Result<Vec<Column>> {
    if create.columns.is_empty() {
        return fail("a table needs a column", create.name.span);
    }
    let mut columns: Vec<Column> = Vec::with_capacity(create.columns.len());
    for def in &create.columns {
        if columns.iter().any(|other| other.name == def.name.name) {
            return fail(format!("column {} is there twice", def.name.name), def.name.span);
        }
        let default = def.default.as_ref().map(|e| default(&def.name.name, def.data_type, e)).transpose()?.flatten();
        columns.push(Column { name: def.name.name.clone(), ty: def.data_type, nullable: !def.not_null, default });
    }
    check_columns(&columns, &create.name)?;
    Ok(columns)
}

/// The limits of a table's columns; `at` is what is created or altered.
pub(super) fn check_columns(columns: &[Column], at: &Ident) -> Result<()> {
    if columns.len() > COLUMNS_MAX {
        return fail(format!("{} columns: a table has at most {COLUMNS_MAX}", columns.len()), at.span);
    }
    let bytes: u64 = columns.iter().map(|column| width(column.ty)).sum();
    if bytes > ROW_BYTES_MAX {
        let message = format!("a row with {} may take {bytes} bytes: the limit is {ROW_BYTES_MAX}", at.name);
        return fail(message, at.span);
    }
    Ok(())
}

/// USING TTL of a table, or of a view, whose column may be NULL.
pub(super) fn bind_ttl(table: &Table, ttl: &ast::Ttl) -> Result<Ttl> {
    let column = target_column(table, &ttl.column)?;
    let of = &table.columns[column];
    if of.ty != DataType::Timestamp {
        return fail(format!("TTL needs a TIMESTAMP, and {} is {}", of.name, of.ty), ttl.column.span);
    }
    if of.nullable && !table.is_view() {
        return fail(format!("TTL needs a column that is NOT NULL, and {} may be NULL", of.name), ttl.column.span);
    }
    Ok(Ttl { seconds: ttl.seconds, column, batch_size: ttl.batch_size, max_frequency: ttl.max_frequency })
}

/// The columns of a PRIMARY KEY.
pub(super) fn primary_columns(index: &Index, span: Span) -> Result<Vec<usize>> {
    index.columns().ok_or_else(|| BindError::new("PRIMARY KEY takes columns, not expressions; use UNIQUE", span))
}

/// Bytes that a column counts against the limit of a row.
fn width(ty: DataType) -> u64 {
    match ty {
        // TEXT stands for "any length": as a reference, or two of them would be more than a row may take.
        DataType::TEXT => 16,
        DataType::Null | DataType::Boolean | DataType::TinyInt => 1,
        DataType::SmallInt => 2,
        DataType::Integer => 4,
        DataType::BigInt | DataType::Float | DataType::Timestamp => 8,
        DataType::Decimal => 16,
        DataType::Array(_) => unreachable!("no column is an array"),
        DataType::Varchar { .. } | DataType::Varbinary { .. } => 4 + ty.bytes_max().map_or(0, u64::from),
    }
}

/// A literal as a value of the column's type, or NOW. None: NULL.
pub(super) fn default(column: &Name, ty: DataType, e: &Expr) -> Result<Option<Default>> {
    let not_constant = || BindError::new(format!("DEFAULT of column {column} is a literal or NOW"), e.span);
    if matches!(e.kind, ast::ExprKind::Binary { .. } | ast::ExprKind::Column { .. }) {
        return Err(not_constant());
    }
    let nothing = Catalog::default();
    let env = Environment::ad_hoc(&nothing);
    let mut binder = Binder::new(&env, 0);
    let bound = binder.expr(e).and_then(|bound| binder.coerce(bound, ty, e.span)).map_err(|mut error| {
        error.message = format!("DEFAULT of column {column}: {}", error.message);
        error
    })?;
    match bound.kind {
        ExprKind::Literal(Value::Null) => Ok(None),
        ExprKind::Literal(value) => Ok(Some(Default::Value(value))),
        ExprKind::Now => Ok(Some(Default::Now)),
        _ => Err(not_constant()),
    }
}

pub(super) fn keys(create: &CreateTable) -> Vec<KeyDef<'_>> {
    let at_columns = create
        .columns
        .iter()
        .filter_map(|def| Some(KeyDef { name: None, kind: def.key?, columns: Vec::new(), column: Some(&def.name) }));
    let at_end = create.constraints.iter().filter_map(|constraint| match &constraint.kind {
        ConstraintKind::Key { kind, columns } => Some(KeyDef {
            name: constraint.name.as_ref(),
            kind: *kind,
            columns: columns.iter().collect(),
            column: None,
        }),
        ConstraintKind::Check(_) => None,
    });
    at_columns.chain(at_end).collect()
}

pub(super) fn key_span(key: &KeyDef<'_>, table: &Ident) -> Span {
    let columns = key.columns.iter().fold(Span::NONE, |span, e| span.to(e.span));
    match key.column {
        Some(column) => column.span,
        None if columns == Span::NONE => table.span,
        None => columns,
    }
}

pub(super) fn bind_key(
    catalog: &Catalog,
    table: &Arc<Table>,
    before: &[Arc<Index>],
    key: &KeyDef<'_>,
    at: &Ident,
) -> Result<Index> {
    let keys = match key.column {
        Some(column) => {
            vec![super::index::column_key(table, table.column(&column.name).expect("it is one of its columns"))]
        }
        None => key_columns(table, &key.columns, &table.name)?,
    };
    let name = match key.name {
        Some(name) => {
            let taken = before.iter().any(|index| index.name == name.name) || find_index(catalog, &name.name).is_some();
            if taken {
                return fail(format!("an index or constraint {} is there already", name.name), name.span);
            }
            name.name.clone()
        }
        None => {
            let base = match key.kind {
                KeyKind::PrimaryKey => format!("pk_{}", table.name),
                KeyKind::Unique | KeyKind::AssumeUnique => {
                    let columns: Vec<String> = keys
                        .iter()
                        .map(|k| k.column.map_or("expr".to_owned(), |column| table.columns[column].name.to_string()))
                        .collect();
                    format!("uq_{}_{}", table.name, columns.join("_"))
                }
            };
            free_name(catalog, before, &base)
        }
    };
    let index = constraint_index(name, keys, key.kind == KeyKind::AssumeUnique);
    super::index::check_key_count(index.keys.len(), key_span(key, at))?;
    Ok(index)
}

/// `base`, or `base_2` and so on if something else has that name.
pub(super) fn free_name(catalog: &Catalog, before: &[Arc<Index>], base: &str) -> Name {
    let free = |name: &Name| !before.iter().any(|index| index.name == *name) && find_index(catalog, name).is_none();
    let numbered = (2..).map(|n| Name::new(&format!("{base}_{n}")));
    std::iter::once(Name::new(base)).chain(numbered).find(free).expect("there is always a higher number")
}

pub(super) fn checks(
    catalog: &Catalog,
    table: &Arc<Table>,
    create: &CreateTable,
    before: &[Check],
    text: &str,
) -> Result<Vec<Check>> {
    let at_columns = create.columns.iter().filter_map(|def| Some((None, def.check.as_ref()?)));
    let at_end = create.constraints.iter().filter_map(|constraint| match &constraint.kind {
        ConstraintKind::Check(e) => Some((constraint.name.as_ref(), e)),
        ConstraintKind::Key { .. } => None,
    });
    let env = column_environment(catalog, table);
    let mut checks: Vec<Check> = Vec::new();
    for (name, e) in at_columns.chain(at_end) {
        let predicate = bind_check(&env, table, e)?;
        let name = match name {
            Some(name) if before.iter().chain(&checks).any(|check| check.name == name.name) => {
                return fail(format!("constraint {} is there already", name.name), name.span);
            }
            Some(name) => name.name.clone(),
            None => {
                let numbered = (1..).map(|n| Name::new(&format!("ck_{}_{n}", table.name)));
                let free = |name: &Name| !before.iter().chain(&checks).any(|check| check.name == *name);
                numbered.into_iter().find(free).expect("there is always a higher number")
            }
        };
        checks.push(Check { name, predicate, text: slice(text, e.span) });
    }
    Ok(checks)
}

fn bind_check<'a>(env: &'a Environment<'a>, table: &Arc<Table>, e: &'a ast::Expr) -> Result<crate::expr::expr::Expr> {
    let mut binder = column_binder(env, table, &table.name, "CHECK");
    let predicate = binder.predicate(e, "CHECK")?;
    check_stored(&binder, &predicate, "CHECK", e.span)?;
    Ok(predicate)
}

/// What was written at a span; empty if the span doesn't fit the text.
pub(super) fn slice(text: &str, span: Span) -> String {
    text.get(span.start..span.end).unwrap_or("").trim().to_owned()
}
