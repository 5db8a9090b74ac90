//! Random changes against a naive model of the tables: rows, views and indexes always agree with it, and what fails leaves
//! nothing behind. Every run has a seed, which a failure names; `SEED=n` repeats it.

use std::collections::BTreeMap;
use votedb::{Config, Database, Value};

/// xorshift64*: small, seeded, and enough to choose with.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    fn below(&mut self, n: i64) -> i64 {
        (self.next() >> 11) as i64 % n
    }
    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as i64) as usize]
    }
}

/// A row but for its key: g VARCHAR, n INTEGER, d DECIMAL (in twelfths of its last place), u (unique where not NULL).
#[derive(Clone, Debug, PartialEq)]
struct Row {
    g: Option<&'static str>,
    n: Option<i64>,
    d: Option<i64>,
    u: Option<i64>,
}

type Model = BTreeMap<i64, Row>;

const GROUPS: [Option<&str>; 6] =
    [None, Some(""), Some("a"), Some("b"), Some("a group too long for the row"), Some("é")];
const TABLES: [&str; 2] = ["p", "r"];

const SCHEMA: &str = "
    CREATE TABLE {t} (id INTEGER NOT NULL, g VARCHAR(40), n INTEGER, d DECIMAL, u INTEGER, PRIMARY KEY (id));
    {partition}
    CREATE {unique} INDEX {t}_u ON {t} (u);
    CREATE INDEX {t}_g ON {t} (g, n);
    CREATE INDEX {t}_n ON {t} (n);
    CREATE INDEX {t}_gu ON {t} (g);
    CREATE VIEW {t}_by_g (g, c, cn, s, lo, hi, sd, ld) AS
      SELECT g, COUNT(*), COUNT(n), SUM(n), MIN(n), MAX(n), SUM(d), MIN(d) FROM {t} GROUP BY g;
    CREATE VIEW {t}_by_gn (g, n, c, hi) AS SELECT g, n, COUNT(*), MAX(id) FROM {t} GROUP BY g, n;
    CREATE VIEW {t}_all (c, s, lo, hg) AS SELECT COUNT(*), SUM(n), MIN(n), MAX(g) FROM {t};
    CREATE VIEW {t}_some (m, c, s) AS SELECT n / 10, COUNT(*), SUM(n * 2 + id) FROM {t} WHERE n > 5 AND g <> 'b' GROUP BY n / 10;
    CREATE VIEW {t}_by_id (id, c, s) AS SELECT id, COUNT(*), SUM(n) FROM {t} GROUP BY id;
";

/// Each view with its defining query.
const VIEWS: [(&str, &str); 5] = [
    ("by_g", "SELECT g, COUNT(*), COUNT(n), SUM(n), MIN(n), MAX(n), SUM(d), MIN(d) FROM {t} GROUP BY g"),
    ("by_gn", "SELECT g, n, COUNT(*), MAX(id) FROM {t} GROUP BY g, n"),
    ("all", "SELECT COUNT(*), SUM(n), MIN(n), MAX(g) FROM {t}"),
    ("some", "SELECT n / 10, COUNT(*), SUM(n * 2 + id) FROM {t} WHERE n > 5 AND g <> 'b' GROUP BY n / 10"),
    ("by_id", "SELECT id, COUNT(*), SUM(n) FROM {t} GROUP BY id"),
];

const PROCEDURES: &str = "
    CREATE PROCEDURE fail_one (k INTEGER) PARTITION ON TABLE p COLUMN id AS BEGIN
      UPSERT INTO p VALUES (k, 'b', 999, 1.5, NULL);
      UPDATE p SET n = -5, g = 'a group too long for the row' WHERE id = k;
      DELETE FROM p WHERE id = k;
      INSERT INTO p VALUES (k, 'é', 1000, NULL, NULL);
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'as asked';
    END;
    CREATE PROCEDURE fail_all (k INTEGER) AS BEGIN
      UPDATE p SET n = k, g = 'b';
      UPDATE r SET d = k, g = NULL WHERE id >= k;
      DELETE FROM r WHERE id < k;
      DELETE FROM p WHERE id > k;
      INSERT INTO p SELECT id + 10000, g, n, d, NULL FROM r;
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'as asked';
    END;
    CREATE PROCEDURE fail_late (k INTEGER) AS BEGIN
      FOR x AS SELECT id FROM p ORDER BY id DO
        UPDATE p SET n = 10 / (x.id - k) WHERE id = x.id;
      END FOR;
      TRUNCATE TABLE p;
      TRUNCATE TABLE r;
      INSERT INTO r VALUES (1, NULL, NULL, NULL, NULL), (1, NULL, NULL, NULL, NULL);
    END;
";

fn open(partitions: usize, indexed: bool) -> Database {
    let db = Database::open(Config::partitions(partitions)).unwrap();
    for (table, partition) in [("p", "PARTITION TABLE p ON COLUMN id;"), ("r", "")] {
        // Partitioned, u cannot be unique: it is an index like any other.
        let unique = if table == "r" { "UNIQUE" } else { "" };
        let script = SCHEMA.replace("{t}", table).replace("{partition}", partition).replace("{unique}", unique);
        let kept = |line: &&str| indexed || !line.contains("INDEX");
        let script: String = script.split_inclusive('\n').filter(kept).collect();
        db.execute_script(&script).unwrap();
    }
    if indexed {
        db.execute_script(PROCEDURES).unwrap();
    }
    db
}

fn text(value: Option<&str>) -> String {
    value.map_or("NULL".to_owned(), |v| format!("'{v}'"))
}
fn number(value: Option<i64>) -> String {
    value.map_or("NULL".to_owned(), |v| v.to_string())
}
/// Hundredths.
fn decimal(value: Option<i64>) -> String {
    value.map_or("NULL".to_owned(), |v| {
        format!("{}{}.{:02}", if v < 0 { "-" } else { "" }, v.abs() / 100, v.abs() % 100)
    })
}

/// Rows as texts, sorted: to be compared whatever their order.
fn rows(db: &Database, sql: &str) -> Vec<String> {
    let result = db.query(sql, &[]).unwrap_or_else(|error| panic!("{sql}\n{}", error.render(sql, None)));
    let mut rows: Vec<String> = result.rows.iter().map(|row| format!("{row:?}")).collect();
    rows.sort();
    rows
}

fn model_rows(model: &Model) -> Vec<String> {
    let mut rows: Vec<String> = model
        .iter()
        .map(|(id, row)| {
            let d = row.d.map(|d| votedb::types::Decimal::from_scaled(d as i128 * 10_000_000_000));
            let values = [Value::Int(*id), row.g.into(), row.n.into(), d.into(), row.u.into()];
            format!("{:?}", values.to_vec())
        })
        .collect();
    rows.sort();
    rows
}

fn check(db: &Database, models: &[Model; 2], context: &str) {
    for (table, model) in TABLES.iter().zip(models) {
        assert_eq!(rows(db, &format!("SELECT id, g, n, d, u FROM {table}")), model_rows(model), "{table}: {context}");
        for (view, query) in VIEWS {
            let (stored, fresh) =
                (rows(db, &format!("SELECT * FROM {table}_{view}")), rows(db, &query.replace("{t}", table)));
            assert_eq!(stored, fresh, "{table}_{view}: {context}");
        }
    }
}

/// A condition in SQL, and what it is of a row; None is UNKNOWN.
type Condition = (String, Box<dyn Fn(i64, &Row) -> bool>);

fn condition(random: &mut Random) -> Condition {
    let k = random.below(40);
    let (low, high) = (random.below(40), random.below(40));
    let g = *random.pick(&GROUPS[1..]);
    match random.below(8) {
        0 => (format!("id = {k}"), Box::new(move |id, _| id == k)),
        1 => (
            format!("n BETWEEN {low} AND {high}"),
            Box::new(move |_, row| row.n.is_some_and(|n| low <= n && n <= high)),
        ),
        2 => (format!("g = {}", text(g)), Box::new(move |_, row| row.g == g)),
        3 => ("g IS NULL".to_owned(), Box::new(|_, row| row.g.is_none())),
        4 => (
            format!("g = {} AND n >= {low}", text(g)),
            Box::new(move |_, row| row.g == g && row.n.is_some_and(|n| n >= low)),
        ),
        5 => (format!("id IN ({k}, {low}, {high})"), Box::new(move |id, _| id == k || id == low || id == high)),
        6 => (format!("id > {low} OR n IS NULL"), Box::new(move |id, row| id > low || row.n.is_none())),
        _ => (format!("u = {k}"), Box::new(move |_, row| row.u == Some(k))),
    }
}

/// True if `u` of a replicated table would be there twice.
fn clashes(model: &Model) -> bool {
    let mut seen: Vec<i64> = model.values().filter_map(|row| row.u).collect();
    let all = seen.len();
    seen.sort_unstable();
    seen.dedup();
    seen.len() != all
}

fn random_row(random: &mut Random) -> Row {
    let mut maybe = |value: i64, odds: i64| (random.below(odds) != 0).then_some(value);
    let (n, d, u) = (maybe(0, 5), maybe(0, 4), maybe(0, 3));
    Row {
        g: *random.pick(&GROUPS),
        n: n.map(|_| random.below(60) - 10),
        d: d.map(|_| random.below(2000) - 1000),
        u: u.map(|_| random.below(60)),
    }
}

fn values(id: i64, row: &Row) -> String {
    format!("({id}, {}, {}, {}, {})", text(row.g), number(row.n), decimal(row.d), number(row.u))
}

/// One random change: its SQL, and the model after it; None if it must fail.
fn change(random: &mut Random, table: &str, model: &Model) -> (String, Option<Model>, i64) {
    let unique = table == "r";
    let mut after = model.clone();
    let mut fails = false;
    let (sql, count) = match random.below(10) {
        0..=2 => {
            let count = 1 + random.below(4);
            let mut list = Vec::new();
            for _ in 0..count {
                let (id, row) = (random.below(40), random_row(random));
                list.push(values(id, &row));
                fails |= after.insert(id, row).is_some() || unique && clashes(&after);
            }
            (format!("INSERT INTO {table} VALUES {}", list.join(", ")), count)
        }
        3 => {
            let (id, row) = (random.below(40), random_row(random));
            let sql = format!("UPSERT INTO {table} VALUES {}", values(id, &row));
            after.insert(id, row);
            fails = unique && clashes(&after);
            (sql, 1)
        }
        4 => {
            let (id, g) = (random.below(40), *random.pick(&GROUPS));
            let new = Row { g, n: None, d: None, u: None };
            after.entry(id).and_modify(|row| row.g = g).or_insert(new);
            (format!("UPSERT INTO {table} (id, g) VALUES ({id}, {})", text(g)), 1)
        }
        5 | 6 => {
            let (sql, holds) = condition(random);
            let (g, add, id) = (*random.pick(&GROUPS), random.below(20) - 10, random.below(4));
            let mut count = 0;
            for (key, row) in after.iter_mut().filter(|(key, row)| holds(**key, row)) {
                let old = row.clone();
                count += 1;
                match id {
                    0 => row.g = g,
                    1 => row.n = old.n.map(|n| n + add),
                    2 => (row.g, row.n) = (g, Some(*key)),
                    // Keys that move over each other: unique all the same.
                    _ => row.u = old.u.map(|u| u + add),
                }
            }
            fails = unique && clashes(&after);
            let set = match id {
                0 => format!("g = {}", text(g)),
                1 => format!("n = n + {add}"),
                2 => format!("g = {}, n = id", text(g)),
                _ => format!("u = u + {add}"),
            };
            (format!("UPDATE {table} SET {set} WHERE {sql}"), count)
        }
        7 => {
            // Fails at the row whose id is divided by, if there is one with an n.
            let k = random.below(40);
            fails = after.get(&k).is_some_and(|row| row.n.is_some());
            after.iter_mut().filter(|(key, _)| **key != k).for_each(|(key, row)| row.n = row.n.map(|n| n / (key - k)));
            (format!("UPDATE {table} SET n = n / (id - {k})"), after.len() as i64)
        }
        8 => {
            let (sql, holds) = condition(random);
            after.retain(|key, row| !holds(*key, row));
            (format!("DELETE FROM {table} WHERE {sql}"), (model.len() - after.len()) as i64)
        }
        _ => {
            let from = random.below(40);
            let copied: Vec<(i64, Row)> = after.range(from..).map(|(id, row)| (id + 40, row.clone())).collect();
            let count = copied.len() as i64;
            for (id, row) in copied {
                fails |= after.insert(id, Row { u: None, ..row }).is_some();
            }
            (format!("INSERT INTO {table} SELECT id + 40, g, n, d, NULL FROM {table} WHERE id >= {from}"), count)
        }
    };
    (sql, (!fails).then_some(after), count)
}

fn seeds() -> Vec<u64> {
    match std::env::var("SEED") {
        Ok(seed) => vec![seed.parse().expect("SEED is a number")],
        Err(_) => (1..=6).collect(),
    }
}

fn run(seed: u64, partitions: usize, steps: usize) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let db = open(partitions, true);
    let mut models = [Model::new(), Model::new()];
    for step in 0..steps {
        let at = random.below(2) as usize;
        let (sql, after, count) = change(&mut random, TABLES[at], &models[at]);
        let context = format!("seed {seed}, {partitions} partitions, step {step}: {sql}");
        match (db.execute(&sql, &[]), after) {
            (Ok(done), Some(after)) => {
                assert_eq!(done.results[0].modified_tuples(), Some(count), "{context}");
                models[at] = after;
            }
            (Err(_), None) => {}
            (Ok(_), None) => panic!("it must fail: {context}"),
            (Err(error), Some(_)) => panic!("{context}\n{}", error.render(&sql, None)),
        }
        check(&db, &models, &context);
        if step % 5 == 0 {
            let name = *random.pick(&["fail_one", "fail_all", "fail_late"]);
            let call = format!("EXEC {name} {}", random.below(40));
            let failed = db.execute(&call, &[]);
            assert!(failed.is_err(), "{call} after {context}");
            check(&db, &models, &format!("{call} after {context}"));
        }
        if step % 60 == 59 {
            for (table, model) in TABLES.iter().zip(&mut models) {
                model.retain(|id, _| id % 3 != 0 && *id < 40);
                db.execute(&format!("DELETE FROM {table} WHERE id % 3 = 0 OR id >= 40"), &[]).unwrap();
            }
        }
    }
}

#[test]
fn random_changes_leave_rows_and_views_as_in_a_model() {
    for seed in seeds() {
        run(seed, 1 + seed as usize % 4, 120);
    }
}

#[test]
fn queries_give_the_same_rows_with_and_without_indexes() {
    for seed in seeds() {
        let mut random = Random(seed.wrapping_mul(0xd134_2543_de82_ef95) | 1);
        let (with, without) = (open(3, true), open(2, false));
        let mut models = [Model::new(), Model::new()];
        for _ in 0..40 {
            let at = random.below(2) as usize;
            // Without its index, u is not unique: only what both take is run.
            if let (sql, Some(after), _) = change(&mut random, TABLES[at], &models[at]) {
                with.execute(&sql, &[]).unwrap();
                without.execute(&sql, &[]).unwrap();
                models[at] = after;
            }
        }
        for _ in 0..60 {
            let (first, second) = (condition(&mut random), condition(&mut random));
            let (table, other) = (*random.pick(&TABLES), *random.pick(&TABLES));
            let (k, g) = (random.below(40), text(*random.pick(&GROUPS)));
            let aliased = |condition: &str, alias: &str| {
                let mut out = String::new();
                for word in condition.split_inclusive(' ') {
                    let bare = word.trim();
                    let column = ["id", "g", "n", "u"].contains(&bare);
                    out.push_str(&if column { format!("{alias}.{word}") } else { word.to_owned() });
                }
                out
            };
            let (a, b) = (aliased(&first.0, "a"), aliased(&second.0, "b"));
            let queries = [
                format!("SELECT * FROM {table} WHERE {} AND ({})", first.0, second.0),
                format!("SELECT * FROM {table} WHERE {} OR ({})", first.0, second.0),
                format!("SELECT * FROM {table} WHERE NOT ({}) AND n < {k}", first.0),
                format!("SELECT g, COUNT(*), MIN(n), MAX(n), SUM(d) FROM {table} WHERE {} GROUP BY g", first.0),
                format!("SELECT id, n FROM {table} WHERE g > {g} ORDER BY n DESC, id LIMIT 7"),
                format!("SELECT id, n FROM {table} WHERE n >= {k} ORDER BY n, id DESC LIMIT 5 OFFSET 2"),
                format!("SELECT MIN(n), MAX(n), MIN(g), MAX(u) FROM {table} WHERE {}", first.0),
                format!("SELECT a.id, b.id FROM {table} AS a JOIN {other} AS b ON a.n = b.n WHERE {a} AND ({b})"),
                format!(
                    "SELECT a.id, b.id FROM {table} AS a LEFT JOIN {other} AS b ON a.g = b.g AND a.n < b.n WHERE {a}"
                ),
                format!(
                    "SELECT a.id, b.g FROM {table} AS a JOIN {other} AS b ON a.id = b.id WHERE ({b}) AND a.n > {k}"
                ),
                format!("SELECT id FROM {table} WHERE n IN (SELECT n FROM {other} WHERE {})", second.0),
                format!(
                    "SELECT a.id FROM {table} AS a WHERE EXISTS (SELECT * FROM {other} AS b WHERE b.u = a.n AND ({b}))"
                ),
                format!(
                    "SELECT a.id, (SELECT COUNT(*) FROM {other} AS b WHERE b.g = a.g AND b.n <= a.n) FROM {table} AS a"
                ),
                format!("SELECT DISTINCT g, n FROM {table} WHERE {} UNION ALL SELECT g, n FROM {other}", first.0),
                format!("SELECT g, c FROM {table}_by_g WHERE g >= {g}"),
                format!(
                    "SELECT v.g, a.id FROM {table}_by_gn AS v JOIN {other} AS a ON a.g = v.g AND a.n = v.n WHERE {a}"
                ),
            ];
            for sql in &queries {
                assert_eq!(rows(&with, sql), rows(&without, sql), "seed {seed}: {sql}");
            }
            // Plain conditions against the model, too.
            let model = &models[TABLES.iter().position(|t| *t == table).unwrap()];
            let expected = model.iter().filter(|(id, row)| first.1(**id, row)).count() as i64;
            let sql = format!("SELECT COUNT(*) FROM {table} WHERE {}", first.0);
            assert_eq!(with.query(&sql, &[]).unwrap().rows[0][0], Value::Int(expected), "seed {seed}: {sql}");
        }
    }
}
