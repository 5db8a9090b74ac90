//! The whole engine on a simulated disk: crashes at any write, recovers, and is held against a model that knows what was
//! acknowledged. Everything follows from a seed: `SIMULATION_SEEDS=4711 cargo test --test simulation -- --nocapture`
//! replays one; `FIRST..LAST` runs a range.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use votedb::client::{Clock, Durability, PlantedBug, Platform, SimulatedDisk};
use votedb::{Config, Database, SessionOptions, TxnError, Value};

const SCHEMA: &str = "
    CREATE TABLE chain (k BIGINT NOT NULL, n BIGINT NOT NULL, note VARCHAR(60), at_time TIMESTAMP NOT NULL,
                        PRIMARY KEY (k, n));
    PARTITION TABLE chain ON COLUMN k;
    CREATE VIEW chain_ends AS SELECT k, COUNT(*) AS links, SUM(n) AS total, MAX(n) AS last FROM chain GROUP BY k;
    CREATE TABLE spread_half (n BIGINT NOT NULL PRIMARY KEY);
    PARTITION TABLE spread_half ON COLUMN n;
    CREATE TABLE copied_half (n BIGINT NOT NULL PRIMARY KEY, at_time TIMESTAMP NOT NULL);
    CREATE PROCEDURE append (key BIGINT, note VARCHAR(60), fails BIGINT) PARTITION ON TABLE chain COLUMN k
      RETURNS BIGINT
    AS BEGIN
      DECLARE next BIGINT;
      SET next = COALESCE((SELECT last FROM chain_ends WHERE k = key), 0) + 1;
      INSERT INTO chain VALUES (key, next, note, NOW);
      IF fails = 1 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'asked to fail';
      END IF;
      RETURN next;
    END;
    CREATE PROCEDURE both (number BIGINT) AS BEGIN
      INSERT INTO spread_half VALUES (number);
      INSERT INTO copied_half VALUES (number, NOW);
    END;";

/// Keys of chains.
const KEYS: i64 = 7;

#[derive(Debug)]
struct SimulatedClock(AtomicI64);

impl Clock for SimulatedClock {
    fn now_micros(&self) -> i64 {
        self.0.fetch_add(1_000, Ordering::SeqCst)
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }
    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// How far something got: what must be there at least, and what may be there at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bounds {
    acknowledged: i64,
    tried: i64,
}

#[derive(Clone, Debug, Default)]
struct Model {
    chains: BTreeMap<i64, Bounds>,
    /// Numbers given to `both`: must be there?
    pairs: BTreeMap<i64, bool>,
    /// Tables made on the way: must be there?
    tables: BTreeMap<i64, bool>,
    /// The schema is loaded.
    schema: bool,
}

struct Simulation {
    seed: u64,
    random: Random,
    disk: SimulatedDisk,
    clock: Arc<SimulatedClock>,
    model: Model,
    /// What the last flush, or the last start, made sure of.
    flushed: Model,
    planted: Option<PlantedBug>,
    /// The last number that was used.
    next: i64,
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

impl Simulation {
    fn new(seed: u64, planted: Option<PlantedBug>) -> Simulation {
        Simulation {
            seed,
            random: Random(seed),
            disk: SimulatedDisk::new(seed),
            clock: Arc::new(SimulatedClock(AtomicI64::new(1_700_000_000_000_000))),
            model: Model::default(),
            flushed: Model::default(),
            planted,
            next: 0,
        }
    }

    fn config(&mut self, durability: Durability) -> Config {
        Config {
            durability,
            platform: Some(Platform {
                disk: Arc::new(self.disk.clone()),
                clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
                background: false,
                segment_bytes: 2_000,
                planted: self.planted,
            }),
            ..Config::partitions(1 + self.random.below(4) as usize)
        }
    }

    fn note(&self, text: impl Into<String>) {
        self.disk.note(format!("  -- {}", text.into()));
    }

    /// Several lives of the database, each ended by something bad or by a close.
    fn run(&mut self) -> Result<(), String> {
        for life in 0..4 {
            let durability = if self.random.one_in(4) { Durability::Async } else { Durability::Sync };
            let config = self.config(durability);
            self.note(format!("life {life}: {durability}, {} partitions", config.partitions));
            self.plan_fault();
            match Database::open(config) {
                Ok(db) => {
                    // It may have lasted though nobody was told.
                    self.model.schema |= db.catalog().table(&votedb::types::Name::new("chain")).is_some();
                    if self.model.schema {
                        self.check(&db)?;
                    }
                    self.live(&db, durability)?;
                    drop(db);
                }
                Err(error) if self.disk.has_faulted() => self.note(format!("not opened: {error}")),
                Err(error) => return Err(format!("life {life} does not open: {error}")),
            }
            self.end(durability)?;
        }
        let config = self.config(Durability::Sync);
        let db = Database::open(config).map_err(|error| format!("the last life does not open: {error}"))?;
        if self.model.schema { self.check(&db) } else { Ok(()) }
    }

    fn plan_fault(&mut self) {
        let at = self.disk.operations() + self.random.below(120);
        match self.random.below(6) {
            0..=2 => self.disk.crash_at(at),
            3 => self.disk.fail_from(at),
            4 => self.disk.fail_sync(at),
            _ => {}
        }
    }

    /// What follows a life.
    fn end(&mut self, durability: Durability) -> Result<(), String> {
        let power = self.disk.has_crashed() || self.random.one_in(2);
        if durability == Durability::Async && (power || self.disk.has_faulted()) {
            let flushed = self.flushed.clone();
            self.forget(&flushed);
        }
        if power {
            self.disk.restart();
        } else {
            self.disk.restart_process();
        }
        if self.random.one_in(3) && self.model.schema {
            self.try_a_damaged_copy()?;
        }
        Ok(())
    }

    /// What was acknowledged may be lost, but for what `sure` has.
    fn forget(&mut self, sure: &Model) {
        for (key, bounds) in &mut self.model.chains {
            bounds.acknowledged = sure.chains.get(key).map_or(0, |bounds| bounds.acknowledged);
        }
        let was_sure = |known: &BTreeMap<i64, bool>, n: &i64| known.get(n).is_some_and(|sure| *sure);
        self.model.pairs.iter_mut().for_each(|(n, now)| *now = was_sure(&sure.pairs, n));
        self.model.tables.iter_mut().for_each(|(n, now)| *now = was_sure(&sure.tables, n));
    }

    /// A flipped bit is found, or it changes nothing.
    fn try_a_damaged_copy(&mut self) -> Result<(), String> {
        let copy = self.disk.copy();
        let Some((file, at)) = copy.flip_bit(if self.random.one_in(2) { "vlog" } else { "vsnap" }) else {
            return Ok(());
        };
        self.note(format!("a copy with byte {at} of {file} flipped"));
        let mut config = self.config(Durability::Sync);
        if let Some(platform) = &mut config.platform {
            platform.disk = Arc::new(copy);
        }
        match Database::open(config) {
            Err(error) => {
                self.note(format!("found: {error}"));
                Ok(())
            }
            Ok(db) => {
                let mut whole = self.model.clone();
                // A torn tail is told, and takes what was in the last block.
                let told = !db.data_folder().expect("it has one").notes.is_empty();
                if told {
                    self.forget(&Model::default());
                }
                let checked = self.check(&db);
                std::mem::swap(&mut self.model, &mut whole);
                checked.map_err(|error| format!("byte {at} of {file} flipped, not told: {error}"))
            }
        }
    }

    /// Work.
    fn live(&mut self, db: &Database, durability: Durability) -> Result<(), String> {
        if !self.model.schema {
            let loaded = db.execute_batch(SCHEMA);
            if let Err(errors) = loaded {
                return if self.disk.has_faulted() { Ok(()) } else { Err(format!("no schema: {}", errors[0])) };
            }
            // A schema that nobody has on disk is no schema.
            if db.flush_log().is_err() {
                return Ok(());
            }
            self.model.schema = true;
        }
        for _ in 0..self.random.below(40) {
            let done = match self.random.below(12) {
                0..=3 => self.call(db),
                4..=6 => self.pipeline(db),
                7 => self.both(db),
                8 => self.statement(db),
                9 => self.table(db),
                10 => self.save(db),
                _ => {
                    if durability == Durability::Async && db.flush_log().is_ok() {
                        self.note("flushed");
                        self.flushed = self.model.clone();
                    }
                    Ok(())
                }
            };
            done?;
            if self.disk.has_crashed() {
                break;
            }
        }
        // Reads go on, whatever the disk does.
        db.query("SELECT COUNT(*) FROM chain", &[]).map(drop).map_err(|error| format!("a read failed: {error}"))
    }

    fn arguments(&mut self) -> (i64, bool, [Value; 3]) {
        let key = self.random.below(KEYS as u64) as i64;
        let fails = self.random.one_in(8);
        let note = match self.random.below(3) {
            0 => Value::Null,
            1 => Value::from("short"),
            _ => Value::from("a note that is longer than fits into a register"),
        };
        (key, fails, [Value::Int(key), note, Value::Int(fails.into())])
    }

    fn told(&mut self, key: i64, fails: bool, answer: &Result<i64, Box<TxnError>>) -> Result<(), String> {
        let bounds = self.model.chains.entry(key).or_default();
        match answer {
            Ok(n) if !fails => {
                bounds.acknowledged = bounds.acknowledged.max(*n);
                bounds.tried = bounds.tried.max(*n);
                Ok(())
            }
            Err(error) if fails && error.sqlstate() == "45000" => Ok(()),
            Err(error) if self.disk.has_faulted() && matches!(**error, TxnError::NotDurable { .. }) => {
                bounds.tried += 1;
                Ok(())
            }
            Err(error) if self.disk.has_faulted() && matches!(**error, TxnError::ReadOnly { .. }) => Ok(()),
            other => Err(format!("append({key}, fails {fails}) gave {other:?}")),
        }
    }

    fn call(&mut self, db: &Database) -> Result<(), String> {
        let (key, fails, arguments) = self.arguments();
        let mut append = db.procedure("append").map_err(|error| error.to_string())?;
        let answer = append.call(&arguments).map(|response| number(&response.returned));
        self.note(format!("append {key}: {}", shown(&answer)));
        self.told(key, fails, &answer)
    }

    fn pipeline(&mut self, db: &Database) -> Result<(), String> {
        let append = db.procedure("append").map_err(|error| error.to_string())?;
        let batch = 1 + self.random.below(6) as usize;
        let mut session = db.session(SessionOptions { in_flight_max: 64, batch });
        let mut asked = Vec::new();
        for tag in 0..1 + self.random.below(20) {
            let (key, fails, arguments) = self.arguments();
            asked.push((key, fails));
            session.submit(&append, &arguments, tag).map_err(|error| error.to_string())?;
        }
        let mut answers = Vec::new();
        session.drain(|tag, answer| answers.push((tag, answer.map(|response| number(&response.returned)))));
        let acknowledged = answers.iter().filter(|(_, answer)| answer.is_ok()).count();
        self.note(format!("{} appends in batches of {batch}: {acknowledged} acknowledged", asked.len()));
        for (tag, answer) in answers {
            let (key, fails) = asked[tag as usize];
            self.told(key, fails, &answer)?;
        }
        Ok(())
    }

    fn refused(&self, error: &dyn std::fmt::Display, sqlstate: &str) -> Result<(), String> {
        let is_ours = self.disk.has_faulted() && ["25006", "58030"].contains(&sqlstate);
        if is_ours { Ok(()) } else { Err(format!("{sqlstate}: {error}")) }
    }

    fn both(&mut self, db: &Database) -> Result<(), String> {
        self.next += 1;
        let n = self.next;
        let answer = db.procedure("both").and_then(|mut both| both.call(&[Value::Int(n)]));
        self.note(format!("both {n}: {}", if answer.is_ok() { "acknowledged" } else { "not acknowledged" }));
        self.model.pairs.insert(n, answer.is_ok());
        answer.map_or_else(|error| self.refused(&error, error.sqlstate()), |_| Ok(()))
    }

    /// The same as `both`, in two ad hoc statements that each may fail.
    fn statement(&mut self, db: &Database) -> Result<(), String> {
        let (key, ..) = self.arguments();
        let sql =
            "INSERT INTO chain SELECT CAST(? AS BIGINT), COALESCE(MAX(n), 0) + 1, 'ad hoc', NOW FROM chain WHERE k = ?";
        let answer = db.execute(sql, &[Value::Int(key), Value::Int(key)]);
        self.note(format!("statement on {key}: {}", if answer.is_ok() { "acknowledged" } else { "not acknowledged" }));
        let last = db
            .query("SELECT MAX(n) FROM chain WHERE k = ?", &[Value::Int(key)])
            .map_err(|error| format!("a read failed: {error}"))?;
        let last = last.rows.first().map_or(0, |row| number(&row[0]));
        let bounds = self.model.chains.entry(key).or_default();
        bounds.tried = bounds.tried.max(last);
        match answer {
            Ok(_) => {
                bounds.acknowledged = last;
                Ok(())
            }
            Err(error) => self.refused(&error, &error.sqlstate),
        }
    }

    fn table(&mut self, db: &Database) -> Result<(), String> {
        self.next += 1;
        let n = self.next;
        let answer = db.execute(&format!("CREATE TABLE made_{n} (a INTEGER)"), &[]);
        self.note(format!("table {n}: {}", if answer.is_ok() { "acknowledged" } else { "not acknowledged" }));
        self.model.tables.insert(n, answer.is_ok());
        answer.map_or_else(|error| self.refused(&error, &error.sqlstate), |_| Ok(()))
    }

    fn save(&mut self, db: &Database) -> Result<(), String> {
        match db.snapshot() {
            Ok(_) => {
                self.note("snapshot");
                Ok(())
            }
            Err(error) => self.refused(&error, &error.sqlstate),
        }
    }

    /// Holds a database that was just opened against the model; from now on what is there is what there is.
    fn check(&mut self, db: &Database) -> Result<(), String> {
        let rows = |sql: &str| {
            let result = db.query(sql, &[]).map_err(|error| format!("{sql}: {error}"));
            result
                .map(|result| result.rows.iter().map(|row| row.iter().map(number).collect()).collect::<Vec<Vec<i64>>>())
        };
        let table = rows("SELECT k, COUNT(*), SUM(n), MAX(n) FROM chain GROUP BY k ORDER BY k")?;
        let view = rows("SELECT k, links, total, last FROM chain_ends ORDER BY k")?;
        if table != view {
            return Err(format!("the view is {view:?}, its query gives {table:?}"));
        }
        let found: BTreeMap<i64, i64> = table.iter().map(|row| (row[0], row[1])).collect();
        for row in &table {
            if row[1] != row[3] || row[2] != row[3] * (row[3] + 1) / 2 {
                return Err(format!("chain {} has {} links, the last is {}", row[0], row[1], row[3]));
            }
        }
        for key in 0..KEYS {
            let bounds = self.model.chains.entry(key).or_default();
            let length = found.get(&key).copied().unwrap_or(0);
            if length < bounds.acknowledged || length > bounds.tried {
                return Err(format!("chain {key} has {length} links, the model says {bounds:?}"));
            }
            *bounds = Bounds { acknowledged: length, tried: length };
        }
        let spread: Vec<i64> = rows("SELECT n FROM spread_half ORDER BY n")?.concat();
        let copied: Vec<i64> = rows("SELECT n FROM copied_half ORDER BY n")?.concat();
        if spread != copied {
            return Err(format!("half a transaction: {spread:?} and {copied:?}"));
        }
        for (n, sure) in &mut self.model.pairs {
            let is_there = spread.contains(n);
            if *sure && !is_there {
                return Err(format!("both({n}) was acknowledged and is gone"));
            }
            *sure = is_there;
        }
        if let Some(n) = spread.iter().find(|n| !self.model.pairs.contains_key(n)) {
            return Err(format!("nobody asked for both({n})"));
        }
        let catalog = db.catalog();
        for (n, sure) in &mut self.model.tables {
            let is_there = catalog.table(&votedb::types::Name::new(&format!("made_{n}"))).is_some();
            if *sure && !is_there {
                return Err(format!("table {n} was acknowledged and is gone"));
            }
            *sure = is_there;
        }
        self.note("as the model says");
        self.flushed = self.model.clone();
        Ok(())
    }
}

fn shown(answer: &Result<i64, Box<TxnError>>) -> String {
    match answer {
        Ok(n) => format!("link {n} acknowledged"),
        Err(error) => error.to_string(),
    }
}

fn simulate(seed: u64, planted: Option<PlantedBug>) -> Result<Vec<String>, String> {
    let mut simulation = Simulation::new(seed, planted);
    let result = simulation.run();
    let trace = simulation.disk.trace();
    match result {
        Ok(()) => Ok(trace),
        Err(error) => {
            let lines = trace[trace.len().saturating_sub(400)..].join("\n");
            Err(format!("seed {}: {error}\n{lines}\nseed {}: {error}", simulation.seed, simulation.seed))
        }
    }
}

/// `FIRST..LAST`, or one number.
fn seeds() -> std::ops::Range<u64> {
    let text = std::env::var("SIMULATION_SEEDS").unwrap_or_else(|_| "0..200".to_owned());
    match text.split_once("..") {
        Some((first, last)) => first.parse().expect("a number")..last.parse().expect("a number"),
        None => {
            let seed = text.parse().expect("a number, or FIRST..LAST");
            seed..seed + 1
        }
    }
}

#[test]
fn nothing_acknowledged_is_lost_whatever_the_disk_does() {
    for seed in seeds() {
        if let Err(failure) = simulate(seed, None) {
            panic!("{failure}");
        }
    }
}

#[test]
fn a_seed_gives_the_same_run_again() {
    for seed in [1, 2, 3] {
        assert_eq!(simulate(seed, None), simulate(seed, None));
    }
}

fn is_found(planted: PlantedBug) {
    let found = (0..200).find(|&seed| simulate(seed, Some(planted)).is_err());
    assert!(found.is_some(), "200 seeds do not find {planted:?}");
}

#[test]
fn a_missing_sync_is_found() {
    is_found(PlantedBug::MissingSync);
}

#[test]
fn an_ignored_checksum_is_found() {
    is_found(PlantedBug::IgnoredChecksum);
}

#[test]
fn an_acknowledgement_before_the_sync_is_found() {
    is_found(PlantedBug::EarlyAcknowledgement);
}

/// A folder with a snapshot and a log of some blocks.
fn small_folder() -> (Simulation, Vec<Vec<Value>>) {
    let mut simulation = Simulation::new(1, None);
    let db = Database::open(simulation.config(Durability::Sync)).unwrap();
    db.execute_batch(SCHEMA).unwrap();
    let mut append = db.procedure("append").unwrap();
    let mut call = |key| drop(append.call(&[Value::Int(key), Value::from("note"), Value::Int(0)]).unwrap());
    [1, 2, 3].into_iter().for_each(&mut call);
    db.snapshot().unwrap();
    [1, 1, 2].into_iter().for_each(&mut call);
    let rows = db.query(ALL_LINKS, &[]).unwrap().rows;
    // As if the process had been killed.
    simulation.disk = simulation.disk.copy();
    (simulation, rows)
}

const ALL_LINKS: &str = "SELECT k, n FROM chain ORDER BY k, n";

#[test]
fn every_flipped_byte_of_a_folder_is_found_or_changes_nothing() {
    let (mut simulation, rows) = small_folder();
    let (mut found, mut told, mut harmless) = (0, 0, 0);
    for name in ["snapshot-0000000001.vsnap", "log-0000000002.vlog"] {
        let intact = simulation.disk.content(name).unwrap();
        for at in 0..intact.len() {
            let copy = simulation.disk.copy();
            let mut bytes = intact.clone();
            bytes[at] ^= 0x10;
            copy.put(name, bytes);
            let mut config = simulation.config(Durability::Sync);
            config.partitions = 1;
            config.platform.as_mut().unwrap().disk = Arc::new(copy);
            match Database::open(config) {
                Err(_) => found += 1,
                Ok(db) if !db.data_folder().unwrap().notes.is_empty() => {
                    let left = db.query(ALL_LINKS, &[]).unwrap().rows;
                    assert!(
                        left == rows || left.len() + 1 == rows.len(),
                        "byte {at} of {name}: more than a block is gone"
                    );
                    told += 1;
                }
                Ok(db) => {
                    assert_eq!(db.query(ALL_LINKS, &[]).unwrap().rows, rows, "byte {at} of {name}");
                    harmless += 1;
                }
            }
        }
    }
    assert!(found > 1_000 && told > 0, "{found} found, {told} told, {harmless} harmless");
}

#[test]
fn a_folder_opens_as_it_was_before_a_target_and_goes_on_from_there() {
    let (mut simulation, rows) = small_folder();
    let open = |simulation: &mut Simulation, until| {
        let config = Config { recover_until: until, ..simulation.config(Durability::Sync) };
        Database::open(config)
    };
    // One batch of definitions, then six calls.
    let before = open(&mut simulation, Some(votedb::client::RecoverUntil::Transaction(6))).unwrap();
    assert_eq!(before.query(ALL_LINKS, &[]).unwrap().rows.len(), rows.len() - 1);
    before.procedure("append").unwrap().call(&[Value::Int(5), Value::Null, Value::Int(0)]).unwrap();
    simulation.disk.restart_process();
    let copy = simulation.disk.copy();
    drop(before);
    simulation.disk = copy;
    let after = open(&mut simulation, None).unwrap();
    assert_eq!(after.query(ALL_LINKS, &[]).unwrap().rows.len(), rows.len());
    assert_eq!(after.query("SELECT COUNT(*) FROM chain WHERE k = 5", &[]).unwrap().rows, [[Value::Int(1)]]);
    drop(after);
    let error = open(&mut simulation, Some(votedb::client::RecoverUntil::Transaction(2))).err().unwrap();
    assert!(error.to_string().contains("lies before the snapshot"), "{error}");
}
