//! Rows of a table: all of them, by a key, or a range of an ordered index.

use super::{Flow, Sink};
use crate::catalog::TableId;
use crate::executor::reader::place;
use crate::executor::{ExecError, Reader};
use crate::expr::CompiledExpr;
use crate::storage::{Outcomes, RowBatch, RowId, Table};
use crate::types::{Arena, DataType, Datum, Frame, Reg};

/// What a scan does with a row once it is found.
pub struct Fetch {
    pub table: TableId,
    /// Each partition has other rows.
    pub spread: bool,
    /// The value of the partition column, where it is bound.
    pub partition: Option<(CompiledExpr, DataType)>,
    pub columns: Vec<(usize, Reg)>,
    /// Gets the row's place.
    pub row: Option<Reg>,
    pub filter: Option<CompiledExpr>,
    /// Further conditions, which a full scan checks for many rows at once, before `filter`. Other scans have none.
    pub tests: Vec<QuickTest>,
}

/// A column of one lane, compared with a value that is the same for the whole scan.
pub struct QuickTest {
    pub column: usize,
    /// The column is a FLOAT.
    pub float: bool,
    pub outcomes: Outcomes,
    pub value: CompiledExpr,
}

impl Fetch {
    #[inline(always)]
    fn places(&self, rd: &Reader<'_>, frame: &mut Frame) -> Result<std::ops::Range<usize>, ExecError> {
        let key = match &self.partition {
            Some((expr, ty)) if !rd.is_single() => Some((rd.eval(expr, frame)?, *ty)),
            _ => None,
        };
        Ok(rd.places(self.spread, key, &frame.arena))
    }

    #[inline(always)]
    fn load(&self, table: &Table, store: usize, row: RowId, frame: &mut Frame) {
        for &(column, reg) in &self.columns {
            let datum = table.load(row, column, &mut frame.arena);
            frame.set(reg, datum);
        }
        if let Some(reg) = self.row {
            frame.set(reg, place(store, row));
        }
    }

    #[inline(always)]
    fn passes(&self, rd: &Reader<'_>, frame: &mut Frame) -> Result<bool, ExecError> {
        match &self.filter {
            None => Ok(true),
            Some(filter) => rd.is_true(filter, frame),
        }
    }

    /// Loads one row and hands it on if it passes; the row's strings live until `sink` is done.
    #[inline(always)]
    fn emit(
        &self,
        table: &Table,
        store: usize,
        row: RowId,
        rd: &Reader<'_>,
        frame: &mut Frame,
        sink: &mut Sink<'_>,
    ) -> Result<Flow, ExecError> {
        rd.tick()?;
        let mark = frame.arena.mark();
        self.load(table, store, row, frame);
        let flow = if self.passes(rd, frame)? { sink(frame)? } else { Flow::Continue };
        frame.arena.truncate(mark);
        Ok(flow)
    }
}

/// Most columns of a key.
const KEY_MAX: usize = 8;

/// Evaluates a key into `out`; false if a part is NULL: nothing can equal it.
#[inline(always)]
fn eval_key(
    key: &[CompiledExpr],
    out: &mut [Datum; KEY_MAX],
    rd: &Reader<'_>,
    frame: &mut Frame,
) -> Result<bool, ExecError> {
    for (expr, slot) in key.iter().zip(out.iter_mut()) {
        *slot = rd.eval(expr, frame)?;
        if slot.is_null() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A look-up by all keys of a unique index.
pub struct PointScan {
    pub fetch: Fetch,
    pub index: usize,
    /// At most [`KEY_MAX`] of them: the compiler checked.
    pub key: Vec<CompiledExpr>,
}

impl PointScan {
    /// True if the compiler may make a point scan of a key of that many columns.
    pub fn fits(key: usize) -> bool {
        key <= KEY_MAX
    }

    /// Loads the row, if there is one that passes. Its strings stay in the arena.
    #[inline(always)]
    pub fn fetch(&self, rd: &Reader<'_>, frame: &mut Frame) -> Result<bool, ExecError> {
        if let [expr] = self.key.as_slice() {
            let key = [rd.eval(expr, frame)?];
            if key[0].is_null() {
                return Ok(false);
            }
            return self.find(&key, rd, frame);
        }
        let mut key = [Datum::NULL; KEY_MAX];
        if !eval_key(&self.key, &mut key, rd, frame)? {
            return Ok(false);
        }
        self.find(&key[..self.key.len()], rd, frame)
    }

    #[inline(always)]
    fn find(&self, key: &[Datum], rd: &Reader<'_>, frame: &mut Frame) -> Result<bool, ExecError> {
        for store in self.fetch.places(rd, frame)? {
            let table = rd.table(store, self.fetch.table);
            if let Some(row) = table.find(self.index, key, &frame.arena) {
                self.fetch.load(table, store, row, frame);
                return self.fetch.passes(rd, frame);
            }
        }
        Ok(false)
    }

    pub fn run(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        let mark = frame.arena.mark();
        let flow = if self.fetch(rd, frame)? { sink(frame)? } else { Flow::Continue };
        frame.arena.truncate(mark);
        Ok(flow)
    }
}

/// Receives the position of a store and rows of it.
pub type BatchSink<'s> = dyn FnMut(usize, &RowBatch<'_>, &mut Frame) -> Result<Flow, ExecError> + 's;

/// Every row; or, with an index, those that equal its key.
pub struct TableScan {
    pub fetch: Fetch,
    pub by: Option<(usize, Vec<CompiledExpr>)>,
}

impl TableScan {
    pub fn run(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        match &self.by {
            None => self.all(rd, frame, sink),
            Some((index, key)) => self.equal(*index, key, rd, frame, sink),
        }
    }

    fn all(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        self.batches(rd, frame, &mut |store, batch, frame| {
            for at in 0..batch.len() {
                let mark = frame.arena.mark();
                for &(column, reg) in &self.fetch.columns {
                    let datum = batch.load(at, column, &mut frame.arena);
                    frame.set(reg, datum);
                }
                if let Some(reg) = self.fetch.row {
                    frame.set(reg, place(store, batch.row(at)));
                }
                if self.fetch.passes(rd, frame)? && sink(frame)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
                frame.arena.truncate(mark);
            }
            Ok(Flow::Continue)
        })
    }

    /// A full scan: hands on, with the store's position, the rows that pass the tests, many at once. `filter` is not yet
    /// checked.
    pub fn batches(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut BatchSink<'_>) -> Result<Flow, ExecError> {
        let mut values = Vec::with_capacity(self.fetch.tests.len());
        for test in &self.fetch.tests {
            let value = rd.eval(&test.value, frame)?;
            if value.is_null() {
                return Ok(Flow::Continue);
            }
            values.push(value.as_i64());
        }
        for store in self.fetch.places(rd, frame)? {
            let mut batch = RowBatch::new(rd.table(store, self.fetch.table));
            while batch.advance() {
                rd.tick_many(batch.len())?;
                for (test, &value) in self.fetch.tests.iter().zip(&values) {
                    batch.retain(test.column, test.outcomes, value, test.float);
                }
                if !batch.is_empty() && sink(store, &batch, frame)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
        }
        Ok(Flow::Continue)
    }

    fn equal(
        &self,
        index: usize,
        key: &[CompiledExpr],
        rd: &Reader<'_>,
        frame: &mut Frame,
        sink: &mut Sink<'_>,
    ) -> Result<Flow, ExecError> {
        let Some((values, arena)) = own_key(key, rd, frame)? else { return Ok(Flow::Continue) };
        for store in self.fetch.places(rd, frame)? {
            let table = rd.table(store, self.fetch.table);
            let mut outcome = Ok(Flow::Continue);
            table.for_each_equal(index, &values, &arena, &mut |row| {
                outcome = self.fetch.emit(table, store, row, rd, frame, sink);
                matches!(outcome, Ok(Flow::Continue))
            });
            if outcome? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }
}

/// A key with an arena of its own, so that the frame is free while rows are visited. None: a part is NULL.
fn own_key(key: &[CompiledExpr], rd: &Reader<'_>, frame: &mut Frame) -> Result<Option<(Vec<Datum>, Arena)>, ExecError> {
    let mut arena = Arena::default();
    let mut values = Vec::with_capacity(key.len());
    for expr in key {
        let datum = rd.eval(expr, frame)?;
        if datum.is_null() {
            return Ok(None);
        }
        values.push(arena.adopt(datum, &frame.arena));
    }
    Ok(Some((values, arena)))
}

/// A range of an ordered index.
pub struct RangeScan {
    pub fetch: Fetch,
    pub index: usize,
    pub equal: Vec<CompiledExpr>,
    pub low: Option<(CompiledExpr, bool)>,
    pub high: Option<(CompiledExpr, bool)>,
    pub descending: bool,
}

impl RangeScan {
    pub fn run(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        let Some((equal, mut arena)) = own_key(&self.equal, rd, frame)? else { return Ok(Flow::Continue) };
        let mut bounds = [None, None];
        for (slot, bound) in bounds.iter_mut().zip([&self.low, &self.high]) {
            if let Some((expr, inclusive)) = bound {
                let datum = rd.eval(expr, frame)?;
                if datum.is_null() {
                    return Ok(Flow::Continue);
                }
                *slot = Some((arena.adopt(datum, &frame.arena), *inclusive));
            }
        }
        for store in self.fetch.places(rd, frame)? {
            let table = rd.table(store, self.fetch.table);
            let mut outcome = Ok(Flow::Continue);
            let mut visit = |row| {
                outcome = self.fetch.emit(table, store, row, rd, frame, sink);
                matches!(outcome, Ok(Flow::Continue))
            };
            table.range(self.index, &equal, bounds[0], bounds[1], &arena, self.descending, &mut visit);
            if outcome? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }
}
