//! Runs the expressions that belong to a table (checks, index keys, view groups) on a row.

use super::layout::LongStrings;
use crate::expr::expr::Expr;
use crate::expr::{CompiledExpr, EvalError, NoHost};
use crate::types::{Arena, Datum, Frame, Reg};

/// An expression over the columns of one table: register `i` is column `i`.
#[derive(Clone, Debug)]
pub struct RowExpr {
    code: Code,
    /// Registers that it needs.
    registers: usize,
}

#[derive(Clone, Debug)]
enum Code {
    Column(usize),
    Compiled(CompiledExpr),
}

impl RowExpr {
    /// Of a table with `columns` columns.
    pub fn new(expr: &Expr, columns: usize) -> RowExpr {
        if let Some(column) = expr.as_reg() {
            return RowExpr { code: Code::Column(column as usize), registers: columns };
        }
        let mut next = columns;
        let compiled = CompiledExpr::compile(expr, &mut || {
            next += 1;
            Reg::try_from(next - 1).expect("an expression needs far fewer than 65536 registers")
        });
        RowExpr { code: Code::Compiled(compiled), registers: next }
    }

    /// The column, if this is nothing but one.
    pub fn column(&self) -> Option<usize> {
        match self.code {
            Code::Column(column) => Some(column),
            Code::Compiled(_) => None,
        }
    }
}

/// A row in registers, and the transaction's time.
#[derive(Default, Debug)]
pub struct Evaluator {
    frame: Frame,
    pub now: i64,
}

impl Evaluator {
    /// Makes `row` the row that `eval` is about.
    pub fn load(&mut self, row: &[Datum], long: &impl LongStrings) {
        self.frame.arena.truncate(0);
        self.frame.regs.clear();
        for &datum in row {
            let datum = if datum.is_long() && !datum.is_null() {
                let arena = &mut self.frame.arena;
                long.with_long(datum, |bytes| arena.store(bytes))
            } else {
                datum
            };
            self.frame.regs.push(datum);
        }
    }

    /// Makes a row of `columns` columns, all NULL, the row at hand; [`Evaluator::put`] fills it.
    pub fn start(&mut self, columns: usize) {
        self.frame.arena.truncate(0);
        self.frame.regs.clear();
        self.frame.regs.resize(columns, Datum::NULL);
    }

    /// Sets a column of the row at hand.
    pub fn put(&mut self, column: usize, datum: Datum, long: &impl LongStrings) {
        let arena = &mut self.frame.arena;
        self.frame.regs[column] =
            if datum.is_long() && !datum.is_null() { long.with_long(datum, |bytes| arena.store(bytes)) } else { datum };
    }

    /// A column of the row at hand.
    pub fn get(&self, column: usize) -> Datum {
        self.frame.regs[column]
    }

    /// The strings so far, to come back to by [`Evaluator::release`].
    pub fn mark(&self) -> usize {
        self.frame.arena.mark()
    }

    /// Forgets the strings since `mark`: no column that is still used may have one of them.
    pub fn release(&mut self, mark: usize) {
        self.frame.arena.truncate(mark);
    }

    /// The value for the row at hand; a long string is in [`Evaluator::arena`].
    pub fn eval(&mut self, expr: &RowExpr) -> Result<Datum, EvalError> {
        match &expr.code {
            Code::Column(column) => Ok(self.frame.regs[*column]),
            Code::Compiled(compiled) => {
                if self.frame.regs.len() < expr.registers {
                    self.frame.regs.resize(expr.registers, Datum::NULL);
                }
                compiled.eval(&mut self.frame, &mut NoHost { now: self.now })
            }
        }
    }

    pub fn arena(&self) -> &Arena {
        &self.frame.arena
    }
}

/// True if `expr` reads no column but those that are `known`.
pub fn reads_only(expr: &Expr, known: &[bool]) -> bool {
    if let Some(reg) = expr.as_reg() {
        return known[usize::from(reg)];
    }
    let mut only = true;
    expr.operands(&mut |operand| only = only && reads_only(operand, known));
    only
}
