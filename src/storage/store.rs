//! One partition's tables, kept in step with each other: every change of a row with its views, and its undo.

use super::error::StorageError;
use super::fast::FastInsert;
use super::heap::RowId;
use super::join_view::JoinView;
use super::schema::AppliedChanges;
use super::table::{Table, Work};
use super::undo::{Savepoint, UndoLog};
use super::view::{self, Probe, Source, UpdaterKind, ViewInput, ViewUpdater};
use crate::catalog::TableId;
use crate::topology::PartitionId;
use crate::types::{Arena, Datum};

/// See the module `storage`. All `now` are the transaction's time in microseconds since 1970.
///
/// A failed `insert`, `update` or `delete` leaves the store as it was if the table has no views, or only such that
/// count
/// by plain columns; else the caller rolls back to a savepoint.
pub struct Store {
    partition: PartitionId,
    partitions: u32,
    /// By table id.
    pub(super) tables: Vec<Option<Box<Table>>>,
    /// By table id: the views over it.
    pub(super) dependents: Vec<Box<[ViewUpdater]>>,
    /// By table id: the short way of an insert.
    pub(super) fast: Vec<Option<FastInsert>>,
    undo: UndoLog,
    pub(super) work: Work,
    views: ViewWork,
    pub(super) applied: Option<AppliedChanges>,
}

/// What a change means to each view of its table: computed before the change, used after it.
#[derive(Default)]
struct ViewWork {
    /// Of a counting view: the old row's group and the new one's.
    probes: Vec<[Probe; 2]>,
    /// Of any other over one table.
    inputs: Vec<[ViewInput; 2]>,
    /// Of a join: the joined rows that the old row was part of, and those that the new one is.
    joined: Vec<[Vec<ViewInput>; 2]>,
}

const NOWHERE: Probe = Probe { tag: 0, row: None };
const GONE: &str = "the plan and the store are of one catalog version";

impl Store {
    /// An empty store for `partition` of `partitions`.
    pub fn new(partition: PartitionId, partitions: u32) -> Store {
        Store {
            partition,
            partitions,
            tables: Vec::new(),
            dependents: Vec::new(),
            fast: Vec::new(),
            undo: UndoLog::default(),
            work: Work::default(),
            views: ViewWork::default(),
            applied: None,
        }
    }

    pub fn partition(&self) -> PartitionId {
        self.partition
    }
    pub fn partitions(&self) -> u32 {
        self.partitions
    }

    /// The table or view of that id. Panics if this store has none.
    #[inline(always)]
    pub fn table(&self, id: TableId) -> &Table {
        self.tables[id.0 as usize].as_deref().expect(GONE)
    }

    /// The table or view of that id, if it is there.
    pub fn get(&self, id: TableId) -> Option<&Table> {
        self.tables.get(id.0 as usize).and_then(|t| t.as_deref())
    }

    /// True if an insert may be refused after it has written: some view has SUM, MIN, MAX, or something to compute.
    pub fn insert_can_fail_after_write(&self, id: TableId) -> bool {
        self.dependents[id.0 as usize].iter().any(ViewUpdater::can_fail_late)
    }

    /// Adds a row: one datum per column, already of the column's type; long strings in `arena`.
    #[inline]
    pub fn insert(&mut self, id: TableId, row: &[Datum], arena: &Arena, now: i64) -> Result<RowId, StorageError> {
        let at = id.0 as usize;
        match &self.fast[at] {
            Some(fast) => fast.insert(&mut self.tables, at, row, &mut self.undo),
            None => self.insert_generally(at, row, arena, now),
        }
    }

    #[inline(never)]
    fn insert_generally(&mut self, at: usize, row: &[Datum], arena: &Arena, now: i64) -> Result<RowId, StorageError> {
        self.work.evaluator.now = now;
        let table = self.tables[at].as_deref_mut().expect(GONE);
        table.prepare_insert(row, arena, &mut self.work)?;
        if self.dependents[at].is_empty() {
            return table.insert(row, arena, &mut self.work, &mut self.undo);
        }
        self.insert_with_views(at, row, arena)
    }

    fn insert_with_views(&mut self, at: usize, row: &[Datum], arena: &Arena) -> Result<RowId, StorageError> {
        let dependents = &self.dependents[at];
        if self.views.probes.len() < dependents.len() {
            self.views.make_room(dependents.len());
        }
        let probes = &mut self.views.probes[..dependents.len()];
        for (i, (updater, probe)) in dependents.iter().zip(probes).enumerate() {
            match &updater.kind {
                UpdaterKind::Counting(counting) => {
                    let view = self.tables[updater.view.0 as usize].as_deref_mut().expect(GONE);
                    probe[1] = counting.probe(view, row, arena)?;
                }
                UpdaterKind::General(general) => {
                    let [old, new] = &mut self.views.inputs[i];
                    old.clear();
                    general.input(row, arena, &mut self.work.evaluator, new)?;
                }
                UpdaterKind::Join(join) => {
                    let [old, new] = &mut self.views.joined[i];
                    old.clear();
                    new.clear();
                    join.for_row(&self.tables, row, arena, &mut self.work.evaluator, &mut |input| {
                        new.push(input.clone());
                    })?;
                }
            }
        }
        let table = self.tables[at].as_deref_mut().expect(GONE);
        let row_id = table.insert(row, arena, &mut self.work, &mut self.undo)?;
        for (i, updater) in dependents.iter().enumerate() {
            match &updater.kind {
                UpdaterKind::Counting(counting) => {
                    let view = self.tables[updater.view.0 as usize].as_deref_mut().expect(GONE);
                    let probe = self.views.probes[i][1];
                    counting.add(view, probe, row, arena, &mut self.work, &mut self.undo)?;
                }
                UpdaterKind::General(general) => {
                    let [base, view] = pair(&mut self.tables, at, updater.view);
                    general.apply(base, view, &self.views.inputs[i], &mut self.work, &mut self.undo)?;
                }
                UpdaterKind::Join(join) => {
                    let joined = &self.views.joined[i];
                    change_join(&mut self.tables, at, updater.view, join, joined, &mut self.work, &mut self.undo)?;
                }
            }
        }
        self.free_strings();
        Ok(row_id)
    }

    /// Overwrites a row, which is there, with a full new one. Its id stays.
    pub fn update(
        &mut self,
        id: TableId,
        row_id: RowId,
        row: &[Datum],
        arena: &Arena,
        now: i64,
    ) -> Result<(), StorageError> {
        let at = id.0 as usize;
        self.work.evaluator.now = now;
        self.tables[at].as_deref_mut().expect(GONE).prepare_update(row_id, row, arena, &mut self.work)?;
        self.look_at_views(at, Some((row, arena)))?;
        let table = self.tables[at].as_deref_mut().expect(GONE);
        // The freed strings go last: views may still have to read them.
        table.update(row_id, row, arena, &mut self.work, &mut self.undo)?;
        self.change_views(at, Some((row, arena)))
    }

    /// Removes a row, which is there.
    pub fn delete(&mut self, id: TableId, row_id: RowId, now: i64) -> Result<(), StorageError> {
        let at = id.0 as usize;
        self.work.evaluator.now = now;
        self.tables[at].as_deref_mut().expect(GONE).prepare_delete(row_id, &mut self.work)?;
        self.look_at_views(at, None)?;
        self.tables[at].as_deref_mut().expect(GONE).delete(row_id, &self.work, &mut self.undo);
        self.change_views(at, None)
    }

    /// Before a row changes from `work.old_row` to `new`, or goes: finds what that means to each view.
    fn look_at_views(&mut self, at: usize, new: Option<(&[Datum], &Arena)>) -> Result<(), StorageError> {
        let dependents = &self.dependents[at];
        self.views.make_room(dependents.len());
        for (i, updater) in dependents.iter().enumerate() {
            if let UpdaterKind::Join(join) = &updater.kind {
                let strings = self.tables[at].as_deref().expect(GONE).rows().strings;
                let [old, fresh] = &mut self.views.joined[i];
                old.clear();
                fresh.clear();
                let evaluator = &mut self.work.evaluator;
                let old_row = &self.work.old_row;
                join.for_row(&self.tables, old_row, strings, evaluator, &mut |input| old.push(input.clone()))?;
                if let Some((row, arena)) = new {
                    join.for_row(&self.tables, row, arena, evaluator, &mut |input| fresh.push(input.clone()))?;
                }
                continue;
            }
            let [base, view] = pair(&mut self.tables, at, updater.view);
            let strings = base.rows().strings;
            match &updater.kind {
                UpdaterKind::Counting(counting) => {
                    let old = counting.probe(view, &self.work.old_row, strings)?;
                    let new = new.map(|(row, arena)| counting.probe(view, row, arena)).transpose()?;
                    self.views.probes[i] = [old, new.unwrap_or(NOWHERE)];
                }
                UpdaterKind::General(general) => {
                    let [old_input, new_input] = &mut self.views.inputs[i];
                    general.input(&self.work.old_row, strings, &mut self.work.evaluator, old_input)?;
                    new_input.clear();
                    if let Some((row, arena)) = new {
                        general.input(row, arena, &mut self.work.evaluator, new_input)?;
                    }
                }
                UpdaterKind::Join(_) => unreachable!("joins were looked at above"),
            }
        }
        Ok(())
    }

    /// After the row has changed: what `look_at_views` has found is done.
    fn change_views(&mut self, at: usize, new: Option<(&[Datum], &Arena)>) -> Result<(), StorageError> {
        for (i, updater) in self.dependents[at].iter().enumerate() {
            if let UpdaterKind::Join(join) = &updater.kind {
                let joined = &self.views.joined[i];
                change_join(&mut self.tables, at, updater.view, join, joined, &mut self.work, &mut self.undo)?;
                continue;
            }
            let [base, view] = pair(&mut self.tables, at, updater.view);
            match &updater.kind {
                UpdaterKind::Counting(counting) => {
                    let [old, probe] = self.views.probes[i];
                    if new.is_some() && old.row == probe.row {
                        continue;
                    }
                    // The new group may take the place that the old one leaves.
                    counting.subtract(view, old, &mut self.undo);
                    if let Some((row, arena)) = new {
                        counting.add(view, probe, row, arena, &mut self.work, &mut self.undo)?;
                    }
                }
                UpdaterKind::General(general) => {
                    general.apply(base, view, &self.views.inputs[i], &mut self.work, &mut self.undo)?;
                }
                UpdaterKind::Join(_) => unreachable!("joins were changed above"),
            }
        }
        self.free_strings();
        Ok(())
    }

    /// Removes all rows; returns how many there were.
    pub fn truncate(&mut self, id: TableId, now: i64) -> Result<u64, StorageError> {
        let at = id.0 as usize;
        self.work.evaluator.now = now;
        let table = self.tables[at].as_deref_mut().expect(GONE);
        let rows = table.len() as u64;
        table.truncate(&mut self.undo);
        for updater in &self.dependents[at] {
            let view = self.tables[updater.view.0 as usize].as_deref_mut().expect(GONE);
            view.truncate(&mut self.undo);
            insert_empty_group(view, &mut self.work, &mut self.undo)?;
        }
        self.free_strings();
        Ok(rows)
    }

    /// Exchanges the rows of two tables whose columns and indexes are the same, in the same order, and that no view
    /// reads. No transaction is open.
    pub fn swap(&mut self, a: TableId, b: TableId) {
        let [a, b] = pair(&mut self.tables, a.0 as usize, b);
        a.swap_contents(b);
    }

    /// Starts a transaction. `undo` false: the caller knows that it will not roll back after a write; no log is kept.
    #[inline]
    pub fn begin(&mut self, undo: bool) {
        self.undo.begin(undo);
    }

    /// The state of now, to come back to within this transaction.
    #[inline]
    pub fn savepoint(&self) -> Savepoint {
        self.undo.savepoint()
    }

    /// Undoes all changes since `savepoint`.
    pub fn rollback_to(&mut self, savepoint: Savepoint) {
        while let Some(change) = self.undo.pop(savepoint) {
            let id = change.table();
            let table = self.tables[id.0 as usize].as_deref_mut().expect(GONE);
            table.undo(change, &mut self.undo, &mut self.work);
        }
    }

    /// Undoes all changes since `begin`, and ends the transaction.
    pub fn rollback(&mut self) {
        self.rollback_to(self.undo.start());
        self.undo.commit();
    }

    /// Makes the changes final, and ends the transaction.
    #[inline]
    pub fn commit(&mut self) {
        if self.undo.has_freed() {
            self.undo.stop_keeping();
            self.free_strings();
        }
        self.undo.commit();
    }

    /// Without an undo log, gives back the strings that no row has any more; else they must wait.
    #[inline(always)]
    fn free_strings(&mut self) {
        if self.undo.has_freed() && !self.undo.keeps() {
            self.free_strings_now();
        }
    }

    #[cold]
    fn free_strings_now(&mut self) {
        while let Some(freed) = self.undo.pop_freed() {
            let table = self.tables[freed.table.0 as usize].as_deref_mut().expect(GONE);
            table.free_string(freed);
        }
    }

    /// Finds the short ways of inserts, after the tables or their views have changed.
    pub(super) fn find_fast_inserts(&mut self) {
        let tables = &self.tables;
        let short_way =
            |(at, updaters): (usize, &[ViewUpdater])| FastInsert::new(tables[at].as_deref()?, updaters, tables);
        self.fast = self.dependents.iter().map(|updaters| &**updaters).enumerate().map(short_way).collect();
    }

    pub(super) fn undo_bytes(&self) -> usize {
        self.undo.bytes()
    }
}

impl ViewWork {
    fn make_room(&mut self, views: usize) {
        if self.probes.len() < views {
            self.probes.resize(views, [NOWHERE; 2]);
            self.inputs.resize_with(views, Default::default);
            self.joined.resize_with(views, Default::default);
        }
    }
}

/// Takes joined rows out of a view, and others in. The base table, number `base`, has changed already.
fn change_join(
    tables: &mut [Option<Box<Table>>],
    base: usize,
    view: TableId,
    join: &JoinView,
    [old, new]: &[Vec<ViewInput>; 2],
    work: &mut Work,
    undo: &mut UndoLog,
) -> Result<(), StorageError> {
    let at = view.0 as usize;
    let mut view = tables[at].take().expect(GONE);
    let mut result = Ok(());
    for (inputs, sign) in [(old, -1), (new, 1)] {
        for input in inputs {
            let source = Source::Join(join, tables, base);
            result = result.and_then(|()| join.view.change(source, &mut view, input, sign, work, undo));
        }
    }
    tables[at] = Some(view);
    result
}

/// The base table and one of its views.
fn pair(tables: &mut [Option<Box<Table>>], base: usize, view: TableId) -> [&mut Table; 2] {
    let pair = tables.get_disjoint_mut([base, view.0 as usize]).expect("a view is not its own source");
    pair.map(|table| table.as_deref_mut().expect(GONE))
}

/// The row that a view without groups always has.
pub(super) fn insert_empty_group(view: &mut Table, work: &mut Work, undo: &mut UndoLog) -> Result<(), StorageError> {
    if view.def().view.as_ref().is_some_and(|v| v.groups.is_empty()) {
        let row = view::empty_row(view.def());
        let arena = Arena::default();
        view.prepare_insert(&row, &arena, work)?;
        view.insert(&row, &arena, work, undo)?;
    }
    Ok(())
}
