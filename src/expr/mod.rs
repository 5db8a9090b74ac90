//! Expressions: what they mean on values, and the compiled form that runs on registers.

pub mod aggregate;
pub mod expr;
pub mod function;
