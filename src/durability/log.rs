//! The command log: what partitions publish, in one order, written and synced in groups.
//!
//! Whoever needs something to be on disk and finds nobody writing, writes everything that there is (group commit); a
//! thread of the log's own does so for pipelined sessions and for `async`.

use super::clock::Clock;
use super::disk::{Disk, DiskFile};
use super::error::DurabilityError;
use super::reader::LogEnd;
use super::record::{Record, put_calls, put_record};
use super::segment::{BLOCK_HEADER, SEGMENT_HEADER, SegmentHeader, seal_block, segment_name};
use super::simulated::PlantedBug;
use crate::topology::PartitionId;
use parking_lot::{Condvar, Mutex};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// When an answer leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// When its record is on disk.
    #[default]
    Sync,
    /// At once; a crash loses at most the last flush interval.
    Async,
    /// Nothing is logged: a crash loses what came after the last snapshot.
    None,
}

impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Durability::Sync => "sync",
            Durability::Async => "async",
            Durability::None => "none",
        })
    }
}

#[derive(Clone, Debug)]
pub struct LogOptions {
    pub durability: Durability,
    /// For `async`: longest that a record waits.
    pub flush_interval: Duration,
    /// A segment that reaches it is the last for its blocks.
    pub segment_bytes: u64,
    pub partitions: u32,
    /// A thread writes in the background. Without it, only those who wait, and [`CommandLog::flush`], write.
    pub background: bool,
    /// For tests that must find it.
    pub planted: Option<PlantedBug>,
}

/// Bytes that may wait to be written, before whoever publishes writes them himself.
const PENDING_MAX: usize = 32 << 20;
/// Bytes that end an interval early.
const PENDING_EAGER: usize = 4 << 20;

struct Pending {
    /// Room for a block's header, then records.
    bytes: Vec<u8>,
    /// Transactions published since the beginning of time.
    position: u64,
    /// The log's thread sleeps until there is something.
    asleep: bool,
}

struct Writer {
    file: Option<Box<dyn DiskFile>>,
    /// Of the next block in the open segment.
    offset: u64,
    /// Up to here the segment is filled with zeros, or blocks.
    filled: u64,
    next_block: u64,
    next_segment: u64,
    /// In the blocks written so far.
    transactions: u64,
    /// Number and first transaction of each segment that is on disk.
    segments: Vec<(u64, u64)>,
    spare: Vec<u8>,
}

/// See the module.
pub struct CommandLog {
    options: LogOptions,
    disk: Arc<dyn Disk>,
    clock: Arc<dyn Clock>,
    pending: Mutex<Pending>,
    /// For the log's thread.
    arrived: Condvar,
    writer: Mutex<Writer>,
    writing: Mutex<bool>,
    written: Condvar,
    /// Transactions that are on disk.
    durable: AtomicU64,
    bytes_written: AtomicU64,
    syncs: AtomicU64,
    roll: AtomicBool,
    failed: AtomicBool,
    failure: Mutex<Option<String>>,
    closing: AtomicBool,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl CommandLog {
    /// A log that goes on where `end` says.
    pub fn start(
        disk: Arc<dyn Disk>,
        clock: Arc<dyn Clock>,
        options: LogOptions,
        end: &LogEnd,
    ) -> std::io::Result<Arc<CommandLog>> {
        assert!(options.durability != Durability::None, "no log is kept");
        let log = Arc::new(CommandLog {
            disk,
            clock,
            pending: Mutex::new(Pending { bytes: vec![0; BLOCK_HEADER], position: end.transactions, asleep: false }),
            arrived: Condvar::new(),
            writer: Mutex::new(Writer {
                file: None,
                offset: 0,
                filled: 0,
                next_block: end.next_block,
                next_segment: end.next_segment,
                transactions: end.transactions,
                segments: end.segments.clone(),
                spare: vec![0; BLOCK_HEADER],
            }),
            writing: Mutex::new(false),
            written: Condvar::new(),
            durable: AtomicU64::new(end.transactions),
            bytes_written: AtomicU64::new(0),
            syncs: AtomicU64::new(0),
            roll: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            failure: Mutex::new(None),
            closing: AtomicBool::new(false),
            thread: Mutex::new(None),
            options,
        });
        if log.options.background {
            let own = Arc::clone(&log);
            let thread = std::thread::Builder::new().name("log".to_owned()).spawn(move || own.run_thread())?;
            *log.thread.lock() = Some(thread);
        }
        Ok(log)
    }

    /// True if answers wait for the disk.
    #[inline(always)]
    pub fn is_sync(&self) -> bool {
        self.options.durability == Durability::Sync
    }
    /// The time of a transaction that has none yet.
    pub fn now_micros(&self) -> i64 {
        self.clock.now_micros()
    }
    /// Transactions published.
    pub fn position(&self) -> u64 {
        self.pending.lock().position
    }
    /// Transactions that are on disk.
    #[inline(always)]
    pub fn durable(&self) -> u64 {
        self.durable.load(Ordering::Acquire)
    }
    /// Bytes written since the start.
    pub fn bytes_written(&self) -> u64 {
        self.bytes_written.load(Ordering::Relaxed)
    }
    /// Syncs since the start.
    pub fn syncs(&self) -> u64 {
        self.syncs.load(Ordering::Relaxed)
    }
    /// Why nothing is written any more.
    pub fn failure(&self) -> Option<String> {
        if !self.failed.load(Ordering::Acquire) {
            return None;
        }
        self.failure.lock().clone()
    }
    #[inline(always)]
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Adds calls whose parameters are encoded; gives the position after them. `wake`: nobody is going to wait for them
    /// at once.
    pub fn publish_calls(
        &self,
        partition: Option<PartitionId>,
        now: i64,
        procedure: &str,
        count: u64,
        parameters: &[u8],
        wake: bool,
    ) -> u64 {
        self.publish(count, wake, |out| put_calls(out, partition, now, procedure, count, parameters))
    }

    /// Adds any other record.
    pub fn publish_record(&self, record: &Record<'_>) -> u64 {
        self.publish(record.transactions(), false, |out| put_record(out, record))
    }

    fn publish(&self, count: u64, wake: bool, put: impl FnOnce(&mut Vec<u8>)) -> u64 {
        let mut pending = self.pending.lock();
        put(&mut pending.bytes);
        pending.position += count;
        let (position, waiting) = (pending.position, pending.bytes.len());
        let due = wake && self.is_sync() || waiting > PENDING_EAGER;
        if due && pending.asleep {
            pending.asleep = false;
            self.arrived.notify_one();
        }
        drop(pending);
        if waiting > PENDING_MAX && !self.has_failed() {
            // The disk cannot keep up: whoever makes more has to wait for it.
            let _ = self.wait(position);
        }
        position
    }

    /// Waits until the first `position` transactions are on disk, and writes them if nobody else does. Err: they are not,
    /// and why.
    #[inline]
    pub fn wait(&self, position: u64) -> Result<(), String> {
        if self.durable() >= position { Ok(()) } else { self.wait_for_disk(position) }
    }

    #[cold]
    fn wait_for_disk(&self, position: u64) -> Result<(), String> {
        let mut writing = self.writing.lock();
        loop {
            if self.durable() >= position {
                return Ok(());
            }
            if let Some(failure) = self.failure() {
                return Err(failure);
            }
            if *writing {
                self.written.wait(&mut writing);
                continue;
            }
            *writing = true;
            drop(writing);
            self.write_out();
            writing = self.writing.lock();
            *writing = false;
            self.written.notify_all();
        }
    }

    /// Writes and syncs all that was published.
    pub fn flush(&self) -> Result<(), String> {
        self.wait(self.position())
    }

    /// One block, one write, one sync.
    fn write_out(&self) {
        let mut writer = self.writer.lock();
        let mut bytes = std::mem::take(&mut writer.spare);
        let position = {
            let mut pending = self.pending.lock();
            std::mem::swap(&mut pending.bytes, &mut bytes);
            pending.position
        };
        if self.options.planted == Some(PlantedBug::EarlyAcknowledgement) {
            self.durable.store(position, Ordering::Release);
        }
        let result = if bytes.len() > BLOCK_HEADER { self.write_block(&mut writer, &mut bytes) } else { Ok(()) };
        match result {
            Ok(()) => {
                writer.transactions = position;
                self.durable.store(position, Ordering::Release);
            }
            Err(error) => self.fail(error.to_string()),
        }
        bytes.clear();
        bytes.resize(BLOCK_HEADER, 0);
        if bytes.capacity() > PENDING_MAX {
            bytes.shrink_to(PENDING_EAGER);
        }
        writer.spare = bytes;
    }

    fn write_block(&self, writer: &mut Writer, bytes: &mut [u8]) -> Result<(), DurabilityError> {
        let len = bytes.len() as u64;
        let is_full = writer.offset + len > self.options.segment_bytes && writer.offset > SEGMENT_HEADER as u64;
        if writer.file.is_none() || is_full || self.roll.swap(false, Ordering::SeqCst) {
            self.next_segment(writer)?;
        }
        seal_block(bytes, writer.next_block);
        let name = || self.disk.shown(&segment_name(writer.next_segment - 1));
        let file = writer.file.as_mut().expect("opened above");
        let write = |e| DurabilityError::io("write", name(), e);
        if writer.offset + len > writer.filled {
            let chunk = writer
                .offset
                .clamp(64 << 10, 4 << 20)
                .min(self.options.segment_bytes)
                .max(writer.offset + len - writer.filled);
            file.write_at(writer.filled, &vec![0; chunk as usize]).map_err(write)?;
            writer.filled += chunk;
        }
        file.write_at(writer.offset, bytes).map_err(write)?;
        if self.options.planted != Some(PlantedBug::MissingSync) {
            file.sync().map_err(|e| DurabilityError::io("sync", name(), e))?;
        }
        writer.offset += len;
        writer.next_block += 1;
        self.bytes_written.fetch_add(len, Ordering::Relaxed);
        self.syncs.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Starts a segment; its header is on disk before any block is written.
    fn next_segment(&self, writer: &mut Writer) -> Result<(), DurabilityError> {
        let number = writer.next_segment;
        let name = segment_name(number);
        let shown = self.disk.shown(&name);
        let header = SegmentHeader {
            number,
            first_transaction: writer.transactions,
            first_block: writer.next_block,
            partitions: self.options.partitions,
            created: self.now_micros(),
        };
        let mut file = self.disk.create(&name).map_err(|e| DurabilityError::io("create", shown.clone(), e))?;
        file.write_at(0, &header.to_bytes()).map_err(|e| DurabilityError::io("write", shown.clone(), e))?;
        file.sync().map_err(|e| DurabilityError::io("sync", shown.clone(), e))?;
        self.disk.sync_folder().map_err(|e| DurabilityError::io("sync the folder of", shown, e))?;
        writer.segments.push((number, header.first_transaction));
        writer.next_segment += 1;
        writer.file = Some(file);
        writer.offset = SEGMENT_HEADER as u64;
        writer.filled = SEGMENT_HEADER as u64;
        Ok(())
    }

    fn fail(&self, message: String) {
        self.failure.lock().get_or_insert(message);
        self.failed.store(true, Ordering::Release);
        self.written.notify_all();
    }

    /// The next block begins a new segment, so that those before can go when a snapshot holds their transactions.
    pub fn roll(&self) {
        self.roll.store(true, Ordering::SeqCst);
    }

    /// Removes the segments that hold nothing but the first `position` transactions. `last`: the log is not written to any
    /// more, so that its open segment may go too.
    pub fn remove_before(&self, position: u64, last: bool) -> Result<(), DurabilityError> {
        let mut writer = self.writer.lock();
        let all = last && self.durable() <= position;
        if all {
            writer.file = None;
        }
        let mut kept = Vec::new();
        let segments = std::mem::take(&mut writer.segments);
        let mut result = Ok(());
        for (i, &(number, first)) in segments.iter().enumerate() {
            let covered = all || segments.get(i + 1).is_some_and(|&(_, next)| next <= position);
            if result.is_err() || !covered {
                kept.push((number, first));
                continue;
            }
            let name = segment_name(number);
            if let Err(error) = self.disk.remove(&name) {
                kept.push((number, first));
                result = Err(DurabilityError::io("remove", self.disk.shown(&name), error));
            }
        }
        writer.segments = kept;
        result
    }

    fn run_thread(&self) {
        loop {
            let mut pending = self.pending.lock();
            if self.closing.load(Ordering::SeqCst) {
                return;
            }
            let idle = pending.bytes.len() <= BLOCK_HEADER || self.has_failed();
            match self.is_sync() {
                true if idle => {
                    pending.asleep = true;
                    self.arrived.wait(&mut pending);
                }
                true => {}
                false => {
                    pending.asleep = true;
                    self.arrived.wait_for(&mut pending, self.options.flush_interval);
                }
            }
            pending.asleep = false;
            let position = pending.position;
            drop(pending);
            // A failure is kept for those who ask for the disk.
            let _ = self.wait(position);
        }
    }

    /// Writes what there is, and ends the thread.
    pub fn close(&self) -> Result<(), String> {
        let result = self.flush();
        {
            let _pending = self.pending.lock();
            self.closing.store(true, Ordering::SeqCst);
            self.arrived.notify_all();
        }
        if let Some(thread) = self.thread.lock().take() {
            // It has no panics of its own: it only writes.
            let _ = thread.join();
        }
        result
    }
}
