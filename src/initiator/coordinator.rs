//! Transactions on all partitions: one at a time, by whoever holds them all.

use crate::executor::{Answer, Environment, ExecError, Limits, Program};
use crate::partition::{Held, Partition, Site, TxnError, prepare_frame, response};
use crate::procedure::{Context, NoTracer, Outcome, Procedure, Tracer, vm};
use crate::storage::Store;
use crate::topology::Hashinator;
use crate::txn::Response;
use crate::types::{Arena, Datum, Frame};

/// Every partition, held in ascending order.
pub struct AllSites<'a> {
    held: Vec<Held<'a>>,
}

impl<'a> AllSites<'a> {
    pub fn hold(partitions: &'a [std::sync::Arc<Partition>]) -> AllSites<'a> {
        AllSites { held: partitions.iter().map(|partition| partition.hold_first()).collect() }
    }

    pub fn sites(&mut self) -> impl Iterator<Item = &mut Site> {
        self.held.iter_mut().map(Held::site)
    }

    pub fn is_paused(&self) -> bool {
        self.held[0].peek().paused
    }

    /// Runs `work` on all stores as one transaction: committed if it gives a result, rolled back everywhere if not.
    fn transact<T, E>(
        &mut self,
        undo: bool,
        frame: &mut Frame,
        work: impl FnOnce(&mut [&mut Store], &mut Frame, &Limits, &Hashinator) -> Result<T, E>,
    ) -> Result<T, E> {
        let limits = {
            let first = &self.held[0].peek().limits;
            Limits::new(first.cancel.clone(), first.timeout)
        };
        let hashinator = std::sync::Arc::clone(&self.held[0].peek().hashinator);
        let mut stores: Vec<&mut Store> = self.sites().map(|site| &mut site.store).collect();
        stores.iter_mut().for_each(|store| store.begin(undo));
        let result = work(&mut stores, frame, &limits, &hashinator);
        for store in &mut stores {
            match result {
                Ok(_) => store.commit(),
                Err(_) => store.rollback(),
            }
        }
        result
    }

    /// One call of a procedure. `parameters` are of the declared types.
    pub fn call(
        &mut self,
        procedure: &Procedure,
        parameters: &[Datum],
        arena: &Arena,
        now: i64,
    ) -> Result<Response, Box<TxnError>> {
        self.call_traced(procedure, parameters, arena, now, &mut NoTracer)
    }

    /// As [`AllSites::call`], telling `tracer` of each instruction.
    pub fn call_traced<T: Tracer>(
        &mut self,
        procedure: &Procedure,
        parameters: &[Datum],
        arena: &Arena,
        now: i64,
        tracer: &mut T,
    ) -> Result<Response, Box<TxnError>> {
        let mut frame = Frame::default();
        prepare_frame(&mut frame, procedure, parameters, arena);
        let schema = std::sync::Arc::clone(&self.held[0].peek().schema);
        self.transact(procedure.code.needs_undo, &mut frame, |stores, frame, limits, hashinator| {
            let cx = Context { env: Environment { hashinator, now, limits }, procedures: &schema.procedures };
            let mut outcome = Outcome::default();
            match vm::run_traced(procedure, &cx, stores, frame, &mut outcome, 0, tracer) {
                Ok(()) => Ok(response(procedure, outcome, frame, None)),
                Err(error) => Err(Box::new(TxnError::from(*error))),
            }
        })
    }

    /// One ad hoc statement. Its placeholders are in the first registers of `frame`.
    pub fn execute(&mut self, program: &Program, frame: &mut Frame, now: i64) -> Result<Answer, ExecError> {
        self.transact(program.fails_after_write, frame, |stores, frame, limits, hashinator| {
            program.execute(&Environment { hashinator, now, limits }, stores, frame)
        })
    }
}
