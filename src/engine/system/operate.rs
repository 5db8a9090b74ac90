//! What an operator asks the database to do: run and explain statements, swap tables, wait.

use super::refused;
use crate::catalog::{Table, ViewAggregateKind};
use crate::engine::{Engine, StatementError};
use crate::partition::TxnError;
use crate::procedure::annotated;
use crate::sql::ast::Statement;
use crate::sql::{nearest, parse_statement, split};
use crate::types::{Column, DataType, Name, ResultSet, Value};
use std::sync::Arc;

fn failed(error: StatementError) -> Box<TxnError> {
    refused(&error.sqlstate, error.message)
}

fn texts(columns: &[&str], rows: Vec<Vec<Value>>) -> ResultSet {
    let column = |name: &&str| Column { name: (*name).to_owned(), data_type: DataType::TEXT };
    ResultSet { columns: columns.iter().map(column).collect(), rows }
}

impl Engine {
    /// One statement with a value for each `?`; or several without any, that all read or all define.
    pub(super) fn ad_hoc_call(&self, text: &str, values: &[Value]) -> Result<Vec<ResultSet>, Box<TxnError>> {
        let pieces: Vec<&str> = split(text).into_iter().map(|p| &text[p.span.start..p.span.end]).collect();
        match pieces.as_slice() {
            [] => return Err(refused("42601", "@AdHoc needs a statement, the text has none")),
            [one] => return self.execute(one, values).map(|done| done.results).map_err(failed),
            _ if !values.is_empty() => {
                return Err(refused(
                    "07001",
                    "@AdHoc takes values for ? with one statement only, the text has several",
                ));
            }
            _ => {}
        }
        let parsed = pieces.iter().map(|piece| parse_statement(piece).map_err(|e| failed(e.into())));
        let parsed = parsed.collect::<Result<Vec<Statement>, _>>()?;
        if parsed.iter().all(|statement| matches!(statement, Statement::Ddl(_))) {
            let changed = self.execute_batch(text).map_err(|errors| failed(StatementError::several(errors)))?;
            return Ok(changed.tags.iter().flat_map(|_| super::status()).collect());
        }
        if !parsed.iter().all(|statement| matches!(statement, Statement::Query(_) | Statement::Explain(_))) {
            let message = "several statements in one @AdHoc must all be queries, or all definitions: changes that belong \
                           together go into a procedure";
            return Err(refused("0A000", message));
        }
        let mut results = Vec::new();
        for piece in pieces {
            results.extend(self.execute(piece, &[]).map_err(failed)?.results);
        }
        Ok(results)
    }

    pub(super) fn explain_call(&self, text: &str) -> Result<Vec<ResultSet>, Box<TxnError>> {
        let pieces = split(text);
        if pieces.is_empty() {
            return Err(refused("42601", "@Explain needs a statement, the text has none"));
        }
        let mut results = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let statement = format!("EXPLAIN {}", &text[piece.span.start..piece.span.end]);
            let mut done = self.execute(&statement, &[]).map_err(failed)?.results;
            let plan = done.remove(0);
            let lines: Vec<String> = plan.rows.iter().map(|row| row[0].to_string()).collect();
            results.push(texts(&["EXECUTION_PLAN"], vec![vec![Value::Text(lines.join("\n"))]]));
        }
        Ok(results)
    }

    pub(super) fn explain_procedure_call(&self, name: &str) -> Result<Vec<ResultSet>, Box<TxnError>> {
        let procedure = self.procedure(name)?;
        let catalog = &self.schema().catalog;
        let plans = crate::procedure::plans(&procedure, catalog);
        let definition = &procedure.definition;
        if plans.is_empty() {
            let listing = annotated(&procedure, catalog);
            let row = vec![Value::from("<ALL>"), Value::from(definition.text.as_str()), Value::from(listing)];
            return Ok(vec![texts(&["STATEMENT_NAME", "SQL_STATEMENT", "EXECUTION_PLAN"], vec![row])]);
        }
        let rows = plans.iter().filter(|(_, plan)| !plan.is_empty()).enumerate().map(|(at, (span, plan))| {
            let text = definition.text.get(span.start..span.end).unwrap_or_default();
            vec![Value::from(format!("sql{at}")), Value::from(text), Value::from(plan.trim_end())]
        });
        Ok(vec![texts(&["STATEMENT_NAME", "SQL_STATEMENT", "EXECUTION_PLAN"], rows.collect())])
    }

    /// One row for each MIN and MAX: how its value is found again when the row that had it goes.
    pub(super) fn explain_view(&self, name: &str) -> Result<Vec<ResultSet>, Box<TxnError>> {
        let table = self.named_table(name)?;
        let Some(view) = &table.view else {
            return Err(refused("42000", format!("{} is a table, not a view", table.name)));
        };
        let schema = self.schema();
        let source = schema.catalog.table_by_id(view.source);
        let extremes = view
            .aggregates
            .iter()
            .filter(|a| matches!(a.kind, ViewAggregateKind::Min | ViewAggregateKind::Max))
            .map(|aggregate| {
                let word = if aggregate.kind == ViewAggregateKind::Min { "MIN" } else { "MAX" };
                let task = format!("Refresh {word} column \"{}\"", table.columns[aggregate.column].name);
                let plan = format!(
                    "when the row with the value goes: an index of {} on the groups and the column, or else a scan of \
                     the group",
                    source.name
                );
                vec![Value::from(task), Value::from(plan)]
            });
        Ok(vec![texts(&["TASK", "EXECUTION_PLAN"], extremes.collect())])
    }

    fn named_table(&self, name: &str) -> Result<Arc<Table>, Box<TxnError>> {
        let schema = self.schema();
        schema.catalog.table(&Name::new(name)).cloned().ok_or_else(|| {
            let near = nearest(name, schema.catalog.tables().map(|table| table.name.as_str()));
            let hint = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
            refused("42S02", format!("no table or view {name}{hint}"))
        })
    }

    /// Returns when everything that was queued before has run and is as durable as it is going to be.
    pub(super) fn quiesce(&self) -> Result<(), Box<TxnError>> {
        drop(self.initiator.hold_all());
        if self.durable.is_some() {
            self.flush_log().map_err(failed)?;
        }
        Ok(())
    }

    pub(super) fn swap_tables(&self, first: &str, second: &str) -> Result<(), Box<TxnError>> {
        let (a, b) = (self.named_table(first)?, self.named_table(second)?);
        if let Some(reason) = unlike(&a, &b) {
            return Err(refused("42809", format!("{} and {} cannot be swapped: {reason}", a.name, b.name)));
        }
        if self.durable.is_some() {
            let message = "@SwapTables is not in the log, so it works in a database without a data folder only";
            return Err(refused("0A000", message));
        }
        let _one_at_a_time = self.changing.lock();
        let mut all = self.initiator.hold_all();
        if all.is_paused() {
            return Err(Box::new(TxnError::Paused));
        }
        let version = self.schema().catalog.version;
        if all.sites().any(|site| site.store.get(a.id).is_none() || site.store.get(b.id).is_none())
            || all.sites().any(|site| site.schema.catalog.version != version)
        {
            return Err(Box::new(TxnError::Changed { procedure: Name::new("@SwapTables") }));
        }
        all.sites().for_each(|site| site.store.swap(a.id, b.id));
        Ok(())
    }
}

/// Why the rows of two tables cannot change places.
fn unlike(a: &Table, b: &Table) -> Option<String> {
    for table in [a, b] {
        if table.is_view() {
            return Some(format!("{} is a view", table.name));
        }
        if !table.views.is_empty() {
            return Some(format!("there are views on {}", table.name));
        }
    }
    if a.id == b.id {
        return Some("they are the same table".to_owned());
    }
    let columns = |t: &Table| -> Vec<_> { t.columns.iter().map(|c| (c.name.clone(), c.ty, c.nullable)).collect() };
    if columns(a) != columns(b) {
        return Some("their columns differ".to_owned());
    }
    if (a.partition_column, a.spread) != (b.partition_column, b.spread) {
        return Some("they are not partitioned alike".to_owned());
    }
    let indexes = |t: &Table| -> Vec<_> {
        let index = |i: &Arc<crate::catalog::Index>| {
            let keys: Vec<_> = i.keys.iter().map(|key| format!("{:?}", key.expr)).collect();
            (i.kind, i.unique, keys, format!("{:?}", i.filter))
        };
        t.indexes.iter().map(index).collect()
    };
    if indexes(a) != indexes(b) || a.primary_key != b.primary_key {
        return Some("their indexes differ, or stand in another order".to_owned());
    }
    let checks = |t: &Table| -> Vec<_> { t.checks.iter().map(|check| check.text.clone()).collect() };
    (checks(a) != checks(b)).then(|| "their CHECK constraints differ".to_owned())
}
