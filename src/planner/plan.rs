//! The bound plan: a tree of nodes that fill registers.
//!
//! A node, when it runs, sets its registers for one row after another and calls what is above it for each. Registers of
//! rows further out (an outer query, the left side of a join, the variables of a procedure) can be read at any time, so
//! a correlated subquery or an index look-up by a joined column needs no parameters of its own.

use crate::catalog::TableId;
use crate::expr::aggregate::AggregateKind;
use crate::expr::expr::Expr;
use crate::types::{DataType, Name, Reg, ResultSet};
use std::sync::Arc;

/// One statement, or one expression of a procedure, bound against one catalog version.
#[derive(Clone, Debug)]
pub struct Plan {
    pub kind: PlanKind,
    /// `ExprKind::Subquery` refers to these by index. Inner ones stand in the same list.
    pub subqueries: Vec<Subquery>,
    /// Registers in use are below this.
    pub registers: usize,
    /// The types of the `?`, in order; their registers are the first ones the plan was given.
    pub placeholders: Vec<DataType>,
    pub partitioning: Partitioning,
    pub read_only: bool,
}

#[derive(Clone, Debug)]
pub enum PlanKind {
    Query {
        root: Node,
        output: Vec<Output>,
    },
    /// A procedure's expression (SET, IF, RETURN ..).
    Expression(Expr),
    /// For each row of `source`: evaluate `row`, one expression per column of the table, hidden ones excluded, in table
    /// order, of the column's type (implied casts put in), and insert it.
    Insert {
        table: TableId,
        source: Node,
        row: Vec<Expr>,
        /// UPSERT: where a row with that primary key exists, change these columns instead.
        upsert: Option<Vec<usize>>,
        /// ON CONFLICT.
        conflict: Option<Conflict>,
        returning: Option<Returning>,
    },
    /// `source` leaves the row's place in `target` (see [`Scan::row`]); all its rows are found before one changes.
    Update {
        table: TableId,
        source: Node,
        target: Reg,
        /// Column and new value, over the registers of `source`.
        assignments: Vec<(usize, Expr)>,
        returning: Option<Returning>,
    },
    Delete {
        table: TableId,
        source: Node,
        target: Reg,
        returning: Option<Returning>,
    },
    Truncate {
        table: TableId,
    },
}

/// What an INSERT does where a row has the key already.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// Positions of the unique indexes that are meant: of plain columns, without a filter.
    pub indexes: Vec<usize>,
    /// None: nothing.
    pub update: Option<ConflictUpdate>,
}

/// The row that is there is loaded into `existing`, the one that was to be inserted into `proposed` (column, register).
#[derive(Clone, Debug)]
pub struct ConflictUpdate {
    pub existing: Vec<(usize, Reg)>,
    pub proposed: Vec<(usize, Reg)>,
    pub assignments: Vec<(usize, Expr)>,
    pub filter: Option<Expr>,
}

impl Conflict {
    /// The expressions over both rows.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.update.iter().flat_map(|u| u.assignments.iter().map(|(_, expr)| expr).chain(&u.filter))
    }
}

/// RETURNING: the changed row's columns are loaded into `columns` (column, register), then `output` is computed.
#[derive(Clone, Debug)]
pub struct Returning {
    pub columns: Vec<(usize, Reg)>,
    pub exprs: Vec<(Reg, Expr)>,
    pub output: Vec<Output>,
}

/// A column of the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    pub name: String,
    pub ty: DataType,
    pub reg: Reg,
}

#[derive(Clone, Debug)]
pub enum Node {
    /// One row of no columns: SELECT without FROM, INSERT .. VALUES of one row.
    One,
    Values {
        rows: Vec<Vec<Expr>>,
        out: Vec<Reg>,
    },
    Scan(Scan),
    /// A system table: rows that were made up when the statement was planned, so its plan is good for one execution.
    Rows {
        name: Name,
        rows: Arc<ResultSet>,
        /// Columns that somebody reads, and where they go.
        columns: Vec<(usize, Reg)>,
    },
    Filter {
        input: Box<Node>,
        predicate: Expr,
    },
    /// Sets further registers for each row.
    Compute {
        input: Box<Node>,
        exprs: Vec<(Reg, Expr)>,
    },
    /// For each row of `outer`, each row of `inner` (which may read the outer's registers) that meets `on`.
    Join {
        kind: JoinKind,
        outer: Box<Node>,
        inner: Box<Node>,
        on: Option<Expr>,
        /// Registers that `inner` fills: NULL for the row of an outer join that finds no partner.
        inner_out: Vec<Reg>,
    },
    /// `build` is read once into a hash table on its keys; probed with each row of `probe`.
    HashJoin {
        kind: JoinKind,
        probe: Box<Node>,
        build: Box<Node>,
        /// Same types pairwise; NULL keys match nothing.
        probe_keys: Vec<Expr>,
        build_keys: Vec<Expr>,
        /// Registers that `build` fills and somebody reads.
        build_out: Vec<Reg>,
        /// Registers that `probe` fills: NULL for the row of a FULL join's build side that finds no partner.
        probe_out: Vec<Reg>,
        on: Option<Expr>,
    },
    /// Without keys: exactly one row, also for no input.
    Aggregate {
        input: Box<Node>,
        keys: Vec<(Reg, Expr)>,
        calls: Vec<AggregateCall>,
    },
    /// Adds registers to each row of its input; rows come out partition by partition, in order.
    Window {
        input: Box<Node>,
        /// Registers that rows above read: saved and restored.
        carry: Vec<Reg>,
        partition_by: Vec<Expr>,
        order_by: Vec<SortKey>,
        calls: Vec<WindowCall>,
    },
    Sort {
        input: Box<Node>,
        keys: Vec<SortKey>,
        carry: Vec<Reg>,
        /// Only that many first rows are wanted (LIMIT + OFFSET), where it is known.
        top: Option<Expr>,
    },
    Distinct {
        input: Box<Node>,
        /// The row, with the types of its registers.
        columns: Vec<(Reg, DataType)>,
    },
    Limit {
        input: Box<Node>,
        limit: Option<Expr>,
        offset: Option<Expr>,
    },
    /// `UNION`, `INTERSECT`, `EXCEPT`, each `[ALL]`: both sides' columns arrive in `out`.
    SetOperation {
        op: crate::sql::ast::SetOp,
        all: bool,
        left: Box<Node>,
        left_columns: Vec<Expr>,
        right: Box<Node>,
        right_columns: Vec<Expr>,
        out: Vec<(Reg, DataType)>,
    },
    /// A non-recursive WITH or FROM subquery is put in place; this is the recursive kind: rows of `base`, then of `step`
    /// over the rows that the round before added (they are read by [`Node::Working`] of the same `id`), until none is new.
    Recursive {
        id: usize,
        all: bool,
        base: Box<Node>,
        base_columns: Vec<Expr>,
        step: Box<Node>,
        step_columns: Vec<Expr>,
        out: Vec<(Reg, DataType)>,
    },
    Working {
        id: usize,
        out: Vec<Reg>,
    },
}

/// Rows of one table or view.
#[derive(Clone, Debug)]
pub struct Scan {
    pub table: TableId,
    /// Columns that somebody reads, and where they go.
    pub columns: Vec<(usize, Reg)>,
    /// If set: the row's place, an opaque BIGINT for UPDATE and DELETE.
    pub row: Option<Reg>,
    pub access: Access,
    /// Over `columns` and registers further out; what `access` guarantees is not repeated here.
    pub filter: Option<Expr>,
    /// Only the partition that owns this value needs to be looked at. Of the partition column's type family.
    pub partition: Option<Expr>,
}

#[derive(Clone, Debug)]
pub enum Access {
    /// Every row, in an order that is stable while nothing changes.
    Full,
    /// Rows whose whole key equals these. A NULL key finds nothing. `unique`: at most one.
    Equal { index: usize, key: Vec<Expr>, unique: bool },
    /// An ordered index: `equal` for the first keys, then a range of the next. `low` and `high` with "inclusive".
    Range { index: usize, equal: Vec<Expr>, low: Option<(Expr, bool)>, high: Option<(Expr, bool)>, descending: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    Inner,
    /// Every outer (probe) row at least once.
    Left,
    /// Left, and every inner (build) row that found no partner, with NULL in the outer's registers `outer_out`.
    /// Only as a HashJoin or over materialized rows.
    Full,
    /// Outer rows that have a partner, once.
    Semi,
    /// Outer rows that have none.
    Anti,
}

#[derive(Clone, Debug)]
pub struct AggregateCall {
    pub kind: AggregateKind,
    pub distinct: bool,
    /// None for COUNT(*).
    pub argument: Option<Expr>,
    pub ty: DataType,
    pub out: Reg,
}

#[derive(Clone, Debug)]
pub struct WindowCall {
    pub kind: WindowKind,
    pub arguments: Vec<Expr>,
    pub frame: WindowFrame,
    pub out: Reg,
    pub ty: DataType,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowKind {
    RowNumber,
    Rank,
    DenseRank,
    PercentRank,
    CumeDist,
    /// Of the number of buckets.
    Ntile,
    /// Of a value, how many rows away, and what stands for a row that isn't there.
    Lag,
    Lead,
    /// Of a value; of rows of the frame.
    FirstValue,
    LastValue,
    /// Of a value and its number in the frame, from 1.
    NthValue,
    /// Of one value, or none for COUNT(*), over the frame.
    Aggregate(AggregateKind),
}

impl WindowKind {
    /// True if the call looks at the rows of a frame.
    pub fn has_frame(self) -> bool {
        matches!(self, WindowKind::FirstValue | WindowKind::LastValue | WindowKind::NthValue | WindowKind::Aggregate(_))
    }
}

/// The rows around the current one that a call looks at.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowFrame {
    pub unit: FrameUnit,
    pub start: FrameBound,
    pub end: FrameBound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameUnit {
    Rows,
    /// Peers go together; offsets are differences of the only key of ORDER BY.
    Range,
    /// Offsets count groups of peers.
    Groups,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FrameBound {
    UnboundedPreceding,
    /// An offset that is the same for all rows; not negative, or the statement fails.
    Preceding(Expr),
    CurrentRow,
    Following(Expr),
    UnboundedFollowing,
}

#[derive(Clone, Debug)]
pub struct SortKey {
    pub expr: Expr,
    pub descending: bool,
    pub nulls_first: bool,
}

/// A query inside an expression.
#[derive(Clone, Debug)]
pub struct Subquery {
    pub root: Node,
    /// Where its value goes: the `result` of the expression that stands for it.
    pub result: Reg,
    pub kind: SubqueryKind,
    /// It reads registers that rows of the statement fill. If not, it is run once.
    pub correlated: bool,
}

#[derive(Clone, Debug)]
pub enum SubqueryKind {
    /// The value in the register; no row: NULL; a second row is an error.
    Scalar {
        value: Reg,
    },
    Exists,
    /// `operands IN (columns)`, three-valued.
    In {
        operands: Vec<Expr>,
        columns: Vec<(Reg, DataType)>,
    },
    /// `operand op ANY|ALL (column)`: `test` compares the operand with the row at hand.
    Quantified {
        test: Expr,
        all: bool,
    },
}

/// Where a statement must run.
#[derive(Clone, Debug)]
pub enum Partitioning {
    /// Reads replicated tables only: any partition will do.
    Any,
    /// All partitioned tables are bound to the one partition that owns this value: a literal, parameter or variable.
    One { key: Expr, table: TableId, column: usize },
    /// Everything else.
    All,
}
