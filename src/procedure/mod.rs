//! Stored procedures: SQL/PSM to code, and code at work.
//!
//! ```text
//! ast::Procedure --compile--> Procedure { definition, Code }        or every BindError of the body
//! Code --vm::run(stores, frame)--> Outcome                          or ProcedureError
//! ```
//!
//! A procedure is compiled once against one catalog version; its parameters and variables are the first registers of the
//! frame that its statements run on. One call is one transaction, but beginning and ending it is `partition`'s.

mod code;
mod compile;
mod error;
mod listing;
pub mod vm;

pub use code::{Code, Procedure};
pub use compile::compile;
pub use error::{ProcedureError, Trap};
pub use listing::listing;
pub use vm::Outcome;
