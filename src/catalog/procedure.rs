//! A stored procedure's signature and source: everything but its code.

use super::TableId;
use crate::types::{DataType, Name, Value};

#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub partitioning: ProcedurePartitioning,
    pub returns: Option<DataType>,
    /// No statement of it writes.
    pub read_only: bool,
    /// It touches nothing but replicated tables, and those only to read: it could run at any partition.
    pub anywhere: bool,
    /// The partitioning was not declared, but found from the statements.
    pub partitioning_found: bool,
    /// Procedures that it calls.
    pub calls: Vec<Name>,
    /// ALLOW: kept and shown, not enforced.
    pub roles: Vec<Name>,
    /// The CREATE PROCEDURE as it was written; it is compiled anew against each catalog version.
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: Name,
    pub ty: DataType,
    pub default: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcedurePartitioning {
    /// Runs on the partition that owns the parameter's value.
    Single { parameter: usize, table: TableId, column: usize },
    /// Takes every partition.
    Multi,
    /// DIRECTED: a transaction at each partition apart, on what that one has; not atomic across them.
    Directed,
}
