//! Which of our SQLSTATEs fit which class of error.

use super::case::Expected;
use votedb::StatementError;

/// A class of the cases, and the starts of the SQLSTATEs that say the same. A class that isn't listed is found when a
/// statement is planned: SQLSTATEs that start with 42 (and those for features that aren't there, 0A) fit it.
const CLASSES: [(&str, &[&str]); 24] = [
    ("overflow", &["22003", "22008"]),
    ("division_by_zero", &["22012"]),
    // 42601: a literal that is out of range, or no bytes.
    ("bad_cast_text", &["22018", "22007", "22003", "42601"]),
    ("too_long", &["22026", "22001", "22003"]),
    ("bad_argument", &["22003", "22023", "22026", "22025", "42"]),
    ("bad_regex", &["22023", "2201B"]),
    ("bad_timezone", &["22023", "22009"]),
    ("bad_json_path", &["22023"]),
    ("bad_json", &["22023", "22032"]),
    // Found when the statement is planned, or when a value turns out not to fit.
    ("type_mismatch", &["42", "22018", "22003", "2200G"]),
    ("untyped_null_or_param", &["42"]),
    ("constraint_not_null", &["23"]),
    ("constraint_unique", &["23"]),
    ("mispartitioned_update", &["23", "42", "0A"]),
    ("scalar_subquery_many_rows", &["21000"]),
    ("param_conversion", &["22", "42"]),
    ("param_count", &["07001", "42"]),
    ("param_array_mismatch", &["22", "42", "07"]),
    ("not_found_procedure", &["42883", "42"]),
    ("bad_selector", &["22023", "42"]),
    ("swap_rule", &["42", "55"]),
    ("table_not_empty", &["42", "55", "23", "22"]),
    ("unsupported_statement", &["42", "0A", "2D"]),
    ("escape_nonconstant", &["42", "2202"]),
];

const PLANNING: &[&str] = &["42", "0A", "2BP"];

/// Whether an error says what VoltDB's class, or its SQLSTATE, says.
pub fn fits(error: &StatementError, expected: &Expected) -> bool {
    let class = expected.class();
    if expected.sqlstate_or_null.as_ref() == Some(&error.sqlstate) {
        return true;
    }
    let states = CLASSES.iter().find(|(name, _)| *name == class).map_or(PLANNING, |(_, states)| states);
    states.iter().any(|state| error.sqlstate.starts_with(state))
}
