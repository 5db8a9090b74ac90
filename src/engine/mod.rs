//! The database as a whole: schema versions, procedures, ad hoc statements. The one room that knows all the others.
//!
//! ```text
//! text --parse, plan, compile (or cache)--> Program --initiator--> Executed
//! DDL  --working copy of the catalog, every procedure compiled anew--> all partitions, or none
//! ```
//!
//! Not here: how callers wait or pipeline (`client`), and anything about screens.

mod ad_hoc;
mod call;
mod config;
mod durable;
#[allow(clippy::module_inception)]
mod engine;
mod error;
mod expiry;
mod library;
mod load;
mod maintenance;
mod plan_cache;
mod recovery;
mod replay;
mod schema_change;
mod system;

pub use config::{Config, Durability, PARTITIONS_MAX, Platform, RecoverUntil};
pub use durable::DataFolder;
pub use engine::{Engine, Executed, Tag};
pub use error::{OpenError, Origin, StatementError};
pub use library::{Library, VOTER_SCHEMA};
