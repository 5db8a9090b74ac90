//! AST to bound plan: names resolved, types checked, access paths chosen.
//!
//!     ast::Statement --bind--> Plan { kind, subqueries, registers, partitioning }      or BindError { message, span }
//!
//! Every column that a plan reads, every parameter, variable and result is a register of one flat frame, numbered here.
//! Nothing here runs anything or touches a row.

pub mod plan;
