//! CALL of another procedure, in the same transaction.

use super::Compiler;
use crate::catalog::{Parameter, ProcedurePartitioning, TableId};
use crate::expr::expr::Expr;
use crate::planner::plan::{Partitioning, Plan, PlanKind};
use crate::planner::{Variable, plan_expression};
use crate::procedure::arguments::arrange;
use crate::procedure::code::{Call, Callee, Extra};
use crate::procedure::defaults;
use crate::sql::Span;
use crate::sql::ast::{Exec, Ident};
use crate::types::{DataType, Name, Reg};

/// What a call means for where its caller can run.
pub struct Place {
    pub name: Name,
    pub span: Span,
    pub read_only: bool,
    /// The callee reads replicated tables at most.
    pub anywhere: bool,
    /// The callee is single-partition by this register of the caller.
    pub key: Option<(Reg, TableId, usize)>,
}

/// What a caller has to know.
struct Signature {
    callee: Callee,
    parameters: Vec<Parameter>,
    returns: Option<DataType>,
    read_only: bool,
    anywhere: bool,
    partitioning: ProcedurePartitioning,
}

impl Compiler<'_> {
    fn signature(&mut self, name: &Ident) -> Option<Signature> {
        if name.name == self.name {
            // What it does is not known before its end; it runs wherever this call of it does.
            return Some(Signature {
                callee: Callee::Named(name.name.clone()),
                parameters: self.signature.to_vec(),
                returns: self.returns,
                read_only: true,
                anywhere: !matches!(self.partitioning, ProcedurePartitioning::Single { .. }),
                partitioning: self.partitioning,
            });
        }
        let (definition, callee) = match self.catalog.procedure(&name.name) {
            Some(definition) => (std::sync::Arc::clone(definition), Callee::Named(name.name.clone())),
            None => match defaults::find(self.catalog, &name.name) {
                Ok(procedure) => (std::sync::Arc::clone(&procedure.definition), Callee::Default(procedure)),
                Err(hint) => {
                    self.fail(format!("no procedure {}{hint}", name.name), name.span);
                    return None;
                }
            },
        };
        if definition.partitioning == ProcedurePartitioning::Directed {
            self.fail(format!("{} is DIRECTED: it cannot be called from another procedure", name.name), name.span);
            return None;
        }
        Some(Signature {
            callee,
            parameters: definition.parameters.clone(),
            returns: definition.returns,
            read_only: definition.read_only,
            anywhere: definition.anywhere,
            partitioning: definition.partitioning,
        })
    }

    pub(super) fn call(&mut self, exec: &Exec, into: Option<&Ident>, span: Span) {
        let Some(signature) = self.signature(&exec.procedure) else { return };
        let names: Vec<Option<&Name>> = exec.names.iter().map(|name| name.as_ref().map(|n| &n.name)).collect();
        let order = match arrange(exec.procedure.name.as_str(), &signature.parameters, &names) {
            Ok(order) => order,
            Err(wrong) => {
                let at = wrong.argument.map_or(exec.procedure.span, |at| exec.arguments[at].span);
                return self.fail(wrong.message, at);
            }
        };
        let mut arguments = Vec::with_capacity(order.len());
        let mut regs = Vec::with_capacity(order.len());
        for (parameter, at) in signature.parameters.iter().zip(order) {
            let program = match at {
                Some(at) => {
                    let argument = &exec.arguments[at];
                    match plan_expression(argument, &self.env(), Some(parameter.ty)) {
                        Ok(plan) => {
                            regs.push(match &plan.kind {
                                PlanKind::Expression(expr) => expr.as_reg(),
                                _ => None,
                            });
                            self.program(&plan, false, argument.span)
                        }
                        Err(error) => return self.errors.push(error),
                    }
                }
                None => {
                    regs.push(None);
                    let value = parameter.default.clone().unwrap_or(crate::types::Value::Null);
                    self.constant(Expr::literal(value, parameter.ty), span)
                }
            };
            arguments.push(program);
        }
        let key = match signature.partitioning {
            ProcedurePartitioning::Single { parameter, table, column } => {
                regs[parameter].map(|reg| (reg, table, column))
            }
            _ => None,
        };
        self.calls.push(Place {
            name: exec.procedure.name.clone(),
            span,
            read_only: signature.read_only,
            anywhere: signature.anywhere,
            key,
        });
        let target = match into {
            Some(target) => self.variable(target),
            None => None,
        };
        self.savepoint(span);
        let returns = signature.returns.unwrap_or(DataType::BigInt);
        match target {
            None => self.extra(Extra::Call(Call { callee: signature.callee, arguments, into: None }), span),
            Some(variable) => {
                let reg = self.register(span);
                self.extra(Extra::Call(Call { callee: signature.callee, arguments, into: Some(reg) }), span);
                self.assign(reg, returns, &variable, into.map_or(span, |target| target.span), span);
            }
        }
    }

    /// A program for an expression that was made here.
    pub(super) fn constant(&mut self, expr: Expr, span: Span) -> u32 {
        let plan = Plan {
            kind: PlanKind::Expression(expr),
            subqueries: Vec::new(),
            registers: self.next,
            placeholders: Vec::new(),
            partitioning: Partitioning::Any,
            read_only: true,
        };
        self.program(&plan, false, span)
    }

    /// What lies in `reg`, of type `ty`, into a variable, as an assignment does it.
    pub(super) fn assign(&mut self, reg: Reg, ty: DataType, variable: &Variable, target: Span, span: Span) {
        use crate::expr::expr::ExprKind;
        if !crate::expr::castable(ty, variable.ty) {
            return self.fail(format!("{} is {}, not {ty}", variable.name, variable.ty), target);
        }
        let source = Expr::reg(reg, ty, true);
        let cast = match ty == variable.ty {
            true => source,
            false => Expr { kind: ExprKind::Cast(Box::new(source)), ty: variable.ty, nullable: true },
        };
        let program = self.constant(cast, span);
        self.assigned.push(variable.reg);
        self.emit(crate::procedure::code::Op::Set { dst: variable.reg, program }, span);
    }
}
