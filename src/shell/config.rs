//! Settings from flags, the environment and a file, in this order of precedence; each with where it comes from.
//!
//! The file is `votedb/config.toml` in the XDG configuration directory:
//!
//! ```toml
//! format = "auto"
//! on_error = "continue"
//! color = "never"
//! rows = 500
//! ```

use super::args::{Args, ColorChoice, OnError};
use crate::render::Format;
use serde::Deserialize;
use std::path::PathBuf;

/// Rows of a result that are shown on a screen where nothing else is said.
const ROWS_ON_SCREEN: usize = 1000;

/// The file's contents.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: Option<String>,
    null: Option<String>,
    on_error: Option<String>,
    color: Option<String>,
    rows: Option<usize>,
    timing: Option<bool>,
    pager: Option<bool>,
    echo: Option<bool>,
    quiet: Option<bool>,
}

/// What the shell goes by.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    pub format: Format,
    pub null: Option<String>,
    pub on_error: OnError,
    pub color: ColorChoice,
    /// 0 is all.
    pub rows: usize,
    /// None: where people look.
    pub timing: Option<bool>,
    pub pager: bool,
    pub echo: bool,
    pub quiet: bool,
    /// (name, value, source)
    pub origins: Vec<(String, String, String)>,
}

/// `votedb/config.toml` in `$XDG_CONFIG_HOME` or `~/.config`.
pub fn path() -> Option<PathBuf> {
    let home =
        || std::env::var_os("HOME").filter(|home| !home.is_empty()).map(|home| PathBuf::from(home).join(".config"));
    let directory = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    directory.or_else(home).map(|directory| directory.join("votedb/config.toml"))
}

/// Puts settings together. `variable` gives environment variables; `file`: the file's name and text, if there is one.
pub fn resolve(
    args: &Args,
    variable: impl Fn(&str) -> Option<String>,
    file: Option<(&str, &str)>,
) -> Result<Config, String> {
    let stored: Stored = match file {
        None => Stored::default(),
        Some((name, text)) => {
            toml::from_str(text).map_err(|error| format!("{name}: {}", error.to_string().trim_end()))?
        }
    };
    let file_name = file.map_or("", |(name, _)| name);
    let mut origins = Vec::new();
    let mut pick = |name: &str, flag: Option<String>, stored: Option<String>, default: &str| -> (String, String) {
        let key = format!("VOTEDB_{}", name.to_ascii_uppercase());
        let found = flag
            .map(|value| (value, "command line".to_owned()))
            .or_else(|| variable(&key).map(|value| (value, key.clone())))
            .or_else(|| stored.map(|value| (value, file_name.to_owned())))
            .unwrap_or_else(|| (default.to_owned(), "default".to_owned()));
        origins.push((name.to_owned(), found.0.clone(), found.1.clone()));
        found
    };
    let flag = |is_set: bool| is_set.then(|| "true".to_owned());
    let text = |value: Option<bool>| value.map(|value| value.to_string());
    let sqlcmd_format = args.output_format.clone();
    let format = pick("format", args.format.map(|f| f.to_string()).or(sqlcmd_format), stored.format, "table");
    let sqlcmd_null = args.output_format.as_deref().filter(|format| *format == "csv").map(|_| "\\N".to_owned());
    let tab_null = args.output_format.as_deref().filter(|format| *format == "tab").map(|_| "NULL".to_owned());
    let null = pick("null", args.null.clone().or(sqlcmd_null).or(tab_null), stored.null, "");
    let stops = args.stop_on_error.map(|stops| if stops { OnError::Stop } else { OnError::Continue });
    let on_error_flag = args.on_error.or(stops).map(|choice| format!("{choice:?}").to_ascii_lowercase());
    let on_error = pick("on_error", on_error_flag, stored.on_error, "stop");
    let color_flag = args.color.map(|choice| format!("{choice:?}").to_ascii_lowercase());
    let color_flag = color_flag.or(args.no_color.then(|| "never".to_owned()));
    let color = pick("color", color_flag, stored.color, "auto");
    let rows = pick("rows", None, stored.rows.map(|rows| rows.to_string()), &ROWS_ON_SCREEN.to_string());
    let timing = pick("timing", None, text(stored.timing), "auto");
    let pager = pick("pager", None, text(stored.pager), "true");
    let echo = pick("echo", flag(args.echo), text(stored.echo), "false");
    let quiet = pick("quiet", flag(args.quiet), text(stored.quiet), "false");
    Ok(Config {
        format: parsed("format", &format, |text| text.parse().ok(), "table, csv, json and others: \\? format")?,
        null: (null.1 != "default").then_some(null.0),
        on_error: parsed("on_error", &on_error, |text| clap::ValueEnum::from_str(text, true).ok(), "stop or continue")?,
        color: parsed("color", &color, |text| clap::ValueEnum::from_str(text, true).ok(), "auto, always or never")?,
        rows: parsed("rows", &rows, |text| text.parse().ok(), "a number, 0 for all")?,
        timing: if timing.0 == "auto" { None } else { Some(parsed("timing", &timing, truth, "true or false")?) },
        pager: parsed("pager", &pager, truth, "true or false")?,
        echo: parsed("echo", &echo, truth, "true or false")?,
        quiet: parsed("quiet", &quiet, truth, "true or false")?,
        origins,
    })
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "on" | "1" | "yes" => Some(true),
        "false" | "off" | "0" | "no" | "" => Some(false),
        _ => None,
    }
}

fn parsed<T>(
    name: &str,
    (value, source): &(String, String),
    parse: impl Fn(&str) -> Option<T>,
    right: &str,
) -> Result<T, String> {
    parse(value).ok_or_else(|| format!("{source}: {name} cannot be {value}: write {right}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn args(line: &[&str]) -> Args {
        Args::read(["votedb-shell"].iter().chain(line).map(OsString::from)).expect("right usage")
    }

    #[test]
    fn a_flag_beats_the_environment_and_that_beats_the_file() {
        let file = Some(("config.toml", "format = \"csv\"\nrows = 7\non_error = \"continue\""));
        let variable = |name: &str| (name == "VOTEDB_ON_ERROR").then(|| "stop".to_owned());
        let config = resolve(&args(&["--format", "json"]), variable, file).unwrap();
        assert_eq!((config.format, config.rows, config.on_error), (Format::Json, 7, OnError::Stop));
        let source = |name: &str| config.origins.iter().find(|origin| origin.0 == name).unwrap().2.clone();
        assert_eq!(source("format"), "command line");
        assert_eq!(source("on_error"), "VOTEDB_ON_ERROR");
        assert_eq!(source("rows"), "config.toml");
        assert_eq!(source("color"), "default");
    }

    #[test]
    fn wrong_settings_say_where_they_stand() {
        let none = |_: &str| None;
        let file = |text| Some(("config.toml", text));
        let error = resolve(&args(&[]), none, file("color = \"pink\"")).unwrap_err();
        assert_eq!(error, "config.toml: color cannot be pink: write auto, always or never");
        assert!(resolve(&args(&[]), none, file("colour = 1")).unwrap_err().contains("unknown field `colour`"));
        let variable = |name: &str| (name == "VOTEDB_ROWS").then(|| "many".to_owned());
        assert!(resolve(&args(&[]), variable, None).unwrap_err().starts_with("VOTEDB_ROWS: rows cannot be many"));
    }
}
