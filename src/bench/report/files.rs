//! Files: a report in all its forms, in a folder of its own.

use std::io;
use std::path::{Path, PathBuf};

use crate::bench::report::csv;
use crate::bench::results::Document;

/// Writes the report's forms into a folder of `folder` that is named by workload and time; gives the page's path.
///
/// Nothing that is there already is written over: a second report of the same second gets a number.
pub fn write(document: &Document, folder: &Path) -> io::Result<PathBuf> {
    let time = document.machine.time().replace(" UTC", "").replace(' ', "T").replace(':', "-");
    let name = format!("{}-{time}", document.kind);
    std::fs::create_dir_all(folder)?;
    let mut own = folder.join(&name);
    let mut number = 1;
    while let Err(error) = std::fs::create_dir(&own) {
        if error.kind() != io::ErrorKind::AlreadyExists {
            return Err(error);
        }
        number += 1;
        own = folder.join(format!("{name}-{number}"));
    }
    std::fs::write(own.join("report.json"), document.to_json())?;
    std::fs::write(own.join("report.csv"), csv::entries(document))?;
    Ok(own.join("report.json"))
}
