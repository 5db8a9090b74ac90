//! Compiled ad hoc statements by their text.

use crate::executor::Program;
use crate::stats::{Sample, Sampled};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Statements kept; past that the cache starts anew.
const ENTRIES_MAX: usize = 4_096;
/// Longer texts are not worth their memory.
const TEXT_BYTES_MAX: usize = 16 << 10;

/// Programs of one catalog version: with another one, everything goes.
#[derive(Default)]
pub struct PlanCache {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    version: u64,
    programs: HashMap<String, Arc<Program>>,
    hits: u64,
    failures: u64,
    /// Nanoseconds that planning took: their number is that of the misses.
    times: Sampled,
}

/// How planning has gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlannerCounts {
    /// Programs in the cache now.
    pub entries: u64,
    pub hits: u64,
    /// Statements that had no plan.
    pub failures: u64,
    /// Nanoseconds of those that had to be planned.
    pub times: Sample,
}

impl PlannerCounts {
    pub fn since(&self, earlier: &PlannerCounts) -> PlannerCounts {
        PlannerCounts {
            entries: self.entries,
            hits: self.hits.saturating_sub(earlier.hits),
            failures: self.failures.saturating_sub(earlier.failures),
            times: self.times.since(&earlier.times),
        }
    }
}

impl PlanCache {
    pub fn get(&self, version: u64, text: &str) -> Option<Arc<Program>> {
        let mut inner = self.inner.lock();
        if inner.version != version {
            return None;
        }
        let found = inner.programs.get(text).cloned();
        inner.hits += u64::from(found.is_some());
        found
    }

    pub fn put(&self, version: u64, text: &str, program: &Arc<Program>) {
        if text.len() > TEXT_BYTES_MAX {
            return;
        }
        let mut inner = self.inner.lock();
        if inner.version != version || inner.programs.len() >= ENTRIES_MAX {
            inner.version = version;
            inner.programs = HashMap::new();
        }
        inner.programs.insert(text.to_owned(), Arc::clone(program));
    }

    /// A statement was planned, in that time, or could not be.
    pub fn planned(&self, took: Duration, worked: bool) {
        let mut inner = self.inner.lock();
        match worked {
            true => inner.times.record(took.as_nanos() as u64),
            false => inner.failures += 1,
        }
    }

    pub fn counts(&self) -> PlannerCounts {
        let inner = self.inner.lock();
        PlannerCounts {
            entries: inner.programs.len() as u64,
            hits: inner.hits,
            failures: inner.failures,
            times: inner.times.read(),
        }
    }
}
