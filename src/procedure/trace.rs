//! Who watches a call instruction by instruction: nobody, or a trace.

use super::code::{Op, Procedure};
use crate::types::Name;
use std::time::Instant;

/// Told of each instruction. With `ON` false all of it compiles to nothing.
pub trait Tracer {
    const ON: bool;
    fn before(&mut self, procedure: &Procedure, at: usize, depth: usize);
    /// Rows that the instruction at hand gave or changed.
    fn rows(&mut self, rows: u64);
}

/// Watches nothing.
pub struct NoTracer;

impl Tracer for NoTracer {
    const ON: bool = false;
    #[inline(always)]
    fn before(&mut self, _: &Procedure, _: usize, _: usize) {}
    #[inline(always)]
    fn rows(&mut self, _: u64) {}
}

/// Time and rows of each statement of a call. The time of a statement is from its first instruction to the next
/// statement's, so the times add up to the whole.
#[derive(Debug, Default)]
pub struct Trace {
    pub steps: Vec<TraceStep>,
    current: Option<(usize, Instant)>,
}

/// One statement of a procedure, all its executions together.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceStep {
    pub procedure: Name,
    /// How many calls are around it.
    pub depth: usize,
    /// From 1.
    pub line: usize,
    /// The statement, on one line.
    pub text: String,
    pub times: u64,
    /// None if it is no statement that gives or changes rows.
    pub rows: Option<u64>,
    pub ns: u64,
}

impl Trace {
    /// Ends the time of the last statement.
    pub fn finish(&mut self) {
        if let Some((step, since)) = self.current.take() {
            self.steps[step].ns += since.elapsed().as_nanos() as u64;
        }
    }
}

impl Tracer for Trace {
    const ON: bool = true;

    fn before(&mut self, procedure: &Procedure, at: usize, depth: usize) {
        if matches!(procedure.code.ops[at], Op::Jump { .. }) {
            return;
        }
        let now = Instant::now();
        let span = procedure.code.spans[at];
        let text = &procedure.definition.text;
        let line = 1 + text[..span.start.min(text.len())].matches('\n').count();
        let shown = super::listing::one_line(text.get(span.start..span.end).unwrap_or(""), 60);
        let name = &procedure.definition.name;
        let same = |s: &TraceStep| s.line == line && s.depth == depth && s.text == shown && s.procedure == *name;
        let step = match self.steps.iter().position(same) {
            Some(step) => step,
            None => {
                self.steps.push(TraceStep {
                    procedure: name.clone(),
                    depth,
                    line,
                    text: shown,
                    times: 0,
                    rows: None,
                    ns: 0,
                });
                self.steps.len() - 1
            }
        };
        if let Some((last, since)) = self.current {
            self.steps[last].ns += (now - since).as_nanos() as u64;
        }
        self.steps[step].times += 1;
        self.current = Some((step, now));
    }

    fn rows(&mut self, rows: u64) {
        if let Some((step, _)) = self.current {
            *self.steps[step].rows.get_or_insert(0) += rows;
        }
    }
}
