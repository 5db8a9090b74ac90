//! The name that was probably meant.

/// The candidate that is closest to `word` without regard to case, if it is close: one letter wrong, missing, extra or
/// swapped in short words, two in words of six letters or more. The first of equals.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    let distance_max = if word.len() < 6 { 1 } else { 2 };
    let distances = candidates.into_iter().map(|candidate| {
        let letters: Vec<char> = candidate.to_lowercase().chars().collect();
        (distance(&word, &letters), candidate)
    });
    distances.filter(|(distance, _)| *distance <= distance_max).min_by_key(|(distance, _)| *distance).map(|(_, c)| c)
}

/// `; did you mean x?` where there is a near name, or nothing.
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map_or(String::new(), |near| format!("; did you mean {near}?"))
}

/// Letters to insert, delete, replace or swap with their neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let changed = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = changed.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(table[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_forgiven_a_different_word_is_not() {
        let words = ["tables", "procedures", "help", "exit"];
        assert_eq!(nearest("TABELS", words), Some("tables"));
        assert_eq!(nearest("procdure", words), Some("procedures"));
        assert_eq!(nearest("hlep", words), Some("help"));
        assert_eq!(nearest("edit", words), Some("exit"));
        assert_eq!(nearest("views", words), None);
        assert_eq!(suggestion("exti", words), "; did you mean exit?");
        assert_eq!(suggestion("x", words), "");
    }
}
