//! Aggregation right above a full scan, a batch of rows at a time: columns go from the rows' cells into the groups, and no
//! register is touched.

use super::TableScan;
use super::aggregate::{Aggregate, Gathered};
use crate::executor::key::{KeyMap, encode};
use crate::executor::lane_map::{LaneMap, NONE};
use crate::executor::vectorize::ColumnAggregate;
use crate::executor::{ExecError, Flow, Reader, RowBuffer};
use crate::expr::Accumulator;
use crate::storage::RowBatch;
use crate::types::{Datum, Frame};

/// Which group each row of a batch belongs to.
struct Groups<'a> {
    columns: &'a ColumnAggregate,
    /// Of the only key of one lane.
    by_lane: LaneMap,
    of_null: u32,
    /// Of any other keys.
    by_key: KeyMap<u32>,
    /// The keys of each group.
    keys: RowBuffer,
    /// The group of each row of the batch at hand.
    of_row: Vec<u32>,
    lanes: Vec<i64>,
    nulls: Vec<bool>,
    key: Vec<u8>,
}

impl Groups<'_> {
    fn assign(&mut self, batch: &RowBatch<'_>, frame: &mut Frame) {
        self.of_row.clear();
        match self.columns.one_lane {
            true => self.assign_by_lane(batch, frame),
            false => self.assign_by_key(batch, frame),
        }
    }

    fn assign_by_lane(&mut self, batch: &RowBatch<'_>, frame: &Frame) {
        batch.ints(self.columns.keys[0], &mut self.lanes, &mut self.nulls);
        for (at, &lane) in self.lanes.iter().enumerate() {
            let is_null = self.nulls.get(at).is_some_and(|&null| null);
            let mut group = if is_null { self.of_null } else { self.by_lane.get(lane) };
            if group == NONE {
                group = self.keys.len() as u32;
                let datum = if is_null { Datum::NULL } else { Datum { lo: lane as u64, hi: 0 } };
                self.keys.begin();
                self.keys.add(datum, &frame.arena);
                match is_null {
                    true => self.of_null = group,
                    false => drop(self.by_lane.replace(lane, group)),
                }
            }
            self.of_row.push(group);
        }
    }

    fn assign_by_key(&mut self, batch: &RowBatch<'_>, frame: &mut Frame) {
        for at in 0..batch.len() {
            let mark = frame.arena.mark();
            self.key.clear();
            for &column in &self.columns.keys {
                let datum = batch.load(at, column, &mut frame.arena);
                encode(&mut self.key, datum, &frame.arena);
            }
            let group = match self.by_key.get(self.key.as_slice()) {
                Some(&group) => group,
                None => {
                    let group = self.keys.len() as u32;
                    self.by_key.insert(self.key.as_slice().into(), group);
                    self.keys.begin();
                    for &column in &self.columns.keys {
                        let datum = batch.load(at, column, &mut frame.arena);
                        self.keys.add(datum, &frame.arena);
                    }
                    group
                }
            };
            self.of_row.push(group);
            frame.arena.truncate(mark);
        }
    }
}

impl Aggregate {
    /// As `gather`, over batches of `scan`.
    pub(super) fn gather_batches(
        &self,
        columns: &ColumnAggregate,
        scan: &TableScan,
        rd: &Reader<'_>,
        frame: &mut Frame,
    ) -> Result<Gathered, ExecError> {
        let mut groups = Groups {
            columns,
            by_lane: LaneMap::with_capacity(0),
            of_null: NONE,
            by_key: KeyMap::default(),
            keys: RowBuffer::new(self.keys.len()),
            of_row: Vec::new(),
            lanes: Vec::new(),
            nulls: Vec::new(),
            key: Vec::new(),
        };
        // Group by group, one for each call.
        let mut accumulators: Vec<Accumulator> = Vec::new();
        if self.keys.is_empty() {
            groups.keys.begin();
            accumulators.extend(self.accumulators());
        }
        scan.batches(rd, frame, &mut |_, batch, frame| {
            if !self.keys.is_empty() {
                groups.assign(batch, frame);
                while accumulators.len() < groups.keys.len() * self.calls.len() {
                    accumulators.extend(self.accumulators());
                }
            }
            for (call, argument) in columns.arguments.iter().enumerate() {
                self.take_in(call, *argument, batch, &mut groups, &mut accumulators, frame)?;
            }
            Ok(Flow::Continue)
        })?;
        Ok(Gathered::of_accumulators(accumulators, self.calls.len(), groups.keys))
    }

    fn take_in(
        &self,
        call: usize,
        argument: Option<(usize, bool)>,
        batch: &RowBatch<'_>,
        groups: &mut Groups<'_>,
        accumulators: &mut [Accumulator],
        frame: &mut Frame,
    ) -> Result<(), ExecError> {
        let Groups { of_row, lanes, nulls, .. } = groups;
        let calls = self.calls.len();
        match argument {
            None if self.keys.is_empty() => accumulators[call].add_rows(batch.len()),
            None => of_row.iter().for_each(|&group| accumulators[group as usize * calls + call].add_rows(1)),
            Some((column, true)) => {
                batch.ints(column, lanes, nulls);
                if self.keys.is_empty() {
                    accumulators[call].add_lanes(lanes, nulls)?;
                } else {
                    for (at, (&group, &lane)) in of_row.iter().zip(lanes.iter()).enumerate() {
                        if !nulls.get(at).is_some_and(|&null| null) {
                            let datum = Datum { lo: lane as u64, hi: 0 };
                            accumulators[group as usize * calls + call].add(datum, &frame.arena)?;
                        }
                    }
                }
            }
            Some((column, false)) => {
                for at in 0..batch.len() {
                    let mark = frame.arena.mark();
                    let datum = batch.load(at, column, &mut frame.arena);
                    let group = of_row.get(at).map_or(0, |&group| group as usize);
                    accumulators[group * calls + call].add(datum, &frame.arena)?;
                    frame.arena.truncate(mark);
                }
            }
        }
        Ok(())
    }
}
