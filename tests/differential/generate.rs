//! Random rows, expressions and queries of the dialect that SQLite shares with us, from a seed.

/// xorshift64*: the same numbers everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

const TEXTS: [&str; 9] = ["''", "'a'", "'b'", "'ab'", "'abc'", "'B'", "'10'", "'a b'", "'é'"];
const PATTERNS: [&str; 6] = ["'a%'", "'%b'", "'_'", "'%'", "'a_'", "'%b%'"];
const COMPARISONS: [&str; 6] = ["=", "<>", "<", "<=", ">", ">="];

/// Two tables; the first is partitioned on its key, the second on a column that is none.
pub const TABLES: [&str; 2] = [
    "CREATE TABLE t (id INTEGER NOT NULL, a INTEGER, b BIGINT, s VARCHAR(12), PRIMARY KEY (id))",
    "CREATE TABLE u (id INTEGER NOT NULL, p INTEGER NOT NULL, a INTEGER, s VARCHAR(12))",
];
pub const PARTITIONING: [&str; 2] = ["PARTITION TABLE t ON COLUMN id", "PARTITION TABLE u ON COLUMN p"];
pub const INDEXES: [&str; 4] = [
    "CREATE INDEX t_a ON t (a)",
    "CREATE INDEX t_sb ON t (s, b)",
    "CREATE INDEX u_a ON u (a, p)",
    "CREATE INDEX u_s ON u (s)",
];

/// One INSERT for each table.
pub fn rows(random: &mut Random) -> Vec<String> {
    let number = |random: &mut Random| match random.below(5) {
        0 => "NULL".to_owned(),
        _ => (random.below(12) as i64 - 4).to_string(),
    };
    let text = |random: &mut Random| if random.below(6) == 0 { "NULL" } else { random.pick(&TEXTS) };
    let t: Vec<String> =
        (0..30).map(|id| format!("({id}, {}, {}, {})", number(random), number(random), text(random))).collect();
    let u: Vec<String> =
        (0..25).map(|id| format!("({id}, {}, {}, {})", random.below(20), number(random), text(random))).collect();
    vec![format!("INSERT INTO t VALUES {}", t.join(", ")), format!("INSERT INTO u VALUES {}", u.join(", "))]
}

/// What stands in FROM, and the columns that it shows.
struct Scope {
    from: String,
    numbers: Vec<&'static str>,
    texts: Vec<&'static str>,
}

/// A query, and whether the order of its rows is defined.
pub fn query(random: &mut Random) -> (String, bool) {
    let mut g = Generator { random };
    match g.random.below(6) {
        0 => g.plain(),
        1 => g.ordered(),
        2 => g.grouped(),
        3 => g.set_operation(),
        4 => g.correlated(),
        _ => g.joined(),
    }
}

struct Generator<'a> {
    random: &'a mut Random,
}

impl Generator<'_> {
    fn plain(&mut self) -> (String, bool) {
        let scope = self.single();
        let distinct = self.random.pick(&["", "DISTINCT "]);
        let items = self.items(&scope, 2);
        let condition = self.condition(&scope, 3);
        (format!("SELECT {distinct}{items} FROM {} WHERE {condition}", scope.from), false)
    }

    fn ordered(&mut self) -> (String, bool) {
        let scope = self.single();
        let (items, key) = (self.items(&scope, 2), self.random.pick(&scope.numbers));
        let condition = self.condition(&scope, 2);
        let (direction, limit, offset) =
            (self.random.pick(&["", " DESC"]), 1 + self.random.below(8), self.random.below(4));
        let text = format!(
            "SELECT id, {items} FROM {} WHERE {condition} ORDER BY {key}{direction}, id LIMIT {limit} OFFSET {offset}",
            scope.from
        );
        (text, true)
    }

    fn grouped(&mut self) -> (String, bool) {
        let scope = if self.random.below(3) == 0 { self.join() } else { self.single() };
        let key = match self.random.below(3) {
            0 => self.random.pick(&scope.texts).to_owned(),
            1 => format!("{} % 3", self.random.pick(&scope.numbers)),
            _ => self.random.pick(&scope.numbers).to_owned(),
        };
        let argument = self.number(&scope, 1);
        let (condition, column) = (self.condition(&scope, 2), self.random.pick(&scope.numbers));
        let text = self.random.pick(&scope.texts);
        let having = self.random.pick(&["", " HAVING COUNT(*) > 1", " HAVING MAX(id) > 10 OR MIN(id) IS NULL"]);
        let having = if scope.from.contains("JOIN") { "" } else { having };
        let aggregates = format!(
            "COUNT(*), COUNT({column}), SUM({argument}), MIN({argument}), MAX({text}), COUNT(DISTINCT {column}), SUM(DISTINCT {column})"
        );
        match self.random.below(4) {
            0 => (format!("SELECT {aggregates} FROM {} WHERE {condition}", scope.from), false),
            _ => (
                format!("SELECT {key}, {aggregates} FROM {} WHERE {condition} GROUP BY {key}{having}", scope.from),
                false,
            ),
        }
    }

    fn set_operation(&mut self) -> (String, bool) {
        let mut parts = Vec::new();
        for _ in 0..2 {
            let scope = self.single();
            let (number, text) = (self.number(&scope, 1), self.text(&scope, 1));
            let condition = self.condition(&scope, 1);
            parts.push(format!("SELECT {number}, {text} FROM {} WHERE {condition}", scope.from));
        }
        let op = self.random.pick(&["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]);
        (format!("{} {op} {}", parts[0], parts[1]), false)
    }

    fn correlated(&mut self) -> (String, bool) {
        let column = self.random.pick(&["t.id", "t.a", "t.b"]);
        let comparison = self.random.pick(&COMPARISONS);
        let inner = self.random.pick(&["u.a", "u.p", "u.id"]);
        let scope = Scope { from: "t".to_owned(), numbers: vec!["t.id", "t.a", "t.b"], texts: vec!["t.s"] };
        let condition = self.condition(&scope, 1);
        let text = match self.random.below(5) {
            0 => format!(
                "SELECT id, (SELECT MAX(u.a) FROM u WHERE {inner} {comparison} {column}) FROM t WHERE {condition}"
            ),
            1 => format!(
                "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE {inner} = {column} AND u.s {comparison} t.s) OR {condition}"
            ),
            2 => format!(
                "SELECT id FROM t WHERE {column} NOT IN (SELECT {inner} FROM u WHERE u.id > 12) AND {condition}"
            ),
            3 => format!(
                "SELECT id FROM t WHERE {column} IN (SELECT {inner} FROM u WHERE u.s IS NOT NULL) OR {condition}"
            ),
            _ => format!(
                "SELECT q.k, COUNT(*) FROM (SELECT {inner} AS k, u.s AS s FROM u) q LEFT JOIN t ON q.k {comparison} {column} AND {condition} GROUP BY q.k"
            ),
        };
        (text, false)
    }

    fn joined(&mut self) -> (String, bool) {
        let scope = self.join();
        let items = self.items(&scope, 1);
        let condition = self.condition(&scope, 2);
        (format!("SELECT {items} FROM {} WHERE {condition}", scope.from), false)
    }

    fn single(&mut self) -> Scope {
        match self.random.below(2) {
            0 => Scope { from: "t".to_owned(), numbers: vec!["id", "a", "b"], texts: vec!["s"] },
            _ => Scope { from: "u".to_owned(), numbers: vec!["id", "p", "a"], texts: vec!["s"] },
        }
    }

    fn join(&mut self) -> Scope {
        let kind = self.random.pick(&["JOIN", "LEFT JOIN", "RIGHT JOIN"]);
        let on = self.random.pick(&[
            "t.id = u.p",
            "t.id = u.id",
            "t.a = u.a",
            "t.s = u.s",
            "t.a = u.a AND t.b > u.p",
            "t.id = u.p AND t.s = 'a'",
        ]);
        Scope {
            from: format!("t {kind} u ON {on}"),
            numbers: vec!["t.id", "t.a", "t.b", "u.id", "u.p", "u.a"],
            texts: vec!["t.s", "u.s"],
        }
    }

    fn items(&mut self, scope: &Scope, depth: usize) -> String {
        let items: Vec<String> = (0..1 + self.random.below(3))
            .map(|_| if self.random.below(3) == 0 { self.text(scope, depth) } else { self.number(scope, depth) })
            .collect();
        items.join(", ")
    }

    fn number(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(4) {
                0 => (self.random.below(9) as i64 - 3).to_string(),
                _ => self.random.pick(&scope.numbers).to_owned(),
            };
        }
        let d = depth - 1;
        match self.random.below(11) {
            0 => format!("({} + {})", self.number(scope, d), self.number(scope, d)),
            1 => format!("({} - {})", self.number(scope, d), self.number(scope, d)),
            2 => format!("({} * {})", self.number(scope, d), self.random.below(5)),
            3 => format!("({} / {})", self.number(scope, d), 1 + self.random.below(4)),
            4 => format!("({} % {})", self.number(scope, d), 1 + self.random.below(4)),
            5 => format!("ABS({})", self.number(scope, d)),
            6 => format!("COALESCE({}, {})", self.number(scope, d), self.number(scope, d)),
            7 => format!("NULLIF({}, {})", self.number(scope, d), self.number(scope, d)),
            8 => format!("LENGTH({})", self.text(scope, d)),
            9 => {
                let (when, then, otherwise) = (self.condition(scope, d), self.number(scope, d), self.number(scope, d));
                format!("CASE WHEN {when} THEN {then} ELSE {otherwise} END")
            }
            _ => self.random.pick(&scope.numbers).to_owned(),
        }
    }

    fn text(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(3) {
                0 => self.random.pick(&TEXTS).to_owned(),
                _ => self.random.pick(&scope.texts).to_owned(),
            };
        }
        let d = depth - 1;
        match self.random.below(8) {
            0 => format!("({} || {})", self.text(scope, d), self.text(scope, d)),
            1 => format!("SUBSTR({}, {}, {})", self.text(scope, d), 1 + self.random.below(3), self.random.below(3)),
            2 => format!("REPLACE({}, 'a', 'xy')", self.text(scope, d)),
            3 => format!("TRIM({})", self.text(scope, d)),
            4 => format!("COALESCE({}, {})", self.text(scope, d), self.text(scope, d)),
            5 => {
                let (when, then) = (self.condition(scope, d), self.text(scope, d));
                format!("CASE WHEN {when} THEN {then} END")
            }
            _ => self.random.pick(&scope.texts).to_owned(),
        }
    }

    fn condition(&mut self, scope: &Scope, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        let choices = if depth == 0 { 4 } else { 11 };
        match self.random.below(choices) {
            0 => format!("{} {} {}", self.number(scope, d), self.random.pick(&COMPARISONS), self.number(scope, d)),
            1 => format!("{} {} {}", self.text(scope, d), self.random.pick(&COMPARISONS), self.text(scope, d)),
            2 => format!("{} IS {}NULL", self.number(scope, d), self.random.pick(&["", "NOT "])),
            3 => {
                let not = self.random.pick(&["", "NOT "]);
                format!(
                    "{} {not}BETWEEN {} AND {}",
                    self.number(scope, d),
                    self.number(scope, d),
                    self.number(scope, d)
                )
            }
            4 => {
                let list = self.random.pick(&["1, 2, 3", "0, NULL, 4", "5, -1", "7"]);
                format!("{} {}IN ({list})", self.number(scope, d), self.random.pick(&["", "NOT "]))
            }
            5 => format!(
                "{} {}LIKE {}",
                self.text(scope, d),
                self.random.pick(&["", "NOT "]),
                self.random.pick(&PATTERNS)
            ),
            6 => format!("({} AND {})", self.condition(scope, d), self.condition(scope, d)),
            7 => format!("({} OR {})", self.condition(scope, d), self.condition(scope, d)),
            8 => format!("NOT ({})", self.condition(scope, d)),
            9 => {
                let not = self.random.pick(&["", "NOT "]);
                format!("{} IS {not}DISTINCT FROM {}", self.number(scope, d), self.number(scope, d))
            }
            _ => format!("{} = {}", self.random.pick(&scope.numbers), self.random.below(10)),
        }
    }
}
