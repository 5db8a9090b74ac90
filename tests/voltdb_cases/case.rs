//! The files: setup blocks, and cases as JSON, one a line.

use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// One statement or call and what VoltDB gave, as the folder's README describes the fields.
#[derive(Deserialize)]
pub struct Case {
    pub id: String,
    pub setup: String,
    pub sql: Option<String>,
    pub call: Option<String>,
    #[serde(default)]
    pub params: Vec<Parameter>,
    #[serde(default)]
    pub before: Vec<String>,
    #[serde(flatten)]
    pub expected: Expected,
    #[serde(default)]
    pub check: Vec<Check>,
    #[serde(default)]
    pub quirk: bool,
    pub note: Option<String>,
}

/// An answer: result tables, or a class of error.
#[derive(Deserialize)]
pub struct Expected {
    pub error_class: Option<String>,
    pub sqlstate_or_null: Option<String>,
    #[serde(flatten)]
    table: Option<Table>,
    #[serde(default)]
    results: Vec<Table>,
    #[serde(default)]
    pub ordered: bool,
}

#[derive(Deserialize, Clone)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Json>>,
}

#[derive(Deserialize, Clone)]
pub struct Column {
    pub name: String,
    #[serde(rename = "type")]
    pub ty: String,
}

/// A query that shows the state which the statement left.
#[derive(Deserialize)]
pub struct Check {
    pub sql: String,
    #[serde(flatten)]
    pub expected: Expected,
}

/// A typed argument; a list in place of an object is an argument that the client sent as an array of that type.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Parameter {
    Typed {
        #[serde(rename = "type")]
        ty: String,
        value: Json,
    },
    Pair(String, Json),
}

impl Parameter {
    pub fn parts(&self) -> (&str, &Json) {
        match self {
            Parameter::Typed { ty, value } | Parameter::Pair(ty, value) => (ty, value),
        }
    }
}

impl Expected {
    /// The result tables of a success; None for a failure.
    pub fn tables(&self) -> Option<Vec<Table>> {
        match (&self.error_class, &self.table) {
            (Some(_), _) => None,
            (None, Some(table)) => Some(vec![table.clone()]),
            (None, None) => Some(self.results.clone()),
        }
    }
    pub fn class(&self) -> &str {
        self.error_class.as_deref().unwrap_or("")
    }
}

impl Case {
    /// What was run, for reports.
    pub fn text(&self) -> String {
        let what = self.sql.clone().unwrap_or_else(|| format!("call {}", self.call.as_deref().unwrap_or("nothing")));
        match self.params.is_empty() {
            true => what,
            false => {
                let shown = self.params.iter().map(|p| format!("{} {}", p.parts().0, p.parts().1));
                format!("{what}  with {}", shown.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// The cases of a group (`1-scalar`) by its number; None where there is no such file.
pub fn read_group(folder: &Path, number: u32) -> Option<(String, Vec<Case>)> {
    let start = format!("{number}-");
    let path = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).find(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&start) && name.ends_with(".jsonl")
    })?;
    let text = fs::read_to_string(&path).expect("the cases are UTF-8");
    let cases = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error} in {line}", path.display())));
    Some((path.file_stem().expect("named above").to_string_lossy().into_owned(), cases.collect()))
}

/// The blocks of `setups.sql`: name to statements, definitions before rows.
pub fn read_setups(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let mut setups = BTreeMap::<String, Vec<String>>::new();
    let mut name = String::new();
    for line in fs::read_to_string(folder.join("setups.sql")).expect("setups.sql is there").lines() {
        if let Some(next) = line.strip_prefix("-- @setup ") {
            name = next.trim().to_owned();
            setups.entry(name.clone()).or_default();
        } else if !name.is_empty() && !line.trim().is_empty() && !line.starts_with("--") {
            setups.get_mut(&name).expect("added at its marker").push(line.to_owned());
        }
    }
    setups
}
