//! The instruction set, and a compiled procedure.

use crate::catalog;
use crate::executor::{PointKey, Program};
use crate::sql::Span;
use crate::types::{DataType, Reg};
use std::sync::Arc;

/// One instruction. `program` is an index into [`Code::programs`], `target` into [`Code::ops`].
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Evaluates an expression into a variable.
    Set {
        dst: Reg,
        program: u32,
    },
    SetNull {
        dst: Reg,
    },
    Jump {
        target: u32,
    },
    /// Backwards: counts against the limits.
    Loop {
        target: u32,
    },
    /// Goes on at `target` unless the condition is TRUE.
    JumpUnless {
        program: u32,
        target: u32,
    },
    Return {
        program: Option<u32>,
    },
    /// Runs a data change. `answer`: its count is a result set.
    Execute {
        program: u32,
        answer: bool,
    },
    /// Runs a query, whose rows are a result set.
    Yield {
        program: u32,
    },
    /// Runs a query of at most one row into registers; no row leaves NULLs.
    Into {
        program: u32,
        targets: Vec<Reg>,
    },
    /// Runs a query and keeps its rows for `Fetch`.
    Open {
        cursor: u16,
        program: u32,
    },
    /// The next row into registers, or on to `done`.
    Fetch {
        cursor: u16,
        targets: Vec<Reg>,
        done: u32,
    },
    Signal {
        sqlstate: String,
        message: Option<u32>,
    },
    CaseNotFound,
}

/// A procedure's body, compiled.
pub struct Code {
    pub ops: Vec<Op>,
    /// Where each instruction came from, in the procedure's text.
    pub spans: Vec<Span>,
    pub programs: Vec<Program>,
    /// The frame must have that many registers; the first are the parameters.
    pub registers: usize,
    pub cursors: usize,
    /// Type of what RETURN gives.
    pub returns: Option<DataType>,
    /// Some statement reads the transaction's time.
    pub uses_now: bool,
    /// False if nothing can fail once something has been changed: then a call needs no undo.
    pub needs_undo: bool,
    /// Look-ups by parameters alone: a batch fetches their cache lines some calls ahead.
    pub prefetches: Vec<PointKey>,
}

/// A procedure that can be called.
pub struct Procedure {
    pub definition: Arc<catalog::Procedure>,
    /// The catalog version that it was compiled against; a later one may have taken it over unchanged.
    pub version: u64,
    pub code: Code,
}
