//! @SystemInformation and @GetPartitionKeys.

use super::facts::{host_name, memory_kb};
use super::{Spec, bad_selector, set};
use crate::engine::{Config, Engine};
use crate::partition::TxnError;
use crate::types::{DataType, ResultSet, Value};

const OVERVIEW: Spec = &[("HOST_ID", DataType::Integer), ("KEY", DataType::TEXT), ("VALUE", DataType::TEXT)];
const DEPLOYMENT: Spec = &[("PROPERTY", DataType::TEXT), ("VALUE", DataType::TEXT)];

/// What was set when the database was opened, in VoltDB's words where it has one.
pub(in crate::engine) fn settings(config: &Config) -> Vec<(&'static str, String)> {
    let millis = |time: std::time::Duration| time.as_millis().to_string();
    let folder = config.data_dir.as_ref().map_or(String::new(), |dir| dir.display().to_string());
    vec![
        ("voltdbroot", folder),
        ("hostcount", "1".to_owned()),
        ("kfactor", "0".to_owned()),
        ("sitesperhost", config.partitions.to_string()),
        ("snapshotenabled", config.data_dir.is_some().to_string()),
        ("snapshotfrequency", format!("{}s", config.snapshot_interval.as_secs())),
        ("commandlogenabled", config.data_dir.is_some().to_string()),
        ("commandlogmode", format!("{:?}", config.durability).to_lowercase()),
        ("commandlogfreqtime", millis(config.flush_interval)),
        ("querytimeout", config.timeout.map_or("0".to_owned(), millis)),
        ("statistics", config.statistics.to_string()),
    ]
}

impl Engine {
    pub(super) fn system_information(&self, selector: &str) -> Result<ResultSet, Box<TxnError>> {
        match selector.trim().to_ascii_uppercase().as_str() {
            "OVERVIEW" => Ok(set(OVERVIEW, self.overview())),
            "DEPLOYMENT" => {
                let rows =
                    self.settings.iter().map(|(name, value)| vec![Value::from(*name), Value::from(value.as_str())]);
                Ok(set(DEPLOYMENT, rows.collect()))
            }
            _ => Err(bad_selector("@SystemInformation", "selector", selector, &["OVERVIEW", "DEPLOYMENT"])),
        }
    }

    fn overview(&self) -> Vec<Vec<Value>> {
        let paused = self.initiator.partitions()[0].look(|site| site.paused);
        let age = self.initiator.multi_counters().age().as_secs();
        let cores = std::thread::available_parallelism().map_or(1, usize::from).to_string();
        let facts = [
            ("HOSTNAME", host_name()),
            ("VERSION", env!("CARGO_PKG_VERSION").to_owned()),
            ("BUILDSTRING", format!("votedb {}", env!("CARGO_PKG_VERSION"))),
            ("CATALOG", self.schema().catalog.version.to_string()),
            ("CLUSTERSTATE", if paused { "Paused" } else { "Running" }.to_owned()),
            ("REPLICATIONROLE", "NONE".to_owned()),
            ("UPTIME", format!("{} days {:02}:{:02}:{:02}", age / 86_400, age / 3_600 % 24, age / 60 % 60, age % 60)),
            ("FULLCLUSTERSIZE", "1".to_owned()),
            ("PARTITIONCOUNT", self.initiator.partitions().len().to_string()),
            ("CPUCORES", cores.clone()),
            ("CPUTHREADS", cores),
            ("MEMORY", memory_kb().1.to_string()),
        ];
        let row = |(key, value): (&str, String)| vec![Value::Int(0), Value::from(key), Value::from(value)];
        facts.into_iter().map(row).collect()
    }

    /// For each partition, the first key of 0, 1, 2 .. that it owns.
    pub(super) fn partition_keys(&self, ty: &str) -> Result<ResultSet, Box<TxnError>> {
        let hashinator = self.initiator.hashinator();
        let ty = ty.trim().to_ascii_uppercase();
        let data_type = match ty.as_str() {
            "INTEGER" => DataType::BigInt,
            "STRING" | "VARCHAR" => DataType::TEXT,
            "VARBINARY" => DataType::Varbinary { max: 8 },
            _ => return Err(bad_selector("@GetPartitionKeys", "type", &ty, &["INTEGER", "STRING", "VARBINARY"])),
        };
        let mut keys: Vec<Option<Value>> = vec![None; self.initiator.partitions().len()];
        let mut missing = keys.len();
        for key in 0i64.. {
            if missing == 0 {
                break;
            }
            let (owner, value) = match data_type {
                DataType::BigInt => (hashinator.of_integer(key), Value::Int(key)),
                DataType::Varbinary { .. } => {
                    let bytes = key.to_le_bytes().to_vec();
                    (hashinator.of_bytes(&bytes), Value::Bytes(bytes))
                }
                _ => (hashinator.of_bytes(key.to_string().as_bytes()), Value::from(key.to_string())),
            };
            let place = &mut keys[owner.index()];
            missing -= usize::from(place.is_none());
            place.get_or_insert(value);
        }
        let rows =
            keys.into_iter().enumerate().map(|(at, key)| vec![Value::Int(at as i64), key.unwrap_or(Value::Null)]);
        let column = |name: &str, data_type| crate::types::Column { name: name.to_owned(), data_type };
        Ok(ResultSet {
            columns: vec![column("PARTITION_ID", DataType::Integer), column("PARTITION_KEY", data_type)],
            rows: rows.collect(),
        })
    }
}
