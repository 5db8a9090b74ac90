//! What transactions have to do with the log: noted when they commit, answered when they may be.

use super::{AllSites, Initiator};
use crate::durability::{CommandLog, LoggedStatement, Record, SiteLog};
use crate::partition::{Batch, TxnError};
use crate::procedure::{Procedure, Tracer};
use crate::topology::PartitionId;
use crate::txn::Response;
use crate::types::{Arena, Datum, Value};
use std::sync::Arc;

/// An ad hoc statement as it was asked for.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    pub text: &'a str,
    pub arguments: &'a [Value],
}

impl Asked<'_> {
    pub(super) fn record(self, partition: Option<PartitionId>, now: i64) -> Record<'static> {
        let statement = LoggedStatement { text: self.text.to_owned(), arguments: self.arguments.to_vec() };
        Record::Statements { partition, now, statements: vec![statement] }
    }
}

impl Initiator {
    /// The log, if there is one.
    #[inline(always)]
    pub fn log(&self) -> Option<&Arc<CommandLog>> {
        self.log.get()
    }

    /// From now on every change goes to the log. Once only.
    pub fn attach_log(&self, log: Arc<CommandLog>) {
        let mut all = self.hold_all();
        all.sites().for_each(|site| site.log = SiteLog::new(Some(Arc::clone(&log))));
        assert!(self.log.set(log).is_ok(), "a database has one log");
    }

    /// Waits until the log has `awaited` on disk. A failure is one only for what has changed something: a read is answered,
    /// though what it saw may not last.
    #[inline]
    pub(super) fn settle(&self, awaited: u64, read_only: bool) -> Result<(), String> {
        match self.log.get() {
            Some(log) if awaited > 0 && log.durable() < awaited => match log.wait(awaited) {
                Err(reason) if !read_only => Err(reason),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Lets go of all partitions, and waits until the log has what was done on them.
    pub fn settle_all(&self, mut all: AllSites<'_>) -> Result<(), Box<TxnError>> {
        let awaited = all.awaited();
        drop(all);
        self.settle(awaited, false).map_err(|reason| Box::new(TxnError::NotDurable { reason }))
    }

    /// True if the answers of a batch may leave. `wait`: waits until they may.
    #[inline]
    pub fn settle_batch(&self, batch: &mut Batch, wait: bool) -> bool {
        if batch.awaited == 0 {
            return true;
        }
        let Some(log) = self.log.get() else { return true };
        if log.durable() >= batch.awaited {
            return true;
        }
        if !wait && !log.has_failed() {
            return false;
        }
        let read_only = batch.procedure.definition.read_only;
        if let Err(reason) = self.settle(batch.awaited, read_only) {
            for answer in batch.answers.iter_mut().filter(|answer| answer.is_ok()) {
                *answer = Err(Box::new(TxnError::NotDurable { reason: reason.clone() }));
            }
        }
        batch.awaited = 0;
        true
    }
}

impl AllSites<'_> {
    /// What has to be on disk before an answer leaves that has seen all partitions.
    pub(super) fn awaited(&mut self) -> u64 {
        self.sites().map(|site| site.log.awaited()).max().unwrap_or(0)
    }

    /// Why nothing may be changed, if so.
    pub fn refusal(&mut self) -> Option<String> {
        self.sites().next().and_then(|site| site.log.refusal())
    }

    /// As [`AllSites::call_traced`], and notes it in the log. Also gives what has to be on disk before the answer may
    /// leave.
    pub fn call_logged<T: Tracer>(
        &mut self,
        procedure: &Procedure,
        parameters: &[Datum],
        arena: &Arena,
        now: i64,
        tracer: &mut T,
    ) -> (Result<Response, Box<TxnError>>, u64) {
        let writes = !procedure.definition.read_only;
        if writes && let Some(reason) = self.refusal() {
            return (Err(Box::new(TxnError::ReadOnly { reason })), 0);
        }
        let result = self.call_traced(procedure, parameters, arena, now, tracer);
        if writes && result.is_ok() {
            self.note_call(procedure, parameters, arena, now);
        }
        (result, self.awaited())
    }

    /// Notes a call that committed on all partitions.
    fn note_call(&mut self, procedure: &Procedure, parameters: &[Datum], arena: &Arena, now: i64) {
        let first = self.sites().next().expect("one partition at least");
        if !first.log.is_on() {
            return;
        }
        first.log.gather(&procedure.definition, parameters, arena);
        first.log.publish(None, &procedure.definition, now, false);
        let position = first.log.position();
        self.sites().for_each(|site| site.log.advance(position));
    }

    /// Notes any other transaction that committed on all partitions.
    pub fn note(&mut self, log: Option<&Arc<CommandLog>>, record: &Record<'_>) {
        if let Some(log) = log {
            let position = log.publish_record(record);
            self.sites().for_each(|site| site.log.advance(position));
        }
    }
}
