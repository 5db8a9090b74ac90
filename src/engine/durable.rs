//! The data folder of an open database: its snapshots, and the way out.

use super::{Config, Engine, StatementError};
use crate::durability::{
    Clock, CommandLog, Disk, Durability, DurabilityError, Files, Folder, SnapshotImage, SnapshotSummary, snapshot_name,
    write_snapshot,
};
use crate::sql::Span;
use parking_lot::{Condvar, Mutex};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// What an open database has to do with its folder.
pub struct Durable {
    pub(super) folder: Folder,
    pub(super) snapshots: Mutex<Snapshots>,
    pub(super) opened: DataFolder,
    pub(super) snapshot_log_bytes: u64,
    /// Set to end the thread that takes snapshots.
    closing: Arc<(Mutex<bool>, Condvar)>,
}

/// One snapshot at a time.
pub(super) struct Snapshots {
    pub next_number: u64,
    /// Transactions in the newest one; None: there is none.
    pub newest: Option<u64>,
    /// Log bytes written when it was taken.
    pub log_bytes: u64,
    pub taken_at: i64,
}

/// What was found when a data folder was opened.
#[derive(Clone, Debug, Default)]
pub struct DataFolder {
    pub folder: String,
    pub durability: Durability,
    pub flush_interval: Duration,
    /// Rows that came from a snapshot.
    pub snapshot_rows: u64,
    /// Transactions that were done again from the log.
    pub replayed: u64,
    /// All transactions since the database was made.
    pub transactions: u64,
    pub elapsed: Duration,
    /// Things to know: a torn tail that was cut, a log that was put aside.
    pub notes: Vec<String>,
}

/// How often the thread looks whether a snapshot is due.
const SNAPSHOT_LOOK: Duration = Duration::from_millis(200);

impl Durable {
    pub(super) fn new(folder: Folder, config: &Config, snapshots: Snapshots, opened: DataFolder) -> Durable {
        Durable {
            folder,
            snapshots: Mutex::new(snapshots),
            opened,
            snapshot_log_bytes: config.snapshot_log_bytes,
            closing: Arc::default(),
        }
    }
}

impl Engine {
    /// What was found when the data folder was opened; None: everything is in memory.
    pub fn data_folder(&self) -> Option<&DataFolder> {
        self.durable.as_ref().map(|durable| &durable.opened)
    }

    /// Writes what the log has not yet on disk.
    pub fn flush_log(&self) -> Result<(), StatementError> {
        let flushed = self.initiator.log().map_or(Ok(()), |log| log.flush());
        flushed.map_err(|message| io_error(format!("the log cannot be written: {message}")))
    }

    /// The state of now, held for as long as the image lives; tables change meanwhile.
    pub(super) fn image(&self) -> SnapshotImage {
        let mut all = self.initiator.hold_all();
        let log = self.initiator.log();
        let transactions = match (log, &self.durable) {
            (Some(log), _) => log.position(),
            (None, Some(durable)) => durable.opened.transactions,
            (None, None) => 0,
        };
        let schema = Arc::clone(&all.sites().next().expect("one partition at least").schema);
        let mut tables = Vec::new();
        for table in schema.catalog.tables().filter(|table| !table.is_view()) {
            for site in all.sites().take(if table.spread { usize::MAX } else { 1 }) {
                tables.push((site.id, site.store.snapshot(table.id)));
            }
        }
        let definitions = self.history.lock().clone();
        if let Some(log) = log {
            log.roll();
        }
        let partitions = self.initiator.partitions().len() as u32;
        SnapshotImage {
            transactions,
            first_segment: 0,
            partitions,
            created: self.clock.now_micros(),
            definitions,
            tables,
        }
    }

    /// Writes a snapshot, and then removes what it replaces.
    pub fn snapshot(&self) -> Result<SnapshotSummary, StatementError> {
        let Some(durable) = &self.durable else {
            return Err(io_error("there is no data folder: start with --data DIR, or use BACKUP TO 'dir'".to_owned()));
        };
        if let Some(failure) = self.initiator.log().and_then(|log| log.failure()) {
            return Err(io_error(format!("no snapshot, since the log has failed: {failure}")));
        }
        let mut snapshots = durable.snapshots.lock();
        self.snapshot_locked(durable, &mut snapshots, 0).map_err(|error| io_error(error.to_string()))
    }

    pub(super) fn snapshot_locked(
        &self,
        durable: &Durable,
        snapshots: &mut Snapshots,
        first_segment: u64,
    ) -> Result<SnapshotSummary, DurabilityError> {
        let log_bytes = self.initiator.log().map_or(0, |log| log.bytes_written());
        let image = SnapshotImage { first_segment, ..self.image() };
        let disk = &*durable.folder.disk;
        let number = snapshots.next_number;
        // A number is not used again, whatever became of the file.
        snapshots.next_number += 1;
        let summary = write_snapshot(disk, number, &image)?;
        *snapshots =
            Snapshots { next_number: number + 1, newest: Some(image.transactions), log_bytes, taken_at: image.created };
        remove_older(disk, number)?;
        if let Some(log) = self.initiator.log() {
            log.remove_before(image.transactions, false)?;
        }
        Ok(summary)
    }

    /// Starts the thread that takes snapshots when the log has grown, or is old.
    pub(super) fn start_snapshots(self: &Arc<Engine>, config: &Config) -> std::io::Result<()> {
        let background = config.platform.as_ref().is_none_or(|platform| platform.background);
        let (Some(durable), true) = (&self.durable, background && self.initiator.log().is_some()) else {
            return Ok(());
        };
        let closing = Arc::clone(&durable.closing);
        let engine = Arc::downgrade(self);
        let interval = config.snapshot_interval.as_micros() as i64;
        std::thread::Builder::new().name("snapshots".to_owned()).spawn(move || watch(&closing, &engine, interval))?;
        Ok(())
    }

    /// Takes a snapshot if one is due. A failure is told by the next statement that needs the disk.
    fn snapshot_if_due(&self, interval: i64) {
        let (Some(durable), Some(log)) = (&self.durable, self.initiator.log()) else { return };
        let Some(mut snapshots) = durable.snapshots.try_lock() else { return };
        let grown = log.bytes_written() - snapshots.log_bytes;
        let is_old = grown > 0 && self.clock.now_micros() - snapshots.taken_at > interval;
        if (grown >= durable.snapshot_log_bytes || is_old)
            && !log.has_failed()
            && self.snapshot_locked(durable, &mut snapshots, 0).is_err()
        {
            // Not again at once: after as much log as before.
            snapshots.log_bytes = log.bytes_written();
            snapshots.taken_at = self.clock.now_micros();
        }
    }

    /// Ends the log, and leaves a snapshot so that the next start has nothing to do again.
    fn close(&mut self) -> Result<(), String> {
        let Some(durable) = &self.durable else { return Ok(()) };
        *durable.closing.0.lock() = true;
        durable.closing.1.notify_all();
        let log: Option<Arc<CommandLog>> = self.initiator.log().cloned();
        if let Some(log) = &log {
            log.close()?;
        }
        let mut snapshots = durable.snapshots.lock();
        let has_changed = match &log {
            Some(log) => snapshots.newest.unwrap_or(0) < log.position(),
            None => true,
        };
        if has_changed {
            self.snapshot_locked(durable, &mut snapshots, 0).map_err(|error| error.to_string())?;
        }
        if let (Some(log), Some(newest)) = (&log, snapshots.newest) {
            log.remove_before(newest, true).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

/// Looks from time to time, until the database is gone or says so.
fn watch(closing: &(Mutex<bool>, Condvar), engine: &Weak<Engine>, interval: i64) {
    loop {
        let mut closed = closing.0.lock();
        if !*closed {
            closing.1.wait_for(&mut closed, SNAPSHOT_LOOK);
        }
        if *closed {
            return;
        }
        drop(closed);
        let Some(engine) = engine.upgrade() else { return };
        engine.snapshot_if_due(interval);
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        if let Err(message) = self.close() {
            // Nobody is left to be told otherwise. What was acknowledged is in the log.
            eprintln!("warning: the database was closed without a snapshot: {message}");
        }
    }
}

pub(super) fn remove_older(disk: &dyn Disk, number: u64) -> Result<(), DurabilityError> {
    for older in Files::of(disk)?.snapshots.into_iter().filter(|&older| older < number) {
        let name = snapshot_name(older);
        disk.remove(&name).map_err(|e| DurabilityError::io("remove", disk.shown(&name), e))?;
    }
    Ok(())
}

pub(super) fn io_error(message: String) -> StatementError {
    StatementError { sqlstate: "58030".to_owned(), ..StatementError::new(message, Span::NONE) }
}
