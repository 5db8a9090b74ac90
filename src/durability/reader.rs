//! Reads the log back, from a transaction on, and says how it ends.

use super::disk::Disk;
use super::error::{DurabilityError, Problem};
use super::folder::Files;
use super::record::{Cursor, Record};
use super::segment::segment_name;
use super::segment::{BadHeader, Blocks, SEGMENT_HEADER, SEGMENT_VERSION, SegmentHeader, Tail, intact_block_follows};
use super::simulated::PlantedBug;
use crate::types::Timestamp;
use std::fmt;

/// Where to stop before the log's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoverUntil {
    /// After so many transactions since the database was made.
    Transaction(u64),
    /// Before the first transaction that is later, in microseconds since 1970.
    Time(i64),
}

impl fmt::Display for RecoverUntil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecoverUntil::Transaction(n) => write!(f, "transaction {n}"),
            RecoverUntil::Time(micros) => write!(f, "{}", Timestamp::from_micros(*micros)),
        }
    }
}

/// A tail that was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TornTail {
    pub file: String,
    /// Where the last intact block ends.
    pub offset: u64,
    /// Bytes up to the last one that was not zero.
    pub dropped: u64,
}

/// Where the log ends, and how it goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogEnd {
    /// Transactions since the database was made.
    pub transactions: u64,
    pub next_segment: u64,
    pub next_block: u64,
    /// Number and first transaction of each segment.
    pub segments: Vec<(u64, u64)>,
    pub torn: Option<TornTail>,
    /// Where the last block of the last segment ends.
    pub last_offset: u64,
    /// Transactions up to the last record; less than `transactions` where a snapshot is ahead of the log.
    pub logged: u64,
    /// The target was reached before the end: the rest of the log is not part of this history.
    pub stopped_early: bool,
    pub bytes: u64,
}

/// How the log is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    /// Transactions before this one are known already.
    pub from: u64,
    /// Segments of smaller numbers are of an abandoned history.
    pub first_segment: u64,
    pub until: Option<RecoverUntil>,
    pub planted: Option<PlantedBug>,
}

struct Reader<'a> {
    disk: &'a dyn Disk,
    options: ReadOptions,
    end: LogEnd,
}

/// Hands each record to `sink(number of its first transaction, record)`, without the transactions before `from` and after
/// `until`. Changes nothing on disk.
///
/// A torn tail is in the result; anything else that is wrong is an error that names file and offset.
pub fn read_log<E: From<DurabilityError>>(
    disk: &dyn Disk,
    options: ReadOptions,
    sink: &mut dyn FnMut(u64, Record<'_>, u32) -> Result<(), E>,
) -> Result<LogEnd, E> {
    let numbers: Vec<u64> =
        Files::of(disk)?.segments.into_iter().filter(|&number| number >= options.first_segment).collect();
    let mut reader = Reader { disk, options, end: LogEnd { transactions: options.from, ..LogEnd::default() } };
    reader.end.next_segment = options.first_segment.max(1);
    let mut expected: Option<u64> = None;
    for (i, &number) in numbers.iter().enumerate() {
        let is_last = i + 1 == numbers.len();
        if i > 0 && numbers[i - 1] + 1 != number {
            let file = disk.shown(&segment_name(numbers[i - 1] + 1));
            return Err(DurabilityError::MissingSegment { file, way_out: reader.way_out() }.into());
        }
        reader.end.next_segment = number + 1;
        if reader.segment(number, is_last, &mut expected, sink)? {
            reader.end.stopped_early = true;
            reader.end.next_segment = numbers.last().map_or(1, |last| last + 1);
            break;
        }
    }
    Ok(reader.end)
}

impl Reader<'_> {
    fn way_out(&self) -> String {
        format!("--recover-until {}, the state before it", self.end.transactions)
    }

    fn corrupt(&self, number: u64, offset: u64, problem: Problem) -> DurabilityError {
        let way_out = format!("to go on with {}, or put back an intact copy of the file", self.way_out());
        DurabilityError::Corrupt { file: self.disk.shown(&segment_name(number)), offset, problem, way_out }
    }

    /// True if the target was reached.
    fn segment<E: From<DurabilityError>>(
        &mut self,
        number: u64,
        is_last: bool,
        expected: &mut Option<u64>,
        sink: &mut dyn FnMut(u64, Record<'_>, u32) -> Result<(), E>,
    ) -> Result<bool, E> {
        if self.options.until == Some(RecoverUntil::Transaction(self.end.transactions)) && expected.is_some() {
            return Ok(true);
        }
        let name = segment_name(number);
        let shown = self.disk.shown(&name);
        let file = self.disk.open(&name).map_err(|e| DurabilityError::io("open", shown.clone(), e))?;
        let bytes = file.read_all().map_err(|e| DurabilityError::io("read", shown.clone(), e))?;
        let header = match SegmentHeader::from_bytes(&bytes) {
            Ok(header) => header,
            Err(BadHeader::Newer { found }) => {
                return Err(DurabilityError::Newer { file: shown, found, known: SEGMENT_VERSION }.into());
            }
            // A crash while it was made: nothing was ever in it.
            Err(BadHeader::Damaged)
                if is_last
                    && !intact_block_follows(bytes.get(SEGMENT_HEADER..).unwrap_or_default(), self.end.next_block) =>
            {
                self.end.torn = Some(TornTail { file: shown, offset: 0, dropped: bytes.len() as u64 });
                self.end.segments.push((number, self.end.transactions));
                return Ok(false);
            }
            Err(BadHeader::Damaged) => return Err(self.corrupt(number, 0, Problem::Header).into()),
        };
        let first = expected.unwrap_or(header.first_transaction);
        let gap = expected.is_some() && header.first_block != self.end.next_block;
        if header.number != number || header.first_transaction != first || first > self.end.transactions || gap {
            return Err(self.corrupt(number, 0, Problem::Order).into());
        }
        self.end.segments.push((number, first));
        let lenient = self.options.planted == Some(PlantedBug::IgnoredChecksum);
        let mut blocks = Blocks::new(&bytes, header.first_block, lenient);
        let mut at = first;
        loop {
            let offset = blocks.offset();
            let Some(payload) = blocks.next() else { break };
            let mut cursor = Cursor { bytes: payload };
            while !cursor.bytes.is_empty() {
                let record = cursor.record().map_err(|_| self.corrupt(number, offset, Problem::Content))?;
                if self.hand_over(&mut at, record, header.partitions, sink)? {
                    return Ok(true);
                }
            }
        }
        self.end.bytes += blocks.offset();
        self.end.last_offset = blocks.offset();
        self.end.next_block = blocks.number();
        self.end.logged = at;
        *expected = Some(at);
        match blocks.tail() {
            Tail::Clean => {}
            Tail::Torn { dropped } if is_last => {
                self.end.torn = Some(TornTail { file: shown, offset: blocks.offset(), dropped });
            }
            Tail::Torn { .. } | Tail::Damaged(_) => {
                return Err(self.corrupt(number, blocks.offset(), Problem::Checksum).into());
            }
        }
        Ok(false)
    }

    /// True if the record, or the rest of it, lies after the target.
    fn hand_over<E: From<DurabilityError>>(
        &mut self,
        at: &mut u64,
        record: Record<'_>,
        partitions: u32,
        sink: &mut dyn FnMut(u64, Record<'_>, u32) -> Result<(), E>,
    ) -> Result<bool, E> {
        let (first, count) = (*at, record.transactions());
        *at += count;
        if *at <= self.options.from {
            return Ok(false);
        }
        let mut record = record;
        match self.options.until {
            Some(RecoverUntil::Time(last)) if record.now() > last => return Ok(true),
            Some(RecoverUntil::Transaction(n)) if first >= n => return Ok(true),
            Some(RecoverUntil::Transaction(n)) if *at > n => {
                // Only a record of calls has more than one.
                if let Record::Calls { count, .. } = &mut record {
                    *count = n - first;
                }
                *at = n;
            }
            _ => {}
        }
        self.end.transactions = *at;
        sink(first, record, partitions)?;
        Ok(false)
    }
}
