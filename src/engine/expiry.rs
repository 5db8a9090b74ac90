//! USING TTL: rows that have lived long enough are deleted, a batch at a time, each batch a transaction of its own.
//!
//! The thread that asks for it is started with the first table that has a TTL; a database without one has none.

use super::engine::Tag;
use super::{Engine, StatementError};
use crate::catalog::{Table, Ttl};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Time between two rounds of a table whose MAX_FREQUENCY is 1.
const SECOND: Duration = Duration::from_secs(1);
/// Longer lives than this (a thousand years) never end.
const SECONDS_MAX: u64 = 31_556_952_000;

impl Engine {
    /// Deletes the rows of all tables with a TTL that have expired; gives their number. Other transactions run between
    /// the batches.
    pub fn expire_rows(&self) -> Result<u64, StatementError> {
        let mut deleted = 0;
        for table in self.expiring() {
            while let round @ 1.. = self.expire_batch(&table)? {
                deleted += round;
            }
        }
        Ok(deleted)
    }

    fn expiring(&self) -> Vec<Arc<Table>> {
        let schema = self.schema();
        schema.catalog.tables().filter(|table| table.ttl.is_some() && !table.is_view()).cloned().collect()
    }

    /// One transaction: as many rows as one round may delete in every partition.
    fn expire_batch(&self, table: &Table) -> Result<u64, StatementError> {
        let Some(Ttl { seconds, column, batch_size, .. }) = table.ttl else { return Ok(0) };
        if seconds > SECONDS_MAX {
            return Ok(0);
        }
        let rows = u64::from(batch_size) * self.initiator.partitions().len() as u64;
        let (name, column) = (&table.name, &table.columns[column].name);
        let text = format!(
            "DELETE FROM \"{name}\" WHERE \"{column}\" < DATEADD(SECOND, -{seconds}, NOW) ORDER BY \"{column}\" LIMIT {rows}"
        );
        match self.execute(&text, &[])?.tag {
            Tag::Modified(rows) => Ok(rows as u64),
            _ => Ok(0),
        }
    }

    /// Starts the thread that lets rows expire, if there is a table with a TTL and no thread yet.
    pub(super) fn start_expiry(&self) {
        let wanted = self.schema().catalog.tables().any(|table| table.ttl.is_some());
        let Some(me) = self.me.get().filter(|_| wanted) else { return };
        let mut running = self.expiry.lock();
        if running.is_none() {
            let me = Weak::clone(me);
            // Without a thread the rows stay: whoever asks can still delete them.
            *running = std::thread::Builder::new().name("expiry".to_owned()).spawn(move || watch(&me)).ok();
        }
    }
}

fn watch(engine: &Weak<Engine>) {
    // Rounds so far of the second at hand, in steps of a tenth: that is how often a table may come.
    let mut tick: u32 = 0;
    loop {
        std::thread::sleep(SECOND / 10);
        let Some(engine) = engine.upgrade() else { return };
        for table in engine.expiring() {
            let frequency = table.ttl.map_or(1, |ttl| ttl.max_frequency).min(10);
            if tick.is_multiple_of(10 / frequency) {
                // A failure is told by whoever asks for the same: the next round tries again.
                engine.expire_batch(&table).ok();
            }
        }
        tick = tick.wrapping_add(1);
    }
}
