//! A data folder: its lock, and what lies in it.

use super::disk::Disk;
use super::error::DurabilityError;
use super::segment::segment_number;
use super::snapshot::{is_unfinished, snapshot_number};
use std::sync::Arc;

/// A folder that this process has claimed.
pub struct Folder {
    pub disk: Arc<dyn Disk>,
    _lock: Box<dyn Send + Sync>,
}

/// Numbers of the files in a folder, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    pub segments: Vec<u64>,
    pub snapshots: Vec<u64>,
    /// Files that were never completed.
    pub unfinished: Vec<String>,
}

impl Folder {
    /// Claims the folder.
    pub fn claim(disk: Arc<dyn Disk>) -> Result<Folder, DurabilityError> {
        let lock = disk.lock().map_err(|e| DurabilityError::io("lock", disk.shown(""), e))?;
        let lock = lock.ok_or_else(|| DurabilityError::Locked { folder: disk.shown("") })?;
        Ok(Folder { disk, _lock: lock })
    }

    /// Removes what a crash has left half done.
    pub fn tidy(&self) -> Result<(), DurabilityError> {
        for name in Files::of(&*self.disk)?.unfinished {
            self.disk.remove(&name).map_err(|e| DurabilityError::io("remove", self.disk.shown(&name), e))?;
        }
        Ok(())
    }
}

impl Files {
    pub fn of(disk: &dyn Disk) -> Result<Files, DurabilityError> {
        let mut files = Files::default();
        for name in disk.list().map_err(|e| DurabilityError::io("list", disk.shown(""), e))? {
            if let Some(number) = segment_number(&name) {
                files.segments.push(number);
            } else if let Some(number) = snapshot_number(&name) {
                files.snapshots.push(number);
            } else if is_unfinished(&name) {
                files.unfinished.push(name);
            }
        }
        files.segments.sort_unstable();
        files.snapshots.sort_unstable();
        Ok(files)
    }
}
