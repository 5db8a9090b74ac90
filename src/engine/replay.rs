//! Does the log again: calls of single partitions in parallel, everything else between them.

use super::Engine;
use super::recovery::replay_error;
use crate::durability::{Definition, DurabilityError, Record};
use crate::initiator::Route;
use crate::partition::{Batch, Outbox};
use crate::procedure::Procedure;
use crate::topology::PartitionId;
use crate::types::Arena;
use parking_lot::Mutex;
use std::sync::Arc;

/// Calls that are gathered before partitions run them.
const CALLS_AT_ONCE: u64 = 200_000;

/// A batch and its time.
type Timed = (Box<Batch>, i64);

/// Records on their way to the partitions.
pub struct Replay<'a> {
    engine: &'a Engine,
    /// By partition: batches with their time.
    queues: Vec<Mutex<Vec<Timed>>>,
    queued: u64,
    outbox: Arc<Outbox>,
}

impl<'a> Replay<'a> {
    pub fn new(engine: &'a Engine) -> Replay<'a> {
        let queues = engine.initiator().partitions().iter().map(|_| Mutex::default()).collect();
        Replay { engine, queues, queued: 0, outbox: Arc::default() }
    }

    /// Takes one more record, whose first transaction has that number, written when there were `partitions`.
    pub fn add(&mut self, first: u64, record: Record<'_>, partitions: u32) -> Result<(), DurabilityError> {
        match record {
            Record::Calls { partition: Some(id), now, procedure, count, mut parameters } => {
                let procedure = self.procedure(first, procedure)?;
                let types = || procedure.definition.parameters.iter().map(|parameter| parameter.ty);
                let same = partitions as usize == self.queues.len() && id.index() < self.queues.len();
                let mut current: Option<Box<Batch>> = None;
                for at in 0..count {
                    let mut batch = match current.take() {
                        Some(batch) => batch,
                        None => self.batch(&procedure, id),
                    };
                    let start = batch.parameters.len();
                    parameters.next_call(types(), &mut batch.parameters, &mut batch.arena).map_err(|_| {
                        replay_error(first + at, called(&procedure), "its parameters are no such".into())
                    })?;
                    batch.tags.push(first + at);
                    if same {
                        current = Some(batch);
                        continue;
                    }
                    let row = &batch.parameters[start..];
                    let route = Route::of_call(&procedure, row, &batch.arena, self.engine.initiator().hashinator());
                    let Route::One(id) = route else {
                        let message = "a directed call can be done again only with as many partitions as before";
                        return Err(replay_error(first + at, called(&procedure), message.to_owned()));
                    };
                    batch.partition = id;
                    self.queue(batch, now);
                }
                if let Some(batch) = current {
                    self.queue(batch, now);
                }
                if self.queued >= CALLS_AT_ONCE { self.run() } else { Ok(()) }
            }
            other => {
                self.run()?;
                self.alone(first, other)
            }
        }
    }

    /// Runs what is gathered.
    pub fn finish(mut self) -> Result<(), DurabilityError> {
        self.run()
    }

    fn procedure(&self, first: u64, name: &str) -> Result<Arc<Procedure>, DurabilityError> {
        self.engine.procedure(name).map_err(|error| replay_error(first, format!("a call of {name}"), error.to_string()))
    }

    fn batch(&self, procedure: &Arc<Procedure>, partition: PartitionId) -> Box<Batch> {
        Box::new(Batch::new(procedure, partition, &self.outbox))
    }

    fn queue(&mut self, batch: Box<Batch>, now: i64) {
        self.queued += batch.len() as u64;
        self.queues[batch.partition.index()].get_mut().push((batch, now));
    }

    fn run(&mut self) -> Result<(), DurabilityError> {
        if self.queued == 0 {
            return Ok(());
        }
        self.queued = 0;
        let queues = &self.queues;
        self.engine.on_threads(|partition, site| {
            for (mut batch, now) in std::mem::take(&mut *queues[partition].lock()) {
                site.run_at(&mut batch, now);
                for (transaction, answer) in batch.tags.iter().zip(&batch.answers) {
                    if let Err(error) = answer {
                        return Err(replay_error(*transaction, called(&batch.procedure), error.to_string()));
                    }
                }
            }
            Ok(())
        })
    }

    /// A record that no other may run beside.
    fn alone(&self, first: u64, record: Record<'_>) -> Result<(), DurabilityError> {
        let engine = self.engine;
        match record {
            Record::Calls { now, procedure, count, mut parameters, .. } => {
                let procedure = self.procedure(first, procedure)?;
                let (mut row, mut arena) = (Vec::new(), Arena::default());
                for at in 0..count {
                    row.clear();
                    let failed = |message: String| replay_error(first + at, called(&procedure), message);
                    parameters
                        .next_call(procedure.definition.parameters.iter().map(|p| p.ty), &mut row, &mut arena)
                        .map_err(|_| failed("its parameters are no such".to_owned()))?;
                    let mut all = engine.initiator().hold_all();
                    all.call(&procedure, &row, &arena, now).map_err(|error| failed(error.to_string()))?;
                }
            }
            Record::Statements { now, statements, .. } => {
                engine.clock.set(now);
                for statement in statements {
                    engine.execute(&statement.text, &statement.arguments).map_err(|error| {
                        let message = error.render(&statement.text, None);
                        replay_error(first, "a statement".to_owned(), message)
                    })?;
                }
            }
            Record::Definitions { now, text, attachments } => {
                let definition = Definition { now, text: text.to_owned(), attachments };
                engine
                    .define_again(&definition)
                    .map_err(|message| replay_error(first, "a definition".to_owned(), message))?;
            }
        }
        Ok(())
    }
}

fn called(procedure: &Procedure) -> String {
    format!("a call of {}", procedure.definition.name)
}
