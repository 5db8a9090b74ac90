//! The benchmark as a program: options to runs, runs to screens and files, checks to an exit status.

use std::io::IsTerminal;
use std::process::ExitCode;

use crate::bench::args::BenchArgs;
use crate::bench::database::{open_voter, run_voter};
use crate::bench::options::VoterOptions;
use crate::bench::report::text::{Progress, summary};
use crate::bench::report::{closing::closing, csv};
use crate::bench::results::Document;
use crate::bench::run::{Report, Warning};
use crate::bench::tui::Dashboard;

/// Clients that can be added at the keys.
const SPARE_CLIENTS: usize = 8;

/// What a benchmark's command can say.
pub struct Command<'a> {
    pub args: &'a BenchArgs,
    pub partitions: usize,
    /// Whether colours may be used.
    pub color: bool,
}

/// Why there is no result, in words, and whether the command line was wrong.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Failed(String),
}

fn failed(error: impl std::fmt::Display) -> CommandError {
    CommandError::Failed(error.to_string())
}

/// Runs a workload by name. 0: all checks held; 1: one did not, or there is no result; 2: wrong usage.
pub fn run(command: &Command<'_>, workload: &str) -> ExitCode {
    let result = match workload.to_ascii_lowercase().as_str() {
        "voter" => voter(command),
        _ => Err(CommandError::Usage(format!("no workload {workload}; there is: {}", WORKLOADS.join(", ")))),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            if matches!(error, CommandError::Usage(_)) { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

/// The names of all workloads.
pub const WORKLOADS: [&str; 1] = ["voter"];

/// The options of a run of voter; clients: a thread for each core, if none are asked for.
pub fn voter_options(command: &Command<'_>) -> VoterOptions {
    let asked = command.args;
    let defaults = VoterOptions::default();
    VoterOptions {
        partitions: command.partitions,
        mode: asked.mode,
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

fn voter(command: &Command<'_>) -> Result<bool, CommandError> {
    let args = command.args;
    let mut options = voter_options(command);
    let screen = std::io::stdout().is_terminal() && !args.plain;
    if screen {
        options.spare_clients = SPARE_CLIENTS.min(crate::bench::options::CLIENTS_MAX - options.clients);
    }
    options.validate().map_err(|error| CommandError::Usage(error.to_string()))?;
    let db = open_voter(&options).map_err(failed)?;
    let report = if screen {
        let mut dashboard =
            Dashboard::open(&options, command.color).map_err(|error| failed(format!("no dashboard: {error}")))?;
        let saved = options.clone();
        let folder = args.report.clone();
        dashboard.on_save(Box::new(move |outcome| {
            let mut report = Report::new(&saved, outcome, Err(Vec::new()));
            report.warnings.push(Warning::Unfinished);
            let folder = folder.clone().unwrap_or_else(|| "report".into());
            save_report(&Document::of_run(&report), &folder).map_err(|error| error.to_string())
        }));
        let report = run_voter(&db, &options, &mut dashboard);
        drop(dashboard);
        report.map_err(failed)?
    } else {
        let mut progress = Progress::new(&options, std::io::stderr()).every(args.display_interval);
        run_voter(&db, &options, &mut progress).map_err(failed)?
    };
    print!("{}", summary(&report, screen && command.color));
    if !screen || args.latency_report {
        print!("{}", closing(&report, args.latency_report));
    }
    save(args, &report)?;
    Ok(report.verified)
}

/// Writes the files that were asked for.
fn save(args: &BenchArgs, report: &Report) -> Result<(), CommandError> {
    let write = |path: &std::path::Path, text: String| {
        std::fs::write(path, text).map_err(|error| failed(format!("cannot write {}: {error}", path.display())))?;
        println!(" saved {}", path.display());
        Ok(())
    };
    if let Some(path) = &args.json {
        write(path, report.to_json())?;
    }
    if let Some(path) = &args.stats_file {
        write(path, csv::seconds(report))?;
    }
    if let Some(folder) = &args.report {
        println!(" saved {}", save_report(&Document::of_run(report), folder)?);
    }
    Ok(())
}

/// Writes all forms of a report into a new folder of `folder`, and gives the path of its page.
fn save_report(document: &Document, folder: &std::path::Path) -> Result<String, CommandError> {
    let written = crate::bench::report::files::write(document, folder);
    written.map(|path| path.display().to_string()).map_err(|error| failed(format!("no report: {error}")))
}
