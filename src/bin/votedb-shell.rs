//! The program: arguments to a prompt, a script or a benchmark, and the exit status.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use votedb::bench::command::Command;
use votedb::shell::{self, Args, Embedded};
use votedb::{Config, Database};

fn main() -> ExitCode {
    let args = Args::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
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
    };
    match Database::open(config) {
        Ok(db) => ExitCode::from(shell::run(args, &mut Embedded::new(db, title(args)))),
        Err(error) => fail(&error.to_string()),
    }
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
