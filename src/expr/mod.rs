//! Expressions: what they mean on values, and the compiled form that runs on registers.
//!
//! [`eval`](eval::eval) walks the bound tree and is the meaning; [`CompiledExpr`] is the same as a flat program, and what the
//! engine runs. Not here: names and types of what was written (`planner` binds), rows and tables (`storage`), running
//! subqueries (whoever implements [`Host`]).

pub mod aggregate;
mod arithmetic;
mod branch;
pub mod compare;
mod compile;
pub mod convert;
pub mod error;
pub mod eval;
#[allow(clippy::module_inception)]
pub mod expr;
mod fold;
pub mod function;
pub mod host;
mod in_set;
mod kernel;
pub mod like;
mod logic;
mod op;
pub mod program;
#[cfg(test)]
mod property;
mod signature;
mod sketch;

pub use aggregate::{Accumulator, AggregateKind};
pub use compare::compare_datums;
pub use convert::{cast_datum, castable, common_type, comparable, convert_value};
pub use error::EvalError;
pub use host::{Host, NoHost};
pub use like::LikePattern;
pub use program::CompiledExpr;
