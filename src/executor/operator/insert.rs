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
        if matches!(self.source, Operator::One) && self.returning.is_none() {
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
        let mut places = Vec::new();
        for at in 0..rows.len() {
            let place = self.write(env, stores, rows.row(at), rows.arena())?;
            if self.returning.is_some() {
                places.push(place);
            }
        }
        match &self.returning {
            Some(returning) => returning.rows(self.table, &places, env, subplans, stores, frame).map(Answer::Rows),
            None => Ok(Answer::Modified(rows.len() as i64)),
        }
    }

    /// What [`Insert::direct`] is to be.
    pub fn is_direct(&self) -> bool {
        matches!(self.source, Operator::One)
            && self.spread
            && self.returning.is_none()
            && self.upsert.is_none()
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
