//! What can be set when a database is opened.

use std::path::PathBuf;
use std::time::Duration;

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
}

impl Default for Config {
    fn default() -> Config {
        Config {
            partitions: std::thread::available_parallelism().map_or(1, usize::from).min(PARTITIONS_MAX as usize),
            timeout: Some(Duration::from_secs(30)),
            procedure_folders: Vec::new(),
        }
    }
}

impl Config {
    /// The default with another number of partitions.
    pub fn partitions(count: usize) -> Config {
        Config { partitions: count, ..Config::default() }
    }
}
