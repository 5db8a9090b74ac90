//! Cursors that are declared: OPEN, FETCH, CLOSE.

use super::Compiler;
use crate::procedure::code::Extra;
use crate::sql::Span;
use crate::sql::ast::{Ident, Query};
use crate::types::{Name, Reg};

/// A cursor in scope.
#[derive(Clone)]
pub struct Declared {
    name: Name,
    cursor: u16,
    program: u32,
}

impl Compiler<'_> {
    pub(super) fn declare_cursor(&mut self, name: &Ident, query: &Query, span: Span) {
        let Some(program) = self.query(query, span) else { return };
        let cursor = self.code.cursors as u16;
        self.code.cursors += 1;
        self.cursors.push(Declared { name: name.name.clone(), cursor, program });
    }

    fn cursor(&mut self, name: &Ident) -> Option<Declared> {
        let found = self.cursors.iter().rev().find(|c| c.name == name.name).cloned();
        if found.is_none() {
            let hint = super::hint(name.name.as_str(), self.cursors.iter().map(|c| c.name.as_str()));
            self.fail(format!("no cursor {}{hint}", name.name), name.span);
        }
        found
    }

    pub(super) fn open(&mut self, name: &Ident, span: Span) {
        let Some(Declared { cursor, program, .. }) = self.cursor(name) else { return };
        self.extra(Extra::Open { cursor, program }, span);
    }

    pub(super) fn close(&mut self, name: &Ident, span: Span) {
        let Some(Declared { cursor, .. }) = self.cursor(name) else { return };
        self.extra(Extra::Close { cursor }, span);
    }

    pub(super) fn fetch(&mut self, name: &Ident, targets: &[Ident], span: Span) {
        let variables = self.targets(targets);
        let Some(Declared { cursor, program, .. }) = self.cursor(name) else { return };
        let output = self.code.programs[program as usize].output().to_vec();
        if output.len() != variables.len() {
            return self.fail(format!("{} columns for {} variables", output.len(), variables.len()), span);
        }
        if self.scope.not_found == 0 {
            let message = "FETCH needs DECLARE CONTINUE (or EXIT) HANDLER FOR NOT FOUND, else its loop never ends; FOR row \
                           AS query DO needs none";
            return self.fail(message, span);
        }
        let regs: Vec<Reg> = output.iter().map(|_| self.register(span)).collect();
        self.extra(Extra::Fetch { cursor, targets: regs.clone(), not_found: true }, span);
        for (((variable, target), column), reg) in variables.iter().zip(&output).zip(&regs) {
            if let Some(variable) = variable {
                self.assign(*reg, column.ty, variable, *target, span);
            }
        }
    }
}
