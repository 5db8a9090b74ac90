//! The benchmark as a program: options to runs, runs to screens and files, checks to an exit status.

use std::io::IsTerminal;
use std::process::ExitCode;

use crate::bench::args::BenchArgs;
use crate::bench::database::{open_voter, run_voter};
use crate::bench::options::VoterOptions;
use crate::bench::report::text::{Progress, summary};
use crate::bench::report::{closing::closing, compare::compare, csv, table};
use crate::bench::results::{Document, Entry};
use crate::bench::run::{Report, Warning};
use crate::bench::suite::work::Until;
use crate::bench::suite::{self, Setting, matrix, records};
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
        "voter" if command.args.peer.is_some() => peers(command),
        "voter" if command.args.matrix => study(command),
        "voter" => voter(command),
        "records" => records(command),
        "ycsb" => workloads(command, &suite::WORKLOADS[2..]),
        name if suite::WORKLOADS.contains(&name) => workloads(command, &[name]),
        _ => Err(CommandError::Usage(format!("no workload {workload}; there is: {}", workload_names()))),
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

/// The names of all workloads, in words.
fn workload_names() -> String {
    format!("voter, records, ycsb, {}", suite::WORKLOADS.join(", "))
}

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
    let mut screen_cost = None;
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
        if args.screen_cost {
            dashboard.measure_cost();
        }
        let report = run_voter(&db, &options, &mut dashboard);
        screen_cost = dashboard.cost().map(ToString::to_string);
        drop(dashboard);
        report.map_err(failed)?
    } else {
        let mut progress = Progress::new(&options, std::io::stderr()).every(args.display_interval);
        run_voter(&db, &options, &mut progress).map_err(failed)?
    };
    print!("{}", summary(&report, screen && command.color));
    if let Some(cost) = screen_cost {
        println!("   screen       {cost}");
    }
    if !screen || args.latency_report {
        print!("{}", closing(&report, args.latency_report));
    }
    save(args, &report)?;
    Ok(report.verified)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The voter study: partitions by modes.
fn study(command: &Command<'_>) -> Result<bool, CommandError> {
    let args = command.args;
    let options = voter_options(command);
    options.validate().map_err(|error| CommandError::Usage(error.to_string()))?;
    let cell = options.duration + options.warmup;
    let cells = args.partitions_list.0.len() * matrix::MODES.len() * args.repetitions as usize;
    eprintln!(
        "voter study: {cells} runs of {:.1} s, {} client(s); Ctrl-C keeps what is done",
        cell.as_secs_f64(),
        options.clients
    );
    let mut told = |line: &str| eprintln!("{line}");
    let (entries, interrupted) =
        matrix::run(&options, &args.partitions_list.0, args.repetitions, &mut told).map_err(failed)?;
    let title = format!("voter study · {} client(s) · {} s a run", options.clients, options.duration.as_secs_f64());
    let mut document = Document::new("matrix", title, &options.durability);
    document.entries = entries;
    finish(args, document, interrupted)
}

fn records(command: &Command<'_>) -> Result<bool, CommandError> {
    let args = command.args;
    let free = crate::bench::machine::free_memory_bytes();
    let size = records::Size::of(args.scale, free);
    let title = format!("records · {} written · {} stored", size.writes, size.stored);
    let mut document = Document::new("records", title, "memory only");
    let shapes: &[records::Shape] = if args.json_documents {
        &[records::Shape::Columns, records::Shape::Document]
    } else {
        &[records::Shape::Columns]
    };
    let mut interrupted = false;
    for shape in shapes {
        if interrupted {
            break;
        }
        let mut told = |entry: &Entry| {
            eprintln!("{:<52} {:>8} records/s", entry.name, crate::bench::units::rate(entry.throughput));
        };
        let seed = args.seed.unwrap_or(1);
        let entries = records::run(*shape, size, command.partitions, seed, &mut told).map_err(failed)?;
        interrupted = entries.len() < records::SCENARIOS.len();
        document.entries.extend(entries);
    }
    finish(args, document, interrupted)
}

fn workloads(command: &Command<'_>, names: &[&str]) -> Result<bool, CommandError> {
    let args = command.args;
    let setting = Setting {
        partitions: command.partitions,
        clients: args.clients.unwrap_or_else(cores),
        until: Until::Time { warmup: args.warmup, duration: args.duration },
        repetitions: args.repetitions,
        scale: args.scale.unwrap_or(1.0),
        seed: args.seed.unwrap_or(1),
    };
    let title = format!("{} · {} partition(s) · {} client(s)", names.join(", "), setting.partitions, setting.clients);
    let mut document = Document::new("workload", title, "memory only");
    let mut interrupted = false;
    for name in names {
        let (entry, ended) = suite::workload(name, &setting).map_err(failed)?;
        eprintln!("{name:<12} {:>8} operations/s", crate::bench::units::rate(entry.throughput));
        document.entries.push(entry);
        interrupted = ended;
        if ended {
            break;
        }
    }
    finish(args, document, interrupted)
}

/// Voter on our database and on another, in turn.
#[cfg(feature = "peers")]
fn peers(command: &Command<'_>) -> Result<bool, CommandError> {
    let args = command.args;
    let options = voter_options(command);
    options.validate().map_err(|error| CommandError::Usage(error.to_string()))?;
    let peer = args.peer.as_deref().unwrap_or_default();
    let (entries, interrupted) = suite::peers::run(peer, &options, args.repetitions, &mut |line| eprintln!("{line}"))
        .map_err(CommandError::Usage)?;
    let mut document = Document::new("peers", format!("voter · votedb and {peer} in turn"), &options.durability);
    document.entries = entries;
    finish(args, document, interrupted)
}

#[cfg(not(feature = "peers"))]
fn peers(_: &Command<'_>) -> Result<bool, CommandError> {
    Err(CommandError::Usage("this build has no peers; build it with --features peers".to_owned()))
}

/// Prints a document's table and writes the files that were asked for.
fn finish(args: &BenchArgs, mut document: Document, interrupted: bool) -> Result<bool, CommandError> {
    if interrupted {
        document.warnings.push("interrupted: what was done until then is here".to_owned());
    }
    print!("{}", table::table(&document));
    if let Some(path) = &args.json {
        std::fs::write(path, document.to_json())
            .map_err(|error| failed(format!("cannot write {}: {error}", path.display())))?;
        println!(" saved {}", path.display());
    }
    if let Some(path) = &args.stats_file {
        std::fs::write(path, csv::entries(&document))
            .map_err(|error| failed(format!("cannot write {}: {error}", path.display())))?;
        println!(" saved {}", path.display());
    }
    if let Some(folder) = &args.report {
        println!(" saved {}", save_report(&document, folder)?);
    }
    Ok(document.verified())
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

/// `votedb-shell report ..`: what is done with reports that were saved.
#[derive(clap::Parser, Debug)]
#[command(name = "votedb-shell report", about = "Work with saved benchmark reports", max_term_width = 110)]
struct ReportArgs {
    #[command(subcommand)]
    action: ReportAction,
}

#[derive(clap::Subcommand, Debug)]
enum ReportAction {
    /// Compare two reports entry by entry, with 95 % intervals and a verdict for each metric
    Compare {
        /// A report.json, or a folder with one
        a: std::path::PathBuf,
        /// The report that is compared with it
        b: std::path::PathBuf,
        /// Exit with status 1 if a metric of any entry changed by more, and surely: 'p99>+10%', 'throughput<-5%'
        #[arg(long, value_name = "CONDITION")]
        fail_if: Vec<String>,
        /// Write a chart of both to this SVG file
        #[arg(long, value_name = "FILE")]
        chart: Option<std::path::PathBuf>,
    },
}

/// Runs `report ..`; `line` begins with the program's name. 0: no condition is met; 1: one is; 2: nothing was compared.
pub fn report(line: impl IntoIterator<Item = std::ffi::OsString>) -> ExitCode {
    use clap::Parser;
    let args = ReportArgs::try_parse_from(line).unwrap_or_else(|error| error.exit());
    let ReportAction::Compare { a, b, fail_if, chart } = args.action;
    let conditions = fail_if.iter().map(|text| text.parse()).collect::<Result<Vec<_>, _>>();
    let compared = conditions.and_then(|conditions| compare(&a, &b, &conditions, chart.as_deref()));
    match compared {
        Ok((text, met)) => {
            print!("{text}");
            met.iter().for_each(|condition| println!(" FAILED       {condition}"));
            if met.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
