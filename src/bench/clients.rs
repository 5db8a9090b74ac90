//! Client threads: closed loop, pipelined, and open loop on a schedule.
//!
//! Per call the harness costs some 20 ns: a call from the generator, one or two counters, one bucket. Clock reads are
//! shared: a synchronous client reads the clock once per call (one call's end is the next one's start); a pipelined
//! client reads it once per [`GROUP`] calls submitted and per [`GROUP`] answers taken. The start of a pipelined call
//! may thus lie up to a group's submission too early, so its latency is overstated, never understated, by that.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::bench::clock::Clock;
use crate::bench::controls::Controls;
use crate::bench::options::Mode;
use crate::bench::pacer::Pacer;
use crate::bench::processor::ThreadTimes;
use crate::bench::recorder::{Recorder, Times};
use crate::bench::target::{VoteDone, VoteTarget};
use crate::bench::workloads::voter::CallGenerator;

/// Calls per reading of the clock when pipelined.
pub(super) const GROUP: usize = 16;

/// A gap of the schedule longer than this is slept through but for its last part, which is spun: waking up is late by
/// some 60 µs, and that lateness would count as the database's.
const SPIN_NS: u64 = 150_000;
/// A client that is not wanted looks this often whether it is.
const IDLE: Duration = Duration::from_millis(5);

/// What all threads of a run share.
pub(super) struct RunControl {
    pub(super) clock: Clock,
    /// No call starts once this is set, or after `end_ns`.
    pub(super) stop: AtomicBool,
    pub(super) end_ns: u64,
    /// Clients that have left, for whatever reason.
    pub(super) finished: AtomicUsize,
    pub(super) controls: Arc<Controls>,
}

impl RunControl {
    fn is_over(&self, now: u64) -> bool {
        now >= self.end_ns || self.stop.load(Ordering::Relaxed)
    }
}

/// One client thread's all.
pub(super) struct Client {
    pub(super) target: Box<dyn VoteTarget>,
    pub(super) generator: CallGenerator,
    pub(super) recorder: Arc<Recorder>,
    pub(super) control: Arc<RunControl>,
    /// From 0.
    pub(super) number: usize,
    pub(super) max_votes: i64,
    /// Calls in flight at most, when pipelined.
    pub(super) window: usize,
    /// The settings that the client goes by, and whether calls are text.
    pub(super) epoch: u64,
    pub(super) by_text: bool,
    /// A call was lost: the client calls no more.
    pub(super) broken: bool,
}

/// Counts a client as finished also when it panics.
struct Leaving(Arc<RunControl>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.finished.fetch_add(1, Ordering::Release);
    }
}

impl Client {
    /// Calls until the run's end or stop, then waits for every call in flight.
    pub(super) fn run(mut self) {
        let _leaving = Leaving(self.control.clone());
        if let Some(times) = ThreadTimes::own() {
            let _ = self.recorder.thread.set(times);
        }
        let mut first = true;
        loop {
            let now = self.control.clock.now();
            if self.control.is_over(now) || self.broken {
                break;
            }
            self.epoch = self.control.controls.epoch();
            let settings = self.control.controls.settings();
            if self.number >= settings.clients {
                std::thread::sleep(IDLE);
                first = false;
                continue;
            }
            // Schedules of the run's beginning start at its beginning, so that the clients take turns exactly.
            let begun_at = if first { 0 } else { now };
            first = false;
            self.by_text = settings.mode == Mode::Sql;
            let pacer = settings.rate.map(|rate| Pacer::new(rate, self.number, settings.clients).begun_at(begun_at));
            match (settings.mode, pacer) {
                (Mode::Sync | Mode::Sql, None) => self.sync_closed(),
                (Mode::Sync | Mode::Sql, Some(pacer)) => self.sync_open(pacer),
                (Mode::Async, None) => self.pipelined_closed(),
                (Mode::Async, Some(pacer)) => self.pipelined_open(pacer),
            }
        }
        if let Some(used) = self.recorder.thread.get().and_then(ThreadTimes::read) {
            self.recorder.cpu_ns.set(used.cpu_ns);
            self.recorder.cpu_wait_ns.set(used.wait_ns);
        }
    }

    /// Whether the client goes on as it does: the run is not over, and the settings have not changed.
    #[inline]
    fn goes_on(&self, now: u64) -> bool {
        !self.control.is_over(now) && self.control.controls.epoch() == self.epoch
    }

    fn sync_closed(&mut self) {
        let clock = self.control.clock;
        let mut started = clock.now();
        while self.goes_on(started) {
            let answered = self.call_and_record(started, None);
            started = answered;
        }
    }

    fn sync_open(&mut self, mut pacer: Pacer) {
        let clock = self.control.clock;
        let mut now = clock.now();
        while self.goes_on(now) {
            let intended = pacer.next_start();
            if intended > now {
                now = self.wait_until(intended, now);
                continue;
            }
            pacer.advance();
            now = self.call_and_record(now, Some(intended));
        }
        self.count_unsent(&pacer);
    }

    /// Counts the calls that were due and have not started when the loop ends.
    fn count_unsent(&self, pacer: &Pacer) {
        let until = self.control.clock.now().min(self.control.end_ns);
        self.recorder.unsent.add(pacer.overdue(until));
    }

    #[inline]
    fn call_and_record(&mut self, started: u64, intended: Option<u64>) -> u64 {
        let call = self.generator.next_call();
        self.recorder.submitted.add(1);
        let result = match self.by_text {
            false => self.target.vote(call.phone, call.contestant, self.max_votes),
            true => self.target.vote_by_text(call.phone, call.contestant, self.max_votes),
        };
        let answered = self.control.clock.now();
        self.recorder.answered(Times { intended, started, answered }, result);
        self.recorder.last_answer_ns.set(answered);
        answered
    }

    /// Waits for a moment of the schedule, or a part of the way; returns the time.
    fn wait_until(&mut self, due: u64, now: u64) -> u64 {
        let gap = due.min(self.control.end_ns).saturating_sub(now);
        if gap > SPIN_NS {
            // In steps, so that a slow schedule does not hold up the end of the run.
            std::thread::sleep(Duration::from_nanos((gap - SPIN_NS).min(50_000_000)));
        } else {
            std::hint::spin_loop();
        }
        self.control.clock.now()
    }

    fn pipelined_closed(&mut self) {
        let mut flight = Flight::new(self.window);
        // Answers are awaited until a group fits, so that a full window does not fall apart into single calls.
        let room_least = GROUP.min(self.window / 2).max(1);
        loop {
            let now = self.control.clock.now();
            if !self.goes_on(now) {
                break;
            }
            let group = flight.free.len().min(GROUP);
            for _ in 0..group {
                self.submit(&mut flight, None, now);
            }
            self.recorder.submitted.add(group as u64);
            self.take_answers(&mut flight, false);
            if flight.free.len() < room_least {
                self.target.flush();
                while flight.free.len() < room_least && self.take_answers(&mut flight, true) > 0 {}
                if flight.free.is_empty() {
                    // Nothing is in flight and yet no slot is free: every call was lost, which the drain counts.
                    break;
                }
            }
        }
        self.drain(flight);
    }

    fn pipelined_open(&mut self, mut pacer: Pacer) {
        let mut flight = Flight::new(self.window);
        let mut now = self.control.clock.now();
        while self.goes_on(now) {
            let mut sent = 0;
            while sent < GROUP && !flight.free.is_empty() && pacer.next_start() <= now {
                self.submit(&mut flight, Some(pacer.next_start()), now);
                pacer.advance();
                sent += 1;
            }
            self.recorder.submitted.add(sent as u64);
            if sent == GROUP {
                self.take_answers(&mut flight, false);
            } else if flight.free.is_empty() {
                self.target.flush();
                if self.take_answers(&mut flight, true) == 0 {
                    // Nothing is in flight and yet no slot is free: every call was lost, which the drain counts.
                    break;
                }
            } else if flight.is_idle() {
                now = self.wait_until(pacer.next_start(), now);
                continue;
            } else {
                // Answers are awaited, and a blocking wait could sleep past the next start.
                self.target.flush();
                if self.take_answers(&mut flight, false) == 0 {
                    std::thread::yield_now();
                }
            }
            now = self.control.clock.now();
        }
        self.count_unsent(&pacer);
        self.drain(flight);
    }

    /// Submits one call; the caller counts it.
    #[inline]
    fn submit(&mut self, flight: &mut Flight, intended: Option<u64>, started: u64) {
        let call = self.generator.next_call();
        let tag = flight.start(intended, started);
        if let Err(message) = self.target.submit(call.phone, call.contestant, self.max_votes, tag) {
            let answered = self.control.clock.now();
            flight.finish(tag);
            self.recorder.answered(Times { intended, started, answered }, Err(message));
        }
    }

    /// Records the answers that are there and returns how many.
    fn take_answers(&mut self, flight: &mut Flight, wait: bool) -> usize {
        let Client { target, recorder, control, .. } = self;
        let (mut answered, mut taken) = (0, 0usize);
        target.poll(wait, &mut |tag, result: Result<VoteDone, String>| {
            if taken.is_multiple_of(GROUP) {
                answered = control.clock.now();
            }
            taken += 1;
            match flight.finish(tag) {
                Some((intended, started)) => recorder.answered(Times { intended, started, answered }, result),
                None => recorder.unasked.add(1),
            }
        });
        if taken > 0 {
            recorder.last_answer_ns.set(answered);
        }
        taken
    }

    fn drain(&mut self, mut flight: Flight) {
        self.target.flush();
        while self.target.in_flight() > 0 && self.take_answers(&mut flight, true) > 0 {}
        self.take_answers(&mut flight, false);
        let lost = self.window - flight.free.len();
        self.recorder.lost.add(lost as u64);
        self.broken = lost > 0;
    }
}

/// The calls in flight of one client. A tag is a slot's number below the number of its use, so that an answer that
/// comes twice is known as such even when the slot has been taken again.
struct Flight {
    slots: Box<[Slot]>,
    free: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Slot {
    intended: Option<u64>,
    started: u64,
    /// Odd while a call is in flight.
    uses: u32,
}

impl Flight {
    fn new(window: usize) -> Flight {
        let slots = vec![Slot { intended: None, started: 0, uses: 0 }; window].into_boxed_slice();
        Flight { slots, free: (0..window as u32).rev().collect() }
    }

    fn is_idle(&self) -> bool {
        self.free.len() == self.slots.len()
    }

    /// Takes a free slot (there must be one) and returns its tag.
    #[inline]
    fn start(&mut self, intended: Option<u64>, started: u64) -> u64 {
        let at = self.free.pop().expect("the caller looked for a free slot");
        let slot = &mut self.slots[at as usize];
        *slot = Slot { intended, started, uses: slot.uses.wrapping_add(1) };
        (slot.uses as u64) << 32 | at as u64
    }

    /// Frees a tag's slot and returns when its call was intended and started; nothing if no such call is in flight.
    #[inline]
    fn finish(&mut self, tag: u64) -> Option<(Option<u64>, u64)> {
        let slot = self.slots.get_mut(tag as u32 as usize)?;
        if slot.uses & 1 == 0 || slot.uses != (tag >> 32) as u32 {
            return None;
        }
        slot.uses = slot.uses.wrapping_add(1);
        self.free.push(tag as u32);
        Some((slot.intended, slot.started))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_comes_twice_is_known_even_after_its_slot_was_taken_again() {
        let mut flight = Flight::new(2);
        let first = flight.start(Some(1), 2);
        let second = flight.start(Some(3), 4);
        assert_eq!(flight.finish(first), Some((Some(1), 2)));
        assert_eq!(flight.finish(first), None);
        let third = flight.start(None, 6);
        assert_eq!(third as u32, first as u32);
        assert_eq!(flight.finish(first), None);
        assert_eq!(flight.finish(second), Some((Some(3), 4)));
        assert_eq!(flight.finish(third), Some((None, 6)));
        assert_eq!(flight.finish(99), None);
        assert!(flight.is_idle());
    }
}
