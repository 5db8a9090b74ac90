//! INSERT and UPSERT.

use super::coerce::{cast_literal, fits};
use crate::catalog::{Default, Table};
use crate::expr::expr::{Expr, ExprKind};
use crate::planner::binder::Binder;
use crate::planner::error::{BindError, Result, did_you_mean, fail};
use crate::planner::plan::{Node, PlanKind};
use crate::sql::Span;
use crate::sql::ast::{self, Ident, Insert, InsertSource};
use crate::types::{DataType, Reg, Value};
use std::sync::Arc;

/// A view is changed by changing its table.
pub(super) fn refuse_view(table: &Table, verb: &str, at: &Ident) -> Result<()> {
    if table.is_view() {
        return fail(format!("{verb} can't change {}: it is a view, and follows its table", table.name), at.span);
    }
    Ok(())
}

/// Position of a column that a change names.
pub(in crate::planner) fn target_column(table: &Table, column: &Ident) -> Result<usize> {
    table.column(&column.name).ok_or_else(|| {
        let hint = did_you_mean(column.name.as_str(), table.visible_columns().iter().map(|c| c.name.as_str()));
        BindError::new(format!("no column {} in {}{hint}", column.name, table.name), column.span)
    })
}

impl<'a> Binder<'a> {
    pub(in crate::planner) fn insert(&mut self, insert: &'a Insert) -> Result<PlanKind> {
        let verb = if insert.upsert { "UPSERT" } else { "INSERT" };
        let table = self.table(&insert.table)?;
        refuse_view(&table, verb, &insert.table)?;
        let columns = insert_columns(&table, insert)?;
        let (source, row) = match &insert.source {
            InsertSource::Defaults => (Node::One, self.row(&table, &[], Vec::new(), insert.table.span)?),
            InsertSource::Values(rows) => self.insert_values(&table, &columns, rows, insert)?,
            InsertSource::Query(query) => {
                let rows = self.query(query)?;
                check_width(rows.columns.len(), columns.len(), query.span)?;
                let values: Vec<(Expr, Span)> = rows.columns.iter().map(|column| (column.expr(), query.span)).collect();
                let row = self.row(&table, &columns, values, insert.table.span)?;
                (self.lower(rows.from), row)
            }
        };
        let upsert = if insert.upsert { Some(upsert_columns(&table, &columns, insert)?) } else { None };
        let conflict = insert.conflict.as_ref().map(|c| self.conflict(&table, &insert.table, c)).transpose()?;
        let returning = self.returning(&table, &insert.table, &insert.returning)?;
        Ok(PlanKind::Insert { table: table.id, source, row, upsert, conflict, returning })
    }

    fn insert_values(
        &mut self,
        table: &Arc<Table>,
        columns: &[usize],
        rows: &'a [Vec<ast::Expr>],
        insert: &Insert,
    ) -> Result<(Node, Vec<Expr>)> {
        let mut bound = Vec::with_capacity(rows.len());
        for row in rows {
            let span = row.iter().fold(Span::NONE, |span, e| span.to(e.span));
            check_width(row.len(), columns.len(), span)?;
            let mut values = Vec::with_capacity(row.len());
            for (e, &column) in row.iter().zip(columns) {
                let value = if is_default(e) { default_value(table, column, e.span)? } else { self.expr(e)? };
                refuse_fraction(table, column, &value, e.span)?;
                values.push((self.assigned(table, column, value, e.span)?, e.span));
            }
            bound.push(values);
        }
        if bound.len() == 1 {
            let values = bound.pop().expect("it has one row");
            return Ok((Node::One, self.row(table, columns, values, insert.table.span)?));
        }
        let out: Vec<Reg> = columns.iter().map(|_| self.fresh()).collect();
        let values = columns
            .iter()
            .zip(&out)
            .enumerate()
            .map(|(at, (&column, &reg))| {
                let nullable = bound.iter().any(|row| row[at].0.nullable);
                (Expr::reg(reg, table.columns[column].ty, nullable), Span::NONE)
            })
            .collect();
        let row = self.row(table, columns, values, insert.table.span)?;
        let rows = bound.into_iter().map(|row| row.into_iter().map(|(e, _)| e).collect()).collect();
        Ok((Node::Values { rows, out }, row))
    }

    /// One expression for each visible column: the given values, and defaults.
    fn row(&mut self, table: &Arc<Table>, columns: &[usize], values: Vec<(Expr, Span)>, at: Span) -> Result<Vec<Expr>> {
        let mut row: Vec<Option<Expr>> = vec![None; table.visible];
        for (&column, (value, span)) in columns.iter().zip(values) {
            row[column] = Some(self.assigned(table, column, value, span)?);
        }
        let fill = |(column, value): (usize, Option<Expr>)| match value {
            Some(value) => Ok(value),
            None => default_value(table, column, at),
        };
        row.into_iter().enumerate().map(fill).collect()
    }

    /// A value as a column takes it.
    pub(super) fn assigned(&mut self, table: &Table, column: usize, value: Expr, span: Span) -> Result<Expr> {
        let column = &table.columns[column];
        let bound = self.coerce(value, column.ty, span).map_err(|mut error| {
            error.message = format!("column {}: {}", column.name, error.message);
            error
        })?;
        if !column.nullable && matches!(bound.kind, ExprKind::Literal(Value::Null)) {
            return Err(BindError::new(format!("column {} of {} is NOT NULL", column.name, table.name), span)
                .with_sqlstate("23000"));
        }
        debug_assert!(fits(bound.ty, column.ty));
        Ok(bound)
    }
}

/// A constant that would lose its fraction without a word: more likely it is in the wrong column. One that is out of range is
/// left to the cast, which says so.
fn refuse_fraction(table: &Table, column: usize, value: &Expr, span: Span) -> Result<()> {
    let column = &table.columns[column];
    match &value.kind {
        ExprKind::Literal(number @ (Value::Decimal(_) | Value::Float(_)))
            if column.ty.is_integer() && cast_literal(number, value.ty, column.ty, span).is_ok() =>
        {
            let (name, to, from) = (&column.name, column.ty, value.ty);
            let hint = format!("CAST(.. AS {to}) drops the fraction");
            Err(BindError::new(format!("column {name} is {to}, and takes no constant of type {from}: {hint}"), span))
        }
        _ => Ok(()),
    }
}

/// DEFAULT in the place of a value.
pub(super) fn is_default(e: &ast::Expr) -> bool {
    matches!(&e.kind, ast::ExprKind::Column { qualifier: None, column } if column.name.folded() == "default")
}

/// What a column gets if no value is given.
pub(super) fn default_value(table: &Table, column: usize, at: Span) -> Result<Expr> {
    let column = &table.columns[column];
    match &column.default {
        Some(Default::Value(value)) => Ok(Expr::literal(value.clone(), column.ty)),
        Some(Default::Now) => Ok(now()),
        None if column.nullable => Ok(Expr::literal(Value::Null, column.ty)),
        None => {
            let message =
                format!("column {} of {} is NOT NULL and has no default: give it a value", column.name, table.name);
            Err(BindError::new(message, at).with_sqlstate("23000"))
        }
    }
}

fn now() -> Expr {
    Expr { kind: ExprKind::Now, ty: DataType::Timestamp, nullable: false }
}

fn insert_columns(table: &Table, insert: &Insert) -> Result<Vec<usize>> {
    if insert.columns.is_empty() && !matches!(insert.source, InsertSource::Defaults) {
        return Ok((0..table.visible).collect());
    }
    let mut columns: Vec<usize> = Vec::with_capacity(insert.columns.len());
    for column in &insert.columns {
        let at = target_column(table, column)?;
        if columns.contains(&at) {
            return fail(format!("column {} is listed twice", column.name), column.span);
        }
        columns.push(at);
    }
    Ok(columns)
}

/// Columns that UPSERT changes where the key is there already.
fn upsert_columns(table: &Table, columns: &[usize], insert: &Insert) -> Result<Vec<usize>> {
    let Some(index) = table.primary_key else {
        return fail(format!("UPSERT needs a primary key, and {} has none", table.name), insert.table.span);
    };
    let key = table.indexes[index].columns().expect("a primary key has plain columns");
    if let Some(&missing) = key.iter().find(|column| !columns.contains(column)) {
        let name = &table.columns[missing].name;
        return fail(
            format!("UPSERT needs a value for every primary key column: {name} is missing"),
            insert.table.span,
        );
    }
    Ok(columns.iter().copied().filter(|column| !key.contains(column)).collect())
}

fn check_width(values: usize, columns: usize, span: Span) -> Result<()> {
    if values == columns {
        return Ok(());
    }
    let plural = |n: usize, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
    fail(format!("{} for {}", plural(values, "value"), plural(columns, "column")), span)
}
