//! What a schema change asks of each partition's store.

use super::TableId;
use crate::expr::expr::Expr;
use std::sync::Arc;

/// One step, in terms of the catalog that it leads to (drops: of the catalog before).
#[derive(Clone, Debug, PartialEq)]
pub enum CatalogChange {
    /// A new empty table, or a new view, to be filled from its source.
    CreateTable(TableId),
    DropTable(TableId),
    /// The table became partitioned, or replicated: its rows move.
    Repartition(TableId),
    /// The table has other columns now, or rules that its rows must be checked against: each row becomes these values,
    /// over its columns before. Several of one table follow each other.
    Rewrite(TableId, Arc<[Expr]>),
    /// Something else of the table changed, which its rows and indexes don't show.
    Redefine(TableId),
    /// No table changed, but what procedures may read did.
    QueryView,
    /// The table's index of that position is new and must be filled.
    CreateIndex(TableId, usize),
    /// The table's index of that position is gone; later ones moved down by one.
    DropIndex(TableId, usize),
}
