//! Schema changes: what they leave in the catalog, and messages.

use super::apply;
use crate::catalog::{Catalog, CatalogChange, Default, IndexKind, Table, TableId, ViewAggregateKind};
use crate::planner::BindError;
use crate::planner::testing::{SCHEMA, add, catalog_of};
use crate::sql::ast::Statement;
use crate::sql::parse_statement;
use crate::types::{DataType, Name, Value};

fn try_apply(catalog: &mut Catalog, sql: &str) -> Result<super::DdlOutcome, BindError> {
    match parse_statement(sql) {
        Ok(Statement::Ddl(ddl)) => apply(catalog, &ddl, sql),
        other => panic!("{sql}: {other:?}"),
    }
}

fn table<'c>(catalog: &'c Catalog, name: &str) -> &'c Table {
    catalog.table(&Name::new(name)).expect("it was created")
}

/// The message of what must fail, and that nothing changed.
fn error(catalog: &Catalog, sql: &str) -> String {
    let mut copy = catalog.clone();
    let message = try_apply(&mut copy, sql).expect_err(sql).message;
    assert_eq!(copy.tables().count(), catalog.tables().count(), "{sql}");
    message
}

#[test]
fn a_primary_key_is_a_unique_hash_index_and_its_columns_are_not_null() {
    let catalog = catalog_of("CREATE TABLE x (a INTEGER, b VARCHAR(5) UNIQUE, PRIMARY KEY (a))");
    let x = table(&catalog, "x");
    assert_eq!(x.primary_key, Some(1));
    let key = &x.indexes[1];
    assert_eq!((key.name.as_str(), key.kind, key.unique, key.constraint), ("pk_x", IndexKind::Hash, true, true));
    assert_eq!(key.columns(), Some(vec![0]));
    assert_eq!(x.indexes[0].name.as_str(), "uq_x_b");
    assert!(!x.columns[0].nullable && x.columns[1].nullable);
}

#[test]
fn defaults_have_their_columns_type() {
    let catalog = catalog_of(
        "CREATE TABLE x (a DECIMAL DEFAULT 1, b INTEGER DEFAULT '7', c TIMESTAMP DEFAULT NOW, d VARCHAR(3) DEFAULT NULL)",
    );
    let columns = &table(&catalog, "x").columns;
    assert!(matches!(columns[0].default, Some(Default::Value(Value::Decimal(_)))));
    assert_eq!(columns[1].default, Some(Default::Value(Value::Int(7))));
    assert_eq!(columns[2].default, Some(Default::Now));
    assert_eq!(columns[3].default, None);
}

#[test]
fn views_follow_the_partitioning_of_their_table() {
    let mut catalog = catalog_of(SCHEMA);
    assert!(table(&catalog, "votes").spread);
    let by_phone = table(&catalog, "v_votes_by_phone_number");
    assert_eq!((by_phone.spread, by_phone.partition_column), (true, Some(0)));
    let by_state = table(&catalog, "v_votes_by_contestant_number_state");
    assert_eq!((by_state.spread, by_state.partition_column), (true, None));
    let id = table(&catalog, "votes").id;
    let outcome = try_apply(&mut catalog, "REPLICATE TABLE votes").expect("it is partitioned");
    assert_eq!(outcome.changes, [CatalogChange::Repartition(id)]);
    assert!(!table(&catalog, "v_votes_by_phone_number").spread);
    try_apply(&mut catalog, "PARTITION TABLE votes ON COLUMN state").expect("state is NOT NULL");
    assert_eq!(table(&catalog, "v_votes_by_contestant_number_state").partition_column, Some(1));
}

#[test]
fn a_view_keeps_the_counts_that_it_needs_in_hidden_columns() {
    let mut catalog = catalog_of(SCHEMA);
    add(&mut catalog, "CREATE VIEW v AS SELECT a, SUM(b) AS s, MIN(a) AS m, MAX(b) AS x FROM t WHERE b > 0 GROUP BY a");
    let v = table(&catalog, "v");
    let view = v.view.as_ref().expect("it is a view");
    assert_eq!((v.visible, v.columns.len()), (4, 6));
    let kinds: Vec<_> = view.aggregates.iter().map(|a| (a.kind, a.column, a.count_column)).collect();
    assert_eq!(
        kinds,
        [
            (ViewAggregateKind::Sum, 1, Some(5)),
            (ViewAggregateKind::Min, 2, None),
            (ViewAggregateKind::Max, 3, Some(5)),
            (ViewAggregateKind::CountStar, 4, None),
            (ViewAggregateKind::Count, 5, None),
        ]
    );
    assert_eq!(view.count_column, 4);
    assert_eq!(view.text, "SELECT a, SUM(b) AS s, MIN(a) AS m, MAX(b) AS x FROM t WHERE b > 0 GROUP BY a");
    let nullable: Vec<bool> = v.columns.iter().map(|c| c.nullable).collect();
    assert_eq!(nullable, [false, true, false, true, false, false]);
    assert_eq!(v.columns[1].ty, DataType::BigInt);
    assert_eq!((v.indexes[0].name.as_str(), v.indexes[0].unique), ("v_v_groups", true));
    assert_eq!(table(&catalog, "t").views, [v.id]);
}

#[test]
fn a_view_without_groups_has_no_index_and_may_hold_null() {
    let catalog = catalog_of(SCHEMA);
    let totals = table(&catalog, "totals");
    assert!(totals.indexes.is_empty());
    assert!(!totals.columns[0].nullable && totals.columns[1].nullable);
}

#[test]
fn dropping_takes_dependent_views_only_with_cascade() {
    let mut catalog = catalog_of(SCHEMA);
    assert_eq!(
        error(&catalog, "DROP TABLE votes"),
        "views v_votes_by_phone_number, v_votes_by_contestant_number_state, totals depend on votes: \
         drop them first, or add CASCADE"
    );
    let ids: Vec<TableId> = table(&catalog, "votes").views.clone();
    let votes = table(&catalog, "votes").id;
    let outcome = try_apply(&mut catalog, "DROP TABLE votes CASCADE").expect("CASCADE drops the views");
    let wanted: Vec<_> = ids.into_iter().chain([votes]).map(CatalogChange::DropTable).collect();
    assert_eq!(outcome.changes, wanted);
    assert!(catalog.table(&Name::new("totals")).is_none());
    let outcome = try_apply(&mut catalog, "DROP TABLE votes IF EXISTS").expect("IF EXISTS allows it");
    assert!(outcome.changes.is_empty());
}

#[test]
fn dropping_an_index_moves_later_ones_down() {
    let mut catalog = catalog_of(SCHEMA);
    let t = table(&catalog, "t").id;
    let outcome = try_apply(&mut catalog, "DROP INDEX t_c").expect("it is there");
    assert_eq!(outcome.changes, [CatalogChange::DropIndex(t, 1)]);
    let names: Vec<&str> = table(&catalog, "t").indexes.iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["t_a_b", "t_expr", "t_part"]);
}

#[test]
fn checks_are_bound_over_columns_and_keep_their_text() {
    let catalog =
        catalog_of("CREATE TABLE x (a INTEGER CHECK (a > 0), b INTEGER, CONSTRAINT small CHECK (a + b < 10))");
    let checks = &table(&catalog, "x").checks;
    assert_eq!(checks.len(), 2);
    assert_eq!((checks[0].name.as_str(), checks[1].name.as_str()), ("ck_x_1", "small"));
    assert!(checks[1].text.contains("a + b < 10"), "{}", checks[1].text);
}

#[test]
fn messages_say_what_rule_is_broken() {
    let catalog = catalog_of(SCHEMA);
    for (sql, message) in [
        ("CREATE TABLE votes (a INTEGER)", "table votes is there already"),
        ("CREATE TABLE x (a INTEGER, A BIGINT)", "column A is there twice"),
        ("CREATE TABLE x (a INTEGER DEFAULT 'x')", "DEFAULT of column a: cannot read 'x' as INTEGER"),
        ("CREATE TABLE x (a INTEGER PRIMARY KEY, b INTEGER PRIMARY KEY)", "table x has two primary keys"),
        ("CREATE TABLE x (a INTEGER, PRIMARY KEY (b))", "no column b in x"),
        ("CREATE TABLE x (a INTEGER CHECK (a > (SELECT MAX(a) FROM t)))", "CHECK can't have subqueries"),
        ("PARTITION TABLE vote ON COLUMN a", "no table vote; did you mean votes?"),
        ("PARTITION TABLE t ON COLUMN b", "t can't be partitioned on b: it must be NOT NULL"),
        ("PARTITION TABLE totals ON COLUMN n", "PARTITION TABLE needs a table, and totals is a view"),
        (
            "PARTITION TABLE t ON COLUMN d",
            "t can't be partitioned on d: it is DECIMAL, and must be an integer, VARCHAR or VARBINARY",
        ),
        (
            "PARTITION TABLE u ON COLUMN a",
            "unique key uq_u_x of partitioned table u must include the partition column a; ASSUMEUNIQUE checks each \
             partition by itself",
        ),
        (
            "CREATE UNIQUE INDEX i ON votes (state)",
            "unique key i of partitioned table votes must include the partition column phone_number; ASSUMEUNIQUE \
             checks each partition by itself",
        ),
        ("CREATE INDEX t_c ON u (c)", "index t_c is there already, on t"),
        ("CREATE UNIQUE INDEX i ON totals (n)", "totals is a view: its indexes can't be UNIQUE"),
        ("CREATE INDEX i ON t (zz)", "no column zz in t"),
        (
            "CREATE MATERIALIZED VIEW v AS SELECT a, AVG(b) FROM t GROUP BY a",
            "a materialized view can't have AVG: select SUM and COUNT, and divide in the query",
        ),
        (
            "CREATE MATERIALIZED VIEW v AS SELECT a, COUNT(*) AS n FROM t GROUP BY a ORDER BY a",
            "a materialized view can't have ORDER BY; write it in the queries that read the view",
        ),
        (
            "CREATE MATERIALIZED VIEW v AS SELECT COUNT(*) AS n, a FROM t GROUP BY a",
            "a materialized view selects all of its GROUP BY expressions, in their order, before the aggregates",
        ),
        (
            "CREATE MATERIALIZED VIEW v AS SELECT n FROM totals GROUP BY n",
            "a materialized view reads tables, not subqueries or other views",
        ),
        (
            "CREATE MATERIALIZED VIEW v AS SELECT t.a, COUNT(*) AS n FROM t LEFT JOIN u ON t.a = u.a GROUP BY t.a",
            "a materialized view can't have outer joins",
        ),
        (
            "CREATE MATERIALIZED VIEW v AS SELECT x.a, COUNT(*) AS n FROM t x JOIN t y ON x.a = y.a GROUP BY x.a",
            "a materialized view can't read t twice",
        ),
        (
            "CREATE MATERIALIZED VIEW v AS SELECT c.id, COUNT(*) AS n FROM customers c JOIN orders o ON c.id = o.id \
             GROUP BY c.id",
            "a materialized view joins partitioned tables on their partition columns",
        ),
        ("ALTER TABLE totals ADD COLUMN x INTEGER", "ALTER TABLE needs a table, and totals is a view"),
        ("ALTER TABLE t DROP COLUMN zz", "no column zz in t"),
        (
            "ALTER TABLE votes DROP COLUMN state",
            "can't drop column state of votes: view v_votes_by_contestant_number_state needs it (no column state in \
             votes); drop the view first",
        ),
        (
            "ALTER TABLE votes DROP COLUMN phone_number",
            "votes is partitioned on phone_number: a partition column can't be dropped",
        ),
        ("ALTER TABLE t ALTER COLUMN b VARBINARY(5)", "column b is BIGINT: it can't become VARBINARY"),
        ("ALTER TABLE t ALTER COLUMN b VARCHAR(5)", "index t_expr computes with b: drop it first"),
        ("ALTER TABLE u ADD USING TTL 5 ON COLUMN x", "TTL needs a TIMESTAMP, and x is BIGINT"),
        ("ALTER TABLE t ADD USING TTL 5 ON COLUMN ts", "TTL needs a column that is NOT NULL, and ts may be NULL"),
        ("ALTER TABLE customers ADD PRIMARY KEY (name)", "customers has a primary key already: drop it first"),
        ("ALTER TABLE t DROP CONSTRAINT nope", "no constraint nope on t"),
        ("DROP VIEW votes", "votes is a table, not a view: DROP TABLE votes"),
        (
            "DROP INDEX pk_contestants",
            "index pk_contestants stands for a constraint of table contestants: it goes with it",
        ),
        ("DROP INDEX t_d", "no index t_d; did you mean t_c?"),
    ] {
        assert_eq!(error(&catalog, sql), message, "{sql}");
    }
}
