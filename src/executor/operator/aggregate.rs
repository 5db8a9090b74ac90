//! GROUP BY and aggregate functions, by hashing. Groups come out in the order in which their first rows came.

use super::{Flow, Operator, Sink};
use crate::executor::key::{KeyMap, encode};
use crate::executor::vectorize::ColumnAggregate;
use crate::executor::{ExecError, KeySet, Reader, RowBuffer};
use crate::expr::{Accumulator, AggregateKind, CompiledExpr};
use crate::types::{DataType, Frame, Reg};

pub struct Aggregate {
    pub input: Operator,
    pub keys: Vec<(Reg, CompiledExpr)>,
    pub calls: Vec<AggregateCall>,
    /// The same over columns, if the input is nothing but a full scan.
    columns: Option<ColumnAggregate>,
}

pub struct AggregateCall {
    pub kind: AggregateKind,
    pub distinct: bool,
    pub argument: Option<CompiledExpr>,
    /// The argument's type.
    pub ty: DataType,
    pub out: Reg,
}

/// All groups, and the keys of each.
pub(super) struct Gathered {
    groups: Vec<Group>,
    keys: RowBuffer,
}

impl Gathered {
    /// `accumulators`: `calls` for each group, in the order of the groups.
    pub fn of_accumulators(accumulators: Vec<Accumulator>, calls: usize, keys: RowBuffer) -> Gathered {
        let mut rest = accumulators.into_iter();
        let group = |_| Group { accumulators: rest.by_ref().take(calls).collect(), seen: Vec::new() };
        Gathered { groups: (0..keys.len()).map(group).collect(), keys }
    }
}

struct Group {
    accumulators: Vec<Accumulator>,
    /// Values seen, for each DISTINCT call.
    seen: Vec<Option<KeySet>>,
}

impl Aggregate {
    pub fn new(input: Operator, keys: Vec<(Reg, CompiledExpr)>, calls: Vec<AggregateCall>) -> Aggregate {
        Aggregate { input, keys, calls, columns: None }
    }

    /// Lets the aggregation go the way of batches.
    pub fn over_batches(self, columns: ColumnAggregate) -> Aggregate {
        Aggregate { columns: Some(columns), ..self }
    }

    pub fn run(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        let Gathered { groups, keys } = match (&self.columns, &self.input) {
            (Some(columns), Operator::Table(scan)) => self.gather_batches(columns, scan, rd, frame)?,
            _ => self.gather(rd, frame)?,
        };
        let regs: Vec<Reg> = self.keys.iter().map(|(reg, _)| *reg).collect();
        for (at, group) in groups.iter().enumerate() {
            let mark = frame.arena.mark();
            keys.load(at, 0, &regs, frame);
            for (call, accumulator) in self.calls.iter().zip(&group.accumulators) {
                let datum = accumulator.finish(&mut frame.arena)?;
                frame.set(call.out, datum);
            }
            if sink(frame)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
            frame.arena.truncate(mark);
        }
        Ok(Flow::Continue)
    }

    fn gather(&self, rd: &Reader<'_>, frame: &mut Frame) -> Result<Gathered, ExecError> {
        let mut groups: Vec<Group> = Vec::new();
        let mut keys = RowBuffer::new(self.keys.len());
        let mut map: KeyMap<usize> = KeyMap::default();
        let mut key = Vec::new();
        if self.keys.is_empty() {
            groups.push(self.group());
            keys.begin();
        }
        self.input.run(rd, frame, &mut |frame| {
            let mut at = 0;
            if !self.keys.is_empty() {
                key.clear();
                for (reg, expr) in &self.keys {
                    let datum = rd.eval(expr, frame)?;
                    frame.set(*reg, datum);
                    encode(&mut key, datum, &frame.arena);
                }
                at = match map.get(key.as_slice()) {
                    Some(&at) => at,
                    None => {
                        map.insert(key.as_slice().into(), groups.len());
                        groups.push(self.group());
                        keys.begin();
                        self.keys.iter().for_each(|(reg, _)| keys.add(frame.get(*reg), &frame.arena));
                        groups.len() - 1
                    }
                };
            }
            self.add(&mut groups[at], rd, frame)?;
            Ok(Flow::Continue)
        })?;
        Ok(Gathered { groups, keys })
    }

    /// Of a new group.
    pub(super) fn accumulators(&self) -> impl Iterator<Item = Accumulator> {
        self.calls.iter().map(|c| Accumulator::new(c.kind, c.ty))
    }

    fn group(&self) -> Group {
        Group {
            accumulators: self.accumulators().collect(),
            seen: self.calls.iter().map(|c| c.distinct.then(KeySet::default)).collect(),
        }
    }

    fn add(&self, group: &mut Group, rd: &Reader<'_>, frame: &mut Frame) -> Result<(), ExecError> {
        for ((call, accumulator), seen) in self.calls.iter().zip(&mut group.accumulators).zip(&mut group.seen) {
            let datum = match &call.argument {
                Some(argument) => rd.eval(argument, frame)?,
                None => crate::types::Datum::TRUE,
            };
            if let Some(seen) = seen
                && (datum.is_null() || !seen.insert(std::iter::once(datum), &frame.arena))
            {
                continue;
            }
            accumulator.add(datum, &frame.arena)?;
        }
        Ok(())
    }
}
