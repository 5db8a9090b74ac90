//! Blocks with handlers, SIGNAL and RESIGNAL.

use super::Compiler;
use crate::planner::Variable;
use crate::procedure::code::{Condition, Extra, Handler, Op};
use crate::sql::Span;
use crate::sql::ast::{self, Psm, PsmKind, SignalState};
use crate::types::{DataType, Name};

/// Where the statement at hand stands among handlers.
#[derive(Default)]
pub struct Scope {
    /// Blocks with handlers around it.
    pub watched: usize,
    /// Handlers around it that NOT FOUND would reach.
    pub not_found: usize,
    /// The handler whose own statement it is in.
    pub handler: Option<u16>,
    /// Slots given out.
    slots: u16,
}

/// A handler that a block declares.
struct Declared<'p> {
    exit: bool,
    conditions: Vec<Condition>,
    body: &'p [Psm],
    span: Span,
}

impl Compiler<'_> {
    /// A block: what it declares is gone at its end.
    pub(super) fn body(&mut self, body: &[Psm]) {
        let visible = self.variables.len();
        let outer = std::mem::replace(&mut self.block, visible);
        let scopes = (self.cursors.len(), self.conditions.len(), self.rows.len());
        let last = body.iter().rposition(|psm| matches!(psm.kind, PsmKind::DeclareHandler { .. }));
        let declares = |psm: &Psm| {
            matches!(
                psm.kind,
                PsmKind::Declare { .. }
                    | PsmKind::DeclareRow { .. }
                    | PsmKind::DeclareCondition { .. }
                    | PsmKind::DeclareCursor { .. }
                    | PsmKind::DeclareHandler { .. }
            )
        };
        match last {
            Some(last) if body[..last].iter().all(declares) => self.watched_block(&body[..=last], &body[last + 1..]),
            _ => body.iter().for_each(|psm| self.statement(psm)),
        }
        self.block = outer;
        self.variables.truncate(visible);
        self.cursors.truncate(scopes.0);
        self.conditions.truncate(scopes.1);
        self.rows.truncate(scopes.2);
    }

    fn watched_block(&mut self, declarations: &[Psm], body: &[Psm]) {
        let mut handlers = Vec::new();
        for psm in declarations {
            match &psm.kind {
                PsmKind::DeclareHandler { exit, conditions, body } => {
                    let conditions = conditions.iter().filter_map(|c| self.condition_of(c)).collect();
                    handlers.push(Declared { exit: *exit, conditions, body, span: psm.span });
                }
                _ => self.statement(psm),
            }
        }
        let not_found = handlers.iter().flat_map(|h| &h.conditions).filter(|c| catches_not_found(c)).count();
        let visible = (self.variables.len(), self.cursors.len(), self.rows.len());
        let start = self.code.ops.len() as u32;
        self.scope.watched += 1;
        self.scope.not_found += not_found;
        body.iter().for_each(|psm| self.statement(psm));
        self.scope.watched -= 1;
        self.scope.not_found -= not_found;
        let range = start..self.code.ops.len() as u32;
        self.variables.truncate(visible.0);
        self.cursors.truncate(visible.1);
        self.rows.truncate(visible.2);
        let mut ends = vec![self.emit(Op::Jump { target: 0 }, Span::NONE)];
        let mut own = Vec::new();
        for handler in handlers {
            let slot = self.scope.slots;
            self.scope.slots += 1;
            let entry = self.code.ops.len() as u32;
            own.extend(handler.conditions.into_iter().map(|condition| Handler {
                range: range.clone(),
                condition,
                entry,
                slot,
            }));
            self.handler_body(slot, handler.body, handler.span);
            match handler.exit {
                true => ends.push(self.emit(Op::Jump { target: 0 }, handler.span)),
                false => self.extra(Extra::Resume { handler: slot }, handler.span),
            }
        }
        ends.into_iter().for_each(|end| self.patch(end));
        // What is more particular goes first.
        own.sort_by_key(|handler| match handler.condition {
            Condition::SqlState(_) => 0,
            Condition::UniqueViolation | Condition::NotFound => 1,
            Condition::SqlException => 2,
        });
        self.code.handlers.extend(own);
    }

    fn handler_body(&mut self, slot: u16, body: &[Psm], span: Span) {
        let visible = self.variables.len();
        for (name, message) in [("sqlstate", false), ("sqlerrm", true)] {
            let dst = self.register(span);
            self.extra(Extra::Caught { handler: slot, message, dst }, span);
            let (name, ty) = (Name::new(name), DataType::TEXT);
            self.variables.push(Variable { name, qualifier: None, reg: dst, ty, nullable: false });
        }
        let around = self.scope.handler.replace(slot);
        self.body(body);
        self.scope.handler = around;
        self.variables.truncate(visible);
    }

    fn condition_of(&mut self, condition: &ast::Condition) -> Option<Condition> {
        Some(match condition {
            ast::Condition::SqlState(state) => Condition::SqlState(state.clone()),
            ast::Condition::NotFound => Condition::NotFound,
            ast::Condition::UniqueViolation => Condition::UniqueViolation,
            ast::Condition::SqlException => Condition::SqlException,
            ast::Condition::Named(name) => Condition::SqlState(self.named_state(name)?),
        })
    }

    fn named_state(&mut self, name: &ast::Ident) -> Option<String> {
        let found = self.conditions.iter().rev().find(|(known, _)| *known == name.name).map(|(_, state)| state.clone());
        if found.is_none() {
            let hint = super::hint(name.name.as_str(), self.conditions.iter().map(|(known, _)| known.as_str()));
            self.fail(format!("no condition {}{hint}", name.name), name.span);
        }
        found
    }

    pub(super) fn sqlstate(&mut self, state: &SignalState) -> Option<String> {
        match state {
            SignalState::SqlState(state) => Some(state.clone()),
            SignalState::Named(name) => self.named_state(name),
        }
    }

    pub(super) fn resignal(&mut self, state: Option<&SignalState>, message: Option<&ast::Expr>, span: Span) {
        let Some(handler) = self.scope.handler else {
            return self.fail("RESIGNAL is for handlers: elsewhere write SIGNAL SQLSTATE '..'", span);
        };
        let sqlstate = match state {
            Some(state) => match self.sqlstate(state) {
                Some(state) => Some(state),
                None => return,
            },
            None => None,
        };
        let message = message.and_then(|m| self.expression(m, Some(DataType::TEXT), false));
        self.extra(Extra::Resignal { handler, sqlstate, message }, span);
    }
}

fn catches_not_found(condition: &Condition) -> bool {
    match condition {
        Condition::NotFound => true,
        Condition::SqlState(state) => state.starts_with("02"),
        _ => false,
    }
}
