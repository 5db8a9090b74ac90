//! One partition: its share of every partitioned table, and the one driver at a time that may touch it.
//!
//! ```text
//! Batch -> inbox -> Site (by whoever holds it) -> answered Batch -> its sender's outbox
//! ```
//!
//! A [`Site`] runs each transaction to its end before the next, so a single-partition transaction takes no lock and
//! needs no versions. Whoever holds the [`Partition`]'s lock drives it: a caller that found it idle runs its own work
//! and then what others have queued meanwhile; past a bound, the partition's own thread takes over.
//!
//! What holds while nobody drives:
//! 1. No transaction is open, and the undo log is empty.
//! 2. Every view equals its query over the table it reads.
//! 3. The store has the shape of the schema version that the site holds.
//!
//! Not here: which partition gets a call, and transactions on all of them (`initiator`); schema changes (`engine`).

mod batch;
mod counting;
mod error;
#[allow(clippy::module_inception)]
mod partition;
mod site;

pub use batch::{Batch, Outbox};
pub use counting::Counting;
pub use error::TxnError;
pub use partition::{Held, Partition};
pub use site::{Schema, Site, prepare_frame, response, same_call};
