//! All counters at one moment, and what came since another.

use crate::engine::Engine;
use crate::engine::plan_cache::PlannerCounts;
use crate::stats::{Histogram, PartitionCounters, Sample};
use std::time::Duration;

/// The number that transactions on all partitions have in the place of a partition's (VoltDB's).
pub(super) const MULTI_PARTITION: i64 = 16_383;

#[derive(Clone)]
pub(super) struct Reading {
    /// How long the counters have counted.
    pub age: Duration,
    pub procedures: Vec<ProcedureReading>,
    pub partitions: Vec<PartitionReading>,
    pub latency: Histogram,
    pub planner: PlannerCounts,
}

#[derive(Clone)]
pub(super) struct ProcedureReading {
    pub partition: i64,
    pub name: String,
    pub invocations: u64,
    pub aborts: u64,
    pub failures: u64,
    pub time: Sample,
    pub results: Sample,
    pub parameters: Sample,
}

#[derive(Clone)]
pub(super) struct PartitionReading {
    pub queued: u64,
    pub busy_ns: u64,
    pub waits: Sample,
    pub idle: Sample,
}

impl Reading {
    pub fn now(engine: &Engine) -> Reading {
        let multi = engine.initiator.multi_counters();
        let mut reading = Reading {
            age: multi.age(),
            procedures: Vec::new(),
            partitions: Vec::new(),
            latency: Histogram::new(),
            planner: engine.plans.counts(),
        };
        for (at, partition) in engine.initiator.partitions().iter().enumerate() {
            let counters = partition.counters();
            reading.add(at as i64, counters);
            reading.partitions.push(PartitionReading {
                queued: partition.queued() as u64,
                busy_ns: partition.busy_ns(),
                waits: counters.waits.read(),
                idle: counters.idle.read(),
            });
        }
        reading.add(MULTI_PARTITION, &multi);
        reading
    }

    fn add(&mut self, partition: i64, counters: &PartitionCounters) {
        counters.latency.add_to(&mut self.latency);
        for procedure in counters.procedures.read().iter() {
            self.procedures.push(ProcedureReading {
                partition,
                name: procedure.name.clone(),
                invocations: procedure.invocations.get(),
                aborts: procedure.aborts.get(),
                failures: procedure.failures.get(),
                time: procedure.time.read(),
                results: procedure.results.read(),
                parameters: procedure.parameters.read(),
            });
        }
    }

    /// What was counted after `earlier`. Procedures that were not called since are left out.
    pub fn since(&self, earlier: &Reading) -> Reading {
        let mut latency = self.latency.clone();
        latency.subtract(&earlier.latency);
        let procedures = self.procedures.iter().map(|now| {
            let same = |p: &&ProcedureReading| p.partition == now.partition && p.name == now.name;
            match earlier.procedures.iter().find(same) {
                None => now.clone(),
                Some(before) => ProcedureReading {
                    partition: now.partition,
                    name: now.name.clone(),
                    invocations: now.invocations.saturating_sub(before.invocations),
                    aborts: now.aborts.saturating_sub(before.aborts),
                    failures: now.failures.saturating_sub(before.failures),
                    time: now.time.since(&before.time),
                    results: now.results.since(&before.results),
                    parameters: now.parameters.since(&before.parameters),
                },
            }
        });
        let partitions = self.partitions.iter().zip(&earlier.partitions).map(|(now, before)| PartitionReading {
            queued: now.queued,
            busy_ns: now.busy_ns.saturating_sub(before.busy_ns),
            waits: now.waits.since(&before.waits),
            idle: now.idle.since(&before.idle),
        });
        Reading {
            age: self.age.saturating_sub(earlier.age),
            procedures: procedures.filter(|p| p.invocations > 0).collect(),
            partitions: partitions.collect(),
            latency,
            planner: self.planner.since(&earlier.planner),
        }
    }
}
