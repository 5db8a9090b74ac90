//! What HELP says.

use super::nearest::nearest;

const OVERVIEW: &str = "\
Statements end with a semicolon and may take several lines: SELECT, INSERT, UPDATE, DELETE, CREATE TABLE, ..
Commands stand on one line, at the start of a statement, and need no semicolon:

  EXEC name arguments        run a stored procedure                    help exec
  show tables      \\dt       tables and views
  show procedures  \\df       stored procedures and their parameters
  describe name    \\d name   columns of a table or view, parameters of a procedure
  file path ..     \\i path   run scripts; -batch runs DDL atomically   help file
  echo text, echoerror text  print a line
  \\format name               table, vertical, csv, json, markdown      help format
  \\chart query              the numbers of a query as bars
  \\timing [on|off]           show how long each statement took
  help topic       \\? topic  topics: exec, file, format, editing
  exit             \\q        leave (also quit, Ctrl-D)

Ctrl-C gives up a statement that runs, or clears the line.
";

const TOPICS: [(&str, &str); 4] = [
    (
        "exec",
        "\
EXEC name argument argument ..

  EXEC Vote 5085551234 3 2        arguments are parted by spaces or commas
  EXEC Add 'two words', NULL      text with spaces, commas or semicolons stands in single quotes
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
\\format table       columns side by side; a wide text wraps (the default)
\\format vertical    a line for each value
\\format csv         RFC 4180: NULL is empty, the empty string is \"\"
\\format json        a line for each result: an array of objects
\\format markdown    a table for documents

csv, json and markdown write rows only; counts and times are left out.
",
    ),
    (
        "editing",
        "\
Tab            complete a keyword, table, column, procedure or command
Up, Down       earlier lines, kept between sessions; Ctrl-R searches them
Ctrl-A Ctrl-E  start and end of the line; Ctrl-W deletes a word, Ctrl-K the rest
Ctrl-C         clear the line; Ctrl-D on an empty line leaves
",
    ),
];

/// The help on `topic`, or the overview; an error message where there is no such topic.
pub fn text(topic: Option<&str>) -> Result<&'static str, String> {
    let Some(topic) = topic else {
        return Ok(OVERVIEW);
    };
    let name = topic.to_ascii_lowercase();
    let name = match name.as_str() {
        "execute" => "exec",
        "\\format" => "format",
        "\\i" => "file",
        other => other,
    };
    let found = TOPICS.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text).ok_or_else(|| match nearest(name, TOPICS.iter().map(|(known, _)| *known)) {
        Some(near) => format!("no help on {topic}; did you mean {near}?"),
        None => format!("no help on {topic}; topics are exec, file, format and editing"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::directives;
    use super::*;

    #[test]
    fn the_overview_names_every_topic_and_every_command() {
        let overview = text(None).expect("there is an overview");
        for (topic, _) in TOPICS {
            assert!(overview.contains(topic), "{topic}");
        }
        for word in directives::WORDS.into_iter().chain(directives::BACKSLASHES).filter(|word| *word != "\\echo") {
            assert!(overview.contains(word), "{word}");
        }
        assert!(overview.lines().all(|line| line.chars().count() <= 110));
    }

    #[test]
    fn an_unknown_topic_gives_the_nearest_or_the_list() {
        assert_eq!(text(Some("EXECUTE")), text(Some("exec")));
        assert_eq!(text(Some("formt")), Err("no help on formt; did you mean format?".into()));
        assert_eq!(text(Some("joins")), Err("no help on joins; topics are exec, file, format and editing".into()));
    }
}
