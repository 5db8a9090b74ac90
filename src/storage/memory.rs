//! How much memory a store holds, by table.

use super::store::Store;
use super::table::Table;
use crate::catalog::TableId;
use crate::types::Name;

/// All in bytes that are allocated, whether in use or free for later.
#[derive(Clone, Debug, PartialEq)]
pub struct TableMemory {
    pub id: TableId,
    pub name: Name,
    pub rows: u64,
    pub row_bytes: u64,
    pub index_bytes: u64,
    pub string_bytes: u64,
}

impl TableMemory {
    pub fn total(&self) -> u64 {
        self.row_bytes + self.index_bytes + self.string_bytes
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoreMemory {
    /// Tables and views by id.
    pub tables: Vec<TableMemory>,
    pub undo_bytes: u64,
}

impl StoreMemory {
    pub fn total(&self) -> u64 {
        self.undo_bytes + self.tables.iter().map(TableMemory::total).sum::<u64>()
    }
}

impl Store {
    /// Costs a look at every page's and segment's header, and at every key of an index over long strings.
    pub fn memory(&self) -> StoreMemory {
        let tables = self.tables.iter().flatten().map(|table| table.memory()).collect();
        StoreMemory { tables, undo_bytes: self.undo_bytes() as u64 }
    }
}

impl Table {
    /// What this table holds.
    pub fn memory(&self) -> TableMemory {
        TableMemory {
            id: self.def().id,
            name: self.def().name.clone(),
            rows: self.len() as u64,
            row_bytes: self.contents.heap.bytes() as u64,
            index_bytes: self.contents.indexes.iter().map(|i| i.bytes() as u64).sum(),
            string_bytes: self.contents.strings.bytes() as u64,
        }
    }
}

impl Table {
    /// For each index, in order: entries (those of a partial index are not counted: None) and bytes held.
    pub fn index_sizes(&self) -> Vec<(Option<u64>, u64)> {
        let sizes = self.contents.indexes.iter().zip(&self.def().indexes);
        sizes.map(|(index, def)| (def.filter.is_none().then_some(self.len() as u64), index.bytes() as u64)).collect()
    }
}
