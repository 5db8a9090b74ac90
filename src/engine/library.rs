//! Where procedures' texts are found: files, and the voter set that is built in.

use crate::durability::Attachment;
use crate::types::Name;
use std::path::{Path, PathBuf};

/// The schema, procedures and first call of the voter example, as a script.
pub const VOTER_SCHEMA: &str = include_str!("../../ddl/voter.sql");

/// The voter procedures, by name.
const BUILT_IN: [(&str, &str); 5] = [
    ("Vote", include_str!("../../procs/voter/Vote.sql")),
    ("Initialize", include_str!("../../procs/voter/Initialize.sql")),
    ("Results", include_str!("../../procs/voter/Results.sql")),
    ("GetStateHeatmap", include_str!("../../procs/voter/GetStateHeatmap.sql")),
    ("ContestantWinningStates", include_str!("../../procs/voter/ContestantWinningStates.sql")),
];

/// Deepest nesting of folders that is looked into.
const DEPTH_MAX: usize = 8;

/// Folders in the order in which they are searched.
#[derive(Clone, Debug, Default)]
pub struct Library {
    pub folders: Vec<PathBuf>,
    /// Set while definitions are done again: the texts that they found at the time. Nothing else is looked at then.
    pub attached: Option<Vec<Attachment>>,
}

impl Library {
    /// The text of `name`'s file, and where it is from. The file is called like the procedure, in any case, and ends in
    /// `.sql`. Err: there is one, but it cannot be read.
    pub fn find(&self, name: &Name) -> Result<Option<(String, String)>, String> {
        if let Some(attached) = &self.attached {
            let found = attached.iter().find(|attachment| *name == *attachment.name.as_str());
            return Ok(found.map(|attachment| (attachment.file.clone(), attachment.text.clone())));
        }
        for folder in &self.folders {
            if let Some(path) = find_file(folder, name, DEPTH_MAX) {
                let shown = path.display().to_string();
                let bytes = std::fs::read(&path).map_err(|error| format!("cannot read {shown}: {error}"))?;
                let text = String::from_utf8(bytes)
                    .map_err(|error| format!("{shown} is not UTF-8 at byte {}", error.utf8_error().valid_up_to()))?;
                return Ok(Some((shown, text)));
            }
        }
        let built_in = BUILT_IN.iter().find(|(known, _)| *name == *known);
        Ok(built_in.map(|(known, text)| (format!("built-in voter/{known}.sql"), (*text).to_owned())))
    }

    /// Names that [`Library::find`] would find, for suggestions.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect();
        self.folders.iter().for_each(|folder| collect(folder, &mut names, DEPTH_MAX));
        names
    }
}

/// Files and folders of a folder, sorted, so that the same tree always gives the same answer.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    entries
}

fn is_sql(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("sql"))
}

fn find_file(folder: &Path, name: &Name, depth: usize) -> Option<PathBuf> {
    let entries = entries(folder);
    let named = |path: &&PathBuf| is_sql(path) && path.file_stem().is_some_and(|stem| *name == *stem.to_string_lossy());
    if let Some(path) = entries.iter().find(named) {
        return Some(path.clone());
    }
    if depth == 0 {
        return None;
    }
    entries.iter().filter(|path| path.is_dir()).find_map(|path| find_file(path, name, depth - 1))
}

/// Every `.sql` file in a folder and those below it, in a fixed order.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    fn gather(folder: &Path, files: &mut Vec<PathBuf>, depth: usize) {
        for path in entries(folder) {
            if path.is_dir() && depth > 0 {
                gather(&path, files, depth - 1);
            } else if is_sql(&path) {
                files.push(path);
            }
        }
    }
    let mut found = Vec::new();
    gather(folder, &mut found, DEPTH_MAX);
    found
}

fn collect(folder: &Path, names: &mut Vec<String>, depth: usize) {
    for path in entries(folder) {
        if path.is_dir() && depth > 0 {
            collect(&path, names, depth - 1);
        } else if is_sql(&path) {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
}
