//! Starts and stops partitions, and runs transactions on them.

use super::{AllSites, Asked, Route};
use crate::durability::{Clock, CommandLog, SiteLog};
use crate::executor::{Answer, Environment, Limits, Program};
use crate::partition::{Batch, Counting, Partition, Schema, Site, TxnError};
use crate::procedure::{NoTracer, Procedure, Trace};
use crate::stats::PartitionCounters;
use crate::storage::Store;
use crate::topology::{Hashinator, PartitionId};
use crate::txn::Response;
use crate::types::{Arena, Datum, Frame};
use parking_lot::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A call that was watched.
pub struct Traced {
    pub answer: Result<Response, Box<TxnError>>,
    pub trace: Trace,
    /// For the partition, or for all of them.
    pub waited: Duration,
    /// Waiting, running and ending the transaction.
    pub total: Duration,
}

pub struct Initiator {
    partitions: Vec<Arc<Partition>>,
    hashinator: Arc<Hashinator>,
    threads: Vec<JoinHandle<()>>,
    clock: Arc<dyn Clock>,
    /// Counts transactions on all partitions.
    multi: Mutex<Counting>,
    pub(super) log: OnceLock<Arc<CommandLog>>,
}

impl Initiator {
    /// Empty partitions, each with a thread of its own that sleeps until it is needed.
    ///
    /// `count`: from 1 to `topology::PARTITIONS_MAX`. `cancel` ends whatever runs; `timeout` bounds a transaction.
    /// Fails if the system has no more threads.
    pub fn start(
        count: u32,
        cancel: &Arc<AtomicBool>,
        timeout: Option<Duration>,
        clock: &Arc<dyn Clock>,
    ) -> std::io::Result<Initiator> {
        let hashinator = Arc::new(Hashinator::new(count));
        let partitions: Vec<Arc<Partition>> = (0..count)
            .map(|id| {
                Arc::new(Partition::new(Site {
                    id: PartitionId(id),
                    store: Store::new(PartitionId(id), count),
                    frame: Frame::default(),
                    schema: Arc::new(Schema::default()),
                    limits: Limits::new(Some(Arc::clone(cancel)), timeout),
                    hashinator: Arc::clone(&hashinator),
                    clock: Arc::clone(clock),
                    log: SiteLog::default(),
                    counting: Counting::default(),
                    paused: false,
                }))
            })
            .collect();
        let clock = Arc::clone(clock);
        let mut initiator = Initiator {
            partitions,
            hashinator,
            threads: Vec::new(),
            clock,
            multi: Mutex::default(),
            log: OnceLock::new(),
        };
        for (id, partition) in initiator.partitions.iter().enumerate() {
            let partition = Arc::clone(partition);
            let thread = std::thread::Builder::new()
                .name(format!("partition {id}"))
                .stack_size(16 << 20)
                .spawn(move || partition.run_thread())?;
            initiator.threads.push(thread);
        }
        Ok(initiator)
    }

    pub fn partitions(&self) -> &[Arc<Partition>] {
        &self.partitions
    }
    pub fn hashinator(&self) -> &Arc<Hashinator> {
        &self.hashinator
    }

    /// Turns counting on or off.
    pub fn count(&self, on: bool) {
        let mut all = self.hold_all();
        all.sites().for_each(|site| site.counting.switch(on));
        self.multi.lock().switch(on);
    }

    /// What transactions on all partitions have counted.
    pub fn multi_counters(&self) -> Arc<PartitionCounters> {
        Arc::clone(self.multi.lock().counters())
    }

    /// From its return on, no change runs while `paused`.
    pub fn pause(&self, paused: bool) {
        self.hold_all().sites().for_each(|site| site.paused = paused);
    }

    /// Holds every partition.
    pub fn hold_all(&self) -> AllSites<'_> {
        AllSites::hold(&self.partitions)
    }

    /// Runs one call and waits for it. `parameters` are of the declared types, long bytes in `arena`. None, and nothing has
    /// run, if the procedure is no longer the current one.
    #[inline]
    pub fn call(
        &self,
        procedure: &Arc<Procedure>,
        parameters: &[Datum],
        arena: &Arena,
    ) -> Option<Result<Response, Box<TxnError>>> {
        match Route::of_call(procedure, parameters, arena, &self.hashinator) {
            Route::One(id) => {
                let (result, awaited) = self.partitions[id.index()].transact(|site| {
                    if !is_current(site, procedure) {
                        return None;
                    }
                    if site.paused && !procedure.definition.read_only {
                        return Some((Err(Box::new(TxnError::Paused)), 0));
                    }
                    let now = if procedure.code.uses_now { self.clock.now_micros() } else { 0 };
                    let mark = site.counting.begin(procedure);
                    let (result, awaited) = match site.log.is_on() {
                        false => (site.call(procedure, parameters, arena, now), 0),
                        true => site.call_logged(procedure, parameters, arena, now, &mut NoTracer),
                    };
                    site.counting.end_single(mark, &result, parameters);
                    Some((result, awaited))
                })?;
                Some(self.settled(result, awaited, procedure))
            }
            Route::All => {
                let mut all = self.hold_all();
                if !is_current(all.sites().next().expect("one partition at least"), procedure) {
                    return None;
                }
                if !procedure.definition.read_only && all.is_paused() {
                    return Some(Err(Box::new(TxnError::Paused)));
                }
                let now = self.clock.now_micros();
                let mark = self.multi.lock().begin(procedure);
                let (result, awaited) = all.call_logged(procedure, parameters, arena, now, &mut NoTracer);
                self.multi.lock().end_single(mark, &result, parameters);
                drop(all);
                Some(self.settled(result, awaited, procedure))
            }
            Route::Each => self.call_each(procedure, parameters, arena),
        }
    }

    /// The result of a call, when it may leave.
    #[inline(always)]
    fn settled(
        &self,
        result: Result<Response, Box<TxnError>>,
        awaited: u64,
        procedure: &Procedure,
    ) -> Result<Response, Box<TxnError>> {
        if awaited == 0 {
            return result;
        }
        match self.settle(awaited, procedure.definition.read_only) {
            Err(reason) if result.is_ok() => Err(Box::new(TxnError::NotDurable { reason })),
            _ => result,
        }
    }

    /// A directed procedure: a transaction at each partition, in order; what one has committed stays if a later one
    /// fails. The result sets of all, one after the other.
    fn call_each(
        &self,
        procedure: &Arc<Procedure>,
        parameters: &[Datum],
        arena: &Arena,
    ) -> Option<Result<Response, Box<TxnError>>> {
        let now = self.clock.now_micros();
        let mut all: Option<Response> = None;
        let mut failure = None;
        for partition in &self.partitions {
            let answer = partition.transact(|site| {
                let current = is_current(site, procedure);
                current.then(|| {
                    if site.paused && !procedure.definition.read_only {
                        return (Err(Box::new(TxnError::Paused)), 0);
                    }
                    let mark = site.counting.begin(procedure);
                    let (result, awaited) = site.call_logged(procedure, parameters, arena, now, &mut NoTracer);
                    site.counting.end_single(mark, &result, parameters);
                    (result, awaited)
                })
            });
            let answer = answer.map(|(result, awaited)| self.settled(result, awaited, procedure));
            match (answer, &mut all) {
                // A schema change came in between: what is done is done, so it is told as a failure of the rest.
                (None, Some(_)) => {
                    failure = Some(Box::new(TxnError::Changed { procedure: procedure.definition.name.clone() }));
                }
                (None, None) => return None,
                (Some(Err(error)), _) => failure = failure.or(Some(error)),
                (Some(Ok(response)), None) => all = Some(Response { partition: None, ..response }),
                (Some(Ok(response)), Some(all)) => all.results.extend(response.results),
            }
        }
        match (failure, all) {
            (Some(error), _) => Some(Err(error)),
            (None, all) => Some(Ok(all.expect("there is one partition at least"))),
        }
    }

    /// As [`Initiator::call`], watched: what each statement took, and how long the call waited for its partition.
    pub fn trace(&self, procedure: &Arc<Procedure>, parameters: &[Datum], arena: &Arena) -> Option<Traced> {
        let asked = Instant::now();
        let mut trace = Trace::default();
        let now = self.clock.now_micros();
        let (waited, answer) = match Route::of_call(procedure, parameters, arena, &self.hashinator) {
            Route::One(id) => self.partitions[id.index()].transact(|site| {
                let waited = asked.elapsed();
                let answer = is_current(site, procedure)
                    .then(|| site.call_logged(procedure, parameters, arena, now, &mut trace));
                (waited, answer)
            }),
            Route::All | Route::Each => {
                let mut all = self.hold_all();
                let waited = asked.elapsed();
                let current = is_current(all.sites().next().expect("one partition at least"), procedure);
                let answer = current.then(|| all.call_logged(procedure, parameters, arena, now, &mut trace));
                (waited, answer)
            }
        };
        trace.finish();
        let (result, awaited) = answer?;
        let answer = self.settled(result, awaited, procedure);
        Some(Traced { answer, trace, waited, total: asked.elapsed() })
    }

    /// Hands a batch to its partition; gives it back if it was run by this thread.
    #[inline]
    pub fn submit(&self, batch: Box<Batch>) -> Option<Box<Batch>> {
        self.partitions[batch.partition.index()].submit(batch)
    }

    /// Runs an ad hoc statement at one partition, whose schema must still be `version`: None if it is not.
    pub fn execute_at(
        &self,
        id: PartitionId,
        version: u64,
        program: &Program,
        frame: &mut Frame,
        asked: Asked<'_>,
    ) -> Option<Result<Answer, TxnError>> {
        let (result, awaited) = self.partitions[id.index()].transact(|site| {
            if site.schema.catalog.version != version {
                return None;
            }
            if !program.read_only && site.paused {
                return Some((Err(TxnError::Paused), 0));
            }
            if !program.read_only
                && let Some(reason) = site.log.refusal()
            {
                return Some((Err(TxnError::ReadOnly { reason }), 0));
            }
            let started = Instant::now();
            site.limits.restart();
            site.store.begin(program.fails_after_write);
            let now = self.clock.now_micros();
            let env = Environment { hashinator: &self.hashinator, now, limits: &site.limits };
            let result = program.execute(&env, &mut [&mut site.store], frame);
            match result {
                Ok(_) => site.store.commit(),
                Err(_) => site.store.rollback(),
            }
            site.counting.ad_hoc(program.read_only, true, started, result.is_err());
            if let (true, false, Some(log)) = (result.is_ok(), program.read_only, self.log.get()) {
                site.log.advance(log.publish_record(&asked.record(Some(id), now)));
            }
            Some((result.map_err(TxnError::from), site.log.awaited()))
        })?;
        Some(self.settled_statement(result, awaited, program))
    }

    /// Runs an ad hoc statement on all partitions, whose schema must still be `version`: None if it is not.
    pub fn execute_on_all(
        &self,
        version: u64,
        program: &Program,
        frame: &mut Frame,
        asked: Asked<'_>,
    ) -> Option<Result<Answer, TxnError>> {
        let mut all = self.hold_all();
        if all.sites().next().expect("one partition at least").schema.catalog.version != version {
            return None;
        }
        if !program.read_only && all.is_paused() {
            return Some(Err(TxnError::Paused));
        }
        if !program.read_only
            && let Some(reason) = all.refusal()
        {
            return Some(Err(TxnError::ReadOnly { reason }));
        }
        let now = self.clock.now_micros();
        let started = Instant::now();
        let result = all.execute(program, frame, now).map_err(TxnError::from);
        self.multi.lock().ad_hoc(program.read_only, false, started, result.is_err());
        if result.is_ok() && !program.read_only {
            all.note(self.log.get(), &asked.record(None, now));
        }
        let awaited = all.awaited();
        drop(all);
        Some(self.settled_statement(result, awaited, program))
    }

    #[expect(clippy::result_large_err, reason = "an ad hoc statement's answer, on its way to who asked")]
    fn settled_statement(
        &self,
        result: Result<Answer, TxnError>,
        awaited: u64,
        program: &Program,
    ) -> Result<Answer, TxnError> {
        match self.settle(awaited, program.read_only) {
            Err(reason) if result.is_ok() => Err(TxnError::NotDurable { reason }),
            _ => result,
        }
    }
}

#[inline]
fn is_current(site: &Site, procedure: &Arc<Procedure>) -> bool {
    let name = &procedure.definition.name;
    procedure.version == site.schema.catalog.version
        || site.schema.procedures.get(name).is_some_and(|current| Arc::ptr_eq(current, procedure))
}

impl Drop for Initiator {
    fn drop(&mut self) {
        self.partitions.iter().for_each(|partition| partition.close());
        for thread in self.threads.drain(..) {
            // It can only have panicked together with a caller's transaction, which said so.
            let _ = thread.join();
        }
    }
}
