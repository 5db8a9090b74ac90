//! Files: a report in all its forms, in a folder of its own.

use std::io;
use std::path::{Path, PathBuf};

use crate::bench::report::{csv, gallery, html};
use crate::bench::results::Document;

/// Writes the report's forms into a new folder of `folder` that is named by kind and time; gives the page's path.
///
/// Nothing that is there already is written over: a second report of the same second gets a number.
pub fn write(document: &Document, folder: &Path) -> io::Result<PathBuf> {
    let charts = gallery::charts(document).map_err(io::Error::other)?;
    let own = new_folder(document, folder)?;
    std::fs::write(own.join("report.json"), document.to_json())?;
    std::fs::write(own.join("report.csv"), csv::entries(document))?;
    if let Some(report) = &document.run {
        std::fs::write(own.join("seconds.csv"), csv::seconds(report))?;
    }
    std::fs::create_dir(own.join("charts"))?;
    for (name, svg) in &charts {
        std::fs::write(own.join("charts").join(format!("{name}.svg")), svg)?;
        #[cfg(feature = "png")]
        std::fs::write(own.join("charts").join(format!("{name}.png")), png(svg)?)?;
    }
    let page = own.join("report.html");
    std::fs::write(&page, html::page(document, &charts))?;
    Ok(page)
}

fn new_folder(document: &Document, folder: &Path) -> io::Result<PathBuf> {
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
    Ok(own)
}

/// A chart as PNG, twice as large as its SVG says.
#[cfg(feature = "png")]
fn png(svg: &str) -> io::Result<Vec<u8>> {
    use resvg::{tiny_skia, usvg};
    let mut options = usvg::Options::default();
    options.fontdb_mut().load_system_fonts();
    let tree = usvg::Tree::from_str(svg, &options).map_err(io::Error::other)?;
    let size = tree.size();
    let (width, height) = ((size.width() * 2.0) as u32, (size.height() * 2.0) as u32);
    let mut pixels = tiny_skia::Pixmap::new(width, height).ok_or_else(|| io::Error::other("a chart without a size"))?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(2.0, 2.0), &mut pixels.as_mut());
    pixels.encode_png().map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::options::VoterOptions;
    use crate::bench::run::Report;
    use crate::bench::run::tests::outcome;

    #[test]
    fn a_report_has_all_its_forms_and_a_second_one_a_folder_of_its_own() {
        let report = Report::new(&VoterOptions { partitions: 2, ..VoterOptions::default() }, &outcome(), Ok(()));
        let document = Document::of_run(&report);
        let folder = std::env::temp_dir().join(format!("votedb-report-{}", std::process::id()));
        let (first, second) = (write(&document, &folder).unwrap(), write(&document, &folder).unwrap());
        assert_ne!(first, second);
        for name in ["report.json", "report.csv", "seconds.csv", "report.html", "charts/throughput.svg"] {
            assert!(first.parent().unwrap().join(name).is_file(), "{name}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
