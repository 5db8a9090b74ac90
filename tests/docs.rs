//! The documentation names what there is.

use std::fs;
use std::path::Path;
use votedb::expr::function::NAMES;

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("the document is there")
}

#[test]
fn the_page_on_sql_names_every_function() {
    let page = read("docs/sql.md");
    let missing: Vec<_> = NAMES.iter().filter(|(name, _)| !page.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "docs/sql.md does not name {missing:?}");
}

#[test]
fn files_that_the_documents_link_to_are_there() {
    for (file, folder) in [
        ("README.md", ""),
        ("docs/design.md", "docs/"),
        ("docs/sql.md", "docs/"),
        ("docs/bench.md", "docs/"),
        ("docs/shell.md", "docs/"),
    ] {
        for part in read(file).split("](").skip(1) {
            let target = part.split([')', '#']).next().unwrap_or("");
            if !target.is_empty() && !target.contains("://") {
                let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{folder}{target}"));
                assert!(path.exists(), "{file} links to {target}, which is not there");
            }
        }
    }
}
