//! What a real VoltDB answered, held against our answers, where a folder `../shared/reference/voltdb-cases`, or that of
//! `VOLTDB_CASES`, is there.
//!
//! ```text
//! VOLTDB_CASES_GROUPS=1,3      only these groups (1 to 6 without it)
//! VOLTDB_CASES_SHOW=wrong      each case that is wrong: statement, expected, got
//! VOLTDB_CASES_FILTER=text     only cases whose statement or id holds the text
//! ```
//!
//! `scripts/voltdb-cases [FOLDER]` prints the counts.

mod case;
mod compare;
mod errors;
mod rules;
mod run;

use run::{Bench, Verdict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;

/// Most cases of each group that may be wrong. They only go down: lower them as answers are put right.
const WRONG_MAX: [(u32, usize); 6] = [(1, 0), (2, 2), (3, 1), (4, 0), (5, 12), (6, 0)];

#[derive(Default)]
struct Tally {
    equal: usize,
    on_purpose: usize,
    wrong: usize,
    report: String,
}

#[test]
fn voltdb_answers_the_same() {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/reference/voltdb-cases");
    let folder = std::env::var_os("VOLTDB_CASES").map_or(default, PathBuf::from);
    if !folder.join("setups.sql").exists() {
        println!("skipped: no cases in {}", folder.display());
        return;
    }
    let groups = std::env::var("VOLTDB_CASES_GROUPS").unwrap_or_else(|_| "1,2,3,4,5,6".to_owned());
    let groups: Vec<u32> = groups.split(',').map(|group| group.trim().parse().expect("groups are numbers")).collect();
    let filter = std::env::var("VOLTDB_CASES_FILTER").unwrap_or_default();
    let show = std::env::var("VOLTDB_CASES_SHOW").is_ok_and(|what| what == "wrong");
    let setups = case::read_setups(&folder);
    let mut tallies = Vec::new();
    thread::scope(|scope| {
        let running: Vec<_> = groups
            .iter()
            .map(|&number| {
                (
                    number,
                    scope.spawn({
                        let (folder, filter, setups) = (&folder, &filter, &setups);
                        move || run_group(folder, number, filter, setups)
                    }),
                )
            })
            .collect();
        for (number, running) in running {
            if let Some((name, tally)) = running.join().expect("a group runs to its end") {
                tallies.push((number, name, tally));
            }
        }
    });
    let mut total = Tally::default();
    for (_, name, tally) in &tallies {
        if show {
            print!("{}", tally.report);
        }
        println!("{name}: equal {}, on purpose {}, wrong {}", tally.equal, tally.on_purpose, tally.wrong);
        total.equal += tally.equal;
        total.on_purpose += tally.on_purpose;
        total.wrong += tally.wrong;
    }
    println!("total: equal {}, on purpose {}, wrong {}", total.equal, total.on_purpose, total.wrong);
    for (number, name, tally) in &tallies {
        let most = WRONG_MAX.iter().find(|(group, _)| group == number).map_or(usize::MAX, |(_, most)| *most);
        let sample: String = tally.report.lines().take(40).flat_map(|line| [line, "\n"]).collect();
        assert!(tally.wrong <= most, "{name}: {} wrong, at most {most} may be:\n{sample}", tally.wrong);
    }
}

fn run_group(
    folder: &Path,
    number: u32,
    filter: &str,
    setups: &BTreeMap<String, Vec<String>>,
) -> Option<(String, Tally)> {
    let (name, cases) = case::read_group(folder, number)?;
    let mut bench = Bench::new(setups.clone());
    let mut tally = Tally::default();
    for case in cases.iter().filter(|case| case.text().contains(filter) || case.id.contains(filter)) {
        match bench.run(case) {
            Verdict::Equal => tally.equal += 1,
            Verdict::OnPurpose => tally.on_purpose += 1,
            Verdict::Wrong(problem) => {
                tally.wrong += 1;
                let note = case.note.as_deref().map_or(String::new(), |note| format!("    note:     {note}\n"));
                tally.report += &format!("{} [{}] {}\n{problem}{note}", case.id, case.setup, case.text());
            }
        }
    }
    Some((name, tally))
}
