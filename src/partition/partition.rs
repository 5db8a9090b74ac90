//! A site, its inbox, and who may drive it.

use super::{Batch, Site};
use crate::stats::PartitionCounters;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Queued batches that a caller runs for others before it goes on with its own work.
const FOREIGN_BATCHES_MAX: usize = 4;
/// Of single calls, one in so many is timed: reading the clock twice costs as much as half a vote.
const TIMED_CALLS: u64 = 16;

pub struct Partition {
    counters: Arc<PartitionCounters>,
    site: Mutex<Site>,
    inbox: Mutex<VecDeque<Box<Batch>>>,
    /// Calls in the inbox.
    queued: AtomicUsize,
    /// Transactions on all partitions that wait for the site: drivers hand it over to them.
    waiting: AtomicUsize,
    /// Time spent in transactions, in nanoseconds: batches are timed, of single calls one in [`TIMED_CALLS`].
    busy_ns: AtomicU64,
    calls: AtomicU64,
    /// The partition's own thread has been asked to drain the inbox.
    overdue: Mutex<bool>,
    overdue_changed: Condvar,
    closing: AtomicBool,
}

impl Partition {
    pub fn new(site: Site) -> Partition {
        Partition {
            counters: Arc::clone(site.counting.counters()),
            site: Mutex::new(site),
            inbox: Mutex::default(),
            queued: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            busy_ns: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            overdue: Mutex::new(false),
            overdue_changed: Condvar::new(),
            closing: AtomicBool::new(false),
        }
    }

    /// Calls that wait in the inbox.
    pub fn queued(&self) -> usize {
        self.queued.load(Ordering::Relaxed)
    }

    /// Time spent in transactions since the start, in nanoseconds.
    pub fn busy_ns(&self) -> u64 {
        self.busy_ns.load(Ordering::Relaxed)
    }

    /// What its driver counts.
    pub fn counters(&self) -> &Arc<PartitionCounters> {
        &self.counters
    }

    /// Looks at the site between two transactions.
    pub fn look<T>(&self, at: impl FnOnce(&Site) -> T) -> T {
        at(self.hold().peek())
    }

    /// Only who holds the site calls this, so that no increment is lost.
    fn add_busy(&self, spent: Duration, times: u64) {
        let spent = spent.as_nanos() as u64 * times;
        self.busy_ns.store(self.busy_ns.load(Ordering::Relaxed) + spent, Ordering::Relaxed);
    }

    fn run(&self, held: &mut Held<'_>, batch: &mut Batch) {
        let started = Instant::now();
        held.site().run(batch);
        let spent = started.elapsed();
        self.add_busy(spent, 1);
        if held.peek().counting.is_on() {
            self.counters.batch(batch.queued.take(), started, spent, batch.len() as u64);
        }
    }

    /// Runs a synchronous single-partition transaction.
    #[inline]
    pub fn transact<T>(&self, work: impl FnOnce(&mut Site) -> T) -> T {
        let mut held = self.hold();
        let calls = self.calls.load(Ordering::Relaxed);
        self.calls.store(calls + 1, Ordering::Relaxed);
        let started = calls.is_multiple_of(TIMED_CALLS).then(Instant::now);
        let result = work(held.site());
        if let Some(started) = started {
            self.add_busy(started.elapsed(), TIMED_CALLS);
        }
        result
    }

    /// Holds the site for a synchronous single-partition transaction.
    #[inline]
    fn hold(&self) -> Held<'_> {
        // Most of the time nobody is there. If somebody is, a spin of a few microseconds is far cheaper than sleeping.
        for _ in 0..64 {
            if self.waiting.load(Ordering::Relaxed) == 0
                && let Some(site) = self.site.try_lock()
            {
                return Held { partition: self, site: Some(site) };
            }
            std::hint::spin_loop();
        }
        Held { partition: self, site: Some(self.site.lock()) }
    }

    /// Holds the site for a transaction on all partitions: whoever drives it hands it over after what he is running.
    pub fn hold_first(&self) -> Held<'_> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let site = self.site.lock();
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        Held { partition: self, site: Some(site) }
    }

    /// Runs `batch` now if nobody holds the site, or queues it for whoever does. Gives it back if it was run here.
    pub fn submit(&self, mut batch: Box<Batch>) -> Option<Box<Batch>> {
        if self.waiting.load(Ordering::Relaxed) == 0
            && let Some(site) = self.site.try_lock()
        {
            let mut held = Held { partition: self, site: Some(site) };
            // What was queued before goes first.
            if self.drain(&mut held, FOREIGN_BATCHES_MAX) < FOREIGN_BATCHES_MAX {
                self.run(&mut held, &mut batch);
                drop(held);
                return Some(batch);
            }
            // More may be waiting, an earlier batch of this session among it: to the end of the queue.
            batch.queued = Some(Instant::now());
            self.queued.fetch_add(batch.len(), Ordering::Relaxed);
            self.inbox.lock().push_back(batch);
            return None;
        }
        batch.queued = Some(Instant::now());
        self.queued.fetch_add(batch.len(), Ordering::Relaxed);
        self.inbox.lock().push_back(batch);
        // The holder may have looked at the inbox just before.
        self.pick_up();
        None
    }

    /// Drains the inbox if nobody holds the site; if somebody does, or waits for it, he will when he is done.
    fn pick_up(&self) {
        while self.queued.load(Ordering::SeqCst) > 0 && self.waiting.load(Ordering::SeqCst) == 0 {
            let Some(site) = self.site.try_lock() else { return };
            let mut held = Held { partition: self, site: Some(site) };
            if self.drain(&mut held, FOREIGN_BATCHES_MAX) == FOREIGN_BATCHES_MAX {
                // Enough of others' work for one caller.
                held.released_quietly();
                if self.queued.load(Ordering::SeqCst) > 0 {
                    self.wake();
                }
                return;
            }
            held.released_quietly();
        }
    }

    /// Runs up to `most` queued batches; gives how many there were.
    fn drain(&self, held: &mut Held<'_>, most: usize) -> usize {
        if self.queued.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        for done in 0..most {
            let Some(mut batch) = self.inbox.lock().pop_front() else { return done };
            self.queued.fetch_sub(batch.len(), Ordering::SeqCst);
            self.run(held, &mut batch);
            let outbox = Arc::clone(&batch.outbox);
            outbox.put(batch);
        }
        most
    }

    fn wake(&self) {
        *self.overdue.lock() = true;
        self.overdue_changed.notify_one();
    }

    /// The partition's own thread: takes over when callers have more work queued than they should do for each other.
    pub fn run_thread(&self) {
        loop {
            let mut overdue = self.overdue.lock();
            while !*overdue && !self.closing.load(Ordering::SeqCst) {
                self.overdue_changed.wait(&mut overdue);
            }
            *overdue = false;
            drop(overdue);
            if self.closing.load(Ordering::SeqCst) {
                return;
            }
            while self.queued.load(Ordering::SeqCst) > 0 {
                let mut held = Held { partition: self, site: Some(self.site.lock()) };
                self.drain(&mut held, FOREIGN_BATCHES_MAX);
                held.released_quietly();
            }
        }
    }

    /// Ends the partition's thread.
    pub fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        let _overdue = self.overdue.lock();
        self.overdue_changed.notify_all();
    }
}

/// The one who drives a partition. On release, what was queued meanwhile is run, or left to the partition's thread.
pub struct Held<'a> {
    partition: &'a Partition,
    site: Option<MutexGuard<'a, Site>>,
}

impl Held<'_> {
    #[inline(always)]
    pub fn site(&mut self) -> &mut Site {
        self.site.as_mut().expect("held until dropped")
    }

    #[inline(always)]
    pub fn peek(&self) -> &Site {
        self.site.as_ref().expect("held until dropped")
    }

    fn release(&mut self) {
        if let Some(site) = self.site.take() {
            // To whoever waits for all partitions, if anybody does.
            match self.partition.waiting.load(Ordering::SeqCst) {
                0 => drop(site),
                _ => MutexGuard::unlock_fair(site),
            }
        }
    }

    fn released_quietly(mut self) {
        self.release();
    }
}

impl Drop for Held<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.site.is_none() {
            return;
        }
        self.release();
        if self.partition.queued.load(Ordering::SeqCst) > 0 {
            self.partition.pick_up();
        }
    }
}
