//! Many calls in flight: gathered into batches by partition, run by whoever holds the partition, answered in bulk.

use super::Prepared;
use crate::engine::Engine;
use crate::initiator::Route;
use crate::partition::{Batch, Outbox, TxnError};
use crate::procedure::Procedure;
use crate::topology::PartitionId;
use crate::txn::Response;
use crate::types::{Arena, Value};
use std::collections::VecDeque;
use std::sync::Arc;

/// How a session gathers calls.
#[derive(Clone, Copy, Debug)]
pub struct SessionOptions {
    /// Most calls submitted and not yet answered; `submit` waits when they are reached. Default: 4096.
    pub in_flight_max: usize,
    /// Calls that travel together to one partition. Default: 128.
    pub batch: usize,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions { in_flight_max: 4_096, batch: 128 }
    }
}

/// One thread's stream of calls.
///
/// Calls leave in batches: when a batch is full, and at [`Session::flush`], [`Session::poll`] and [`Session::drain`].
/// Calls to one partition run in the order of submission. Dropping a session runs what was submitted and forgets the
/// answers.
///
/// ```
/// use votedb::{Config, Database, SessionOptions, Value};
///
/// let db = Database::open_voter(Config::partitions(2))?;
/// let vote = db.procedure("Vote")?;
/// let mut session = db.session(SessionOptions::default());
/// for phone in 5085550000..5085551000i64 {
///     session.submit(&vote, &[Value::Int(phone), Value::Int(3), Value::Int(2)], phone as u64)?;
/// }
/// let mut accepted = 0;
/// session.drain(|_tag, answer| accepted += i64::from(answer.unwrap().returned == Value::Int(0)));
/// assert_eq!(accepted, 1000);
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
pub struct Session {
    engine: Arc<Engine>,
    options: SessionOptions,
    outbox: Arc<Outbox>,
    /// Being filled, by partition.
    filling: Vec<Option<Box<Batch>>>,
    /// Answered, not yet handed to the caller.
    ready: VecDeque<Box<Batch>>,
    /// Calls answered but not yet handed over.
    ready_calls: usize,
    #[expect(clippy::vec_box, reason = "batches travel by pointer")]
    free: Vec<Box<Batch>>,
    #[expect(clippy::vec_box, reason = "batches travel by pointer")]
    arrived: Vec<Box<Batch>>,
    /// Calls being filled.
    gathered: usize,
    /// Calls that other threads have, or will, run.
    away: usize,
}

/// Batches kept for reuse.
const FREE_MAX: usize = 64;

impl Session {
    pub(super) fn new(engine: Arc<Engine>, options: SessionOptions) -> Session {
        let partitions = engine.initiator().partitions().len();
        let options = SessionOptions {
            in_flight_max: options.in_flight_max.max(1),
            batch: options.batch.clamp(1, options.in_flight_max.max(1)),
        };
        Session {
            engine,
            options,
            outbox: Arc::new(Outbox::default()),
            filling: (0..partitions).map(|_| None).collect(),
            ready: VecDeque::new(),
            ready_calls: 0,
            free: Vec::new(),
            arrived: Vec::new(),
            gathered: 0,
            away: 0,
        }
    }

    /// Calls submitted and not yet handed to the caller.
    pub fn in_flight(&self) -> usize {
        self.gathered + self.away + self.ready_calls
    }

    /// Hands a call over. `tag` comes back with its answer. May run calls, this session's or others', before it returns,
    /// and waits while [`SessionOptions::in_flight_max`] calls are under way.
    ///
    /// Fails if the arguments do not fit: then nothing was submitted.
    #[inline]
    pub fn submit(&mut self, prepared: &Prepared, arguments: &[Value], tag: u64) -> Result<(), Box<TxnError>> {
        let procedure = &prepared.procedure;
        if self.gathered + self.away >= self.options.in_flight_max {
            self.make_room();
        }
        let Some(at) = self.partition_of_first_look(procedure, arguments) else {
            return self.submit_slowly(procedure, arguments, tag);
        };
        let batch = self.batch_for(procedure, at);
        let before = batch.parameters.len();
        if let Err(error) = Engine::convert_arguments(procedure, arguments, &mut batch.parameters, &mut batch.arena) {
            batch.parameters.truncate(before);
            return Err(error);
        }
        batch.tags.push(tag);
        self.gathered += 1;
        if self.filling[at].as_ref().is_some_and(|batch| batch.len() >= self.options.batch) {
            self.send(at);
        }
        Ok(())
    }

    /// The partition of a call whose partitioning argument is an integer that needs no conversion: the usual case.
    #[inline(always)]
    fn partition_of_first_look(&self, procedure: &Procedure, arguments: &[Value]) -> Option<usize> {
        match procedure.definition.partitioning {
            crate::catalog::ProcedurePartitioning::Single { parameter, .. } => {
                match (arguments.get(parameter), procedure.definition.parameters[parameter].ty.is_integer()) {
                    (Some(Value::Int(key)), true) => {
                        Some(self.engine.initiator().hashinator().of_integer(*key).index())
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Any other call: converted first, then routed; on all partitions it runs at once, after what was gathered.
    #[cold]
    fn submit_slowly(
        &mut self,
        procedure: &Arc<Procedure>,
        arguments: &[Value],
        tag: u64,
    ) -> Result<(), Box<TxnError>> {
        let (mut datums, mut arena) = (Vec::new(), Arena::default());
        // A system procedure looks at its arguments itself.
        if !procedure.code.ops.is_empty() {
            Engine::convert_arguments(procedure, arguments, &mut datums, &mut arena)?;
        }
        let hashinator = Arc::clone(self.engine.initiator().hashinator());
        match Route::of_call(procedure, &datums, &arena, &hashinator) {
            Route::One(id) => {
                let batch = self.batch_for(procedure, id.index());
                for datum in datums {
                    let datum = batch.arena.adopt(datum, &arena);
                    batch.parameters.push(datum);
                }
                batch.tags.push(tag);
                self.gathered += 1;
                if self.filling[id.index()].as_ref().is_some_and(|batch| batch.len() >= self.options.batch) {
                    self.send(id.index());
                }
            }
            Route::All | Route::Each => {
                self.flush();
                while self.away > 0 {
                    self.receive(true);
                }
                let mut current = Arc::clone(procedure);
                let answer = self.engine.call(&mut current, arguments, &mut Default::default());
                let mut batch = self.new_batch(procedure, PartitionId(0));
                batch.tags.push(tag);
                batch.answers.push(answer);
                self.ready_calls += 1;
                self.ready.push_back(batch);
            }
        }
        Ok(())
    }

    fn new_batch(&mut self, procedure: &Arc<Procedure>, partition: PartitionId) -> Box<Batch> {
        match self.free.pop() {
            Some(mut batch) => {
                if !Arc::ptr_eq(&batch.procedure, procedure) {
                    batch.procedure = Arc::clone(procedure);
                }
                batch.partition = partition;
                batch
            }
            None => Box::new(Batch::new(procedure, partition, &self.outbox)),
        }
    }

    /// The batch that gathers calls of `procedure` for a partition. One of another procedure leaves first.
    #[inline(always)]
    fn batch_for(&mut self, procedure: &Arc<Procedure>, at: usize) -> &mut Batch {
        let fits = self.filling[at].as_ref().is_some_and(|batch| Arc::ptr_eq(&batch.procedure, procedure));
        if !fits {
            self.send(at);
            let batch = self.new_batch(procedure, PartitionId(at as u32));
            self.filling[at] = Some(batch);
        }
        self.filling[at].as_mut().expect("filled just now")
    }

    /// Hands the partition's batch over.
    fn send(&mut self, at: usize) {
        let Some(batch) = self.filling[at].take() else { return };
        if batch.is_empty() {
            self.free.push(batch);
            return;
        }
        let calls = batch.len();
        self.gathered -= calls;
        match self.engine.initiator().submit(batch) {
            Some(batch) => {
                self.ready_calls += calls;
                self.ready.push_back(batch);
            }
            None => self.away += calls,
        }
    }

    /// Sends what has been gathered.
    pub fn flush(&mut self) {
        (0..self.filling.len()).for_each(|at| self.send(at));
    }

    /// Takes what other threads have run. `wait`: until there is something.
    fn receive(&mut self, wait: bool) {
        if self.away == 0 {
            return;
        }
        self.outbox.take(&mut self.arrived, wait);
        for batch in self.arrived.drain(..) {
            self.away -= batch.len();
            self.ready_calls += batch.len();
            self.ready.push_back(batch);
        }
    }

    #[cold]
    fn make_room(&mut self) {
        self.flush();
        while self.away >= self.options.in_flight_max {
            self.receive(true);
        }
    }

    /// Sends what has been gathered, and hands each answer that is there to `done(tag, answer)`; gives their number.
    /// `wait`: if none is there but some are in flight, until one is.
    pub fn poll(&mut self, wait: bool, mut done: impl FnMut(u64, Result<Response, Box<TxnError>>)) -> usize {
        self.flush();
        self.hand_over(wait, &mut done)
    }

    /// As [`Session::poll`], but leaves what has not filled a batch where it is.
    pub fn take_ready(&mut self, mut done: impl FnMut(u64, Result<Response, Box<TxnError>>)) -> usize {
        self.hand_over(false, &mut done)
    }

    fn hand_over(&mut self, wait: bool, done: &mut impl FnMut(u64, Result<Response, Box<TxnError>>)) -> usize {
        self.receive(wait && self.ready.is_empty());
        let mut count = 0;
        while let Some(mut batch) = self.ready.pop_front() {
            // Its answers leave when the log has what they depend on.
            if !self.engine.initiator().settle_batch(&mut batch, wait && count == 0) {
                self.ready.push_front(batch);
                break;
            }
            count += batch.len();
            self.ready_calls -= batch.len();
            for (tag, answer) in batch.tags.iter().zip(batch.answers.drain(..)) {
                done(*tag, answer);
            }
            batch.clear();
            if self.free.len() < FREE_MAX {
                self.free.push(batch);
            }
        }
        count
    }

    /// Waits for every call and hands over the answers.
    pub fn drain(&mut self, mut done: impl FnMut(u64, Result<Response, Box<TxnError>>)) {
        while self.in_flight() > 0 {
            self.poll(true, &mut done);
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.flush();
        while self.away > 0 {
            self.receive(true);
            self.ready.clear();
        }
    }
}
