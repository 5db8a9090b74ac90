//! Compiled ad hoc statements by their text.

use crate::executor::Program;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Statements kept; past that the cache starts anew.
const ENTRIES_MAX: usize = 4_096;
/// Longer texts are not worth their memory.
const TEXT_BYTES_MAX: usize = 16 << 10;

/// Programs of one catalog version: with another one, everything goes.
#[derive(Default)]
pub struct PlanCache {
    inner: Mutex<(u64, HashMap<String, Arc<Program>>)>,
}

impl PlanCache {
    pub fn get(&self, version: u64, text: &str) -> Option<Arc<Program>> {
        let inner = self.inner.lock();
        if inner.0 == version { inner.1.get(text).cloned() } else { None }
    }

    pub fn put(&self, version: u64, text: &str, program: &Arc<Program>) {
        if text.len() > TEXT_BYTES_MAX {
            return;
        }
        let mut inner = self.inner.lock();
        if inner.0 != version || inner.1.len() >= ENTRIES_MAX {
            *inner = (version, HashMap::new());
        }
        inner.1.insert(text.to_owned(), Arc::clone(program));
    }
}
