//! Stored procedures: SQL/PSM to code, and code at work.
//!
//! ```text
//! ast::Procedure --compile--> Procedure { definition, Code }        or every BindError of the body
//! Code --vm::run(stores, frame)--> Outcome                          or ProcedureError
//! ```
//!
//! A procedure is compiled once against one catalog version; its parameters and variables are the first registers of the
//! frame that its statements run on. One call is one transaction, but beginning and ending it is `partition`'s.

pub mod arguments;
mod code;
mod compile;
pub mod defaults;
mod error;
mod listing;
mod native;
mod steps;
mod trace;
pub mod vm;

pub use code::{Code, Procedure};
pub use compile::{compile, compile_native, plans};
pub use error::{ProcedureError, Trap};
pub use listing::{annotated, listing};
pub use native::{NativeDefinition, NativeError, Param, RowView, Transaction};
pub use trace::{NoTracer, Trace, TraceStep, Tracer};
pub use vm::{Context, Outcome, Procedures};
