//! votedb: an embedded, in-memory, partitioned OLTP engine of the VoltDB family, and the shell around it.
//!
//! Rooms in order: each uses only rooms above it.

pub mod types;

pub mod stats;

pub mod sql;

pub mod expr;

pub mod catalog;

pub mod storage;

pub mod render;

pub mod bench;
