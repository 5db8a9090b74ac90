//! Which partition owns a value. The same answer for ever: data on disk and clients depend on it.

mod hashinator;
mod partition_id;

pub use hashinator::Hashinator;
pub use partition_id::{PARTITIONS_MAX, PartitionId};
