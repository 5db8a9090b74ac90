//! What was run in this session: for HISTORY and RECALL, and as the table `sys.history`.

use super::database::{Outcome, ShellDatabase, StatementError, Tag};
use crate::types::Value;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The oldest go first when there are more.
const ENTRIES_MAX: usize = 10_000;

#[derive(Clone, Debug)]
pub struct Entry {
    pub text: String,
    /// Microseconds since 1970.
    started_us: i64,
    elapsed: Duration,
    /// Returned or modified.
    rows: Option<u64>,
    error: Option<String>,
    place: Option<String>,
}

impl Entry {
    pub fn of(text: &str, result: &Result<Outcome, StatementError>, place: Option<String>) -> Entry {
        let elapsed = result.as_ref().map_or(Duration::ZERO, |outcome| outcome.elapsed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Entry {
            text: text.to_owned(),
            started_us: now.saturating_sub(elapsed).as_micros() as i64,
            elapsed,
            rows: result.as_ref().ok().map(|outcome| match outcome.tag {
                Tag::Modified(count) => count,
                _ => outcome.results.iter().map(|set| set.rows.len() as u64).sum(),
            }),
            error: result.as_ref().err().map(|error| error.message.clone()),
            place,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct History {
    entries: std::collections::VecDeque<Entry>,
    dropped: usize,
}

/// The name of the table.
const TABLE: &str = "sys.history";

impl History {
    pub fn push(&mut self, entry: Entry) {
        if self.entries.len() == ENTRIES_MAX {
            self.entries.pop_front();
            self.dropped += 1;
        }
        self.entries.push_back(entry);
    }

    /// Entries with their numbers, from 1.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Entry)> {
        self.entries.iter().enumerate().map(|(i, entry)| (self.dropped + i + 1, entry))
    }

    pub fn get(&self, number: usize) -> Option<&Entry> {
        self.entries.get(number.checked_sub(self.dropped + 1)?)
    }

    /// True for a query that reads `sys.history`.
    pub fn is_asked(text: &str) -> bool {
        let lower = text.trim_start().to_ascii_lowercase();
        lower.starts_with("select") && lower.contains(TABLE)
    }

    /// Answers a query on `sys.history` from a database of its own, of the same kind as `db`.
    pub fn query(&self, text: &str, db: &dyn ShellDatabase) -> Result<Outcome, StatementError> {
        let mut scratch = db.scratch().ok_or_else(|| StatementError::new("this database has no sys.history"))?;
        scratch.execute(
            "CREATE TABLE sys_history (id BIGINT NOT NULL, started TIMESTAMP, elapsed_us BIGINT, rows_count BIGINT, \
             place VARCHAR(200), error VARCHAR(10000), statement VARCHAR(1000000), PRIMARY KEY (id))",
        )?;
        for (number, entry) in self.iter() {
            let text = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::from);
            let row = [
                Value::Int(number as i64),
                Value::Timestamp(crate::types::Timestamp::from_micros(entry.started_us)),
                Value::Int(entry.elapsed.as_micros() as i64),
                entry.rows.map_or(Value::Null, |rows| Value::Int(rows as i64)),
                text(&entry.place),
                text(&entry.error),
                Value::from(entry.text.as_str()),
            ];
            scratch.execute_with("INSERT INTO sys_history VALUES (?, ?, ?, ?, ?, ?, ?)", &row)?;
        }
        // Names of one length: an error's place stays right.
        let mut own = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.to_ascii_lowercase().find(TABLE) {
            own.push_str(&rest[..at]);
            own.push_str("sys_history");
            rest = &rest[at + TABLE.len()..];
        }
        own.push_str(rest);
        scratch.execute(&own)
    }
}
