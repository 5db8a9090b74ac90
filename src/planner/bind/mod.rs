//! AST to expressions over registers and trees whose conditions can still move.

pub(super) mod change;
pub(super) mod coerce;
mod conflict;
pub(super) mod expr;
mod from;
mod function;
pub(super) mod group;
pub(super) mod insert;
mod query;
mod returning;
mod select;
mod subquery;
mod window;
