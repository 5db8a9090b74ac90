//! ALTER TABLE: another definition of a table, and how its rows get there.
//!
//! A change is made on a copy of the table: its columns move, and everything that is bound to columns follows
//! ([`Alteration`]). Materialized views over it are bound anew from their text; one that can't be is named, and refuses
//! the change unless CASCADE drops it.

use super::index::{check_key_count, check_partition, column_key};
use super::table::{self, KeyDef};
use super::{DdlOutcome, base_table, view};
use crate::catalog::{Catalog, CatalogChange, Column, Index, Key, Table, TableId};
use crate::expr::castable;
use crate::expr::expr::{Expr, ExprKind};
use crate::planner::bind::coerce::{Family, fits};
use crate::planner::bind::insert::target_column;
use crate::planner::error::{BindError, Result, fail, type_name};
use crate::planner::registers::{any_part, operands_mut, replace};
use crate::sql::Span;
use crate::sql::ast::{AlterTable, ColumnDef, CreateTable, Ident, TableConstraint};
use crate::types::{DataType, Name, Reg, Value};
use std::sync::Arc;

pub(super) fn alter(catalog: &mut Catalog, name: &Ident, action: &AlterTable, text: &str) -> Result<DdlOutcome> {
    let table = base_table(catalog, name, "ALTER TABLE")?;
    let mut next = catalog.clone();
    let outcome = Alter { catalog: &mut next, table, at: name, text }.run(action)?;
    *catalog = next;
    Ok(outcome)
}

struct Alter<'c> {
    /// A copy: a change that fails leaves it in any state.
    catalog: &'c mut Catalog,
    table: Arc<Table>,
    at: &'c Ident,
    text: &'c str,
}

/// A table on its way to another definition.
struct Alteration {
    new: Table,
    /// What each new column is, over the old ones.
    row: Vec<Expr>,
    /// Where each old column is now.
    moved: Vec<Option<usize>>,
    /// The rows must be written, or checked, anew.
    rewrite: bool,
    cascade: bool,
    /// What to say of a dependent that can't follow.
    what: String,
}

impl Alteration {
    fn new(table: &Table, what: String) -> Alteration {
        let row = table.columns.iter().enumerate().map(|(i, c)| Expr::reg(i as Reg, c.ty, c.nullable)).collect();
        let moved = (0..table.columns.len()).map(Some).collect();
        Alteration { new: table.clone(), row, moved, rewrite: false, cascade: false, what }
    }

    /// Old column `at` has this type and nullability from now on.
    fn retype(&mut self, at: usize, ty: DataType, nullable: bool) {
        let column = &mut self.new.columns[at];
        self.rewrite |= column.ty != ty || column.nullable != nullable;
        if !fits(column.ty, ty) {
            let from = std::mem::replace(&mut self.row[at], Expr::int(0));
            let nullable = from.nullable;
            self.row[at] = Expr { kind: ExprKind::Cast(Box::new(from)), ty, nullable };
        }
        (column.ty, column.nullable) = (ty, nullable);
    }
}

impl Alter<'_> {
    fn run(&mut self, action: &AlterTable) -> Result<DdlOutcome> {
        match action {
            AlterTable::AddColumn { column, before, if_not_exists } => {
                self.add_column(column, before.as_ref(), *if_not_exists)
            }
            AlterTable::DropColumn { column, if_exists, cascade } => self.drop_column(column, *if_exists, *cascade),
            AlterTable::RedefineColumn(def) => self.redefine_column(def),
            AlterTable::SetType { column, data_type } => {
                let at = target_column(&self.table, column)?;
                let nullable = self.table.columns[at].nullable;
                self.change_type(column, at, *data_type, nullable)
            }
            AlterTable::SetDefault { column, default } => {
                let at = target_column(&self.table, column)?;
                let mut changed = self.table.as_ref().clone();
                let ty = changed.columns[at].ty;
                changed.columns[at].default = match default {
                    Some(e) => table::default(&column.name, ty, e)?,
                    None => None,
                };
                Ok(self.redefine(changed))
            }
            AlterTable::SetNotNull { column, not_null } => {
                let at = target_column(&self.table, column)?;
                if !not_null {
                    self.check_may_be_null(column, at)?;
                }
                let ty = self.table.columns[at].ty;
                self.change_type(column, at, ty, !not_null)
            }
            AlterTable::AddConstraint(constraint) => self.add_constraints(&[], std::slice::from_ref(constraint)),
            AlterTable::DropPrimaryKey(span) => match self.table.primary_key {
                Some(at) => Ok(self.drop_index(at)),
                None => fail(format!("{} has no primary key", self.table.name), *span),
            },
            AlterTable::DropConstraint { name, if_exists } => self.drop_constraint(name, *if_exists),
            AlterTable::RenameTable(to) => self.rename_table(to),
            AlterTable::RenameColumn { from, to } => self.rename_column(from, to),
            AlterTable::SetTtl(ttl) => {
                let mut changed = self.table.as_ref().clone();
                changed.ttl = Some(table::bind_ttl(&changed, ttl)?);
                Ok(self.redefine(changed))
            }
            AlterTable::DropTtl => {
                let mut changed = self.table.as_ref().clone();
                if changed.ttl.take().is_none() {
                    return fail(format!("{} has no TTL", changed.name), self.at.span);
                }
                Ok(self.redefine(changed))
            }
        }
    }

    /// For changes that neither rows nor indexes show.
    fn redefine(&mut self, changed: Table) -> DdlOutcome {
        let id = changed.id;
        self.catalog.put_table(changed);
        DdlOutcome::done("table altered", vec![CatalogChange::Redefine(id)])
    }

    fn add_column(&mut self, def: &ColumnDef, before: Option<&Ident>, if_not_exists: bool) -> Result<DdlOutcome> {
        let name = &def.name;
        if self.table.column(&name.name).is_some() {
            let message = format!("column {} of {} is there already", name.name, self.table.name);
            return if if_not_exists {
                Ok(DdlOutcome::nothing("nothing altered", message))
            } else {
                fail(message, name.span)
            };
        }
        let mut alteration = Alteration::new(&self.table, format!("add column {} to {}", name.name, self.table.name));
        let at = match before {
            Some(before) => target_column(&self.table, before)?,
            None => self.table.columns.len(),
        };
        let default = def.default.as_ref().map(|e| table::default(&name.name, def.data_type, e)).transpose()?.flatten();
        let value = match &default {
            Some(crate::catalog::Default::Value(value)) => Expr::literal(value.clone(), def.data_type),
            Some(crate::catalog::Default::Now) => {
                Expr { kind: ExprKind::Now, ty: DataType::Timestamp, nullable: false }
            }
            None => Expr::literal(Value::Null, def.data_type),
        };
        let column = Column { name: name.name.clone(), ty: def.data_type, nullable: !def.not_null, default };
        alteration.new.columns.insert(at, column);
        alteration.new.visible += 1;
        alteration.row.insert(at, value);
        alteration.moved.iter_mut().flatten().filter(|to| **to >= at).for_each(|to| *to += 1);
        alteration.rewrite = true;
        table::check_columns(&alteration.new.columns, name)?;
        let mut outcome = self.finish(alteration)?;
        if def.key.is_some() || def.check.is_some() {
            self.table = Arc::clone(self.catalog.table_by_id(self.table.id));
            let more = self.add_constraints(std::slice::from_ref(def), &[])?;
            outcome.changes.extend(more.changes);
            outcome.notes.extend(more.notes);
        }
        Ok(outcome)
    }

    fn drop_column(&mut self, column: &Ident, if_exists: bool, cascade: bool) -> Result<DdlOutcome> {
        if if_exists && self.table.column(&column.name).is_none() {
            let note = format!("there is no column {} in {}", column.name, self.table.name);
            return Ok(DdlOutcome::nothing("nothing altered", note));
        }
        let at = target_column(&self.table, column)?;
        let name = &self.table.columns[at].name;
        if self.table.partition_column == Some(at) {
            let message = format!("{} is partitioned on {name}: a partition column can't be dropped", self.table.name);
            return fail(message, column.span);
        }
        if self.table.columns.len() == 1 {
            let message = format!("{name} is the only column of {}: drop the table", self.table.name);
            return fail(message, column.span);
        }
        let mut alteration = Alteration::new(&self.table, format!("drop column {name} of {}", self.table.name));
        alteration.cascade = cascade;
        if self.table.ttl.is_some_and(|ttl| ttl.column == at) {
            if !cascade {
                let message = format!("rows of {} expire by {name}: DROP TTL first, or add CASCADE", self.table.name);
                return fail(message, column.span);
            }
            alteration.new.ttl = None;
        }
        alteration.new.columns.remove(at);
        alteration.new.visible -= 1;
        alteration.row.remove(at);
        alteration.moved[at] = None;
        alteration.moved.iter_mut().flatten().filter(|to| **to > at).for_each(|to| *to -= 1);
        alteration.rewrite = true;
        self.finish(alteration)
    }

    fn redefine_column(&mut self, def: &ColumnDef) -> Result<DdlOutcome> {
        let at = target_column(&self.table, &def.name)?;
        if def.key.is_some() || def.check.is_some() {
            let message = "ALTER COLUMN takes a type, DEFAULT and NOT NULL: add constraints by ALTER TABLE .. ADD";
            return fail(message, def.name.span);
        }
        let default =
            def.default.as_ref().map(|e| table::default(&def.name.name, def.data_type, e)).transpose()?.flatten();
        // Keys and the partition column can't be NULL, whatever is written.
        let nullable = !def.not_null && self.check_may_be_null(&def.name, at).is_ok();
        let mut altered = self.table.as_ref().clone();
        altered.columns[at].default = None;
        self.table = Arc::new(altered);
        let outcome = self.change_type(&def.name, at, def.data_type, nullable)?;
        let mut changed = self.catalog.table_by_id(self.table.id).as_ref().clone();
        changed.columns[at].default = default;
        self.catalog.put_table(changed);
        Ok(outcome)
    }

    fn check_may_be_null(&self, column: &Ident, at: usize) -> Result<()> {
        let name = &self.table.columns[at].name;
        if self.table.primary_key.is_some_and(|key| self.table.indexes[key].keys.iter().any(|k| k.column == Some(at))) {
            let message = format!("{name} is in the primary key of {}: it can't be NULL", self.table.name);
            return fail(message, column.span);
        }
        if self.table.partition_column == Some(at) {
            return fail(format!("{} is partitioned on {name}: it can't be NULL", self.table.name), column.span);
        }
        if self.table.ttl.is_some_and(|ttl| ttl.column == at) {
            return fail(format!("rows of {} expire by {name}: it can't be NULL", self.table.name), column.span);
        }
        Ok(())
    }

    fn change_type(&mut self, column: &Ident, at: usize, ty: DataType, nullable: bool) -> Result<DdlOutcome> {
        let old = &self.table.columns[at];
        if !castable(old.ty, ty) {
            let message = format!("column {} is {}: it can't become {}", old.name, type_name(old.ty), type_name(ty));
            return fail(message, column.span);
        }
        if self.table.ttl.is_some_and(|ttl| ttl.column == at) && ty != DataType::Timestamp {
            let message = format!("rows of {} expire by {}: it must be TIMESTAMP", self.table.name, old.name);
            return fail(message, column.span);
        }
        let default = match &old.default {
            Some(crate::catalog::Default::Value(value)) if old.ty != ty => {
                let literal = crate::planner::bind::coerce::cast_literal(value, old.ty, ty, column.span);
                let literal = literal.map_err(|error| {
                    BindError::new(format!("DEFAULT of column {}: {}", old.name, error.message), column.span)
                })?;
                match literal.kind {
                    ExprKind::Literal(value) => Some(crate::catalog::Default::Value(value)),
                    _ => None,
                }
            }
            Some(crate::catalog::Default::Now) if ty != DataType::Timestamp => {
                let message = format!("DEFAULT of column {} is NOW: it must stay TIMESTAMP", old.name);
                return fail(message, column.span);
            }
            default => default.clone(),
        };
        if old.ty != ty {
            self.refuse_expressions(column, at)?;
        }
        let partitions = self.table.partition_column == Some(at);
        if partitions && !(ty.is_integer() || ty.is_bytes()) {
            let message = format!("{} is partitioned on {}: it can't be {ty}", self.table.name, old.name);
            return fail(message, column.span);
        }
        let moves = partitions && Family::of(old.ty) != Family::of(ty);
        let mut alteration = Alteration::new(&self.table, format!("change column {} of {}", old.name, self.table.name));
        alteration.retype(at, ty, nullable);
        alteration.new.columns[at].default = default;
        table::check_columns(&alteration.new.columns, column)?;
        let mut outcome = self.finish(alteration)?;
        if moves {
            outcome.changes.push(CatalogChange::Repartition(self.table.id));
        }
        Ok(outcome)
    }

    /// Expressions over a column of another type would have to be bound anew.
    fn refuse_expressions(&self, column: &Ident, at: usize) -> Result<()> {
        let reads = |expr: &Expr| any_part(expr, &|part| part.as_reg() == Some(at as Reg));
        let name = &self.table.columns[at].name;
        for index in &self.table.indexes {
            let computed = index.keys.iter().filter(|key| key.column.is_none()).map(|key| &key.expr);
            if computed.chain(&index.filter).any(reads) {
                let message = format!("index {} computes with {name}: drop it first", index.name);
                return fail(message, column.span);
            }
        }
        match self.table.checks.iter().find(|check| reads(&check.predicate)) {
            Some(check) => fail(format!("constraint {} reads {name}: drop it first", check.name), column.span),
            None => Ok(()),
        }
    }

    fn add_constraints(&mut self, columns: &[ColumnDef], constraints: &[TableConstraint]) -> Result<DdlOutcome> {
        let written = CreateTable {
            name: self.at.clone(),
            if_not_exists: false,
            like: None,
            columns: columns.to_vec(),
            constraints: constraints.to_vec(),
            ttl: None,
        };
        let mut alteration = Alteration::new(&self.table, "add a constraint".to_owned());
        let mut changes = Vec::new();
        for key in &table::keys(&written) {
            changes.push(self.add_key(&mut alteration, key)?);
        }
        let shape = Arc::new(alteration.new.clone());
        let checks = table::checks(self.catalog, &shape, &written, &self.table.checks, self.text)?;
        alteration.rewrite |= !checks.is_empty();
        alteration.new.checks.extend(checks);
        let rewrites = alteration.rewrite;
        let mut outcome = self.finish(alteration)?;
        if !rewrites {
            outcome.changes = changes;
        }
        Ok(outcome)
    }

    fn add_key(&self, alteration: &mut Alteration, key: &KeyDef<'_>) -> Result<CatalogChange> {
        let new = &alteration.new;
        let primary = key.kind == crate::sql::ast::KeyKind::PrimaryKey;
        let span = table::key_span(key, self.at);
        if primary && new.primary_key.is_some() {
            return fail(format!("{} has a primary key already: drop it first", new.name), span);
        }
        let shape = Arc::new(new.clone());
        let mut index = table::bind_key(self.catalog, &shape, &new.indexes, key, self.at)?;
        check_key_count(index.keys.len(), span)?;
        check_partition(new, &index).map_err(|message| BindError::new(message, span))?;
        if primary {
            for column in table::primary_columns(&index, span)? {
                let ty = alteration.new.columns[column].ty;
                alteration.retype(column, ty, false);
            }
            let new = &mut alteration.new;
            index.keys.iter_mut().for_each(|key| *key = column_key(new, key.column.expect("a column")));
            new.primary_key = Some(new.indexes.len());
        }
        alteration.new.indexes.push(Arc::new(index));
        Ok(CatalogChange::CreateIndex(self.table.id, alteration.new.indexes.len() - 1))
    }

    fn drop_constraint(&mut self, name: &Ident, if_exists: bool) -> Result<DdlOutcome> {
        let constraint = |index: &Arc<Index>| index.constraint && index.name == name.name;
        if let Some(at) = self.table.indexes.iter().position(constraint) {
            return Ok(self.drop_index(at));
        }
        if let Some(at) = self.table.checks.iter().position(|check| check.name == name.name) {
            let mut changed = self.table.as_ref().clone();
            changed.checks.remove(at);
            return Ok(self.redefine(changed));
        }
        if if_exists {
            let note = format!("there is no constraint {} on {}", name.name, self.table.name);
            return Ok(DdlOutcome::nothing("nothing altered", note));
        }
        let keys = self.table.indexes.iter().filter(|index| index.constraint).map(|index| index.name.as_str());
        let names = keys.chain(self.table.checks.iter().map(|check| check.name.as_str()));
        let hint = crate::planner::error::did_you_mean(name.name.as_str(), names);
        fail(format!("no constraint {} on {}{hint}", name.name, self.table.name), name.span)
    }

    fn drop_index(&mut self, at: usize) -> DdlOutcome {
        let mut changed = self.table.as_ref().clone();
        changed.indexes.remove(at);
        changed.primary_key = changed.primary_key.filter(|&key| key != at).map(|key| key - usize::from(key > at));
        let id = changed.id;
        self.catalog.put_table(changed);
        DdlOutcome::done("table altered", vec![CatalogChange::DropIndex(id, at)])
    }

    fn rename_table(&mut self, to: &Ident) -> Result<DdlOutcome> {
        super::refuse_taken(self.catalog, to)?;
        let mut changed = self.table.as_ref().clone();
        changed.name = to.name.clone();
        let views = changed.views.clone();
        let mut outcome = self.redefine(changed);
        outcome.tag = "table renamed".to_owned();
        self.follow(&views, false, &format!("rename {}", self.table.name), self.at.span, &mut outcome)?;
        Ok(outcome)
    }

    fn rename_column(&mut self, from: &Ident, to: &Ident) -> Result<DdlOutcome> {
        let at = target_column(&self.table, from)?;
        if self.table.column(&to.name).is_some_and(|other| other != at) {
            return fail(format!("column {} of {} is there already", to.name, self.table.name), to.span);
        }
        let mut changed = self.table.as_ref().clone();
        changed.columns[at].name = to.name.clone();
        for check in &mut changed.checks {
            check.text = renamed(&check.text, &from.name, &to.name);
        }
        let views = changed.views.clone();
        let mut outcome = self.redefine(changed);
        outcome.tag = "column renamed".to_owned();
        self.follow(
            &views,
            false,
            &format!("rename column {} of {}", from.name, self.table.name),
            from.span,
            &mut outcome,
        )?;
        Ok(outcome)
    }

    /// Puts the altered table, and lets all that is bound to its columns follow.
    fn finish(&mut self, alteration: Alteration) -> Result<DdlOutcome> {
        let Alteration { mut new, row, moved, rewrite, cascade, what } = alteration;
        let mut outcome = DdlOutcome::done("table altered", Vec::new());
        if rewrite {
            self.follow_columns(&mut new, &moved, &mut outcome)?;
            outcome.changes.insert(0, CatalogChange::Rewrite(new.id, row.into()));
        }
        let (id, views) = (new.id, new.views.clone());
        self.catalog.put_table(new);
        if !rewrite {
            outcome.changes.push(CatalogChange::Redefine(id));
        } else {
            self.follow(&views, cascade, &what, self.at.span, &mut outcome)?;
        }
        Ok(outcome)
    }

    /// Moves indexes, checks, partitioning and TTL of `new` to where the columns are now; what needs a column that is
    /// gone goes with it.
    fn follow_columns(&self, new: &mut Table, moved: &[Option<usize>], outcome: &mut DdlOutcome) -> Result<()> {
        let old_primary = new.primary_key.map(|at| Arc::clone(&new.indexes[at]));
        let old = self.table.indexes.len();
        let mut indexes = Vec::with_capacity(new.indexes.len());
        new.primary_key = None;
        for (at, index) in std::mem::take(&mut new.indexes).into_iter().enumerate() {
            // Those after the table's own were bound to the new columns.
            let follows = if at < old { follow_index(&index, moved, new) } else { Some(index.as_ref().clone()) };
            let Some(changed) = follows else {
                let what = if index.constraint { "constraint" } else { "index" };
                outcome.notes.push(format!("{what} {} is dropped too", index.name));
                continue;
            };
            if old_primary.as_ref().is_some_and(|primary| Arc::ptr_eq(primary, &index)) {
                new.primary_key = Some(indexes.len());
            }
            indexes.push(Arc::new(changed));
        }
        new.indexes = indexes;
        let own = self.table.checks.len();
        let columns = &new.columns;
        let mut at = 0;
        new.checks.retain_mut(|check| {
            at += 1;
            if at > own {
                return true;
            }
            match follow_expr(&check.predicate, moved, columns) {
                Some(predicate) => check.predicate = predicate,
                None => {
                    outcome.notes.push(format!("constraint {} is dropped too", check.name));
                    return false;
                }
            }
            true
        });
        let follow = |column: usize| moved[column].expect("it was refused to drop this column");
        new.partition_column = new.partition_column.map(follow);
        new.ttl.iter_mut().for_each(|ttl| ttl.column = follow(ttl.column));
        Ok(())
    }

    /// Binds the materialized views anew that read the table.
    fn follow(
        &mut self,
        views: &[TableId],
        cascade: bool,
        what: &str,
        span: Span,
        outcome: &mut DdlOutcome,
    ) -> Result<()> {
        for &id in views {
            let old = Arc::clone(self.catalog.table_by_id(id));
            match view::rebuild(self.catalog, &old) {
                Ok(view) => self.catalog.put_table(view),
                Err(_) if cascade => {
                    super::drop::remove_view(self.catalog, &old);
                    outcome.changes.push(CatalogChange::DropTable(id));
                    outcome.notes.push(format!("view {} is dropped too", old.name));
                }
                Err(error) => {
                    let message =
                        format!("can't {what}: view {} needs it ({}); drop the view first", old.name, error.message);
                    return fail(message, span);
                }
            }
        }
        Ok(())
    }
}

/// An index over columns that have moved; None if one of them is gone.
pub(super) fn follow_index(index: &Index, moved: &[Option<usize>], table: &Table) -> Option<Index> {
    let keys = index.keys.iter().map(|key| match key.column {
        Some(column) => moved[column].map(|column| column_key(table, column)),
        None => follow_expr(&key.expr, moved, &table.columns).map(|expr| Key { expr, ..key.clone() }),
    });
    let keys: Option<Vec<Key>> = keys.collect();
    let filter = match &index.filter {
        Some(filter) => Some(follow_expr(filter, moved, &table.columns)?),
        None => None,
    };
    Some(Index { keys: keys?, filter, ..index.clone() })
}

/// An expression over columns that have moved; None if it reads one that is gone.
fn follow_expr(expr: &Expr, moved: &[Option<usize>], columns: &[Column]) -> Option<Expr> {
    if any_part(expr, &|part| part.as_reg().is_some_and(|reg| moved[usize::from(reg)].is_none())) {
        return None;
    }
    let mut out = expr.clone();
    replace(&mut out, &|part| {
        let to = moved[usize::from(part.as_reg()?)]?;
        Some(Expr::reg(to as Reg, part.ty, columns[to].nullable))
    });
    loosen(&mut out);
    Some(out)
}

/// Marks as nullable whatever has a part that is: columns may have become so.
fn loosen(expr: &mut Expr) {
    let mut nullable = false;
    operands_mut(expr, &mut |operand| {
        loosen(operand);
        nullable |= operand.nullable;
    });
    expr.nullable |= nullable;
}

/// `text` with another name for a column.
fn renamed(text: &str, from: &Name, to: &Name) -> String {
    let mut out = String::new();
    let mut end = 0;
    for token in crate::sql::lexer::tokens(text) {
        if token.is_word(text, from.as_str()) {
            out.push_str(&text[end..token.span.start]);
            out.push_str(to.as_str());
            end = token.span.end;
        }
    }
    out.push_str(&text[end..]);
    out
}
