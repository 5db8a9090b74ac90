//! The instruction set, and a compiled procedure.

use super::native::{Native, NativeDefinition};
use crate::catalog;
use crate::executor::{PointKey, Program};
use crate::sql::Span;
use crate::types::{DataType, Name, Reg};
use std::ops::Range;
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
    /// Anything that is not on the way of the shortest procedures.
    Extra(Box<Extra>),
}

impl Op {
    /// It may change data, so that a failure of it has something to undo.
    pub fn changes(&self) -> bool {
        match self {
            Op::Execute { .. } => true,
            Op::Extra(extra) => matches!(**extra, Extra::Execute { .. } | Extra::Call(_) | Extra::Native(_)),
            _ => false,
        }
    }
}

/// Instructions that run out of line.
#[derive(Clone, Debug, PartialEq)]
pub enum Extra {
    /// Where a change that fails goes back to, if a handler goes on.
    Savepoint,
    /// As `Execute`, and notes how many rows it changed.
    Execute {
        program: u32,
        answer: bool,
        check: Checks,
    },
    /// As `Yield`, checked.
    Yield {
        program: u32,
        check: Checks,
    },
    /// As `Into`, checked. `not_found`: no row raises 02000.
    Into {
        program: u32,
        targets: Vec<Reg>,
        not_found: bool,
        check: Checks,
    },
    /// OPEN of a cursor that was declared.
    Open {
        cursor: u16,
        program: u32,
    },
    /// FETCH: `not_found`: no further row raises 02000; else it leaves the targets.
    Fetch {
        cursor: u16,
        targets: Vec<Reg>,
        not_found: bool,
    },
    Close {
        cursor: u16,
    },
    Call(Call),
    /// The end of a CONTINUE handler: on behind the statement that failed.
    Resume {
        handler: u16,
    },
    /// Raises what the handler caught, or something else in its place.
    Resignal {
        handler: u16,
        sqlstate: Option<String>,
        message: Option<u32>,
    },
    /// What the handler caught, into a TEXT register.
    Caught {
        handler: u16,
        message: bool,
        dst: Reg,
    },
    Status {
        code: u32,
        text: Option<u32>,
    },
    /// A body that is a closure.
    Native(Native),
}

/// What a statement is checked for, and where its row count goes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checks {
    pub expect: Option<Expectation>,
    pub row_count: Option<Reg>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    Rows {
        least: u64,
        most: Option<u64>,
    },
    /// `value`: an expression of the type of the column, or BIGINT of a data change.
    Scalar {
        value: Option<u32>,
    },
}

/// A call of another procedure in the same transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub callee: Callee,
    /// Expressions of the callee's parameter types.
    pub arguments: Vec<u32>,
    /// Where the value of RETURN goes.
    pub into: Option<Reg>,
}

#[derive(Clone, Debug)]
pub enum Callee {
    /// Looked up when it is called: it may have been replaced since, by one with the same signature.
    Named(Name),
    /// One of a table's own.
    Default(Arc<Procedure>),
}

impl PartialEq for Callee {
    fn eq(&self, other: &Callee) -> bool {
        match (self, other) {
            (Callee::Named(a), Callee::Named(b)) => a == b,
            (Callee::Default(a), Callee::Default(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// What a block does about a failure in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    /// The instructions that it watches.
    pub range: Range<u32>,
    pub condition: Condition,
    /// Where it begins.
    pub entry: u32,
    /// Where what it caught is kept; the same for all conditions of one handler.
    pub slot: u16,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    SqlState(String),
    NotFound,
    UniqueViolation,
    SqlException,
}

/// A procedure's body, compiled.
#[derive(Default)]
pub struct Code {
    /// Empty only for a system procedure, which the engine carries out.
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
    /// Inner blocks before outer ones, and within a block what is more particular first.
    pub handlers: Vec<Handler>,
    /// For each instruction, where a CONTINUE handler goes on after it failed; empty without handlers.
    pub resumes: Vec<u32>,
}

/// A procedure that can be called.
pub struct Procedure {
    pub definition: Arc<catalog::Procedure>,
    /// The catalog version that it was compiled against; a later one may have taken it over unchanged.
    pub version: u64,
    pub code: Code,
    /// Set for a native one, which is compiled from it and not from a text.
    pub native: Option<Arc<NativeDefinition>>,
    /// Things to know that are no errors.
    pub notes: Vec<String>,
}

impl std::fmt::Debug for Procedure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Procedure({}, version {})", self.definition.name, self.version)
    }
}
