//! One partition's state machine: a store, a frame to compute on, and the schema they follow.

use super::{Batch, Counting, TxnError};
use crate::catalog::Catalog;
use crate::durability::{Clock, SiteLog};
use crate::executor::{Environment, Limits, PointKey};
use crate::procedure::{Context, NoTracer, Outcome, Procedure, Procedures, Tracer, defaults, vm};
use crate::storage::Store;
use crate::topology::{Hashinator, PartitionId};
use crate::txn::Response;
use crate::types::{Arena, Datum, Frame, Name, Value, datum_value};
use std::sync::Arc;

/// One version of the catalog, and the procedures that were compiled against it.
#[derive(Default)]
pub struct Schema {
    pub catalog: Catalog,
    pub procedures: Procedures,
}

/// How many calls ahead of the running one a batch fetches the index slots of.
const LOOK_AHEAD: usize = 12;

pub struct Site {
    pub id: PartitionId,
    pub store: Store,
    pub frame: Frame,
    pub schema: Arc<Schema>,
    pub limits: Limits,
    pub hashinator: Arc<Hashinator>,
    pub clock: Arc<dyn Clock>,
    /// Where calls that committed are noted.
    pub log: SiteLog,
    pub counting: Counting,
    /// By @Pause: only what reads may run.
    pub paused: bool,
}

impl Site {
    /// Runs one call to its end: committed, or rolled back. `parameters` are of the declared types; the first registers
    /// get them.
    #[inline(always)]
    pub fn call(
        &mut self,
        procedure: &Procedure,
        parameters: &[Datum],
        arena: &Arena,
        now: i64,
    ) -> Result<Response, Box<TxnError>> {
        self.call_traced(procedure, parameters, arena, now, &mut NoTracer)
    }

    /// As [`Site::call`], telling `tracer` of each instruction.
    #[inline(always)]
    pub fn call_traced<T: Tracer>(
        &mut self,
        procedure: &Procedure,
        parameters: &[Datum],
        arena: &Arena,
        now: i64,
        tracer: &mut T,
    ) -> Result<Response, Box<TxnError>> {
        let Site { id, store, frame, limits, hashinator, schema, .. } = self;
        prepare_frame(frame, procedure, parameters, arena);
        limits.restart();
        store.begin(procedure.code.needs_undo);
        let cx = Context { env: Environment { hashinator, now, limits }, procedures: &schema.procedures };
        let mut outcome = Outcome::default();
        match vm::run_traced(procedure, &cx, &mut [&mut *store], frame, &mut outcome, 0, tracer) {
            Ok(()) => {
                store.commit();
                Ok(response(procedure, outcome, frame, Some(*id)))
            }
            Err(error) => {
                store.rollback();
                Err(Box::new((*error).into()))
            }
        }
    }

    /// As [`Site::call_traced`], and notes it in the log. Also gives what has to be on disk before the answer may leave.
    pub fn call_logged<T: Tracer>(
        &mut self,
        procedure: &Procedure,
        parameters: &[Datum],
        arena: &Arena,
        now: i64,
        tracer: &mut T,
    ) -> (Result<Response, Box<TxnError>>, u64) {
        let writes = !procedure.definition.read_only;
        if writes && let Some(reason) = self.log.refusal() {
            return (Err(Box::new(TxnError::ReadOnly { reason })), 0);
        }
        let result = self.call_traced(procedure, parameters, arena, now, tracer);
        if writes && result.is_ok() {
            self.log.gather(&procedure.definition, parameters, arena);
            self.log.publish(Some(self.id), &procedure.definition, now, false);
        }
        (result, self.log.awaited())
    }

    /// Runs a batch, call by call, and leaves the answers in it.
    pub fn run(&mut self, batch: &mut Batch) {
        if let Err(name) = self.refresh(batch) {
            batch.answers.clear();
            for _ in 0..batch.tags.len() {
                batch.answers.push(Err(Box::new(TxnError::Changed { procedure: name.clone() })));
            }
            return;
        }
        let now = if batch.procedure.code.uses_now { self.clock.now_micros() } else { 0 };
        self.run_at(batch, now);
    }

    /// As [`Site::run`], for a batch of the current procedure, at that time.
    pub fn run_at(&mut self, batch: &mut Batch, now: i64) {
        let procedure = Arc::clone(&batch.procedure);
        if self.paused && !procedure.definition.read_only {
            batch.answers.extend(batch.tags.iter().map(|_| Err(Box::new(TxnError::Paused))));
            return;
        }
        let logged = self.log.is_on() && !procedure.definition.read_only;
        if logged && let Some(reason) = self.log.refusal() {
            let refused = |_: &u64| Err(Box::new(TxnError::ReadOnly { reason: reason.clone() }));
            batch.answers.extend(batch.tags.iter().map(refused));
            return;
        }
        let width = procedure.definition.parameters.len();
        let calls = batch.len();
        // Small tables are in the cache anyway.
        let prefetches: Vec<&PointKey> =
            procedure.code.prefetches.iter().filter(|key| self.store.table(key.table).len() > 2_000).collect();
        let (mark, timed) = self.counting.begin_batch(&procedure, calls);
        let row = |at: usize| &batch.parameters[at * width..(at + 1) * width];
        for at in 0..calls.min(LOOK_AHEAD) {
            self.prefetch(&prefetches, row(at), &batch.arena);
        }
        for at in 0..calls {
            if at + LOOK_AHEAD < calls {
                self.prefetch(&prefetches, row(at + LOOK_AHEAD), &batch.arena);
            }
            let mark = if at == timed { Counting::timed(mark) } else { mark };
            let answer = self.call(&procedure, row(at), &batch.arena, now);
            self.counting.end(mark, &answer, row(at));
            if logged && answer.is_ok() {
                self.log.gather(&procedure.definition, row(at), &batch.arena);
            }
            batch.answers.push(answer);
        }
        if logged {
            self.log.publish(Some(self.id), &procedure.definition, now, true);
        }
        batch.awaited = self.log.awaited();
    }

    #[inline(always)]
    fn prefetch(&self, keys: &[&PointKey], parameters: &[Datum], arena: &Arena) {
        for key in keys {
            let table = self.store.table(key.table);
            match key.regs.as_slice() {
                [reg] => table.prefetch(key.index, &[parameters[*reg as usize]], arena),
                regs => {
                    let values: Vec<Datum> = regs.iter().map(|&reg| parameters[reg as usize]).collect();
                    table.prefetch(key.index, &values, arena);
                }
            }
        }
    }

    /// If the schema changed since the batch was filled, takes the procedure's new version, provided that a call means
    /// the same: the same parameters and the same place. Gives its name if not.
    fn refresh(&self, batch: &mut Batch) -> Result<(), Name> {
        let name = &batch.procedure.definition.name;
        if batch.procedure.version == self.schema.catalog.version {
            return Ok(());
        }
        match self.schema.procedures.get(name) {
            Some(current) if Arc::ptr_eq(current, &batch.procedure) => Ok(()),
            Some(current) if same_call(current, &batch.procedure) => {
                batch.procedure = Arc::clone(current);
                Ok(())
            }
            None => match defaults::find(&self.schema.catalog, name) {
                Ok(current) if same_call(&current, &batch.procedure) => {
                    batch.procedure = current;
                    Ok(())
                }
                _ => Err(name.clone()),
            },
            _ => Err(name.clone()),
        }
    }
}

/// True if a call that was made ready for `a` can run as one of `b`.
pub fn same_call(a: &Procedure, b: &Procedure) -> bool {
    let types = |p: &Procedure| p.definition.parameters.iter().map(|p| p.ty).collect::<Vec<_>>();
    a.definition.partitioning == b.definition.partitioning && types(a) == types(b)
}

/// Parameters into the first registers of a frame that is large enough.
#[inline(always)]
pub fn prepare_frame(frame: &mut Frame, procedure: &Procedure, parameters: &[Datum], arena: &Arena) {
    if frame.regs.len() < procedure.code.registers {
        frame.regs.resize(procedure.code.registers, Datum::NULL);
    }
    frame.arena.truncate(0);
    for (at, &datum) in parameters.iter().enumerate() {
        frame.regs[at] = frame.arena.adopt(datum, arena);
    }
}

/// The answer to a call that committed.
#[inline(always)]
pub fn response(procedure: &Procedure, outcome: Outcome, frame: &Frame, partition: Option<PartitionId>) -> Response {
    let returned = match (outcome.returned, procedure.code.returns) {
        (datum, _) if datum.is_null() => Value::Null,
        (datum, Some(ty)) if ty.is_integer() => Value::Int(datum.as_i64()),
        (datum, Some(ty)) => datum_value(datum, ty, &frame.arena),
        (_, None) => Value::Null,
    };
    Response { returned, results: outcome.results, partition, status: outcome.status }
}
