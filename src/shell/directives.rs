//! Commands of the shell itself: their names, their arguments, their help. What they do is `session`'s.
//!
//! A line is a command only where a statement may begin (the session asks `Splitter::is_at_start`): columns may be
//! called `help` or `exit`.

use super::chart_options::ChartCommand;
use super::commands::{self, Id};
use super::copy::CopyCommand;
use super::nearest::nearest;
use crate::render::Format;

/// A command, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directive {
    Help(Option<String>),
    Show(Shown),
    Describe(String),
    /// A picture of the schema, or of one table.
    DescribeAll(Option<String>),
    Schema(Option<String>),
    Leave,
    /// Runs scripts, one after another; as one DDL batch where `batch`.
    File {
        batch: bool,
        paths: Vec<String>,
    },
    /// The lines up to one that is just this word are one DDL batch.
    InlineBatch(String),
    Chart(ChartCommand),
    Echo(String),
    EchoError(String),
    /// None changes it to the other.
    Timing(Option<bool>),
    TuplesOnly(Option<bool>),
    /// None asks which it is.
    Format(Option<Format>),
    /// None changes between a table and a line for each value.
    Expanded(Option<Format>),
    /// A setting and its value; without a setting, lists them.
    Pset(Option<(String, String)>),
    /// None: to standard output again.
    Output(Option<String>),
    Set(Option<(String, String)>),
    Unset(String),
    If(String),
    Elif(String),
    Else,
    Endif,
    Run(Option<String>),
    RunExpanded,
    Gset(String),
    /// Seconds between runs in thousandths, and how often at most.
    Watch {
        millis: u64,
        times: Option<u64>,
    },
    Edit(Option<String>),
    Print,
    Reset,
    Copy(CopyCommand),
    Dump(Option<String>),
    Reload(String),
    QueryStats(String),
    History,
    Recall(usize),
    ErrVerbose,
    OnError {
        stops: bool,
    },
    Config,
    Record(String),
    Stop,
    Suggest(Option<String>),
    Bang(String),
    ChangeDirectory(Option<String>),
    ConnInfo,
}

/// What SHOW lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    Tables,
    Views,
    Procedures,
    Functions,
    Indexes(Option<String>),
    /// Kinds of things that VoltDB has and this database has not; the list is empty.
    Nothing(&'static str),
}

/// A line that begins like a command and is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DirectiveError {
    pub message: String,
}

/// What SHOW can show.
pub const SHOWN: [&str; 10] =
    ["tables", "views", "procedures", "functions", "indexes", "classes", "config", "streams", "tasks", "topics"];
/// Words that begin a statement. For help on typing errors only: the parser has the last word.
pub const STATEMENT_WORDS: [&str; 21] = [
    "SELECT",
    "INSERT",
    "UPSERT",
    "UPDATE",
    "DELETE",
    "TRUNCATE",
    "MIGRATE",
    "CREATE",
    "ALTER",
    "DROP",
    "PARTITION",
    "EXEC",
    "EXECUTE",
    "EXPLAIN",
    "EXPLAINPROC",
    "EXPLAINVIEW",
    "EXPLAINJSON",
    "WITH",
    "VALUES",
    "SET",
    "DR",
];

/// The command on `line`, or None if the line is no command.
pub fn parse(line: &str) -> Option<Result<Directive, DirectiveError>> {
    let line = line.trim();
    let split = line.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(line.len());
    let (word, rest) = line.split_at(split);
    if word.starts_with(|c: char| !c.is_ascii_alphabetic() && c != '\\' && c != '.') || word.is_empty() {
        return None;
    }
    if let Some(command) = word.strip_prefix("\\!").filter(|command| !command.is_empty()) {
        return Some(Ok(Directive::Bang(format!("{command}{rest}"))));
    }
    match commands::find(word) {
        Some(found) if is_meant(found.id, word, rest) => Some(command(found.id, word, rest)),
        Some(_) => None,
        None if word.starts_with('\\') => {
            let backslashes = commands::names().filter(|name| name.starts_with('\\'));
            let near = nearest(word, backslashes).map_or(String::new(), |near| format!("did you mean {near}? "));
            Some(error(format!("no command {word}; {near}\\? lists the commands")))
        }
        None if word.starts_with('.') && word[1..].starts_with(|c: char| c.is_ascii_alphabetic()) => {
            let dots = commands::names().filter(|name| name.starts_with('.'));
            let near = nearest(word, dots).map_or(String::new(), |near| format!("did you mean {near}? "));
            Some(error(format!("no command {word}; {near}\\? lists the commands")))
        }
        None => None,
    }
}

/// True for the commands that sqlcmd writes before it does them.
pub fn is_echoed(parsed: &Option<Result<Directive, DirectiveError>>) -> bool {
    matches!(parsed, Some(Ok(Directive::File { .. } | Directive::InlineBatch(_))))
}

/// True if a word that could also begin SQL is a command here.
fn is_meant(id: Id, word: &str, rest: &str) -> bool {
    let next = rest.split_whitespace().next().unwrap_or("").trim_end_matches(';');
    match id {
        // Statements of the engine, which says in a note what stands in their place.
        Id::LoadClasses | Id::RemoveClasses => false,
        Id::Recall => next.bytes().all(|byte| byte.is_ascii_digit()),
        Id::History => !word.starts_with('h') || next.is_empty(),
        _ => true,
    }
}

fn command(id: Id, word: &str, rest: &str) -> Result<Directive, DirectiveError> {
    let one = || at_most_one(word, rest);
    match id {
        Id::Help => one().map(Directive::Help),
        Id::Leave => nothing(word, rest).map(|()| Directive::Leave),
        Id::Show => show(word, rest),
        Id::Tables => nothing(word, rest).map(|()| Directive::Show(Shown::Tables)),
        Id::Views => nothing(word, rest).map(|()| Directive::Show(Shown::Views)),
        Id::Procedures => nothing(word, rest).map(|()| Directive::Show(Shown::Procedures)),
        Id::Functions => nothing(word, rest).map(|()| Directive::Show(Shown::Functions)),
        Id::Indexes => Ok(Directive::Show(Shown::Indexes(one()?))),
        Id::Describe => describe(word, rest),
        Id::DescribeAll => one().map(Directive::DescribeAll),
        Id::Schema => one().map(Directive::Schema),
        Id::File => file(rest),
        Id::Echo => Ok(Directive::Echo(text(rest))),
        Id::EchoError | Id::Warn => Ok(Directive::EchoError(text(rest))),
        Id::LoadClasses | Id::RemoveClasses => error("a statement, not a command"),
        Id::QueryStats => needs(word, rest, "a query").map(Directive::QueryStats),
        Id::Recall => match needs(word, rest, "the number of a statement, as HISTORY shows it")?.parse() {
            Ok(number) => Ok(Directive::Recall(number)),
            Err(_) => error("RECALL needs the number of a statement, as HISTORY shows it"),
        },
        Id::History => Ok(Directive::History),
        Id::Format => match one()? {
            None => Ok(Directive::Format(None)),
            Some(name) => format(&name).map(|format| Directive::Format(Some(format))),
        },
        Id::Expanded => expanded(one()?.as_deref()).map(Directive::Expanded),
        Id::TuplesOnly => on_off(word, rest).map(Directive::TuplesOnly),
        Id::Timing => on_off(word, rest).map(Directive::Timing),
        Id::NullText => Ok(Directive::Pset(Some(("null".into(), one()?.unwrap_or_default())))),
        Id::Pset => pset(rest),
        Id::Output => match one()? {
            Some(path) if path != "stdout" => Ok(Directive::Output(Some(path))),
            _ => Ok(Directive::Output(None)),
        },
        Id::Chart => ChartCommand::parse(rest).map(Directive::Chart).map_err(|message| DirectiveError { message }),
        Id::Set => set(rest).map(Directive::Set),
        Id::Unset => needs(word, rest, "the name of a variable").map(Directive::Unset),
        Id::If => needs(word, rest, "a condition").map(Directive::If),
        Id::Elif => needs(word, rest, "a condition").map(Directive::Elif),
        Id::Else => nothing(word, rest).map(|()| Directive::Else),
        Id::Endif => nothing(word, rest).map(|()| Directive::Endif),
        Id::Run => one().map(Directive::Run),
        Id::RunExpanded => nothing(word, rest).map(|()| Directive::RunExpanded),
        Id::Gset => Ok(Directive::Gset(one()?.unwrap_or_default())),
        Id::Watch => watch(rest),
        Id::Edit => one().map(Directive::Edit),
        Id::Print => Ok(Directive::Print),
        Id::Reset => Ok(Directive::Reset),
        Id::Copy => {
            CopyCommand::parse(&words(rest)?).map(Directive::Copy).map_err(|message| DirectiveError { message })
        }
        Id::Import => {
            let words = words(rest)?;
            CopyCommand::import(&words).map(Directive::Copy).map_err(|message| DirectiveError { message })
        }
        Id::Dump => one().map(Directive::Dump),
        Id::Reload => needs(word, rest, "the path of a schema file").map(|path| Directive::Reload(unquoted(&path))),
        Id::ErrVerbose => Ok(Directive::ErrVerbose),
        Id::OnError => match one()?.as_deref().map(str::to_ascii_lowercase).as_deref() {
            Some("stop" | "on") => Ok(Directive::OnError { stops: true }),
            Some("continue" | "off") => Ok(Directive::OnError { stops: false }),
            _ => error(format!("{word} takes stop or continue")),
        },
        Id::Config => Ok(Directive::Config),
        Id::Record => needs(word, rest, "a name for the test").map(|name| Directive::Record(unquoted(&name))),
        Id::Stop => nothing(word, rest).map(|()| Directive::Stop),
        Id::Suggest => Ok(Directive::Suggest(Some(bare(rest).to_owned()).filter(|query| !query.is_empty()))),
        Id::Bang => Ok(Directive::Bang(rest.trim().to_owned())),
        Id::ChangeDirectory => one().map(Directive::ChangeDirectory),
        Id::ConnInfo => Ok(Directive::ConnInfo),
    }
}

/// A command of psql at the end of a line, after a statement: `SELECT 1 \gset`. Gives where it begins, and what it is.
pub fn trailing(line: &str) -> Option<(usize, Result<Directive, DirectiveError>)> {
    for (at, _) in line.match_indices('\\') {
        let end = line[at..].find(char::is_whitespace).map_or(line.len(), |length| at + length);
        let word = line[at..end].trim_end_matches(';');
        let is_last =
            matches!(word, "\\g" | "\\gx" | "\\gset" | "\\watch" | "\\chart" | "\\p" | "\\e" | "\\suggest" | "\\r");
        if is_last && at > 0 {
            return parse(&line[at..]).map(|parsed| (at, parsed));
        }
    }
    None
}

/// `rest` without spaces around it and a semicolon at its end.
fn bare(rest: &str) -> &str {
    rest.trim().trim_end_matches(';').trim_end()
}

fn needs(command: &str, rest: &str, what: &str) -> Result<String, DirectiveError> {
    match bare(rest) {
        "" => error(format!("{} needs {what}", shown(command))),
        text => Ok(text.to_owned()),
    }
}

/// Words of sqlcmd are written in capitals, as keywords are.
fn shown(command: &str) -> String {
    if command.starts_with(['\\', '.']) { command.to_owned() } else { command.to_uppercase() }
}

fn unquoted(text: &str) -> String {
    let inner = ['\'', '"'].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    inner.unwrap_or(text).to_owned()
}

fn format(name: &str) -> Result<Format, DirectiveError> {
    name.parse().map_err(|error: crate::render::UnknownFormat| DirectiveError { message: error.to_string() })
}

fn expanded(choice: Option<&str>) -> Result<Option<Format>, DirectiveError> {
    match choice.map(str::to_ascii_lowercase).as_deref() {
        None => Ok(None),
        Some("on") => Ok(Some(Format::Vertical)),
        Some("off") => Ok(Some(Format::Table)),
        Some("auto") => Ok(Some(Format::Auto)),
        Some(other) => error(format!("\\x takes on, off or auto, not {other}")),
    }
}

fn on_off(command: &str, rest: &str) -> Result<Option<bool>, DirectiveError> {
    match at_most_one(command, rest)?.map(|word| word.to_ascii_lowercase()).as_deref() {
        None => Ok(None),
        Some("on" | "true" | "1") => Ok(Some(true)),
        Some("off" | "false" | "0") => Ok(Some(false)),
        Some(other) => error(format!("{command} takes on or off, not {other}")),
    }
}

/// Names of what \pset sets.
pub const SETTINGS: [&str; 8] = ["format", "null", "expanded", "tuples_only", "footer", "rows", "pager", "timing"];

fn pset(rest: &str) -> Result<Directive, DirectiveError> {
    let words = words(rest)?;
    let Some((name, _)) = words.first() else { return Ok(Directive::Pset(None)) };
    if !SETTINGS.contains(&name.to_ascii_lowercase().as_str()) {
        let near = nearest(name, SETTINGS)
            .map_or_else(|| format!("there are {}", SETTINGS.join(", ")), |near| format!("did you mean {near}?"));
        return error(format!("no setting {name}; {near}"));
    }
    let value = words.get(1).map_or(String::new(), |(value, _)| value.clone());
    Ok(Directive::Pset(Some((name.to_ascii_lowercase(), value))))
}

fn set(rest: &str) -> Result<Option<(String, String)>, DirectiveError> {
    let words = words(rest)?;
    let Some(((name, _), values)) = words.split_first() else { return Ok(None) };
    if !is_variable(name) {
        return error(format!("{name} is no name of a variable: letters, digits and _"));
    }
    let value: String = values.iter().map(|(value, _)| value.as_str()).collect();
    Ok(Some((name.clone(), value)))
}

pub fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn watch(rest: &str) -> Result<Directive, DirectiveError> {
    let words = words(rest)?;
    let wrong = "\\watch takes seconds and how many times, both more than 0";
    let number = |at: usize, default: f64| match words.get(at) {
        None => Ok(default),
        Some((word, _)) => match word.rsplit('=').next().unwrap_or(word).parse::<f64>() {
            Ok(number) if number > 0.0 && number < 1e6 => Ok(number),
            _ => error(wrong),
        },
    };
    let seconds = number(0, 2.0)?;
    let times = if words.len() > 1 { Some(number(1, 1.0)? as u64) } else { None };
    if words.len() > 2 { error(wrong) } else { Ok(Directive::Watch { millis: (seconds * 1000.0) as u64, times }) }
}

/// If `line` begins with a word that begins nothing, but is almost a command or a statement: what to say about it.
pub fn misspelled(line: &str) -> Option<DirectiveError> {
    let line = line.trim_start();
    let end = line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len());
    let word = &line[..end];
    let known = || commands::words().chain(STATEMENT_WORDS);
    if word.len() < 3 || known().any(|known| known.eq_ignore_ascii_case(word)) {
        return None;
    }
    let near = nearest(word, known())?;
    Some(DirectiveError { message: format!("{word} begins no statement; did you mean {near}?") })
}

/// True for statements that need no semicolon at the prompt.
pub fn is_exec(text: &str) -> bool {
    let word = text.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
    word.eq_ignore_ascii_case("exec") || word.eq_ignore_ascii_case("execute")
}

fn show(word: &str, rest: &str) -> Result<Directive, DirectiveError> {
    let valid = "tables, views, procedures, functions, indexes, classes and config";
    let mut words = words(rest)?;
    let Some((what, _)) = words.first().cloned() else {
        return error(format!("{} what? There are {valid}", word.to_uppercase()));
    };
    let shown = match what.to_ascii_lowercase().as_str() {
        "tables" | "table" => match words.get(1).map(|(word, _)| word.to_ascii_lowercase()).as_deref() {
            None => Shown::Tables,
            Some("view" | "views") => Shown::Views,
            Some("dr") => Shown::Nothing("DR tables"),
            Some(other) => return error(format!("SHOW TABLES takes VIEW or nothing, not {other}")),
        },
        "views" | "view" => Shown::Views,
        "procedures" | "procs" | "proc" | "procedure" => Shown::Procedures,
        "functions" | "function" => Shown::Functions,
        "indexes" | "index" if words.len() < 3 => Shown::Indexes((words.len() > 1).then(|| words.remove(1).0)),
        "classes" => Shown::Nothing("classes: procedures are written in SQL, SHOW PROCEDURES lists them"),
        "streams" => Shown::Nothing("streams"),
        "tasks" => Shown::Nothing("tasks"),
        "topics" => Shown::Nothing("topics"),
        "config" => return Ok(Directive::Config),
        _ => {
            return error(match nearest(&what, SHOWN) {
                Some(near) => format!("cannot show {what}; did you mean {near}?"),
                None => format!("cannot show {what}; there are {valid}"),
            });
        }
    };
    Ok(Directive::Show(shown))
}

fn describe(word: &str, rest: &str) -> Result<Directive, DirectiveError> {
    match at_most_one(word, rest)? {
        Some(table) => Ok(Directive::Describe(table)),
        None if word == "\\d" => Ok(Directive::Show(Shown::Tables)),
        None => error(format!("{} needs the name of a table or view", word.to_uppercase())),
    }
}

fn file(rest: &str) -> Result<Directive, DirectiveError> {
    let mut words = words(rest)?;
    let option = match words.first() {
        Some((word, false)) if word.starts_with('-') => words.remove(0).0.to_ascii_lowercase(),
        _ => String::new(),
    };
    let paths: Vec<String> = words.into_iter().map(|(word, _)| word).collect();
    match option.as_str() {
        "" if paths.is_empty() => error("FILE needs the path of a script"),
        "-batch" if paths.is_empty() => error("FILE -batch needs the path of a script"),
        "" | "-batch" => Ok(Directive::File { batch: !option.is_empty(), paths }),
        "-inlinebatch" => match <[String; 1]>::try_from(paths) {
            Ok([word]) => Ok(Directive::InlineBatch(word)),
            Err(_) => error("FILE -inlinebatch needs one word, which alone on a line ends the batch"),
        },
        other => match nearest(other, ["-batch", "-inlinebatch"]) {
            Some(near) => error(format!("FILE has no option {other}; did you mean {near}?")),
            None => error(format!("FILE has no option {other}; there are -batch and -inlinebatch")),
        },
    }
}

/// The words of `rest` and whether each was quoted. Quotes of either kind keep spaces in a word.
fn words(rest: &str) -> Result<Vec<(String, bool)>, DirectiveError> {
    let mut words = Vec::new();
    let mut rest = rest.trim();
    rest = rest.strip_suffix(';').unwrap_or(rest).trim_end();
    while let Some(first) = rest.chars().next() {
        let (word, after) = if matches!(first, '\'' | '"') {
            let Some(end) = rest[1..].find(first) else {
                return error(format!("a quote {first} is not closed"));
            };
            ((rest[1..=end].to_owned(), true), &rest[end + 2..])
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            ((rest[..end].to_owned(), false), &rest[end..])
        };
        words.push(word);
        rest = after.trim_start();
    }
    Ok(words)
}

fn at_most_one(command: &str, rest: &str) -> Result<Option<String>, DirectiveError> {
    let mut words = words(rest)?;
    match words.len() {
        0 => Ok(None),
        1 => Ok(Some(words.remove(0).0)),
        _ => error(format!("{command} takes one word, not {}", rest.trim())),
    }
}

fn nothing(command: &str, rest: &str) -> Result<(), DirectiveError> {
    match words(rest)?.is_empty() {
        true => Ok(()),
        false => error(format!("{command} takes nothing after it, not {}", rest.trim())),
    }
}

/// ECHO prints what follows the one separating space, as it is.
fn text(rest: &str) -> String {
    rest.strip_prefix(char::is_whitespace).unwrap_or(rest).to_owned()
}

fn error<T>(message: impl Into<String>) -> Result<T, DirectiveError> {
    Err(DirectiveError { message: message.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(line: &str) -> Directive {
        parse(line).expect("a command").expect("a right command")
    }

    fn message(line: &str) -> String {
        parse(line).expect("a command").expect_err("a wrong command").message
    }

    #[test]
    fn commands_are_known_in_any_case_with_or_without_a_semicolon() {
        assert_eq!(ok(" HELP ;"), Directive::Help(None));
        assert_eq!(ok("help exec"), Directive::Help(Some("exec".into())));
        assert_eq!(ok("\\?"), Directive::Help(None));
        assert_eq!(ok("Show Tables;"), Directive::Show(Shown::Tables));
        assert_eq!(ok("list procedures"), Directive::Show(Shown::Procedures));
        assert_eq!(ok("desc votes;"), Directive::Describe("votes".into()));
        assert_eq!(ok("\\d votes"), Directive::Describe("votes".into()));
        assert_eq!(ok("\\d"), Directive::Show(Shown::Tables));
        assert_eq!(ok("exit;"), Directive::Leave);
        assert_eq!(ok("\\timing ON"), Directive::Timing(Some(true)));
        assert_eq!(ok("\\format csv"), Directive::Format(Some(Format::Csv)));
    }

    #[test]
    fn sql_is_no_command() {
        for line in ["SELECT 1;", "", "helper", "-- help", "EXEC help", "showing tables"] {
            assert_eq!(parse(line), None, "{line}");
        }
    }

    #[test]
    fn file_takes_several_paths_with_quotes_where_they_need_them() {
        let paths = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        assert_eq!(ok("file a.sql 'b c.sql';"), Directive::File { batch: false, paths: paths(&["a.sql", "b c.sql"]) });
        assert_eq!(ok("FILE -BATCH a.sql"), Directive::File { batch: true, paths: paths(&["a.sql"]) });
        assert_eq!(ok("file -inlinebatch END_OF"), Directive::InlineBatch("END_OF".into()));
        assert_eq!(message("file"), "FILE needs the path of a script");
        assert_eq!(message("file 'a"), "a quote ' is not closed");
        assert_eq!(message("file -bacth a.sql"), "FILE has no option -bacth; did you mean -batch?");
        assert!(message("file -inlinebatch").contains("needs one word"));
    }

    #[test]
    fn echo_keeps_its_text_as_it_is() {
        assert_eq!(ok("echo  two  'words';"), Directive::Echo(" two  'words';".into()));
        assert_eq!(ok("echo"), Directive::Echo(String::new()));
        assert_eq!(ok("echoerror x"), Directive::EchoError("x".into()));
    }

    #[test]
    fn wrong_commands_name_the_nearest() {
        assert_eq!(message("show tabels"), "cannot show tabels; did you mean tables?");
        assert!(message("show all").starts_with("cannot show all; there are tables, "));
        assert_eq!(message("\\fromat csv"), "no command \\fromat; did you mean \\format? \\? lists the commands");
        assert_eq!(message("\\xyzzy"), "no command \\xyzzy; \\? lists the commands");
        assert!(message("\\format xml").starts_with("no format xml: there are table"));
        assert_eq!(message(".tabels"), "no command .tabels; did you mean .tables? \\? lists the commands");
        assert_eq!(message("\\pset nul x"), "no setting nul; did you mean null?");
        assert_eq!(message("describe"), "DESCRIBE needs the name of a table or view");
        assert_eq!(message("exit now"), "exit takes nothing after it, not now");
    }

    #[test]
    fn commands_of_sqlcmd_that_are_not_here_say_what_to_do_instead() {
        assert_eq!(parse("load classes voter.jar;"), None);
        assert_eq!(parse("remove x;"), None);
        assert_eq!(ok("recall 7"), Directive::Recall(7));
        assert_eq!(parse("recall x"), None);
    }

    #[test]
    fn a_command_of_psql_may_follow_a_statement() {
        let (at, directive) = trailing("SELECT 1 AS a \\gset p_").expect("there is one");
        assert_eq!((at, directive), (14, Ok(Directive::Gset("p_".into()))));
        assert_eq!(trailing("SELECT 'a\\nb'"), None);
        assert_eq!(trailing("\\watch 1"), None);
    }

    #[test]
    fn every_command_of_the_table_is_understood_under_each_of_its_names() {
        for command in commands::TABLE {
            for name in command.names {
                let argument = match command.id {
                    Id::LoadClasses | Id::RemoveClasses => "classes x",
                    Id::Recall => "1",
                    Id::Show => "tables",
                    Id::Describe | Id::DescribeAll => "t",
                    Id::OnError => "stop",
                    Id::Copy => "t to 'f.csv'",
                    Id::Import => "f.csv t",
                    Id::Pset | Id::Leave | Id::Help | Id::Tables | Id::Views | Id::Procedures | Id::Functions => "",
                    Id::Else | Id::Endif | Id::RunExpanded | Id::Stop | Id::History | Id::Timing => "",
                    Id::TuplesOnly | Id::Expanded | Id::Format | Id::Watch => "",
                    _ => "x",
                };
                let parsed = parse(&format!("{name} {argument}"));
                let is_statement = matches!(command.id, Id::LoadClasses | Id::RemoveClasses);
                assert_eq!(parsed.map(|parsed| parsed.is_err()), (!is_statement).then_some(false), "{name}");
            }
        }
    }

    #[test]
    fn a_word_that_begins_nothing_is_met_with_the_nearest_that_does() {
        assert_eq!(misspelled("exti").unwrap().message, "exti begins no statement; did you mean exit?");
        assert_eq!(misspelled("SELCT 1;").unwrap().message, "SELCT begins no statement; did you mean SELECT?");
        for line in ["SELECT 1", "frobnicate", "", "(SELECT 1)", "@Statistics"] {
            assert_eq!(misspelled(line), None, "{line}");
        }
    }
}
