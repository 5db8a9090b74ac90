//! The voter transaction straight on one partition's store: what the engine's heart costs without SQL around it.
//!
//! `cargo bench --bench storage [-- votes_millions ..]`, by default 2 and 20. Each line is one fresh store.

use hashbrown::{HashMap, HashSet};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
use votedb::catalog::{
    Catalog, CatalogChange, Column, Index, IndexKind, Key, Table, TableId, View, ViewAggregate, ViewAggregateKind,
};
use votedb::expr::expr::Expr;
use votedb::storage::Store;
use votedb::topology::PartitionId;
use votedb::types::{Arena, DataType, Datum, Name};

const CONTESTANTS: TableId = TableId(0);
const AREA_CODES: TableId = TableId(1);
const VOTES: TableId = TableId(2);
const BY_PHONE: TableId = TableId(3);
const STATE: DataType = DataType::Varchar { max: 2, bytes: false };
/// Calls between a prefetch and its use.
const AHEAD: usize = 12;
/// Votes between two looks at the clock: the median of these windows stands for a machine that does nothing else.
const WINDOW: usize = 256;

fn column(name: &str, ty: DataType) -> Column {
    Column { name: Name::new(name), ty, nullable: false, default: None }
}

fn table(id: TableId, name: &str, columns: &[(&str, DataType)], key: usize) -> Table {
    let columns: Vec<Column> = columns.iter().map(|&(name, ty)| column(name, ty)).collect();
    let key_of =
        |at: usize| Key { expr: Expr::reg(at as u16, columns[at].ty, false), column: Some(at), ty: columns[at].ty };
    let index = Index {
        name: Name::new(&format!("pk_{name}")),
        kind: IndexKind::Hash,
        unique: true,
        assume_unique: false,
        constraint: true,
        keys: (0..key).map(key_of).collect(),
        filter: None,
    };
    Table {
        id,
        name: Name::new(name),
        visible: columns.len(),
        partition_column: None,
        spread: true,
        primary_key: (key > 0).then_some(0),
        indexes: (key > 0).then(|| Arc::new(index)).into_iter().collect(),
        checks: Vec::new(),
        view: None,
        views: Vec::new(),
        ttl: None,
        columns,
    }
}

fn count_view(id: TableId, name: &str, groups: &[(&str, DataType, usize)]) -> Table {
    let mut columns: Vec<(&str, DataType)> = groups.iter().map(|&(name, ty, _)| (name, ty)).collect();
    columns.push(("num_votes", DataType::BigInt));
    let count =
        ViewAggregate { kind: ViewAggregateKind::CountStar, argument: None, column: groups.len(), count_column: None };
    let view = View {
        joined: Vec::new(),
        source: VOTES,
        filter: None,
        groups: groups.iter().map(|&(_, ty, at)| Expr::reg(at as u16, ty, false)).collect(),
        aggregates: vec![count],
        count_column: groups.len(),
        text: String::new(),
    };
    Table { view: Some(view), primary_key: None, ..table(id, name, &columns, groups.len()) }
}

fn store() -> Store {
    let mut catalog = Catalog::default();
    let text = DataType::Varchar { max: 50, bytes: false };
    catalog.put_table(table(CONTESTANTS, "contestants", &[("number", DataType::Integer), ("name", text)], 1));
    catalog.put_table(table(AREA_CODES, "area_code_state", &[("code", DataType::SmallInt), ("state", STATE)], 1));
    let columns = [("phone", DataType::BigInt), ("state", STATE), ("contestant", DataType::Integer)];
    catalog.put_table(Table { views: vec![BY_PHONE, TableId(4)], ..table(VOTES, "votes", &columns, 0) });
    catalog.put_table(count_view(BY_PHONE, "by_phone", &[("phone", DataType::BigInt, 0)]));
    let groups = [("contestant", DataType::Integer, 2), ("state", STATE, 1)];
    catalog.put_table(count_view(TableId(4), "by_contestant", &groups));
    let mut store = Store::new(PartitionId(0), 1);
    let changes: Vec<CatalogChange> = (0..5).map(|i| CatalogChange::CreateTable(TableId(i))).collect();
    store.apply(&changes, &catalog, 0).unwrap();
    store.finish_apply();
    let mut arena = Arena::default();
    for i in 1..=6 {
        let name = arena.store(format!("Contestant number {i}").as_bytes());
        store.insert(CONTESTANTS, &[Datum::int(i), name], &arena, 0).unwrap();
    }
    for code in 0..305 {
        let state = Datum::short(&[b'A' + (code % 10) as u8, b'A' + (code / 10 % 5) as u8]);
        store.insert(AREA_CODES, &[Datum::int(200 + code * 2), state], &arena, 0).unwrap();
    }
    store
}

/// A phone number of a known area, and a contestant that is nearly always there.
fn calls(count: usize) -> Vec<(i64, i64)> {
    let mut seed = 0x1234_5678_9ABC_DEF1u64;
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed >> 11
    };
    (0..count)
        .map(|_| {
            let area = 200 + (next() % 305) as i64 * 2;
            (area * 10_000_000 + (next() % 10_000_000) as i64, 1 + (next() % 6) as i64)
        })
        .collect()
}

/// True if the vote was counted.
#[inline(never)]
fn vote(store: &mut Store, arena: &mut Arena, phone: i64, contestant: i64, undo: bool) -> bool {
    store.begin(undo);
    let (phone, contestant) = (Datum::int(phone), Datum::int(contestant));
    if store.table(CONTESTANTS).find(0, &[contestant], arena).is_none() {
        store.commit();
        return false;
    }
    let by_phone = store.table(BY_PHONE);
    if let Some(row) = by_phone.find(0, &[phone], arena)
        && by_phone.load(row, 1, arena).as_i64() >= 2
    {
        store.commit();
        return false;
    }
    let areas = store.table(AREA_CODES);
    let state = match areas.find(0, &[Datum::int(phone.as_i64() / 10_000_000)], arena) {
        Some(row) => areas.load(row, 1, arena),
        None => Datum::short(b"XX"),
    };
    store.insert(VOTES, &[phone, state, contestant], arena, 0).unwrap();
    store.commit();
    true
}

fn run(count: usize, prefetch: bool, undo: bool) {
    let calls = calls(count);
    let mut store = store();
    let mut arena = Arena::default();
    let empty = store.memory().total();
    let start = Instant::now();
    let mut accepted = 0;
    let mut windows = Windows::new(count);
    for (i, &(phone, contestant)) in calls.iter().enumerate() {
        if prefetch && let Some(&(ahead, _)) = calls.get(i + AHEAD) {
            store.table(BY_PHONE).prefetch(0, &[Datum::int(ahead)], &arena);
        }
        accepted += vote(&mut store, &mut arena, phone, contestant, undo) as usize;
        windows.tick(i);
    }
    let elapsed = start.elapsed();
    let memory = store.memory();
    println!(
        "{:>3} M votes, prefetch {:5}, undo {:5}: {:6.1} ns per vote ({}), {:5.1} bytes per vote",
        count / 1_000_000,
        prefetch,
        undo,
        elapsed.as_nanos() as f64 / count as f64,
        windows.show(),
        (memory.total() - empty) as f64 / accepted as f64,
    );
    black_box(&store);
}

/// The same by hand on plain hash maps: what the figures above are to be compared with, on this machine, today.
fn run_by_hand(count: usize) {
    let calls = calls(count);
    let contestants: HashSet<i32> = (1..=6).collect();
    let area = |code: i64| [b'A' + (code % 10) as u8, b'A' + (code / 10 % 5) as u8];
    let areas: HashMap<i16, [u8; 2]> = (0..305).map(|code| (200 + code as i16 * 2, area(code))).collect();
    let mut by_phone: HashMap<i64, i64> = HashMap::new();
    let mut groups: HashMap<(i32, [u8; 2]), i64> = HashMap::new();
    let mut votes: Vec<(i64, [u8; 2], i32)> = Vec::new();
    let start = Instant::now();
    let mut windows = Windows::new(count);
    for (i, &(phone, contestant)) in calls.iter().enumerate() {
        if contestants.contains(&(contestant as i32)) {
            let state = areas.get(&((phone / 10_000_000) as i16)).copied().unwrap_or(*b"XX");
            let cast = by_phone.entry(phone).or_insert(0);
            if *cast < 2 {
                *cast += 1;
                votes.push((phone, state, contestant as i32));
                *groups.entry((contestant as i32, state)).or_insert(0) += 1;
            }
        }
        windows.tick(i);
    }
    let mean = start.elapsed().as_nanos() as f64 / count as f64;
    println!("{:>3} M votes by hand: {mean:6.1} ns per vote ({})", count / 1_000_000, windows.show());
    black_box((votes, groups, by_phone));
}

/// Times of windows of votes.
struct Windows {
    times: Vec<u64>,
    last: Instant,
}

impl Windows {
    fn new(count: usize) -> Windows {
        Windows { times: Vec::with_capacity(count / WINDOW), last: Instant::now() }
    }
    #[inline]
    fn tick(&mut self, i: usize) {
        if i % WINDOW == WINDOW - 1 {
            let now = Instant::now();
            self.times.push((now - self.last).as_nanos() as u64);
            self.last = now;
        }
    }
    fn show(&mut self) -> String {
        self.times.sort_unstable();
        let at = |part: f64| self.times[(self.times.len() as f64 * part) as usize] as f64 / WINDOW as f64;
        format!("windows: best 5% {:5.1}, median {:5.1}, 99.9% below {:6.1}", at(0.05), at(0.5), at(0.999))
    }
}

fn main() {
    let mut sizes: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![2, 20];
    }
    for size in sizes {
        run_by_hand(size * 1_000_000);
        for (prefetch, undo) in [(false, false), (true, false), (true, true)] {
            run(size * 1_000_000, prefetch, undo);
        }
    }
}
