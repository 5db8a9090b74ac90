//! The commands of the shell, as one table: parsing, help, completion and the manual page all read it.
//!
//! Three worlds meet here: the words of VoltDB's sqlcmd, the backslashes of psql, the dots of sqlite3. A command has the
//! names that each world gives it, and means the same under each of them.

/// What a command does; how it does it is the session's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    Help,
    Leave,
    Show,
    Tables,
    Views,
    Procedures,
    Functions,
    Indexes,
    Describe,
    DescribeAll,
    Schema,
    File,
    Echo,
    EchoError,
    Warn,
    LoadClasses,
    RemoveClasses,
    QueryStats,
    Recall,
    History,
    Format,
    Expanded,
    TuplesOnly,
    Pset,
    NullText,
    Timing,
    Output,
    Chart,
    Set,
    Unset,
    If,
    Elif,
    Else,
    Endif,
    Run,
    RunExpanded,
    Gset,
    Watch,
    Edit,
    Print,
    Reset,
    Copy,
    Import,
    Dump,
    ErrVerbose,
    OnError,
    Config,
    Reload,
    Record,
    Stop,
    Suggest,
    Bang,
    ChangeDirectory,
    ConnInfo,
}

/// What may follow a command, for completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    Nothing,
    /// SQL, or free text.
    Text,
    Topic,
    Shown,
    Table,
    Path,
    Format,
    OnOff,
    Setting,
    Variable,
}

/// Where in the help a command stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Look,
    Scripts,
    Output,
    Query,
    Variables,
    Data,
    Shell,
}

impl Group {
    pub const ALL: [Group; 7] =
        [Group::Look, Group::Query, Group::Output, Group::Data, Group::Scripts, Group::Variables, Group::Shell];

    pub fn title(self) -> &'static str {
        match self {
            Group::Look => "What there is",
            Group::Scripts => "Scripts",
            Group::Output => "How answers look",
            Group::Query => "The last query, or the one before it on the line",
            Group::Variables => "Variables and conditions",
            Group::Data => "Data in and out",
            Group::Shell => "The shell",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Command {
    pub id: Id,
    /// All its names: words, `\..`, `.dot`. The first is the one that help shows first.
    pub names: &'static [&'static str],
    /// What follows the name.
    pub usage: &'static str,
    /// One line.
    pub about: &'static str,
    pub group: Group,
    pub argument: Argument,
}

const fn command(
    id: Id,
    names: &'static [&'static str],
    usage: &'static str,
    about: &'static str,
    group: Group,
    argument: Argument,
) -> Command {
    Command { id, names, usage, about, group, argument }
}

/// Every command there is.
#[rustfmt::skip]
pub const TABLE: &[Command] = &[
    command(Id::Show, &["show", "list"], "what", "tables, views, procedures, functions, indexes, classes, config", Group::Look, Argument::Shown),
    command(Id::Tables, &["\\dt", ".tables"], "", "tables and views", Group::Look, Argument::Nothing),
    command(Id::Views, &["\\dv"], "", "views", Group::Look, Argument::Nothing),
    command(Id::Procedures, &["\\df"], "", "stored procedures and their parameters", Group::Look, Argument::Nothing),
    command(Id::Functions, &["\\dF"], "", "functions of SQL", Group::Look, Argument::Nothing),
    command(Id::Indexes, &["\\di"], "[table]", "indexes", Group::Look, Argument::Table),
    command(Id::Describe, &["describe", "desc", "\\d"], "[name]", "columns of a table or view, parameters of a procedure", Group::Look, Argument::Table),
    command(Id::DescribeAll, &["\\d+"], "[name]", "the schema as a picture: tables, keys, views, and which procedure touches what", Group::Look, Argument::Table),
    command(Id::Schema, &[".schema", "\\schema"], "[name]", "the statements that make the tables", Group::Look, Argument::Table),
    command(Id::QueryStats, &["querystats"], "query", "SQL over the statistics", Group::Look, Argument::Text),
    command(Id::ConnInfo, &["\\conninfo", ".databases"], "", "which database this is", Group::Look, Argument::Nothing),
    command(Id::Run, &["\\g"], "[file]", "run it again; its answer into a file", Group::Query, Argument::Path),
    command(Id::RunExpanded, &["\\gx"], "", "run it again, a line for each value", Group::Query, Argument::Nothing),
    command(Id::Gset, &["\\gset"], "[prefix]", "run it, and set a variable for each column of its one row", Group::Query, Argument::Text),
    command(Id::Watch, &["\\watch"], "[seconds [times]]", "run it again and again until Ctrl-C", Group::Query, Argument::Text),
    command(Id::Chart, &["\\chart"], "[bars|lines|heat] [-o file.svg] [query]", "its numbers as a picture", Group::Query, Argument::Text),
    command(Id::Suggest, &["\\suggest"], "[query]", "try an index on a copy of the schema: both plans and times", Group::Query, Argument::Text),
    command(Id::Edit, &["\\e", ".edit"], "[file]", "edit it in $EDITOR, then run it", Group::Query, Argument::Path),
    command(Id::Print, &["\\p"], "", "print it", Group::Query, Argument::Nothing),
    command(Id::Reset, &["\\r"], "", "forget it", Group::Query, Argument::Nothing),
    command(Id::Format, &["\\format", ".mode", "\\mode"], "[name]", "how results are written", Group::Output, Argument::Format),
    command(Id::Expanded, &["\\x"], "[on|off|auto]", "a line for each value", Group::Output, Argument::OnOff),
    command(Id::TuplesOnly, &["\\t"], "[on|off]", "rows only, no names and counts", Group::Output, Argument::OnOff),
    command(Id::NullText, &[".nullvalue"], "text", "what stands for NULL", Group::Output, Argument::Text),
    command(Id::Pset, &["\\pset"], "[setting [value]]", "settings: format, null, expanded, tuples_only, footer, rows, pager, timing", Group::Output, Argument::Setting),
    command(Id::Timing, &["\\timing", ".timer"], "[on|off]", "how long each statement took", Group::Output, Argument::OnOff),
    command(Id::Output, &["\\o", ".output"], "[file]", "answers into a file, until \\o alone", Group::Output, Argument::Path),
    command(Id::Copy, &["\\copy"], "table from|to 'file' [options]", "rows from a file or into one: csv, tsv, jsonl", Group::Data, Argument::Table),
    command(Id::Import, &[".import"], "file table", "rows from a file into a table", Group::Data, Argument::Path),
    command(Id::Dump, &[".dump", "\\dump"], "[table]", "schema and rows as SQL", Group::Data, Argument::Table),
    command(Id::Reload, &["\\reload"], "schema.sql", "show how a schema differs, and take it over: all or nothing", Group::Data, Argument::Path),
    command(Id::LoadClasses, &["load"], "classes file", "not needed: procedures are written in SQL, in files", Group::Data, Argument::Path),
    command(Id::RemoveClasses, &["remove"], "classes pattern", "not needed: DROP PROCEDURE removes a procedure", Group::Data, Argument::Text),
    command(Id::File, &["file", "\\i", "\\ir", ".read"], "path ..", "run scripts; -batch and -inlinebatch run DDL as one", Group::Scripts, Argument::Path),
    command(Id::Echo, &["echo", "\\echo", "\\qecho", ".print"], "text", "print a line", Group::Scripts, Argument::Text),
    command(Id::EchoError, &["echoerror"], "text", "print a line to standard error", Group::Scripts, Argument::Text),
    command(Id::Warn, &["\\warn"], "text", "as echoerror", Group::Scripts, Argument::Text),
    command(Id::OnError, &["\\onerror", ".bail"], "stop|continue", "whether an error ends a script", Group::Scripts, Argument::OnOff),
    command(Id::Record, &["\\record"], "name", "write what is run, and its answers, as a test", Group::Scripts, Argument::Path),
    command(Id::Stop, &["\\stop"], "", "end the recording", Group::Scripts, Argument::Nothing),
    command(Id::Set, &["\\set"], "[name [value]]", "set a variable; :name and :'name' stand for it", Group::Variables, Argument::Variable),
    command(Id::Unset, &["\\unset"], "name", "forget a variable", Group::Variables, Argument::Variable),
    command(Id::If, &["\\if"], "condition", "run what follows if it holds", Group::Variables, Argument::Text),
    command(Id::Elif, &["\\elif"], "condition", "or else this, if it holds", Group::Variables, Argument::Text),
    command(Id::Else, &["\\else"], "", "or else this", Group::Variables, Argument::Nothing),
    command(Id::Endif, &["\\endif"], "", "the end of \\if", Group::Variables, Argument::Nothing),
    command(Id::Help, &["help", "\\?", "\\h", "\\help", ".help"], "[topic]", "this, or help on a topic or a command", Group::Shell, Argument::Topic),
    command(Id::History, &["history", "\\s"], "", "what was run, with numbers for RECALL", Group::Shell, Argument::Nothing),
    command(Id::Recall, &["recall"], "number", "edit a statement of the history again", Group::Shell, Argument::Text),
    command(Id::ErrVerbose, &["\\errverbose"], "", "all about the last error", Group::Shell, Argument::Nothing),
    command(Id::Config, &["\\config", ".show"], "", "settings, and where each comes from", Group::Shell, Argument::Nothing),
    command(Id::ChangeDirectory, &["\\cd", ".cd"], "[folder]", "change the current folder", Group::Shell, Argument::Path),
    command(Id::Bang, &["\\!", ".shell"], "command", "run a command of the system", Group::Shell, Argument::Text),
    command(Id::Leave, &["exit", "quit", "\\q", ".quit", ".exit"], "", "leave (also Ctrl-D)", Group::Shell, Argument::Nothing),
];

/// The command called `name`: words without regard to case, backslashes as they are.
pub fn find(name: &str) -> Option<&'static Command> {
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic());
    TABLE.iter().find(|command| {
        command.names.iter().any(|known| if is_word { known.eq_ignore_ascii_case(name) } else { *known == name })
    })
}

/// All names of all commands.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().flat_map(|command| command.names.iter().copied())
}

/// The names that are words.
pub fn words() -> impl Iterator<Item = &'static str> {
    names().filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// The manual page's part on commands, in roff; and, as they say the same, a test of help and completion.
pub fn manual() -> String {
    let escape = |text: &str| text.replace('\\', "\\e").replace('-', "\\-");
    let mut out =
        String::from(".SH COMMANDS\nCommands stand at the start of a statement, on one line, and need no semicolon.\n");
    for group in Group::ALL {
        out.push_str(&format!(".SS {}\n", group.title()));
        for command in TABLE.iter().filter(|command| command.group == group) {
            let names = command.names.join(", ");
            out.push_str(&format!(".TP\n\\fB{}\\fR \\fI{}\\fR\n", escape(&names), escape(command.usage)));
            let about = escape(command.about);
            out.push_str(&format!("{}{about}\n", if about.starts_with(['.', '\'']) { "\\&" } else { "" }));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_name_means_two_things_and_every_name_is_found() {
        let mut seen = HashSet::new();
        for command in TABLE {
            for name in command.names {
                assert!(seen.insert(*name), "{name}");
                assert_eq!(find(name).map(|found| found.id), Some(command.id), "{name}");
            }
            assert!(!command.about.is_empty() && command.about.len() < 90, "{:?}", command.names);
        }
    }

    #[test]
    fn the_manual_names_every_command() {
        let manual = manual();
        for name in names() {
            assert!(manual.contains(&name.replace('\\', "\\e").replace('-', "\\-")), "{name}");
        }
    }
}
