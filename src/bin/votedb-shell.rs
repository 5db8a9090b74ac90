//! The program: arguments to a prompt, a script or a benchmark, and the exit status.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use votedb::bench::command::Command;
use votedb::shell::{self, Args, Embedded};
use votedb::{Config, Database};

fn main() -> ExitCode {
    if let Some(status) = tool() {
        return status;
    }
    let line: Vec<_> = std::env::args_os().collect();
    // A schema file could be called report, but not be followed by this.
    if line.get(1).is_some_and(|word| word == "report")
        && line.get(2).is_some_and(|word| word == "compare" || word == "--help")
    {
        return votedb::bench::command::report(
            line.into_iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, word)| word),
        );
    }
    let args = Args::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    if let Some(folder) = &args.check {
        return check(folder);
    }
    match &args.bench {
        Some(workload) => bench(&args, workload),
        None => prompt(&args),
    }
}

/// `completions`, `man` and `test`: words that no schema file is called.
fn tool() -> Option<ExitCode> {
    let line: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    match line.as_slice() {
        ["completions", name] => Some(match shell::completions(name, &mut std::io::stdout()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                eprintln!("error: {message}");
                ExitCode::from(2)
            }
        }),
        ["completions"] => {
            eprintln!("error: completions for which shell? bash, zsh or fish");
            Some(ExitCode::from(2))
        }
        ["man"] => Some(shell::manual(&mut std::io::stdout()).map_or(ExitCode::from(4), |()| ExitCode::SUCCESS)),
        ["test", paths @ ..] if !paths.is_empty() => Some(test(paths)),
        _ => None,
    }
}

fn prompt(args: &Args) -> ExitCode {
    let config = Config {
        partitions: args.partition_count(),
        timeout: args
            .timeout
            .or(args.query_timeout.map(std::time::Duration::from_millis))
            .or(Config::default().timeout),
        procedure_folders: procedure_folders(args),
        data_dir: args.data.clone(),
        durability: args.durability.into(),
        flush_interval: args.flush_interval,
        recover_until: args.recover_until,
        ..Config::default()
    };
    match Database::open(config) {
        Ok(db) => {
            for note in db.data_folder().iter().flat_map(|folder| &folder.notes) {
                eprintln!("warning: {note}");
            }
            ExitCode::from(shell::run(args, &mut Embedded::new(db, title(args))))
        }
        Err(error) => fail(&error.to_string()),
    }
}

/// Runs recorded tests, each on a database of its own.
fn test(paths: &[&str]) -> ExitCode {
    let mut status = ExitCode::SUCCESS;
    for path in paths {
        let db =
            match Database::open(Config { procedure_folders: vec![PathBuf::from("procs")], ..Config::partitions(2) }) {
                Ok(db) => db,
                Err(error) => return fail(&error.to_string()),
            };
        match shell::replay(Path::new(path), &mut Embedded::new(db, None)) {
            Ok((count, failures)) if failures.is_empty() => println!("{path}: {count} statements, all as recorded"),
            Ok((count, failures)) => {
                failures.iter().for_each(|failure| print!("{failure}"));
                println!("{path}: {count} statements, {} differ", failures.len());
                status = ExitCode::FAILURE;
            }
            Err(message) => {
                eprintln!("error: {message}");
                status = ExitCode::from(3);
            }
        }
    }
    status
}

/// Says what a data folder holds, and what is wrong with it.
fn check(folder: &Path) -> ExitCode {
    let report = match Database::check(folder) {
        Ok(report) => report,
        Err(error) => return fail(&error.to_string()),
    };
    report.lines.iter().for_each(|line| println!("{line}"));
    if let Some(torn) = &report.torn {
        println!(
            "{}: torn at byte {}: {} bytes will be dropped when it is opened",
            torn.file, torn.offset, torn.dropped
        );
    }
    report.errors.iter().for_each(|error| eprintln!("error: {error}"));
    if report.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Where procedures are looked for: `--procs`, then `procs` beside each schema file and beside its folder, then `procs`
/// in the current folder.
fn procedure_folders(args: &Args) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = args.procs.iter().cloned().collect();
    for file in &args.files {
        let folder = file.parent().unwrap_or(Path::new(""));
        folders.push(folder.join("procs"));
        folders.push(folder.join("..").join("procs"));
    }
    folders.push(PathBuf::from("procs"));
    folders
}

/// The names of the schema files, without their endings.
fn title(args: &Args) -> Option<String> {
    let names: Vec<_> =
        args.files.iter().filter_map(|file| file.file_stem()).map(|stem| stem.to_string_lossy()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn bench(args: &Args, workload: &str) -> ExitCode {
    let color = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()) && !args.no_color;
    let command = Command { args: &args.bench_options, partitions: args.partition_count(), color };
    votedb::bench::command::run(&command, workload)
}

fn fail(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}
