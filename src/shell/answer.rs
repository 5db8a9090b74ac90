//! An outcome as text: the rows, and for people the line that says how many, how long and where.

use super::database::{Outcome, Tag};
use crate::render::{Format, Layout, Role, units};

/// How answers are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnswerStyle {
    pub format: Format,
    pub layout: Layout,
    /// Whether the line after the rows says how long they took.
    pub timing: bool,
}

/// What goes to standard output. Formats for programs write rows and nothing else; a data change or a definition has none.
pub fn text(outcome: &Outcome, style: &AnswerStyle) -> String {
    if !style.format.is_for_people() {
        return match outcome.tag {
            Tag::Rows => sets(outcome, style),
            Tag::Modified(_) | Tag::Done(_) => String::new(),
        };
    }
    let quiet = |text: &str| style.layout.theme.paint(Role::Quiet, text);
    match &outcome.tag {
        Tag::Rows => {
            let mut out = String::new();
            let last = outcome.results.len().saturating_sub(1);
            for (i, set) in outcome.results.iter().enumerate() {
                let count = units::plural(set.rows.len() as u64, "row");
                let line = if i == last { with_place(count, outcome, style.timing) } else { count };
                out.push_str(&style.format.text(set, &style.layout));
                out.push_str(&format!("{}\n\n", quiet(&line)));
            }
            if outcome.results.is_empty() {
                out = format!("{}\n\n", quiet(&with_place("no result".to_owned(), outcome, style.timing)));
            }
            out
        }
        Tag::Modified(count) => {
            let text = format!("{} modified", units::plural(*count, "row"));
            format!("{}\n", quiet(&with_place(text, outcome, style.timing)))
        }
        Tag::Done(what) => {
            let text =
                if style.timing { format!("{what} · {}", units::duration(outcome.elapsed)) } else { what.clone() };
            format!("{}\n", quiet(&text))
        }
    }
}

fn sets(outcome: &Outcome, style: &AnswerStyle) -> String {
    // JSON is a line for each result already; in the others an empty line parts one header from the rows before.
    let separator = if style.format == Format::Json { "" } else { "\n" };
    let texts: Vec<String> = outcome.results.iter().map(|set| style.format.text(set, &style.layout)).collect();
    texts.join(separator)
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
    use crate::types::{DataType, ResultSet, Value};
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
