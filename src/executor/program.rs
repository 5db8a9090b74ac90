//! One compiled statement or expression, and how it runs.

use super::operator::{Flow, Insert, Modify, Operator};
use super::reader::{Cached, RESULT_ROWS_MAX};
use super::shortcut::Shortcut;
use super::{ExecError, KeySet, Limits, Reader, RowBuffer};
use crate::catalog::TableId;
use crate::expr::CompiledExpr;
use crate::planner::plan::{Output, Partitioning};
use crate::storage::Store;
use crate::topology::Hashinator;
use crate::types::{Column, DataType, Datum, Frame, Reg, ResultSet};
use std::rc::Rc;

/// Immutable, shared by all partitions. Its registers start where the plan was told to start.
pub struct Program {
    /// Of an expression or condition of a simple form: says the same as `action`, sooner.
    pub(super) shortcut: Option<Shortcut>,
    pub(super) action: Action,
    pub(super) subplans: Vec<Subplan>,
    /// The frame must have that many registers.
    pub registers: usize,
    pub placeholders: Vec<DataType>,
    pub partitioning: Partitioning,
    pub read_only: bool,
    /// It reads the transaction's time.
    pub uses_now: bool,
    /// A failure may come after the first change, so the transaction needs undo for this statement alone.
    pub fails_after_write: bool,
    /// Unique look-ups whose keys are nothing but registers: what a batch can prefetch if they are parameters.
    pub point_keys: Vec<PointKey>,
}

/// A look-up of one row by registers.
#[derive(Clone, Debug)]
pub struct PointKey {
    pub table: TableId,
    pub index: usize,
    pub regs: Vec<Reg>,
}

#[expect(clippy::large_enum_variant, reason = "inserts are the hot ones, and lie in place")]
pub(super) enum Action {
    Query { root: Operator, output: Vec<Output> },
    Expression(CompiledExpr),
    Insert(Insert),
    Modify(Modify),
    Truncate { table: TableId, spread: bool },
}

/// What is the same for all statements of a transaction.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    pub hashinator: &'a Hashinator,
    /// The transaction's time, microseconds since 1970.
    pub now: i64,
    pub limits: &'a Limits,
}

/// What a statement gives back.
#[derive(Debug)]
pub enum Answer {
    Rows(ResultSet),
    /// How many rows were changed.
    Modified(i64),
}

impl Answer {
    pub fn into_result_set(self) -> ResultSet {
        match self {
            Answer::Rows(rows) => rows,
            Answer::Modified(count) => ResultSet::modified(count),
        }
    }
}

impl Program {
    /// The columns of a query's result; empty for a data change.
    pub fn output(&self) -> &[Output] {
        match &self.action {
            Action::Query { output, .. } => output,
            Action::Insert(insert) => insert.returning.as_ref().map_or(&[], |r| &r.output),
            Action::Modify(modify) => modify.returning.as_ref().map_or(&[], |r| &r.output),
            Action::Expression(_) | Action::Truncate { .. } => &[],
        }
    }
    /// The table that it changes.
    pub fn target(&self) -> Option<TableId> {
        match &self.action {
            Action::Insert(insert) => Some(insert.table),
            Action::Modify(modify) => Some(modify.table),
            Action::Truncate { table, .. } => Some(*table),
            Action::Query { .. } | Action::Expression(_) => None,
        }
    }

    /// True for a query, which hands rows on.
    pub fn is_query(&self) -> bool {
        matches!(self.action, Action::Query { .. })
    }

    /// True for an expression that is a constant or a register.
    pub fn cannot_fail(&self) -> bool {
        matches!(&self.action, Action::Expression(expr) if expr.cannot_fail())
    }

    #[inline(always)]
    fn reader<'a>(&'a self, env: &Environment<'a>, stores: &'a [&'a mut Store]) -> Reader<'a> {
        Reader::new(stores, env.hashinator, env.now, env.limits, &self.subplans)
    }

    /// The value of a compiled expression; long bytes are in the frame's arena.
    #[inline]
    pub fn evaluate(
        &self,
        env: &Environment<'_>,
        stores: &[&mut Store],
        frame: &mut Frame,
    ) -> Result<Datum, ExecError> {
        if let Some(shortcut) = &self.shortcut
            && (stores.len() == 1 || shortcut.is_local())
        {
            return Ok(shortcut.value(stores[0], frame));
        }
        self.evaluate_generally(env, stores, frame)
    }

    /// Whether a compiled condition is TRUE.
    #[inline]
    pub fn is_true(&self, env: &Environment<'_>, stores: &[&mut Store], frame: &mut Frame) -> Result<bool, ExecError> {
        if let Some(shortcut) = &self.shortcut
            && (stores.len() == 1 || shortcut.is_local())
        {
            return Ok(shortcut.is_true(stores[0], frame));
        }
        self.is_true_generally(env, stores, frame)
    }

    #[inline(never)]
    fn evaluate_generally(
        &self,
        env: &Environment<'_>,
        stores: &[&mut Store],
        frame: &mut Frame,
    ) -> Result<Datum, ExecError> {
        let Action::Expression(expr) = &self.action else { unreachable!("an expression was compiled") };
        self.reader(env, stores).eval(expr, frame)
    }

    #[inline(never)]
    fn is_true_generally(
        &self,
        env: &Environment<'_>,
        stores: &[&mut Store],
        frame: &mut Frame,
    ) -> Result<bool, ExecError> {
        let Action::Expression(expr) = &self.action else { unreachable!("an expression was compiled") };
        self.reader(env, stores).is_true(expr, frame)
    }

    /// Runs a query and hands each row to `sink`: the registers of [`Program::output`] are set.
    pub fn query(
        &self,
        env: &Environment<'_>,
        stores: &[&mut Store],
        frame: &mut Frame,
        sink: &mut dyn FnMut(&mut Frame) -> Result<Flow, ExecError>,
    ) -> Result<(), ExecError> {
        let Action::Query { root, .. } = &self.action else { unreachable!("a query was compiled") };
        root.run(&self.reader(env, stores), frame, sink)?;
        Ok(())
    }

    /// All rows of a query.
    pub fn rows(
        &self,
        env: &Environment<'_>,
        stores: &[&mut Store],
        frame: &mut Frame,
    ) -> Result<ResultSet, ExecError> {
        let output = self.output();
        let mut rows = Vec::new();
        self.query(env, stores, frame, &mut |frame| {
            if rows.len() == RESULT_ROWS_MAX {
                return Err(ExecError::ResultTooLarge { rows: RESULT_ROWS_MAX });
            }
            rows.push(output.iter().map(|o| frame.value(o.reg, o.ty)).collect());
            Ok(Flow::Continue)
        })?;
        Ok(ResultSet { columns: columns(output), rows })
    }

    /// The value of an expression that needs no program.
    #[inline(always)]
    pub fn quick_value(&self, stores: &[&mut Store], frame: &mut Frame) -> Option<Datum> {
        match &self.shortcut {
            Some(shortcut) if stores.len() == 1 || shortcut.is_local() => Some(shortcut.value(stores[0], frame)),
            _ => None,
        }
    }

    /// Whether a condition that needs no program is TRUE.
    #[inline(always)]
    pub fn quick_truth(&self, stores: &[&mut Store], frame: &mut Frame) -> Option<bool> {
        match &self.shortcut {
            Some(shortcut) if stores.len() == 1 || shortcut.is_local() => Some(shortcut.is_true(stores[0], frame)),
            _ => None,
        }
    }

    /// Runs a data change of which nobody wants the count.
    #[inline(always)]
    pub fn change(&self, env: &Environment<'_>, stores: &mut [&mut Store], frame: &mut Frame) -> Result<(), ExecError> {
        match (&self.action, &mut *stores) {
            (Action::Insert(insert), [store]) if insert.direct => insert.run_direct(env, store, frame),
            _ => self.execute(env, stores, frame).map(drop),
        }
    }

    /// Runs a query or a data change.
    pub fn execute(
        &self,
        env: &Environment<'_>,
        stores: &mut [&mut Store],
        frame: &mut Frame,
    ) -> Result<Answer, ExecError> {
        match &self.action {
            Action::Query { .. } => self.rows(env, stores, frame).map(Answer::Rows),
            Action::Expression(_) => unreachable!("an expression is evaluated, not executed"),
            Action::Insert(insert) => insert.run(env, &self.subplans, stores, frame),
            Action::Modify(modify) => modify.run(env, &self.subplans, stores, frame),
            Action::Truncate { table, spread } => {
                let mut count = 0;
                for (at, store) in stores.iter_mut().enumerate() {
                    let rows = store.truncate(*table, env.now)? as i64;
                    if *spread || at == 0 {
                        count += rows;
                    }
                }
                Ok(Answer::Modified(count))
            }
        }
    }
}

pub(super) fn columns(output: &[Output]) -> Vec<Column> {
    output.iter().map(|o| Column { name: o.name.clone(), data_type: o.ty }).collect()
}

/// A query inside an expression, compiled.
pub struct Subplan {
    pub(super) root: Operator,
    pub(super) kind: SubplanKind,
    pub(super) result: Reg,
    pub(super) correlated: bool,
}

pub(super) enum SubplanKind {
    Scalar { value: Reg },
    Exists,
    In { operands: Vec<CompiledExpr>, columns: Vec<Reg> },
    Quantified { test: CompiledExpr, all: bool },
}

impl Subplan {
    /// Leaves the subquery's value in its result register.
    #[inline]
    pub(super) fn run(&self, index: usize, rd: &Reader<'_>, frame: &mut Frame) -> Result<(), ExecError> {
        // The common case by far: one row by a unique key.
        if let Operator::Point(point) = &self.root {
            match self.kind {
                SubplanKind::Scalar { value } => {
                    let found = point.fetch(rd, frame)?;
                    let datum = if found { frame.get(value) } else { Datum::NULL };
                    frame.set(self.result, datum);
                    return Ok(());
                }
                SubplanKind::Exists => {
                    let found = point.fetch(rd, frame)?;
                    frame.set(self.result, Datum::bool(found));
                    return Ok(());
                }
                _ => {}
            }
        }
        let value = self.general(index, rd, frame)?;
        frame.set(self.result, value);
        Ok(())
    }

    #[inline(never)]
    fn general(&self, index: usize, rd: &Reader<'_>, frame: &mut Frame) -> Result<Datum, ExecError> {
        match &self.kind {
            SubplanKind::Scalar { value } => self.once(index, rd, frame, |frame| self.scalar(*value, rd, frame)),
            SubplanKind::Exists => self.once(index, rd, frame, |frame| {
                let mut found = false;
                self.root.run(rd, frame, &mut |_| {
                    found = true;
                    Ok(Flow::Stop)
                })?;
                Ok(Datum::bool(found))
            }),
            SubplanKind::In { operands, columns } if operands.len() == 1 && !self.correlated => {
                let operand = rd.eval(&operands[0], frame)?;
                let (set, has_null) = self.set(index, rd, columns[0], frame)?;
                Ok(if set.is_empty() && !has_null {
                    Datum::FALSE
                } else if operand.is_null() {
                    Datum::NULL
                } else if set.contains(&[operand], &frame.arena) {
                    Datum::TRUE
                } else if has_null {
                    Datum::NULL
                } else {
                    Datum::FALSE
                })
            }
            SubplanKind::In { operands, columns } => self.compare_rows(operands, columns, rd, frame),
            SubplanKind::Quantified { test, all } => {
                let (mut decided, mut unknown) = (false, false);
                self.root.run(rd, frame, &mut |frame| {
                    let truth = rd.eval(test, frame)?;
                    unknown |= truth.is_null();
                    decided |= !truth.is_null() && truth.is_true() != *all;
                    Ok(if decided { Flow::Stop } else { Flow::Continue })
                })?;
                Ok(if decided {
                    Datum::bool(!all)
                } else if unknown {
                    Datum::NULL
                } else {
                    Datum::bool(*all)
                })
            }
        }
    }

    /// The value of `make`, from the cache if nothing that it depends on changes within the statement.
    fn once(
        &self,
        index: usize,
        rd: &Reader<'_>,
        frame: &mut Frame,
        make: impl FnOnce(&mut Frame) -> Result<Datum, ExecError>,
    ) -> Result<Datum, ExecError> {
        if self.correlated {
            return make(frame);
        }
        if let Some(Cached::Value(datum, arena)) = rd.cached(index) {
            return Ok(frame.arena.adopt(datum, &arena));
        }
        let datum = make(frame)?;
        let mut arena = crate::types::Arena::default();
        let kept = arena.adopt(datum, &frame.arena);
        rd.keep(index, Cached::Value(kept, Rc::new(arena)));
        Ok(datum)
    }

    fn scalar(&self, value: Reg, rd: &Reader<'_>, frame: &mut Frame) -> Result<Datum, ExecError> {
        // A row's strings are gone when its scan goes on, so the value is kept apart.
        let mut kept = RowBuffer::new(1);
        self.root.run(rd, frame, &mut |frame| {
            if !kept.is_empty() {
                return Err(ExecError::SubqueryRows);
            }
            kept.push(&[value], frame);
            Ok(Flow::Continue)
        })?;
        Ok(if kept.is_empty() { Datum::NULL } else { frame.arena.adopt(kept.row(0)[0], kept.arena()) })
    }

    fn set(
        &self,
        index: usize,
        rd: &Reader<'_>,
        column: Reg,
        frame: &mut Frame,
    ) -> Result<(Rc<KeySet>, bool), ExecError> {
        if let Some(Cached::Set(set, has_null)) = rd.cached(index) {
            return Ok((set, has_null));
        }
        let (mut set, mut has_null) = (KeySet::default(), false);
        self.root.run(rd, frame, &mut |frame| {
            let datum = frame.get(column);
            if datum.is_null() {
                has_null = true;
            } else {
                set.insert(std::iter::once(datum), &frame.arena);
            }
            Ok(Flow::Continue)
        })?;
        let set = Rc::new(set);
        rd.keep(index, Cached::Set(Rc::clone(&set), has_null));
        Ok((set, has_null))
    }

    /// `(operands) IN (columns)` row by row: TRUE if one equals, NULL if one could.
    fn compare_rows(
        &self,
        operands: &[CompiledExpr],
        columns: &[Reg],
        rd: &Reader<'_>,
        frame: &mut Frame,
    ) -> Result<Datum, ExecError> {
        let values = operands.iter().map(|o| rd.eval(o, frame)).collect::<Result<Vec<_>, _>>()?;
        let (mut found, mut unknown) = (false, false);
        self.root.run(rd, frame, &mut |frame| {
            let (mut differs, mut null) = (false, false);
            for (value, &column) in values.iter().zip(columns) {
                let other = frame.get(column);
                if value.is_null() || other.is_null() {
                    null = true;
                } else {
                    differs |= !frame.arena.equal(*value, other);
                }
            }
            found |= !differs && !null;
            unknown |= !differs && null;
            Ok(if found { Flow::Stop } else { Flow::Continue })
        })?;
        Ok(if found {
            Datum::TRUE
        } else if unknown {
            Datum::NULL
        } else {
            Datum::FALSE
        })
    }
}
