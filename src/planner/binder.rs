//! What is known while a statement is bound: registers given out, names in scope, subqueries found.

use super::environment::Environment;
use super::error::{Result, did_you_mean, fail};
use super::from::From;
use super::plan::Subquery;
use super::scope::{Relation, Scope, Source};
use crate::catalog::{Catalog, Column, Table};
use crate::expr::expr::Expr;
use crate::sql::Span;
use crate::sql::ast::{self, Ident};
use crate::types::{DataType, Name, Reg};
use std::sync::Arc;

/// Levels of nesting that an expression or query may have: binding, running and dropping it all recurse.
pub(super) const DEPTH_MAX: usize = 120;

pub(super) struct Binder<'a> {
    pub catalog: &'a Catalog,
    pub env: &'a Environment<'a>,
    /// Registers below are parameters, variables and placeholders.
    pub constants: usize,
    next: usize,
    pub instances: Vec<Instance>,
    pub scopes: Vec<Scope>,
    pub subqueries: Vec<Subquery>,
    /// Subqueries around the point at hand.
    pub frames: Vec<Frame>,
    pub common_tables: Vec<CommonTable<'a>>,
    pub placeholders: Vec<Placeholder>,
    depth: usize,
    pub recursive_ids: usize,
    /// Where neither subqueries nor NOW may stand: who says so.
    pub plain: Option<&'static str>,
}

/// One use of a table in FROM, or as the target of a change.
pub(super) struct Instance {
    pub table: Arc<Table>,
    /// Columns that were read, and their registers.
    pub columns: Vec<(usize, Reg)>,
    /// The register for the row's place.
    pub row: Option<Reg>,
}

pub(super) struct Frame {
    /// Scopes below this are outside of the subquery.
    pub base: usize,
    pub correlated: bool,
}

#[derive(Clone)]
pub(super) struct CommonTable<'a> {
    pub name: Name,
    pub columns: &'a [Ident],
    pub kind: CommonTableKind<'a>,
    /// What it sees: scopes and common tables below these numbers.
    pub scopes: usize,
    pub common_tables: usize,
}

#[derive(Clone)]
pub(super) enum CommonTableKind<'a> {
    Query {
        query: &'a ast::Query,
        recursive: bool,
    },
    /// Within the step of a recursive one: the rows that the last round added.
    Working {
        id: usize,
        columns: Vec<(Name, DataType)>,
    },
}

#[derive(Clone, Copy, Default)]
pub(super) struct Placeholder {
    pub ty: Option<DataType>,
    pub span: Span,
}

/// A bound query: rows that leave its columns in registers.
pub(super) struct Rows {
    pub from: From,
    pub columns: Vec<OutColumn>,
}

#[derive(Clone, Debug)]
pub(super) struct OutColumn {
    pub name: String,
    pub reg: Reg,
    pub ty: DataType,
    pub nullable: bool,
}

impl OutColumn {
    pub fn expr(&self) -> Expr {
        Expr::reg(self.reg, self.ty, self.nullable)
    }
}

impl<'a> Binder<'a> {
    /// `placeholders`: how many registers to keep for them at least.
    pub fn new(env: &'a Environment<'a>, placeholders: usize) -> Binder<'a> {
        let known = env.placeholders.types.len().max(placeholders);
        let mut types = vec![Placeholder::default(); known];
        types.iter_mut().zip(&env.placeholders.types).for_each(|(p, &ty)| p.ty = ty);
        let kept = if known > 0 { env.placeholders.base as usize + known } else { 0 };
        let constants = kept.max(env.first_register as usize);
        Binder {
            catalog: env.catalog,
            env,
            constants,
            next: constants,
            instances: Vec::new(),
            scopes: Vec::new(),
            subqueries: Vec::new(),
            frames: Vec::new(),
            common_tables: Vec::new(),
            placeholders: types,
            depth: 0,
            recursive_ids: 0,
            plain: None,
        }
    }

    /// A new register. Running out of them is noticed by [`Binder::registers`]: until then numbers repeat.
    pub fn fresh(&mut self) -> Reg {
        let reg = self.next as Reg;
        self.next += 1;
        reg
    }

    /// How many registers are in use.
    pub fn registers(&self) -> Result<usize> {
        if self.next > Reg::MAX as usize {
            return fail(
                format!("the statement needs {} registers, the limit is {}: split it", self.next, Reg::MAX),
                Span::NONE,
            );
        }
        Ok(self.next)
    }

    /// Runs `f` one level deeper.
    pub fn nested<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= DEPTH_MAX {
            return fail(format!("nested too deeply: the limit is {DEPTH_MAX} levels"), span);
        }
        self.check_registers(span)?;
        self.depth += 1;
        let outcome = f(self);
        self.depth -= 1;
        outcome
    }

    fn check_registers(&self, span: Span) -> Result<()> {
        match self.registers() {
            Ok(_) => Ok(()),
            Err(mut error) => {
                error.span = span;
                Err(error)
            }
        }
    }

    /// The scope of the innermost SELECT.
    pub fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("a clause is bound within its scope")
    }

    /// A table or view by name.
    pub fn table(&self, name: &Ident) -> Result<Arc<Table>> {
        table(self.catalog, name)
    }

    pub fn add_instance(&mut self, table: Arc<Table>) -> usize {
        self.instances.push(Instance { table, columns: Vec::new(), row: None });
        self.instances.len() - 1
    }

    /// The register of a column of an instance, new if this is its first use.
    pub fn column_reg(&mut self, instance: usize, column: usize) -> Reg {
        if let Some(&(_, reg)) = self.instances[instance].columns.iter().find(|(c, _)| *c == column) {
            return reg;
        }
        let reg = self.fresh();
        self.instances[instance].columns.push((column, reg));
        reg
    }

    /// Column of an instance as an expression.
    pub fn instance_column(&mut self, instance: usize, column: usize) -> Expr {
        let reg = self.column_reg(instance, column);
        let Column { ty, nullable, .. } = self.instances[instance].table.columns[column];
        Expr::reg(reg, ty, nullable)
    }

    /// Names of a relation's columns, in order.
    pub fn relation_columns(&self, relation: &Relation) -> Vec<Name> {
        match &relation.source {
            Source::Table(instance) => {
                self.instances[*instance].table.visible_columns().iter().map(|c| c.name.clone()).collect()
            }
            Source::Columns(columns) => columns.iter().map(|(name, _)| name.clone()).collect(),
        }
    }

    /// Positions of a name among a relation's columns: more than one where a subquery repeats it.
    fn positions(&self, relation: &Relation, name: &Name) -> Vec<usize> {
        match &relation.source {
            Source::Table(instance) => self.instances[*instance].table.column(name).into_iter().collect(),
            Source::Columns(columns) => {
                columns.iter().enumerate().filter(|(_, (n, _))| n == name).map(|(i, _)| i).collect()
            }
        }
    }

    /// A column of a relation of scope number `depth`, as rows have it.
    pub fn relation_column(&mut self, depth: usize, relation: usize, column: usize) -> Expr {
        let nullable = self.scopes[depth].relations[relation].nullable;
        let mut expr = match &self.scopes[depth].relations[relation].source {
            Source::Table(instance) => {
                let instance = *instance;
                self.instance_column(instance, column)
            }
            Source::Columns(columns) => columns[column].1.clone(),
        };
        expr.nullable |= nullable;
        expr
    }

    /// The column or variable of that name: innermost scope first, then outer ones, then variables.
    pub fn resolve(&mut self, qualifier: Option<&Ident>, column: &Ident) -> Result<Expr> {
        for depth in (0..self.scopes.len()).rev() {
            if !self.scopes[depth].visible {
                continue;
            }
            if let Some(expr) = self.resolve_in(depth, qualifier, column)? {
                return Ok(expr);
            }
        }
        match self.variable(qualifier, &column.name) {
            Some(expr) => Ok(expr),
            None => Err(self.unknown_column(qualifier, column)),
        }
    }

    /// The variable or parameter of that name, the innermost.
    pub fn variable(&self, qualifier: Option<&Ident>, name: &Name) -> Option<Expr> {
        let found = self.env.variables.iter().rev().find(|v| {
            v.name == *name && qualifier.is_none_or(|qualifier| v.qualifier.as_ref() == Some(&qualifier.name))
        })?;
        Some(Expr::reg(found.reg, found.ty, found.nullable))
    }

    fn resolve_in(&mut self, depth: usize, qualifier: Option<&Ident>, column: &Ident) -> Result<Option<Expr>> {
        let scope = &self.scopes[depth];
        let mut hidden: Vec<(usize, usize)> = Vec::new();
        let mut found: Vec<(usize, usize)> = Vec::new();
        let merged = match qualifier {
            None => scope.merged.iter().position(|m| m.name == column.name),
            Some(_) => None,
        };
        if let Some(merged) = merged {
            hidden.extend(&scope.merged[merged].members);
        }
        for (i, relation) in scope.relations.iter().enumerate() {
            if qualifier.is_none_or(|qualifier| relation.alias == qualifier.name) {
                found.extend(self.positions(relation, &column.name).into_iter().map(|c| (i, c)));
            }
        }
        found.retain(|at| !hidden.contains(at));
        if found.len() + usize::from(merged.is_some()) > 1 {
            let first = merged.map(|m| self.scopes[depth].merged[m].members[0]);
            return Err(self.ambiguous(depth, column, &first.into_iter().chain(found).collect::<Vec<_>>()));
        }
        let (expr, shown) = if let Some(merged) = merged {
            (self.scopes[depth].merged[merged].value.clone(), column.name.to_string())
        } else if let Some(&(relation, at)) = found.first() {
            (self.relation_column(depth, relation, at), column.name.to_string())
        } else {
            let alias = self.scopes[depth].aliases.iter().find(|(name, _)| qualifier.is_none() && *name == column.name);
            let alias = alias.map(|(_, expr)| expr.clone());
            if alias.is_some() {
                self.mark_correlated(depth);
            }
            return Ok(alias);
        };
        self.mark_correlated(depth);
        self.grouped(depth, expr, &shown, column.span).map(Some)
    }

    /// Subqueries inside of scope number `depth` depend on its rows.
    fn mark_correlated(&mut self, depth: usize) {
        for frame in self.frames.iter_mut().filter(|frame| frame.base > depth) {
            frame.correlated = true;
        }
    }

    /// What a column of rows is among groups: the group key that it is, or something to complain about.
    pub fn grouped(&mut self, depth: usize, expr: Expr, shown: &str, span: Span) -> Result<Expr> {
        let innermost = self.scopes.len() - 1 == depth;
        let Some(grouping) = &mut self.scopes[depth].grouping else { return Ok(expr) };
        if !grouping.active || grouping.inside_aggregate {
            return Ok(expr);
        }
        if let Some((reg, key)) = grouping.keys.iter().find(|(_, key)| key.kind == expr.kind) {
            return Ok(Expr::reg(*reg, key.ty, key.nullable));
        }
        let reg = expr.as_reg();
        if !innermost || reg.is_none() {
            return fail(ungrouped(shown), span);
        }
        grouping.ungrouped.extend(reg.map(|reg| (reg, shown.to_owned(), span)));
        Ok(expr)
    }

    fn ambiguous(&self, depth: usize, column: &Ident, found: &[(usize, usize)]) -> super::BindError {
        let relations = &self.scopes[depth].relations;
        let mut names: Vec<String> = found.iter().map(|&(r, _)| relations[r].alias.to_string()).collect();
        names.dedup();
        let column_name = &column.name;
        let message = match names.as_slice() {
            [one] => format!("column {column_name} is ambiguous: {one} has several of that name"),
            _ => {
                let written: Vec<String> = names.iter().map(|name| format!("{name}.{column_name}")).collect();
                format!(
                    "column {column_name} is ambiguous: it is in {}; write {}",
                    names.join(" and "),
                    written.join(" or ")
                )
            }
        };
        super::BindError::new(message, column.span)
    }

    fn unknown_column(&self, qualifier: Option<&Ident>, column: &Ident) -> super::BindError {
        let visible: Vec<&Scope> = self.scopes.iter().rev().filter(|scope| scope.visible).collect();
        let name = &column.name;
        let message = if let Some(qualifier) = qualifier {
            let relation = visible.iter().flat_map(|s| &s.relations).find(|r| r.alias == qualifier.name);
            match relation {
                Some(relation) => {
                    let columns = self.relation_columns(relation);
                    let hint = did_you_mean(name.as_str(), columns.iter().map(Name::as_str));
                    format!("no column {name} in {}{hint}", relation.alias)
                }
                None => {
                    let rows = self.env.variables.iter().filter_map(|v| v.qualifier.as_ref());
                    let aliases = visible.iter().flat_map(|s| &s.relations).map(|r| &r.alias).chain(rows);
                    let hint = did_you_mean(qualifier.name.as_str(), aliases.map(Name::as_str));
                    return super::BindError::new(
                        format!("no table {} in FROM{hint}", qualifier.name),
                        qualifier.span.to(column.span),
                    );
                }
            }
        } else {
            let relations: Vec<&Relation> =
                visible.first().map_or(Vec::new(), |scope| scope.relations.iter().collect());
            let mut candidates: Vec<Name> =
                visible.iter().flat_map(|s| &s.relations).flat_map(|r| self.relation_columns(r)).collect();
            candidates.extend(self.env.variables.iter().filter(|v| v.qualifier.is_none()).map(|v| v.name.clone()));
            let hint = did_you_mean(name.as_str(), candidates.iter().map(Name::as_str));
            match relations.as_slice() {
                [] if self.env.variables.is_empty() => format!("no column {name}: there is no FROM"),
                [] => format!("no column or variable {name}{hint}"),
                [one] => format!("no column {name} in {}{hint}", one.alias),
                many => {
                    let names: Vec<&str> = many.iter().map(|r| r.alias.as_str()).collect();
                    format!("no column {name} in any of {}{hint}", names.join(", "))
                }
            }
        };
        super::BindError::new(message, column.span)
    }
}

pub(super) fn ungrouped(column: &str) -> String {
    format!("column {column} must be in GROUP BY or inside an aggregate function")
}

/// A table or view by name, or the nearest name.
pub(super) fn table(catalog: &Catalog, name: &Ident) -> Result<Arc<Table>> {
    match catalog.table(&name.name) {
        Some(table) => Ok(Arc::clone(table)),
        None if catalog.query_view(&name.name).is_some() => {
            fail(format!("{} is a view that is not materialized: it can only be read", name.name), name.span)
        }
        None => {
            let hint = did_you_mean(name.name.as_str(), catalog.tables().map(|table| table.name.as_str()));
            fail(format!("no table or view {}{hint}", name.name), name.span)
        }
    }
}
