//! The program: arguments to a prompt, a script or a benchmark, and the exit status.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use votedb::bench::database::{open_voter, run_voter};
use votedb::bench::options::{Mode, VoterOptions};
use votedb::bench::report::text::{Progress, summary};
use votedb::bench::run::Report;
use votedb::bench::tui::Dashboard;
use votedb::shell::{self, Args, BenchMode, Embedded};
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
        timeout: args.timeout.or(args.query_timeout.map(std::time::Duration::from_millis)).or(Config::default().timeout),
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
    if !workload.eq_ignore_ascii_case("voter") {
        eprintln!("error: no workload {workload}; there is: voter");
        return ExitCode::from(2);
    }
    let options = voter_options(args);
    if let Err(error) = options.validate() {
        eprintln!("error: {error}");
        return ExitCode::from(2);
    }
    let db = match open_voter(&options) {
        Ok(db) => db,
        Err(error) => return fail(&error.to_string()),
    };
    let color = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()) && !args.no_color;
    let screen = std::io::stdout().is_terminal() && !args.bench_options.no_tui;
    let report = if screen {
        Dashboard::open(&options, color).map_err(|error| format!("no dashboard: {error}")).and_then(|mut dashboard| {
            let report = run_voter(&db, &options, &mut dashboard);
            drop(dashboard);
            report.map_err(|error| error.to_string())
        })
    } else {
        let mut progress = Progress::new(&options, std::io::stderr());
        run_voter(&db, &options, &mut progress).map_err(|error| error.to_string())
    };
    match report {
        Ok(report) => finish(args, &report, screen && color),
        Err(error) => fail(&error),
    }
}

/// Leaves the summary on the screen and the numbers in a file. A run whose check failed is a failure.
fn finish(args: &Args, report: &Report, color: bool) -> ExitCode {
    print!("{}", summary(report, color));
    if let Some(path) = &args.bench_options.json {
        if let Err(error) = std::fs::write(path, report.to_json()) {
            return fail(&format!("cannot write {}: {error}", path.display()));
        }
        println!(" saved {}", path.display());
    }
    if report.verified { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn voter_options(args: &Args) -> VoterOptions {
    let asked = &args.bench_options;
    let partitions = args.partition_count();
    let defaults = VoterOptions::default();
    VoterOptions {
        partitions,
        mode: match asked.mode {
            BenchMode::Sync => Mode::Sync,
            BenchMode::Async => Mode::Async,
        },
        clients: asked.clients.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        duration: asked.duration,
        warmup: asked.warmup,
        rate: asked.rate.map(|rate| rate as f64),
        contestants: asked.contestants as usize,
        max_votes: asked.maxvotes.into(),
        seed: asked.seed.unwrap_or(defaults.seed),
        ..defaults
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}
