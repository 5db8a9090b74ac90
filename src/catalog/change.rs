//! What a schema change asks of each partition's store.

use super::TableId;

/// One step, in terms of the catalog that it leads to (drops: of the catalog before).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogChange {
    /// A new empty table, or a new view, to be filled from its source.
    CreateTable(TableId),
    DropTable(TableId),
    /// The table became partitioned, or replicated: its rows move.
    Repartition(TableId),
    /// The table's index of that position is new and must be filled.
    CreateIndex(TableId, usize),
    /// The table's index of that position is gone; later ones moved down by one.
    DropIndex(TableId, usize),
}
