//! Code as text, for EXPLAINPROC and golden tests.

use super::code::{Op, Procedure};
use crate::catalog::ProcedurePartitioning;
use std::fmt::Write;

/// One instruction a line, with the text of the statement that it came from.
pub fn listing(procedure: &Procedure) -> String {
    let mut out = String::new();
    let definition = &procedure.definition;
    let parameters: Vec<String> = definition.parameters.iter().map(|p| format!("{} {}", p.name, p.ty)).collect();
    let place = match definition.partitioning {
        ProcedurePartitioning::Single { parameter, .. } => {
            format!("single-partition by {}", definition.parameters[parameter].name)
        }
        ProcedurePartitioning::Multi => "multi-partition".to_owned(),
    };
    let undo = if procedure.code.needs_undo { "undo" } else { "no undo needed" };
    let access = if definition.read_only { "read-only" } else { undo };
    let _ = writeln!(out, "{}({}): {place}, {access}", definition.name, parameters.join(", "));
    for (at, op) in procedure.code.ops.iter().enumerate() {
        let span = procedure.code.spans[at];
        let text = definition.text.get(span.start..span.end).unwrap_or("").split_whitespace().collect::<Vec<_>>();
        let mut text = text.join(" ");
        if text.chars().count() > 80 {
            text = text.chars().take(79).collect::<String>() + "…";
        }
        let _ = writeln!(out, "{at:>4}  {:<28}{text}", instruction(op));
    }
    out
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
    }
}

fn registers(regs: &[u16]) -> String {
    regs.iter().map(|reg| format!("r{reg}")).collect::<Vec<_>>().join(" ")
}
