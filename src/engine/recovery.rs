//! Opens a data folder: the newest snapshot, then the log after it, then a new log.

use super::config::Platform;
use super::durable::{DataFolder, Durable, Snapshots, remove_older};
use super::replay::Replay;
use super::schema_change::NATIVE;
use super::{Config, Engine, OpenError};
use crate::durability::{
    Attachment, CommandLog, Definition, Disk, Durability, DurabilityError, Files, Folder, LogEnd, LogOptions,
    Malformed, ReadOptions, RealDisk, RecoverUntil, RowBlock, SnapshotReader, read_log, segment_name,
};
use crate::executor::owner;
use crate::partition::Schema;
use crate::types::{DataType, Name};
use std::sync::Arc;
use std::time::Instant;

/// Bytes of a log segment.
const SEGMENT_BYTES: u64 = 64 << 20;
/// Blocks of rows that are inserted together.
const BLOCKS_AT_ONCE: usize = 64;

impl Engine {
    /// Brings the database to the state of its data folder, if the configuration names one, and opens the log.
    pub(super) fn open_data(&mut self, config: &Config) -> Result<(), OpenError> {
        let disk: Arc<dyn Disk> = match (&config.platform, &config.data_dir) {
            (Some(platform), _) => Arc::clone(&platform.disk),
            (None, Some(folder)) => {
                let shown = folder.display().to_string();
                Arc::new(RealDisk::open(folder).map_err(|e| DurabilityError::io("open the folder", shown, e))?)
            }
            (None, None) => return Ok(()),
        };
        let folder = Folder::claim(disk)?;
        folder.tidy()?;
        let (durable, mut end) = self.recover(folder, config)?;
        if end.stopped_early {
            // None of them is part of this history.
            end.segments.clear();
        }
        if config.durability != Durability::None {
            let log = self.start_log(&durable, config, &end)?;
            self.initiator.attach_log(log);
        }
        self.durable = Some(durable);
        self.put_aside(&end)?;
        Ok(())
    }

    fn start_log(&self, durable: &Durable, config: &Config, end: &LogEnd) -> Result<Arc<CommandLog>, OpenError> {
        let platform = config.platform.as_ref();
        let options = LogOptions {
            durability: config.durability,
            flush_interval: config.flush_interval,
            segment_bytes: platform.map_or(SEGMENT_BYTES, |platform| platform.segment_bytes),
            partitions: config.partitions as u32,
            background: platform.is_none_or(|platform| platform.background),
            planted: platform.and_then(|platform| platform.planted),
        };
        let clock = Arc::clone(&self.clock);
        CommandLog::start(Arc::clone(&durable.folder.disk), clock, options, end).map_err(OpenError::Threads)
    }

    fn recover(&self, folder: Folder, config: &Config) -> Result<(Durable, LogEnd), OpenError> {
        let started = Instant::now();
        let planted = config.platform.as_ref().and_then(|platform: &Platform| platform.planted);
        let disk = Arc::clone(&folder.disk);
        let files = Files::of(&*disk)?;
        let mut opened = DataFolder {
            folder: disk.shown(""),
            durability: config.durability,
            flush_interval: config.flush_interval,
            ..DataFolder::default()
        };
        // Transactions have run before: no limit of now ends them.
        self.initiator.hold_all().sites().for_each(|site| site.limits.timeout = None);
        let mut options = ReadOptions { until: config.recover_until, planted, ..ReadOptions::default() };
        let newest = files.snapshots.last().copied();
        if let Some(number) = newest {
            let mut reader = SnapshotReader::open(&*disk, number, planted)?;
            if is_before(config.recover_until, &reader) {
                let asked = config.recover_until.expect("it is before something").to_string();
                return Err(DurabilityError::TargetTooEarly { asked, first: reader.transactions }.into());
            }
            opened.snapshot_rows = self.load(&mut reader)?;
            options.from = reader.transactions;
            options.first_segment = reader.first_segment;
        }
        let mut replay = Replay::new(self);
        let mut end =
            read_log(&*disk, options, &mut |first, record, partitions| replay.add(first, record, partitions))?;
        replay.finish()?;
        self.clock.run();
        self.initiator.hold_all().sites().for_each(|site| site.limits.timeout = config.timeout);
        opened.replayed = end.transactions - options.from;
        opened.transactions = end.transactions;
        self.tidy_log(&*disk, &mut end, &mut opened)?;
        if let Some(number) = newest {
            remove_older(&*disk, number)?;
        }
        opened.elapsed = started.elapsed();
        let snapshots = Snapshots {
            next_number: newest.unwrap_or(0) + 1,
            newest: newest.map(|_| options.from),
            log_bytes: 0,
            taken_at: self.now_micros(),
        };
        Ok((Durable::new(folder, config, snapshots, opened), end))
    }

    /// Cuts a torn tail, makes sure of the rest, and removes segments that the snapshot is ahead of, so that the next segment
    /// continues the log.
    fn tidy_log(&self, disk: &dyn Disk, end: &mut LogEnd, opened: &mut DataFolder) -> Result<(), DurabilityError> {
        if end.stopped_early {
            return Ok(());
        }
        let is_ahead = end.logged < end.transactions;
        let torn = end.torn.clone();
        if let Some(torn) = torn.as_ref().filter(|torn| torn.offset > 0) {
            opened.notes.push(format!(
                "the log ended in the middle of a write: {} bytes from byte {} of {} were dropped; what was acknowledged \
                 with durability sync was on disk before",
                torn.dropped, torn.offset, torn.file
            ));
        }
        let is_empty = torn.as_ref().is_some_and(|torn| torn.offset == 0);
        // Its number is used again: a gap in the numbers would look like a lost segment.
        end.next_segment -= u64::from(is_empty);
        let gone = match is_ahead {
            true => end.segments.split_off(0),
            false => end.segments.split_off(end.segments.len() - usize::from(is_empty)),
        };
        for (number, _) in gone {
            let name = segment_name(number);
            disk.remove(&name).map_err(|e| DurabilityError::io("remove", disk.shown(&name), e))?;
        }
        if let (Some(&(number, _)), false) = (end.segments.last(), is_empty) {
            write_again(disk, number, end.last_offset)?;
        }
        disk.sync_folder().map_err(|e| DurabilityError::io("sync", disk.shown(""), e))
    }

    /// After a recovery that stopped at a target: a snapshot makes this the history, and the rest of the log is renamed.
    fn put_aside(&mut self, end: &LogEnd) -> Result<(), OpenError> {
        let Some(durable) = &self.durable else { return Ok(()) };
        let disk = &*durable.folder.disk;
        if end.stopped_early {
            let mut snapshots = durable.snapshots.lock();
            self.snapshot_locked(durable, &mut snapshots, end.next_segment)?;
        }
        let first = if end.stopped_early { end.next_segment } else { end.segments.first().map_or(0, |s| s.0) };
        let abandoned = Files::of(disk)?.segments.into_iter().filter(|&number| number < first);
        for number in abandoned {
            let name = segment_name(number);
            let aside = format!("aside-{name}");
            disk.rename(&name, &aside).map_err(|e| DurabilityError::io("rename", disk.shown(&name), e))?;
        }
        Ok(())
    }

    pub(super) fn now_micros(&self) -> i64 {
        use crate::durability::Clock;
        self.clock.now_micros()
    }

    /// Does a batch of definitions again.
    pub(super) fn define_again(&self, definition: &Definition) -> Result<(), String> {
        self.clock.set(definition.now);
        if let [Attachment { name, file, .. }] = definition.attachments.as_slice()
            && file == NATIVE
        {
            let native = self.natives.iter().find(|native| *native.name() == Name::new(name)).cloned();
            let native = native.ok_or_else(|| format!("{name} is a closure: name it in Config::native_procedures"))?;
            return self.register(native).map_err(|errors| errors[0].message.clone());
        }
        self.library.write().attached = Some(definition.attachments.clone());
        let result = self.execute_batch(&definition.text);
        self.library.write().attached = None;
        result.map(drop).map_err(|errors| errors[0].render(&definition.text, None))
    }

    /// Definitions and rows of a snapshot; gives the number of rows.
    pub(super) fn load(&self, reader: &mut SnapshotReader) -> Result<u64, DurabilityError> {
        for definition in std::mem::take(&mut reader.definitions) {
            self.define_again(&definition).map_err(|message| replay_error(0, "a definition".to_owned(), message))?;
        }
        let schema = self.schema();
        let (mut rows, mut blocks) = (0, Vec::new());
        loop {
            let block = reader.next_block()?;
            let is_last = block.is_none();
            if let Some(block) = block {
                rows += block.rows;
                blocks.push(block);
            }
            if blocks.len() == BLOCKS_AT_ONCE || is_last {
                self.insert_blocks(&schema, &blocks, reader)?;
                blocks.clear();
            }
            if is_last {
                return Ok(rows);
            }
        }
    }

    /// Each thread fills its own partitions.
    fn insert_blocks(
        &self,
        schema: &Schema,
        blocks: &[RowBlock],
        reader: &SnapshotReader,
    ) -> Result<(), DurabilityError> {
        let moved = reader.partitions as usize != self.initiator.partitions().len();
        self.on_threads(|partition, site| {
            for block in blocks {
                let Some(table) = schema.catalog.table(&Name::new(&block.table)) else {
                    return Err(reader.malformed(block));
                };
                if table.spread && !moved && block.partition.index() != partition {
                    continue;
                }
                let types: Vec<DataType> = table.columns.iter().map(|column| column.ty).collect();
                let key = table.partition_column.filter(|_| moved);
                site.store.begin(false);
                let inserted = block.each(&types, |row, arena| {
                    let is_here =
                        key.is_none_or(|at| owner(&site.hashinator, row[at], types[at], arena).index() == partition);
                    if is_here {
                        site.store.insert(table.id, row, arena, 0).map_err(|e| Refused(Some(e.to_string())))?;
                    }
                    Ok(())
                });
                site.store.commit();
                match inserted {
                    Ok(()) => {}
                    Err(Refused(None)) => return Err(reader.malformed(block)),
                    Err(Refused(Some(message))) => {
                        return Err(replay_error(0, format!("a row of {}", block.table), message));
                    }
                }
            }
            Ok(())
        })
    }

    /// Runs `work` on every partition, on as many threads as there are cores.
    pub(super) fn on_threads(
        &self,
        work: impl Fn(usize, &mut crate::partition::Site) -> Result<(), DurabilityError> + Sync,
    ) -> Result<(), DurabilityError> {
        let partitions = self.initiator.partitions();
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(partitions.len());
        let share = |thread: usize| {
            for at in (thread..partitions.len()).step_by(threads) {
                partitions[at].transact(|site| work(at, site))?;
            }
            Ok(())
        };
        if threads == 1 {
            return share(0);
        }
        std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || share(thread))).collect();
            running.into_iter().try_for_each(|thread| thread.join().expect("a thread of recovery panicked"))
        })
    }
}

/// A row that a store did not take, or no row at all.
struct Refused(Option<String>);

impl From<Malformed> for Refused {
    fn from(_: Malformed) -> Refused {
        Refused(None)
    }
}

pub(super) fn replay_error(transaction: u64, what: String, message: String) -> DurabilityError {
    DurabilityError::Replay { transaction, what, message }
}

fn is_before(until: Option<RecoverUntil>, snapshot: &SnapshotReader) -> bool {
    match until {
        None => false,
        Some(RecoverUntil::Transaction(n)) => n < snapshot.transactions,
        Some(RecoverUntil::Time(micros)) => micros < snapshot.created,
    }
}

/// Writes the first `len` bytes of a segment to a new file.
///
/// After a sync that failed, what is read may be in memory only, however often it is synced: the pages count as clean.
fn write_again(disk: &dyn Disk, number: u64, len: u64) -> Result<(), DurabilityError> {
    let name = segment_name(number);
    let unfinished = format!("{name}.tmp");
    let shown = disk.shown(&name);
    let file = disk.open(&name).map_err(|e| DurabilityError::io("open", shown.clone(), e))?;
    let mut bytes = file.read_all().map_err(|e| DurabilityError::io("read", shown.clone(), e))?;
    bytes.truncate(len as usize);
    let mut copy = disk.create(&unfinished).map_err(|e| DurabilityError::io("create", shown.clone(), e))?;
    copy.write_at(0, &bytes).map_err(|e| DurabilityError::io("write", shown.clone(), e))?;
    copy.sync().map_err(|e| DurabilityError::io("sync", shown.clone(), e))?;
    disk.rename(&unfinished, &name).map_err(|e| DurabilityError::io("rename", shown, e))
}
