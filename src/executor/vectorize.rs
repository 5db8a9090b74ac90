//! What of a plan can be done for many rows at once: conditions of a full scan, and aggregates right above one.

use crate::catalog::Catalog;
use crate::expr::AggregateKind;
use crate::expr::expr::{Comparison, Expr, ExprKind};
use crate::planner::plan::{Access, AggregateCall, Node, Scan};
use crate::storage::Outcomes;
use crate::types::{DataType, Reg};

/// A column of one lane against a value that is the same for the whole scan.
pub struct Test<'p> {
    pub column: usize,
    pub float: bool,
    pub outcomes: Outcomes,
    pub value: &'p Expr,
}

/// True for types whose datums have nothing in `hi`.
fn is_one_lane(ty: DataType) -> bool {
    ty.is_integer() || matches!(ty, DataType::Timestamp | DataType::Boolean | DataType::Float)
}

/// True for a join's key of one part that has one lane.
pub fn is_one_lane_key(key: &[Expr]) -> bool {
    matches!(key, [part] if is_one_lane(part.ty))
}

/// The column of `scan` that goes to the register that `expr` is.
fn column(scan: &Scan, expr: &Expr) -> Option<usize> {
    let reg = expr.as_reg()?;
    scan.columns.iter().find(|(_, to)| *to == reg).map(|(column, _)| *column)
}

/// The test that says the same as `condition`, which is one of those that all must be TRUE.
pub fn test<'p>(scan: &Scan, condition: &'p Expr) -> Option<Test<'p>> {
    let ExprKind::Compare { op, left, right } = &condition.kind else { return None };
    // A register that isn't the scan's own keeps its value while the scan runs.
    let is_constant = |expr: &Expr| match &expr.kind {
        ExprKind::Literal(_) => true,
        ExprKind::Reg(reg) => Some(*reg) != scan.row && column(scan, expr).is_none(),
        _ => false,
    };
    let (column, value, mirrored) = match (column(scan, left), column(scan, right)) {
        (Some(column), None) if is_constant(right) => (column, right, false),
        (None, Some(column)) if is_constant(left) => (column, left, true),
        _ => return None,
    };
    let float = left.ty == DataType::Float;
    if !is_one_lane(left.ty) || !is_one_lane(right.ty) || float != (right.ty == DataType::Float) {
        return None;
    }
    let (less, equal, greater) = match op {
        Comparison::Eq => (false, true, false),
        Comparison::NotEq => (true, false, true),
        Comparison::Lt => (true, false, false),
        Comparison::LtEq => (true, true, false),
        Comparison::Gt => (false, false, true),
        Comparison::GtEq => (false, true, true),
        Comparison::IsDistinct | Comparison::IsNotDistinct => return None,
    };
    let outcomes = match mirrored {
        false => Outcomes { less, equal, greater },
        true => Outcomes { less: greater, equal, greater: less },
    };
    Some(Test { column, float, outcomes, value })
}

/// An aggregation whose keys and arguments are columns of the table that is scanned right below.
pub struct ColumnAggregate {
    /// The table's column of each key.
    pub keys: Vec<usize>,
    /// The only key, of one lane.
    pub one_lane: bool,
    /// The column of each call's argument, and whether it has one lane; none for COUNT(*).
    pub arguments: Vec<Option<(usize, bool)>>,
}

/// The same aggregation over columns, if it is such a one.
pub fn aggregate(
    input: &Node,
    keys: &[(Reg, Expr)],
    calls: &[AggregateCall],
    catalog: &Catalog,
) -> Option<ColumnAggregate> {
    let Node::Scan(scan) = input else { return None };
    let tests_suffice = match &scan.filter {
        None => true,
        Some(Expr { kind: ExprKind::And(conjuncts), .. }) => conjuncts.iter().all(|c| test(scan, c).is_some()),
        Some(filter) => test(scan, filter).is_some(),
    };
    if !matches!(scan.access, Access::Full) || !tests_suffice || scan.row.is_some() {
        return None;
    }
    let table = catalog.table_by_id(scan.table);
    let is_one_lane = |column: usize| is_one_lane(table.columns[column].ty);
    let keys = keys.iter().map(|(_, key)| column(scan, key)).collect::<Option<Vec<usize>>>()?;
    let arguments = calls.iter().map(|call| {
        let known = matches!(
            call.kind,
            AggregateKind::CountStar
                | AggregateKind::Count
                | AggregateKind::Sum
                | AggregateKind::Avg
                | AggregateKind::Min
                | AggregateKind::Max
        );
        match &call.argument {
            _ if call.distinct || !known => None,
            None => Some(None),
            Some(argument) => column(scan, argument).map(|column| Some((column, is_one_lane(column)))),
        }
    });
    let arguments = arguments.collect::<Option<Vec<_>>>()?;
    let one_lane = keys.len() == 1 && is_one_lane(keys[0]);
    Some(ColumnAggregate { keys, one_lane, arguments })
}
