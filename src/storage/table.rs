//! A table of one partition: the only place where a stored row changes, with its indexes and its undo in one step.
//!
//! Every change has two halves. `prepare_*` checks all that can fail and changes nothing but room in indexes; what
//! follows cannot fail. Views are `store`'s business.

use super::error::{ConstraintKind, StorageError};
use super::eval::{Evaluator, RowExpr};
use super::heap::{Heap, RowId};
use super::index::{Entry, Rows, TableIndex};
use super::layout::{Layout, LongStrings, Slot, SlotKind};
use super::strings::{CellId, StringPool};
use super::undo::{Change, FreedString, UndoLog};
use super::view::Probe;
use crate::catalog::{self, TableId};
use crate::types::{Arena, Datum, datum_value};
use std::sync::Arc;

/// What a table has in it, apart from its definition: TRUNCATE exchanges it.
pub struct Contents {
    pub(super) heap: Heap,
    pub(super) strings: Box<StringPool>,
    pub(super) indexes: Vec<TableIndex>,
    /// Grows with each TRUNCATE: a string that an earlier generation gave up is gone with it.
    generation: u32,
}

pub struct Table {
    def: Arc<catalog::Table>,
    layout: Arc<Layout>,
    /// `def.id`, near.
    id: TableId,
    /// NOT NULL columns.
    required: Box<[usize]>,
    checks: Box<[RowExpr]>,
    pub(super) contents: Contents,
}

/// Buffers of the operation at hand, kept to spare allocations.
#[derive(Default)]
pub struct Work {
    pub evaluator: Evaluator,
    /// What each index keeps of the new row, and of the old one.
    pub entries: Vec<Entry>,
    pub old_entries: Vec<Entry>,
    /// The new row with its strings in cells.
    stored: Vec<Datum>,
    /// The row before an update or delete; long strings are cells of the table's pool.
    pub old_row: Vec<Datum>,
    /// The old row, while its cells may be taken again.
    kept: Vec<Datum>,
    /// A row of a view, with its long strings.
    pub group_row: Vec<Datum>,
    pub group_arena: Arena,
    image: Vec<u8>,
}

impl Contents {
    fn new(def: &catalog::Table, layout: &Layout) -> Contents {
        Contents {
            heap: Heap::new(layout.stride()),
            strings: Box::default(),
            indexes: def.indexes.iter().map(|index| TableIndex::new(index, def, layout)).collect(),
            generation: 0,
        }
    }
}

impl Table {
    /// An empty table. (A view without groups gets its one row from `view`.)
    pub fn new(def: &Arc<catalog::Table>) -> Table {
        let layout = Layout::new(def.columns.iter().map(|c| (c.ty, c.nullable)));
        Table {
            required: (0..def.columns.len()).filter(|&i| !def.columns[i].nullable).collect(),
            checks: def.checks.iter().map(|c| RowExpr::new(&c.predicate, def.columns.len())).collect(),
            contents: Contents::new(def, &layout),
            layout: Arc::new(layout),
            id: def.id,
            def: Arc::clone(def),
        }
    }

    /// The definition that this table was last given.
    pub fn def(&self) -> &Arc<catalog::Table> {
        &self.def
    }
    /// Rows.
    pub fn len(&self) -> usize {
        self.contents.heap.len()
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    #[inline(always)]
    pub(super) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }
    #[inline(always)]
    pub(super) fn id(&self) -> TableId {
        self.id
    }
    /// The columns that are NOT NULL.
    pub(super) fn required(&self) -> &[usize] {
        &self.required
    }
    /// True if rows have no index entries, checks and long strings.
    pub(super) fn is_plain(&self) -> bool {
        self.contents.indexes.is_empty() && self.checks.is_empty() && !self.layout.has_lanes()
    }
    #[inline(always)]
    pub(super) fn slot(&self, column: usize) -> Slot {
        self.layout.slot(column)
    }

    #[inline(always)]
    pub(super) fn rows(&self) -> Rows<'_> {
        Rows { heap: &self.contents.heap, strings: &self.contents.strings }
    }

    /// A column of a row; a long string is copied to `arena`. `row` is live.
    #[inline(always)]
    pub fn load(&self, row: RowId, column: usize, arena: &mut Arena) -> Datum {
        let datum = self.rows().load(row, self.layout.slot(column));
        if datum.is_long() { self.adopt(datum, arena) } else { datum }
    }

    #[cold]
    fn adopt(&self, datum: Datum, arena: &mut Arena) -> Datum {
        self.contents.strings.with_long(datum, |bytes| arena.store(bytes))
    }

    pub(super) fn swap_contents(&mut self, other: &mut Table) {
        std::mem::swap(&mut self.contents, &mut other.contents);
        for (mine, theirs) in self.contents.indexes.iter_mut().zip(&mut other.contents.indexes) {
            mine.swap_definition(theirs);
        }
    }

    /// The row with the smallest id.
    pub fn first_row(&self) -> Option<RowId> {
        self.contents.heap.live_from(0)
    }
    /// The row with the next larger id. The order of ids is stable while rows are only changed in place.
    pub fn next_row(&self, after: RowId) -> Option<RowId> {
        self.contents.heap.live_from(after.0 + 1)
    }
    /// True if `row` is there.
    pub fn is_live(&self, row: RowId) -> bool {
        self.contents.heap.is_live(row)
    }

    /// The row of a unique index's key (one datum per part); the first of several if the index is not unique.
    #[inline]
    pub fn find(&self, index: usize, key: &[Datum], arena: &Arena) -> Option<RowId> {
        let index = &self.contents.indexes[index];
        if let Some(found) = index.find_one(key[0], self.rows()) {
            return found;
        }
        if key.iter().any(|d| d.is_null()) {
            return None;
        }
        index.find(&|i| key[i], arena, self.rows())
    }

    /// As [`Table::find`] by an index of one integer column. `key` is not NULL.
    #[inline(always)]
    pub fn find_integer(&self, index: usize, key: i64) -> Option<RowId> {
        match self.contents.indexes[index].find_one(Datum::int(key), self.rows()) {
            Some(found) => found,
            None => self.find_generally(index, key),
        }
    }

    #[inline(never)]
    fn find_generally(&self, index: usize, key: i64) -> Option<RowId> {
        self.contents.indexes[index].find(&|_| Datum::int(key), &Arena::default(), self.rows())
    }

    /// Brings the cache line where `find` will look first. No other effect.
    #[inline]
    pub fn prefetch(&self, index: usize, key: &[Datum], arena: &Arena) {
        self.contents.indexes[index].prefetch(key, arena);
    }

    /// Calls `f` for each row of the key, until it says false. A NULL in the key finds nothing.
    pub fn for_each_equal(&self, index: usize, key: &[Datum], arena: &Arena, f: &mut dyn FnMut(RowId) -> bool) {
        if !key.iter().any(|d| d.is_null()) {
            self.contents.indexes[index].for_each_equal(&|i| key[i], arena, self.rows(), f);
        }
    }

    /// Calls `f`, until it says false, for the rows of an ordered index whose first parts equal `equal` and whose next
    /// one
    /// lies between `low` and `high` (the bool: inclusive), in the order of the index or in reverse. NULL in the next
    /// part counts only if there is no bound; it sorts first. Panics if the index is a hash index.
    #[allow(clippy::too_many_arguments)]
    pub fn range(
        &self,
        index: usize,
        equal: &[Datum],
        low: Option<(Datum, bool)>,
        high: Option<(Datum, bool)>,
        arena: &Arena,
        descending: bool,
        f: &mut dyn FnMut(RowId) -> bool,
    ) {
        self.contents.indexes[index].range(equal, [low, high], arena, descending, f);
    }

    /// All columns of a row as they are stored.
    pub(super) fn load_row(&self, row: RowId, out: &mut Vec<Datum>) {
        let rows = self.rows();
        out.clear();
        out.extend((0..self.layout.columns()).map(|i| rows.load(row, self.layout.slot(i))));
    }

    #[cold]
    pub(super) fn full(&self) -> StorageError {
        StorageError::Full { table: self.def.name.clone() }
    }

    /// Checks `row` against NOT NULL, checks and unique keys; leaves its index entries in `work` and room for them.
    #[inline]
    pub(super) fn prepare_insert(&mut self, row: &[Datum], arena: &Arena, work: &mut Work) -> Result<(), StorageError> {
        self.check_row(row, arena, work)?;
        work.entries.clear();
        if self.contents.indexes.is_empty() { Ok(()) } else { self.prepare_entries(row, arena, work, None) }
    }

    #[inline]
    fn check_row(&self, row: &[Datum], arena: &Arena, work: &mut Work) -> Result<(), StorageError> {
        assert_eq!(row.len(), self.layout.columns(), "one datum per column");
        for &column in &self.required {
            if row[column].is_null() {
                return Err(self.null_in(column));
            }
        }
        if self.checks.is_empty() { Ok(()) } else { self.check_predicates(row, arena, work) }
    }

    #[cold]
    pub(super) fn null_in(&self, column: usize) -> StorageError {
        StorageError::ConstraintViolation {
            table: self.def.name.clone(),
            constraint: self.def.columns[column].name.clone(),
            kind: ConstraintKind::NotNull,
            key: String::from("NULL"),
        }
    }

    #[inline(never)]
    fn check_predicates(&self, row: &[Datum], arena: &Arena, work: &mut Work) -> Result<(), StorageError> {
        work.evaluator.load(row, arena);
        for (code, check) in self.checks.iter().zip(&self.def.checks) {
            let result = work.evaluator.eval(code)?;
            if !result.is_null() && result.lo == 0 {
                return Err(StorageError::ConstraintViolation {
                    table: self.def.name.clone(),
                    constraint: check.name.clone(),
                    kind: ConstraintKind::Check,
                    key: check.text.clone(),
                });
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn prepare_entries(
        &mut self,
        row: &[Datum],
        long: &impl LongStrings,
        work: &mut Work,
        except: Option<RowId>,
    ) -> Result<(), StorageError> {
        let contents = &mut self.contents;
        for at in 0..contents.indexes.len() {
            let index = &contents.indexes[at];
            let entry = index.entry(row, long, &mut work.evaluator)?;
            let rows = Rows { heap: &contents.heap, strings: &contents.strings };
            if index.conflict(&entry, row, long, rows, except).is_some() {
                return Err(self.duplicate(at, row, long, work));
            }
            if contents.indexes[at].reserve(&entry).is_err() {
                return Err(self.full());
            }
            work.entries.push(entry);
        }
        Ok(())
    }

    #[cold]
    fn duplicate(&self, index: usize, row: &[Datum], long: &impl LongStrings, work: &mut Work) -> StorageError {
        let def = &self.contents.indexes[index].def;
        let mut arena = Arena::default();
        let parts = def.keys.iter().map(|key| match key.column {
            Some(column) => {
                let datum = row[column];
                let datum = if datum.is_long() { long.with_long(datum, |bytes| arena.store(bytes)) } else { datum };
                let value = datum_value(datum, key.ty, &arena);
                let quote = if key.ty.is_bytes() { "'" } else { "" };
                format!("{} = {quote}{value}{quote}", self.def.columns[column].name)
            }
            None => {
                work.evaluator.load(row, long);
                let code = RowExpr::new(&key.expr, self.def.columns.len());
                let datum = work.evaluator.eval(&code).expect("it was evaluated just now");
                format!("expression = {}", datum_value(datum, key.ty, work.evaluator.arena()))
            }
        });
        let key = parts.collect::<Vec<_>>().join(", ");
        StorageError::ConstraintViolation {
            table: self.def.name.clone(),
            constraint: def.name.clone(),
            kind: if self.def.primary_key == Some(index) { ConstraintKind::PrimaryKey } else { ConstraintKind::Unique },
            key,
        }
    }

    /// Stores the row that `prepare_insert` has checked. Fails only if the heap or the strings have no numbers left.
    #[inline]
    pub(super) fn insert(
        &mut self,
        row: &[Datum],
        arena: &Arena,
        work: &mut Work,
        undo: &mut UndoLog,
    ) -> Result<RowId, StorageError> {
        if self.layout.has_lanes() {
            self.store_strings(row, arena, work)?;
            let stored = std::mem::take(&mut work.stored);
            let result = self.insert_stored(stored.iter().copied(), &work.entries, undo);
            work.stored = stored;
            return result;
        }
        self.insert_stored(row.iter().copied(), &work.entries, undo)
    }

    #[inline(always)]
    fn insert_stored(
        &mut self,
        row: impl Iterator<Item = Datum>,
        entries: &[Entry],
        undo: &mut UndoLog,
    ) -> Result<RowId, StorageError> {
        let contents = &mut self.contents;
        let Some(new) = contents.heap.allocate() else { return Err(self.full()) };
        // SAFETY: the cell is new and of this layout's size.
        unsafe { self.layout.write_each(new.cell, row) };
        let rows = Rows { heap: &contents.heap, strings: &contents.strings };
        for (index, entry) in contents.indexes.iter_mut().zip(entries) {
            index.insert(entry, new.row, rows);
        }
        undo.push(Change::Insert { table: self.id, row: new.row.0, reused: new.reused });
        Ok(new.row)
    }

    /// Copies the long strings of `row` into cells: the result is `work.stored`. Cells in `work.kept` are taken again
    /// where the column's string is the same.
    #[inline(never)]
    fn store_strings(&mut self, row: &[Datum], long: &impl LongStrings, work: &mut Work) -> Result<(), StorageError> {
        work.stored.clear();
        for (column, &datum) in row.iter().enumerate() {
            let stored = if datum.is_long() {
                let kept = work.kept.get(column).filter(|k| k.is_long() && k.byte_len() == datum.byte_len());
                let strings = &mut self.contents.strings;
                let same = |old: Datum| long.with_long(datum, |x| strings.with_long(old, |y| x == y));
                match kept {
                    Some(&old) if same(old) => old,
                    _ => {
                        let Some(cell) = long.with_long(datum, |bytes| strings.put(bytes)) else {
                            return Err(self.full());
                        };
                        Datum::long(cell as u64, datum.byte_len() as u32)
                    }
                }
            } else {
                datum
            };
            work.stored.push(stored);
        }
        Ok(())
    }

    /// Checks the full new row of an update; `work` has then the entries of both rows, and the old row.
    pub(super) fn prepare_update(
        &mut self,
        row_id: RowId,
        row: &[Datum],
        arena: &Arena,
        work: &mut Work,
    ) -> Result<(), StorageError> {
        self.check_row(row, arena, work)?;
        self.prepare_change(row_id, row, arena, work)
    }

    /// As `prepare_update`, without the checks: for rows of views.
    pub(super) fn prepare_change(
        &mut self,
        row_id: RowId,
        row: &[Datum],
        long: &impl LongStrings,
        work: &mut Work,
    ) -> Result<(), StorageError> {
        work.entries.clear();
        self.prepare_entries(row, long, work, Some(row_id))?;
        self.prepare_delete(row_id, work)
    }

    /// Leaves the row, and its entries, in `work` as the old ones.
    pub(super) fn prepare_delete(&self, row_id: RowId, work: &mut Work) -> Result<(), StorageError> {
        let mut old_row = std::mem::take(&mut work.old_row);
        self.load_row(row_id, &mut old_row);
        work.old_entries.clear();
        for index in &self.contents.indexes {
            work.old_entries.push(index.entry(&old_row, &*self.contents.strings, &mut work.evaluator)?);
        }
        work.old_row = old_row;
        Ok(())
    }

    /// Overwrites a row as prepared.
    pub(super) fn update(
        &mut self,
        row_id: RowId,
        row: &[Datum],
        long: &impl LongStrings,
        work: &mut Work,
        undo: &mut UndoLog,
    ) -> Result<(), StorageError> {
        if self.layout.has_lanes() {
            std::mem::swap(&mut work.kept, &mut work.old_row);
            let result = self.store_strings(row, long, work);
            std::mem::swap(&mut work.kept, &mut work.old_row);
            work.kept.clear();
            result?;
        } else {
            work.stored.clear();
            work.stored.extend_from_slice(row);
        }
        for (old, new) in work.old_row.iter().zip(&work.stored) {
            if old.is_long() && old != new {
                undo.push_freed(self.freed(*old));
            }
        }
        self.remove_entries(row_id, &work.old_entries, Some(&work.entries));
        let change = Change::Update { table: self.id, row: row_id.0 };
        let cell = self.contents.heap.cell_mut(row_id);
        // SAFETY: the cell is this row's and ours to write.
        unsafe {
            undo.push_image(change, cell, self.layout.stride());
            self.layout.write(cell, &work.stored);
        }
        self.insert_entries(row_id, &work.entries, Some(&work.old_entries));
        Ok(())
    }

    fn remove_entries(&mut self, row: RowId, entries: &[Entry], unless: Option<&[Entry]>) {
        let contents = &mut self.contents;
        let rows = Rows { heap: &contents.heap, strings: &contents.strings };
        for (at, index) in contents.indexes.iter_mut().enumerate() {
            if unless.is_none_or(|other| other[at] != entries[at]) {
                index.remove(&entries[at], row, rows);
            }
        }
    }

    fn insert_entries(&mut self, row: RowId, entries: &[Entry], unless: Option<&[Entry]>) {
        let contents = &mut self.contents;
        let rows = Rows { heap: &contents.heap, strings: &contents.strings };
        for (at, index) in contents.indexes.iter_mut().enumerate() {
            if unless.is_none_or(|other| other[at] != entries[at]) {
                index.insert(&entries[at], row, rows);
            }
        }
    }

    /// Removes a row as prepared. Its strings stay until `undo` lets them go.
    pub(super) fn delete(&mut self, row_id: RowId, work: &Work, undo: &mut UndoLog) {
        self.remove_entries(row_id, &work.old_entries, None);
        for datum in work.old_row.iter().filter(|d| d.is_long()) {
            undo.push_freed(self.freed(*datum));
        }
        // SAFETY: the cell is this row's.
        unsafe {
            let change = Change::Delete { table: self.id, row: row_id.0 };
            undo.push_image(change, self.contents.heap.cell(row_id), self.layout.stride());
        }
        self.contents.heap.release(row_id);
    }

    /// The group of a key in a view with groups.
    #[inline(always)]
    pub(super) fn probe_group(&self, key: &impl Fn(usize) -> Datum, long: &impl LongStrings) -> Probe {
        let (tag, row) = self.contents.indexes[0].probe(key, long, self.rows());
        Probe { tag, row }
    }

    #[inline(always)]
    pub(super) fn reserve_group(&mut self, tag: u32) -> Result<(), StorageError> {
        self.contents.indexes[0].reserve_probed(tag).map_err(|_| self.full())
    }

    /// Stores a new group of a view whose only index is on its groups. `row` gives one datum per column.
    #[inline(always)]
    pub(super) fn insert_group(
        &mut self,
        tag: u32,
        row: impl Iterator<Item = Datum>,
        arena: &Arena,
        work: &mut Work,
        undo: &mut UndoLog,
    ) -> Result<(), StorageError> {
        let row = if self.layout.has_lanes() {
            work.group_row.clear();
            work.group_row.extend(row);
            let group_row = std::mem::take(&mut work.group_row);
            let result = self.store_strings(&group_row, arena, work);
            work.group_row = group_row;
            result?;
            self.insert_stored(work.stored.iter().copied(), &[], undo)?
        } else {
            self.insert_stored(row, &[], undo)?
        };
        self.contents.indexes[0].insert_probed(tag, row);
        Ok(())
    }

    /// Removes a group of such a view.
    pub(super) fn delete_group(&mut self, tag: u32, row: RowId, undo: &mut UndoLog) {
        self.contents.indexes[0].remove_probed(tag, row);
        let cell = self.contents.heap.cell(row);
        // SAFETY: the cell is a live row of this layout.
        unsafe {
            for (_, datum) in self.layout.long_strings(cell) {
                undo.push_freed(self.freed(datum));
            }
            undo.push_image(Change::Delete { table: self.id, row: row.0 }, cell, self.layout.stride());
        }
        self.contents.heap.release(row);
    }

    /// Adds `by` to a BIGINT column that is in no index. The row's image is logged where `log` says so: once per
    /// change.
    #[inline(always)]
    pub(super) fn bump(&mut self, row: RowId, column: usize, by: i64, log: bool, undo: &mut UndoLog) {
        self.bump_slot(row, self.layout.slot(column), by, log, undo);
    }

    /// As [`Table::bump`], for who knows the column's place.
    #[inline(always)]
    pub(super) fn bump_slot(&mut self, row: RowId, slot: Slot, by: i64, log: bool, undo: &mut UndoLog) {
        debug_assert_eq!(slot.kind, SlotKind::Int);
        let cell = self.contents.heap.cell_mut(row);
        // SAFETY: the cell is a live row of this layout and ours to write; the slot is eight bytes of it.
        unsafe {
            if log {
                undo.push_image(Change::Update { table: self.id, row: row.0 }, cell, self.layout.stride());
            }
            let at = cell.add(slot.offset as usize).cast::<u64>();
            at.write_unaligned((slot.load_int(cell) + by) as u64);
        }
    }

    fn freed(&self, datum: Datum) -> FreedString {
        let (cell, len) = datum.long_parts();
        FreedString { table: self.id, cell: cell as CellId, len, generation: self.contents.generation }
    }

    pub(super) fn free_string(&mut self, freed: FreedString) {
        if freed.generation == self.contents.generation {
            self.contents.strings.free(freed.cell, freed.len as usize);
        }
    }

    /// Empties the table.
    pub(super) fn truncate(&mut self, undo: &mut UndoLog) {
        let mut fresh = Contents::new(&self.def, &self.layout);
        fresh.generation = self.contents.generation + 1;
        undo.push_contents(self.id, std::mem::replace(&mut self.contents, fresh));
    }

    /// Puts back one change of this table, which is the newest that is not yet undone.
    pub(super) fn undo(&mut self, change: Change, log: &mut UndoLog, work: &mut Work) {
        const EVALUATED: &str = "entries of stored rows were evaluated when they were stored";
        match change {
            Change::Insert { row, reused, .. } => {
                let row = RowId(row);
                self.prepare_delete(row, work).expect(EVALUATED);
                self.remove_entries(row, &work.old_entries, None);
                for datum in work.old_row.iter().filter(|d| d.is_long()) {
                    self.contents.strings.free(datum.lo as CellId, datum.byte_len());
                }
                self.contents.heap.undo_allocate(row, reused);
            }
            Change::Delete { row, .. } => {
                let cell = self.contents.heap.undo_release(RowId(row));
                self.restore_image(cell, log, work);
                self.prepare_delete(RowId(row), work).expect(EVALUATED);
                self.insert_entries(RowId(row), &work.old_entries, None);
            }
            Change::Update { row, .. } => {
                let row = RowId(row);
                self.prepare_delete(row, work).expect(EVALUATED);
                let new_row = std::mem::take(&mut work.old_row);
                std::mem::swap(&mut work.entries, &mut work.old_entries);
                // Chained indexes compare rows: each row is removed as it is stored, and added as it is stored again.
                let cell = self.contents.heap.cell_mut(row);
                let mut newer = vec![0; self.layout.stride() + 16];
                // SAFETY: the cell has that many bytes, and the buffer 16 more to read.
                unsafe { newer.as_mut_ptr().copy_from_nonoverlapping(cell, self.layout.stride()) };
                self.restore_image(cell, log, work);
                self.prepare_delete(row, work).expect(EVALUATED);
                // SAFETY: as above; both images are of this layout.
                unsafe { cell.copy_from_nonoverlapping(newer.as_ptr(), self.layout.stride()) };
                self.remove_entries(row, &work.entries, Some(&work.old_entries));
                // SAFETY: as above.
                unsafe { cell.copy_from_nonoverlapping(work.image.as_ptr(), self.layout.stride()) };
                self.insert_entries(row, &work.old_entries, Some(&work.entries));
                for (new, old) in new_row.iter().zip(&work.old_row).filter(|(new, old)| new.is_long() && new != old) {
                    debug_assert!(!new.is_null() && (old.is_null() || new.lo != old.lo || new.hi != old.hi));
                    self.contents.strings.free(new.lo as CellId, new.byte_len());
                }
            }
            Change::Replace { .. } => self.contents = log.pop_contents(),
        }
    }

    fn restore_image(&self, cell: *mut u8, log: &mut UndoLog, work: &mut Work) {
        log.pop_image(self.layout.stride(), &mut work.image);
        // SAFETY: the cell is a row of this table, whose page is ours, and the image is as long.
        unsafe { cell.copy_from_nonoverlapping(work.image.as_ptr(), self.layout.stride()) };
    }

    /// Takes a new definition with the same columns, and brings the indexes in line with it: those whose definition is
    /// the
    /// same object stay, others are filled from the rows. Returns what was there before. On error nothing has changed.
    pub(super) fn redefine(
        &mut self,
        def: &Arc<catalog::Table>,
        work: &mut Work,
    ) -> Result<FormerDefinition, StorageError> {
        assert_eq!(def.columns.len(), self.def.columns.len(), "columns of a table do not change");
        let old: Vec<Arc<catalog::Index>> = self.contents.indexes.iter().map(|i| Arc::clone(&i.def)).collect();
        let mut built = Vec::new();
        for index in &def.indexes {
            if !old.iter().any(|o| Arc::ptr_eq(o, index)) {
                built.push(self.build_index(index, def, work)?);
            }
        }
        let former = FormerDefinition {
            def: std::mem::replace(&mut self.def, Arc::clone(def)),
            order: old,
            dropped: Vec::new(),
            checks: std::mem::replace(
                &mut self.checks,
                def.checks.iter().map(|c| RowExpr::new(&c.predicate, def.columns.len())).collect(),
            ),
        };
        built.append(&mut self.contents.indexes);
        let dropped = self.arrange(&def.indexes, built);
        Ok(FormerDefinition { dropped, ..former })
    }

    /// Keeps those of `indexes` that are in `order`; returns the others.
    fn arrange(&mut self, order: &[Arc<catalog::Index>], mut indexes: Vec<TableIndex>) -> Vec<TableIndex> {
        for def in order {
            let at = indexes.iter().position(|i| Arc::ptr_eq(&i.def, def)).expect("built or there before");
            self.contents.indexes.push(indexes.swap_remove(at));
        }
        indexes
    }

    /// Undoes `redefine`.
    pub(super) fn restore_definition(&mut self, mut former: FormerDefinition) {
        former.dropped.append(&mut self.contents.indexes);
        self.arrange(&former.order, former.dropped);
        self.def = former.def;
        self.checks = former.checks;
    }

    fn build_index(
        &self,
        index: &Arc<catalog::Index>,
        def: &catalog::Table,
        work: &mut Work,
    ) -> Result<TableIndex, StorageError> {
        let mut built = TableIndex::new(index, def, &self.layout);
        let mut row = Vec::new();
        let mut next = self.first_row();
        while let Some(id) = next {
            self.load_row(id, &mut row);
            let entry = built.entry(&row, &*self.contents.strings, &mut work.evaluator)?;
            if built.conflict(&entry, &row, &*self.contents.strings, self.rows(), None).is_some() {
                return Err(self.duplicate_in(index, &row));
            }
            built.reserve(&entry).map_err(|_| self.full())?;
            built.insert(&entry, id, self.rows());
            next = self.next_row(id);
        }
        Ok(built)
    }

    #[cold]
    fn duplicate_in(&self, index: &catalog::Index, row: &[Datum]) -> StorageError {
        let mut arena = Arena::default();
        let mut shown = |column: usize, ty| {
            let datum = row[column];
            let datum = if datum.is_long() { self.adopt(datum, &mut arena) } else { datum };
            format!("{} = {}", self.def.columns[column].name, datum_value(datum, ty, &arena))
        };
        let parts: Vec<String> = index
            .keys
            .iter()
            .map(|k| k.column.map_or_else(|| String::from("its expression"), |c| shown(c, k.ty)))
            .collect();
        StorageError::ConstraintViolation {
            table: self.def.name.clone(),
            constraint: index.name.clone(),
            kind: ConstraintKind::Unique,
            key: format!("{} in several rows", parts.join(", ")),
        }
    }
}

/// What `Table::restore_definition` needs.
pub(super) struct FormerDefinition {
    def: Arc<catalog::Table>,
    order: Vec<Arc<catalog::Index>>,
    dropped: Vec<TableIndex>,
    checks: Box<[RowExpr]>,
}
