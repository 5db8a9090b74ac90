//! What the database contains, as data: one immutable version at a time.
//!
//! A [`Catalog`] never changes once it is shared: a schema change makes the next one (`planner::ddl`), and the engine
//! swaps them. Expressions in it (index keys, view groups, checks) are bound: register `i` is column `i` of the table
//! that the expression is about. No rows here, and no code of procedures.

#[allow(clippy::module_inception)]
mod catalog;
mod change;
mod index;
mod procedure;
mod table;
mod view;

pub use catalog::Catalog;
pub use change::CatalogChange;
pub use index::{Index, IndexKind, Key};
pub use procedure::{Parameter, Procedure, ProcedurePartitioning};
pub use table::{Check, Column, Default, Table, TableId, Ttl};
pub use view::{QueryView, View, ViewAggregate, ViewAggregateKind};
