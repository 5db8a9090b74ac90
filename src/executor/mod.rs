//! Bound plan to compiled program, and programs at work.
//!
//! ```text
//! Plan --compile--> Program (immutable, shared) --run(stores, frame)--> rows, counts, changes
//! ```
//!
//! A program reads the stores shared and writes them exclusively, one after the other: a statement finds all the rows
//! that it changes before it changes the first, so nothing changes what it still scans. It runs on the stores that it
//! is given: those of one partition, or all of them in order, when the caller holds them all. How they came to be
//! locked, and what happens to a transaction whose statement failed, is not decided here.

mod compile;
mod error;
mod key;
mod lane_map;
mod operator;
mod program;
mod reader;
mod row_buffer;
mod shortcut;
mod vectorize;

pub use error::ExecError;
pub use key::KeySet;
pub use operator::{Flow, Operator};
pub use program::{Answer, Environment, PointKey, Program};
pub use reader::{Limits, Reader, owner};
pub use row_buffer::RowBuffer;
