//! The command line.

use crate::bench::args::BenchArgs;
use crate::client::{Durability, RecoverUntil};
use crate::render::Format;
use crate::types::Timestamp;
use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  votedb-shell                                  a prompt on an empty database
  votedb-shell ddl.sql --procs procs/           load a schema and procedures, then a prompt
  votedb-shell ddl.sql -c 'SELECT * FROM t;'    run a statement and leave
  votedb-shell ddl.sql --format csv < q.sql     run a script, write CSV
  votedb-shell --bench voter --partitions 2     run the voter benchmark for 10 seconds

Exit status: 0 if everything ran, 1 after an SQL error, 2 for wrong usage, 3 for a file that cannot be read, 4 for
input or output that failed, 130 after an interrupt.
Environment: VOTEDB_FORMAT, VOTEDB_ON_ERROR and other settings of the configuration file; NO_COLOR turns colours off.
Also: votedb-shell completions bash|zsh|fish, votedb-shell man, votedb-shell test FILE ..
At the prompt, \\? lists the commands.";

/// What --version says: with the commit, where the build was told it, and what is built in.
const LONG_VERSION: &str = match option_env!("VOTEDB_COMMIT") {
    Some(_) => concat!(env!("CARGO_PKG_VERSION"), " (commit given by the build)"),
    None => env!("CARGO_PKG_VERSION"),
};

/// An SQL shell with an embedded, in-memory, partitioned database.
#[derive(Parser, Debug, Clone)]
#[command(name = "votedb-shell", version, long_version = LONG_VERSION, after_help = EXAMPLES, max_term_width = 110)]
pub struct Args {
    /// Schema files, loaded whole before anything else; every error in them is reported
    #[arg(value_name = "FILES")]
    pub files: Vec<PathBuf>,

    /// Run these statements, then leave (may be given more than once, runs in order with -f)
    #[arg(short, long, value_name = "SQL")]
    pub command: Vec<String>,

    /// Run this script, then leave (may be given more than once, runs in order with -c)
    #[arg(short, long, value_name = "FILE")]
    pub file: Vec<PathBuf>,

    /// As -c, under sqlcmd's name
    #[arg(long, value_name = "SQL", hide = true)]
    pub query: Vec<String>,

    /// How results are written: table, vertical, auto, box, plain, csv, tsv, json, jsonl, markdown, html or insert
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,

    /// Results as sqlcmd writes them: fixed, csv or tab
    #[arg(long, value_name = "FORMAT", conflicts_with = "format", value_parser = ["fixed", "csv", "tab"])]
    pub output_format: Option<String>,

    /// With --output-format: rows only
    #[arg(long)]
    pub output_skip_metadata: bool,

    /// What stands for NULL
    #[arg(long, value_name = "TEXT")]
    pub null: Option<String>,

    /// Set a variable: :NAME and :'NAME' stand for it
    #[arg(short = 'v', long = "variable", visible_alias = "set", value_name = "NAME=VALUE", value_parser = variable)]
    pub variable: Vec<(String, String)>,

    /// A file of definitions, as one batch (sqlcmd's name for FILES)
    #[arg(long, value_name = "FILE", hide = true)]
    pub ddl_file: Vec<PathBuf>,

    /// Number of partitions, 1 to 1024 [default: number of cores]
    #[arg(long, value_name = "N", value_parser = partitions, allow_negative_numbers = true)]
    pub partitions: Option<usize>,

    /// Load stored procedures from the .sql files of this directory
    #[arg(long, value_name = "DIR")]
    pub procs: Option<PathBuf>,

    /// What an error in a script does
    #[arg(long, value_name = "WHAT")]
    pub on_error: Option<OnError>,

    /// As --on-error: true is stop, false is continue
    #[arg(long, value_name = "BOOL", conflicts_with = "on_error")]
    pub stop_on_error: Option<bool>,

    /// Say nothing that is no answer: no banner, no notes
    #[arg(short, long)]
    pub quiet: bool,

    /// Read no configuration file
    #[arg(long)]
    pub no_config: bool,

    /// When to write colours
    #[arg(long, value_name = "WHEN")]
    pub color: Option<ColorChoice>,

    /// Write each statement before its answer
    #[arg(long)]
    pub echo: bool,

    /// Give up a statement that takes longer than this (500ms, 10s, 2m)
    #[arg(long, value_name = "DURATION", value_parser = positive_duration)]
    pub timeout: Option<Duration>,

    /// As --timeout, in milliseconds (sqlcmd's name)
    #[arg(long, value_name = "MS", hide = true, conflicts_with = "timeout", value_parser = clap::value_parser!(u64).range(1..))]
    pub query_timeout: Option<u64>,

    #[command(flatten)]
    pub remote: Remote,

    /// Keep the database in this directory; without it, everything is in memory
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// When an answer leaves: when it is on disk (sync), at once (async), or nothing is logged (none)
    #[arg(long, value_name = "MODE", value_enum, default_value_t = DurabilityMode::Sync, requires = "data")]
    pub durability: DurabilityMode,

    /// Longest that a commit stays off the disk with --durability async
    #[arg(long, value_name = "DURATION", default_value = "50ms", requires = "data", value_parser = positive_duration)]
    pub flush_interval: Duration,

    /// Open the data as they were: after so many transactions, or at a time ('2026-12-01 10:00:00', UTC)
    #[arg(long, value_name = "WHEN", requires = "data", value_parser = recover_until)]
    pub recover_until: Option<RecoverUntil>,

    /// Look at every file of a data directory, and leave
    #[arg(long, value_name = "DIR", conflicts_with_all = ["data", "command", "file", "bench"])]
    pub check: Option<PathBuf>,

    /// No colours, as with NO_COLOR in the environment
    #[arg(long)]
    pub no_color: bool,

    /// Run a benchmark with a live view, instead of a prompt [default workload: voter]
    #[arg(long, value_name = "WORKLOAD", num_args = 0..=1, default_missing_value = "voter",
          conflicts_with_all = ["command", "file"])]
    pub bench: Option<String>,

    #[command(flatten)]
    pub bench_options: BenchArgs,

    /// -c and -f in the order they were given.
    #[arg(skip)]
    pub steps: Vec<Step>,
}

/// Options of sqlcmd that say where the server is. There is none: the database is inside.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct Remote {
    #[arg(long, hide = true)]
    pub servers: Option<String>,
    #[arg(long, hide = true)]
    pub port: Option<u16>,
    #[arg(long, hide = true)]
    pub user: Option<String>,
    #[arg(long, hide = true)]
    pub password: Option<String>,
    #[arg(long, hide = true)]
    pub no_version_check: bool,
}

impl Remote {
    /// What is asked for and not there; sqlcmd's own defaults are the database inside.
    pub fn refused(&self) -> Option<String> {
        let servers = self.servers.as_deref().unwrap_or("localhost");
        let is_own = |server: &str| {
            let (host, port) = server.split_once(':').unwrap_or((server, "21212"));
            matches!(host, "localhost" | "127.0.0.1" | "") && port == "21212"
        };
        let port = self.port.unwrap_or(21212);
        (port != 21212 || !servers.split(',').any(is_own)).then(|| {
            format!("cannot connect to {servers} port {port}: this shell has its database inside and connects to none")
        })
    }
}

/// What an error does to a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnError {
    Stop,
    Continue,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// One -c or -f.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Command(String),
    File(PathBuf),
}

/// When answers leave, with `--data`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DurabilityMode {
    Sync,
    Async,
    None,
}

impl From<DurabilityMode> for Durability {
    fn from(mode: DurabilityMode) -> Durability {
        match mode {
            DurabilityMode::Sync => Durability::Sync,
            DurabilityMode::Async => Durability::Async,
            DurabilityMode::None => Durability::None,
        }
    }
}

impl Args {
    /// Reads a command line, program name first. The error says what is wrong, or is the text of `--help`: its `exit` prints
    /// it and leaves with status 2 or 0.
    pub fn read(line: impl IntoIterator<Item = OsString>) -> Result<Args, clap::Error> {
        let matches = Args::command().try_get_matches_from(line)?;
        let mut args = Args::from_arg_matches(&matches)?;
        let places = |name: &str| matches.indices_of(name).into_iter().flatten().collect::<Vec<_>>();
        let commands = args.command.iter().cloned().map(Step::Command);
        let files = args.file.iter().cloned().map(Step::File);
        let mut steps: Vec<(usize, Step)> = places("command").into_iter().zip(commands).collect();
        steps.extend(places("query").into_iter().zip(args.query.iter().cloned().map(Step::Command)));
        steps.extend(places("file").into_iter().zip(files));
        steps.sort_by_key(|(place, _)| *place);
        args.steps = steps.into_iter().map(|(_, step)| step).collect();
        Ok(args)
    }

    /// `--partitions`, or a partition for each core.
    pub fn partition_count(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from).min(PARTITIONS_MAX);
        self.partitions.unwrap_or_else(cores)
    }
}

const PARTITIONS_MAX: usize = 1024;

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if super::directives::is_variable(name) => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("write NAME=VALUE, not {text}")),
    }
}

fn partitions(text: &str) -> Result<usize, String> {
    bounded(text, "partition", PARTITIONS_MAX)
}

fn bounded(text: &str, what: &str, max: usize) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err(format!("there must be at least 1 {what}")),
        Ok(count) if count > max => Err(format!("there may be at most {max} {what}s")),
        Ok(count) => Ok(count),
        Err(_) => Err(format!("write the number of {what}s as a whole number from 1 to {max}")),
    }
}

/// `500ms`, `10s`, `1.5s`, `2m`, `1h`, `250us`; at most a year.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text} is no duration: write a number and a unit, like 500ms, 10s or 2m");
    let split = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(split);
    let number = number.trim_end();
    if !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return Err(wrong());
    }
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit.to_ascii_lowercase().as_str() {
        "us" => number / 1e6,
        "ms" => number / 1e3,
        "s" | "sec" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(wrong()),
    };
    if seconds > 366.0 * 86_400.0 {
        return Err(format!("{text} is longer than a year"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

fn recover_until(text: &str) -> Result<RecoverUntil, String> {
    if let Ok(transactions) = text.trim().parse() {
        return Ok(RecoverUntil::Transaction(transactions));
    }
    let wrong = || format!("{text} is neither a number of transactions nor a time like 2026-12-01 10:00:00");
    text.trim().parse::<Timestamp>().map(|time| RecoverUntil::Time(time.micros())).map_err(|_| wrong())
}

fn positive_duration(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err(format!("{text} is no time at all: it must be more than 0")),
        value => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::options::Mode;

    fn read(line: &[&str]) -> Result<Args, clap::Error> {
        Args::read(["votedb-shell"].iter().chain(line).map(OsString::from))
    }

    fn message(line: &[&str]) -> String {
        let error = read(line).expect_err("wrong usage");
        assert_eq!(error.exit_code(), 2);
        error.to_string()
    }

    #[test]
    fn the_definition_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn commands_and_files_keep_their_order() {
        let args = read(&["ddl.sql", "-c", "a", "-f", "b.sql", "--command", "c", "more.sql"]).unwrap();
        assert_eq!(args.steps, [Step::Command("a".into()), Step::File("b.sql".into()), Step::Command("c".into())]);
        assert_eq!(args.files, [PathBuf::from("ddl.sql"), PathBuf::from("more.sql")]);
        assert!(args.on_error.is_none() && !args.echo && args.bench.is_none());
    }

    #[test]
    fn partitions_out_of_bounds_are_met_with_the_bounds() {
        assert!(message(&["--partitions", "0"]).contains("there must be at least 1 partition"));
        assert!(message(&["--partitions", "100000"]).contains("there may be at most 1024 partitions"));
        assert!(message(&["--partitions", "-1"]).contains("a whole number from 1 to 1024"));
        assert!(message(&["--partitions", "many"]).contains("a whole number from 1 to 1024"));
        assert_eq!(read(&["--partitions", "1024"]).unwrap().partition_count(), 1024);
        assert!(read(&[]).unwrap().partition_count() >= 1);
    }

    #[test]
    fn a_benchmark_has_defaults_and_its_options_need_it() {
        let args = read(&["--bench", "--mode", "sync", "--duration", "500ms"]).unwrap();
        assert_eq!(args.bench.as_deref(), Some("voter"));
        assert_eq!(args.bench_options.mode, Mode::Sync);
        assert_eq!(args.bench_options.duration, Duration::from_millis(500));
        assert_eq!(args.bench_options.warmup, Duration::from_secs(2));
        assert_eq!((args.bench_options.contestants, args.bench_options.maxvotes), (6, 2));
        assert_eq!(read(&["--bench", "documents"]).unwrap().bench.as_deref(), Some("documents"));
        assert!(message(&["--clients", "3"]).contains("--bench"));
        message(&["--bench", "voter", "-c", "SELECT 1"]);
    }

    #[test]
    fn durations_have_units() {
        for (text, millis) in
            [("500ms", 500), ("10s", 10_000), ("1.5s", 1_500), ("2m", 120_000), ("0s", 0), ("1 h", 3_600_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["10", "", "s", "-1s", "1 week", "nans", "infs", "1e9s", "9999999999h"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert!(message(&["--timeout", "0s"]).contains("more than 0"));
    }

    #[test]
    fn wrong_usage_is_told_from_help() {
        message(&["--frobnicate"]);
        message(&["--format", "xml"]);
        message(&["--stop-on-error", "perhaps"]);
        let help = read(&["--help"]).expect_err("help is no run");
        assert_eq!(help.exit_code(), 0);
        assert!(help.to_string().contains("Examples:"));
    }
}
