//! Writes snapshots: the rows of all tables at one moment, with the definitions that they follow.
//!
//! ```text
//! header, 64 bytes: magic 8 | version 4 | partitions 4 | number 8 | transactions 8 | first log segment 8 | created 8 |
//!                   zeros 12 | CRC-32C of all before 4
//! blocks as in the log: one of definitions, any number of rows, one that ends it
//! ```
//!
//! A snapshot has its name only when it is complete and synced. Views are not in it: they are what their tables say.

use super::disk::{Disk, DiskFile};
use super::error::DurabilityError;
use super::record::{Record, put_datum, put_number, put_record};
use super::segment::{BLOCK_HEADER, SEGMENT_HEADER, seal_block};
use crate::storage::TableSnapshot;
use crate::topology::PartitionId;
use crate::types::Arena;

pub const SNAPSHOT_VERSION: u32 = 1;
pub(super) const SNAPSHOT_MAGIC: &[u8; 8] = b"VOTESNP\n";
pub(super) const DEFINITIONS_BLOCK: u8 = 1;
pub(super) const ROWS_BLOCK: u8 = 2;
pub(super) const END_BLOCK: u8 = 3;
/// A block of rows ends when it reaches this.
const BLOCK_BYTES: usize = 256 << 10;

/// The name of a complete snapshot.
pub fn snapshot_name(number: u64) -> String {
    format!("snapshot-{number:010}.vsnap")
}
/// The number in a complete snapshot's name.
pub fn snapshot_number(name: &str) -> Option<u64> {
    name.strip_prefix("snapshot-")?.strip_suffix(".vsnap")?.parse().ok()
}
/// True for a file that was not completed.
pub fn is_unfinished(name: &str) -> bool {
    (name.starts_with("snapshot-") || name.starts_with("log-")) && name.ends_with(".tmp")
}

/// All that goes into a snapshot. It shares pages with the tables, which may change meanwhile.
pub struct SnapshotImage {
    /// How many transactions it holds, since the database was made.
    pub transactions: u64,
    /// Log segments with smaller numbers do not continue it, whatever they say.
    pub first_segment: u64,
    pub partitions: u32,
    /// Microseconds since 1970.
    pub created: i64,
    /// The batches of definitions that lead to its schema, in order.
    pub definitions: Vec<Definition>,
    /// The tables that are no views; replicated ones once.
    pub tables: Vec<(PartitionId, TableSnapshot)>,
}

/// One batch of definitions, as [`Record::Definitions`] has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    pub now: i64,
    pub text: String,
    pub attachments: Vec<super::record::Attachment>,
}

/// What a snapshot became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotSummary {
    pub file: String,
    pub number: u64,
    pub transactions: u64,
    pub rows: u64,
    pub bytes: u64,
}

struct Writer<'a> {
    file: Box<dyn DiskFile>,
    shown: &'a str,
    offset: u64,
    block: u64,
    buffer: Vec<u8>,
}

impl Writer<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), DurabilityError> {
        self.file.write_at(self.offset, bytes).map_err(|e| DurabilityError::io("write", self.shown, e))?;
        self.offset += bytes.len() as u64;
        Ok(())
    }

    /// Writes `buffer`, which has room for the header before the payload, and empties it.
    fn end_block(&mut self) -> Result<(), DurabilityError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        seal_block(&mut buffer, self.block);
        self.put(&buffer)?;
        self.block += 1;
        buffer.clear();
        buffer.resize(BLOCK_HEADER, 0);
        self.buffer = buffer;
        Ok(())
    }

    /// The rows of one table of one partition; gives their number.
    fn rows(&mut self, partition: PartitionId, table: &TableSnapshot) -> Result<u64, DurabilityError> {
        let (mut rows, mut arena) = (Vec::new(), Arena::default());
        let (mut count, mut total) = (0u64, 0u64);
        let mut next = table.first_row();
        while let Some(row) = next {
            for (at, column) in table.def().columns.iter().enumerate() {
                let datum = table.load(row, at, &mut arena);
                put_datum(&mut rows, datum, column.ty, &arena);
            }
            arena.truncate(0);
            count += 1;
            next = table.next_row(row);
            if rows.len() >= BLOCK_BYTES || next.is_none() {
                self.buffer.push(ROWS_BLOCK);
                let name = table.def().name.as_str();
                put_number(&mut self.buffer, name.len() as u64);
                self.buffer.extend_from_slice(name.as_bytes());
                put_number(&mut self.buffer, partition.0.into());
                put_number(&mut self.buffer, count);
                self.buffer.extend_from_slice(&rows);
                self.end_block()?;
                total += count;
                count = 0;
                rows.clear();
            }
        }
        Ok(total)
    }
}

/// Writes a snapshot of that number, and returns when it is complete and will last.
pub fn write_snapshot(disk: &dyn Disk, number: u64, image: &SnapshotImage) -> Result<SnapshotSummary, DurabilityError> {
    let (name, unfinished) = (snapshot_name(number), format!("snapshot-{number:010}.tmp"));
    let shown = disk.shown(&name);
    let result = write_file(disk, &unfinished, &shown, number, image).and_then(|(rows, bytes)| {
        disk.rename(&unfinished, &name).map_err(|e| DurabilityError::io("rename", shown.clone(), e))?;
        disk.sync_folder().map_err(|e| DurabilityError::io("sync the folder of", shown.clone(), e))?;
        Ok(SnapshotSummary { file: shown.clone(), number, transactions: image.transactions, rows, bytes })
    });
    if result.is_err() {
        // A full disk is likelier to work again without half a snapshot on it; if not, the next start removes it.
        let _ = disk.remove(&unfinished);
    }
    result
}

fn write_file(
    disk: &dyn Disk,
    name: &str,
    shown: &str,
    number: u64,
    image: &SnapshotImage,
) -> Result<(u64, u64), DurabilityError> {
    let file = disk.create(name).map_err(|e| DurabilityError::io("create", shown, e))?;
    let mut writer = Writer { file, shown, offset: 0, block: 0, buffer: vec![0; BLOCK_HEADER] };
    writer.put(&header(number, image))?;
    writer.buffer.push(DEFINITIONS_BLOCK);
    for Definition { now, text, attachments } in &image.definitions {
        let record = Record::Definitions { now: *now, text, attachments: attachments.clone() };
        put_record(&mut writer.buffer, &record);
    }
    writer.end_block()?;
    let mut rows = 0;
    for (partition, table) in &image.tables {
        rows += writer.rows(*partition, table)?;
    }
    writer.buffer.push(END_BLOCK);
    put_number(&mut writer.buffer, rows);
    writer.end_block()?;
    writer.file.sync().map_err(|e| DurabilityError::io("sync", shown, e))?;
    Ok((rows, writer.offset))
}

fn header(number: u64, image: &SnapshotImage) -> [u8; SEGMENT_HEADER] {
    let mut bytes = [0; SEGMENT_HEADER];
    bytes[..8].copy_from_slice(SNAPSHOT_MAGIC);
    bytes[8..12].copy_from_slice(&SNAPSHOT_VERSION.to_le_bytes());
    bytes[12..16].copy_from_slice(&image.partitions.to_le_bytes());
    bytes[16..24].copy_from_slice(&number.to_le_bytes());
    bytes[24..32].copy_from_slice(&image.transactions.to_le_bytes());
    bytes[32..40].copy_from_slice(&image.first_segment.to_le_bytes());
    bytes[40..48].copy_from_slice(&image.created.to_le_bytes());
    let crc = crc32c::crc32c(&bytes[..60]);
    bytes[60..].copy_from_slice(&crc.to_le_bytes());
    bytes
}
