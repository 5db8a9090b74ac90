//! UNION, INTERSECT, EXCEPT, each also with ALL.

use super::{Flow, Operator, Sink};
use crate::executor::key::{KeyMap, encode};
use crate::executor::{ExecError, Reader};
use crate::expr::CompiledExpr;
use crate::sql::ast::SetOp;
use crate::types::{Frame, Reg};

pub struct SetOperation {
    pub op: SetOp,
    pub all: bool,
    pub left: Operator,
    pub left_columns: Vec<CompiledExpr>,
    pub right: Operator,
    pub right_columns: Vec<CompiledExpr>,
    pub out: Vec<Reg>,
}

impl SetOperation {
    pub fn run(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        let mut key = Vec::new();
        if self.op == SetOp::Union {
            let mut seen: KeyMap<u64> = KeyMap::default();
            for (input, columns) in [(&self.left, &self.left_columns), (&self.right, &self.right_columns)] {
                let flow = input.run(rd, frame, &mut |frame| {
                    set_columns(columns, &self.out, &mut key, rd, frame)?;
                    if !self.all && seen.insert(key.as_slice().into(), 1).is_some() {
                        return Ok(Flow::Continue);
                    }
                    sink(frame)
                })?;
                if flow == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
            return Ok(Flow::Continue);
        }
        // How many of each row the right side has.
        let mut right: KeyMap<u64> = KeyMap::default();
        self.right.run(rd, frame, &mut |frame| {
            set_columns(&self.right_columns, &self.out, &mut key, rd, frame)?;
            match right.get_mut(key.as_slice()) {
                Some(count) => *count += 1,
                None => drop(right.insert(key.as_slice().into(), 1)),
            }
            Ok(Flow::Continue)
        })?;
        let mut seen: KeyMap<()> = KeyMap::default();
        self.left.run(rd, frame, &mut |frame| {
            set_columns(&self.left_columns, &self.out, &mut key, rd, frame)?;
            let count = right.get_mut(key.as_slice());
            let pass = match (self.op, self.all) {
                (SetOp::Intersect, false) => count.is_some() && seen.insert(key.as_slice().into(), ()).is_none(),
                (SetOp::Intersect, true) => take_one(count),
                (_, false) => count.is_none() && seen.insert(key.as_slice().into(), ()).is_none(),
                (_, true) => !take_one(count),
            };
            if pass { sink(frame) } else { Ok(Flow::Continue) }
        })
    }
}

fn take_one(count: Option<&mut u64>) -> bool {
    match count {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    }
}

/// Puts a side's columns into the common registers, and their encoding into `key`.
pub(super) fn set_columns(
    columns: &[CompiledExpr],
    out: &[Reg],
    key: &mut Vec<u8>,
    rd: &Reader<'_>,
    frame: &mut Frame,
) -> Result<(), ExecError> {
    key.clear();
    for (expr, &reg) in columns.iter().zip(out) {
        let datum = rd.eval(expr, frame)?;
        frame.set(reg, datum);
        encode(key, datum, &frame.arena);
    }
    Ok(())
}
