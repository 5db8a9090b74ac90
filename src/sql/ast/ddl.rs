//! Schema changes as written.

use super::{Expr, Ident, Procedure, Query};
use crate::sql::Span;
use crate::types::DataType;

#[derive(Clone, Debug, PartialEq)]
pub enum Ddl {
    CreateTable(CreateTable),
    PartitionTable {
        table: Ident,
        column: Ident,
    },
    /// REPLICATE TABLE t: undoes PARTITION TABLE.
    ReplicateTable {
        table: Ident,
    },
    CreateIndex(CreateIndex),
    CreateView(CreateView),
    AlterTable {
        table: Ident,
        action: Box<AlterTable>,
    },
    /// ALTER VIEW v {ADD|ALTER} USING TTL .., or DROP TTL (`None`).
    AlterView {
        view: Ident,
        ttl: Option<Ttl>,
    },
    CreateProcedure(Procedure),
    /// CREATE PROCEDURE [PARTITION ON ..] FROM CLASS a.b.Name: `class` is the whole dotted name, the procedure's name
    /// its last part.
    ProcedureFromClass {
        class: Ident,
        partition: Option<PartitionClause>,
        or_replace: bool,
        directed: bool,
        roles: Vec<Ident>,
    },
    /// The deprecated PARTITION PROCEDURE p ON TABLE t COLUMN c [PARAMETER k].
    PartitionProcedure {
        name: Ident,
        partition: PartitionClause,
    },
    /// CREATE ROLE name [WITH permission, ..]: kept; everyone may do everything.
    CreateRole {
        name: Ident,
        permissions: Vec<Ident>,
    },
    Drop {
        kind: ObjectKind,
        name: Ident,
        if_exists: bool,
        cascade: bool,
    },
    /// LOAD CLASSES / REMOVE CLASSES: accepted with a note that procedures come from `procs/`.
    LoadClasses {
        text: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Table,
    View,
    Index,
    Procedure,
    Role,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CreateTable {
    pub name: Ident,
    pub if_not_exists: bool,
    /// CREATE TABLE t (LIKE other): its columns, defaults and NOT NULLs; then there are no columns here.
    pub like: Option<Ident>,
    pub columns: Vec<ColumnDef>,
    pub constraints: Vec<TableConstraint>,
    pub ttl: Option<Ttl>,
}

/// `CREATE [OR REPLACE] [MATERIALIZED] VIEW name [(columns)] AS query [USING TTL ..]`
#[derive(Clone, Debug, PartialEq)]
pub struct CreateView {
    pub name: Ident,
    pub or_replace: bool,
    /// What cannot be materialized is then an error.
    pub materialized: bool,
    pub columns: Vec<Ident>,
    pub query: Box<Query>,
    pub ttl: Option<Ttl>,
}

/// USING TTL n [SECONDS|MINUTES|HOURS|DAYS] ON COLUMN c [BATCH_SIZE b] [MAX_FREQUENCY f]
#[derive(Clone, Debug, PartialEq)]
pub struct Ttl {
    pub seconds: u64,
    pub column: Ident,
    /// Rows that one round may delete in a partition.
    pub batch_size: u32,
    /// Rounds a second.
    pub max_frequency: u32,
}

/// What ALTER TABLE does.
#[derive(Clone, Debug, PartialEq)]
pub enum AlterTable {
    AddColumn {
        column: ColumnDef,
        before: Option<Ident>,
        if_not_exists: bool,
    },
    DropColumn {
        column: Ident,
        if_exists: bool,
        cascade: bool,
    },
    /// ALTER COLUMN c type [DEFAULT ..] [NOT NULL]: all of it is given anew.
    RedefineColumn(ColumnDef),
    /// ALTER COLUMN c [SET DATA] TYPE type: default and NOT NULL stay.
    SetType {
        column: Ident,
        data_type: DataType,
    },
    /// None: DROP DEFAULT.
    SetDefault {
        column: Ident,
        default: Option<Expr>,
    },
    SetNotNull {
        column: Ident,
        not_null: bool,
    },
    AddConstraint(TableConstraint),
    DropPrimaryKey(Span),
    DropConstraint {
        name: Ident,
        if_exists: bool,
    },
    RenameTable(Ident),
    RenameColumn {
        from: Ident,
        to: Ident,
    },
    SetTtl(Ttl),
    DropTtl,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDef {
    pub name: Ident,
    pub data_type: DataType,
    pub not_null: bool,
    pub default: Option<Expr>,
    /// PRIMARY KEY, UNIQUE or ASSUMEUNIQUE written at the column, without its column list.
    pub key: Option<KeyKind>,
    pub check: Option<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    PrimaryKey,
    Unique,
    AssumeUnique,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TableConstraint {
    pub name: Option<Ident>,
    pub kind: ConstraintKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ConstraintKind {
    Key { kind: KeyKind, columns: Vec<Expr> },
    Check(Expr),
}

#[derive(Clone, Debug, PartialEq)]
pub struct CreateIndex {
    pub name: Ident,
    pub table: Ident,
    pub unique: bool,
    /// CREATE ASSUMEUNIQUE INDEX.
    pub assume_unique: bool,
    /// USING HASH, our addition; otherwise ordered.
    pub hash: bool,
    pub columns: Vec<Expr>,
    pub filter: Option<Expr>,
}

/// PARTITION ON TABLE t COLUMN c [PARAMETER k]
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionClause {
    pub table: Ident,
    pub column: Ident,
    /// Position of the parameter, from 0; None: not written, so 0.
    pub parameter: Option<usize>,
}
