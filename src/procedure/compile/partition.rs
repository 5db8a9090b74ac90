//! Where a procedure runs: as declared and checked, or found from its statements.

use super::call::Place;
use super::{Compiler, hint};
use crate::catalog::{Parameter, ProcedurePartitioning, TableId};
use crate::planner::plan::Partitioning;
use crate::sql::Span;
use crate::sql::ast::PartitionClause;
use crate::types::{DataType, Reg};
use std::sync::Arc;

/// True if a parameter of type `ty` can say the partition of a column of type `column`.
fn fits(ty: DataType, column: DataType) -> bool {
    match column {
        column if column.is_integer() => ty.is_integer(),
        DataType::Varchar { .. } => ty.is_text(),
        _ => matches!(ty, DataType::Varbinary { .. }),
    }
}

impl Compiler<'_> {
    pub(super) fn partitioning(&mut self, clause: Option<&PartitionClause>, parameters: &[Parameter]) {
        let Some(clause) = clause else { return };
        let Some(table) = self.catalog.table(&clause.table.name) else {
            let known = self.catalog.tables().map(|t| t.name.as_str());
            let hint = hint(clause.table.name.as_str(), known);
            return self.fail(format!("no table {}{hint}", clause.table.name), clause.table.span);
        };
        let table = Arc::clone(table);
        let Some(column) = table.partition_column else {
            return self.fail(format!("table {} is not partitioned", table.name), clause.table.span);
        };
        if table.columns[column].name != clause.column.name {
            let is = &table.columns[column].name;
            let message = format!("{} is partitioned on {is}, not on {}", table.name, clause.column.name);
            return self.fail(message, clause.column.span);
        }
        let at = clause.parameter.unwrap_or(0);
        let Some(parameter) = parameters.get(at) else {
            let count = parameters.len();
            return self.fail(format!("there is no parameter {at}: the procedure has {count}"), clause.column.span);
        };
        let (ty, column_ty) = (parameter.ty, table.columns[column].ty);
        if !fits(ty, column_ty) {
            let message = format!("parameter {} is {ty}, but {} is {column_ty}", parameter.name, clause.column.name);
            return self.fail(message, clause.column.span);
        }
        self.partitioning = ProcedurePartitioning::Single { parameter: at, table: table.id, column };
    }

    /// DIRECTED: each partition does with what it has, so nothing that all have may be changed.
    pub(super) fn directed(&mut self) {
        self.partitioning = ProcedurePartitioning::Directed;
        for at in 0..self.code.programs.len() {
            let program = &self.code.programs[at];
            let replicated = program.read_only
                || program.target().is_none_or(|table| self.catalog.table_by_id(table).partition_column.is_some());
            if !replicated {
                let message = "a DIRECTED procedure runs at every partition apart: it cannot change a replicated table";
                self.fail(message, self.program_spans[at]);
            }
        }
        for at in 0..self.calls.len() {
            if !self.calls[at].anywhere {
                let message = "a DIRECTED procedure can only call those that read replicated tables";
                self.fail(message, self.calls[at].span);
            }
        }
    }

    /// A procedure whose every statement is fixed to the partition of one and the same parameter runs there alone.
    pub(super) fn find_partitioning(&mut self, parameters: &[Parameter]) -> bool {
        let mut found: Option<(usize, TableId, usize)> = None;
        for program in &self.code.programs {
            match &program.partitioning {
                Partitioning::Any => {}
                Partitioning::One { key, table, column } => match (key.as_reg(), &found) {
                    (Some(reg), None) => found = Some((reg as usize, *table, *column)),
                    (Some(reg), Some((parameter, ..))) if reg as usize == *parameter => {}
                    _ => return false,
                },
                Partitioning::All => return false,
            }
        }
        for call in &self.calls {
            match (call.key, &found) {
                _ if call.anywhere => {}
                (Some((reg, table, column)), None) => found = Some((reg as usize, table, column)),
                (Some((reg, ..)), Some((parameter, ..))) if reg as usize == *parameter => {}
                _ => return false,
            }
        }
        let Some((parameter, table, column)) = found else { return false };
        let column_ty = self.catalog.table_by_id(table).columns[column].ty;
        let usable = parameters.get(parameter).is_some_and(|p| fits(p.ty, column_ty));
        if !usable || self.assigned.contains(&(parameter as Reg)) {
            return false;
        }
        self.partitioning = ProcedurePartitioning::Single { parameter, table, column };
        true
    }

    /// A single-partition procedure sees one partition's rows: a statement that means others would be wrong.
    pub(super) fn check_partitions(&mut self) {
        let ProcedurePartitioning::Single { parameter, .. } = self.partitioning else { return };
        let name = self.signature.get(parameter).map_or_else(|| format!("?{parameter}"), |p| p.name.to_string());
        if self.assigned.contains(&(parameter as Reg)) {
            self.fail(format!("the partitioning parameter {name} must not be assigned to"), Span::NONE);
        }
        for at in 0..self.code.programs.len() {
            let fixed = match &self.code.programs[at].partitioning {
                Partitioning::Any => true,
                Partitioning::One { key, .. } => key.as_reg() == Some(parameter as Reg),
                Partitioning::All => false,
            };
            if !fixed && self.answers && self.code.programs[at].read_only {
                // VoltDB's own forms: taken, as there, with a word about it.
                let note = format!(
                    "{} runs on the partition of {name} alone, and sees nothing of others: {}",
                    self.name, "a query in it is not bound to that partition"
                );
                self.notes.push(note);
                continue;
            }
            if !fixed {
                let message = format!(
                    "the procedure runs on the partition of {name} alone, but this statement is not bound to it: compare \
                     the partition column with {name}, or leave PARTITION ON out"
                );
                self.fail(message, self.program_spans[at]);
            }
        }
        let fixed = |call: &Place| call.anywhere || call.key.is_some_and(|(reg, ..)| reg as usize == parameter);
        let loose: Vec<(String, Span)> =
            self.calls.iter().filter(|call| !fixed(call)).map(|call| (call.name.to_string(), call.span)).collect();
        for (callee, span) in loose {
            let message = format!(
                "the procedure runs on the partition of {name} alone, but {callee} may go elsewhere: it must be \
                 single-partition, with {name} for its partitioning parameter"
            );
            self.fail(message, span);
        }
    }
}
