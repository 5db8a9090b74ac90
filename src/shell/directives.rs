//! Commands of the shell itself: their names, their arguments, their help. What they do is `session`'s.
//!
//! A line is a command only where a statement may begin (the session asks `Splitter::is_at_start`): columns may be
//! called `help` or `exit`.

use super::nearest::nearest;
use crate::render::Format;

/// A command, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directive {
    Help(Option<String>),
    ShowTables,
    ShowProcedures,
    Describe(String),
    Leave,
    /// Runs scripts, one after another; as one DDL batch where `batch`.
    File {
        batch: bool,
        paths: Vec<String>,
    },
    /// The lines up to one that is just this word are one DDL batch.
    InlineBatch(String),
    /// Runs a query and draws its numbers as bars.
    Chart(String),
    Echo(String),
    EchoError(String),
    /// None changes it to the other.
    Timing(Option<bool>),
    /// None asks which it is.
    Format(Option<Format>),
}

/// A line that begins like a command and is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DirectiveError {
    pub message: String,
}

/// Words that begin a command, for completion and for what to suggest.
pub const WORDS: [&str; 9] = ["help", "show", "describe", "desc", "exit", "quit", "file", "echo", "echoerror"];
pub const BACKSLASHES: [&str; 10] =
    ["\\?", "\\chart", "\\d", "\\dt", "\\df", "\\q", "\\i", "\\echo", "\\format", "\\timing"];
/// What SHOW can show.
pub const SHOWN: [&str; 2] = ["tables", "procedures"];
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
    let word = word.to_ascii_lowercase();
    if let Some(command) = word.strip_prefix('\\') {
        return Some(backslash(command, rest));
    }
    if !WORDS.contains(&word.as_str()) && word != "list" {
        return foreign(&word, rest).map(error);
    }
    Some(match word.as_str() {
        "echo" => Ok(Directive::Echo(text(rest))),
        "echoerror" => Ok(Directive::EchoError(text(rest))),
        "help" => at_most_one(&word, rest).map(Directive::Help),
        "exit" | "quit" => nothing(&word, rest).map(|()| Directive::Leave),
        "file" => file(rest),
        "show" | "list" => show(&word, rest),
        _ => describe(&word, rest),
    })
}

/// What to do instead of a command that sqlcmd has and we do not.
fn foreign(word: &str, rest: &str) -> Option<&'static str> {
    let next = rest.split_whitespace().next().unwrap_or("").trim_end_matches(';');
    match word {
        "recall" if next.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some("there is no RECALL: the Up key brings back earlier lines, Ctrl-R searches them")
        }
        _ => None,
    }
}

/// If `line` begins with a word that begins nothing, but is almost a command or a statement: what to say about it.
pub fn misspelled(line: &str) -> Option<DirectiveError> {
    let line = line.trim_start();
    let end = line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len());
    let word = &line[..end];
    let known = || WORDS.into_iter().chain(STATEMENT_WORDS);
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

fn backslash(command: &str, rest: &str) -> Result<Directive, DirectiveError> {
    let shown = format!("\\{command}");
    match command {
        "?" | "h" | "help" => at_most_one(&shown, rest).map(Directive::Help),
        "q" => nothing(&shown, rest).map(|()| Directive::Leave),
        "dt" => nothing(&shown, rest).map(|()| Directive::ShowTables),
        "df" => nothing(&shown, rest).map(|()| Directive::ShowProcedures),
        "d" => Ok(at_most_one(&shown, rest)?.map_or(Directive::ShowTables, Directive::Describe)),
        "i" => file(rest),
        "echo" => Ok(Directive::Echo(text(rest))),
        "chart" => match rest.trim().trim_end_matches(';').trim_end() {
            "" => error("\\chart needs a query on the same line, with a column of numbers"),
            query => Ok(Directive::Chart(query.to_owned())),
        },
        "timing" => match at_most_one(&shown, rest)?.as_deref() {
            None => Ok(Directive::Timing(None)),
            Some(on) if on.eq_ignore_ascii_case("on") => Ok(Directive::Timing(Some(true))),
            Some(off) if off.eq_ignore_ascii_case("off") => Ok(Directive::Timing(Some(false))),
            Some(other) => error(format!("\\timing takes on or off, not {other}")),
        },
        "format" => match at_most_one(&shown, rest)? {
            None => Ok(Directive::Format(None)),
            Some(name) => name
                .parse()
                .map(|format| Directive::Format(Some(format)))
                .map_err(|error: crate::render::UnknownFormat| DirectiveError { message: error.to_string() }),
        },
        _ => {
            let near = nearest(&shown, BACKSLASHES).map_or(String::new(), |near| format!("did you mean {near}? "));
            error(format!("no command {shown}; {near}\\? lists the commands"))
        }
    }
}

fn show(word: &str, rest: &str) -> Result<Directive, DirectiveError> {
    let valid = "SHOW TABLES or SHOW PROCEDURES";
    let Some(what) = at_most_one(word, rest)? else {
        return error(format!("{} what? There are {valid}", word.to_uppercase()));
    };
    match what.to_ascii_lowercase().as_str() {
        "tables" | "views" => Ok(Directive::ShowTables),
        "procedures" | "procs" | "proc" | "procedure" => Ok(Directive::ShowProcedures),
        _ => error(match nearest(&what, SHOWN) {
            Some(near) => format!("cannot show {what}; did you mean {near}?"),
            None => format!("cannot show {what}; there are {valid}"),
        }),
    }
}

fn describe(word: &str, rest: &str) -> Result<Directive, DirectiveError> {
    match at_most_one(word, rest)? {
        Some(table) => Ok(Directive::Describe(table)),
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
        assert_eq!(ok("Show Tables;"), Directive::ShowTables);
        assert_eq!(ok("list procedures"), Directive::ShowProcedures);
        assert_eq!(ok("desc votes;"), Directive::Describe("votes".into()));
        assert_eq!(ok("\\d votes"), Directive::Describe("votes".into()));
        assert_eq!(ok("\\d"), Directive::ShowTables);
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
        assert_eq!(message("show classes"), "cannot show classes; there are SHOW TABLES or SHOW PROCEDURES");
        assert_eq!(message("\\fromat csv"), "no command \\fromat; did you mean \\format? \\? lists the commands");
        assert_eq!(message("\\xyzzy"), "no command \\xyzzy; \\? lists the commands");
        assert_eq!(message("\\format xml"), "no format xml: there are table, vertical, csv, json and markdown");
        assert_eq!(message("\\chart ;"), "\\chart needs a query on the same line, with a column of numbers");
        assert_eq!(message("describe"), "DESCRIBE needs the name of a table or view");
        assert_eq!(message("exit now"), "exit takes nothing after it, not now");
    }

    #[test]
    fn commands_of_sqlcmd_that_are_not_here_say_what_to_do_instead() {
        assert_eq!(parse("load classes voter.jar;"), None);
        assert!(message("recall 7").contains("Ctrl-R"));
        assert_eq!(parse("remove x;"), None);
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
