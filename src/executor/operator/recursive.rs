//! WITH RECURSIVE: rounds of the step over the rows that the round before added.

use super::set_operation::set_columns;
use super::{Flow, Operator, Sink};
use crate::executor::key::KeyMap;
use crate::executor::{ExecError, Reader, RowBuffer};
use crate::expr::CompiledExpr;
use crate::types::{Frame, Reg};
use std::rc::Rc;

/// A query that still finds rows after that many rounds is taken for one without an end.
const ROUNDS_MAX: usize = 100_000_000;

pub struct Recursive {
    pub id: usize,
    /// UNION ALL; if not, rows that were there before are dropped.
    pub all: bool,
    pub base: Operator,
    pub base_columns: Vec<CompiledExpr>,
    pub step: Operator,
    pub step_columns: Vec<CompiledExpr>,
    pub out: Vec<Reg>,
}

impl Recursive {
    pub fn run(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        let mut seen: KeyMap<()> = KeyMap::default();
        let mut key = Vec::new();
        let mut input = (&self.base, &self.base_columns);
        for _ in 0..ROUNDS_MAX {
            let mut added = RowBuffer::new(self.out.len());
            input.0.run(rd, frame, &mut |frame| {
                set_columns(input.1, &self.out, &mut key, rd, frame)?;
                if self.all || seen.insert(key.as_slice().into(), ()).is_none() {
                    added.push(&self.out, frame);
                }
                Ok(Flow::Continue)
            })?;
            if added.is_empty() {
                return Ok(Flow::Continue);
            }
            let added = Rc::new(added);
            if emit(&added, &self.out, rd, frame, sink)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
            rd.set_working(self.id, added);
            input = (&self.step, &self.step_columns);
        }
        Err(ExecError::TooManyRounds { rounds: ROUNDS_MAX })
    }
}

fn emit(
    rows: &RowBuffer,
    out: &[Reg],
    rd: &Reader<'_>,
    frame: &mut Frame,
    sink: &mut Sink<'_>,
) -> Result<Flow, ExecError> {
    for at in 0..rows.len() {
        rd.tick()?;
        let mark = frame.arena.mark();
        rows.load(at, 0, out, frame);
        if sink(frame)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
        frame.arena.truncate(mark);
    }
    Ok(Flow::Continue)
}

/// The rows that the round before added.
pub fn run_working(
    id: usize,
    out: &[Reg],
    rd: &Reader<'_>,
    frame: &mut Frame,
    sink: &mut Sink<'_>,
) -> Result<Flow, ExecError> {
    let rows = rd.working(id).expect("the step runs after a round that added rows");
    emit(&rows, out, rd, frame, sink)
}
