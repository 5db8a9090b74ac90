//! Materialized views over inner joins: what a change of one table's row adds to the view, and takes from it.
//!
//! A row of the join is the columns of all tables one after the other. What a base row stands for is found by joining it
//! with the other tables as they are, step by step: by an index where a condition gives its key, else by a scan.

use super::eval::{Evaluator, RowExpr};
use super::heap::RowId;
use super::layout::LongStrings;
use super::table::Table;
use super::view::{GeneralView, ViewInput};
use crate::catalog::{self, Catalog};
use crate::expr::EvalError;
use crate::expr::expr::{Comparison, Expr, ExprKind};
use crate::types::{Arena, DataType, Datum, Reg};

pub struct JoinView {
    /// Filter, groups and aggregates over the rows of the join.
    pub view: GeneralView,
    /// Of the joined row.
    columns: usize,
    /// Position of the changing table's columns in it.
    offset: usize,
    /// What the changing table's rows must fulfil by themselves.
    own: Box<[RowExpr]>,
    /// The other tables, in the order in which they are joined.
    steps: Box<[Step]>,
}

/// One more table of the join.
struct Step {
    /// Its position in the store.
    table: usize,
    offset: usize,
    columns: usize,
    /// An index, and the columns of the joined row that are its key.
    index: Option<(usize, Box<[usize]>)>,
    /// Conditions that can be tested from here on.
    conditions: Box<[RowExpr]>,
}

type Tables = [Option<Box<Table>>];

const GONE: &str = "the tables of a join view are there";

impl JoinView {
    /// For the view `def`, as its source number `changing` changes.
    pub fn new(def: &catalog::Table, changing: usize, catalog: &Catalog) -> JoinView {
        let view = def.view.as_ref().expect("a view");
        let sources: Vec<&catalog::Table> = view.sources().map(|id| catalog.table_by_id(id).as_ref()).collect();
        let mut offsets = Vec::with_capacity(sources.len());
        let mut columns = 0;
        for source in &sources {
            offsets.push(columns);
            columns += source.columns.len();
        }
        let mut terms: Vec<&Expr> = match &view.filter {
            Some(Expr { kind: ExprKind::And(terms), .. }) => terms.iter().collect(),
            filter => filter.iter().collect(),
        };
        let mut known = vec![false; columns];
        let know = |known: &mut Vec<bool>, at: usize| known[offsets[at]..][..sources[at].columns.len()].fill(true);
        know(&mut known, changing);
        let own = testable(&mut terms, &known, columns);
        let mut left: Vec<usize> = (0..sources.len()).filter(|&at| at != changing).collect();
        let mut steps = Vec::new();
        while !left.is_empty() {
            // A table that an index leads to, before those that must be scanned.
            let found = left.iter().enumerate().find_map(|(i, &at)| {
                Some((i, index_of(sources[at], offsets[at], &terms, &known, &sources, &offsets)?))
            });
            let (i, index) = found.map_or((0, None), |(i, index)| (i, Some(index)));
            let at = left.remove(i);
            know(&mut known, at);
            steps.push(Step {
                table: sources[at].id.0 as usize,
                offset: offsets[at],
                columns: sources[at].columns.len(),
                index,
                conditions: testable(&mut terms, &known, columns),
            });
        }
        JoinView {
            view: GeneralView::over(def, view, columns, &|_, _| None),
            columns,
            offset: offsets[changing],
            own,
            steps: steps.into(),
        }
    }

    /// Calls `f` with what each row of the join that `row` is part of means to the view.
    pub fn for_row(
        &self,
        tables: &Tables,
        row: &[Datum],
        long: &impl LongStrings,
        evaluator: &mut Evaluator,
        f: &mut dyn FnMut(&ViewInput),
    ) -> Result<(), EvalError> {
        evaluator.start(self.columns);
        for (at, &datum) in row.iter().enumerate() {
            evaluator.put(self.offset + at, datum, long);
        }
        let mut input = ViewInput::default();
        if self.all_true(&self.own, evaluator)? { self.step(tables, 0, evaluator, &mut input, f) } else { Ok(()) }
    }

    /// Calls `f` with what each row of the whole join means to the view; `base` is the changing table.
    pub fn for_all(
        &self,
        tables: &Tables,
        base: usize,
        evaluator: &mut Evaluator,
        f: &mut dyn FnMut(&ViewInput),
    ) -> Result<(), EvalError> {
        let base = tables[base].as_deref().expect(GONE);
        let mut row = Vec::new();
        let mut next = base.first_row();
        while let Some(id) = next {
            base.load_row(id, &mut row);
            self.for_row(tables, &row, base.rows().strings, evaluator, f)?;
            next = base.next_row(id);
        }
        Ok(())
    }

    fn all_true(&self, conditions: &[RowExpr], evaluator: &mut Evaluator) -> Result<bool, EvalError> {
        for condition in conditions {
            if !evaluator.eval(condition)?.is_true() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn step(
        &self,
        tables: &Tables,
        number: usize,
        evaluator: &mut Evaluator,
        input: &mut ViewInput,
        f: &mut dyn FnMut(&ViewInput),
    ) -> Result<(), EvalError> {
        let Some(step) = self.steps.get(number) else {
            self.view.joined_input(evaluator, input)?;
            f(input);
            return Ok(());
        };
        let table = tables[step.table].as_deref().expect(GONE);
        let mut row = Vec::new();
        let mut visit = |id: RowId, evaluator: &mut Evaluator| -> Result<(), EvalError> {
            let mark = evaluator.mark();
            table.load_row(id, &mut row);
            for (at, &datum) in row.iter().enumerate() {
                evaluator.put(step.offset + at, datum, table.rows().strings);
            }
            debug_assert_eq!(row.len(), step.columns);
            if self.all_true(&step.conditions, evaluator)? {
                self.step(tables, number + 1, evaluator, input, f)?;
            }
            evaluator.release(mark);
            Ok(())
        };
        match &step.index {
            Some((index, key)) => {
                let mut arena = Arena::default();
                let key: Vec<Datum> = key.iter().map(|&at| arena.adopt(evaluator.get(at), evaluator.arena())).collect();
                let mut found = Vec::new();
                table.for_each_equal(*index, &key, &arena, &mut |id| {
                    found.push(id);
                    true
                });
                found.into_iter().try_for_each(|id| visit(id, evaluator))
            }
            None => {
                let mut next = table.first_row();
                while let Some(id) = next {
                    visit(id, evaluator)?;
                    next = table.next_row(id);
                }
                Ok(())
            }
        }
    }
}

/// Takes those of `terms` that read nothing but known columns.
fn testable(terms: &mut Vec<&Expr>, known: &[bool], columns: usize) -> Box<[RowExpr]> {
    let (now, later) = terms.iter().partition(|term| super::eval::reads_only(term, known));
    *terms = later;
    let now: Vec<&Expr> = now;
    now.into_iter().map(|term| RowExpr::new(term, columns)).collect()
}

/// An index of `table` whose whole key is given by equalities with known columns of the same type.
fn index_of(
    table: &catalog::Table,
    offset: usize,
    terms: &[&Expr],
    known: &[bool],
    sources: &[&catalog::Table],
    offsets: &[usize],
) -> Option<(usize, Box<[usize]>)> {
    let type_at = |at: usize| -> DataType {
        let source = (0..sources.len()).rfind(|&s| offsets[s] <= at).expect("the first starts at 0");
        sources[source].columns[at - offsets[source]].ty
    };
    // Integers are the same datums whatever their width, texts whatever their length.
    let alike = |a: DataType, b: DataType| a == b || (a.is_integer() && b.is_integer()) || (a.is_text() && b.is_text());
    let value_of = |column: usize| -> Option<usize> {
        let wanted = (offset + column) as Reg;
        terms.iter().find_map(|term| {
            let ExprKind::Compare { op: Comparison::Eq, left, right } = &term.kind else { return None };
            let (left, right) = (left.as_reg()?, right.as_reg()?);
            let other = usize::from(if left == wanted { right } else { Some(left).filter(|_| right == wanted)? });
            (known[other] && alike(type_at(other), table.columns[column].ty)).then_some(other)
        })
    };
    table.indexes.iter().enumerate().find_map(|(at, index)| {
        let columns = index.columns().filter(|_| index.filter.is_none())?;
        let key: Option<Box<[usize]>> = columns.into_iter().map(value_of).collect();
        key.map(|key| (at, key))
    })
}
