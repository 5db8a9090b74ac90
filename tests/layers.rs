//! The order of the rooms, kept: imports point one way, and `unsafe` stays where it is accounted for.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Imports against the order that stay, each with its reason: file, room that it uses.
const IMPORTS_AGAINST_THE_ORDER: [(&str, &str, &str); 0] = [];

/// Files outside of storage that may hold `unsafe`, each with its reason.
const UNSAFE_OUTSIDE_STORAGE: [(&str, &str); 2] = [
    ("shell/interrupt.rs", "sigaction, to hear Ctrl-C while a statement runs"),
    ("bench/signals.rs", "sigaction, to end a run in order"),
];

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Path below src, with slashes, and text of every source file.
fn sources() -> Vec<(String, String)> {
    let root = source_folder();
    let (mut folders, mut files) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("src can be read") {
            let path = entry.expect("src can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name: Vec<_> =
                    path.strip_prefix(&root).expect("below src").iter().map(|part| part.to_string_lossy()).collect();
                files.push((name.join("/"), fs::read_to_string(&path).expect("sources are UTF-8")));
            }
        }
    }
    files.sort();
    files
}

/// The rooms in the order of lib.rs: each may use those before it.
fn rooms() -> Vec<String> {
    let text = fs::read_to_string(source_folder().join("lib.rs")).expect("there is a lib.rs");
    let rooms = text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    rooms.map(str::to_owned).collect()
}

/// Code without line comments and doc comments. Good enough for looking for words that no text of ours contains.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(i, line)| (i + 1, line.split("//").next().unwrap_or("")))
}

/// The first path segments after each `crate::` of a line; `use crate::{a, b}` gives both.
fn rooms_used(line: &str) -> Vec<&str> {
    let mut used = Vec::new();
    for (at, found) in line.match_indices("crate::") {
        let before = line[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &line[at + found.len()..];
        let list = match rest.strip_prefix('{') {
            Some(list) => list.split([',', '}']).map(str::trim_start).collect(),
            None => vec![rest],
        };
        used.extend(
            list.into_iter().map(|path| path.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("")),
        );
    }
    used.retain(|room| !room.is_empty());
    used
}

#[test]
fn rooms_use_only_rooms_before_them() {
    let rooms = rooms();
    assert!(rooms.len() > 10, "lib.rs lists the rooms: {rooms:?}");
    let place = |name: &str| rooms.iter().position(|room| room == name);
    let (mut against, mut met) = (Vec::new(), BTreeSet::new());
    for (file, text) in sources() {
        let Some(own) = place(file.split('/').next().unwrap_or("")) else { continue };
        for (number, line) in code(&text) {
            for used in rooms_used(line) {
                if place(used).is_none_or(|used| used <= own) {
                    continue;
                }
                match IMPORTS_AGAINST_THE_ORDER.iter().position(|(at, room, _)| *at == file && *room == used) {
                    Some(exception) => drop(met.insert(exception)),
                    None => against.push(format!("src/{file}:{number}: {} uses {used}: {}", rooms[own], line.trim())),
                }
            }
        }
    }
    assert!(against.is_empty(), "imports against the order of rooms:\n{}", against.join("\n"));
    assert_eq!(met.len(), IMPORTS_AGAINST_THE_ORDER.len(), "an exception is no longer needed: {met:?}");
}

#[test]
fn unsafe_code_stays_in_storage() {
    let (mut found, mut met) = (Vec::new(), BTreeSet::new());
    for (file, text) in sources().into_iter().filter(|(file, _)| !file.starts_with("storage/")) {
        for (number, line) in code(&text) {
            let has = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == "unsafe");
            match UNSAFE_OUTSIDE_STORAGE.iter().any(|(at, _)| *at == file) {
                true if has => drop(met.insert(file.clone())),
                false if has => found.push(format!("src/{file}:{number}: {}", line.trim())),
                _ => {}
            }
        }
    }
    assert!(found.is_empty(), "unsafe outside of storage:\n{}", found.join("\n"));
    assert_eq!(met.len(), UNSAFE_OUTSIDE_STORAGE.len(), "an exception is no longer needed: {met:?}");
}

/// The rooms that show things reach the engine through its face alone. Catalog is data, stats and types are words.
#[test]
fn front_ends_know_the_client_and_nothing_below() {
    let allowed = [
        ("render", &["types", "render"][..]),
        ("bench", &["types", "stats", "client", "render", "bench"][..]),
        ("shell", &["bench", "types", "catalog", "client", "render", "shell"][..]),
    ];
    for (file, text) in sources() {
        let Some((_, allowed)) = allowed.iter().find(|(room, _)| file.starts_with(&format!("{room}/"))) else {
            continue;
        };
        for (number, line) in code(&text) {
            // The crate's own face may be used as embedding programs do.
            let used = rooms_used(line).into_iter().filter(|name| rooms().iter().any(|room| room == name));
            let below: Vec<_> = used.filter(|name| !allowed.contains(name)).collect();
            assert!(below.is_empty(), "src/{file}:{number} uses {below:?}: {}", line.trim());
        }
    }
}

#[test]
fn uses_are_read_as_they_are_written() {
    assert_eq!(rooms_used("use crate::sql::ast;"), ["sql"]);
    assert_eq!(rooms_used("pub use crate::{types, expr::eval};"), ["types", "expr"]);
    assert_eq!(rooms_used("    crate::stats::Histogram::new(crate::types::Name)"), ["stats", "types"]);
    assert!(rooms_used("$crate::x; mycrate::y").is_empty());
}
