//! Files of one folder, behind a trait: the machine's disk, or a simulated one.

use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The files of one folder. Names have no slashes.
pub trait Disk: Send + Sync + Debug {
    /// Names of all files, in any order.
    fn list(&self) -> io::Result<Vec<String>>;
    /// A new, empty file; one of that name is emptied.
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>>;
    /// A file that is there.
    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>>;
    /// Gives a file another name; one that had it is gone.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    fn remove(&self, name: &str) -> io::Result<()>;
    /// Makes creations, renames and removals last.
    fn sync_folder(&self) -> io::Result<()>;
    /// Claims the folder for this process for as long as the guard lives. None: another has it.
    fn lock(&self) -> io::Result<Option<Box<dyn Send + Sync>>>;
    /// The path of a file, for messages.
    fn shown(&self, name: &str) -> String;
}

/// An open file.
pub trait DiskFile: Send + Sync {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Fills `bytes`, or fails with `UnexpectedEof`.
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()>;
    /// Makes the content, and the length, last.
    fn sync(&mut self) -> io::Result<()>;
    fn len(&self) -> io::Result<u64>;
    fn set_len(&mut self, len: u64) -> io::Result<()>;

    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
    /// The whole content.
    fn read_all(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.len()? as usize];
        self.read_at(0, &mut bytes)?;
        Ok(bytes)
    }
}

/// A folder of the machine's file system.
#[derive(Debug)]
pub struct RealDisk {
    folder: PathBuf,
}

/// Holds the process's claim on a folder.
const LOCK_FILE: &str = "lock";

impl RealDisk {
    /// The folder, which is made if it is not there.
    pub fn open(folder: &Path) -> io::Result<RealDisk> {
        std::fs::create_dir_all(folder)?;
        Ok(RealDisk { folder: folder.to_owned() })
    }
    /// The folder, which must be there.
    pub fn existing(folder: &Path) -> io::Result<RealDisk> {
        std::fs::read_dir(folder)?;
        Ok(RealDisk { folder: folder.to_owned() })
    }
    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Disk for RealDisk {
    fn list(&self) -> io::Result<Vec<String>> {
        let names = std::fs::read_dir(&self.folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        names.collect()
    }
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(self.path(name))?;
        Ok(Box::new(RealFile(options)))
    }
    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        // A folder that may only be read can still be checked.
        let path = self.path(name);
        let file = OpenOptions::new().read(true).write(true).open(&path).or_else(|_| File::open(&path))?;
        Ok(Box::new(RealFile(file)))
    }
    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        std::fs::rename(self.path(from), self.path(to))
    }
    fn remove(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.path(name))
    }
    fn sync_folder(&self) -> io::Result<()> {
        File::open(&self.folder)?.sync_all()
    }
    fn lock(&self) -> io::Result<Option<Box<dyn Send + Sync>>> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(self.path(LOCK_FILE))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(std::fs::TryLockError::WouldBlock) => Ok(None),
            Err(std::fs::TryLockError::Error(error)) => Err(error),
        }
    }
    fn shown(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }
}

struct RealFile(File);

impl DiskFile for RealFile {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(bytes, offset)
    }
    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }
    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }
}
