//! INSERT and UPSERT.

use super::modify::Returning;
use super::{Flow, Operator};
use crate::catalog::TableId;
use crate::executor::program::{Answer, Environment, Subplan};
use crate::executor::reader::owner;
use crate::executor::shortcut::Shortcut;
use crate::executor::{ExecError, Reader, RowBuffer};
use crate::expr::CompiledExpr;
use crate::storage::{RowId, Store};
use crate::types::{Arena, DataType, Datum, Frame, Reg};

pub struct Insert {
    pub table: TableId,
    pub source: Operator,
    /// One expression per column; their values go to the registers from `first` on.
    pub row: Vec<RowValue>,
    pub first: Reg,
    pub spread: bool,
    /// Column and type.
    pub partition: Option<(usize, DataType)>,
    pub upsert: Option<Upsert>,
    pub conflict: Option<OnConflict>,
    pub returning: Option<Returning>,
    /// [`Insert::run_direct`] may be used at one partition: one row of values that need no program, and nothing else to
    /// do.
    pub direct: bool,
}

/// The value of a column.
pub struct RowValue {
    pub shortcut: Option<Shortcut>,
    pub expr: CompiledExpr,
}

/// Where a row with the same primary key exists, only these columns change.
pub struct Upsert {
    pub index: usize,
    pub key: Vec<usize>,
    pub columns: Vec<usize>,
}

/// What is done where a row has one of these keys already.
pub struct OnConflict {
    /// Unique indexes, and the columns of each.
    pub keys: Vec<(usize, Vec<usize>)>,
    /// None: nothing.
    pub update: Option<ConflictUpdate>,
}

/// See `plan::ConflictUpdate`.
pub struct ConflictUpdate {
    pub existing: Vec<(usize, Reg)>,
    pub proposed: Vec<(usize, Reg)>,
    pub assignments: Vec<(usize, CompiledExpr)>,
    pub filter: Option<CompiledExpr>,
}

impl Insert {
    pub fn run(
        &self,
        env: &Environment<'_>,
        subplans: &[Subplan],
        stores: &mut [&mut Store],
        frame: &mut Frame,
    ) -> Result<Answer, ExecError> {
        let width = self.row.len();
        let range = self.first as usize..self.first as usize + width;
        if matches!(self.source, Operator::One) && self.returning.is_none() && self.conflict.is_none() {
            self.eval_one_row(env, subplans, stores, frame)?;
            self.write(env, stores, &frame.regs[range], &frame.arena)?;
            return Ok(Answer::Modified(1));
        }
        let mut rows = RowBuffer::new(width);
        let regs: Vec<Reg> = range.map(|reg| reg as Reg).collect();
        let rd = Reader::new(stores, env.hashinator, env.now, env.limits, subplans);
        self.source.run(&rd, frame, &mut |frame| {
            self.eval_row(&rd, frame)?;
            rows.push(&regs, frame);
            Ok(Flow::Continue)
        })?;
        let (mut places, mut written) = (Vec::new(), 0);
        for at in 0..rows.len() {
            let place = match self.conflicting(env, stores, rows.row(at), rows.arena()) {
                None => self.write(env, stores, rows.row(at), rows.arena())?,
                Some((store, row)) => {
                    let there = (store, row);
                    if !self.settle(there, (rows.row(at), rows.arena()), env, subplans, stores, frame)? {
                        continue;
                    }
                    there
                }
            };
            written += 1;
            if self.returning.is_some() {
                places.push(place);
            }
        }
        match &self.returning {
            Some(returning) => returning.rows(self.table, &places, env, subplans, stores, frame).map(Answer::Rows),
            None => Ok(Answer::Modified(written)),
        }
    }

    /// The row that has a key of `row` already, if ON CONFLICT means that key: its store and id.
    fn conflicting(
        &self,
        env: &Environment<'_>,
        stores: &[&mut Store],
        row: &[Datum],
        arena: &Arena,
    ) -> Option<(usize, RowId)> {
        let conflict = self.conflict.as_ref()?;
        let store = match self.partition {
            // A unique key of a partitioned table has its partition column.
            Some((column, ty)) if self.spread && stores.len() > 1 => {
                owner(env.hashinator, row[column], ty, arena).index()
            }
            _ => 0,
        };
        let table = stores[store].table(self.table);
        conflict.keys.iter().find_map(|(index, columns)| {
            let key: Vec<Datum> = columns.iter().map(|&column| row[column]).collect();
            table.find(*index, &key, arena).map(|found| (store, found))
        })
    }

    /// ON CONFLICT for a row that is there and one that was to be inserted. False: nothing was changed.
    fn settle(
        &self,
        (store, row): (usize, RowId),
        (proposed, arena): (&[Datum], &Arena),
        env: &Environment<'_>,
        subplans: &[Subplan],
        stores: &mut [&mut Store],
        frame: &mut Frame,
    ) -> Result<bool, ExecError> {
        let Some(update) = self.conflict.as_ref().and_then(|conflict| conflict.update.as_ref()) else {
            return Ok(false);
        };
        let mark = frame.arena.mark();
        for &(column, reg) in &update.existing {
            let datum = stores[store].table(self.table).load(row, column, &mut frame.arena);
            frame.set(reg, datum);
        }
        for &(column, reg) in &update.proposed {
            let datum = frame.arena.adopt(proposed[column], arena);
            frame.set(reg, datum);
        }
        let rd = Reader::new(stores, env.hashinator, env.now, env.limits, subplans);
        if let Some(filter) = &update.filter
            && !rd.is_true(filter, frame)?
        {
            frame.arena.truncate(mark);
            return Ok(false);
        }
        let mut strings = Arena::default();
        let table = rd.table(store, self.table);
        let mut columns: Vec<Datum> = (0..proposed.len()).map(|column| table.load(row, column, &mut strings)).collect();
        for (column, expr) in &update.assignments {
            let datum = rd.eval(expr, frame)?;
            columns[*column] = strings.adopt(datum, &frame.arena);
        }
        frame.arena.truncate(mark);
        // Copies of a replicated table went through the same changes: a row has the same place in each.
        let holders = if self.spread { store..store + 1 } else { 0..stores.len() };
        for holder in holders {
            stores[holder].update(self.table, row, &columns, &strings, env.now)?;
        }
        Ok(true)
    }

    /// What [`Insert::direct`] is to be.
    pub fn is_direct(&self) -> bool {
        matches!(self.source, Operator::One)
            && self.spread
            && self.returning.is_none()
            && self.upsert.is_none()
            && self.conflict.is_none()
            && self.row.iter().all(|value| value.shortcut.is_some())
    }

    /// As [`Insert::run`] at one partition, if it is direct.
    #[inline(always)]
    pub fn run_direct(&self, env: &Environment<'_>, store: &mut Store, frame: &mut Frame) -> Result<(), ExecError> {
        for (at, value) in self.row.iter().enumerate() {
            let Some(shortcut) = &value.shortcut else { unreachable!("a direct insert has nothing else") };
            let datum = shortcut.value(store, frame);
            frame.set(self.first + at as Reg, datum);
        }
        let row = &frame.regs[self.first as usize..][..self.row.len()];
        if let Some((column, ty)) = self.partition
            && env.hashinator.partitions() > 1
        {
            let at = owner(env.hashinator, row[column], ty, &frame.arena).index();
            if store.partition().index() != at {
                return Err(self.mispartitioned(&[store], at));
            }
        }
        match store.insert(self.table, row, &frame.arena, env.now) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    #[inline(always)]
    fn eval_one_row(
        &self,
        env: &Environment<'_>,
        subplans: &[Subplan],
        stores: &[&mut Store],
        frame: &mut Frame,
    ) -> Result<(), ExecError> {
        let single = stores.len() == 1;
        for (at, value) in self.row.iter().enumerate() {
            let datum = match &value.shortcut {
                Some(shortcut) if single || shortcut.is_local() => shortcut.value(stores[0], frame),
                _ => Reader::new(stores, env.hashinator, env.now, env.limits, subplans).eval(&value.expr, frame)?,
            };
            frame.set(self.first + at as Reg, datum);
        }
        Ok(())
    }

    fn eval_row(&self, rd: &Reader<'_>, frame: &mut Frame) -> Result<(), ExecError> {
        for (at, value) in self.row.iter().enumerate() {
            let datum = rd.eval(&value.expr, frame)?;
            frame.set(self.first + at as Reg, datum);
        }
        Ok(())
    }

    /// Writes one row where it belongs; gives its place.
    #[inline(always)]
    fn write(
        &self,
        env: &Environment<'_>,
        stores: &mut [&mut Store],
        row: &[Datum],
        arena: &Arena,
    ) -> Result<(usize, RowId), ExecError> {
        let partitions = env.hashinator.partitions() as usize;
        if !self.spread {
            if stores.len() != partitions {
                return Err(self.replicated(stores));
            }
            let mut place = RowId(0);
            for store in stores.iter_mut() {
                place = self.put(store, row, arena, env.now)?;
            }
            return Ok((0, place));
        }
        let at = match self.partition {
            Some((column, ty)) if partitions > 1 => owner(env.hashinator, row[column], ty, arena).index(),
            _ => 0,
        };
        if stores.len() == partitions {
            return Ok((at, self.put(stores[at], row, arena, env.now)?));
        }
        if stores[0].partition().index() != at {
            return Err(self.mispartitioned(stores, at));
        }
        Ok((0, self.put(stores[0], row, arena, env.now)?))
    }

    #[inline(always)]
    fn put(&self, store: &mut Store, row: &[Datum], arena: &Arena, now: i64) -> Result<RowId, ExecError> {
        match &self.upsert {
            None => Ok(store.insert(self.table, row, arena, now)?),
            Some(upsert) => self.upsert(upsert, store, row, arena, now),
        }
    }

    fn upsert(
        &self,
        upsert: &Upsert,
        store: &mut Store,
        row: &[Datum],
        arena: &Arena,
        now: i64,
    ) -> Result<RowId, ExecError> {
        let key: Vec<Datum> = upsert.key.iter().map(|&column| row[column]).collect();
        let table = store.table(self.table);
        let Some(found) = table.find(upsert.index, &key, arena) else {
            return Ok(store.insert(self.table, row, arena, now)?);
        };
        let mut changed = Arena::default();
        let columns: Vec<Datum> = (0..row.len())
            .map(|column| match upsert.columns.contains(&column) {
                true => changed.adopt(row[column], arena),
                false => table.load(found, column, &mut changed),
            })
            .collect();
        store.update(self.table, found, &columns, &changed, now)?;
        Ok(found)
    }

    #[cold]
    fn replicated(&self, stores: &[&mut Store]) -> ExecError {
        ExecError::ReplicatedWrite { table: stores[0].table(self.table).def().name.to_string() }
    }
    #[cold]
    fn mispartitioned(&self, stores: &[&mut Store], owner: usize) -> ExecError {
        ExecError::Mispartitioned {
            table: stores[0].table(self.table).def().name.to_string(),
            owner: crate::topology::PartitionId(owner as u32),
            here: stores[0].partition(),
        }
    }
}
