//! Statements about the database as a whole: SNAPSHOT, BACKUP TO.

use super::durable::io_error;
use super::{Engine, Executed, StatementError, Tag};
use crate::durability::{Disk, RealDisk, SnapshotSummary, write_snapshot};
use crate::sql::Span;
use std::path::Path;

impl Engine {
    /// Runs a statement of these; None: it is another one.
    pub(super) fn maintain(&self, text: &str) -> Option<Result<Executed, StatementError>> {
        let statement = text.trim().trim_end_matches(';').trim_end();
        let mut words = statement.split_whitespace();
        let first = words.next()?.to_ascii_uppercase();
        let second = words.next().map(str::to_ascii_uppercase);
        match (first.as_str(), second.as_deref()) {
            ("SNAPSHOT", None) | ("EXEC" | "EXECUTE", Some("@SNAPSHOTSAVE")) => Some(self.snapshot().map(saved)),
            ("BACKUP", _) => Some(self.backup_statement(text, statement)),
            _ => None,
        }
    }

    fn backup_statement(&self, text: &str, statement: &str) -> Result<Executed, StatementError> {
        let start = text.find(statement).unwrap_or(0);
        let usage = || {
            let span = Span::new(start, start + statement.len());
            StatementError::new("write BACKUP TO 'directory'", span)
        };
        let rest = statement["BACKUP".len()..].trim_start();
        let to = rest.get(..2).filter(|to| to.eq_ignore_ascii_case("TO")).ok_or_else(usage)?;
        let quoted = rest[to.len()..].trim_start();
        let folder = quoted.strip_prefix('\'').and_then(|q| q.strip_suffix('\'')).ok_or_else(usage)?;
        self.backup(Path::new(&folder.replace("''", "'"))).map(saved)
    }

    /// Writes the state of now to a new or empty folder, which can be opened as a data folder. Work goes on meanwhile.
    pub fn backup(&self, folder: &Path) -> Result<SnapshotSummary, StatementError> {
        let shown = folder.display();
        let disk = RealDisk::open(folder).map_err(|error| io_error(format!("cannot open {shown}: {error}")))?;
        let files = disk.list().map_err(|error| io_error(format!("cannot read {shown}: {error}")))?;
        if !files.is_empty() {
            return Err(io_error(format!("{shown} is not empty: a backup needs a folder of its own")));
        }
        write_snapshot(&disk, 1, &self.image()).map_err(|error| io_error(error.to_string()))
    }
}

fn saved(summary: SnapshotSummary) -> Executed {
    let tag = Tag::Done(format!("saved {} rows, {} bytes, to {}", summary.rows, summary.bytes, summary.file));
    Executed { results: Vec::new(), tag, place: None, notes: Vec::new() }
}
