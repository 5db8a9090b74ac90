//! Calls that are written as SQL: EXEC and CALL, and what they would do, or did.

use super::engine::{Executed, Tag, place_of, procedure_key, results};
use super::{Engine, StatementError};
use crate::catalog::ProcedurePartitioning;
use crate::expr::expr::{Expr, ExprKind};
use crate::initiator::Traced;
use crate::partition::TxnError;
use crate::planner::plan::PlanKind;
use crate::planner::{Environment, plan_expression};
use crate::procedure::arguments::arrange;
use crate::procedure::{Procedure, annotated};
use crate::sql::ast::{Exec, ExprKind as Written, Ident};
use crate::types::{Arena, Column, DataType, Name, ResultSet, Value};
use std::sync::Arc;
use std::time::Instant;

impl Engine {
    fn called(&self, name: &Ident) -> Result<Arc<Procedure>, StatementError> {
        self.procedure(name.name.as_str())
            .map_err(|error| StatementError { span: Some(name.span), ..StatementError::from(&*error) })
    }

    pub(super) fn exec(&self, exec: &Exec, values: &[Value]) -> Result<Executed, StatementError> {
        let mut procedure = self.called(&exec.procedure)?;
        if procedure.code.ops.is_empty() {
            return self.exec_system(exec, &procedure, values);
        }
        let arguments = self.arguments(exec, &procedure, values)?;
        let response = self
            .call(&mut procedure, &arguments.values, &mut Default::default())
            .map_err(|error| call_error(exec, &arguments, &error))?;
        Ok(Executed {
            place: Some(place(&procedure, &response)),
            results: results(&procedure, response),
            tag: Tag::Rows,
            notes: Vec::new(),
        })
    }

    /// The arguments in the order of the parameters. `values`: one for each `?`.
    fn arguments(&self, exec: &Exec, procedure: &Procedure, values: &[Value]) -> Result<Arguments, StatementError> {
        let definition = &procedure.definition;
        let names: Vec<Option<&Name>> = exec.names.iter().map(|name| name.as_ref().map(|n| &n.name)).collect();
        let order = arrange(definition.name.as_str(), &definition.parameters, &names).map_err(|wrong| {
            let span = wrong.argument.map_or(exec.procedure.span, |at| exec.arguments[at].span);
            StatementError { sqlstate: "07001".to_owned(), ..StatementError::new(wrong.message, span) }
        })?;
        let schema = self.schema();
        let env = Environment::ad_hoc(&schema.catalog);
        let mut arguments = Arguments::default();
        for (parameter, at) in definition.parameters.iter().zip(order) {
            let value = match at.map(|at| &exec.arguments[at]) {
                None => parameter.default.clone().unwrap_or(Value::Null),
                Some(argument) => match &argument.kind {
                    Written::Placeholder(number) => match values.get(*number) {
                        Some(value) => value.clone(),
                        None => {
                            let message = format!("{} values were given for the ?", values.len());
                            let error = StatementError::new(message, argument.span);
                            return Err(StatementError { sqlstate: "07001".to_owned(), ..error });
                        }
                    },
                    Written::Row(items) => {
                        Value::Array(items.iter().map(|item| literal(item, &env)).collect::<Result<_, _>>()?)
                    }
                    _ => match literal(argument, &env)? {
                        // What is written in a command is text before it is a number.
                        Value::Decimal(number) if parameter.ty.is_text() => Value::Text(number.to_string()),
                        value => value,
                    },
                },
            };
            arguments.values.push(value);
            arguments.written.push(at);
        }
        Ok(arguments)
    }

    /// EXEC of a system procedure: its arguments are as they are written.
    fn exec_system(&self, exec: &Exec, procedure: &Procedure, values: &[Value]) -> Result<Executed, StatementError> {
        let schema = self.schema();
        let env = Environment::ad_hoc(&schema.catalog);
        let mut arguments = Vec::with_capacity(exec.arguments.len());
        for argument in &exec.arguments {
            let placeholder = match &argument.kind {
                Written::Placeholder(number) => values.get(*number).cloned(),
                _ => None,
            };
            let value = match placeholder {
                Some(value) => value,
                None => match plan_expression(argument, &env, None)?.kind {
                    PlanKind::Expression(Expr { kind: ExprKind::Literal(value), .. }) => value,
                    _ => return Err(StatementError::new("arguments must be literals", argument.span)),
                },
            };
            arguments.push(value);
        }
        let response = self.call_system(&procedure.definition.name, &arguments).map_err(|error| {
            let span = matches!(*error, TxnError::ArgumentCount { .. }).then_some(exec.procedure.span);
            StatementError { span, ..StatementError::from(&*error) }
        })?;
        Ok(Executed { results: response.results, tag: Tag::Rows, place: None, notes: Vec::new() })
    }

    /// EXPLAINPROC: the procedure's text with the plan of each statement below it.
    pub(super) fn explain_procedure(&self, name: &Ident) -> Result<Executed, StatementError> {
        let procedure = self.called(name)?;
        let text = annotated(&procedure, &self.schema().catalog);
        let rows = text.lines().map(|line| vec![Value::from(line)]).collect();
        let columns = vec![Column { name: "execution_plan".to_owned(), data_type: DataType::TEXT }];
        Ok(Executed { results: vec![ResultSet { columns, rows }], tag: Tag::Rows, place: None, notes: Vec::new() })
    }

    /// EXPLAIN ANALYZE EXEC: one real call, and what each part of it took.
    pub(super) fn trace(&self, exec: &Exec, values: &[Value]) -> Result<Executed, StatementError> {
        let mut procedure = self.called(&exec.procedure)?;
        let arguments = self.arguments(exec, &procedure, values)?;
        loop {
            let started = Instant::now();
            let (mut datums, mut arena) = (Vec::new(), Arena::default());
            Engine::convert_arguments(&procedure, &arguments.values, &mut datums, &mut arena)
                .map_err(|error| call_error(exec, &arguments, &error))?;
            let converted = started.elapsed().as_nanos() as u64;
            let Some(traced) = self.initiator.trace(&procedure, &datums, &arena) else {
                procedure = self.called(&exec.procedure)?;
                continue;
            };
            let report = report(&procedure, &traced, converted);
            let response = traced.answer.map_err(|error| call_error(exec, &arguments, &error))?;
            let place = place(&procedure, &response);
            let mut results = results(&procedure, response);
            results.push(report);
            return Ok(Executed { place: Some(place), results, tag: Tag::Rows, notes: Vec::new() });
        }
    }
}

fn literal(argument: &crate::sql::ast::Expr, env: &Environment<'_>) -> Result<Value, StatementError> {
    match plan_expression(argument, env, None)?.kind {
        PlanKind::Expression(Expr { kind: ExprKind::Literal(value), .. }) => Ok(value),
        _ => Err(StatementError::new("arguments must be literals", argument.span)),
    }
}

/// Values by parameter, and which written argument each one is.
#[derive(Default)]
struct Arguments {
    values: Vec<Value>,
    written: Vec<Option<usize>>,
}

fn place(procedure: &Procedure, response: &crate::txn::Response) -> String {
    match procedure.definition.partitioning {
        ProcedurePartitioning::Directed => "each partition apart".to_owned(),
        _ => place_of(response.partition, procedure_key(procedure)),
    }
}

fn call_error(exec: &Exec, arguments: &Arguments, error: &TxnError) -> StatementError {
    let span = match error {
        TxnError::Argument { position, .. } => {
            arguments.written.get(position - 1).copied().flatten().map(|at| exec.arguments[at].span)
        }
        TxnError::ArgumentCount { .. } => Some(exec.procedure.span),
        _ => None,
    };
    StatementError { span, ..StatementError::from(error) }
}

/// One line for each part of the call; the parts add up to the total.
fn report(procedure: &Procedure, traced: &Traced, converted: u64) -> ResultSet {
    let names = ["step", "times", "rows", "time_us"];
    let types = [DataType::TEXT, DataType::BigInt, DataType::BigInt, DataType::Float];
    let columns =
        names.iter().zip(types).map(|(name, data_type)| Column { name: (*name).to_owned(), data_type }).collect();
    let micros = |ns: u64| Value::Float((ns as f64 / 10.0).round() / 100.0);
    let line = |step: String, times: Value, rows: Value, ns: u64| vec![Value::Text(step), times, rows, micros(ns)];
    let part = |step: &str, ns: u64| line(step.to_owned(), Value::Null, Value::Null, ns);
    let (waited, total) = (traced.waited.as_nanos() as u64, traced.total.as_nanos() as u64);
    let mut rows = vec![
        part("convert the arguments", converted),
        part(
            match procedure.definition.partitioning {
                ProcedurePartitioning::Single { .. } => "wait for the partition",
                _ => "wait for all partitions",
            },
            waited,
        ),
    ];
    let mut statements = 0;
    for step in &traced.trace.steps {
        statements += step.ns;
        let text = match (step.text.is_empty(), step.depth) {
            (true, 0) => "end".to_owned(),
            (true, _) => format!("{}{}", "  ".repeat(step.depth), step.procedure),
            (false, 0) => format!("line {}: {}", step.line, step.text),
            (false, depth) => {
                format!("{}{} line {}: {}", "  ".repeat(depth), step.procedure, step.line, step.text)
            }
        };
        let found = step.rows.map_or(Value::Null, |rows| Value::Int(rows as i64));
        rows.push(line(text, Value::Int(step.times as i64), found, step.ns));
    }
    rows.push(part("begin, commit and reply", total.saturating_sub(waited + statements)));
    rows.push(part("total", total.max(waited + statements) + converted));
    ResultSet { columns, rows }
}
