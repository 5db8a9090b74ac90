//! Nested-loop join: for each outer row the inner side runs anew, reading the outer's registers.

use super::{Flow, Operator, Sink, set_null};
use crate::executor::{ExecError, Reader};
use crate::expr::CompiledExpr;
use crate::planner::plan::JoinKind;
use crate::types::{Frame, Reg};

pub struct NestedLoopJoin {
    /// All but `Full`.
    pub kind: JoinKind,
    pub outer: Operator,
    pub inner: Operator,
    pub on: Option<CompiledExpr>,
    pub inner_out: Vec<Reg>,
}

impl NestedLoopJoin {
    pub fn run(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        self.outer.run(rd, frame, &mut |frame| {
            let mut matched = false;
            let mut wanted = Flow::Continue;
            self.inner.run(rd, frame, &mut |frame| {
                if let Some(on) = &self.on
                    && !rd.is_true(on, frame)?
                {
                    return Ok(Flow::Continue);
                }
                matched = true;
                match self.kind {
                    JoinKind::Semi | JoinKind::Anti => Ok(Flow::Stop),
                    JoinKind::Inner | JoinKind::Left | JoinKind::Full => {
                        wanted = sink(frame)?;
                        Ok(wanted)
                    }
                }
            })?;
            match self.kind {
                JoinKind::Semi if matched => sink(frame),
                JoinKind::Anti if !matched => sink(frame),
                JoinKind::Left if !matched => {
                    set_null(&self.inner_out, frame);
                    sink(frame)
                }
                _ => Ok(wanted),
            }
        })
    }
}
