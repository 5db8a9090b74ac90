//! Schema changes: a store goes from one catalog version to the next as a whole, and back if another partition cannot.

use super::error::StorageError;
use super::eval::RowExpr;
use super::store::{Store, insert_empty_group};
use super::table::{FormerDefinition, Table};
use super::undo::UndoLog;
use super::view::{Source, UpdaterKind, ViewInput, ViewUpdater};
use crate::catalog::{self, Catalog, CatalogChange, TableId};
use crate::expr::expr::Expr;
use crate::types::{Arena, Datum};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How to undo what `apply` did, in the order it was done.
#[derive(Default)]
pub(super) struct AppliedChanges {
    steps: Vec<Step>,
    dependents: Vec<Box<[ViewUpdater]>>,
}

enum Step {
    /// The slot had this before.
    Exchanged(usize, Option<Box<Table>>),
    Redefined(usize, FormerDefinition),
}

/// All rows of a table: for repartitioning.
#[derive(Clone, Debug, Default)]
pub struct RowExport {
    columns: usize,
    datums: Vec<Datum>,
    arena: Arena,
}

impl RowExport {
    /// Rows.
    pub fn len(&self) -> usize {
        self.datums.len().checked_div(self.columns).unwrap_or(0)
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Row `at`; its long strings are in [`RowExport::arena`].
    pub fn row(&self, at: usize) -> &[Datum] {
        &self.datums[at * self.columns..][..self.columns]
    }
    pub fn arena(&self) -> &Arena {
        &self.arena
    }
}

impl Store {
    /// All rows of a table in the order of their ids.
    pub fn export_rows(&self, id: TableId) -> RowExport {
        let table = self.table(id);
        let mut export = RowExport { columns: table.def().columns.len(), ..RowExport::default() };
        export.datums.reserve(export.columns * table.len());
        let mut next = table.first_row();
        while let Some(row) = next {
            for column in 0..export.columns {
                let datum = table.load(row, column, &mut export.arena);
                export.datums.push(datum);
            }
            next = table.next_row(row);
        }
        export
    }

    /// Inserts those of the exported rows that `wanted` is true for, with all that an insert does.
    pub fn import_rows(
        &mut self,
        id: TableId,
        export: &RowExport,
        mut wanted: impl FnMut(&[Datum], &Arena) -> bool,
        now: i64,
    ) -> Result<(), StorageError> {
        for at in 0..export.len() {
            let row = export.row(at);
            if wanted(row, &export.arena) {
                self.insert(id, row, &export.arena, now)?;
            }
        }
        Ok(())
    }

    /// Brings the store to `next`, which `changes` lead to, outside of a transaction. The rows of a repartitioned table
    /// stay where they are: the caller exports those of all partitions then, and each store takes what it should have
    /// by [`Store::replace_rows`].
    ///
    /// On error this store is as before. On success it can still go back by [`Store::undo_apply`], until
    /// [`Store::finish_apply`]; one of them must be called.
    pub fn apply(&mut self, changes: &[CatalogChange], next: &Catalog, now: i64) -> Result<(), StorageError> {
        assert!(self.applied.is_none(), "the last schema change was finished or undone");
        self.work.evaluator.now = now;
        self.applied = Some(AppliedChanges::default());
        let result = self.try_apply(changes, next);
        match result {
            Ok(()) => self.find_fast_inserts(),
            Err(_) => self.undo_apply(),
        }
        result
    }

    fn try_apply(&mut self, changes: &[CatalogChange], next: &Catalog) -> Result<(), StorageError> {
        let slots = self.tables.len().max(next.next_table_id().0 as usize);
        self.tables.resize_with(slots, || None);
        let dependents = dependents_of(next, slots);
        self.log().dependents = std::mem::replace(&mut self.dependents, dependents);
        // While rows move, all of them go the general way.
        self.fast = (0..slots).map(|_| None).collect();
        let rewritten = rewritten(changes);
        // Views over tables that are written anew are computed anew.
        let refilled: BTreeSet<TableId> =
            rewritten.keys().filter_map(|&id| next.get(id)).flat_map(|table| table.views.iter().copied()).collect();
        for at in 0..slots {
            let id = TableId(at as u32);
            match next.get(id) {
                None if self.tables[at].is_some() => self.exchange(at, None),
                None => {}
                Some(def) if self.tables[at].is_none() && !def.is_view() => {
                    self.exchange(at, Some(Box::new(Table::new(def))));
                }
                Some(_) if refilled.contains(&id) => {}
                Some(def) => match (self.tables[at].as_deref_mut(), rewritten.get(&id)) {
                    (Some(_), Some(rewrites)) => self.rewrite(at, rewrites, def)?,
                    (Some(table), None) if !std::sync::Arc::ptr_eq(table.def(), def) => {
                        let former = table.redefine(def, &mut self.work)?;
                        self.log().steps.push(Step::Redefined(at, former));
                    }
                    _ => {}
                },
            }
        }
        for &view in &refilled {
            self.restart(view, next);
            self.fill_view(view)?;
        }
        for at in 0..slots {
            let id = TableId(at as u32);
            if next.get(id).is_some() && self.tables[at].is_none() {
                self.restart(id, next);
                self.fill_view(id)?;
            }
        }
        Ok(())
    }

    /// After `apply`: empties a table and the views over it, and inserts those of the exported rows that `wanted` is true
    /// for. On error `undo_apply` must follow.
    pub fn replace_rows(
        &mut self,
        id: TableId,
        exports: &[RowExport],
        next: &Catalog,
        mut wanted: impl FnMut(&[Datum], &Arena) -> bool,
        now: i64,
    ) -> Result<(), StorageError> {
        self.fast.iter_mut().for_each(|fast| *fast = None);
        self.restart(id, next);
        for &view in &next.table_by_id(id).views {
            self.restart(view, next);
            self.fill_view(view)?;
        }
        self.begin(false);
        let result = exports.iter().try_for_each(|export| self.import_rows(id, export, &mut wanted, now));
        self.commit();
        self.find_fast_inserts();
        result
    }

    /// A table of another definition, whose rows are computed from those of the old one.
    fn rewrite(&mut self, at: usize, rewrites: &[Arc<[Expr]>], def: &Arc<catalog::Table>) -> Result<(), StorageError> {
        let old = self.tables[at].as_deref().expect("there is a table to rewrite");
        let compile = |row: &Arc<[Expr]>, columns: usize| -> Vec<RowExpr> {
            row.iter().map(|expr| RowExpr::new(expr, columns)).collect()
        };
        let mut columns = old.def().columns.len();
        let mut programs = Vec::with_capacity(rewrites.len());
        for row in rewrites {
            programs.push(compile(row, columns));
            columns = row.len();
        }
        assert_eq!(columns, def.columns.len(), "the last rewriting leads to the definition");
        let mut new = Table::new(def);
        let mut undo = UndoLog::default();
        let mut datums = Vec::new();
        let mut arena = Arena::default();
        let mut next = old.first_row();
        while let Some(id) = next {
            arena.truncate(0);
            datums.clear();
            datums.extend((0..old.def().columns.len()).map(|column| old.load(id, column, &mut arena)));
            for program in &programs {
                let evaluator = &mut self.work.evaluator;
                evaluator.load(&datums, &arena);
                let mut row = Vec::with_capacity(program.len());
                let mut strings = Arena::default();
                for expr in program {
                    let datum = evaluator.eval(expr)?;
                    row.push(strings.adopt(datum, evaluator.arena()));
                }
                (datums, arena) = (row, strings);
            }
            new.prepare_insert(&datums, &arena, &mut self.work)?;
            new.insert(&datums, &arena, &mut self.work, &mut undo)?;
            next = old.next_row(id);
        }
        self.exchange(at, Some(Box::new(new)));
        Ok(())
    }

    fn log(&mut self) -> &mut AppliedChanges {
        self.applied.as_mut().expect("a change is being applied")
    }

    fn exchange(&mut self, at: usize, table: Option<Box<Table>>) {
        let old = std::mem::replace(&mut self.tables[at], table);
        self.log().steps.push(Step::Exchanged(at, old));
    }

    fn restart(&mut self, id: TableId, next: &Catalog) {
        self.exchange(id.0 as usize, Some(Box::new(Table::new(next.table_by_id(id)))));
    }

    /// Computes an empty view from its source.
    fn fill_view(&mut self, id: TableId) -> Result<(), StorageError> {
        // Nothing of this is undone row by row.
        let mut undo = UndoLog::default();
        let mut view = self.tables[id.0 as usize].take().expect("the view's table was made");
        insert_empty_group(&mut view, &mut self.work, &mut undo)?;
        let source = view.def().view.as_ref().expect("a view").source;
        let base = self.tables[source.0 as usize].as_deref().expect("a view's source is there");
        let updaters = &self.dependents[source.0 as usize];
        let updater = updaters.iter().find(|u| u.view == id).expect("the source lists its views");
        if let UpdaterKind::Join(join) = &updater.kind {
            let mut joined = Vec::new();
            let all = join.for_all(&self.tables, source.0 as usize, &mut self.work.evaluator, &mut |input| {
                joined.push(input.clone());
            });
            let source = Source::Join(join, &self.tables, source.0 as usize);
            let result = all.map_err(StorageError::from).and_then(|()| {
                joined.iter().try_for_each(|input| {
                    join.view.change(source, &mut view, input, 1, &mut self.work, &mut undo)?;
                    while let Some(freed) = undo.pop_freed() {
                        view.free_string(freed);
                    }
                    Ok(())
                })
            });
            self.tables[id.0 as usize] = Some(view);
            return result;
        }
        let mut inputs = [ViewInput::default(), ViewInput::default()];
        let mut row = Vec::new();
        let (mut arena, mut datums) = (Arena::default(), Vec::new());
        let mut next = base.first_row();
        let mut result = Ok(());
        while let Some(row_id) = next.filter(|_| result.is_ok()) {
            result = match &updater.kind {
                UpdaterKind::Join(_) => unreachable!("joins are filled above"),
                UpdaterKind::Counting(counting) => {
                    arena.truncate(0);
                    datums.clear();
                    datums.extend((0..base.def().columns.len()).map(|c| base.load(row_id, c, &mut arena)));
                    counting
                        .probe(&mut view, &datums, &arena)
                        .and_then(|p| counting.add(&mut view, p, &datums, &arena, &mut self.work, &mut undo))
                }
                UpdaterKind::General(general) => {
                    base.load_row(row_id, &mut row);
                    general
                        .input(&row, base.rows().strings, &mut self.work.evaluator, &mut inputs[1])
                        .map_err(StorageError::from)
                        .and_then(|()| general.apply(base, &mut view, &inputs, &mut self.work, &mut undo))
                }
            };
            while let Some(freed) = undo.pop_freed() {
                view.free_string(freed);
            }
            next = base.next_row(row_id);
        }
        self.tables[id.0 as usize] = Some(view);
        result
    }

    /// Goes back to where the last `apply` began.
    pub fn undo_apply(&mut self) {
        let applied = self.applied.take().expect("there is a schema change to undo");
        for step in applied.steps.into_iter().rev() {
            match step {
                Step::Exchanged(at, table) => self.tables[at] = table,
                Step::Redefined(at, former) => {
                    self.tables[at].as_deref_mut().expect("it was redefined").restore_definition(former);
                }
            }
        }
        self.dependents = applied.dependents;
        self.find_fast_inserts();
    }

    /// Forgets how to go back from the last `apply`.
    pub fn finish_apply(&mut self) {
        self.applied.take().expect("there is a schema change to finish");
    }
}

/// For each table that is written anew, its rewritings in their order.
fn rewritten(changes: &[CatalogChange]) -> BTreeMap<TableId, Vec<Arc<[Expr]>>> {
    let mut rewritten: BTreeMap<TableId, Vec<Arc<[Expr]>>> = BTreeMap::new();
    for change in changes {
        if let CatalogChange::Rewrite(id, row) = change {
            rewritten.entry(*id).or_default().push(Arc::clone(row));
        }
    }
    rewritten
}

fn dependents_of(catalog: &Catalog, slots: usize) -> Vec<Box<[ViewUpdater]>> {
    let views = |at: usize| -> Box<[ViewUpdater]> {
        let Some(source) = catalog.get(TableId(at as u32)) else { return Box::default() };
        source.views.iter().map(|&view| ViewUpdater::new(catalog.table_by_id(view), source, catalog)).collect()
    };
    (0..slots).map(views).collect()
}
