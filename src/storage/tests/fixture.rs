//! A schema with every kind of index and view, and a generator of random rows.

use crate::catalog::*;
use crate::expr::expr::{Arithmetic, Comparison, Expr, ExprKind};
use crate::storage::{RowId, Store, Table as Stored};
use crate::topology::PartitionId;
use crate::types::{Arena, DataType, Datum, Frame, Name, Value, datum_value};
use std::sync::Arc;

pub const BASE: TableId = TableId(0);
pub const ID: usize = 0;
pub const A: usize = 1;
pub const S: usize = 2;
pub const TEXT: usize = 3;
pub const AMOUNT: usize = 4;
pub const F: usize = 5;
pub const TYPES: [(&str, DataType, bool); 6] = [
    ("id", DataType::BigInt, false),
    ("a", DataType::Integer, true),
    ("s", DataType::Varchar { max: 2, bytes: false }, true),
    ("text", DataType::Varchar { max: 100, bytes: false }, true),
    ("amount", DataType::Decimal, true),
    ("f", DataType::SmallInt, false),
];

pub fn col(at: usize) -> Expr {
    Expr::reg(at as u16, TYPES[at].1, TYPES[at].2)
}

pub fn compare(op: Comparison, left: Expr, right: Expr) -> Expr {
    let nullable = left.nullable || right.nullable;
    let kind = ExprKind::Compare { op, left: Box::new(left), right: Box::new(right) };
    Expr { kind, ty: DataType::Boolean, nullable }
}

pub fn modulo(left: Expr, right: i64) -> Expr {
    let kind = ExprKind::Arithmetic { op: Arithmetic::Modulo, left: Box::new(left), right: Box::new(Expr::int(right)) };
    Expr { kind, ty: DataType::BigInt, nullable: false }
}

pub fn index(name: &str, kind: IndexKind, unique: bool, keys: Vec<Expr>, filter: Option<Expr>) -> Arc<Index> {
    let keys = keys.into_iter().map(|expr| Key { column: expr.as_reg().map(usize::from), ty: expr.ty, expr }).collect();
    Arc::new(Index { name: Name::new(name), kind, unique, assume_unique: false, constraint: unique, keys, filter })
}

/// Indexes of the base table, by position.
pub fn base_indexes() -> Vec<Arc<Index>> {
    use IndexKind::*;
    vec![
        index("pk", Hash, true, vec![col(ID)], None),
        index("u_a_s", Ordered, true, vec![col(A), col(S)], None),
        index("h_s", Hash, false, vec![col(S)], None),
        index("o_f_text", Ordered, false, vec![col(F), col(TEXT)], None),
        index("o_mod", Ordered, false, vec![modulo(col(ID), 3)], None),
        index(
            "u_text_small_f",
            Hash,
            true,
            vec![col(TEXT), col(F)],
            Some(compare(Comparison::Lt, col(F), Expr::int(3))),
        ),
        index("o_amount", Ordered, false, vec![col(AMOUNT)], None),
        index("h_text_f", Hash, false, vec![col(TEXT), col(F)], None),
    ]
}

fn column(name: &str, ty: DataType, nullable: bool) -> Column {
    Column { name: Name::new(name), ty, nullable, default: None }
}

fn plain(id: TableId, name: &str, columns: Vec<Column>) -> Table {
    Table {
        id,
        name: Name::new(name),
        visible: columns.len(),
        columns,
        partition_column: None,
        spread: true,
        primary_key: None,
        indexes: Vec::new(),
        checks: Vec::new(),
        view: None,
        views: Vec::new(),
        ttl: None,
    }
}

pub fn base(views: &[TableId]) -> Table {
    let check = Check {
        name: Name::new("no_13"),
        predicate: compare(Comparison::NotEq, col(F), Expr::int(13)),
        text: String::from("f <> 13"),
    };
    let columns = TYPES.iter().map(|&(name, ty, nullable)| column(name, ty, nullable)).collect();
    Table {
        primary_key: Some(0),
        indexes: base_indexes(),
        checks: vec![check],
        views: views.to_vec(),
        ..plain(BASE, "base", columns)
    }
}

/// A view over the base; the COUNT(*) is put in front of `aggregates`, hidden counters behind.
pub fn view(id: TableId, groups: Vec<Expr>, filter: Option<Expr>, wanted: &[(ViewAggregateKind, usize)]) -> Table {
    use ViewAggregateKind::*;
    let mut columns: Vec<Column> = groups.iter().map(|g| column("g", g.ty, g.nullable)).collect();
    let count_column = columns.len();
    columns.push(column("n", DataType::BigInt, false));
    let star = ViewAggregate { kind: CountStar, argument: None, column: count_column, count_column: None };
    let mut aggregates = vec![star];
    for &(kind, argument) in wanted {
        let ty = match kind {
            Count => DataType::BigInt,
            Sum if TYPES[argument].1.is_integer() => DataType::BigInt,
            _ => TYPES[argument].1,
        };
        columns.push(column("x", ty, kind != Count));
        let argument = Some(col(argument));
        aggregates.push(ViewAggregate { kind, argument, column: columns.len() - 1, count_column: None });
    }
    let visible = columns.len();
    for at in 1..aggregates.len() {
        let argument = aggregates[at].argument.clone();
        if aggregates[at].kind != Count && argument.as_ref().is_some_and(|a| a.nullable) {
            columns.push(column("hidden", DataType::BigInt, false));
            let column = columns.len() - 1;
            aggregates[at].count_column = Some(column);
            aggregates.push(ViewAggregate { kind: Count, argument, column, count_column: None });
        }
    }
    let keys = groups.iter().enumerate().map(|(i, g)| Expr::reg(i as u16, g.ty, g.nullable)).collect();
    let indexes = if groups.is_empty() { vec![] } else { vec![index("groups", IndexKind::Hash, true, keys, None)] };
    let view = View { source: BASE, joined: Vec::new(), filter, groups, aggregates, count_column, text: String::new() };
    Table { indexes, visible, view: Some(view), ..plain(id, &format!("view{}", id.0), columns) }
}

pub fn views() -> Vec<Table> {
    use ViewAggregateKind::*;
    let small = || Some(compare(Comparison::Gt, col(F), Expr::int(2)));
    let mut all = vec![
        view(TableId(1), vec![col(S)], None, &[]),
        view(TableId(2), vec![col(TEXT), col(F)], None, &[]),
        view(TableId(3), vec![], None, &[(Sum, A), (Min, TEXT), (Max, AMOUNT), (Count, S)]),
        view(TableId(4), vec![col(F)], small(), &[(Sum, AMOUNT), (Count, A), (Min, TEXT), (Max, A)]),
        view(TableId(5), vec![col(F)], None, &[(Min, TEXT), (Max, TEXT), (Sum, F)]),
        view(TableId(6), vec![modulo(col(ID), 3), col(S)], None, &[(Max, ID), (Min, A)]),
        view(TableId(7), vec![], None, &[]),
    ];
    // Somebody orders a view by its count.
    let count = Expr::reg(1, DataType::BigInt, false);
    all[0].indexes.push(index("by_count", IndexKind::Ordered, false, vec![count], None));
    all
}

pub fn catalog() -> Catalog {
    let mut catalog = Catalog::default();
    let views = views();
    catalog.put_table(base(&views.iter().map(|v| v.id).collect::<Vec<_>>()));
    views.into_iter().for_each(|v| catalog.put_table(v));
    catalog
}

pub fn store() -> Store {
    let mut store = Store::new(PartitionId(0), 1);
    let changes: Vec<CatalogChange> = (0..8).map(|i| CatalogChange::CreateTable(TableId(i))).collect();
    store.apply(&changes, &catalog(), 0).unwrap();
    store.finish_apply();
    store
}

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % bound
    }
}

/// A value of a column, from few enough that keys repeat; now and then one that a constraint refuses.
pub fn random_value(column: usize, random: &mut Random) -> Value {
    if TYPES[column].2 && random.below(6) == 0 || random.below(200) == 0 {
        return Value::Null;
    }
    match column {
        ID => Value::Int(random.below(400) as i64 - 100),
        A => {
            Value::Int([-1, 0, 7, i32::MIN as i64, i32::MAX as i64][random.below(5) as usize] ^ random.below(8) as i64)
        }
        S => Value::from(["", "a", "NY", "é", "ab"][random.below(5) as usize]),
        TEXT => {
            let unit = ["", "x", "long text ", "fifteen bytes..", "sixteen bytes..."][random.below(5) as usize];
            Value::Text(unit.repeat(random.below(5) as usize))
        }
        AMOUNT => Value::Decimal(crate::types::Decimal::from_scaled(random.below(9) as i128 - 4)),
        _ => Value::Int(random.below(14) as i64),
    }
}

pub fn datums(values: &[Value], frame: &mut Frame) -> Vec<Datum> {
    values.iter().map(|v| frame.datum(v)).collect()
}

pub fn value_at(table: &Stored, row: RowId, column: usize) -> Value {
    let mut arena = Arena::default();
    let datum = table.load(row, column, &mut arena);
    datum_value(datum, table.def().columns[column].ty, &arena)
}

/// All rows by id.
pub fn rows_of(table: &Stored) -> Vec<(u32, Vec<Value>)> {
    let mut rows = Vec::new();
    let mut next = table.first_row();
    while let Some(row) = next {
        rows.push((row.0, (0..table.def().columns.len()).map(|c| value_at(table, row, c)).collect()));
        next = table.next_row(row);
    }
    assert_eq!(rows.len(), table.len());
    rows
}

/// One table: its rows, and the order in which ids will be given to new ones.
pub type TableDump = (Vec<(u32, Vec<Value>)>, Vec<u32>);

/// All that undo must restore.
pub fn dump(store: &Store) -> Vec<TableDump> {
    let tables = store.tables.iter().flatten();
    tables.map(|table| (rows_of(table), table.contents.heap.reuse_order())).collect()
}
