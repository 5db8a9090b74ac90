//! Where transactions start: routed to one partition, or run on all of them.
//!
//! ```text
//! call --router--> one partition: hold its site, run, release
//!              --> all:           hold every site in ascending order, run on all stores, commit or roll back all
//! ```
//!
//! Ascending order makes deadlock impossible; holding all sites while a multi-partition transaction runs makes it atomic
//! and isolated. Not here: what a name or a text means (`engine`).

mod coordinator;
mod durable;
#[allow(clippy::module_inception)]
mod initiator;
mod router;

pub use coordinator::AllSites;
pub use durable::Asked;
pub use initiator::{Initiator, Traced};
pub use router::Route;
