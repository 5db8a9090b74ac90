//! votedb: an embedded, in-memory, partitioned OLTP engine of the VoltDB family, and the shell around it.
//!
//! Start at [`Database`]. The rooms below stand in order: each uses only rooms above it.
//!
//! ```text
//! text -> AST -> bound plan -> program -> partition(s) -> result -> screen, file
//! ```

pub mod types;

pub mod topology;

pub mod stats;

pub mod txn;

pub mod sql;

pub mod expr;

pub mod catalog;

pub mod planner;

pub mod storage;

pub mod executor;

pub mod procedure;

pub mod durability;

pub mod partition;

pub mod initiator;

pub mod engine;

pub mod client;

pub mod render;

pub mod bench;

pub mod shell;

pub use client::{
    Config, Database, Executed, OpenError, Prepared, Response, Session, SessionOptions, StatementError, Tag, TxnError,
};
pub use types::{ResultSet, Value};

/// The example of the README, compiled and run with the documentation's tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
