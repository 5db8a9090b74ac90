//! Random changes of rows under views over joins, and random changes of a table's definition under its rows: views give what
//! their queries give, and rows are what a model says. `SEED=n` repeats a run.

use std::collections::BTreeMap;
use votedb::{Config, Database, Value};

/// xorshift64*: small, seeded, and enough to choose with.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) % n
    }
    fn number(&mut self, n: u64) -> String {
        if self.below(6) == 0 { "NULL".to_owned() } else { self.below(n).to_string() }
    }
}

fn seeds() -> Vec<u64> {
    std::env::var("SEED").map_or((1..=6).collect(), |seed| vec![seed.parse().expect("SEED is a number")])
}

fn rows(db: &Database, sql: &str) -> Vec<String> {
    let result = db.query(sql, &[]).unwrap_or_else(|error| panic!("{sql}: {}", error.message));
    let mut rows: Vec<String> = result.rows.iter().map(|row| format!("{row:?}")).collect();
    rows.sort();
    rows
}

const NAMES: [&str; 4] = ["'a'", "'b'", "'a name that is too long to lie in its row'", "NULL"];

/// Each view and its query.
const VIEWS: [(&str, &str); 6] = [
    (
        "v_name",
        "SELECT d.nm, COUNT(*), SUM(p.pay), MIN(p.pay), MAX(p.pay), COUNT(p.pay), MAX(p.t) \
         FROM d JOIN p ON d.id = p.d GROUP BY d.nm",
    ),
    ("v_all", "SELECT COUNT(*), SUM(p.pay), MIN(d.nm) FROM p JOIN d ON d.id = p.d WHERE p.pay > 20"),
    ("v_key", "SELECT d.id, COUNT(*), MIN(p.pay + d.x) FROM d JOIN p ON d.id = p.d AND p.pay <> 50 GROUP BY d.id"),
    (
        "v_three",
        "SELECT d.nm, t.w, COUNT(*), MAX(t.w), SUM(p.pay * t.k) FROM p JOIN d ON d.id = p.d, t WHERE t.k = p.g \
         GROUP BY d.nm, t.w",
    ),
    ("v_avg", "SELECT p.d, AVG(p.pay) AS a, COUNT(DISTINCT p.g) AS c FROM p GROUP BY p.d HAVING COUNT(*) > 1"),
    ("v_nested", "SELECT n.a, COUNT(*) AS c FROM v_avg n LEFT JOIN d ON d.id = n.d GROUP BY n.a"),
];

fn open_joins(partitions: usize, partitioning: &str, indexed: bool) -> Database {
    let db = Database::open(Config::partitions(partitions)).expect("it opens");
    let mut script = "
        CREATE TABLE d (id INTEGER NOT NULL, nm VARCHAR(60), x INTEGER);
        CREATE TABLE p (id INTEGER NOT NULL, d INTEGER NOT NULL, pay INTEGER, g INTEGER, t VARCHAR(60));
        CREATE TABLE t (k INTEGER NOT NULL, w VARCHAR(60), PRIMARY KEY (k));
        CREATE UNIQUE INDEX d_id ON d (id);
        CREATE UNIQUE INDEX p_id ON p (d, id);"
        .to_owned();
    script += partitioning;
    if indexed {
        script += "CREATE INDEX p_d ON p (d); CREATE INDEX p_g ON p (g); CREATE INDEX d_nm ON d (nm);";
    }
    for (at, (name, query)) in VIEWS.iter().enumerate() {
        let kind = if at < 4 { "MATERIALIZED VIEW" } else { "VIEW" };
        let named = name_columns(query);
        script += &format!("CREATE {kind} {name} {named} AS {query};");
    }
    script += "
        CREATE PROCEDURE fail (k INTEGER) AS BEGIN
          UPDATE d SET nm = 'gone', x = k;
          DELETE FROM p WHERE pay > k;
          INSERT INTO p SELECT id + 1000, d, k, g, t FROM p;
          DELETE FROM t WHERE k = :k;
          SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'as asked';
        END;";
    db.execute_batch(&script).unwrap_or_else(|errors| panic!("{}", errors[0].message));
    db
}

/// Names for the columns of a query, where it gives none.
fn name_columns(query: &str) -> String {
    let list = query.split(" FROM ").next().expect("there is a FROM");
    let (mut depth, mut columns) = (0, 1);
    for c in list.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        columns += i32::from(c == ',' && depth == 0);
    }
    // The queries that others read have names of their own.
    if list.contains(" AS ") {
        return String::new();
    }
    let names: Vec<String> = (1..=columns).map(|n| format!("c{n}")).collect();
    format!("({})", names.join(", "))
}

fn change(random: &mut Random) -> String {
    let (id, d, k) = (random.below(30), random.below(8), random.below(6));
    let name = NAMES[random.below(4) as usize];
    match random.below(12) {
        0..=3 => {
            let (pay, g) = (random.number(100), random.number(6));
            format!("INSERT INTO p VALUES ({id}, {d}, {pay}, {g}, {name})")
        }
        4 => format!("INSERT INTO d VALUES ({d}, {name}, {})", random.number(50)),
        5 => format!("UPSERT INTO t VALUES ({k}, {name})"),
        6 => format!("UPDATE p SET pay = {}, t = {name} WHERE id < {id}", random.number(100)),
        7 => format!("UPDATE d SET nm = {name} WHERE id = {d}"),
        8 => format!("DELETE FROM p WHERE pay > {}", 60 + random.below(40)),
        9 => format!("DELETE FROM d WHERE id = {d}"),
        10 => format!("DELETE FROM t WHERE k = {k}"),
        _ => format!("UPDATE p SET g = {}, pay = pay - 1 WHERE d = {d}", random.number(6)),
    }
}

#[test]
fn views_over_joins_give_what_their_queries_give_after_any_changes() {
    let layouts = [
        (1, "", true),
        (3, "", false),
        (3, "PARTITION TABLE p ON COLUMN d;", true),
        (4, "PARTITION TABLE p ON COLUMN d; PARTITION TABLE d ON COLUMN id;", false),
    ];
    for seed in seeds() {
        for (at, (partitions, partitioning, indexed)) in layouts.iter().enumerate() {
            let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
            let db = open_joins(*partitions, partitioning, *indexed);
            for step in 0..60 {
                let sql = if random.below(8) == 0 {
                    let call = format!("EXEC fail {}", random.below(60));
                    assert!(db.execute(&call, &[]).is_err(), "it signals");
                    call
                } else {
                    let sql = change(&mut random);
                    // A duplicate key is refused, and leaves nothing.
                    db.execute(&sql, &[]).ok();
                    sql
                };
                for (view, query) in VIEWS {
                    let context = format!("seed {seed}, layout {at}, step {step}, {view} after {sql}");
                    assert_eq!(rows(&db, &format!("SELECT * FROM {view}")), rows(&db, query), "{context}");
                }
            }
            // Filled from rows that are there, a view is the same.
            db.execute_batch("DROP VIEW v_name; CREATE VIEW v_name (nm, n) AS SELECT d.nm, COUNT(*) FROM d JOIN p ON d.id = p.d GROUP BY d.nm;")
                .unwrap_or_else(|errors| panic!("{}", errors[0].message));
            let query = "SELECT d.nm, COUNT(*) FROM d JOIN p ON d.id = p.d GROUP BY d.nm";
            assert_eq!(rows(&db, "SELECT * FROM v_name"), rows(&db, query), "seed {seed}, layout {at}");
        }
    }
}

/// A column of the model: its name, and what it shows for a number.
type Columns = Vec<(String, Kind)>;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Integer,
    BigInt,
    Float,
    Text,
}

impl Kind {
    fn type_name(self) -> &'static str {
        match self {
            Kind::Integer => "INTEGER",
            Kind::BigInt => "BIGINT",
            Kind::Float => "FLOAT",
            Kind::Text => "VARCHAR(40)",
        }
    }
    fn value(self, number: Option<i64>) -> Value {
        match (self, number) {
            (_, None) => Value::Null,
            (Kind::Integer | Kind::BigInt, Some(n)) => Value::Int(n),
            (Kind::Float, Some(n)) => Value::Float(n as f64),
            (Kind::Text, Some(n)) => Value::from(n.to_string().as_str()),
        }
    }
}

fn model_rows(columns: &Columns, model: &BTreeMap<i64, Vec<Option<i64>>>) -> Vec<String> {
    let row = |values: &Vec<Option<i64>>| -> Vec<Value> {
        columns.iter().zip(values).map(|((_, kind), value)| kind.value(*value)).collect()
    };
    let mut rows: Vec<String> = model.values().map(|values| format!("{:?}", row(values))).collect();
    rows.sort();
    rows
}

#[test]
fn altered_tables_keep_their_rows() {
    for seed in seeds() {
        for partitions in [1, 3] {
            let mut random = Random(seed.wrapping_mul(0xd134_2543_de82_ef95) | 1);
            let db = Database::open(Config::partitions(partitions)).expect("it opens");
            let script = "CREATE TABLE a (id INTEGER NOT NULL, PRIMARY KEY (id));
                          CREATE VIEW va (n, s, hi) AS SELECT COUNT(*), SUM(id), MAX(id) FROM a;
                          CREATE VIEW vb AS SELECT id, id + 1 AS next FROM a;";
            db.execute_batch(script).unwrap_or_else(|errors| panic!("{}", errors[0].message));
            let mut columns: Columns = vec![("id".to_owned(), Kind::Integer)];
            let mut model: BTreeMap<i64, Vec<Option<i64>>> = BTreeMap::new();
            let mut next_name = 0;
            for step in 0..50 {
                let others = columns.len() - 1;
                let pick = |random: &mut Random, columns: &Columns| -> usize {
                    let at = random.below(others.max(1) as u64) as usize;
                    let id = columns.iter().position(|(name, _)| name == "id").expect("it is never dropped");
                    if at >= id { at + 1 } else { at }
                };
                let sql = match random.below(9) {
                    0 | 1 => {
                        next_name += 1;
                        let kinds = [Kind::Integer, Kind::BigInt, Kind::Float, Kind::Text];
                        let (name, kind) = (format!("c{next_name}"), kinds[random.below(4) as usize]);
                        let value = (random.below(2) == 0).then(|| random.below(1000) as i64);
                        let default = value.map_or(String::new(), |value| match kind {
                            Kind::Text => format!(" DEFAULT '{value}' NOT NULL"),
                            _ => format!(" DEFAULT {value}"),
                        });
                        let at = random.below(columns.len() as u64 + 1) as usize;
                        let before = columns.get(at).map_or(String::new(), |(name, _)| format!(" BEFORE {name}"));
                        let sql = format!("ALTER TABLE a ADD COLUMN {name} {}{default}{before}", kind.type_name());
                        columns.insert(at, (name, kind));
                        model.values_mut().for_each(|row| row.insert(at, value));
                        sql
                    }
                    2 if others > 0 => {
                        let at = pick(&mut random, &columns);
                        model.values_mut().for_each(|row| {
                            row.remove(at);
                        });
                        format!("ALTER TABLE a DROP COLUMN {}", columns.remove(at).0)
                    }
                    3 if others > 0 => {
                        let at = pick(&mut random, &columns);
                        let kind = if columns[at].1 == Kind::Integer { Kind::BigInt } else { columns[at].1 };
                        columns[at].1 = kind;
                        format!("ALTER TABLE a ALTER COLUMN {} TYPE {}", columns[at].0, kind.type_name())
                    }
                    4 if others > 0 => {
                        next_name += 1;
                        let at = pick(&mut random, &columns);
                        let old = std::mem::replace(&mut columns[at].0, format!("c{next_name}"));
                        format!("ALTER TABLE a RENAME COLUMN {old} TO c{next_name}")
                    }
                    5 => "PARTITION TABLE a ON COLUMN id".to_owned(),
                    6 => "REPLICATE TABLE a".to_owned(),
                    7 => {
                        // Refused, and nothing has changed: views need the column.
                        assert!(db.execute("ALTER TABLE a DROP COLUMN id", &[]).is_err());
                        assert!(db.execute_batch("ALTER TABLE a ADD COLUMN z INTEGER; DROP TABLE nothing;").is_err());
                        next_name += 1;
                        let name = format!("i{next_name}");
                        let at = random.below(columns.len() as u64) as usize;
                        format!("CREATE INDEX {name} ON a ({})", columns[at].0)
                    }
                    _ => {
                        let id = random.below(500) as i64;
                        if model.contains_key(&id) {
                            continue;
                        }
                        let row: Vec<Option<i64>> = columns
                            .iter()
                            .map(|(name, _)| Some(if name == "id" { id } else { random.below(1000) as i64 }))
                            .collect();
                        let values: Vec<String> = columns
                            .iter()
                            .zip(&row)
                            .map(|((_, kind), value)| {
                                let value = value.expect("every column has one").to_string();
                                if *kind == Kind::Text { format!("'{value}'") } else { value }
                            })
                            .collect();
                        model.insert(id, row);
                        format!("INSERT INTO a VALUES ({})", values.join(", "))
                    }
                };
                let context = format!("seed {seed}, {partitions} partitions, step {step}, {sql}");
                db.execute(&sql, &[]).unwrap_or_else(|error| panic!("{context}: {}", error.message));
                assert_eq!(rows(&db, "SELECT * FROM a"), model_rows(&columns, &model), "{context}");
                assert_eq!(
                    rows(&db, "SELECT * FROM va"),
                    rows(&db, "SELECT COUNT(*), SUM(id), MAX(id) FROM a"),
                    "{context}"
                );
                assert_eq!(rows(&db, "SELECT * FROM vb"), rows(&db, "SELECT id, id + 1 FROM a"), "{context}");
            }
        }
    }
}

#[test]
fn rows_go_when_their_time_is_over() {
    let db = Database::open(Config::partitions(2)).expect("it opens");
    db.execute_script(
        "CREATE TABLE s (id INTEGER NOT NULL PRIMARY KEY, t TIMESTAMP NOT NULL) USING TTL 1 HOURS ON COLUMN t BATCH_SIZE 2;
         CREATE TABLE kept (id INTEGER NOT NULL, t TIMESTAMP NOT NULL);
         CREATE VIEW v (n) AS SELECT COUNT(*) FROM s;
         INSERT INTO s VALUES (1, '2001-01-01'), (2, '2001-01-01'), (3, '2001-01-02'), (4, '2001-01-03'), (5, NOW),
           (6, '2001-01-01'), (7, '2001-01-01');
         INSERT INTO kept VALUES (1, '2001-01-01'), (2, NOW);",
    )
    .expect("it is right");
    // The thread of the database may have come first: all that counts is what is left.
    db.expire_rows().expect("nothing stands against it");
    assert_eq!(db.query("SELECT id FROM s", &[]).expect("a query").rows, [[Value::Int(5)]]);
    assert_eq!(db.query("SELECT n FROM v", &[]).expect("a query").rows, [[Value::Int(1)]]);
    assert_eq!(db.query("SELECT COUNT(*) FROM kept", &[]).expect("a query").rows, [[Value::Int(2)]]);
}
