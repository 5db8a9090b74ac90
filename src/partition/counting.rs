//! Counts the calls of one site: which counters belong to a procedure, and which of its calls are timed.

use super::TxnError;
use crate::procedure::Procedure;
use crate::stats::{PartitionCounters, ProcedureCounters};
use crate::txn::Response;
use crate::types::{Datum, Value};
use std::sync::Arc;
use std::time::Instant;

/// Of the calls of a procedure, one in so many is timed: reading the clock twice costs a good part of a short call. The
/// first is timed always.
pub const TIMED_CALLS: u32 = 64;

/// The counting side of a site. Off: nothing is counted.
#[derive(Default)]
pub struct Counting {
    on: bool,
    counters: Arc<PartitionCounters>,
    known: Vec<Known>,
    /// Position in `known` of the procedure that was called last.
    last: usize,
    /// Ad hoc statements: those that read, those that write.
    ad_hoc: [Option<Arc<ProcedureCounters>>; 2],
}

struct Known {
    /// Kept alive, so that no other procedure can have its address.
    procedure: Arc<Procedure>,
    counters: Arc<ProcedureCounters>,
    until_timed: u32,
}

/// A call under way.
#[derive(Clone, Copy)]
pub struct Mark {
    known: usize,
    started: Option<Instant>,
}

const UNCOUNTED: Mark = Mark { known: usize::MAX, started: None };

impl Counting {
    pub fn switch(&mut self, on: bool) {
        self.on = on;
    }
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.on
    }
    pub fn counters(&self) -> &Arc<PartitionCounters> {
        &self.counters
    }

    #[inline(always)]
    fn find(&mut self, procedure: &Arc<Procedure>) -> usize {
        match self.known.get(self.last) {
            Some(known) if Arc::ptr_eq(&known.procedure, procedure) => self.last,
            _ => self.find_slowly(procedure),
        }
    }

    #[cold]
    fn find_slowly(&mut self, procedure: &Arc<Procedure>) -> usize {
        let name = &procedure.definition.name;
        let found = self
            .known
            .iter()
            .position(|known| Arc::ptr_eq(&known.procedure, procedure))
            .or_else(|| self.known.iter().position(|known| known.procedure.definition.name == *name));
        self.last = found.unwrap_or(self.known.len());
        match found {
            // Compiled anew: its counts go on.
            Some(at) => self.known[at].procedure = Arc::clone(procedure),
            None => {
                let counters = self.new_counters(name.as_str());
                self.known.push(Known { procedure: Arc::clone(procedure), counters, until_timed: 1 });
            }
        }
        self.last
    }

    fn new_counters(&self, name: &str) -> Arc<ProcedureCounters> {
        let counters = Arc::new(ProcedureCounters::new(name));
        self.counters.procedures.write().push(Arc::clone(&counters));
        counters
    }

    /// One call begins.
    #[inline(always)]
    pub fn begin(&mut self, procedure: &Arc<Procedure>) -> Mark {
        if !self.on {
            return UNCOUNTED;
        }
        let at = self.find(procedure);
        let known = &mut self.known[at];
        known.counters.invocations.add(1);
        known.until_timed -= 1;
        let timed = known.until_timed == 0;
        if timed {
            known.until_timed = TIMED_CALLS;
        }
        Mark { known: at, started: timed.then(Instant::now) }
    }

    /// `calls` of one procedure begin. Gives which of them is to be timed, if one is: call [`Counting::end`] for it, with
    /// its time, and for each that fails.
    #[inline]
    pub fn begin_batch(&mut self, procedure: &Arc<Procedure>, calls: usize) -> (Mark, usize) {
        if !self.on || calls == 0 {
            return (UNCOUNTED, usize::MAX);
        }
        let at = self.find(procedure);
        let known = &mut self.known[at];
        known.counters.invocations.add(calls as u64);
        let calls = calls as u32;
        let timed = known.until_timed - 1;
        if timed < calls {
            // At another place of the next batch, whatever the size of batches.
            known.until_timed = TIMED_CALLS - (calls - 1 - timed).min(TIMED_CALLS - 1);
            return (Mark { known: at, started: None }, timed as usize);
        }
        known.until_timed -= calls;
        (Mark { known: at, started: None }, usize::MAX)
    }

    /// The mark of a call of a batch that is timed from now.
    #[inline]
    pub fn timed(mark: Mark) -> Mark {
        Mark { started: Some(Instant::now()), ..mark }
    }

    /// A call has ended: nothing to do unless it was timed or failed.
    #[inline(always)]
    pub fn end(&self, mark: Mark, result: &Result<Response, Box<TxnError>>, parameters: &[Datum]) {
        if mark.started.is_some() || (result.is_err() && mark.known != usize::MAX) {
            self.note(mark, result, parameters);
        }
    }

    /// As [`Counting::end`], for a call that waits for nobody else: its time is its latency, too.
    #[inline(always)]
    pub fn end_single(&self, mark: Mark, result: &Result<Response, Box<TxnError>>, parameters: &[Datum]) {
        if let Some(started) = mark.started {
            self.counters.latency.record_n(started.elapsed().as_nanos() as u64, 1);
        }
        self.end(mark, result, parameters);
    }

    #[cold]
    fn note(&self, mark: Mark, result: &Result<Response, Box<TxnError>>, parameters: &[Datum]) {
        let counters = &self.known[mark.known].counters;
        if let Some(started) = mark.started {
            counters.time.record(started.elapsed().as_nanos() as u64);
            counters.parameters.record(size_of_val(parameters) as u64);
            counters.results.record(result.as_ref().map_or(0, result_bytes));
        }
        match result {
            Ok(_) => {}
            Err(error) if is_abort(error) => counters.aborts.add(1),
            Err(_) => counters.failures.add(1),
        }
    }

    /// An ad hoc statement has run.
    pub fn ad_hoc(&mut self, reads: bool, single: bool, started: Instant, failed: bool) {
        if !self.on {
            return;
        }
        let at = usize::from(!reads);
        if self.ad_hoc[at].is_none() {
            let name = format!("@AdHoc_{}_{}", if reads { "RO" } else { "RW" }, if single { "SP" } else { "MP" });
            self.ad_hoc[at] = Some(self.new_counters(&name));
        }
        let counters = self.ad_hoc[at].as_ref().expect("made just now");
        let spent = started.elapsed().as_nanos() as u64;
        counters.invocations.add(1);
        counters.failures.add(u64::from(failed));
        counters.time.record(spent);
        self.counters.latency.record_n(spent, 1);
    }
}

/// The procedure ended itself; anything else ended it.
fn is_abort(error: &TxnError) -> bool {
    matches!(error, TxnError::Aborted(error) if error.trap.is_user_abort())
}

/// Bytes of the values that a call gave.
fn result_bytes(response: &Response) -> u64 {
    let value = |value: &Value| match value {
        Value::Text(text) => text.len() as u64 + 4,
        Value::Bytes(bytes) => bytes.len() as u64 + 4,
        Value::Decimal(_) => 16,
        _ => 8,
    };
    let sets: u64 = response.results.iter().flat_map(|set| set.rows.iter().flatten()).map(value).sum();
    sets + value(&response.returned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::ProcedurePartitioning;
    use crate::procedure::Code;
    use crate::types::Name;

    fn procedure(name: &str) -> Arc<Procedure> {
        let definition = crate::catalog::Procedure {
            name: Name::new(name),
            parameters: Vec::new(),
            partitioning: ProcedurePartitioning::Multi,
            returns: None,
            read_only: true,
            anywhere: false,
            partitioning_found: false,
            calls: Vec::new(),
            roles: Vec::new(),
            text: String::new(),
        };
        Arc::new(Procedure {
            definition: Arc::new(definition),
            version: 1,
            code: Code::default(),
            native: None,
            notes: Vec::new(),
        })
    }

    fn answer() -> Result<Response, Box<TxnError>> {
        Ok(Response { returned: Value::Int(0), results: Vec::new(), partition: None, status: None })
    }

    #[test]
    fn of_the_calls_of_batches_of_any_size_one_in_so_many_is_timed() {
        let mut counting = Counting::default();
        counting.switch(true);
        let vote = procedure("vote");
        let (mut calls, mut timed) = (0, 0);
        for size in [1usize, 3, 128, 64, 1, 63, 65, 500, 2, 0, 128].repeat(20) {
            let (mark, at) = counting.begin_batch(&vote, size);
            calls += size as u64;
            if at < size {
                timed += 1;
                counting.end(Counting::timed(mark), &answer(), &[]);
            }
        }
        let counters = counting.counters().procedures.read()[0].clone();
        assert_eq!((counters.invocations.get(), counters.time.read().count), (calls, timed));
        assert!(timed >= calls / 500 && timed <= calls / u64::from(TIMED_CALLS) + 1, "{timed} of {calls}");
    }

    #[test]
    fn a_procedure_that_was_compiled_anew_goes_on_counting() {
        let mut counting = Counting::default();
        counting.begin(&procedure("vote"));
        assert!(counting.counters().procedures.read().is_empty(), "nothing is counted while it is off");
        counting.switch(true);
        for name in ["vote", "other", "VOTE"] {
            let mark = counting.begin(&procedure(name));
            counting.end(mark, &Err(Box::new(TxnError::Paused)), &[]);
        }
        let counted = counting.counters().procedures.read();
        let counts: Vec<_> = counted.iter().map(|p| (p.name.as_str(), p.invocations.get(), p.failures.get())).collect();
        assert_eq!(counts, [("vote", 2, 2), ("other", 1, 1)]);
    }
}
