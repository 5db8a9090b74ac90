//! The program: arguments to a prompt, a script or a benchmark, and the exit status.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use votedb::bench::command::Command;
use votedb::shell::{self, Args, Embedded};
use votedb::{Config, Database};

fn main() -> ExitCode {
    let args = Args::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    if let Some(folder) = &args.check {
        return check(folder);
    }
    match &args.bench {
        Some(workload) => bench(&args, workload),
        None => prompt(&args),
    }
}

fn prompt(args: &Args) -> ExitCode {
    let config = Config {
        partitions: args.partition_count(),
        timeout: args.timeout.or(Config::default().timeout),
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
