//! Controls: what of a run can be changed while it goes on. Written by the watching thread, read by every client.

use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use crate::bench::options::{Mode, VoterOptions};

/// How clients call, at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    pub mode: Mode,
    /// Clients that call; the others wait.
    pub clients: usize,
    /// Calls per second of all clients together; none: as fast as answers come.
    pub rate: Option<f64>,
}

impl Settings {
    pub fn of(options: &VoterOptions) -> Settings {
        Settings { mode: options.mode, clients: options.clients, rate: options.rate }
    }
}

impl std::fmt::Display for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {} client{}", self.mode, self.clients, if self.clients == 1 { "" } else { "s" })?;
        match self.rate {
            Some(rate) => write!(f, ", {}/s", super::units::rate(rate)),
            None => f.write_str(", no rate"),
        }
    }
}

/// The settings of a run, shared by its threads. There is one writer; a client looks at the epoch alone, a plain load,
/// and reads the rest when it has moved.
#[derive(Debug)]
pub struct Controls {
    epoch: AtomicU64,
    mode: AtomicU8,
    clients: AtomicUsize,
    /// Bits of an `f64`; 0: none.
    rate: AtomicU64,
    clients_max: usize,
}

const MODES: [Mode; 3] = [Mode::Sync, Mode::Async, Mode::Sql];

impl Controls {
    /// `clients_max`: how many clients there are connections for.
    pub fn new(settings: Settings, clients_max: usize) -> Controls {
        let controls = Controls {
            epoch: AtomicU64::new(0),
            mode: AtomicU8::new(0),
            clients: AtomicUsize::new(0),
            rate: AtomicU64::new(0),
            clients_max,
        };
        controls.store(settings);
        controls
    }

    fn store(&self, settings: Settings) {
        let mode = MODES.iter().position(|mode| *mode == settings.mode).expect("every mode has its number");
        self.mode.store(mode as u8, Relaxed);
        self.clients.store(settings.clients.clamp(1, self.clients_max), Relaxed);
        self.rate.store(settings.rate.map_or(0, f64::to_bits), Relaxed);
    }

    /// Takes effect at each client's next call. Only ever from one thread. The number of clients is kept to those that
    /// there are connections for.
    pub fn change(&self, settings: Settings) {
        self.store(settings);
        self.epoch.fetch_add(1, Release);
    }

    pub fn settings(&self) -> Settings {
        let rate = self.rate.load(Relaxed);
        Settings {
            mode: MODES[self.mode.load(Relaxed) as usize],
            clients: self.clients.load(Relaxed),
            rate: (rate != 0).then(|| f64::from_bits(rate)),
        }
    }

    pub fn clients_max(&self) -> usize {
        self.clients_max
    }

    /// How often the settings have changed.
    #[inline]
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_back_as_they_were_given_within_what_there_is() {
        let first = Settings { mode: Mode::Sql, clients: 2, rate: None };
        let controls = Controls::new(first, 4);
        assert_eq!((controls.settings(), controls.epoch()), (first, 0));
        controls.change(Settings { mode: Mode::Sync, clients: 9, rate: Some(1.5) });
        assert_eq!(controls.settings(), Settings { mode: Mode::Sync, clients: 4, rate: Some(1.5) });
        assert_eq!((controls.epoch(), controls.settings().to_string()), (1, "sync, 4 clients, 2/s".to_owned()));
    }
}
