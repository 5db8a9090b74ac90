//! A disk in memory that behaves as badly as disks may: for tests.
//!
//! What was not synced may be there after a crash, or not, or in part, in any order. Every choice follows from a seed.

use super::disk::{Disk, DiskFile};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::Arc;

/// Mistakes that the simulation must find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlantedBug {
    /// The log's blocks are written but not synced.
    MissingSync,
    /// Blocks are taken whatever their checksum says.
    IgnoredChecksum,
    /// A position counts as durable before it is written.
    EarlyAcknowledgement,
}

/// Bytes that are written whole or not at all.
const SECTOR: usize = 512;

type Inode = usize;

#[derive(Default)]
struct State {
    files: Vec<SimulatedContent>,
    /// The folder as processes see it, and as it would be after a crash.
    folder: BTreeMap<String, Inode>,
    lasting: BTreeMap<String, Inode>,
    /// Changes of the folder that may or may not last.
    pending: Vec<(String, Option<Inode>)>,
    operations: u64,
    fault: Fault,
    random: u64,
    locked: bool,
    /// Counts crashes: files that were opened before the last are dead.
    life: u64,
    /// Something has failed in this life.
    faulted: bool,
    trace: Vec<String>,
}

#[derive(Default, Clone)]
struct SimulatedContent {
    bytes: Vec<u8>,
    lasting: Vec<u8>,
    /// Writes since the last sync.
    unsynced: Vec<(u64, Vec<u8>)>,
}

/// What goes wrong next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fault {
    #[default]
    None,
    /// The power fails at the operation of that number.
    Crash {
        at: u64,
    },
    /// That operation and all later writes fail; reads work.
    Failing {
        at: u64,
    },
    /// One sync fails, later ones work.
    FailedSync {
        at: u64,
        done: bool,
    },
    Crashed,
}

/// See the module. Clones are the same disk.
#[derive(Clone)]
pub struct SimulatedDisk {
    state: Arc<Mutex<State>>,
}

impl fmt::Debug for SimulatedDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("simulated disk")
    }
}

impl SimulatedDisk {
    pub fn new(seed: u64) -> SimulatedDisk {
        let state = State { random: seed ^ 0x9E37_79B9_7F4A_7C15, ..State::default() };
        SimulatedDisk { state: Arc::new(Mutex::new(state)) }
    }
    /// Writes, syncs and changes of the folder so far.
    pub fn operations(&self) -> u64 {
        self.state.lock().operations
    }
    /// The power fails at that operation.
    pub fn crash_at(&self, operation: u64) {
        self.state.lock().fault = Fault::Crash { at: operation };
    }
    /// From that operation on, whatever changes something fails.
    pub fn fail_from(&self, operation: u64) {
        self.state.lock().fault = Fault::Failing { at: operation };
    }
    /// The first sync from that operation on fails, once, and what it should have kept may be lost.
    pub fn fail_sync(&self, operation: u64) {
        self.state.lock().fault = Fault::FailedSync { at: operation, done: false };
    }
    /// True if anything has failed since the last restart.
    pub fn has_faulted(&self) -> bool {
        self.state.lock().faulted
    }
    /// True if the power has failed.
    pub fn has_crashed(&self) -> bool {
        self.state.lock().fault == Fault::Crashed
    }
    /// The process ended but the machine went on: files are as they were seen, and nothing fails any more.
    pub fn restart_process(&self) {
        let mut state = self.state.lock();
        state.fault = Fault::None;
        state.locked = false;
        state.faulted = false;
        state.trace.push("process ends".to_owned());
    }
    /// Notes something in the trace.
    pub fn note(&self, text: String) {
        self.state.lock().trace.push(text);
    }

    /// What was done, for people.
    pub fn trace(&self) -> Vec<String> {
        self.state.lock().trace.clone()
    }

    /// The power comes back: files hold what lasted.
    pub fn restart(&self) {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let pending = std::mem::take(&mut state.pending);
        for (name, inode) in pending {
            // Changes of a folder last in order, as with a journal: the first that is lost ends it.
            if state.random(4) == 0 {
                state.trace.push(format!("lost: change of {name}"));
                break;
            }
            match inode {
                Some(inode) => state.lasting.insert(name, inode),
                None => state.lasting.remove(&name),
            };
        }
        state.folder = state.lasting.clone();
        for at in 0..state.files.len() {
            let unsynced = std::mem::take(&mut state.files[at].unsynced);
            for (offset, bytes) in unsynced {
                state.survive(at, offset, &bytes);
            }
            state.files[at].bytes = state.files[at].lasting.clone();
        }
        state.fault = Fault::None;
        state.locked = false;
        state.faulted = false;
        state.life += 1;
        state.trace.push("power back".to_owned());
    }

    /// Flips one bit of what lasted in some file of that ending; gives the file and the byte. None: nothing is there.
    pub fn flip_bit(&self, ending: &str) -> Option<(String, u64)> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let files: Vec<(String, Inode)> = state
            .folder
            .iter()
            .filter(|(name, inode)| name.ends_with(ending) && !state.files[**inode].bytes.is_empty())
            .map(|(name, inode)| (name.clone(), *inode))
            .collect();
        if files.is_empty() {
            return None;
        }
        let (name, inode) = files[state.random(files.len() as u64) as usize].clone();
        let used = state.files[inode].bytes.iter().rposition(|&b| b != 0).map_or(1, |last| last + 1);
        let (at, bit) = (state.random(used as u64) as usize, state.random(8));
        state.files[inode].bytes[at] ^= 1 << bit;
        state.files[inode].lasting = state.files[inode].bytes.clone();
        state.trace.push(format!("bit {bit} of byte {at} of {name} flipped"));
        Some((name, at as u64))
    }

    /// The content of a file.
    pub fn content(&self, name: &str) -> Option<Vec<u8>> {
        let state = self.state.lock();
        state.folder.get(name).map(|&inode| state.files[inode].bytes.clone())
    }
    /// Puts a file there, synced.
    pub fn put(&self, name: &str, bytes: Vec<u8>) {
        let mut state = self.state.lock();
        state.files.push(SimulatedContent { lasting: bytes.clone(), bytes, unsynced: Vec::new() });
        let inode = state.files.len() - 1;
        state.folder.insert(name.to_owned(), inode);
        state.lasting.insert(name.to_owned(), inode);
    }
    /// A disk with the same files, all synced.
    pub fn copy(&self) -> SimulatedDisk {
        let copy = SimulatedDisk::new(1);
        let state = self.state.lock();
        for (name, &inode) in &state.folder {
            copy.put(name, state.files[inode].bytes.clone());
        }
        copy
    }
}

impl State {
    /// Below `bound`.
    fn random(&mut self, bound: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % bound.max(1)
    }

    /// A write that was not synced, after the power failed.
    fn survive(&mut self, inode: Inode, offset: u64, bytes: &[u8]) {
        let whole = self.random(3);
        let (mut kept, mut sectors) = (0, 0);
        let mut at = 0;
        while at < bytes.len() {
            let next = (SECTOR - (offset as usize + at) % SECTOR).min(bytes.len() - at) + at;
            let lasts = match whole {
                0 => true,
                1 => false,
                _ => self.random(2) == 0,
            };
            sectors += 1;
            if lasts {
                kept += 1;
                put(&mut self.files[inode].lasting, offset + at as u64, &bytes[at..next]);
            }
            at = next;
        }
        self.trace.push(format!("file {inode}: {kept} of {sectors} sectors at {offset} last"));
    }

    /// Counts an operation; fails if it is the one.
    fn operate(&mut self, what: impl FnOnce() -> String, is_sync: bool) -> io::Result<()> {
        let at = self.operations;
        self.operations += 1;
        let number = at;
        match self.fault {
            Fault::Crashed => return Err(io::Error::other("the power has failed")),
            Fault::Crash { at } if number >= at => {
                self.fault = Fault::Crashed;
                self.faulted = true;
                self.trace.push(format!("{number}: {}: power fails", what()));
                return Err(io::Error::other("the power has failed"));
            }
            Fault::Failing { at } if number >= at => {
                self.faulted = true;
                self.trace.push(format!("{number}: {}: fails", what()));
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            Fault::FailedSync { at, done: false } if number >= at && is_sync => {
                self.fault = Fault::FailedSync { at, done: true };
                self.faulted = true;
                self.trace.push(format!("{number}: {}: fails once", what()));
                return Err(io::Error::other("simulated I/O error"));
            }
            _ => {}
        }
        self.trace.push(format!("{number}: {}", what()));
        Ok(())
    }
}

fn put(content: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
    let end = offset as usize + bytes.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    content[offset as usize..end].copy_from_slice(bytes);
}

fn not_found(name: &str) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("no file {name}"))
}

impl Disk for SimulatedDisk {
    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.state.lock().folder.keys().cloned().collect())
    }
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        state.operate(|| format!("create {name}"), false)?;
        state.files.push(SimulatedContent::default());
        let inode = state.files.len() - 1;
        state.folder.insert(name.to_owned(), inode);
        state.pending.push((name.to_owned(), Some(inode)));
        Ok(Box::new(SimulatedFile { state: Arc::clone(&self.state), inode, life: state.life }))
    }
    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let state = self.state.lock();
        let &inode = state.folder.get(name).ok_or_else(|| not_found(name))?;
        Ok(Box::new(SimulatedFile { state: Arc::clone(&self.state), inode, life: state.life }))
    }
    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        state.operate(|| format!("rename {from} to {to}"), false)?;
        let inode = state.folder.remove(from).ok_or_else(|| not_found(from))?;
        state.folder.insert(to.to_owned(), inode);
        // The new name first: a rename that is cut in two leaves both.
        state.pending.push((to.to_owned(), Some(inode)));
        state.pending.push((from.to_owned(), None));
        Ok(())
    }
    fn remove(&self, name: &str) -> io::Result<()> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        state.operate(|| format!("remove {name}"), false)?;
        state.folder.remove(name).ok_or_else(|| not_found(name))?;
        state.pending.push((name.to_owned(), None));
        Ok(())
    }
    fn sync_folder(&self) -> io::Result<()> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        state.operate(|| "sync folder".to_owned(), true)?;
        state.pending.clear();
        state.lasting = state.folder.clone();
        Ok(())
    }
    fn lock(&self) -> io::Result<Option<Box<dyn Send + Sync>>> {
        let mut state = self.state.lock();
        if std::mem::replace(&mut state.locked, true) {
            return Ok(None);
        }
        Ok(Some(Box::new(Claim { state: Arc::clone(&self.state), life: state.life })))
    }
    fn shown(&self, name: &str) -> String {
        name.to_owned()
    }
}

struct Claim {
    state: Arc<Mutex<State>>,
    life: u64,
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut state = self.state.lock();
        if state.life == self.life {
            state.locked = false;
        }
    }
}

struct SimulatedFile {
    state: Arc<Mutex<State>>,
    inode: Inode,
    life: u64,
}

impl DiskFile for SimulatedFile {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        assert_eq!(state.life, self.life, "a file of a process that is dead");
        let inode = self.inode;
        let result = state.operate(|| format!("write {} bytes at {offset} of file {inode}", bytes.len()), false);
        let file = &mut state.files[inode];
        if result.is_ok() {
            put(&mut file.bytes, offset, bytes);
        }
        // Of one that fails, a part may get there.
        file.unsynced.push((offset, bytes.to_vec()));
        result
    }
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let state = self.state.lock();
        let content = &state.files[self.inode].bytes;
        let end = offset as usize + bytes.len();
        let source = content.get(offset as usize..end).ok_or(io::ErrorKind::UnexpectedEof)?;
        bytes.copy_from_slice(source);
        Ok(())
    }
    fn sync(&mut self) -> io::Result<()> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let inode = self.inode;
        if let Err(error) = state.operate(|| format!("sync file {inode}"), true) {
            if state.fault != Fault::Crashed {
                // The pages count as clean from now on, whether they were written or not.
                let unsynced = std::mem::take(&mut state.files[inode].unsynced);
                unsynced.iter().for_each(|(offset, bytes)| state.survive(inode, *offset, bytes));
            }
            return Err(error);
        }
        let file = &mut state.files[inode];
        file.unsynced.clear();
        file.lasting = file.bytes.clone();
        Ok(())
    }
    fn len(&self) -> io::Result<u64> {
        Ok(self.state.lock().files[self.inode].bytes.len() as u64)
    }
    fn set_len(&mut self, len: u64) -> io::Result<()> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let inode = self.inode;
        state.operate(|| format!("cut file {inode} to {len}"), false)?;
        let file = &mut state.files[inode];
        file.bytes.resize(len as usize, 0);
        Ok(())
    }
}
