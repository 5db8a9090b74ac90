//! AST to bound plan: names resolved, types checked, access paths chosen.
//!
//! ```text
//! ast::Statement --bind--> Plan { kind, subqueries, registers, partitioning }      or BindError { message, span }
//! ```
//!
//! Every column that a plan reads, every parameter, variable and result is a register of one flat frame, numbered here.
//! Nothing here runs anything or touches a row.
//!
//! A statement goes through these: `bind` resolves names and types and leaves FROM as a tree whose conditions can still
//! move (`from`); `lower` puts each condition where its registers are first known and orders joins, `index_choice` finds
//! rows by index; `prune` takes out what nobody reads; `partitioning` says where it must run. `ddl` applies schema changes
//! to a catalog.

mod bind;
mod binder;
pub mod ddl;
mod environment;
mod error;
pub mod explain;
mod from;
mod index_choice;
mod lower;
mod partitioning;
pub mod plan;
mod prune;
mod registers;
mod scope;
mod statement;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use environment::{Environment, Placeholders, SystemTables, Variable};
pub use error::BindError;
pub use explain::explain;
pub use statement::{plan_expression, plan_query, plan_statement};
