//! The operators: each fills its registers for one row after another and hands the frame on.
//!
//! Long strings that a row brings into the frame's arena are given back when the row is done, so whoever keeps a row
//! keeps a copy ([`super::RowBuffer`]).

mod aggregate;
mod batch_aggregate;
mod distinct;
mod hash_join;
mod insert;
mod modify;
mod nested_loop_join;
mod recursive;
mod scan;
mod set_operation;
mod sort;
mod window;

pub(super) use aggregate::{Aggregate, AggregateCall};
pub(super) use distinct::Distinct;
pub(super) use hash_join::HashJoin;
pub(super) use insert::{ConflictUpdate, Insert, OnConflict, RowValue, Upsert};
pub(super) use modify::{Change, Modify, Returning};
pub(super) use nested_loop_join::NestedLoopJoin;
pub(super) use recursive::Recursive;
pub(super) use scan::{Fetch, PointScan, QuickTest, RangeScan, TableScan};
pub(super) use set_operation::SetOperation;
pub(super) use sort::{Sort, SortKey};
pub(super) use window::{FrameBound, Window, WindowCall};

use super::{ExecError, Reader};
use crate::expr::CompiledExpr;
use crate::types::{Datum, Frame, Reg, ResultSet};
use std::sync::Arc;

/// Whether a row's receiver wants more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    Continue,
    Stop,
}

/// Receives rows: the registers of the operator below are set.
pub type Sink<'s> = dyn FnMut(&mut Frame) -> Result<Flow, ExecError> + 's;

/// A tree of operators: the one knot of the room, since joins, filters and sorts hold operators of any kind.
#[expect(clippy::large_enum_variant, reason = "point scans are the hot ones, and lie in place")]
pub enum Operator {
    One,
    Values {
        rows: Vec<Vec<CompiledExpr>>,
        out: Vec<Reg>,
    },
    /// Rows that are there already: columns by position, and where they go.
    Rows {
        rows: Arc<ResultSet>,
        columns: Vec<(usize, Reg)>,
    },
    /// At most one row, by a unique key.
    Point(PointScan),
    /// Every row, or those with a key of a non-unique index.
    Table(TableScan),
    /// A range of an ordered index.
    Range(RangeScan),
    Filter {
        input: Box<Operator>,
        predicate: CompiledExpr,
    },
    Compute {
        input: Box<Operator>,
        exprs: Vec<(Reg, CompiledExpr)>,
    },
    NestedLoopJoin(Box<NestedLoopJoin>),
    HashJoin(Box<HashJoin>),
    Aggregate(Box<Aggregate>),
    Window(Box<Window>),
    Sort(Box<Sort>),
    Distinct(Box<Distinct>),
    Limit {
        input: Box<Operator>,
        limit: Option<CompiledExpr>,
        offset: Option<CompiledExpr>,
    },
    SetOperation(Box<SetOperation>),
    Recursive(Box<Recursive>),
    Working {
        id: usize,
        out: Vec<Reg>,
    },
}

impl Operator {
    /// Hands each row to `sink` until there is none or `sink` says `Stop`; gives what `sink` said last.
    pub fn run(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        match self {
            Operator::One => sink(frame),
            Operator::Values { rows, out } => {
                for row in rows {
                    for (expr, &reg) in row.iter().zip(out) {
                        let datum = rd.eval(expr, frame)?;
                        frame.set(reg, datum);
                    }
                    if sink(frame)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(Flow::Continue)
            }
            Operator::Rows { rows, columns } => run_rows(rows, columns, rd, frame, sink),
            Operator::Point(scan) => scan.run(rd, frame, sink),
            Operator::Table(scan) => scan.run(rd, frame, sink),
            Operator::Range(scan) => scan.run(rd, frame, sink),
            Operator::Filter { input, predicate } => input.run(rd, frame, &mut |frame| {
                if rd.is_true(predicate, frame)? { sink(frame) } else { Ok(Flow::Continue) }
            }),
            Operator::Compute { input, exprs } => input.run(rd, frame, &mut |frame| {
                for (reg, expr) in exprs {
                    let datum = rd.eval(expr, frame)?;
                    frame.set(*reg, datum);
                }
                sink(frame)
            }),
            Operator::NestedLoopJoin(join) => join.run(rd, frame, sink),
            Operator::HashJoin(join) => join.run(rd, frame, sink),
            Operator::Aggregate(aggregate) => aggregate.run(rd, frame, sink),
            Operator::Window(window) => window.run(rd, frame, sink),
            Operator::Sort(sort) => sort.run(rd, frame, sink),
            Operator::Distinct(distinct) => distinct.run(rd, frame, sink),
            Operator::Limit { input, limit, offset } => run_limit(input, limit, offset, rd, frame, sink),
            Operator::SetOperation(operation) => operation.run(rd, frame, sink),
            Operator::Recursive(recursive) => recursive.run(rd, frame, sink),
            Operator::Working { id, out } => recursive::run_working(*id, out, rd, frame, sink),
        }
    }
}

fn run_rows(
    rows: &ResultSet,
    columns: &[(usize, Reg)],
    rd: &Reader<'_>,
    frame: &mut Frame,
    sink: &mut Sink<'_>,
) -> Result<Flow, ExecError> {
    for row in &rows.rows {
        rd.tick()?;
        let mark = frame.arena.mark();
        for &(column, reg) in columns {
            let datum = frame.datum(&row[column]);
            frame.set(reg, datum);
        }
        if sink(frame)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
        frame.arena.truncate(mark);
    }
    Ok(Flow::Continue)
}

/// The value of a LIMIT or OFFSET. None: no limit.
fn count(expr: &Option<CompiledExpr>, rd: &Reader<'_>, frame: &mut Frame) -> Result<Option<u64>, ExecError> {
    let Some(expr) = expr else { return Ok(None) };
    let datum = rd.eval(expr, frame)?;
    match u64::try_from(datum.as_i64()) {
        Ok(count) if !datum.is_null() => Ok(Some(count)),
        _ => Err(ExecError::BadLimit),
    }
}

fn run_limit(
    input: &Operator,
    limit: &Option<CompiledExpr>,
    offset: &Option<CompiledExpr>,
    rd: &Reader<'_>,
    frame: &mut Frame,
    sink: &mut Sink<'_>,
) -> Result<Flow, ExecError> {
    let mut left = count(limit, rd, frame)?.unwrap_or(u64::MAX);
    let mut skip = count(offset, rd, frame)?.unwrap_or(0);
    if left == 0 {
        return Ok(Flow::Continue);
    }
    let mut stopped = Flow::Continue;
    input.run(rd, frame, &mut |frame| {
        if skip > 0 {
            skip -= 1;
            return Ok(Flow::Continue);
        }
        left -= 1;
        stopped = sink(frame)?;
        Ok(if left == 0 { Flow::Stop } else { stopped })
    })?;
    Ok(stopped)
}

/// Sets registers to NULL: the side of an outer join that found no partner.
fn set_null(regs: &[Reg], frame: &mut Frame) {
    regs.iter().for_each(|&reg| frame.set(reg, Datum::NULL));
}
