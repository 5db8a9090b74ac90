//! Bars: a label, a bar as long as its number is large, the number.
//!
//! ```text
//!  Edwina Burnam    ██████████████████████████████ 63412
//!  Tabatha Gehling  █████████████▎ 28377
//! ```

use super::{Layout, escape_controls};
use crate::render::Role;
use crate::types::{ResultSet, Value};
use unicode_width::UnicodeWidthStr;

/// Longest bar, in columns, where the terminal has room.
const BAR_WIDTH_MAX: usize = 40;
const BAR_WIDTH_MIN: usize = 8;
/// A label longer than this is cut.
const LABEL_WIDTH_MAX: usize = 40;
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Why a result is no chart.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChartError {
    #[error("a chart needs a column of numbers; this result has none")]
    NoNumbers,
    #[error("a chart needs rows; this result has none")]
    NoRows,
}

/// A bar for each row: its length is the last numeric column, its label all columns before that. Negative numbers and NULL
/// have no bar.
pub fn chart(set: &ResultSet, layout: &Layout) -> Result<String, ChartError> {
    let numbers = set.columns.iter().rposition(|column| column.data_type.is_numeric()).ok_or(ChartError::NoNumbers)?;
    if set.rows.is_empty() {
        return Err(ChartError::NoRows);
    }
    let labels: Vec<String> = set.rows.iter().map(|row| label(&row[..numbers])).collect();
    let texts: Vec<String> = set.rows.iter().map(|row| row[numbers].to_string()).collect();
    let sizes: Vec<f64> = set.rows.iter().map(|row| size(&row[numbers])).collect();
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    let label_width = labels.iter().map(|label| label.width()).max().unwrap_or(0);
    let text_width = texts.iter().map(|text| text.width()).max().unwrap_or(0);
    let taken = label_width + text_width + 4;
    let room = layout.width.map_or(BAR_WIDTH_MAX, |width| width.saturating_sub(taken));
    let bar_width = room.clamp(BAR_WIDTH_MIN, BAR_WIDTH_MAX);
    let mut out = String::new();
    for ((label, text), size) in labels.iter().zip(&texts).zip(sizes) {
        let padding = " ".repeat(label_width - label.width());
        let bar = layout.theme.paint(Role::Accent, &bar(size, largest, bar_width));
        let gap = if label_width == 0 { "" } else { "  " };
        let line = format!(" {label}{padding}{gap}{bar} {text}");
        out.push_str(line.trim_end());
        out.push('\n');
    }
    Ok(out)
}

fn label(values: &[Value]) -> String {
    let text = values.iter().map(|value| escape_controls(&value.to_string())).collect::<Vec<_>>().join(" ");
    if text.width() <= LABEL_WIDTH_MAX {
        return text;
    }
    let mut cut = String::new();
    for c in text.chars() {
        if cut.width() + 2 > LABEL_WIDTH_MAX {
            break;
        }
        cut.push(c);
    }
    cut + "…"
}

fn size(value: &Value) -> f64 {
    let size = match value {
        Value::Int(v) => *v as f64,
        Value::Float(v) => *v,
        Value::Decimal(v) => v.scaled() as f64 / crate::types::Decimal::ONE as f64,
        _ => 0.0,
    };
    size.max(0.0)
}

/// Blocks and eighths of a block. What is there at all shows at least the thinnest bar.
fn bar(size: f64, largest: f64, width: usize) -> String {
    if size <= 0.0 {
        return String::new();
    }
    let eighths = (size / largest * (width * 8) as f64).round().max(1.0) as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::super::test_support::*;
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_numbers() {
        let set = rows(
            &[("name", TEXT), ("votes", BIGINT)],
            vec![
                vec![text("Edwina Burnam"), Value::Int(800)],
                vec![text("Tabatha"), Value::Int(150)],
                vec![text("nobody"), Value::Int(0)],
                vec![text("hardly"), Value::Int(1)],
                vec![text("unknown"), Value::Null],
            ],
        );
        let layout = Layout { width: Some(27), ..Layout::default() };
        assert_eq!(
            chart(&set, &layout).unwrap(),
            concat!(
                " Edwina Burnam  ████████ 800\n",
                " Tabatha        █▌ 150\n",
                " nobody          0\n",
                " hardly         ▏ 1\n",
                " unknown         NULL\n",
            )
        );
    }

    #[test]
    fn a_chart_fits_the_terminal_where_that_can_be() {
        let long = "x".repeat(100);
        let set = rows(&[("a", TEXT), ("n", BIGINT)], vec![vec![text(&long), Value::Int(i64::MAX)]]);
        for width in 80..120 {
            let drawn = chart(&set, &Layout { width: Some(width), ..Layout::default() }).unwrap();
            assert!(drawn.trim_end().width() <= width, "{width}: {drawn}");
        }
    }

    #[test]
    fn a_result_without_numbers_or_rows_is_no_chart() {
        assert_eq!(chart(&rows(&[("a", TEXT)], vec![]), &Layout::default()), Err(ChartError::NoNumbers));
        assert_eq!(chart(&rows(&[("a", BIGINT)], vec![]), &Layout::default()), Err(ChartError::NoRows));
        let only = rows(&[("n", BIGINT)], vec![vec![Value::Int(5)]]);
        assert!(chart(&only, &Layout::default()).unwrap().starts_with(" ████"));
    }
}
