//! The short way of an insert: into a table without indexes, checks and long strings, whose views only count.
//!
//! [`FastInsert`] is found when the schema changes, and holds all that the general way looks up or decides anew for each
//! row. It does just what [`super::Store::insert`] does; whatever does not fit has none.

use super::error::StorageError;
use super::heap::RowId;
use super::index::key;
use super::layout::Slot;
use super::table::Table;
use super::undo::{Change, UndoLog};
use super::view::{CountingView, Probe, UpdaterKind, ViewUpdater};
use crate::types::Datum;

/// Most views, and most columns of a view's groups.
const VIEWS_MAX: usize = 4;
const GROUPS_MAX: usize = 4;
const GONE: &str = "the table and its views are there since the last schema change";

pub struct FastInsert {
    required: Box<[usize]>,
    views: Box<[FastView]>,
}

/// A view that has a hash index on its groups and one COUNT(*).
struct FastView {
    /// Position in the store.
    view: usize,
    /// The group is one column that fits `Datum::lo`.
    one_lane: bool,
    parts: Box<[Part]>,
    count: Slot,
}

struct Part {
    /// Of the base table.
    column: usize,
    /// In the view.
    slot: Slot,
}

impl FastView {
    fn new(counting: &CountingView, at: usize, view: &Table) -> Option<FastView> {
        let groups = counting.groups();
        let fits = (1..=GROUPS_MAX).contains(&groups.len())
            && view.def().columns.len() == groups.len() + 1
            && !view.layout().has_lanes();
        let one_lane = view.contents.indexes.first()?.one_table().is_some();
        let parts = groups.iter().enumerate().map(|(i, &column)| Part { column, slot: view.slot(i) }).collect();
        fits.then(|| FastView { view: at, one_lane, parts, count: view.slot(groups.len()) })
    }

    #[inline(always)]
    fn probe(&self, view: &Table, row: &[Datum]) -> Probe {
        let (index, heap) = (&view.contents.indexes[0], &view.contents.heap);
        if self.one_lane {
            let part = &self.parts[0];
            let wanted = row[part.column];
            let tag = key::hash_one(wanted.lo);
            let table = index.one_table().expect(GONE);
            let found = table.find(tag, |row| {
                let cell = heap.cell(row);
                // SAFETY: a live cell of the view, whose slot this is.
                unsafe { part.slot.load_int(cell) == wanted.as_i64() && part.slot.is_null(cell) == wanted.is_null() }
            });
            return Probe { tag, row: found };
        }
        let tag = key::hash_key(self.parts.iter().map(|part| row[part.column]), &*view.contents.strings);
        let table = index.hash_table().expect(GONE);
        let found = table.find(tag, |found| {
            let cell = heap.cell(found);
            // SAFETY: as above.
            self.parts.iter().all(|part| unsafe { part.slot.equals(cell, row[part.column]) == Some(true) })
        });
        Probe { tag, row: found }
    }

    #[inline(always)]
    fn count(&self, view: &mut Table, probe: Probe, row: &[Datum], undo: &mut UndoLog) -> Result<(), StorageError> {
        if let Some(group) = probe.row {
            view.bump_slot(group, self.count, 1, true, undo);
            return Ok(());
        }
        let Some(new) = view.contents.heap.allocate() else { return Err(view.full()) };
        let groups = self.parts.iter().map(|part| row[part.column]);
        // SAFETY: the cell is new and of this layout's size.
        unsafe { view.layout().write_each(new.cell, groups.chain(std::iter::once(Datum::int(1)))) };
        undo.push(Change::Insert { table: view.id(), row: new.row.0, reused: new.reused });
        view.contents.indexes[0].insert_probed(probe.tag, new.row);
        Ok(())
    }
}

impl FastInsert {
    /// The short way into `base`, the table at that place in the store, if there is one.
    pub fn new(base: &Table, updaters: &[ViewUpdater], tables: &[Option<Box<Table>>]) -> Option<FastInsert> {
        if !base.is_plain() || updaters.len() > VIEWS_MAX {
            return None;
        }
        let views = updaters.iter().map(|updater| match &updater.kind {
            UpdaterKind::Counting(counting) => {
                let at = updater.view.0 as usize;
                FastView::new(counting, at, tables[at].as_deref()?)
            }
            UpdaterKind::General(_) | UpdaterKind::Join(_) => None,
        });
        Some(FastInsert { required: base.required().into(), views: views.collect::<Option<_>>()? })
    }

    /// Adds `row` to the table at `at`, and to its views.
    #[inline(always)]
    pub fn insert(
        &self,
        tables: &mut [Option<Box<Table>>],
        at: usize,
        row: &[Datum],
        undo: &mut UndoLog,
    ) -> Result<RowId, StorageError> {
        let table = tables[at].as_deref().expect(GONE);
        assert_eq!(row.len(), table.layout().columns(), "one datum per column");
        for &column in &self.required {
            if row[column].is_null() {
                return Err(table.null_in(column));
            }
        }
        let mut probes = [Probe { tag: 0, row: None }; VIEWS_MAX];
        for (fast, probe) in self.views.iter().zip(&mut probes) {
            let view = tables[fast.view].as_deref_mut().expect(GONE);
            *probe = fast.probe(view, row);
            if probe.row.is_none() {
                view.reserve_group(probe.tag)?;
            }
        }
        let table = tables[at].as_deref_mut().expect(GONE);
        let Some(new) = table.contents.heap.allocate() else { return Err(table.full()) };
        // SAFETY: the cell is new and of this layout's size.
        unsafe { table.layout().write_each(new.cell, row.iter().copied()) };
        undo.push(Change::Insert { table: table.id(), row: new.row.0, reused: new.reused });
        for (fast, probe) in self.views.iter().zip(probes) {
            fast.count(tables[fast.view].as_deref_mut().expect(GONE), probe, row, undo)?;
        }
        Ok(new.row)
    }
}
