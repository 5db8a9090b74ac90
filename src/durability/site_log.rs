//! One partition's way to the log.

use super::log::CommandLog;
use super::record::put_datum;
use crate::catalog;
use crate::topology::PartitionId;
use crate::types::{Arena, Datum};
use std::sync::Arc;

/// Gathers the calls of a batch, and publishes them together. Without a log it does nothing.
#[derive(Default)]
pub struct SiteLog {
    log: Option<Arc<CommandLog>>,
    /// Encoded parameters of the calls gathered.
    parameters: Vec<u8>,
    calls: u64,
    /// Of the log, after what this partition published last.
    position: u64,
}

impl SiteLog {
    pub fn new(log: Option<Arc<CommandLog>>) -> SiteLog {
        let position = log.as_ref().map_or(0, |log| log.position());
        SiteLog { log, position, ..SiteLog::default() }
    }

    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.log.is_some()
    }

    /// Why nothing may be changed, if so.
    #[inline]
    pub fn refusal(&self) -> Option<String> {
        match &self.log {
            Some(log) if log.has_failed() => log.failure(),
            _ => None,
        }
    }

    /// A call that committed.
    #[inline(always)]
    pub fn gather(&mut self, procedure: &catalog::Procedure, parameters: &[Datum], arena: &Arena) {
        for (parameter, &datum) in procedure.parameters.iter().zip(parameters) {
            put_datum(&mut self.parameters, datum, parameter.ty, arena);
        }
        self.calls += 1;
    }

    /// Publishes what was gathered, if anything. `now`: the transactions' time; 0 if they did not ask for it.
    pub fn publish(&mut self, partition: Option<PartitionId>, procedure: &catalog::Procedure, now: i64, wake: bool) {
        let Some(log) = &self.log else { return };
        if self.calls == 0 {
            return;
        }
        let now = if now == 0 { log.now_micros() } else { now };
        let name = procedure.name.as_str();
        self.position = log.publish_calls(partition, now, name, self.calls, &self.parameters, wake);
        self.parameters.clear();
        self.calls = 0;
    }

    /// What has to be on disk before an answer leaves that has seen this partition; 0 if answers do not wait.
    #[inline(always)]
    pub fn awaited(&self) -> u64 {
        match &self.log {
            Some(log) if log.is_sync() => self.position,
            _ => 0,
        }
    }

    /// A transaction on all partitions was published.
    pub fn advance(&mut self, position: u64) {
        self.position = position;
    }
    /// The position after what this partition published last.
    pub fn position(&self) -> u64 {
        self.position
    }
}
