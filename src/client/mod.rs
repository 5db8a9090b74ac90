//! The library's face: open a database, run statements, call procedures one at a time or many in flight.
//!
//! Everything above this room (shell, benchmark) and every embedding program uses these types alone.

mod database;
mod session;

pub use crate::durability::{CheckReport, Clock, Disk, DurabilityError, PlantedBug, SimulatedDisk, SnapshotSummary};
pub use crate::engine::{
    Config, DataFolder, Durability, Executed, OpenError, Origin, Platform, RecoverUntil, StatementError, Tag,
    VOTER_SCHEMA,
};
pub use crate::partition::TxnError;
pub use crate::txn::Response;
pub use database::{Database, Prepared};
pub use session::{Session, SessionOptions};
