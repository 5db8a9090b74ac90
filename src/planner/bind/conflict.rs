//! ON CONFLICT of INSERT.

use super::insert::target_column;
use crate::catalog::Table;
use crate::planner::binder::Binder;
use crate::planner::error::{Result, fail};
use crate::planner::plan::{Conflict, ConflictUpdate};
use crate::planner::scope::{Relation, Scope, Source};
use crate::sql::ast::{self, Ident, OnConflict};
use crate::types::Name;
use std::sync::Arc;

impl<'a> Binder<'a> {
    pub(super) fn conflict(&mut self, table: &Arc<Table>, alias: &Ident, conflict: &'a OnConflict) -> Result<Conflict> {
        let indexes = conflict_indexes(table, conflict)?;
        let Some(update) = &conflict.update else { return Ok(Conflict { indexes, update: None }) };
        let (existing, proposed) = (self.add_instance(Arc::clone(table)), self.add_instance(Arc::clone(table)));
        // A bare name is a column of the row that is there: it stands further in than `excluded`.
        for (name, instance) in [(Name::new("excluded"), proposed), (alias.name.clone(), existing)] {
            let mut scope = Scope::new();
            scope.no_aggregates = Some("ON CONFLICT");
            scope.no_windows = Some("ON CONFLICT");
            scope.relations.push(Relation { alias: name, source: Source::Table(instance), nullable: false });
            self.scopes.push(scope);
        }
        let bound = self.conflict_update(table, update, existing);
        self.scopes.truncate(self.scopes.len() - 2);
        let mut update = bound?;
        update.existing = self.instances[existing].columns.clone();
        update.proposed = self.instances[proposed].columns.clone();
        Ok(Conflict { indexes, update: Some(update) })
    }

    fn conflict_update(
        &mut self,
        table: &Arc<Table>,
        update: &'a ast::ConflictUpdate,
        existing: usize,
    ) -> Result<ConflictUpdate> {
        let assignments = self.assignments(table, &update.assignments, existing)?;
        if let Some((column, _)) = assignments.iter().find(|(column, _)| table.partition_column == Some(*column)) {
            let name = &table.columns[*column].name;
            let written = update
                .assignments
                .iter()
                .find(|(c, _)| c.name == *name)
                .map_or(crate::sql::Span::NONE, |(c, _)| c.span);
            return fail(format!("ON CONFLICT can't move a row to another partition: leave {name} as it is"), written);
        }
        let filter = match &update.filter {
            Some(filter) => {
                let bound = self.expr(filter)?;
                Some(self.coerce_boolean(bound, "WHERE", filter.span)?)
            }
            None => None,
        };
        Ok(ConflictUpdate { existing: Vec::new(), proposed: Vec::new(), assignments, filter })
    }
}

/// The unique indexes that the target names; all, without one.
fn conflict_indexes(table: &Table, conflict: &OnConflict) -> Result<Vec<usize>> {
    let mut wanted = Vec::with_capacity(conflict.target.len());
    for column in &conflict.target {
        wanted.push(target_column(table, column)?);
    }
    let unique = table.indexes.iter().enumerate().filter(|(_, index)| index.unique && index.filter.is_none());
    let of_columns = unique.filter_map(|(at, index)| index.columns().map(|columns| (at, columns)));
    let indexes: Vec<usize> = of_columns
        .filter(|(_, columns)| {
            wanted.is_empty() || columns.len() == wanted.len() && columns.iter().all(|c| wanted.contains(c))
        })
        .map(|(at, _)| at)
        .collect();
    if wanted.is_empty() && conflict.update.is_some() {
        return fail("DO UPDATE needs to know which key: write ON CONFLICT (columns of a unique key)", conflict.span);
    }
    if indexes.is_empty() {
        let span = conflict.target.iter().fold(conflict.span, |span, column| span.to(column.span));
        let what = if wanted.is_empty() { "key" } else { "key of just these columns" };
        return fail(format!("ON CONFLICT needs a unique key, and {} has no {what}", table.name), span);
    }
    Ok(indexes)
}
