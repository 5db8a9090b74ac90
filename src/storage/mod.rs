//! Rows, indexes, undo and views of one partition.
//!
//! ```text
//! Store -> Table (heap, strings, indexes) -> pages in blocks
//!   |-> views: a row's change to its group's change
//!   `-> undo log: how to put it all back
//! ```
//!
//! A [`Store`] is one partition's whole world and is driven by one thread at a time. What holds between two operations:
//! 1. Every index has just the rows of its table (that its filter lets in), and every view equals its query.
//! 2. With an undo log, `rollback` brings back rows, row ids, free lists, indexes and views just as they were.
//! 3. A snapshot shows the rows of its moment, whatever is written since.
//!
//! Not here: which partition owns a row (`topology`), types and casts of what is stored (`expr`), plans, threads, disk.

mod batch;
mod block;
mod chunk;
mod error;
mod eval;
mod fast;
mod heap;
mod index;
mod join_view;
mod layout;
mod memory;
mod schema;
mod snapshot;
mod store;
mod strings;
mod table;
#[cfg(test)]
mod tests;
mod undo;
mod view;

pub use batch::{Outcomes, RowBatch};
pub use error::{ConstraintKind, StorageError};
pub use heap::RowId;
pub use memory::{StoreMemory, TableMemory};
pub use schema::RowExport;
pub use snapshot::TableSnapshot;
pub use store::Store;
pub use table::Table;
pub use undo::Savepoint;
