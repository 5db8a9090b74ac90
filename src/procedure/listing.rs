//! Code as text, for EXPLAINPROC and golden tests.

use super::code::{Callee, Extra, Op, Procedure};
use crate::catalog::{Catalog, ProcedurePartitioning};
use std::fmt::Write;

/// One instruction a line, with the text of the statement that it came from.
pub fn listing(procedure: &Procedure) -> String {
    let definition = &procedure.definition;
    let mut out = heading(procedure);
    for (at, op) in procedure.code.ops.iter().enumerate() {
        let span = procedure.code.spans[at];
        let text = one_line(definition.text.get(span.start..span.end).unwrap_or(""), 80);
        let _ = writeln!(out, "{at:>4}  {:<28}{text}", instruction(op));
    }
    out
}

/// Name, parameters, where it runs, and whether it changes anything.
fn heading(procedure: &Procedure) -> String {
    let mut out = String::new();
    let definition = &procedure.definition;
    let parameters: Vec<String> = definition.parameters.iter().map(|p| format!("{} {}", p.name, p.ty)).collect();
    let place = match definition.partitioning {
        ProcedurePartitioning::Single { parameter, .. } => {
            format!("single-partition by {}", definition.parameters[parameter].name)
        }
        ProcedurePartitioning::Multi => "multi-partition".to_owned(),
        ProcedurePartitioning::Directed => "directed: at each partition apart".to_owned(),
    };
    let undo = if procedure.code.needs_undo { "undo" } else { "no undo needed" };
    let access = if definition.read_only { "read-only" } else { undo };
    let _ = writeln!(out, "{}({}): {place}, {access}", definition.name, parameters.join(", "));
    out
}

/// `text` without line breaks, cut to `width` characters.
pub fn one_line(text: &str, width: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.chars().count() > width {
        true => text.chars().take(width - 1).collect::<String>() + "…",
        false => text,
    }
}

fn instruction(op: &Op) -> String {
    match op {
        Op::Set { dst, .. } => format!("set r{dst}"),
        Op::SetNull { dst } => format!("set r{dst} to NULL"),
        Op::Jump { target } => format!("go to {target}"),
        Op::Loop { target } => format!("loop to {target}"),
        Op::JumpUnless { target, .. } => format!("unless true go to {target}"),
        Op::Return { program: None } => "return".to_owned(),
        Op::Return { .. } => "return value".to_owned(),
        Op::Execute { .. } => "execute".to_owned(),
        Op::Yield { .. } => "result set".to_owned(),
        Op::Into { targets, .. } => format!("one row into {}", registers(targets)),
        Op::Open { cursor, .. } => format!("open cursor {cursor}"),
        Op::Fetch { cursor, targets, done } => {
            format!("fetch {cursor} into {} or {done}", registers(targets))
        }
        Op::Signal { sqlstate, .. } => format!("signal {sqlstate}"),
        Op::CaseNotFound => "no branch applies".to_owned(),
        Op::Extra(extra) => extra_instruction(extra),
    }
}

fn extra_instruction(extra: &Extra) -> String {
    match extra {
        Extra::Savepoint => "savepoint".to_owned(),
        Extra::Execute { .. } => "execute, checked".to_owned(),
        Extra::Yield { .. } => "result set, checked".to_owned(),
        Extra::Into { targets, .. } => format!("one row into {}, checked", registers(targets)),
        Extra::Open { cursor, .. } => format!("open cursor {cursor}"),
        Extra::Fetch { cursor, targets, .. } => format!("fetch {cursor} into {}", registers(targets)),
        Extra::Close { cursor } => format!("close cursor {cursor}"),
        Extra::Call(call) => match &call.callee {
            Callee::Named(name) => format!("call {name}"),
            Callee::Default(procedure) => format!("call {}", procedure.definition.name),
        },
        Extra::Resume { handler } => format!("end of handler {handler}: resume"),
        Extra::Resignal { handler, .. } => format!("resignal of handler {handler}"),
        Extra::Caught { handler, message, dst } => {
            let what = if *message { "message" } else { "SQLSTATE" };
            format!("{what} of handler {handler} into r{dst}")
        }
        Extra::Status { .. } => "status".to_owned(),
        Extra::Native(_) => "native code".to_owned(),
    }
}

fn registers(regs: &[u16]) -> String {
    regs.iter().map(|reg| format!("r{reg}")).collect::<Vec<_>>().join(" ")
}

/// The procedure's text, numbered, and below each line the plans of the statements that end in it.
pub fn annotated(procedure: &Procedure, catalog: &Catalog) -> String {
    let definition = &procedure.definition;
    let mut out = heading(procedure);
    if procedure.native.is_some() {
        out.push_str("native code of the embedding program\n");
        return out;
    }
    let plans = super::compile::plans(procedure, catalog);
    let line_of =
        |at: usize| definition.text.as_bytes()[..at.min(definition.text.len())].iter().filter(|b| **b == b'\n').count();
    let numbered = definition.text.contains('\n');
    let mut shown = vec![false; plans.len()];
    for (number, line) in definition.text.lines().enumerate() {
        match numbered {
            true => {
                let _ = writeln!(out, "{:>4}  {line}", number + 1);
            }
            false => {
                let _ = writeln!(out, "{line}");
            }
        }
        for (at, (span, plan)) in plans.iter().enumerate() {
            if shown[at]
                || plan.is_empty()
                || (line_of(span.end) > number && line_of(span.end) < definition.text.lines().count())
            {
                continue;
            }
            shown[at] = true;
            plan.lines().for_each(|line| {
                let _ = writeln!(out, "          | {line}");
            });
        }
    }
    out
}
