//! Calls that travel together: from a pipelined session to a partition, and back with their answers.

use super::TxnError;
use crate::procedure::Procedure;
use crate::topology::PartitionId;
use crate::txn::Response;
use crate::types::{Arena, Datum};
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;

/// Calls of one procedure for one partition, in the order of submission. Goes back and forth, so nothing is allocated
/// for a call.
pub struct Batch {
    pub procedure: Arc<Procedure>,
    pub partition: PartitionId,
    /// Parameters of all calls, one call after the other, of the declared types; long bytes in `arena`.
    pub parameters: Vec<Datum>,
    pub arena: Arena,
    /// When it was put into the inbox, if it was.
    pub queued: Option<std::time::Instant>,
    /// What the sender wants back with each answer. Its length is the number of calls.
    pub tags: Vec<u64>,
    /// Filled by the site: one for each call, in order.
    pub answers: Vec<Result<Response, Box<TxnError>>>,
    /// What the log must have on disk before the answers may leave: a position; 0 if they need not wait.
    pub awaited: u64,
    /// Where it goes when another thread than the sender's has run it.
    pub outbox: Arc<Outbox>,
}

impl Batch {
    /// No calls yet, of `procedure` for `partition`; its answers go to `outbox` where another thread runs it.
    pub fn new(procedure: &Arc<Procedure>, partition: PartitionId, outbox: &Arc<Outbox>) -> Batch {
        Batch {
            procedure: Arc::clone(procedure),
            partition,
            parameters: Vec::new(),
            arena: Arena::default(),
            queued: None,
            tags: Vec::new(),
            answers: Vec::new(),
            awaited: 0,
            outbox: Arc::clone(outbox),
        }
    }

    pub fn len(&self) -> usize {
        self.tags.len()
    }
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }
    /// Ready to be filled again; keeps its memory.
    pub fn clear(&mut self) {
        self.parameters.clear();
        self.arena.truncate(0);
        self.tags.clear();
        self.answers.clear();
        self.awaited = 0;
    }
}

/// Batches that came back to a session.
#[derive(Default)]
pub struct Outbox {
    #[expect(clippy::vec_box, reason = "batches travel by pointer between sessions and partitions")]
    batches: Mutex<Vec<Box<Batch>>>,
    arrived: Condvar,
}

impl Outbox {
    pub fn put(&self, batch: Box<Batch>) {
        self.batches.lock().push(batch);
        self.arrived.notify_one();
    }
    /// Moves what is there to `into`. `wait`: until there is something.
    pub fn take(&self, into: &mut Vec<Box<Batch>>, wait: bool) {
        let mut batches = self.batches.lock();
        while wait && batches.is_empty() {
            self.arrived.wait(&mut batches);
        }
        into.append(&mut batches);
    }
}
