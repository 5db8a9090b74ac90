//! Suites: benchmarks of many runs, and workloads other than voter. All leave the same [`crate::bench::results::Entry`].

pub mod matrix;
#[cfg(feature = "peers")]
pub mod peers;
pub mod records;
pub mod smallbank;
pub mod tatp;
pub mod work;
pub mod ycsb;

use crate::bench::results::Entry;
use crate::client::{Config, Database};
use work::{Measured, Until, Worker, drive, entry};

/// What a workload is run with.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub partitions: usize,
    pub clients: usize,
    pub until: Until,
    pub repetitions: u32,
    /// 1: some 100,000 subscribers, customers or records.
    pub scale: f64,
    pub seed: u64,
}

/// The names of the workloads that [`workload`] knows.
pub const WORKLOADS: [&str; 8] = ["tatp", "smallbank", "ycsb-a", "ycsb-b", "ycsb-c", "ycsb-d", "ycsb-e", "ycsb-f"];

enum Loaded {
    Tatp(tatp::Tatp),
    SmallBank(smallbank::SmallBank),
    Ycsb(ycsb::Ycsb),
}

impl Loaded {
    fn load(name: &str, db: &Database, setting: &Setting) -> Result<Loaded, String> {
        Ok(match name {
            "tatp" => Loaded::Tatp(tatp::Tatp::load(db, setting.scale, setting.seed)?),
            "smallbank" => Loaded::SmallBank(smallbank::SmallBank::load(db, setting.scale)?),
            name => {
                let letter = name.strip_prefix("ycsb-").and_then(|letter| letter.chars().next()).unwrap_or('-');
                Loaded::Ycsb(ycsb::Ycsb::load(db, letter, setting.scale)?)
            }
        })
    }

    fn worker(&self, db: &Database, seed: u64, client: u64) -> Result<Box<dyn Worker>, String> {
        match self {
            Loaded::Tatp(tatp) => tatp.worker(db, seed, client),
            Loaded::SmallBank(bank) => bank.worker(db, seed, client),
            Loaded::Ycsb(ycsb) => ycsb.worker(db, seed, client),
        }
    }

    fn check(&self, db: &Database) -> Vec<String> {
        match self {
            Loaded::Tatp(tatp) => tatp.check(db),
            Loaded::SmallBank(bank) => bank.check(db),
            Loaded::Ycsb(ycsb) => ycsb.check(db),
        }
    }
}

/// Loads a workload of [`WORKLOADS`], runs it `repetitions` times on the same data, and checks what it left.
///
/// The entry's `bool`: a signal ended it before its time.
pub fn workload(name: &str, setting: &Setting) -> Result<(Entry, bool), String> {
    let config = Config { timeout: None, ..Config::partitions(setting.partitions) };
    let db = Database::open(config).map_err(|error| error.to_string())?;
    let loaded = Loaded::load(name, &db, setting)?;
    let mut repetitions: Vec<Measured> = Vec::new();
    for repetition in 0..setting.repetitions {
        let seed = setting.seed.wrapping_add(u64::from(repetition) << 32);
        let workers = (0..setting.clients as u64).map(|client| loaded.worker(&db, seed, client));
        repetitions.push(drive(workers.collect::<Result<_, _>>()?, setting.until)?);
        if repetitions.last().is_some_and(|last| last.interrupted) {
            break;
        }
    }
    let interrupted = repetitions.last().is_some_and(|last| last.interrupted);
    let mut entry = entry(name, name, "operations/s", &repetitions, loaded.check(&db));
    entry.x = setting.partitions as f64;
    entry.note = format!("{} client(s), {} partition(s), scale {}", setting.clients, setting.partitions, setting.scale);
    Ok((entry, interrupted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_keeps_its_promises_on_one_and_on_two_partitions() {
        for name in WORKLOADS {
            for partitions in [1, 2] {
                let until = Until::Steps(300);
                let setting = Setting { partitions, clients: 2, until, repetitions: 2, scale: 0.002, seed: 7 };
                let (entry, _) = workload(name, &setting).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(entry.verified, "{name}: {:?}", entry.broken);
                assert_eq!((entry.calls, entry.samples.len()), (1_200, 2), "{name}");
            }
        }
    }
}
