//! Hash join: one side is read once into a hash table, the other probes it.

use super::{Flow, Operator, Sink, set_null};
use crate::executor::key::{KeyMap, encode};
use crate::executor::{ExecError, Reader, RowBuffer};
use crate::expr::CompiledExpr;
use crate::planner::plan::JoinKind;
use crate::types::{Frame, Reg};

pub struct HashJoin {
    pub kind: JoinKind,
    pub probe: Operator,
    pub build: Operator,
    pub probe_keys: Vec<CompiledExpr>,
    pub build_keys: Vec<CompiledExpr>,
    pub build_out: Vec<Reg>,
    /// Registers that the probe side fills: NULL for build rows without a partner (FULL).
    pub probe_out: Vec<Reg>,
    pub on: Option<CompiledExpr>,
}

/// The end of a chain of rows with one key.
const END: u32 = u32::MAX;

/// The build side: rows, and for each key its first row; `next` chains the rest in order of arrival.
struct Built {
    rows: RowBuffer,
    first: KeyMap<(u32, u32)>,
    next: Vec<u32>,
}

impl HashJoin {
    pub fn run(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        let built = self.build(rd, frame)?;
        let mut partner = vec![false; if self.kind == JoinKind::Full { built.rows.len() } else { 0 }];
        let mut key = Vec::new();
        let flow = self.probe.run(rd, frame, &mut |frame| {
            let mut at = match self.key(&self.probe_keys, &mut key, rd, frame)? {
                true => built.first.get(key.as_slice()).map_or(END, |&(first, _)| first),
                false => END,
            };
            let mut matched = false;
            while at != END {
                rd.tick()?;
                let mark = frame.arena.mark();
                built.rows.load(at as usize, 0, &self.build_out, frame);
                let passes = match &self.on {
                    Some(on) => rd.is_true(on, frame)?,
                    None => true,
                };
                if passes {
                    matched = true;
                    if self.kind == JoinKind::Full {
                        partner[at as usize] = true;
                    }
                    match self.kind {
                        JoinKind::Semi | JoinKind::Anti => break,
                        _ if sink(frame)? == Flow::Stop => return Ok(Flow::Stop),
                        _ => {}
                    }
                }
                frame.arena.truncate(mark);
                at = built.next[at as usize];
            }
            match self.kind {
                JoinKind::Semi if matched => sink(frame),
                JoinKind::Anti if !matched => sink(frame),
                JoinKind::Left | JoinKind::Full if !matched => {
                    set_null(&self.build_out, frame);
                    sink(frame)
                }
                _ => Ok(Flow::Continue),
            }
        })?;
        if self.kind == JoinKind::Full && flow == Flow::Continue {
            return self.unmatched(&built, &partner, frame, sink);
        }
        Ok(flow)
    }

    fn build(&self, rd: &Reader<'_>, frame: &mut Frame) -> Result<Built, ExecError> {
        let mut built =
            Built { rows: RowBuffer::new(self.build_out.len()), first: KeyMap::default(), next: Vec::new() };
        let mut key = Vec::new();
        self.build.run(rd, frame, &mut |frame| {
            let known = self.key(&self.build_keys, &mut key, rd, frame)?;
            if !known && self.kind != JoinKind::Full {
                return Ok(Flow::Continue);
            }
            let at = built.rows.len() as u32;
            built.rows.push(&self.build_out, frame);
            built.next.push(END);
            if !known {
                return Ok(Flow::Continue);
            }
            if let Some((_, last)) = built.first.get_mut(key.as_slice()) {
                built.next[*last as usize] = at;
                *last = at;
            } else {
                built.first.insert(key.as_slice().into(), (at, at));
            }
            Ok(Flow::Continue)
        })?;
        Ok(built)
    }

    /// False if a part is NULL.
    fn key(
        &self,
        exprs: &[CompiledExpr],
        key: &mut Vec<u8>,
        rd: &Reader<'_>,
        frame: &mut Frame,
    ) -> Result<bool, ExecError> {
        key.clear();
        for expr in exprs {
            let datum = rd.eval(expr, frame)?;
            if datum.is_null() {
                return Ok(false);
            }
            encode(key, datum, &frame.arena);
        }
        Ok(true)
    }

    fn unmatched(
        &self,
        built: &Built,
        partner: &[bool],
        frame: &mut Frame,
        sink: &mut Sink<'_>,
    ) -> Result<Flow, ExecError> {
        set_null(&self.probe_out, frame);
        for (at, _) in partner.iter().enumerate().filter(|(_, has)| !**has) {
            let mark = frame.arena.mark();
            built.rows.load(at, 0, &self.build_out, frame);
            if sink(frame)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
            frame.arena.truncate(mark);
        }
        Ok(Flow::Continue)
    }
}
