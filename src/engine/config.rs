//! What can be set when a database is opened.

use crate::durability::{Clock, Disk, PlantedBug};
use crate::procedure::NativeDefinition;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use crate::durability::{Durability, RecoverUntil};
pub use crate::topology::PARTITIONS_MAX;

/// Options of a database.
#[derive(Clone, Debug)]
pub struct Config {
    /// Number of partitions, 1 to [`PARTITIONS_MAX`]. Default: one for each core.
    pub partitions: usize,
    /// A transaction that runs longer is ended and rolled back. Default: 30 seconds. None: no limit.
    pub timeout: Option<Duration>,
    /// Folders where `CREATE PROCEDURE .. FROM CLASS x.Name` looks for `Name.sql`, in this order. The voter procedures are
    /// built in and come last.
    pub procedure_folders: Vec<PathBuf>,
    /// Folder that keeps the database; made if it is not there. Default: none, everything is in memory.
    pub data_dir: Option<PathBuf>,
    /// When answers leave. Means something only with a data folder. Default: when they are on disk.
    pub durability: Durability,
    /// With [`Durability::Async`]: longest that a commit stays off the disk. Default: 50 ms.
    pub flush_interval: Duration,
    /// Log bytes after which a snapshot is taken and older log removed. Default: 512 MiB.
    pub snapshot_log_bytes: u64,
    /// Log older than that is replaced by a snapshot. Default: a day.
    pub snapshot_interval: Duration,
    /// Opens the state of then; what came later is put aside. Default: everything.
    pub recover_until: Option<RecoverUntil>,
    /// The closures that native procedures of the data folder stand for: they are called again to recover.
    pub native_procedures: Vec<NativeDefinition>,
    /// Calls are counted and sampled, for @Statistics. Default: true.
    pub statistics: bool,
    /// What stands in for the machine: for simulations.
    pub platform: Option<Platform>,
}

/// A machine: where files are, and what time it is.
#[derive(Clone, Debug)]
pub struct Platform {
    pub disk: Arc<dyn Disk>,
    pub clock: Arc<dyn Clock>,
    /// Threads write the log and take snapshots. False: only callers that wait, and explicit flushes, write, so that what
    /// happens follows from the calls alone.
    pub background: bool,
    /// Bytes of a log segment.
    pub segment_bytes: u64,
    /// A mistake that a test must find.
    pub planted: Option<PlantedBug>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            partitions: std::thread::available_parallelism().map_or(1, usize::from).min(PARTITIONS_MAX as usize),
            timeout: Some(Duration::from_secs(30)),
            procedure_folders: Vec::new(),
            data_dir: None,
            durability: Durability::Sync,
            flush_interval: Duration::from_millis(50),
            snapshot_log_bytes: 512 << 20,
            snapshot_interval: Duration::from_secs(24 * 3600),
            recover_until: None,
            native_procedures: Vec::new(),
            statistics: true,
            platform: None,
        }
    }
}

impl Config {
    /// The default with another number of partitions.
    pub fn partitions(count: usize) -> Config {
        Config { partitions: count, ..Config::default() }
    }
}
