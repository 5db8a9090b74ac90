//! Schema changes, snapshots, repartitioning, messages.

use super::fixture::*;
use super::model::check_views;
use crate::catalog::{CatalogChange, IndexKind, TableId};
use crate::storage::{RowId, StorageError, Store};
use crate::types::{Arena, DataType, Frame, Value, datum_value};

/// `count` rows that the constraints let in.
fn fill(store: &mut Store, count: usize, random: &mut Random) {
    store.begin(true);
    while store.table(BASE).len() < count {
        let row: Vec<Value> = (0..TYPES.len()).map(|c| random_value(c, random)).collect();
        let mut frame = Frame::default();
        let datums = datums(&row, &mut frame);
        let savepoint = store.savepoint();
        if store.insert(BASE, &datums, &frame.arena, 0).is_err() {
            store.rollback_to(savepoint);
        }
    }
    store.commit();
}

#[test]
fn a_snapshot_shows_its_moment_while_rows_and_strings_change() {
    let mut random = Random(77);
    let mut store = store();
    fill(&mut store, 60, &mut random);
    let before = rows_of(store.table(BASE));
    let snapshot = store.snapshot(BASE);
    store.begin(false);
    for (id, _) in &before {
        store.delete(BASE, RowId(*id), 0).unwrap();
    }
    store.commit();
    fill(&mut store, 60, &mut random);
    let seen = std::thread::spawn(move || {
        let mut rows = Vec::new();
        let mut next = snapshot.first_row();
        while let Some(row) = next {
            let mut arena = Arena::default();
            let value = |c: usize| {
                let datum = snapshot.load(row, c, &mut arena);
                datum_value(datum, TYPES[c].1, &arena)
            };
            rows.push((row.0, (0..TYPES.len()).map(value).collect::<Vec<_>>()));
            next = snapshot.next_row(row);
        }
        rows
    });
    assert_eq!(seen.join().unwrap(), before);
    assert_ne!(rows_of(store.table(BASE)), before);
}

#[test]
fn a_new_index_and_a_new_view_are_filled_and_a_failing_one_changes_nothing() {
    let mut random = Random(5);
    let mut store = store();
    fill(&mut store, 60, &mut random);
    let before = dump(&store);
    let mut next = catalog();
    let mut table = (**next.table_by_id(BASE)).clone();
    // The indexes are other objects, so all are built anew.
    table.indexes = base_indexes();
    table.indexes.push(index("u_f", IndexKind::Hash, true, vec![col(F)], None));
    table.views.push(TableId(8));
    next.put_table(table.clone());
    next.put_table(view(TableId(8), vec![col(A)], None, &[]));
    let changes = [CatalogChange::CreateIndex(BASE, 8), CatalogChange::CreateTable(TableId(8))];
    let error = store.apply(&changes, &next, 0).unwrap_err();
    let StorageError::ConstraintViolation { constraint, .. } = &error else { panic!("{error}") };
    assert!(constraint == "u_f");
    assert_eq!(dump(&store), before);
    assert!(store.get(TableId(8)).is_none());

    table.indexes.pop();
    table.indexes.remove(1);
    table.indexes.push(index("h_f", IndexKind::Hash, false, vec![col(F)], None));
    next.put_table(table);
    let old = store.table(BASE).def().clone();
    for keep in [false, true] {
        store.apply(&changes, &next, 0).unwrap();
        let f = Value::Int(5);
        let mut count = 0;
        let key = Frame::default().datum(&f);
        store.table(BASE).for_each_equal(7, &[key], &Arena::default(), &mut |row| {
            count += 1;
            value_at(store.table(BASE), row, F) == f
        });
        assert_eq!(count, before[0].0.iter().filter(|(_, r)| r[F] == f).count());
        let counted: i64 = rows_of(store.table(TableId(8))).iter().map(|(_, r)| r[1].as_i64().unwrap()).sum();
        assert_eq!(counted, 60);
        if keep {
            store.finish_apply()
        } else {
            store.undo_apply()
        }
        assert_eq!(std::sync::Arc::ptr_eq(store.table(BASE).def(), &old), !keep);
        assert_eq!(store.get(TableId(8)).is_some(), keep);
    }
}

#[test]
fn repartitioned_rows_fill_table_and_views_anew_and_the_way_back_is_open() {
    let mut random = Random(9);
    let mut store = store();
    fill(&mut store, 60, &mut random);
    let before = dump(&store);
    let next = catalog();
    store.apply(&[CatalogChange::Repartition(BASE)], &next, 0).unwrap();
    let export = store.export_rows(BASE);
    assert_eq!(export.len(), 60);
    store.replace_rows(BASE, &[export], &next, |row, _| row[ID].as_i64() % 2 == 0, 0).unwrap();
    check_views(&store, &rows_of(store.table(BASE)).into_iter().collect());
    assert!((1..60).contains(&store.table(BASE).len()));
    store.undo_apply();
    assert_eq!(dump(&store), before);
    fill(&mut store, 80, &mut random);
    check_views(&store, &rows_of(store.table(BASE)).into_iter().collect());
}

#[test]
fn refusals_say_which_column_or_key() {
    let mut store = store();
    let mut insert = |values: [Value; 6]| {
        let mut frame = Frame::default();
        let datums = datums(&values, &mut frame);
        store.begin(true);
        let result = store.insert(BASE, &datums, &frame.arena, 0);
        store.commit();
        result.map_err(|e| (e.to_string(), e.sqlstate()))
    };
    let row = |id: Value, f: i64| [id, Value::Int(1), Value::from("NY"), Value::Null, Value::Null, Value::Int(f)];
    insert(row(Value::Int(3), 1)).unwrap();
    let messages = [
        (row(Value::Int(3), 1), "duplicate key in base: pk already has id = 3"),
        (row(Value::Int(4), 1), "duplicate key in base: u_a_s already has a = 1, s = 'NY'"),
        (row(Value::Null, 1), "column id of base must not be NULL"),
        (row(Value::Int(4), 13), "a row of base violates no_13: CHECK (f <> 13) must not be false"),
    ];
    for (row, message) in messages {
        assert_eq!(insert(row), Err((message.to_string(), "23000")));
    }
    assert_eq!(store.table(BASE).len(), 1);
    let memory = store.memory();
    assert_eq!(memory.tables.len(), 8);
    assert!(memory.total() > 0 && memory.tables[0].rows == 1);
    assert_eq!(DataType::BigInt.to_string(), "BIGINT");
}
