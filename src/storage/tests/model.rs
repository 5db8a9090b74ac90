//! Random inserts, updates, deletes and rollbacks against the model.

use super::fixture::*;
use crate::catalog::{TableId, ViewAggregateKind};
use crate::storage::{RowId, StorageError, Store};
use crate::types::{DataType, Datum, Decimal, Frame, Value};
use std::cmp::Ordering;
use std::collections::BTreeMap;

type Model = BTreeMap<u32, Vec<Value>>;

/// NULL first.
fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Decimal(a), Value::Decimal(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        _ => unreachable!("one type per column: {a:?} {b:?}"),
    }
}

fn order_all(a: &[Value], b: &[Value]) -> Ordering {
    a.iter().zip(b).map(|(a, b)| order(a, b)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

fn int(value: &Value) -> i64 {
    value.as_i64().expect("an integer column")
}

/// The key of a row in base index `at`; None: the row is not in it.
fn key_of(at: usize, row: &[Value]) -> Option<Vec<Value>> {
    let columns: &[usize] = match at {
        0 => &[ID],
        1 => &[A, S],
        2 => &[S],
        3 => &[F, TEXT],
        4 => return Some(vec![Value::Int(int(&row[ID]) % 3)]),
        5 if int(&row[F]) >= 3 => return None,
        5 | 7 => &[TEXT, F],
        _ => &[AMOUNT],
    };
    Some(columns.iter().map(|&c| row[c].clone()).collect())
}

fn has_null(key: &[Value]) -> bool {
    key.iter().any(Value::is_null)
}

/// Whether the constraints let `row` in at `id`.
fn is_allowed(model: &Model, id: Option<u32>, row: &[Value]) -> bool {
    let unique = |at: usize| {
        let key = key_of(at, row).filter(|k| !has_null(k));
        key.is_none() || !model.iter().any(|(&other, r)| Some(other) != id && key_of(at, r) == key)
    };
    !row[ID].is_null() && !row[F].is_null() && row[F] != Value::Int(13) && [0, 1, 5].into_iter().all(unique)
}

fn check_indexes(store: &Store, model: &Model, random: &mut Random) {
    let table = store.table(BASE);
    for at in 0..table.def().indexes.len() {
        let probe: Vec<Value> = (0..TYPES.len()).map(|c| random_value(c, random)).collect();
        let existing = model.values().nth(random.below(model.len().max(1) as u64) as usize);
        let source = existing.filter(|_| random.below(3) > 0).unwrap_or(&probe);
        if source[ID].is_null() || source[F].is_null() {
            continue;
        }
        let Some(key) = key_of(at, source) else { continue };
        let mut frame = Frame::default();
        let key_datums = datums(&key, &mut frame);
        let mut found = Vec::new();
        table.for_each_equal(at, &key_datums, &frame.arena, &mut |r| {
            found.push(r.0);
            true
        });
        found.sort();
        let is_it = |row: &Vec<Value>| !has_null(&key) && key_of(at, row).as_ref() == Some(&key);
        let wanted: Vec<u32> = model.iter().filter(|(_, r)| is_it(r)).map(|(&id, _)| id).collect();
        assert_eq!(found, wanted, "index {at}, key {key:?}");
        let one = table.find(at, &key_datums, &frame.arena);
        assert_eq!(one.is_some(), !wanted.is_empty());
        assert!(one.is_none_or(|r| wanted.contains(&r.0)));
        table.prefetch(at, &key_datums, &frame.arena);
        if [1, 3, 4, 6].contains(&at) {
            check_range(store, model, at, &key, random);
        }
    }
}

fn check_range(store: &Store, model: &Model, at: usize, key: &[Value], random: &mut Random) {
    let equal = random.below(key.len() as u64) as usize;
    let part_type = store.table(BASE).def().indexes[at].keys[equal].ty;
    let mut bound = |v: &Value| -> Option<(Value, bool)> {
        let v = match v {
            // Also beyond what the column can hold.
            Value::Int(_) if random.below(8) == 0 => Value::Int([i64::MIN, i64::MAX][random.below(2) as usize]),
            Value::Int(v) => Value::Int(v + random.below(3) as i64 - 1),
            other => other.clone(),
        };
        (random.below(3) > 0).then_some((v, random.below(2) == 0))
    };
    let (low, high) = (bound(&key[equal]), bound(&key[equal]));
    let descending = random.below(2) == 0;
    let bounds = [&low, &high].into_iter().flatten();
    let nothing = has_null(&key[..equal]) || bounds.clone().any(|(v, _)| v.is_null());
    let is_in = |k: &[Value]| {
        let next = &k[equal];
        let above = low.as_ref().is_none_or(|(v, inclusive)| match order(next, v) {
            Ordering::Greater => true,
            Ordering::Equal => *inclusive,
            Ordering::Less => false,
        });
        let below = high.as_ref().is_none_or(|(v, inclusive)| match order(next, v) {
            Ordering::Less => true,
            Ordering::Equal => *inclusive,
            Ordering::Greater => false,
        });
        let null_counts = !next.is_null() || low.is_none() && high.is_none();
        !nothing && k[..equal] == key[..equal] && above && below && null_counts
    };
    let mut wanted: Vec<(Vec<Value>, u32)> =
        model.iter().filter_map(|(&id, r)| key_of(at, r).filter(|k| is_in(k)).map(|k| (k, id))).collect();
    wanted.sort_by(|a, b| order_all(&a.0, &b.0).then(a.1.cmp(&b.1)));
    if descending {
        wanted.reverse();
    }
    let wanted: Vec<u32> = wanted.into_iter().map(|(_, id)| id).collect();
    let mut frame = Frame::default();
    let equal_datums = datums(&key[..equal], &mut frame);
    let mut datum = |b: Option<(Value, bool)>| b.map(|(v, inclusive)| (frame.datum(&v), inclusive));
    let (low_datum, high_datum) = (datum(low.clone()), datum(high.clone()));
    let mut found = Vec::new();
    let f = &mut |r: RowId| {
        found.push(r.0);
        found.len() < 30
    };
    store.table(BASE).range(at, &equal_datums, low_datum, high_datum, &frame.arena, descending, f);
    let shown = wanted.len().min(30);
    assert_eq!(found, wanted[..shown], "index {at} ({part_type}), {low:?} to {high:?}, descending {descending}");
}

/// The rows of a view, by its definition, without their ids.
fn compute_view(store: &Store, id: TableId, model: &Model) -> Vec<Vec<Value>> {
    let def = store.table(id).def();
    let view = def.view.as_ref().unwrap();
    let group_of = |row: &Vec<Value>| -> Vec<Value> {
        let value = |g: &crate::expr::expr::Expr| match g.as_reg() {
            Some(column) => row[column as usize].clone(),
            None => Value::Int(int(&row[ID]) % 3),
        };
        view.groups.iter().map(value).collect()
    };
    let mut groups: Vec<(Vec<Value>, Vec<&Vec<Value>>)> = Vec::new();
    if view.groups.is_empty() {
        groups.push((vec![], vec![]));
    }
    for row in model.values().filter(|r| view.filter.is_none() || int(&r[F]) > 2) {
        let group = group_of(row);
        match groups.iter_mut().find(|g| g.0 == group) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((group, vec![row])),
        }
    }
    let mut result: Vec<Vec<Value>> = Vec::new();
    for (group, rows) in groups {
        let mut out = group;
        out.resize(def.columns.len(), Value::Null);
        for aggregate in &view.aggregates {
            let column = aggregate.argument.as_ref().map(|a| a.as_reg().unwrap() as usize);
            let values: Vec<&Value> =
                rows.iter().filter_map(|r| column.map(|c| &r[c])).filter(|v| !v.is_null()).collect();
            out[aggregate.column] = match aggregate.kind {
                ViewAggregateKind::CountStar => Value::Int(rows.len() as i64),
                ViewAggregateKind::Count => Value::Int(values.len() as i64),
                _ if values.is_empty() => Value::Null,
                ViewAggregateKind::Min => (*values.iter().min_by(|a, b| order(a, b)).unwrap()).clone(),
                ViewAggregateKind::Max => (*values.iter().max_by(|a, b| order(a, b)).unwrap()).clone(),
                ViewAggregateKind::Sum if def.columns[aggregate.column].ty == DataType::Decimal => {
                    let scaled = |v: &&Value| if let Value::Decimal(d) = v { d.scaled() } else { unreachable!() };
                    Value::Decimal(Decimal::from_scaled(values.iter().map(scaled).sum()))
                }
                ViewAggregateKind::Sum => Value::Int(values.iter().map(|v| int(v)).sum()),
            };
        }
        result.push(out);
    }
    result.sort_by(|a, b| order_all(a, b));
    result
}

pub fn check_views(store: &Store, model: &Model) {
    for id in (1..8).map(TableId) {
        let mut rows: Vec<Vec<Value>> = rows_of(store.table(id)).into_iter().map(|(_, r)| r).collect();
        rows.sort_by(|a, b| order_all(a, b));
        assert_eq!(rows, compute_view(store, id, model), "view {id:?}");
    }
    let by_count = store.table(TableId(1));
    let mut counts = Vec::new();
    by_count.range(1, &[], None, None, &Frame::default().arena, false, &mut |row| {
        counts.push(int(&value_at(by_count, row, 1)));
        true
    });
    assert!(counts.is_sorted() && counts.len() == by_count.len());
}

fn check(store: &Store, model: &Model, random: &mut Random) {
    let rows: Model = rows_of(store.table(BASE)).into_iter().collect();
    assert_eq!(&rows, model);
    check_indexes(store, model, random);
    check_views(store, model);
}

/// One random change of both; a refused one must be what the model refuses too.
fn step(store: &mut Store, model: &mut Model, random: &mut Random) {
    let mut row: Vec<Value> = (0..TYPES.len()).map(|c| random_value(c, random)).collect();
    let target = model.keys().copied().nth(random.below(model.len().max(1) as u64) as usize);
    let before = store.savepoint();
    match (random.below(10), target) {
        (0..5, _) | (_, None) => {
            let mut frame = Frame::default();
            let datums = datums(&row, &mut frame);
            let result = store.insert(BASE, &datums, &frame.arena, 0);
            assert_eq!(result.is_ok(), is_allowed(model, None, &row), "{row:?}: {result:?}");
            match result {
                Ok(id) => assert!(model.insert(id.0, row).is_none()),
                Err(error) => {
                    assert!(matches!(error, StorageError::ConstraintViolation { .. }));
                    store.rollback_to(before);
                }
            }
        }
        (5..8, Some(id)) => {
            // Most updates change a column or two.
            for column in 0..TYPES.len() {
                if random.below(3) > 0 {
                    row[column] = model[&id][column].clone();
                }
            }
            let mut frame = Frame::default();
            let datums = datums(&row, &mut frame);
            let result = store.update(BASE, RowId(id), &datums, &frame.arena, 0);
            assert_eq!(result.is_ok(), is_allowed(model, Some(id), &row), "{row:?}: {result:?}");
            match result {
                Ok(()) => drop(model.insert(id, row)),
                Err(_) => store.rollback_to(before),
            }
        }
        (_, Some(id)) => {
            store.delete(BASE, RowId(id), 0).unwrap();
            model.remove(&id);
        }
    }
}

#[test]
fn rows_indexes_and_views_follow_the_model_and_rollback_restores_everything() {
    for seed in 1..=6 {
        let mut random = Random(seed << 32 | 0x9E37_79B9);
        let (mut store, mut model) = (store(), Model::new());
        for _ in 0..60 {
            let before = (dump(&store), model.clone());
            store.begin(true);
            for _ in 0..random.below(8) {
                step(&mut store, &mut model, &mut random);
            }
            let middle = (store.savepoint(), dump(&store), model.clone());
            for _ in 0..random.below(8) {
                step(&mut store, &mut model, &mut random);
                if random.below(40) == 0 {
                    assert_eq!(store.truncate(BASE, 0).unwrap(), model.len() as u64);
                    model.clear();
                }
            }
            check(&store, &model, &mut random);
            if random.below(3) == 0 {
                store.rollback_to(middle.0);
                assert_eq!(dump(&store), middle.1);
                model = middle.2;
                check(&store, &model, &mut random);
            }
            if random.below(3) == 0 {
                store.rollback();
                assert_eq!(dump(&store), before.0);
                model = before.1;
            } else {
                store.commit();
            }
            check(&store, &model, &mut random);
        }
        assert!(!model.is_empty());
        let texts = model.values().filter(|r| r[TEXT].as_str().is_some_and(|t| t.len() > 15)).count();
        assert_eq!(store.table(BASE).contents.strings.len(), texts, "no string is lost or kept too long");
        store.begin(false);
        for id in model.keys() {
            store.delete(BASE, RowId(*id), 0).unwrap();
        }
        store.commit();
        check(&store, &Model::new(), &mut random);
        assert_eq!(store.table(BASE).contents.strings.len(), 0);
    }
}

#[test]
fn a_sum_that_leaves_its_type_is_refused_and_rolled_back() {
    let mut store = store();
    let insert = |store: &mut Store, id: i64, a: i64| {
        let row = [Datum::int(id), Datum::int(a), Datum::NULL, Datum::NULL, Datum::NULL, Datum::int(5)];
        store.insert(BASE, &row, &Frame::default().arena, 0)
    };
    assert!(store.insert_can_fail_after_write(BASE));
    store.begin(true);
    insert(&mut store, 1, 5).unwrap();
    store.commit();
    // The view's sum is brought near its end by hand: no test can add 2^31 rows.
    let view = store.tables[3].as_deref_mut().unwrap();
    let cell = view.contents.heap.cell_mut(RowId(0));
    let offset = view.slot(1).offset as usize;
    // SAFETY: column 1 is a BIGINT of this row.
    unsafe { cell.add(offset).cast::<i64>().write_unaligned(i64::MAX - 3) };
    let before = dump(&store);
    store.begin(true);
    let savepoint = store.savepoint();
    let error = insert(&mut store, 2, 4).unwrap_err();
    assert_eq!(error.sqlstate(), "22003");
    store.rollback_to(savepoint);
    assert_eq!(dump(&store), before);
    insert(&mut store, 2, 3).unwrap();
    store.commit();
}

#[test]
fn ten_thousand_rows_of_one_key_are_added_and_removed_in_order() {
    let mut store = store();
    store.begin(false);
    let arena = Frame::default().arena;
    let row = |id: i64| [Datum::int(id), Datum::NULL, Datum::short(b"NY"), Datum::NULL, Datum::NULL, Datum::int(5)];
    let ids: Vec<RowId> = (0..10_000).map(|i| store.insert(BASE, &row(i), &arena, 0).unwrap()).collect();
    for id in ids.iter().step_by(2) {
        store.delete(BASE, *id, 0).unwrap();
    }
    let mut found = Vec::new();
    store.table(BASE).for_each_equal(2, &[Datum::short(b"NY")], &arena, &mut |r| {
        found.push(r);
        true
    });
    assert!(found.iter().eq(ids.iter().skip(1).step_by(2)));
    store.commit();
}
