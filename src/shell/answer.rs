//! An outcome as text: the rows, and for people the line that says how many, how long and where.

use super::database::{Outcome, Tag};
use crate::render::{Format, Layout, Role, units};
use crate::types::ResultSet;

/// How answers are written.
#[derive(Clone, Debug)]
pub struct AnswerStyle {
    pub format: Format,
    pub layout: Layout,
    /// Whether the line after the rows says how long they took.
    pub timing: bool,
    /// Whether there is a line after the rows.
    pub footer: bool,
    /// Most rows of a result that are shown to people; None: all.
    pub rows_max: Option<usize>,
    /// As sqlcmd writes answers, where `--output-format` asked for it.
    pub sqlcmd: Option<Sqlcmd>,
}

/// sqlcmd's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sqlcmd {
    /// Statements, names of columns and counts are written (no `--output-skip-metadata`).
    pub metadata: bool,
}

impl Default for AnswerStyle {
    fn default() -> AnswerStyle {
        AnswerStyle {
            format: Format::default(),
            layout: Layout::default(),
            timing: false,
            footer: true,
            rows_max: None,
            sqlcmd: None,
        }
    }
}

/// What goes to standard output, as one text.
pub fn text(outcome: &Outcome, style: &AnswerStyle) -> String {
    let mut out = String::new();
    write(outcome, style, &mut |piece| {
        out.push_str(piece);
        true
    });
    out
}

/// What goes to standard output, in pieces. Formats for programs write rows and nothing else; a data change or a
/// definition has none. `sink` says false to have no more.
pub fn write(outcome: &Outcome, style: &AnswerStyle, sink: &mut dyn FnMut(&str) -> bool) {
    if let Some(sqlcmd) = style.sqlcmd {
        return as_sqlcmd(outcome, style, sqlcmd, sink);
    }
    if !style.format.is_for_people() {
        if outcome.tag == Tag::Rows {
            for (i, set) in outcome.results.iter().enumerate() {
                if i > 0 && style.format.needs_parting() && !sink("\n") {
                    return;
                }
                style.format.write(set, &style.layout, sink);
            }
        }
        return;
    }
    let quiet = |text: &str| style.layout.theme.paint(Role::Quiet, text);
    let text = match &outcome.tag {
        Tag::Rows if outcome.results.is_empty() => {
            format!("{}\n\n", quiet(&with_place("no result".to_owned(), outcome, style.timing)))
        }
        Tag::Rows => return sets(outcome, style, sink),
        Tag::Modified(count) => {
            let text = format!("{} modified", units::plural(*count, "row"));
            format!("{}\n", quiet(&with_place(text, outcome, style.timing)))
        }
        Tag::Done(what) => {
            let text =
                if style.timing { format!("{what} · {}", units::duration(outcome.elapsed)) } else { what.clone() };
            format!("{}\n", quiet(&text))
        }
    };
    if style.footer {
        sink(&text);
    }
}

/// Rows for people, each result with its count.
fn sets(outcome: &Outcome, style: &AnswerStyle, sink: &mut dyn FnMut(&str) -> bool) {
    let last = outcome.results.len().saturating_sub(1);
    for (i, set) in outcome.results.iter().enumerate() {
        let mut count = units::plural(set.rows.len() as u64, "row");
        match style.rows_max.filter(|max| set.rows.len() > *max) {
            Some(max) => {
                let shown = ResultSet { columns: set.columns.clone(), rows: set.rows[..max].to_vec() };
                style.format.write(&shown, &style.layout, sink);
                count = format!("{} of {count} shown (\\pset rows 0 shows all)", units::grouped(max as u64));
            }
            None => style.format.write(set, &style.layout, sink),
        }
        let line = if i == last { with_place(count, outcome, style.timing) } else { count };
        let line = style.layout.theme.paint(Role::Quiet, &line);
        let more = if style.footer { sink(&format!("{line}\n\n")) } else { sink("\n") };
        if !more {
            return;
        }
    }
}

fn as_sqlcmd(outcome: &Outcome, style: &AnswerStyle, sqlcmd: Sqlcmd, sink: &mut dyn FnMut(&str) -> bool) {
    let seconds = outcome.elapsed.as_secs_f64();
    let returned = |count: u64| format!("(Returned {count} rows in {seconds:.2}s)\n");
    let mut text = String::new();
    match &outcome.tag {
        Tag::Done(_) => text.push_str("Command succeeded.\n"),
        Tag::Modified(count) => text.push_str(&if sqlcmd.metadata { returned(*count) } else { String::new() }),
        Tag::Rows => {
            for set in &outcome.results {
                match set.modified_tuples() {
                    Some(count) => text.push_str(&if sqlcmd.metadata { returned(count as u64) } else { String::new() }),
                    None => {
                        style.format.write(set, &style.layout, sink);
                        if sqlcmd.metadata && !sink(&format!("\n{}", returned(set.rows.len() as u64))) {
                            return;
                        }
                    }
                }
            }
        }
    }
    sink(&text);
}

fn with_place(mut text: String, outcome: &Outcome, timing: bool) -> String {
    if timing {
        text.push_str(&format!(" · {}", units::duration(outcome.elapsed)));
    }
    if let Some(partition) = &outcome.partition {
        text.push_str(&format!(" · {partition}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{DataType, Value};
    use std::time::Duration;

    fn vote() -> Outcome {
        Outcome {
            results: vec![ResultSet::scalar("vote", DataType::BigInt, Value::Int(0))],
            elapsed: Duration::from_nanos(4_100),
            partition: Some("partition p1 (hash of phone_number)".into()),
            ..Outcome::default()
        }
    }

    fn style(format: Format, timing: bool) -> AnswerStyle {
        AnswerStyle { format, timing, ..AnswerStyle::default() }
    }

    #[test]
    fn the_line_after_rows_says_how_many_how_long_and_where() {
        assert_eq!(
            text(&vote(), &style(Format::Table, true)),
            " vote\n ────\n    0\n1 row · 4.1 µs · partition p1 (hash of phone_number)\n\n"
        );
        assert_eq!(
            text(&vote(), &style(Format::Vertical, false)),
            " ─ row 1 ─────────────────\n vote  0\n1 row · partition p1 (hash of phone_number)\n\n"
        );
    }

    #[test]
    fn programs_get_rows_only() {
        assert_eq!(text(&vote(), &style(Format::Csv, true)), "vote\n0\n");
        let mut two = vote();
        two.results.push(two.results[0].clone());
        assert_eq!(text(&two, &style(Format::Csv, true)), "vote\n0\n\nvote\n0\n");
        assert_eq!(text(&two, &style(Format::Json, true)), "[{\"vote\":0}]\n[{\"vote\":0}]\n");
        let changed = Outcome { tag: Tag::Modified(3), results: vec![ResultSet::modified(3)], ..Outcome::default() };
        assert_eq!(text(&changed, &style(Format::Json, true)), "");
    }

    #[test]
    fn changes_and_definitions_answer_in_a_line() {
        let mut outcome = vote();
        outcome.tag = Tag::Modified(1200);
        assert_eq!(
            text(&outcome, &style(Format::Table, true)),
            "1,200 rows modified · 4.1 µs · partition p1 (hash of phone_number)\n"
        );
        outcome.tag = Tag::Done("table created".into());
        assert_eq!(text(&outcome, &style(Format::Table, true)), "table created · 4.1 µs\n");
        assert_eq!(text(&outcome, &style(Format::Table, false)), "table created\n");
    }

    #[test]
    fn several_results_each_have_their_count_and_none_is_said() {
        let mut outcome = vote();
        outcome.results.push(ResultSet { rows: vec![], ..outcome.results[0].clone() });
        assert_eq!(
            text(&outcome, &style(Format::Table, false)),
            " vote\n ────\n    0\n1 row\n\n vote\n ────\n0 rows · partition p1 (hash of phone_number)\n\n"
        );
        outcome.results.clear();
        assert!(text(&outcome, &style(Format::Table, false)).starts_with("no result · "));
    }
}
