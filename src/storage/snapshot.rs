//! The rows of a table at one moment, to be read by any thread while the table changes.

use super::heap::{HeapSnapshot, RowId};
use super::layout::Layout;
use super::store::Store;
use super::strings::{CellId, StringSnapshot};
use super::table::Table;
use crate::catalog::{self, TableId};
use crate::types::{Arena, Datum};
use std::sync::Arc;

/// Shares the table's pages. While it lives, the table copies a page before it first writes to it.
#[derive(Clone)]
pub struct TableSnapshot {
    def: Arc<catalog::Table>,
    layout: Arc<Layout>,
    heap: HeapSnapshot,
    strings: StringSnapshot,
}

impl TableSnapshot {
    pub fn def(&self) -> &Arc<catalog::Table> {
        &self.def
    }
    /// Rows.
    pub fn len(&self) -> usize {
        self.heap.len()
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The row with the smallest id.
    pub fn first_row(&self) -> Option<RowId> {
        self.heap.live_from(0)
    }
    /// The row with the next larger id.
    pub fn next_row(&self, after: RowId) -> Option<RowId> {
        self.heap.live_from(after.0 + 1)
    }
    /// A column of a row that was there; a long string is copied to `arena`.
    pub fn load(&self, row: RowId, column: usize, arena: &mut Arena) -> Datum {
        // SAFETY: a cell of this layout.
        let datum = unsafe { self.layout.load(self.heap.cell(row), column) };
        if datum.is_long() {
            let (cell, len) = datum.long_parts();
            arena.store(self.strings.get(cell as CellId, len as usize))
        } else {
            datum
        }
    }
}

impl Table {
    /// Costs a reference per page.
    pub fn snapshot(&mut self) -> TableSnapshot {
        TableSnapshot {
            def: Arc::clone(self.def()),
            layout: Arc::clone(self.layout()),
            heap: self.contents.heap.snapshot(),
            strings: self.contents.strings.snapshot(),
        }
    }
}

impl Store {
    /// The rows of one table or view as they are now, uncommitted changes of this transaction included.
    pub fn snapshot(&mut self, id: TableId) -> TableSnapshot {
        self.tables[id.0 as usize].as_deref_mut().expect("a table of this store").snapshot()
    }
}
