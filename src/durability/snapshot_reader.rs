//! Reads snapshots back, block by block.

use super::disk::{Disk, DiskFile};
use super::error::{DurabilityError, Problem};
use super::record::{Cursor, Malformed, Record};
use super::segment::{BLOCK_HEADER, SEGMENT_HEADER, le32, le64};
use super::simulated::PlantedBug;
use super::snapshot::{
    DEFINITIONS_BLOCK, Definition, END_BLOCK, ROWS_BLOCK, SNAPSHOT_MAGIC, SNAPSHOT_VERSION, snapshot_name,
};
use crate::topology::PartitionId;
use crate::types::{Arena, DataType, Datum};

/// A snapshot that is being read.
pub struct SnapshotReader {
    pub transactions: u64,
    pub first_segment: u64,
    pub partitions: u32,
    pub created: i64,
    pub definitions: Vec<Definition>,
    pub bytes: u64,
    file: Box<dyn DiskFile>,
    shown: String,
    offset: u64,
    block: u32,
    rows: u64,
    lenient: bool,
}

/// Rows of one table.
#[derive(Debug)]
pub struct RowBlock {
    pub table: String,
    /// Where they were when the snapshot was taken.
    pub partition: PartitionId,
    pub rows: u64,
    bytes: Vec<u8>,
    start: usize,
    /// Of the file.
    offset: u64,
}

impl SnapshotReader {
    /// Opens snapshot `number` and reads its definitions.
    pub fn open(disk: &dyn Disk, number: u64, planted: Option<PlantedBug>) -> Result<SnapshotReader, DurabilityError> {
        let name = snapshot_name(number);
        let shown = disk.shown(&name);
        let file = disk.open(&name).map_err(|e| DurabilityError::io("open", shown.clone(), e))?;
        let bytes = file.len().map_err(|e| DurabilityError::io("read", shown.clone(), e))?;
        let mut reader = SnapshotReader {
            transactions: 0,
            first_segment: 0,
            partitions: 0,
            created: 0,
            definitions: Vec::new(),
            bytes,
            file,
            shown,
            offset: 0,
            block: 0,
            rows: 0,
            lenient: planted == Some(PlantedBug::IgnoredChecksum),
        };
        let header = reader.take(SEGMENT_HEADER, Problem::Header)?;
        if header[..8] != *SNAPSHOT_MAGIC || le32(&header, 60) != crc32c::crc32c(&header[..60]) {
            return Err(reader.corrupt(0, Problem::Header));
        }
        let found = le32(&header, 8);
        if found > SNAPSHOT_VERSION {
            return Err(DurabilityError::Newer { file: reader.shown, found, known: SNAPSHOT_VERSION });
        }
        if le64(&header, 16) != number {
            return Err(reader.corrupt(16, Problem::Order));
        }
        reader.partitions = le32(&header, 12);
        reader.transactions = le64(&header, 24);
        reader.first_segment = le64(&header, 32);
        reader.created = le64(&header, 40) as i64;
        let payload = reader.next_payload()?;
        reader.definitions =
            definitions(&payload).map_err(|_| reader.corrupt(SEGMENT_HEADER as u64, Problem::Content))?;
        Ok(reader)
    }

    fn corrupt(&self, offset: u64, problem: Problem) -> DurabilityError {
        let way_out = "put back an intact copy of the file, or restore a backup".to_owned();
        DurabilityError::Corrupt { file: self.shown.clone(), offset, problem, way_out }
    }

    fn take(&mut self, len: usize, problem: Problem) -> Result<Vec<u8>, DurabilityError> {
        if self.offset + len as u64 > self.bytes {
            return Err(self.corrupt(self.offset, problem));
        }
        let mut bytes = vec![0; len];
        self.file.read_at(self.offset, &mut bytes).map_err(|e| DurabilityError::io("read", self.shown.clone(), e))?;
        self.offset += len as u64;
        Ok(bytes)
    }

    fn next_payload(&mut self) -> Result<Vec<u8>, DurabilityError> {
        let start = self.offset;
        let header = self.take(BLOCK_HEADER, Problem::Truncated)?;
        let payload = self.take(le32(&header, 0) as usize, Problem::Truncated)?;
        let crc = crc32c::crc32c_append(crc32c::crc32c(&header[..8]), &payload);
        if crc != le32(&header, 8) && !self.lenient {
            return Err(self.corrupt(start, Problem::Checksum));
        }
        if le32(&header, 4) != self.block || payload.is_empty() {
            return Err(self.corrupt(start, Problem::Order));
        }
        self.block += 1;
        Ok(payload)
    }

    /// The next rows; None after the last, when the whole file has been found intact.
    pub fn next_block(&mut self) -> Result<Option<RowBlock>, DurabilityError> {
        let offset = self.offset;
        let bytes = self.next_payload()?;
        match self.row_block(bytes, offset) {
            Ok(Some(block)) => Ok(Some(block)),
            Ok(None) if self.offset == self.bytes => Ok(None),
            _ => Err(self.corrupt(offset, Problem::Content)),
        }
    }

    fn row_block(&mut self, bytes: Vec<u8>, offset: u64) -> Result<Option<RowBlock>, Malformed> {
        let mut cursor = Cursor { bytes: &bytes };
        match cursor.byte()? {
            ROWS_BLOCK => {
                let table = cursor.text()?.to_owned();
                let partition = PartitionId(cursor.number()?.try_into().map_err(|_| Malformed)?);
                let rows = cursor.number()?;
                self.rows += rows;
                let start = bytes.len() - cursor.bytes.len();
                Ok(Some(RowBlock { table, partition, rows, bytes, start, offset }))
            }
            END_BLOCK if cursor.number()? == self.rows => Ok(None),
            _ => Err(Malformed),
        }
    }

    /// A block whose rows are not what the definitions say.
    pub fn malformed(&self, block: &RowBlock) -> DurabilityError {
        self.corrupt(block.offset, Problem::Content)
    }
}

fn definitions(payload: &[u8]) -> Result<Vec<Definition>, Malformed> {
    let mut cursor = Cursor { bytes: payload };
    if cursor.byte()? != DEFINITIONS_BLOCK {
        return Err(Malformed);
    }
    let mut definitions = Vec::new();
    while !cursor.bytes.is_empty() {
        let Record::Definitions { now, text, attachments } = cursor.record()? else { return Err(Malformed) };
        definitions.push(Definition { now, text: text.to_owned(), attachments });
    }
    Ok(definitions)
}

impl RowBlock {
    /// Hands each row to `sink`: a datum per column of these types; long bytes are in the arena, which is emptied after
    /// each. Fails if the bytes are not such rows, or `sink` does.
    pub fn each<E: From<Malformed>>(
        &self,
        types: &[DataType],
        mut sink: impl FnMut(&[Datum], &Arena) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut cursor = Cursor { bytes: &self.bytes[self.start..] };
        let (mut row, mut arena) = (Vec::with_capacity(types.len()), Arena::default());
        for _ in 0..self.rows {
            row.clear();
            for &ty in types {
                row.push(cursor.datum(ty, &mut arena)?);
            }
            sink(&row, &arena)?;
            arena.truncate(0);
        }
        if cursor.bytes.is_empty() { Ok(()) } else { Err(Malformed.into()) }
    }
}
