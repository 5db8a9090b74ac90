//! What a running statement may read: the stores, the time, its subqueries, and how long it may take.

use super::program::Subplan;
use super::{ExecError, RowBuffer};
use crate::catalog::TableId;
use crate::expr::{CompiledExpr, Host};
use crate::storage::{RowId, Store, Table};
use crate::topology::{Hashinator, PartitionId};
use crate::types::{Arena, DataType, Datum, Frame};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a transaction may run. Looked at every few thousand rows or jumps, so it costs nothing on short ones: the
/// clock is first read then.
#[derive(Default)]
pub struct Limits {
    /// Set by somebody else to end the transaction.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Ends the transaction with [`ExecError::TimedOut`].
    pub timeout: Option<Duration>,
    /// When this transaction was first looked at.
    started: Cell<Option<Instant>>,
}

impl Limits {
    pub fn new(cancel: Option<Arc<AtomicBool>>, timeout: Option<Duration>) -> Limits {
        Limits { cancel, timeout, started: Cell::new(None) }
    }

    /// A new transaction begins.
    #[inline(always)]
    pub fn restart(&self) {
        self.started.set(None);
    }

    #[cold]
    #[inline(never)]
    pub fn check(&self) -> Result<(), ExecError> {
        if self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(ExecError::Cancelled);
        }
        if let Some(timeout) = self.timeout {
            let now = Instant::now();
            let started = self.started.get().unwrap_or(now);
            self.started.set(Some(started));
            if now - started >= timeout {
                return Err(ExecError::TimedOut { millis: timeout.as_millis() as u64 });
            }
        }
        Ok(())
    }
}

/// Rows or jumps between two checks of the limits.
const TICKS: u32 = 4096;
/// Most rows in one result set.
pub const RESULT_ROWS_MAX: usize = 50_000_000;

/// The shared side of a statement at work. With one store it is a single-partition transaction; with more, they are all
/// partitions in order.
pub struct Reader<'a> {
    stores: &'a [&'a mut Store],
    hashinator: &'a Hashinator,
    now: i64,
    limits: &'a Limits,
    subplans: &'a [Subplan],
    ticks: Cell<u32>,
    /// Made when first needed: most statements keep nothing.
    kept: RefCell<Option<Box<Kept>>>,
}

/// What a statement at work keeps.
#[derive(Default)]
struct Kept {
    /// Results of uncorrelated subqueries, by index.
    cache: Vec<Option<Cached>>,
    /// The rows that the last round of a recursive query added, by its id.
    working: HashMap<usize, std::rc::Rc<RowBuffer>>,
}

/// What an uncorrelated subquery gave.
#[derive(Clone)]
pub(super) enum Cached {
    /// Its value, long bytes in the arena.
    Value(Datum, std::rc::Rc<Arena>),
    /// Its rows as a set of keys, for IN; and whether one has a NULL.
    Set(std::rc::Rc<super::KeySet>, bool),
}

impl<'a> Reader<'a> {
    #[inline(always)]
    pub fn new(
        stores: &'a [&'a mut Store],
        hashinator: &'a Hashinator,
        now: i64,
        limits: &'a Limits,
        subplans: &'a [Subplan],
    ) -> Reader<'a> {
        Reader { stores, hashinator, now, limits, subplans, ticks: Cell::new(TICKS), kept: RefCell::new(None) }
    }

    /// Counts a row or a jump.
    #[inline(always)]
    pub fn tick(&self) -> Result<(), ExecError> {
        let left = self.ticks.get() - 1;
        self.ticks.set(left);
        if left == 0 {
            self.ticks.set(TICKS);
            self.limits.check()?;
        }
        Ok(())
    }

    /// Counts so many rows.
    #[inline]
    pub fn tick_many(&self, rows: usize) -> Result<(), ExecError> {
        match (self.ticks.get() as usize).checked_sub(rows) {
            Some(left) if left > 0 => self.ticks.set(left as u32),
            _ => {
                self.ticks.set(TICKS);
                self.limits.check()?;
            }
        }
        Ok(())
    }

    /// True for a transaction at one partition.
    #[inline(always)]
    pub fn is_single(&self) -> bool {
        self.stores.len() == 1
    }

    #[inline(always)]
    pub fn table(&self, store: usize, id: TableId) -> &'a Table {
        self.stores[store].table(id)
    }

    /// The stores to look at for rows of a table: a range of positions.
    ///
    /// `spread`: each partition has other rows. `key`: the value of the partition column, if it is bound.
    #[inline(always)]
    pub fn places(&self, spread: bool, key: Option<(Datum, DataType)>, arena: &Arena) -> std::ops::Range<usize> {
        if self.stores.len() == 1 || !spread {
            return 0..1;
        }
        match key {
            Some((datum, ty)) => {
                let at = owner(self.hashinator, datum, ty, arena).index();
                at..at + 1
            }
            None => 0..self.stores.len(),
        }
    }

    #[inline(always)]
    pub fn eval(&self, expr: &CompiledExpr, frame: &mut Frame) -> Result<Datum, ExecError> {
        expr.eval(frame, &mut &*self)
    }
    #[inline(always)]
    pub fn is_true(&self, expr: &CompiledExpr, frame: &mut Frame) -> Result<bool, ExecError> {
        expr.is_true(frame, &mut &*self)
    }

    pub(super) fn subplan(&self, index: usize) -> &'a Subplan {
        &self.subplans[index]
    }
    pub(super) fn cached(&self, index: usize) -> Option<Cached> {
        self.kept.borrow().as_ref()?.cache.get(index).cloned().flatten()
    }
    pub(super) fn keep(&self, index: usize, value: Cached) {
        let mut kept = self.kept.borrow_mut();
        let cache = &mut kept.get_or_insert_default().cache;
        if cache.len() <= index {
            cache.resize(index + 1, None);
        }
        cache[index] = Some(value);
    }
    pub(super) fn working(&self, id: usize) -> Option<std::rc::Rc<RowBuffer>> {
        self.kept.borrow().as_ref()?.working.get(&id).cloned()
    }
    pub(super) fn set_working(&self, id: usize, rows: std::rc::Rc<RowBuffer>) {
        self.kept.borrow_mut().get_or_insert_default().working.insert(id, rows);
    }
}

impl Host for &Reader<'_> {
    type Error = ExecError;

    #[inline]
    fn subquery(&mut self, index: usize, frame: &mut Frame) -> Result<(), ExecError> {
        self.subplan(index).run(index, self, frame)
    }
    #[inline]
    fn now(&self) -> i64 {
        self.now
    }
}

/// The partition that owns a value of a partition column.
#[inline]
pub fn owner(hashinator: &Hashinator, datum: Datum, ty: DataType, arena: &Arena) -> PartitionId {
    if datum.is_null() {
        PartitionId(0)
    } else if ty.is_bytes() {
        hashinator.of_bytes(arena.bytes(datum, &mut [0; 16]))
    } else {
        hashinator.of_integer(datum.as_i64())
    }
}

/// The place of a row among the stores, as UPDATE and DELETE carry it in a register.
#[inline]
pub fn place(store: usize, row: RowId) -> Datum {
    Datum::int((store as i64) << 32 | row.0 as i64)
}
#[inline]
pub fn unplace(datum: Datum) -> (usize, RowId) {
    ((datum.lo >> 32) as usize, RowId(datum.lo as u32))
}
