//! PSM to code: scopes, control flow, and the statements in between, which the planner and the executor compile.

use super::code::{Code, Op, Procedure};
use crate::catalog::{self, Catalog, Parameter, ProcedurePartitioning};
use crate::executor::Program;
use crate::expr::castable;
use crate::expr::expr::{Expr, ExprKind};
use crate::planner::plan::{Partitioning, Plan, PlanKind};
use crate::planner::{BindError, Environment, Placeholders, Variable, plan_expression, plan_query, plan_statement};
use crate::sql::ast::{self, Body, Ident, PartitionClause, Psm, PsmKind, Query, Statement};
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
            statement = [Psm { kind: PsmKind::Sql((**inner).clone()), span: ast.name.span }];
            &statement
        }
    };
    let parameters = parameters(ast, text, body, catalog)?;
    let mut compiler = Compiler::new(catalog, ast, &parameters);
    compiler.partitioning(ast.partition.as_ref(), &parameters);
    compiler.body(body);
    compiler.emit(Op::Return { program: None }, Span::NONE);
    compiler.check_partitions();
    if !compiler.errors.is_empty() {
        return Err(compiler.errors);
    }
    let definition = catalog::Procedure {
        name: ast.name.name.clone(),
        partitioning: compiler.partitioning,
        returns: compiler.returns,
        read_only: compiler.code.programs.iter().all(|program| program.read_only),
        parameters,
        text: text.to_owned(),
    };
    Ok(Procedure { definition: Arc::new(definition), version: catalog.version, code: compiler.finish() })
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
    for psm in body {
        let PsmKind::Sql(statement) = &psm.kind else { continue };
        let env = Environment {
            catalog,
            variables: &[],
            first_register: count as Reg,
            placeholders: Placeholders { base: 0, types: types.clone() },
        };
        let plan = plan_statement(statement, &env).map_err(|error| vec![error])?;
        for (known, found) in types.iter_mut().zip(plan.placeholders) {
            if found != DataType::Null {
                *known = Some(found);
            }
        }
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
    code: Code,
    errors: Vec<BindError>,
}

impl<'a> Compiler<'a> {
    fn new(catalog: &'a Catalog, ast: &ast::Procedure, parameters: &[Parameter]) -> Compiler<'a> {
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
            },
            errors: Vec::new(),
        }
    }

    fn fail(&mut self, message: impl Into<String>, span: Span) {
        self.errors.push(BindError::new(message, span));
    }

    fn partitioning(&mut self, clause: Option<&PartitionClause>, parameters: &[Parameter]) {
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
        let fits = match column_ty {
            ty_column if ty_column.is_integer() => ty.is_integer(),
            DataType::Varchar { .. } => ty.is_text(),
            _ => matches!(ty, DataType::Varbinary { .. }),
        };
        if !fits {
            let message = format!("parameter {} is {ty}, but {} is {column_ty}", parameter.name, clause.column.name);
            return self.fail(message, clause.column.span);
        }
        self.partitioning = ProcedurePartitioning::Single { parameter: at, table: table.id, column };
    }

    /// A single-partition procedure sees one partition's rows: a statement that means others would be wrong.
    fn check_partitions(&mut self) {
        let ProcedurePartitioning::Single { parameter, .. } = self.partitioning else { return };
        let name = self.variables.get(parameter).map_or_else(|| format!("?{parameter}"), |v| v.name.to_string());
        if self.assigned.contains(&(parameter as Reg)) {
            self.fail(format!("the partitioning parameter {name} must not be assigned to"), Span::NONE);
        }
        for at in 0..self.code.programs.len() {
            let fixed = match &self.code.programs[at].partitioning {
                Partitioning::Any => true,
                Partitioning::One { key, .. } => key.as_reg() == Some(parameter as Reg),
                Partitioning::All => false,
            };
            if !fixed {
                let message = format!(
                    "the procedure runs on the partition of {name} alone, but this statement is not bound to it: compare \
                     the partition column with {name}, or leave PARTITION ON out"
                );
                self.fail(message, self.program_spans[at]);
            }
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
        self.code.needs_undo = needs_undo(&self.code);
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
        }
    }

    fn program(&mut self, plan: &Plan, condition: bool, span: Span) -> u32 {
        let program = match condition {
            true => Program::compile_condition(plan, self.catalog),
            false => Program::compile(plan, self.catalog),
        };
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

    /// A block: what it declares is gone at its end.
    fn body(&mut self, body: &[Psm]) {
        let visible = self.variables.len();
        let outer = std::mem::replace(&mut self.block, visible);
        body.iter().for_each(|psm| self.statement(psm));
        self.block = outer;
        self.variables.truncate(visible);
    }

    fn statement(&mut self, psm: &Psm) {
        match &psm.kind {
            PsmKind::Declare { names, data_type, default } => {
                self.declare(names, *data_type, default.as_ref(), psm.span);
            }
            PsmKind::Set { target, value } => {
                let Some(variable) = self.variable(target) else { return };
                let Some(program) = self.expression(value, Some(variable.ty), false) else { return };
                self.assigned.push(variable.reg);
                self.emit(Op::Set { dst: variable.reg, program }, psm.span);
            }
            PsmKind::SelectInto { targets, query } => self.select_into(targets, query, psm.span),
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
            PsmKind::Signal { sqlstate, message } => {
                let message = message.as_ref().and_then(|m| self.expression(m, Some(DataType::TEXT), false));
                self.emit(Op::Signal { sqlstate: sqlstate.clone(), message }, psm.span);
            }
            PsmKind::Sql(statement) => self.sql(statement, psm.span),
        }
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

    fn select_into(&mut self, targets: &[Ident], query: &Query, span: Span) {
        let variables: Vec<Option<Variable>> = targets.iter().map(|target| self.variable(target)).collect();
        let Some(program) = self.query(query, span) else { return };
        let output = self.code.programs[program as usize].output().to_vec();
        if output.len() != targets.len() {
            let message = format!("{} columns for {} variables", output.len(), targets.len());
            return self.fail(message, span);
        }
        // The row arrives in registers of its own, and each value is then cast to its variable's type.
        let regs: Vec<Reg> = output.iter().map(|_| self.register(span)).collect();
        self.emit(Op::Into { program, targets: regs.clone() }, span);
        for ((variable, column), (reg, target)) in variables.iter().zip(&output).zip(regs.iter().zip(targets)) {
            let Some(variable) = variable else { continue };
            if !castable(column.ty, variable.ty) {
                let message = format!("{} is {}, not {}", target.name, variable.ty, column.ty);
                self.fail(message, target.span);
                continue;
            }
            let source = Expr::reg(*reg, column.ty, true);
            let cast = match column.ty == variable.ty {
                true => source,
                false => Expr { kind: ExprKind::Cast(Box::new(source)), ty: variable.ty, nullable: true },
            };
            let plan = Plan {
                kind: PlanKind::Expression(cast),
                subqueries: Vec::new(),
                registers: self.next,
                placeholders: Vec::new(),
                partitioning: Partitioning::Any,
                read_only: true,
            };
            let program = self.program(&plan, false, span);
            self.assigned.push(variable.reg);
            self.emit(Op::Set { dst: variable.reg, program }, span);
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

    fn sql(&mut self, statement: &Statement, span: Span) {
        let plan = match statement {
            Statement::Query(query) => plan_query(query, &self.env()),
            Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) | Statement::Truncate { .. } => {
                plan_statement(statement, &self.env())
            }
            Statement::Ddl(_) => return self.fail("a procedure cannot change the schema", span),
            Statement::Exec(_) => return self.fail("a procedure cannot call another procedure yet", span),
            Statement::Explain(_) => return self.fail("EXPLAIN is not allowed in a procedure", span),
        };
        match plan {
            Ok(plan) => {
                let program = self.program(&plan, false, span);
                let returning = !self.code.programs[program as usize].output().is_empty();
                let op = match self.code.programs[program as usize].is_query() {
                    true => Op::Yield { program },
                    false => Op::Execute { program, answer: self.answers || returning },
                };
                self.emit(op, span);
            }
            Err(error) => self.errors.push(error),
        }
    }
}

/// Whether something can fail after the first change. True as soon as an instruction that may fail can come after one
/// that writes, or a single one may do both.
fn needs_undo(code: &Code) -> bool {
    let writes = |op: &Op| matches!(op, Op::Execute { .. });
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
