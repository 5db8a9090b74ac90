//! Lines and heat maps on a terminal, and pictures for files.

use super::{ChartError, Layout, escape_controls};
use crate::render::theme::HEAT;
use crate::types::{Decimal, ResultSet, Value};

/// Rows of dots of a line chart, in cells of four.
const HEIGHT: usize = 12;
const WIDTH_MAX: usize = 100;
/// Shades for terminals without colours.
const SHADES: [char; 5] = ['·', '░', '▒', '▓', '█'];

/// The position of the last numeric column, its values, and the other columns' text for each row.
fn series(set: &ResultSet) -> Result<(Vec<String>, Vec<f64>), ChartError> {
    let at = set.columns.iter().rposition(|column| column.data_type.is_numeric()).ok_or(ChartError::NoNumbers)?;
    if set.rows.is_empty() {
        return Err(ChartError::NoRows);
    }
    let label = |row: &Vec<Value>| {
        let texts: Vec<String> = row[..at].iter().map(|value| escape_controls(&value.to_string())).collect();
        texts.join(" ")
    };
    Ok((set.rows.iter().map(label).collect(), set.rows.iter().map(|row| number(&row[at])).collect()))
}

/// NaN for what is no number.
fn number(value: &Value) -> f64 {
    match value {
        Value::Int(v) => *v as f64,
        Value::Float(v) => *v,
        Value::Decimal(v) => v.scaled() as f64 / Decimal::ONE as f64,
        _ => f64::NAN,
    }
}

fn bounds(values: &[f64]) -> (f64, f64) {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    match low.is_finite() {
        true if high > low => (low, high),
        true => (low - 0.5, low + 0.5),
        false => (0.0, 1.0),
    }
}

/// A curve of dots through the last numeric column, row by row from left to right.
pub fn lines(set: &ResultSet, layout: &Layout) -> Result<String, ChartError> {
    let (labels, values) = series(set)?;
    let (low, high) = bounds(&values);
    let ticks = [short(high), short((low + high) / 2.0), short(low)];
    let margin = ticks.iter().map(|tick| tick.chars().count()).max().unwrap_or(0);
    let width = layout.width.unwrap_or(80).saturating_sub(margin + 4).clamp(10, WIDTH_MAX);
    let mut dots = vec![vec![0u8; width]; HEIGHT];
    let x_of = |i: usize| if values.len() < 2 { 0 } else { i * (width * 2 - 1) / (values.len() - 1) };
    let y_of = |value: f64| ((high - value) / (high - low) * (HEIGHT * 4 - 1) as f64).round() as usize;
    let mut put = |x: usize, y: usize| dots[y / 4][x / 2] |= BRAILLE[y % 4][x % 2];
    for (i, value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
        let (x, y) = (x_of(i), y_of(*value));
        put(x, y);
        if let Some(next) = values.get(i + 1).filter(|value| value.is_finite()) {
            let (x2, y2) = (x_of(i + 1), y_of(*next));
            let steps = (x2 - x).max(y2.abs_diff(y)).max(1);
            for step in 0..=steps {
                let part = step as f64 / steps as f64;
                let y = y as f64 + (y2 as f64 - y as f64) * part;
                put(x + ((x2 - x) as f64 * part).round() as usize, y.round() as usize);
            }
        }
    }
    let mut out = String::new();
    for (i, row) in dots.iter().enumerate() {
        let tick = match i {
            0 => &ticks[0],
            _ if i == HEIGHT / 2 => &ticks[1],
            _ if i == HEIGHT - 1 => &ticks[2],
            _ => "",
        };
        let curve: String = row.iter().map(|dots| char::from_u32(0x2800 + u32::from(*dots)).unwrap_or(' ')).collect();
        let curve = curve.replace('\u{2800}', " ");
        let curve = layout.theme.paint(crate::render::Role::Accent, curve.trim_end());
        out.push_str(&format!(" {tick:>margin$} ┤{curve}\n"));
    }
    let (first, last) = (labels.first().map_or("", String::as_str), labels.last().map_or("", String::as_str));
    let gap = width.saturating_sub(first.chars().count() + last.chars().count()).max(1);
    out.push_str(&format!(" {:margin$}  {first}{}{last}\n", "", " ".repeat(gap)));
    Ok(out)
}

/// Bits of the dots in a Braille cell, by row and column.
const BRAILLE: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// Three digits and a unit.
fn short(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        a if a >= 1e9 => (value / 1e9, " G"),
        a if a >= 1e6 => (value / 1e6, " M"),
        a if a >= 1e4 => (value / 1e3, " k"),
        _ => (value, ""),
    };
    if scaled.fract() == 0.0 { format!("{scaled:.0}{unit}") } else { format!("{scaled:.1}{unit}") }
}

/// A cell for each pair of the first two columns, as bright as the number in the last; with one column before the number,
/// a single strip.
pub fn heat(set: &ResultSet, layout: &Layout) -> Result<String, ChartError> {
    let (_, values) = series(set)?;
    let numeric = set.columns.iter().rposition(|column| column.data_type.is_numeric()).unwrap_or(0);
    let text =
        |row: &[Value], at: usize| if at < numeric { escape_controls(&row[at].to_string()) } else { String::new() };
    let mut names: (Vec<String>, Vec<String>) = Default::default();
    let mut cells = std::collections::HashMap::new();
    for (row, value) in set.rows.iter().zip(&values) {
        let key = if numeric >= 2 { (text(row, 0), text(row, 1)) } else { (String::new(), text(row, 0)) };
        let place = |names: &mut Vec<String>, name: &String| {
            names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            })
        };
        let at = (place(&mut names.0, &key.0), place(&mut names.1, &key.1));
        *cells.entry(at).or_insert(0.0) += value;
    }
    let (low, high) = bounds(&cells.values().copied().collect::<Vec<f64>>());
    let margin = names.0.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for (i, name) in names.0.iter().enumerate() {
        out.push_str(&format!(" {name:margin$} "));
        for j in 0..names.1.len() {
            out.push_str(&shade(cells.get(&(i, j)).map(|value| (value - low) / (high - low)), layout));
        }
        out.push('\n');
    }
    let across: Vec<&str> = names.1.iter().map(String::as_str).collect();
    let (first, last) = (across.first().unwrap_or(&""), across.last().unwrap_or(&""));
    out.push_str(&format!(" {:margin$} {first} … {last}   {} to {}\n", "", short(low), short(high)));
    Ok(out)
}

fn shade(share: Option<f64>, layout: &Layout) -> String {
    let Some(share) = share.filter(|share| share.is_finite()) else { return "  ".to_owned() };
    let step = |steps: usize| ((share * (steps - 1) as f64).round() as usize).min(steps - 1);
    if layout.theme.is_coloured() {
        return format!("\x1b[48;5;{}m  \x1b[0m", HEAT[step(HEAT.len())]);
    }
    SHADES[step(SHADES.len())].to_string().repeat(2)
}

const SVG_WIDTH: f64 = 720.0;
const SVG_BAR: f64 = 22.0;
const SVG_HEIGHT: f64 = 320.0;

/// The numbers of a result as an SVG picture: bars, or with `curve` a line.
pub fn svg(set: &ResultSet, curve: bool) -> Result<String, ChartError> {
    let (labels, values) = series(set)?;
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let height = if curve { SVG_HEIGHT } else { SVG_BAR * values.len() as f64 + 20.0 };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SVG_WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let (low, high) = bounds(&values);
    if curve {
        let x = |i: usize| 60.0 + (SVG_WIDTH - 80.0) * i as f64 / (values.len().max(2) - 1) as f64;
        let y = |value: f64| 20.0 + (SVG_HEIGHT - 50.0) * (high - value) / (high - low);
        let points: Vec<String> = values
            .iter()
            .enumerate()
            .filter(|(_, value)| value.is_finite())
            .map(|(i, value)| format!("{:.1},{:.1}", x(i), y(*value)))
            .collect();
        out.push_str(&format!(
            "<polyline fill=\"none\" stroke=\"#1a9a9a\" stroke-width=\"2\" points=\"{}\"/>\n",
            points.join(" ")
        ));
        for (value, at) in [(high, 24.0), (low, SVG_HEIGHT - 26.0)] {
            out.push_str(&format!("<text x=\"52\" y=\"{at}\" text-anchor=\"end\">{}</text>\n", short(value)));
        }
        for (i, anchor) in [(0, "start"), (labels.len() - 1, "end")] {
            let (x, label) = (x(i), escape(&labels[i]));
            out.push_str(&format!(
                "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{label}</text>\n",
                height - 8.0
            ));
        }
    } else {
        let largest = values.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max).max(1e-300);
        for (i, (label, value)) in labels.iter().zip(&values).enumerate() {
            let y = 10.0 + SVG_BAR * i as f64;
            let width = if *value > 0.0 { (SVG_WIDTH - 300.0) * value / largest } else { 0.0 };
            let (text, middle) = (escape(label), y + 15.0);
            let shown = if value.is_nan() { "NULL".to_owned() } else { value.to_string() };
            out.push_str(&format!("<text x=\"190\" y=\"{middle}\" text-anchor=\"end\">{text}</text>\n"));
            out.push_str(&format!(
                "<rect x=\"200\" y=\"{}\" width=\"{width:.1}\" height=\"16\" fill=\"#1a9a9a\"/>\n",
                y + 3.0
            ));
            out.push_str(&format!("<text x=\"{:.1}\" y=\"{middle}\">{shown}</text>\n", 206.0 + width));
        }
    }
    out.push_str("</svg>\n");
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::super::test_support::*;
    use super::*;

    fn curve() -> ResultSet {
        rows(&[("x", TEXT), ("y", BIGINT)], (0..20).map(|i| vec![text(&format!("t{i}")), Value::Int(i * i)]).collect())
    }

    #[test]
    fn a_line_rises_from_the_bottom_left_to_the_top_right() {
        let drawn = lines(&curve(), &Layout { width: Some(40), ..Layout::default() }).unwrap();
        let rows: Vec<&str> = drawn.lines().collect();
        assert_eq!(rows.len(), HEIGHT + 1);
        assert!(rows[0].trim_start().starts_with("361 ┤ ") && rows[0].chars().count() > 35, "{drawn}");
        assert!(rows[HEIGHT - 1].trim_start().starts_with("0 ┤⣀"), "{drawn}");
        assert!(rows[HEIGHT].contains("t0") && rows[HEIGHT].ends_with("t19"), "{drawn}");
    }

    #[test]
    fn a_heat_map_has_a_row_and_a_cell_for_each_pair() {
        let set = rows(
            &[("a", TEXT), ("b", TEXT), ("n", BIGINT)],
            vec![
                vec![text("p0"), text("1"), Value::Int(0)],
                vec![text("p0"), text("2"), Value::Int(10)],
                vec![text("p1"), text("2"), Value::Int(5)],
            ],
        );
        assert_eq!(heat(&set, &Layout::default()).unwrap(), " p0 ··██\n p1   ▒▒\n    1 … 2   0 to 10\n");
        assert!(heat(&rows(&[("a", TEXT)], vec![]), &Layout::default()).is_err());
    }

    #[test]
    fn a_picture_is_well_formed_and_escapes_its_labels() {
        let set = rows(
            &[("a", TEXT), ("n", BIGINT)],
            vec![vec![text("<b> & c"), Value::Int(3)], vec![text("d"), Value::Null]],
        );
        let drawn = svg(&set, false).unwrap();
        assert!(drawn.contains("&lt;b&gt; &amp; c") && drawn.contains("NULL"), "{drawn}");
        assert_eq!(drawn.matches("<rect").count(), 3);
        assert!(svg(&curve(), true).unwrap().contains("<polyline"));
    }
}
