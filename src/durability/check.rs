//! Looks at every file of a data folder, and changes nothing.

use super::disk::Disk;
use super::error::DurabilityError;
use super::folder::Files;
use super::reader::{ReadOptions, TornTail, read_log};
use super::snapshot::snapshot_name;
use super::snapshot_reader::SnapshotReader;

/// What a folder holds.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// A line for each file, or group of files, that is as it should be.
    pub lines: Vec<String>,
    pub torn: Option<TornTail>,
    /// What keeps the folder from being opened.
    pub errors: Vec<DurabilityError>,
}

/// Reads everything.
pub fn check(disk: &dyn Disk) -> Result<CheckReport, DurabilityError> {
    let files = Files::of(disk)?;
    let mut report = CheckReport::default();
    let mut options = ReadOptions::default();
    for &number in &files.snapshots {
        match check_snapshot(disk, number) {
            Ok((snapshot, rows)) => {
                report.lines.push(format!(
                    "{}: complete, {rows} rows, {} bytes, transactions up to {}",
                    snapshot_name(number),
                    snapshot.bytes,
                    snapshot.transactions
                ));
                options.from = snapshot.transactions;
                options.first_segment = snapshot.first_segment;
            }
            Err(error) => report.errors.push(error),
        }
    }
    let mut records = 0u64;
    let end = read_log::<DurabilityError>(disk, options, &mut |_, _, _| {
        records += 1;
        Ok(())
    });
    match end {
        Ok(end) => {
            report.lines.push(format!(
                "log: {} segments, {} bytes, {} transactions after the snapshot in {records} records",
                end.segments.len(),
                end.bytes,
                end.transactions - options.from,
            ));
            report.torn = end.torn;
        }
        Err(error) => report.errors.push(error),
    }
    Ok(report)
}

fn check_snapshot(disk: &dyn Disk, number: u64) -> Result<(SnapshotReader, u64), DurabilityError> {
    let mut reader = SnapshotReader::open(disk, number, None)?;
    let mut rows = 0;
    while let Some(block) = reader.next_block()? {
        rows += block.rows;
    }
    Ok((reader, rows))
}
