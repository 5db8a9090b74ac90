//! @Statistics: counters and sizes as tables, with VoltDB's columns.

use super::facts::{host_name, memory_kb, now_millis};
use super::reading::{ProcedureReading, Reading};
use super::{Spec, bad_selector, int, set};
use crate::catalog::IndexKind;
use crate::engine::Engine;
use crate::partition::TxnError;
use crate::stats::Sample;
use crate::types::DataType::{BigInt, Float, Integer, TinyInt};
use crate::types::{DataType, ResultSet, Value};

const TEXT: DataType = DataType::TEXT;

/// Also the names of the system tables, after `sys.statistics_`.
pub(super) const SELECTORS: [&str; 16] = [
    "TABLE",
    "INDEX",
    "PROCEDURE",
    "PROCEDUREDETAIL",
    "PROCEDUREPROFILE",
    "PROCEDUREINPUT",
    "PROCEDUREOUTPUT",
    "INITIATOR",
    "LATENCY",
    "PARTITIONCOUNT",
    "MEMORY",
    "IDLETIME",
    "QUEUE",
    "PLANNER",
    "TTL",
    "MANAGEMENT",
];

/// What MANAGEMENT consists of, in this order.
const MANAGEMENT: [&str; 8] =
    ["MEMORY", "INITIATOR", "PROCEDURE", "TABLE", "INDEX", "PARTITIONCOUNT", "IDLETIME", "LATENCY"];

impl Engine {
    pub(super) fn statistics(&self, selector: &str, delta: bool) -> Result<Vec<ResultSet>, Box<TxnError>> {
        let Some(&selector) = SELECTORS.iter().find(|known| known.eq_ignore_ascii_case(selector.trim())) else {
            return Err(bad_selector("@Statistics", "selector", selector, &SELECTORS));
        };
        let now = Reading::now(self);
        let reading = match delta {
            false => now,
            true => {
                let before = self.baselines.0.lock().insert(selector, now.clone());
                before.map_or(now.clone(), |before| now.since(&before))
            }
        };
        Ok(match selector {
            "MANAGEMENT" => MANAGEMENT.iter().map(|part| self.statistics_of(part, &reading)).collect(),
            selector => vec![self.statistics_of(selector, &reading)],
        })
    }

    fn statistics_of(&self, selector: &str, reading: &Reading) -> ResultSet {
        match selector {
            "TABLE" => self.table_statistics(),
            "INDEX" => self.index_statistics(),
            "PROCEDURE" => procedure(reading),
            "PROCEDUREDETAIL" => procedure_detail(reading),
            "PROCEDUREPROFILE" => profile(reading),
            "PROCEDUREINPUT" => traffic(reading, INPUT, |p| p.parameters),
            "PROCEDUREOUTPUT" => traffic(reading, OUTPUT, |p| p.results),
            "INITIATOR" => initiator(reading),
            "LATENCY" => latency(reading),
            "MEMORY" => self.memory_statistics(),
            "IDLETIME" => idle(reading),
            "QUEUE" => queue(reading),
            "PLANNER" => planner(reading),
            "TTL" => set(TTL, Vec::new()),
            _ => set(PARTITION_COUNT, vec![row(host(), [Value::Int(self.initiator.partitions().len() as i64)])]),
        }
    }

    fn table_statistics(&self) -> ResultSet {
        let mut rows = Vec::new();
        for (at, partition) in self.initiator.partitions().iter().enumerate() {
            partition.look(|site| {
                for memory in site.store.memory().tables {
                    let name = Value::from(memory.name.as_str());
                    let data = memory.row_bytes / 1024;
                    let figures = [
                        name,
                        Value::from("PersistentTable"),
                        int(memory.rows),
                        int(data),
                        int(data),
                        int(memory.string_bytes / 1024),
                        Value::Null,
                        Value::Int(0),
                        Value::from("false"),
                        Value::from("false"),
                    ];
                    rows.push(row(site_columns(at as i64), figures));
                }
            });
        }
        rows.sort_by(|a, b| a[5].to_string().cmp(&b[5].to_string()));
        set(TABLE, rows)
    }

    fn index_statistics(&self) -> ResultSet {
        let schema = self.schema();
        let mut rows = Vec::new();
        for table in schema.catalog.tables() {
            for (at, partition) in self.initiator.partitions().iter().enumerate() {
                let sizes = partition.look(|site| site.store.get(table.id).map(|table| table.index_sizes()));
                for (index, (entries, bytes)) in table.indexes.iter().zip(sizes.unwrap_or_default()) {
                    let figures = [
                        Value::from(index.name.as_str()),
                        Value::from(table.name.as_str()),
                        Value::from(index_type(index.kind, index.unique)),
                        Value::Int(index.unique.into()),
                        Value::Int(0),
                        entries.map_or(Value::Null, int),
                        int(bytes / 1024),
                    ];
                    rows.push(row(site_columns(at as i64), figures));
                }
            }
        }
        set(INDEX, rows)
    }

    fn memory_statistics(&self) -> ResultSet {
        let (mut data, mut index, mut strings, mut tuples) = (0, 0, 0, 0);
        for partition in self.initiator.partitions() {
            partition.look(|site| {
                for table in site.store.memory().tables {
                    data += table.row_bytes;
                    index += table.index_bytes;
                    strings += table.string_bytes;
                    tuples += table.rows;
                }
            });
        }
        let (resident, physical) = memory_kb();
        let figures = [
            int(resident),
            Value::Int(0),
            Value::Int(0),
            int(data / 1024),
            int(data / 1024),
            int(index / 1024),
            int(strings / 1024),
            int(tuples),
            Value::Int(0),
            int(physical),
            Value::Int(0),
        ];
        set(MEMORY, vec![row(host(), figures)])
    }
}

/// VoltDB's name of the kind of index that comes nearest.
fn index_type(kind: IndexKind, unique: bool) -> &'static str {
    match (kind, unique) {
        (IndexKind::Hash, true) => "HashUniqueIndex",
        (IndexKind::Hash, false) => "HashMultiMapIndex",
        (IndexKind::Ordered, true) => "CompactingTreeUniqueIndex",
        (IndexKind::Ordered, false) => "CompactingTreeMultiMapIndex",
    }
}

fn host() -> [Value; 3] {
    [Value::Int(now_millis()), Value::Int(0), Value::from(host_name())]
}

fn site_columns(partition: i64) -> [Value; 5] {
    let [time, id, name] = host();
    [time, id, name, Value::Int(partition), Value::Int(partition)]
}

fn row(first: impl IntoIterator<Item = Value>, rest: impl IntoIterator<Item = Value>) -> Vec<Value> {
    first.into_iter().chain(rest).collect()
}

fn sample(sample: Sample) -> [Value; 3] {
    [int(sample.min), int(sample.max), int(sample.average())]
}

fn procedure(reading: &Reading) -> ResultSet {
    let rows = reading.procedures.iter().map(|p| {
        let counts = [Value::from(p.name.as_str()), int(p.invocations), int(p.time.count)];
        let ends = [int(p.aborts), int(p.failures), Value::Int(1), Value::Int(0)];
        let sampled = sample(p.time).into_iter().chain(sample(p.results)).chain(sample(p.parameters));
        row(site_columns(p.partition), counts.into_iter().chain(sampled).chain(ends))
    });
    set(PROCEDURE, rows.collect())
}

fn procedure_detail(reading: &Reading) -> ResultSet {
    let rows = reading.procedures.iter().map(|p| {
        let counts = [Value::from(p.name.as_str()), Value::from("<ALL>"), int(p.invocations), int(p.time.count)];
        let sampled = sample(p.time).into_iter().chain(sample(p.results)).chain(sample(p.parameters));
        row(site_columns(p.partition), counts.into_iter().chain(sampled).chain([int(p.aborts), int(p.failures)]))
    });
    set(PROCEDURE_DETAIL, rows.collect())
}

/// The procedures of all partitions together, in the order of their first call.
fn by_name(reading: &Reading) -> Vec<ProcedureReading> {
    let mut all: Vec<ProcedureReading> = Vec::new();
    for p in &reading.procedures {
        match all.iter_mut().find(|known| known.name == p.name) {
            None => all.push(p.clone()),
            Some(known) => {
                known.invocations += p.invocations;
                known.aborts += p.aborts;
                known.failures += p.failures;
                known.time = known.time.merged(&p.time);
                known.results = known.results.merged(&p.results);
                known.parameters = known.parameters.merged(&p.parameters);
            }
        }
    }
    all
}

/// With the share of the whole in percent, the largest first. `weight` is per call.
fn weighted(reading: &Reading, weight: impl Fn(&ProcedureReading) -> u64) -> Vec<(i64, ProcedureReading)> {
    let all = by_name(reading);
    let of = |p: &ProcedureReading| u128::from(weight(p)) * u128::from(p.invocations);
    let total: u128 = all.iter().map(of).sum();
    let mut all: Vec<_> =
        all.into_iter().map(|p| ((of(&p) * 100).checked_div(total).unwrap_or(0) as i64, of(&p), p)).collect();
    all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.2.name.cmp(&b.2.name)));
    all.into_iter().map(|(share, _, p)| (share, p)).collect()
}

fn profile(reading: &Reading) -> ResultSet {
    let rows = weighted(reading, |p| p.time.average()).into_iter().map(|(share, p)| {
        vec![
            Value::Int(now_millis()),
            Value::from(p.name.as_str()),
            Value::Int(share),
            int(p.invocations),
            int(p.time.average()),
            int(p.time.min),
            int(p.time.max),
            int(p.aborts),
            int(p.failures),
        ]
    });
    set(PROFILE, rows.collect())
}

fn traffic(reading: &Reading, spec: Spec, of: impl Fn(&ProcedureReading) -> Sample) -> ResultSet {
    let rows = weighted(reading, |p| of(p).average()).into_iter().map(|(share, p)| {
        let size = of(&p);
        let [min, max, average] = sample(size);
        let total = size.average() as u128 * u128::from(p.invocations) / (1 << 20);
        let names = [Value::Int(now_millis()), Value::from(p.name.as_str()), Value::Int(share), int(p.invocations)];
        row(names, [min, max, average, int(total as u64)])
    });
    set(spec, rows.collect())
}

fn initiator(reading: &Reading) -> ResultSet {
    let millis = |ns: u64| int(ns / 1_000_000);
    let rows = by_name(reading).into_iter().map(|p| {
        let names = [Value::Int(0), Value::from(host_name()), Value::from(p.name.as_str()), int(p.invocations)];
        let times = [millis(p.time.average()), millis(p.time.min), millis(p.time.max)];
        row(host(), names.into_iter().chain(times).chain([int(p.aborts), int(p.failures)]))
    });
    set(INITIATOR, rows.collect())
}

fn latency(reading: &Reading) -> ResultSet {
    let calls: u64 = reading.procedures.iter().map(|p| p.invocations).sum();
    let millis = reading.age.as_millis() as u64;
    let quantiles = reading.latency.quantiles([0.5, 0.95, 0.99, 0.999, 0.9999, 0.99999]);
    let figures = [int(millis), int(calls), int((calls * 1_000).checked_div(millis).unwrap_or(0))];
    let micros = quantiles.into_iter().chain([reading.latency.max()]).map(|ns| int(ns / 1_000));
    set(LATENCY, vec![row(host(), figures.into_iter().chain(micros))])
}

fn idle(reading: &Reading) -> ResultSet {
    let age = reading.age.as_nanos().max(1) as f64;
    let rows = reading.partitions.iter().enumerate().map(|(at, partition)| {
        let busy = (partition.busy_ns as f64 / age).clamp(0.0, 1.0);
        let idle = partition.idle;
        let [min, max, average] = sample(idle);
        let percent = Value::Float(((1.0 - busy) * 10_000.0).round() / 100.0);
        row(site_columns(at as i64), [int(idle.count), percent, average, min, max, int(idle.deviation())])
    });
    set(IDLE, rows.collect())
}

fn queue(reading: &Reading) -> ResultSet {
    let micros = |ns: u64| int(ns / 1_000);
    let rows = reading.partitions.iter().enumerate().map(|(at, partition)| {
        let waits = partition.waits;
        let figures = [int(partition.queued), int(waits.count), micros(waits.average()), micros(waits.max)];
        row(site_columns(at as i64), figures)
    });
    set(QUEUE, rows.collect())
}

fn planner(reading: &Reading) -> ResultSet {
    let counts = reading.planner;
    let [min, max, average] = sample(counts.times);
    let levels = [int(counts.entries), Value::Int(0), int(counts.hits), Value::Int(0), int(counts.times.count)];
    let times = [min, max, average, int(counts.failures)];
    set(PLANNER, vec![row(site_columns(0), levels.into_iter().chain(times))])
}

macro_rules! spec {
    ($name:ident, host; $($rest:tt)*) => {
        const $name: Spec = &[("TIMESTAMP", BigInt), ("HOST_ID", Integer), ("HOSTNAME", TEXT), $($rest)*];
    };
    ($name:ident, site; $($rest:tt)*) => {
        const $name: Spec = &[
            ("TIMESTAMP", BigInt), ("HOST_ID", Integer), ("HOSTNAME", TEXT), ("SITE_ID", Integer),
            ("PARTITION_ID", BigInt), $($rest)*
        ];
    };
}

spec!(TABLE, site; ("TABLE_NAME", TEXT), ("TABLE_TYPE", TEXT), ("TUPLE_COUNT", BigInt),
    ("TUPLE_ALLOCATED_MEMORY", BigInt), ("TUPLE_DATA_MEMORY", BigInt), ("STRING_DATA_MEMORY", BigInt),
    ("TUPLE_LIMIT", Integer), ("PERCENT_FULL", Integer), ("DR", TEXT), ("EXPORT", TEXT));
spec!(INDEX, site; ("INDEX_NAME", TEXT), ("TABLE_NAME", TEXT), ("INDEX_TYPE", TEXT), ("IS_UNIQUE", TinyInt),
    ("IS_COUNTABLE", TinyInt), ("ENTRY_COUNT", BigInt), ("MEMORY_ESTIMATE", BigInt));
spec!(PROCEDURE, site; ("PROCEDURE", TEXT), ("INVOCATIONS", BigInt), ("TIMED_INVOCATIONS", BigInt),
    ("MIN_EXECUTION_TIME", BigInt), ("MAX_EXECUTION_TIME", BigInt), ("AVG_EXECUTION_TIME", BigInt),
    ("MIN_RESULT_SIZE", BigInt), ("MAX_RESULT_SIZE", BigInt), ("AVG_RESULT_SIZE", BigInt),
    ("MIN_PARAMETER_SET_SIZE", BigInt), ("MAX_PARAMETER_SET_SIZE", BigInt), ("AVG_PARAMETER_SET_SIZE", BigInt),
    ("ABORTS", BigInt), ("FAILURES", BigInt), ("TRANSACTIONAL", TinyInt), ("COMPOUND", TinyInt));
spec!(PROCEDURE_DETAIL, site; ("PROCEDURE", TEXT), ("STATEMENT", TEXT), ("INVOCATIONS", BigInt),
    ("TIMED_INVOCATIONS", BigInt), ("MIN_EXECUTION_TIME", BigInt), ("MAX_EXECUTION_TIME", BigInt),
    ("AVG_EXECUTION_TIME", BigInt), ("MIN_RESULT_SIZE", BigInt), ("MAX_RESULT_SIZE", BigInt),
    ("AVG_RESULT_SIZE", BigInt), ("MIN_PARAMETER_SET_SIZE", BigInt), ("MAX_PARAMETER_SET_SIZE", BigInt),
    ("AVG_PARAMETER_SET_SIZE", BigInt), ("ABORTS", BigInt), ("FAILURES", BigInt));
const PROFILE: Spec = &[
    ("TIMESTAMP", BigInt),
    ("PROCEDURE", TEXT),
    ("WEIGHTED_PERC", BigInt),
    ("INVOCATIONS", BigInt),
    ("AVG", BigInt),
    ("MIN", BigInt),
    ("MAX", BigInt),
    ("ABORTS", BigInt),
    ("FAILURES", BigInt),
];
const INPUT: Spec = &[
    ("TIMESTAMP", BigInt),
    ("PROCEDURE", TEXT),
    ("WEIGHTED_PERC", BigInt),
    ("INVOCATIONS", BigInt),
    ("MIN_PARAMETER_SET_SIZE", BigInt),
    ("MAX_PARAMETER_SET_SIZE", BigInt),
    ("AVG_PARAMETER_SET_SIZE", BigInt),
    ("TOTAL_PARAMETER_SET_SIZE_MB", BigInt),
];
const OUTPUT: Spec = &[
    ("TIMESTAMP", BigInt),
    ("PROCEDURE", TEXT),
    ("WEIGHTED_PERC", BigInt),
    ("INVOCATIONS", BigInt),
    ("MIN_RESULT_SIZE", BigInt),
    ("MAX_RESULT_SIZE", BigInt),
    ("AVG_RESULT_SIZE", BigInt),
    ("TOTAL_RESULT_SIZE_MB", BigInt),
];
spec!(INITIATOR, host; ("CONNECTION_ID", BigInt), ("CONNECTION_HOSTNAME", TEXT), ("PROCEDURE_NAME", TEXT),
    ("INVOCATIONS", BigInt), ("AVG_EXECUTION_TIME", Integer), ("MIN_EXECUTION_TIME", Integer),
    ("MAX_EXECUTION_TIME", Integer), ("ABORTS", BigInt), ("FAILURES", BigInt));
spec!(LATENCY, host; ("INTERVAL", BigInt), ("COUNT", BigInt), ("TPS", BigInt), ("P50", BigInt), ("P95", BigInt),
    ("P99", BigInt), ("P99.9", BigInt), ("P99.99", BigInt), ("P99.999", BigInt), ("MAX", BigInt));
spec!(PARTITION_COUNT, host; ("PARTITION_COUNT", Integer));
spec!(MEMORY, host; ("RSS", BigInt), ("JAVAUSED", BigInt), ("JAVAUNUSED", BigInt), ("TUPLEDATA", BigInt),
    ("TUPLEALLOCATED", BigInt), ("INDEXMEMORY", BigInt), ("STRINGMEMORY", BigInt), ("TUPLECOUNT", BigInt),
    ("POOLEDMEMORY", BigInt), ("PHYSICALMEMORY", BigInt), ("JAVAMAXHEAP", BigInt));
spec!(IDLE, site; ("COUNT", BigInt), ("PERCENT", Float), ("AVG", BigInt), ("MIN", BigInt), ("MAX", BigInt),
    ("STDDEV", BigInt));
spec!(QUEUE, site; ("CURRENT_DEPTH", Integer), ("POLL_COUNT", BigInt), ("AVG_WAIT", BigInt), ("MAX_WAIT", BigInt));
spec!(PLANNER, site; ("CACHE1_LEVEL", Integer), ("CACHE2_LEVEL", Integer), ("CACHE1_HITS", BigInt),
    ("CACHE2_HITS", BigInt), ("CACHE_MISSES", BigInt), ("PLAN_TIME_MIN", BigInt), ("PLAN_TIME_MAX", BigInt),
    ("PLAN_TIME_AVG", BigInt), ("FAILURES", BigInt));
const TTL: Spec = &[
    ("TIMESTAMP", BigInt),
    ("TABLE_NAME", TEXT),
    ("ROWS_DELETED", BigInt),
    ("ROWS_DELETED_LAST_ROUND", BigInt),
    ("ROWS_REMAINING", BigInt),
    ("LAST_DELETE_TIMESTAMP", DataType::Timestamp),
];
