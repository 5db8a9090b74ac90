//! Window functions over one PARTITION BY and ORDER BY.

use super::sort::{SortKey, compare_rows};
use super::{Flow, Operator, Sink};
use crate::executor::{ExecError, Reader, RowBuffer};
use crate::expr::{Accumulator, AggregateKind, CompiledExpr};
use crate::types::{DataType, Datum, Frame, Reg};
use std::cmp::Ordering;

pub struct Window {
    pub input: Operator,
    pub carry: Vec<Reg>,
    /// PARTITION BY, as keys of an ascending sort, then ORDER BY.
    pub keys: Vec<SortKey>,
    /// How many of `keys` are PARTITION BY.
    pub partition_keys: usize,
    pub calls: Vec<WindowCall>,
}

pub struct WindowCall {
    pub kind: WindowKind,
    pub out: Reg,
}

pub enum WindowKind {
    RowNumber,
    Rank,
    DenseRank,
    /// With the argument's type.
    Aggregate(AggregateKind, Option<CompiledExpr>, DataType),
}

impl Window {
    pub fn run(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        let mut rows = RowBuffer::new(self.keys.len() + self.calls.len() + self.carry.len());
        self.input.run(rd, frame, &mut |frame| {
            rows.begin();
            for key in &self.keys {
                let datum = rd.eval(&key.expr, frame)?;
                rows.add(datum, &frame.arena);
            }
            for call in &self.calls {
                let datum = match &call.kind {
                    WindowKind::Aggregate(_, Some(argument), _) => rd.eval(argument, frame)?,
                    _ => Datum::TRUE,
                };
                rows.add(datum, &frame.arena);
            }
            self.carry.iter().for_each(|&reg| rows.add(frame.get(reg), &frame.arena));
            Ok(Flow::Continue)
        })?;
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        let compare = |a: u32, b: u32, keys: usize| {
            compare_rows(&self.keys[..keys], rows.row(a as usize), rows.row(b as usize), rows.arena())
        };
        order.sort_by(|&a, &b| compare(a, b, self.keys.len()));
        let mut partitions = order.as_slice();
        while let Some(&first) = partitions.first() {
            let end = partitions
                .iter()
                .position(|&at| compare(first, at, self.partition_keys) != Ordering::Equal)
                .unwrap_or(partitions.len());
            if self.partition(&partitions[..end], &rows, rd, frame, sink)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
            partitions = &partitions[end..];
        }
        Ok(Flow::Continue)
    }

    /// One partition, peers together: rows that ORDER BY does not tell apart have the same rank and the same frame.
    fn partition(
        &self,
        order: &[u32],
        rows: &RowBuffer,
        rd: &Reader<'_>,
        frame: &mut Frame,
        sink: &mut Sink<'_>,
    ) -> Result<Flow, ExecError> {
        let mut accumulators: Vec<Option<Accumulator>> = self
            .calls
            .iter()
            .map(|call| match call.kind {
                WindowKind::Aggregate(kind, _, ty) => Some(Accumulator::new(kind, ty)),
                _ => None,
            })
            .collect();
        let (mut start, mut dense) = (0, 0);
        while start < order.len() {
            let row = |at: usize| rows.row(order[at] as usize);
            let mut end = start + 1;
            while end < order.len() && compare_rows(&self.keys, row(start), row(end), rows.arena()) == Ordering::Equal {
                end += 1;
            }
            dense += 1;
            for at in start..end {
                for (call, accumulator) in accumulators.iter_mut().enumerate() {
                    if let Some(accumulator) = accumulator {
                        accumulator.add(row(at)[self.keys.len() + call], rows.arena())?;
                    }
                }
            }
            for (at, &source) in order.iter().enumerate().take(end).skip(start) {
                rd.tick()?;
                let mark = frame.arena.mark();
                rows.load(source as usize, self.keys.len() + self.calls.len(), &self.carry, frame);
                for (call, accumulator) in self.calls.iter().zip(&accumulators) {
                    let datum = match (&call.kind, accumulator) {
                        (WindowKind::RowNumber, _) => Datum::int(at as i64 + 1),
                        (WindowKind::Rank, _) => Datum::int(start as i64 + 1),
                        (WindowKind::DenseRank, _) => Datum::int(dense),
                        (WindowKind::Aggregate(..), accumulator) => {
                            let accumulator = accumulator.as_ref().expect("made for each aggregate");
                            accumulator.finish(&mut frame.arena)?
                        }
                    };
                    frame.set(call.out, datum);
                }
                if sink(frame)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
                frame.arena.truncate(mark);
            }
            start = end;
        }
        Ok(Flow::Continue)
    }
}
