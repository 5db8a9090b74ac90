//! PSM to code: scopes, control flow, and the statements in between, which the planner and the executor compile.

mod call;
mod cursor;
mod handler;
mod native;
mod partition;
mod statement;

pub use native::compile_native;

use super::code::{Code, Extra, Op, Procedure};
use crate::catalog::{self, Catalog, Parameter, ProcedurePartitioning};
use crate::executor::Program;
use crate::expr::expr::{Expr, ExprKind};
use crate::planner::plan::{Partitioning, Plan, PlanKind};
use crate::planner::{BindError, Environment, Placeholders, Variable, plan_expression, plan_query, plan_statement};
use crate::sql::ast::{self, Body, Ident, Psm, PsmKind, Query};
use crate::sql::{Span, lexer};
use crate::types::{DataType, Name, Reg};
use std::sync::Arc;

/// Compiles a procedure against a catalog version. `text` is the statement that `ast`'s spans point into, from
/// `CREATE`. Gives every error of the body, not just the first.
pub fn compile(ast: &ast::Procedure, text: &str, catalog: &Catalog) -> Result<Procedure, Vec<BindError>> {
    let statement;
    let body: &[Psm] = match &ast.body {
        Body::Block(body) => body,
        Body::Statement(inner) => {
            let kind = PsmKind::Sql { statement: (**inner).clone(), expect: None };
            statement = [Psm { kind, span: body_span(ast, text) }];
            &statement
        }
    };
    let parameters = parameters(ast, text, body, catalog)?;
    let mut compiler = Compiler::new(catalog, ast, &parameters);
    compiler.partitioning(ast.partition.as_ref(), &parameters);
    compiler.count_rows(text);
    compiler.body(body);
    compiler.emit(Op::Return { program: None }, Span::NONE);
    if ast.directed {
        compiler.directed();
    }
    let found = ast.partition.is_none() && !ast.directed && compiler.find_partitioning(&parameters);
    compiler.check_partitions();
    if !compiler.errors.is_empty() {
        return Err(compiler.errors);
    }
    let mut definition = compiler.definition(ast.name.name.clone(), parameters.clone(), text);
    definition.partitioning_found = found;
    let notes = std::mem::take(&mut compiler.notes);
    definition.roles = ast.roles.iter().map(|role| role.name.clone()).collect();
    Ok(Procedure {
        definition: Arc::new(definition),
        version: catalog.version,
        code: compiler.finish(),
        native: None,
        notes,
    })
}

/// The plans of a procedure's statements as text, with where each statement stands. Those of a table's own procedure, whose
/// text is its one statement, too.
pub fn plans(procedure: &Procedure, catalog: &Catalog) -> Vec<(Span, String)> {
    let definition = &procedure.definition;
    let own = !definition.text.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("CREATE"));
    let text = if own { format!("CREATE PROCEDURE own AS {}", definition.text) } else { definition.text.clone() };
    let (statements, _) = crate::sql::parse_script(&text);
    let ast = statements.into_iter().find_map(|(statement, _)| match statement {
        ast::Statement::Ddl(ast::Ddl::CreateProcedure(ast)) if own || ast.name.name == definition.name => Some(ast),
        _ => None,
    });
    let Some(ast) = ast else { return Vec::new() };
    let statement;
    let body: &[Psm] = match &ast.body {
        Body::Block(body) => body,
        Body::Statement(inner) => {
            let kind = PsmKind::Sql { statement: (**inner).clone(), expect: None };
            statement = [Psm { kind, span: body_span(&ast, &text) }];
            &statement
        }
    };
    let mut compiler = Compiler::new(catalog, &ast, &definition.parameters);
    compiler.partitioning = definition.partitioning;
    compiler.plans = Some(Vec::new());
    compiler.count_rows(&text);
    compiler.body(body);
    let plans = compiler.plans.take().unwrap_or_default();
    let offset = text.len() - definition.text.len();
    let moved = |span: Span| match span == Span::NONE {
        true => span,
        false => Span::new(span.start.saturating_sub(offset), span.end.saturating_sub(offset)),
    };
    compiler.program_spans.iter().map(|span| moved(*span)).zip(plans).collect()
}

/// Where the one statement of `AS statement` stands: behind the AS.
fn body_span(ast: &ast::Procedure, text: &str) -> Span {
    let tokens = lexer::tokens(text);
    let word = |token: &&lexer::Token| text[token.span.start..token.span.end].eq_ignore_ascii_case("AS");
    let behind = tokens.iter().filter(|token| token.span.start > ast.name.span.end).find(word);
    match (behind, tokens.last()) {
        (Some(behind), Some(last)) => {
            let start = tokens.iter().find(|token| token.span.start >= behind.span.end);
            start.map_or(ast.name.span, |start| Span::new(start.span.start, last.span.end))
        }
        _ => ast.name.span,
    }
}

/// The parameter list: as written, or one for each `?`, its type found from where it stands.
fn parameters(
    ast: &ast::Procedure,
    text: &str,
    body: &[Psm],
    catalog: &Catalog,
) -> Result<Vec<Parameter>, Vec<BindError>> {
    if let Some(list) = &ast.parameters {
        let mut errors = Vec::new();
        let mut parameters: Vec<Parameter> = Vec::new();
        for parameter in list {
            if parameters.iter().any(|p| p.name == parameter.name.name) {
                let message = format!("parameter {} is declared twice", parameter.name.name);
                errors.push(BindError::new(message, parameter.name.span));
            }
            let default = parameter.default.as_ref().map(|e| constant(e, parameter.data_type, catalog)).transpose();
            parameters.push(Parameter {
                name: parameter.name.name.clone(),
                ty: parameter.data_type,
                default: default.unwrap_or_else(|error| {
                    errors.push(error);
                    None
                }),
            });
        }
        return if errors.is_empty() { Ok(parameters) } else { Err(errors) };
    }
    let count = lexer::tokens(text).iter().filter(|token| &text[token.span.start..token.span.end] == "?").count();
    let mut types: Vec<Option<DataType>> = vec![None; count];
    let mut errors = Vec::new();
    for psm in body {
        let PsmKind::Sql { statement, .. } = &psm.kind else { continue };
        let env = Environment {
            catalog,
            variables: &[],
            first_register: count as Reg,
            placeholders: Placeholders { base: 0, types: types.clone() },
            system: None,
        };
        let plan = match plan_statement(statement, &env) {
            Ok(plan) => plan,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        for (known, found) in types.iter_mut().zip(plan.placeholders) {
            if found != DataType::Null {
                *known = Some(found);
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(types
        .into_iter()
        .enumerate()
        .map(|(at, ty)| Parameter {
            name: Name::new(&format!("param{at}")),
            ty: ty.unwrap_or(DataType::TEXT),
            default: None,
        })
        .collect())
}

/// The value of a parameter's DEFAULT.
fn constant(expr: &ast::Expr, ty: DataType, catalog: &Catalog) -> Result<crate::types::Value, BindError> {
    let plan = plan_expression(expr, &Environment::ad_hoc(catalog), Some(ty))?;
    match plan.kind {
        PlanKind::Expression(Expr { kind: ExprKind::Literal(value), .. }) => Ok(value),
        _ => Err(BindError::new("a parameter's DEFAULT must be a literal", expr.span)),
    }
}

/// A loop that LEAVE and ITERATE may name.
struct LoopScope {
    label: Option<Name>,
    /// Where ITERATE goes; None: not known yet.
    start: usize,
    /// Jumps to patch with the loop's end.
    leaves: Vec<usize>,
}

struct Compiler<'a> {
    catalog: &'a Catalog,
    /// Parameters and variables in scope, innermost last.
    variables: Vec<Variable>,
    parameters: usize,
    /// Where the variables of the innermost block start.
    block: usize,
    next: usize,
    placeholders: Vec<Option<DataType>>,
    /// Data changes answer with their count: the forms with `?`.
    answers: bool,
    returns: Option<DataType>,
    partitioning: ProcedurePartitioning,
    loops: Vec<LoopScope>,
    /// Registers that something is assigned to.
    assigned: Vec<Reg>,
    /// Each program's statement, for messages.
    program_spans: Vec<Span>,
    /// The plans as text, if somebody wants to read them: one for each program.
    plans: Option<Vec<String>>,
    name: Name,
    signature: &'a [Parameter],
    /// Procedures that are called, and what their calls mean for the partition.
    calls: Vec<call::Place>,
    /// Row variables that were declared.
    rows: Vec<Name>,
    cursors: Vec<cursor::Declared>,
    conditions: Vec<(Name, String)>,
    scope: handler::Scope,
    /// Where the row count of the last statement is kept, if the body asks for it.
    row_count: Option<Reg>,
    /// What to know about the procedure that is no error.
    notes: Vec<String>,
    code: Code,
    errors: Vec<BindError>,
}

impl<'a> Compiler<'a> {
    fn new(catalog: &'a Catalog, ast: &ast::Procedure, parameters: &'a [Parameter]) -> Compiler<'a> {
        let named = ast.parameters.is_some();
        let variables = parameters
            .iter()
            .enumerate()
            .filter(|_| named)
            .map(|(at, p)| Variable { name: p.name.clone(), qualifier: None, reg: at as Reg, ty: p.ty, nullable: true })
            .collect();
        Compiler {
            catalog,
            variables,
            parameters: parameters.len(),
            block: 0,
            next: parameters.len(),
            placeholders: if named { Vec::new() } else { parameters.iter().map(|p| Some(p.ty)).collect() },
            answers: !named,
            returns: ast.returns,
            partitioning: ProcedurePartitioning::Multi,
            loops: Vec::new(),
            assigned: Vec::new(),
            program_spans: Vec::new(),
            plans: None,
            name: ast.name.name.clone(),
            signature: parameters,
            calls: Vec::new(),
            rows: Vec::new(),
            cursors: Vec::new(),
            conditions: Vec::new(),
            scope: handler::Scope::default(),
            row_count: None,
            notes: Vec::new(),
            code: Code {
                ops: Vec::new(),
                spans: Vec::new(),
                programs: Vec::new(),
                registers: parameters.len(),
                cursors: 0,
                returns: ast.returns,
                uses_now: false,
                needs_undo: true,
                prefetches: Vec::new(),
                handlers: Vec::new(),
                resumes: Vec::new(),
            },
            errors: Vec::new(),
        }
    }

    fn fail(&mut self, message: impl Into<String>, span: Span) {
        self.errors.push(BindError::new(message, span));
    }

    fn definition(&self, name: Name, parameters: Vec<Parameter>, text: &str) -> catalog::Procedure {
        let mut calls: Vec<Name> = self.calls.iter().map(|call| call.name.clone()).collect();
        calls.sort();
        calls.dedup();
        let local = |p: &Program| matches!(p.partitioning, Partitioning::Any);
        catalog::Procedure {
            name,
            partitioning: self.partitioning,
            partitioning_found: false,
            returns: self.returns,
            read_only: self.code.programs.iter().all(|p| p.read_only) && self.calls.iter().all(|call| call.read_only),
            anywhere: self.code.programs.iter().all(local) && self.calls.iter().all(|call| call.anywhere),
            calls,
            roles: Vec::new(),
            parameters,
            text: text.to_owned(),
        }
    }

    fn finish(mut self) -> Code {
        let parameters = self.parameters as Reg;
        let assigned = self.assigned;
        let fixed = |regs: &[Reg]| regs.iter().all(|reg| *reg < parameters && !assigned.contains(reg));
        let mut prefetches = Vec::new();
        for key in self.code.programs.iter().flat_map(|p| &p.point_keys) {
            let same = |k: &crate::executor::PointKey| (k.table, k.index, &k.regs) == (key.table, key.index, &key.regs);
            if fixed(&key.regs) && !prefetches.iter().any(same) {
                prefetches.push(key.clone());
            }
        }
        self.code.prefetches = prefetches;
        self.code.uses_now = self.code.programs.iter().any(|p| p.uses_now);
        let read_only = self.code.programs.iter().all(|p| p.read_only) && self.calls.iter().all(|call| call.read_only);
        self.code.needs_undo = !read_only && needs_undo(&self.code);
        match self.code.handlers.is_empty() {
            true => self.code.resumes = Vec::new(),
            false => self.code.resumes.resize(self.code.ops.len(), 0),
        }
        self.code.registers = self.code.programs.iter().map(|p| p.registers).max().unwrap_or(0).max(self.next);
        self.code
    }

    fn emit(&mut self, op: Op, span: Span) -> usize {
        self.code.ops.push(op);
        self.code.spans.push(span);
        self.code.ops.len() - 1
    }

    /// Makes the jump at `at` go to the next instruction.
    fn patch(&mut self, at: usize) {
        let next = self.code.ops.len() as u32;
        match &mut self.code.ops[at] {
            Op::Jump { target } | Op::JumpUnless { target, .. } | Op::Fetch { done: target, .. } => *target = next,
            op => unreachable!("{op:?} is no forward jump"),
        }
    }

    fn register(&mut self, span: Span) -> Reg {
        if self.next >= Reg::MAX as usize / 2 {
            self.fail("too many variables", span);
            return 0;
        }
        self.next += 1;
        (self.next - 1) as Reg
    }

    fn env(&self) -> Environment<'_> {
        Environment {
            catalog: self.catalog,
            variables: &self.variables,
            first_register: self.next as Reg,
            placeholders: Placeholders { base: 0, types: self.placeholders.clone() },
            system: None,
        }
    }

    fn program(&mut self, plan: &Plan, condition: bool, span: Span) -> u32 {
        let program = match condition {
            true => Program::compile_condition(plan, self.catalog),
            false => Program::compile(plan, self.catalog),
        };
        if let Some(plans) = &mut self.plans {
            plans.push(match plan.kind {
                PlanKind::Expression(_) => String::new(),
                _ => crate::planner::explain(plan, self.catalog),
            });
        }
        self.code.programs.push(program);
        self.program_spans.push(span);
        (self.code.programs.len() - 1) as u32
    }

    fn expression(&mut self, expr: &ast::Expr, ty: Option<DataType>, condition: bool) -> Option<u32> {
        match plan_expression(expr, &self.env(), ty) {
            Ok(plan) => Some(self.program(&plan, condition, expr.span)),
            Err(error) => {
                self.errors.push(error);
                None
            }
        }
    }

    fn condition(&mut self, expr: &ast::Expr) -> Option<u32> {
        self.expression(expr, Some(DataType::Boolean), true)
    }

    fn query(&mut self, query: &Query, span: Span) -> Option<u32> {
        match plan_query(query, &self.env()) {
            Ok(plan) => Some(self.program(&plan, false, span)),
            Err(error) => {
                self.errors.push(error);
                None
            }
        }
    }

    fn variable(&mut self, ident: &Ident) -> Option<Variable> {
        let found = self.variables.iter().rev().find(|v| v.qualifier.is_none() && v.name == ident.name).cloned();
        if found.is_none() {
            let hint = hint(ident.name.as_str(), self.variables.iter().map(|v| v.name.as_str()));
            self.fail(format!("no variable or parameter {}{hint}", ident.name), ident.span);
        }
        found
    }

    fn statement(&mut self, psm: &Psm) {
        let start = self.code.ops.len();
        self.statement_inner(psm);
        let end = self.code.ops.len();
        self.code.resumes.resize(end, 0);
        // Inner statements have theirs already.
        self.code.resumes[start..end].iter_mut().filter(|to| **to == 0).for_each(|to| *to = end as u32);
    }

    fn statement_inner(&mut self, psm: &Psm) {
        match &psm.kind {
            PsmKind::Declare { names, data_type, default } => {
                self.declare(names, *data_type, default.as_ref(), psm.span);
            }
            PsmKind::DeclareRow { names, columns } => self.declare_row(names, columns, psm.span),
            PsmKind::DeclareCondition { name, sqlstate } => self.conditions.push((name.name.clone(), sqlstate.clone())),
            PsmKind::DeclareHandler { .. } => {
                self.fail("handlers are declared before the other statements of a block", psm.span);
            }
            PsmKind::DeclareCursor { name, query } => self.declare_cursor(name, query, psm.span),
            PsmKind::Open { cursor } => self.open(cursor, psm.span),
            PsmKind::Fetch { cursor, targets } => self.fetch(cursor, targets, psm.span),
            PsmKind::Close { cursor } => self.close(cursor, psm.span),
            PsmKind::Set { row, target, value } => {
                let Some(variable) = self.target(row.as_ref(), target) else { return };
                let Some(program) = self.expression(value, Some(variable.ty), false) else { return };
                self.assigned.push(variable.reg);
                self.emit(Op::Set { dst: variable.reg, program }, psm.span);
            }
            PsmKind::SelectInto { targets, query, expect } => {
                self.select_into(targets, query, expect.as_ref(), psm.span);
            }
            PsmKind::If { branches, otherwise } => self.branches(branches, Some(otherwise), psm.span),
            PsmKind::Case { operand, branches, otherwise } => {
                self.case(operand.as_ref(), branches, otherwise.as_deref(), psm.span);
            }
            PsmKind::While { label, condition, body } => {
                let start = self.code.ops.len();
                let program = self.condition(condition).unwrap_or(0);
                let exit = self.emit(Op::JumpUnless { program, target: 0 }, psm.span);
                self.looped(label.as_ref(), start, body, psm.span);
                self.end_loop(&[exit]);
            }
            PsmKind::Loop { label, body } => {
                let start = self.code.ops.len();
                self.looped(label.as_ref(), start, body, psm.span);
                self.end_loop(&[]);
            }
            PsmKind::Repeat { label, body, until } => {
                let start = self.code.ops.len();
                self.loops.push(LoopScope { label: label.as_ref().map(|l| l.name.clone()), start, leaves: Vec::new() });
                self.body(body);
                let program = self.condition(until).unwrap_or(0);
                let again = self.emit(Op::JumpUnless { program, target: 0 }, until.span);
                let exit = self.emit(Op::Jump { target: 0 }, psm.span);
                self.patch(again);
                self.emit(Op::Loop { target: start as u32 }, psm.span);
                self.end_loop(&[exit]);
            }
            PsmKind::For { label, row, query, body } => self.for_loop(label.as_ref(), row, query, body, psm.span),
            PsmKind::Leave { label } => self.leave(label.as_ref(), psm.span, true),
            PsmKind::Iterate { label } => self.leave(label.as_ref(), psm.span, false),
            PsmKind::Block(body) => self.body(body),
            PsmKind::Return(value) => {
                let program = match value {
                    None => None,
                    Some(value) => {
                        let ty = *self.returns.get_or_insert(DataType::BigInt);
                        self.expression(value, Some(ty), false)
                    }
                };
                self.emit(Op::Return { program }, psm.span);
            }
            PsmKind::Signal { state, message } => {
                let message = message.as_ref().and_then(|m| self.expression(m, Some(DataType::TEXT), false));
                let Some(sqlstate) = self.sqlstate(state) else { return };
                self.emit(Op::Signal { sqlstate, message }, psm.span);
            }
            PsmKind::Resignal { state, message } => self.resignal(state.as_ref(), message.as_ref(), psm.span),
            PsmKind::Diagnostics(items) => self.diagnostics(items, psm.span),
            PsmKind::Status { code, text } => {
                let code = self.expression(code, Some(DataType::TinyInt), false);
                let text = text.as_ref().and_then(|text| self.expression(text, Some(DataType::TEXT), false));
                if let Some(code) = code {
                    self.extra(Extra::Status { code, text }, psm.span);
                }
            }
            PsmKind::Call { exec, into } => self.call(exec, into.as_ref(), psm.span),
            PsmKind::Sql { statement, expect } => self.sql(statement, expect.as_ref(), psm.span),
        }
    }

    fn extra(&mut self, extra: Extra, span: Span) {
        self.emit(Op::Extra(Box::new(extra)), span);
    }

    fn declare(&mut self, names: &[Ident], ty: DataType, default: Option<&ast::Expr>, span: Span) {
        for name in names {
            if self.variables[self.block..].iter().any(|v| v.qualifier.is_none() && v.name == name.name) {
                self.fail(format!("variable {} is declared twice in this block", name.name), name.span);
            }
            let program = default.and_then(|default| self.expression(default, Some(ty), false));
            let reg = self.register(name.span);
            let op = match program {
                Some(program) => Op::Set { dst: reg, program },
                None => Op::SetNull { dst: reg },
            };
            self.emit(op, span);
            self.variables.push(Variable { name: name.name.clone(), qualifier: None, reg, ty, nullable: true });
        }
    }

    /// IF and searched CASE. Without `otherwise`, no match is an error.
    fn branches(&mut self, branches: &[(ast::Expr, Vec<Psm>)], otherwise: Option<&[Psm]>, span: Span) {
        let mut ends = Vec::new();
        for (condition, body) in branches {
            let program = self.condition(condition).unwrap_or(0);
            let skip = self.emit(Op::JumpUnless { program, target: 0 }, condition.span);
            self.body(body);
            ends.push(self.emit(Op::Jump { target: 0 }, span));
            self.patch(skip);
        }
        match otherwise {
            Some(body) => self.body(body),
            None => {
                self.emit(Op::CaseNotFound, span);
            }
        }
        ends.into_iter().for_each(|end| self.patch(end));
    }

    fn case(
        &mut self,
        operand: Option<&ast::Expr>,
        branches: &[(ast::Expr, Vec<Psm>)],
        otherwise: Option<&[Psm]>,
        span: Span,
    ) {
        let Some(operand) = operand else { return self.branches(branches, otherwise, span) };
        let compared: Vec<(ast::Expr, Vec<Psm>)> = branches
            .iter()
            .map(|(value, body)| {
                let kind = ast::ExprKind::Binary {
                    op: ast::BinaryOp::Eq,
                    left: Box::new(operand.clone()),
                    right: Box::new(value.clone()),
                };
                (ast::Expr { kind, span: value.span }, body.clone())
            })
            .collect();
        self.branches(&compared, otherwise, span);
    }

    /// A loop's body, and the jump back to `start`.
    fn looped(&mut self, label: Option<&Ident>, start: usize, body: &[Psm], span: Span) {
        self.loops.push(LoopScope { label: label.map(|l| l.name.clone()), start, leaves: Vec::new() });
        self.body(body);
        self.emit(Op::Loop { target: start as u32 }, span);
    }

    fn end_loop(&mut self, exits: &[usize]) {
        let scope = self.loops.pop().expect("pushed by looped");
        scope.leaves.iter().chain(exits).for_each(|&at| self.patch(at));
    }

    fn for_loop(&mut self, label: Option<&Ident>, row: &Ident, query: &Query, body: &[Psm], span: Span) {
        let program = self.query(query, span);
        let output = program.map_or(Vec::new(), |p| self.code.programs[p as usize].output().to_vec());
        let cursor = self.code.cursors as u16;
        self.code.cursors += 1;
        self.emit(Op::Open { cursor, program: program.unwrap_or(0) }, span);
        let visible = self.variables.len();
        let mut targets = Vec::new();
        for column in &output {
            let reg = self.register(span);
            targets.push(reg);
            let name = Name::new(&column.name);
            let qualifier = Some(row.name.clone());
            self.variables.push(Variable { name, qualifier, reg, ty: column.ty, nullable: true });
        }
        let start = self.code.ops.len();
        let fetch = self.emit(Op::Fetch { cursor, targets, done: 0 }, span);
        self.looped(label, start, body, span);
        self.end_loop(&[fetch]);
        self.variables.truncate(visible);
    }

    fn leave(&mut self, label: Option<&Ident>, span: Span, leave: bool) {
        let found = self.loops.iter().rposition(|scope| match label {
            Some(label) => scope.label.as_ref() == Some(&label.name),
            None => true,
        });
        let Some(found) = found else {
            return match label {
                Some(label) => self.fail(format!("no loop is called {}", label.name), label.span),
                None => self.fail("not inside a loop", span),
            };
        };
        if leave {
            let at = self.emit(Op::Jump { target: 0 }, span);
            self.loops[found].leaves.push(at);
        } else {
            self.emit(Op::Loop { target: self.loops[found].start as u32 }, span);
        }
    }
}

/// Whether something can fail after the first change. True as soon as an instruction that may fail can come after one
/// that writes, or a single one may do both.
fn needs_undo(code: &Code) -> bool {
    if !code.handlers.is_empty() {
        return true;
    }
    let writes = |op: &Op| op.changes();
    let Some(first) = code.ops.iter().position(writes) else { return false };
    let loops_back = code.ops.iter().any(|op| matches!(op, Op::Loop { target } if (*target as usize) <= first));
    let fails = |op: &Op| match op {
        Op::Execute { program, .. } => code.programs[*program as usize].fails_after_write,
        Op::Return { program: None } | Op::Jump { .. } | Op::SetNull { .. } => false,
        // A constant or a register: nothing to go wrong.
        Op::Return { program: Some(program) } | Op::Set { program, .. } => {
            !code.programs[*program as usize].cannot_fail()
        }
        _ => true,
    };
    // A write further down may be reached with an earlier one done, and its checks may then fail.
    let second = code.ops.iter().filter(|op| writes(op)).count() > 1;
    loops_back || second || code.ops[first..].iter().any(fails)
}

fn hint<'n>(word: &str, candidates: impl Iterator<Item = &'n str>) -> String {
    match crate::sql::nearest(word, candidates) {
        Some(nearest) => format!("; did you mean {nearest}?"),
        None => String::new(),
    }
}
