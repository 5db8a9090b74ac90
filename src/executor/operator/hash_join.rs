//! Hash join: one side is read once into a hash table, the other probes it.

use super::{Flow, Operator, Sink, set_null};
use crate::executor::key::{KeyMap, encode};
use crate::executor::lane_map::{LaneMap, NONE};
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
    /// The key is one expression of a type of one lane.
    pub one_lane: bool,
}

/// The end of a chain of rows with one key, and no row at all.
const END: u32 = NONE;
/// Marks the number of a first row that is its key's only one: the chain need not be read.
const ONLY: u32 = 1 << 31;

/// The build side: rows, and for each key its first row; `next` chains the rest in order of arrival.
struct Built {
    rows: RowBuffer,
    first: First,
    next: Vec<u32>,
}

enum First {
    /// Values may have [`ONLY`].
    Lane(LaneMap),
    Key(KeyMap<(u32, u32)>),
}

impl HashJoin {
    pub fn run(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        let built = self.build(rd, frame)?;
        let mut partner = vec![false; if self.kind == JoinKind::Full { built.rows.len() } else { 0 }];
        let mut key = Vec::new();
        let flow = self.probe.run(rd, frame, &mut |frame| {
            let first = self.first(&built, &mut key, rd, frame)?;
            let is_only = first & ONLY != 0;
            let mut at = if first == END { END } else { first & !ONLY };
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
                at = if is_only { END } else { built.next[at as usize] };
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

    /// The first partner of the probing row.
    #[inline(always)]
    fn first(&self, built: &Built, key: &mut Vec<u8>, rd: &Reader<'_>, frame: &mut Frame) -> Result<u32, ExecError> {
        match &built.first {
            First::Lane(map) => {
                let datum = rd.eval(&self.probe_keys[0], frame)?;
                Ok(if datum.is_null() { END } else { map.get(datum.as_i64()) })
            }
            First::Key(map) => Ok(match self.key(&self.probe_keys, key, rd, frame)? {
                true => map.get(key.as_slice()).map_or(END, |&(first, _)| first),
                false => END,
            }),
        }
    }

    fn build(&self, rd: &Reader<'_>, frame: &mut Frame) -> Result<Built, ExecError> {
        match self.one_lane {
            true => self.build_by_lane(rd, frame),
            false => self.build_by_key(rd, frame),
        }
    }

    fn build_by_lane(&self, rd: &Reader<'_>, frame: &mut Frame) -> Result<Built, ExecError> {
        let mut rows = RowBuffer::new(self.build_out.len());
        let mut keys: Vec<(i64, u32)> = Vec::new();
        self.build.run(rd, frame, &mut |frame| {
            let datum = rd.eval(&self.build_keys[0], frame)?;
            if datum.is_null() && self.kind != JoinKind::Full {
                return Ok(Flow::Continue);
            }
            if !datum.is_null() {
                keys.push((datum.as_i64(), rows.len() as u32));
            }
            rows.push(&self.build_out, frame);
            Ok(Flow::Continue)
        })?;
        assert!(rows.len() < ONLY as usize, "a hash join's side has fewer than 2^31 rows");
        let mut map = LaneMap::with_capacity(keys.len());
        let mut next = vec![END; rows.len()];
        // The last row first, so that chains are in order of arrival.
        for &(key, at) in keys.iter().rev() {
            let later = map.replace(key, at | ONLY);
            if later != END {
                next[at as usize] = later & !ONLY;
                map.replace(key, at);
            }
        }
        Ok(Built { rows, first: First::Lane(map), next })
    }

    fn build_by_key(&self, rd: &Reader<'_>, frame: &mut Frame) -> Result<Built, ExecError> {
        let mut rows = RowBuffer::new(self.build_out.len());
        let (mut firsts, mut next): (KeyMap<(u32, u32)>, Vec<u32>) = Default::default();
        let mut key = Vec::new();
        self.build.run(rd, frame, &mut |frame| {
            let known = self.key(&self.build_keys, &mut key, rd, frame)?;
            if !known && self.kind != JoinKind::Full {
                return Ok(Flow::Continue);
            }
            let at = rows.len() as u32;
            rows.push(&self.build_out, frame);
            next.push(END);
            if !known {
                return Ok(Flow::Continue);
            }
            if let Some((_, last)) = firsts.get_mut(key.as_slice()) {
                next[*last as usize] = at;
                *last = at;
            } else {
                firsts.insert(key.as_slice().into(), (at, at));
            }
            Ok(Flow::Continue)
        })?;
        assert!(rows.len() < ONLY as usize, "a hash join's side has fewer than 2^31 rows");
        Ok(Built { rows, first: First::Key(firsts), next })
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
