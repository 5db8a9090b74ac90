//! The commonest forms of an expression, recognised when a program is compiled: a register, a constant, and a look-up by
//! a unique key of one integer: alone, with a default, in EXISTS, compared with a register.
//!
//! They mean just what the general code means, and skip its layers: of a transaction like Vote, those were half of all
//! instructions. They apply at one partition; a transaction on all takes the general way.

use crate::catalog::{Catalog, TableId};
use crate::expr::expr::{Arithmetic, Comparison, Expr, ExprKind};
use crate::planner::plan::{Access, Node, Plan, SubqueryKind};
use crate::storage::Store;
use crate::types::{DataType, Datum, Frame, INLINE_MAX, Reg, Value};

/// A value or condition that needs no program.
#[derive(Clone, Copy, Debug)]
pub enum Shortcut {
    Register(Reg),
    Constant(Datum),
    /// The column of the row, or `otherwise` if there is no row or it is NULL.
    Column {
        lookup: Lookup,
        column: usize,
        otherwise: Datum,
    },
    /// Whether there is a row, or, if not `wanted`, none.
    Exists {
        lookup: Lookup,
        wanted: bool,
    },
    /// An integer column of the row against a register: not TRUE if either is NULL.
    Compare {
        lookup: Lookup,
        column: usize,
        otherwise: Datum,
        op: Comparison,
        with: Reg,
    },
}

/// A row by a unique index of one integer column.
#[derive(Clone, Copy, Debug)]
pub struct Lookup {
    table: TableId,
    index: usize,
    key: Reg,
    /// The key is the register divided by this; 1: the register itself. Neither 0 nor -1.
    divisor: i64,
}

impl Lookup {
    #[inline(always)]
    fn find(&self, store: &Store, frame: &Frame) -> Option<crate::storage::RowId> {
        let key = frame.get(self.key);
        if key.is_null() {
            return None;
        }
        let key = if self.divisor == 1 { key.as_i64() } else { key.as_i64() / self.divisor };
        store.table(self.table).find_integer(self.index, key)
    }

    #[inline(always)]
    fn column(&self, column: usize, otherwise: Datum, store: &Store, frame: &mut Frame) -> Datum {
        match self.find(store, frame) {
            Some(row) => {
                let datum = store.table(self.table).load(row, column, &mut frame.arena);
                if datum.is_null() { otherwise } else { datum }
            }
            None => otherwise,
        }
    }
}

impl Shortcut {
    /// The value, at one partition.
    #[inline(always)]
    pub fn value(&self, store: &Store, frame: &mut Frame) -> Datum {
        match self {
            Shortcut::Register(reg) => frame.get(*reg),
            Shortcut::Constant(datum) => *datum,
            Shortcut::Column { lookup, column, otherwise } => lookup.column(*column, *otherwise, store, frame),
            Shortcut::Exists { .. } | Shortcut::Compare { .. } => Datum::bool(self.is_true(store, frame)),
        }
    }

    /// Whether it is TRUE, at one partition.
    #[inline(always)]
    pub fn is_true(&self, store: &Store, frame: &mut Frame) -> bool {
        match self {
            Shortcut::Exists { lookup, wanted } => lookup.find(store, frame).is_some() == *wanted,
            Shortcut::Compare { lookup, column, otherwise, op, with } => {
                let left = lookup.column(*column, *otherwise, store, frame);
                let right = frame.get(*with);
                if left.is_null() || right.is_null() {
                    return false;
                }
                let (left, right) = (left.as_i64(), right.as_i64());
                match op {
                    Comparison::Eq | Comparison::IsNotDistinct => left == right,
                    Comparison::NotEq | Comparison::IsDistinct => left != right,
                    Comparison::Lt => left < right,
                    Comparison::LtEq => left <= right,
                    Comparison::Gt => left > right,
                    Comparison::GtEq => left >= right,
                }
            }
            other => other.value(store, frame).is_true(),
        }
    }

    /// True if it reads no row: then it holds on all partitions, too.
    pub fn is_local(&self) -> bool {
        matches!(self, Shortcut::Register(_) | Shortcut::Constant(_))
    }

    /// The shortcut for a value.
    pub fn of_value(expr: &Expr, plan: &Plan, catalog: &Catalog) -> Option<Shortcut> {
        match &expr.kind {
            ExprKind::Reg(reg) => Some(Shortcut::Register(*reg)),
            ExprKind::Literal(value) => constant(value).map(Shortcut::Constant),
            ExprKind::Subquery { .. } => {
                let (lookup, column, _) = scalar(expr, plan, catalog)?;
                Some(Shortcut::Column { lookup, column, otherwise: Datum::NULL })
            }
            ExprKind::Coalesce(values) => {
                let [first, Expr { kind: ExprKind::Literal(value), .. }] = values.as_slice() else { return None };
                let (lookup, column, _) = scalar(first, plan, catalog)?;
                Some(Shortcut::Column { lookup, column, otherwise: constant(value)? })
            }
            _ => None,
        }
    }

    /// The shortcut for a condition, of which only matters whether it is TRUE.
    pub fn of_condition(expr: &Expr, plan: &Plan, catalog: &Catalog) -> Option<Shortcut> {
        match &expr.kind {
            ExprKind::Not(inner) => match Shortcut::of_condition(inner, plan, catalog)? {
                Shortcut::Exists { lookup, wanted } => Some(Shortcut::Exists { lookup, wanted: !wanted }),
                _ => None,
            },
            ExprKind::Subquery { index, .. } => {
                let subquery = &plan.subqueries[*index];
                let SubqueryKind::Exists = subquery.kind else { return None };
                let (lookup, _) = self::lookup(&subquery.root, catalog)?;
                Some(Shortcut::Exists { lookup, wanted: true })
            }
            ExprKind::Compare { op, left, right } if right.as_reg().is_some() && right.ty.is_integer() => {
                // NULL-safe comparisons are not what is done here with NULL.
                if matches!(op, Comparison::IsDistinct | Comparison::IsNotDistinct) {
                    return None;
                }
                let (lookup, column, ty, otherwise) = match &left.kind {
                    ExprKind::Coalesce(values) => {
                        let [first, Expr { kind: ExprKind::Literal(value), .. }] = values.as_slice() else {
                            return None;
                        };
                        let (lookup, column, ty) = scalar(first, plan, catalog)?;
                        (lookup, column, ty, constant(value)?)
                    }
                    _ => {
                        let (lookup, column, ty) = scalar(left, plan, catalog)?;
                        (lookup, column, ty, Datum::NULL)
                    }
                };
                let with = right.as_reg()?;
                ty.is_integer().then_some(Shortcut::Compare { lookup, column, otherwise, op: *op, with })
            }
            _ => None,
        }
    }
}

/// A value that lies in a datum.
fn constant(value: &Value) -> Option<Datum> {
    match value {
        Value::Text(text) if text.len() <= INLINE_MAX => Some(Datum::short(text.as_bytes())),
        Value::Text(_) | Value::Bytes(_) => None,
        value => Some(Frame::default().datum(value)),
    }
}

/// A scalar subquery that looks one column up: the look-up, the column and its type.
fn scalar(expr: &Expr, plan: &Plan, catalog: &Catalog) -> Option<(Lookup, usize, DataType)> {
    let ExprKind::Subquery { index, .. } = expr.kind else { return None };
    let subquery = &plan.subqueries[index];
    let SubqueryKind::Scalar { value } = subquery.kind else { return None };
    let (lookup, columns) = lookup(&subquery.root, catalog)?;
    let &(column, _) = columns.iter().find(|(_, reg)| *reg == value)?;
    Some((lookup, column, catalog.table_by_id(lookup.table).columns[column].ty))
}

/// A scan of one row by a unique key of one integer, without a further condition.
fn lookup<'p>(node: &'p Node, catalog: &Catalog) -> Option<(Lookup, &'p [(usize, Reg)])> {
    let Node::Scan(scan) = node else { return None };
    let Access::Equal { index, key, unique: true } = &scan.access else { return None };
    let ([key], None, None) = (key.as_slice(), &scan.filter, scan.row) else { return None };
    let def = &catalog.table_by_id(scan.table).indexes[*index];
    if !def.keys[0].ty.is_integer() || !key.ty.is_integer() {
        return None;
    }
    let (key, divisor) = match &key.kind {
        ExprKind::Reg(reg) => (*reg, 1),
        ExprKind::Arithmetic { op: Arithmetic::Divide, left, right } => match &right.kind {
            ExprKind::Literal(Value::Int(k)) if !matches!(k, -1..=1) => (left.as_reg()?, *k),
            _ => return None,
        },
        _ => return None,
    };
    Some((Lookup { table: scan.table, index: *index, key, divisor }, &scan.columns))
}
