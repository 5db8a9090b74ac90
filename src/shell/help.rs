//! What HELP says: an overview made from the table of commands, and a few topics.

use super::commands::{self, Group};
use super::nearest::nearest;

const TOPICS: [(&str, &str); 6] = [
    (
        "exec",
        "\
EXEC name argument argument ..

  EXEC Vote 5085551234 3 2        arguments are parted by spaces, tabs or commas
  EXEC Add bare, NULL, X'0AFF'    a text without separators needs no quotes; NULL is no text
  EXEC Add 'two words; a, b'      text with spaces, commas or semicolons stands in single quotes
  EXEC Add 'it''s'                a quote in a text is written twice; 'null' in quotes is a text

At the prompt EXEC needs no semicolon. In a script it does, and may take several lines.
",
    ),
    (
        "file",
        "\
file path ..             runs scripts, in order; a path is looked up beside the script that names it first
file -batch path ..      runs the DDL statements of all paths as one batch: all of them or none
file -inlinebatch WORD   the same for the lines that follow, up to a line that is just WORD

A path with spaces stands in quotes; ~ is the home directory.
",
    ),
    (
        "format",
        "\
table       columns side by side; a wide text wraps (the default)
vertical    a line for each value (also: expanded, \\x on)
auto        a table, or a line for each value where the table is too wide (\\x auto)
box, plain  a table with lines around its cells; a table in ASCII (also: fixed)
csv         RFC 4180: NULL is empty, the empty string is \"\"
tsv         parted by tabs (also: tab); NULL is \\N
json        a line for each result: an array of objects
jsonl       a line for each row
markdown, html, insert

csv, tsv, json, jsonl, markdown, html and insert write rows only; counts and times are left out.
",
    ),
    (
        "copy",
        "\
\\copy votes from 'votes.csv'            a row for each record; the header names the columns
\\copy votes(phone, state) from 'v.tsv' noheader null '-' max-errors 10 reject 'bad.txt'
\\copy votes to 'votes.jsonl'
\\copy (SELECT state, COUNT(*) FROM votes GROUP BY state) to 'states.csv'

The ending of the file gives the format: csv, tsv, jsonl; or say csv, tsv or jsonl. A row that does not fit is
written to the reject file with its line, column, value and reason; more than max-errors (0) of them end the import.
",
    ),
    (
        "variables",
        "\
\\set limit 10                     :limit is 10 from now on, :'limit' is '10'
SELECT * FROM t LIMIT :limit;
SELECT COUNT(*) AS n FROM t \\gset   n becomes a variable
\\if :n > 5
  echo many
\\else
  echo few
\\endif

-v name=value on the command line sets a variable, too.
",
    ),
    (
        "editing",
        "\
Tab            complete a keyword, table, column, procedure, command, setting or file name
Up, Down       earlier statements, kept between sessions; Ctrl-R searches them
Ctrl-A Ctrl-E  start and end of the line; Ctrl-W deletes a word, Ctrl-K the rest
Ctrl-C         clear the line; Ctrl-D on an empty line leaves
\\e             edit the last statement in $EDITOR
",
    ),
];

/// The help on `topic`, or the overview; an error message where there is no such topic.
pub fn text(topic: Option<&str>) -> Result<String, String> {
    let Some(topic) = topic else {
        return Ok(overview());
    };
    let name = topic.to_ascii_lowercase();
    let name = match name.as_str() {
        "execute" => "exec",
        other => other,
    };
    if let Some((_, text)) = TOPICS.iter().find(|(known, _)| *known == name) {
        return Ok((*text).to_owned());
    }
    if let Some(command) = commands::find(topic).or_else(|| commands::find(&format!("\\{topic}"))) {
        let usage = format!("{} {}", command.names[0], command.usage);
        let also =
            if command.names.len() > 1 { format!("\nalso: {}", command.names[1..].join(", ")) } else { String::new() };
        let bare = command.names[0].trim_start_matches('\\');
        let topic =
            TOPICS.iter().find(|(known, _)| *known == bare).map_or(String::new(), |(_, text)| format!("\n{text}"));
        return Ok(format!("{}\n{}{also}\n{topic}", usage.trim_end(), command.about));
    }
    Err(match nearest(name, TOPICS.iter().map(|(known, _)| *known).chain(commands::names())) {
        Some(near) => format!("no help on {topic}; did you mean {near}?"),
        None => format!("no help on {topic}; topics are {}", topics().join(", ")),
    })
}

/// Names of topics, for completion too.
pub fn topics() -> Vec<&'static str> {
    TOPICS.iter().map(|(name, _)| *name).collect()
}

/// Widest column of names in the overview.
const NAMES_WIDTH: usize = 34;

fn overview() -> String {
    let mut out = String::from(
        "Statements end with a semicolon and may take several lines: SELECT, INSERT, UPDATE, DELETE, CREATE TABLE, ..\n\
         EXEC name arguments runs a stored procedure. Commands stand on one line and need no semicolon.\n",
    );
    for group in Group::ALL {
        out.push_str(&format!("\n{}\n", group.title()));
        for command in commands::TABLE.iter().filter(|command| command.group == group) {
            let names = format!("{} {}", command.names.join(" "), command.usage);
            let names = names.trim_end();
            if names.chars().count() > NAMES_WIDTH {
                out.push_str(&format!("  {names}\n  {:NAMES_WIDTH$}  {}\n", "", command.about));
            } else {
                out.push_str(&format!("  {names:NAMES_WIDTH$}  {}\n", command.about));
            }
        }
    }
    out.push_str(&format!("\nhelp TOPIC: {}\n", topics().join(", ")));
    out.push_str("Ctrl-C gives up a statement that runs, or clears the line.\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overview_names_every_topic_and_every_command() {
        let overview = text(None).expect("there is an overview");
        for name in topics().into_iter().chain(commands::names()) {
            assert!(overview.contains(name), "{name}");
        }
        assert!(overview.lines().all(|line| line.chars().count() <= 125), "{overview}");
    }

    #[test]
    fn an_unknown_topic_gives_the_nearest_or_the_list() {
        assert_eq!(text(Some("EXECUTE")), text(Some("exec")));
        assert_eq!(text(Some("formt")), Err("no help on formt; did you mean format?".into()));
        assert!(text(Some("joins")).unwrap_err().starts_with("no help on joins; topics are exec, file, "));
        assert!(text(Some("\\watch")).unwrap().contains("again and again"));
        assert!(text(Some("gset")).unwrap().starts_with("\\gset [prefix]\n"));
    }
}
