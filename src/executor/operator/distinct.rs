//! DISTINCT: the first of equal rows.

use super::{Flow, Operator, Sink};
use crate::executor::{ExecError, KeySet, Reader};
use crate::types::{Frame, Reg};

pub struct Distinct {
    pub input: Operator,
    pub columns: Vec<Reg>,
}

impl Distinct {
    pub fn run(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        let mut seen = KeySet::default();
        self.input.run(rd, frame, &mut |frame| match seen
            .insert(self.columns.iter().map(|&reg| frame.get(reg)), &frame.arena)
        {
            true => sink(frame),
            false => Ok(Flow::Continue),
        })
    }
}
