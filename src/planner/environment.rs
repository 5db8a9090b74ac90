//! What a statement sees besides tables.

use crate::catalog::Catalog;
use crate::types::{DataType, Name, Reg, ResultSet};
use std::sync::Arc;

/// The world of one statement: a catalog version, and the procedure around it, if there is one.
#[derive(Clone, Debug)]
pub struct Environment<'a> {
    pub catalog: &'a Catalog,
    /// Parameters and variables; searched from the last, so that inner blocks hide outer ones.
    pub variables: &'a [Variable],
    /// Registers below are taken. Placeholders may reach beyond it: new registers start after both.
    pub first_register: Reg,
    pub placeholders: Placeholders,
    /// None where a plan is kept: in procedures, views and constraints.
    pub system: Option<&'a dyn SystemTables>,
}

/// Tables about the database itself, made up when a statement names them.
pub trait SystemTables: std::fmt::Debug {
    /// The rows of a table by its full name, as `sys.tables`; None if there is none of that name. Asked twice while one
    /// statement is planned, it gives the same rows.
    fn rows(&self, name: &Name) -> Option<Arc<ResultSet>>;
    /// All names, for suggestions.
    fn names(&self) -> Vec<String>;
}

/// A parameter or variable of a procedure, or a column of a FOR loop's row.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Name,
    /// The FOR row that it is a column of.
    pub qualifier: Option<Name>,
    pub reg: Reg,
    pub ty: DataType,
    pub nullable: bool,
}

/// The `?` of the statement: number `i` lives in register `base + i`.
#[derive(Clone, Debug, Default)]
pub struct Placeholders {
    pub base: Reg,
    /// Types that are known; None, and any beyond the list: inferred from where the `?` stands.
    pub types: Vec<Option<DataType>>,
}

impl<'a> Environment<'a> {
    /// An ad hoc statement: no variables, placeholders from register 0.
    pub fn ad_hoc(catalog: &'a Catalog) -> Environment<'a> {
        Environment { catalog, variables: &[], first_register: 0, placeholders: Placeholders::default(), system: None }
    }
}
