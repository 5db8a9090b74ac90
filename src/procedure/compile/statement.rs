//! SQL statements of a body, SELECT INTO, and what they are checked for.

use super::Compiler;
use crate::expr::expr::Expr;
use crate::planner::{Variable, plan_query, plan_statement};
use crate::procedure::code::{Checks, Expectation, Extra, Op};
use crate::sql::Span;
use crate::sql::ast::{Diagnostic, Expect, ExpectKind, Ident, Query, RowColumns, Statement};
use crate::types::{DataType, Name, Reg};

impl Compiler<'_> {
    pub(super) fn sql(&mut self, statement: &Statement, expect: Option<&Expect>, span: Span) {
        let plan = match statement {
            Statement::Query(query) => plan_query(query, &self.env()),
            Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) | Statement::Truncate { .. } => {
                plan_statement(statement, &self.env())
            }
            Statement::Ddl(_) => return self.fail("a procedure cannot change the schema", span),
            Statement::Exec(_) => return self.fail("within a procedure write CALL", span),
            _ => return self.fail("this statement is not allowed in a procedure", span),
        };
        let plan = match plan {
            Ok(plan) => plan,
            Err(error) => return self.errors.push(error),
        };
        let program = self.program(&plan, false, span);
        let output = self.code.programs[program as usize].output().to_vec();
        let query = self.code.programs[program as usize].is_query();
        let answer = self.answers || !output.is_empty();
        let value_ty = if query { output.first().map(|o| o.ty) } else { Some(DataType::BigInt) };
        let Some(check) = self.checks(expect, output.len(), value_ty, query) else { return };
        if !query {
            self.savepoint(span);
        }
        let plain = check == Checks::default();
        match (query, plain) {
            (true, true) => {
                self.emit(Op::Yield { program }, span);
            }
            (false, true) => {
                self.emit(Op::Execute { program, answer }, span);
            }
            (true, false) => self.extra(Extra::Yield { program, check }, span),
            (false, false) => self.extra(Extra::Execute { program, answer, check }, span),
        }
    }

    /// None after an error.
    fn checks(
        &mut self,
        expect: Option<&Expect>,
        columns: usize,
        value_ty: Option<DataType>,
        query: bool,
    ) -> Option<Checks> {
        let expect = match expect.map(|e| (&e.kind, e.span)) {
            None => None,
            Some((ExpectKind::Rows { least, most }, _)) => Some(Expectation::Rows { least: *least, most: *most }),
            Some((ExpectKind::Scalar(_), span)) if query && columns != 1 => {
                self.fail(format!("EXPECT SCALAR is for one column, the query has {columns}"), span);
                return None;
            }
            Some((ExpectKind::Scalar(None), _)) => Some(Expectation::Scalar { value: None }),
            Some((ExpectKind::Scalar(Some(value)), _)) => {
                Some(Expectation::Scalar { value: Some(self.expression(value, value_ty, false)?) })
            }
        };
        Some(Checks { expect, row_count: self.row_count })
    }

    /// Where a change goes back to, if a handler may go on after it failed.
    pub(super) fn savepoint(&mut self, span: Span) {
        if self.scope.watched > 0 {
            self.extra(Extra::Savepoint, span);
        }
    }

    /// If the body asks for ROW_COUNT, keeps a register for it.
    pub(super) fn count_rows(&mut self, text: &str) {
        let mentioned = crate::sql::lexer::tokens(text)
            .iter()
            .any(|token| text[token.span.start..token.span.end].eq_ignore_ascii_case("ROW_COUNT"));
        if !mentioned {
            return;
        }
        let reg = self.register(Span::NONE);
        let program = self.constant(Expr::int(0), Span::NONE);
        self.emit(Op::Set { dst: reg, program }, Span::NONE);
        let ty = DataType::BigInt;
        self.variables.push(Variable { name: Name::new("row_count"), qualifier: None, reg, ty, nullable: false });
        self.row_count = Some(reg);
    }

    /// GET DIAGNOSTICS
    pub(super) fn diagnostics(&mut self, items: &[(Ident, Diagnostic)], span: Span) {
        for (target, item) in items {
            let Some(variable) = self.variable(target) else { continue };
            let handler = self.scope.handler;
            match (item, self.row_count, handler) {
                (Diagnostic::RowCount, Some(reg), _) => {
                    self.assign(reg, DataType::BigInt, &variable, target.span, span);
                }
                (Diagnostic::RowCount, None, _) => unreachable!("the word is in the text"),
                (_, _, None) => self.fail("only a handler has something to say about an error", span),
                (item, _, Some(handler)) => {
                    let dst = self.register(span);
                    let message = *item == Diagnostic::MessageText;
                    self.extra(Extra::Caught { handler, message, dst }, span);
                    self.assign(dst, DataType::TEXT, &variable, target.span, span);
                }
            }
        }
    }

    /// DECLARE r ROW ..: a variable for each column, NULL at first.
    pub(super) fn declare_row(&mut self, names: &[Ident], columns: &RowColumns, span: Span) {
        let columns: Vec<(Name, DataType)> = match columns {
            RowColumns::Listed(list) => list.iter().map(|(name, ty)| (name.name.clone(), *ty)).collect(),
            RowColumns::Of(table) => match self.catalog.table(&table.name) {
                Some(found) => found.visible_columns().iter().map(|c| (c.name.clone(), c.ty)).collect(),
                None => {
                    let hint = super::hint(table.name.as_str(), self.catalog.tables().map(|t| t.name.as_str()));
                    return self.fail(format!("no table {}{hint}", table.name), table.span);
                }
            },
        };
        for row in names {
            for (at, (name, ty)) in columns.iter().enumerate() {
                if columns[..at].iter().any(|(other, _)| other == name) {
                    self.fail(format!("column {name} is declared twice"), row.span);
                }
                let reg = self.register(row.span);
                self.emit(Op::SetNull { dst: reg }, span);
                let qualifier = Some(row.name.clone());
                self.variables.push(Variable { name: name.clone(), qualifier, reg, ty: *ty, nullable: true });
            }
            self.rows.push(row.name.clone());
        }
    }

    /// What is assigned to: a variable, or a column of a row variable.
    pub(super) fn target(&mut self, row: Option<&Ident>, column: &Ident) -> Option<Variable> {
        let Some(row) = row else { return self.variable(column) };
        if !self.rows.contains(&row.name) {
            self.fail(format!("no row variable {}", row.name), row.span);
            return None;
        }
        let of_row = |v: &&Variable| v.qualifier.as_ref() == Some(&row.name);
        let found = self.variables.iter().rev().filter(of_row).find(|v| v.name == column.name).cloned();
        if found.is_none() {
            let hint = super::hint(column.name.as_str(), self.variables.iter().filter(of_row).map(|v| v.name.as_str()));
            self.fail(format!("no column {} in {}{hint}", column.name, row.name), column.span);
        }
        found
    }

    /// The variables that INTO fills: those of a row variable all together.
    pub(super) fn targets(&mut self, targets: &[Ident]) -> Vec<(Option<Variable>, Span)> {
        let mut all = Vec::new();
        for target in targets {
            if self.rows.contains(&target.name) {
                let of_row = |v: &&Variable| v.qualifier.as_ref() == Some(&target.name);
                all.extend(self.variables.iter().filter(of_row).map(|v| (Some(v.clone()), target.span)));
            } else {
                all.push((self.variable(target), target.span));
            }
        }
        all
    }

    pub(super) fn select_into(&mut self, targets: &[Ident], query: &Query, expect: Option<&Expect>, span: Span) {
        let variables = self.targets(targets);
        let Some(program) = self.query(query, span) else { return };
        let output = self.code.programs[program as usize].output().to_vec();
        if output.len() != variables.len() {
            let message = format!("{} columns for {} variables", output.len(), variables.len());
            return self.fail(message, span);
        }
        let not_found = self.scope.not_found > 0;
        if let Some(Expect { kind: ExpectKind::Scalar(_), span }) = expect {
            return self.fail("after INTO write EXPECT ONE ROW, and compare the variable", *span);
        }
        let Some(check) = self.checks(expect, 1, None, true) else { return };
        // The row arrives in registers of its own, and each value is then cast to its variable's type.
        let regs: Vec<Reg> = output.iter().map(|_| self.register(span)).collect();
        match !not_found && check == Checks::default() {
            true => {
                self.emit(Op::Into { program, targets: regs.clone() }, span);
            }
            false => self.extra(Extra::Into { program, targets: regs.clone(), not_found, check }, span),
        }
        for (((variable, target), column), reg) in variables.iter().zip(&output).zip(&regs) {
            if let Some(variable) = variable {
                self.assign(*reg, column.ty, variable, *target, span);
            }
        }
    }
}
