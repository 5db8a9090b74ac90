//! What survives a crash: the command log, snapshots, and how both are read back.
//!
//! ```text
//! committed call -> SiteLog (one per partition) -> CommandLog: one buffer, in order -> block -> segment file, synced
//! page snapshots of all partitions -> snapshot file, synced -> older segments and snapshots go
//! ```
//!
//! The log holds invocations, not rows. What holds:
//! 1. A batch is published to the log while its partition is held, so the log's order is each partition's order; a
//!    transaction on all partitions is published while all are held, so it stands between the same transactions everywhere.
//! 2. A block is written only after the one before it was synced: at most one block can be torn, and it is the last.
//! 3. A position (the number of transactions published) is durable only after a sync that succeeded; after one that failed
//!    nothing is written any more.
//!
//! Not here: what an invocation does (`procedure`, `engine`), and how its effects are done again (`engine::recovery`).

mod check;
mod clock;
mod disk;
mod error;
mod folder;
mod log;
mod reader;
mod record;
mod segment;
mod simulated;
mod site_log;
mod snapshot;
mod snapshot_reader;

pub use check::{CheckReport, check};
pub use clock::{Clock, ReplayClock, WallClock};
pub use disk::{Disk, DiskFile, RealDisk};
pub use error::{DurabilityError, Problem};
pub use folder::{Files, Folder};
pub use log::{CommandLog, Durability, LogOptions};
pub use reader::{LogEnd, ReadOptions, RecoverUntil, TornTail, read_log};
pub use record::{Attachment, LoggedStatement, Malformed, Parameters, Record};
pub use segment::segment_name;
pub use simulated::{PlantedBug, SimulatedDisk};
pub use site_log::SiteLog;
pub use snapshot::{Definition, SnapshotImage, SnapshotSummary, snapshot_name, write_snapshot};
pub use snapshot_reader::{RowBlock, SnapshotReader};
