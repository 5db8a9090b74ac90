//! Charts as SVG: lines over a number, bars by name. Drawn in a few fixed colours, so that a page can put its own in.

use plotters::coord::Shift;
use plotters::prelude::*;

/// The colours of series, in turn; then text, grid and ground. A page replaces them by its own.
pub const SERIES: [RGBColor; 6] = [
    RGBColor(0x1F, 0x6F, 0xB5),
    RGBColor(0xC7, 0x5B, 0x12),
    RGBColor(0x2E, 0x8B, 0x57),
    RGBColor(0x8E, 0x44, 0xAD),
    RGBColor(0xB0, 0x3A, 0x2E),
    RGBColor(0x5D, 0x6D, 0x7E),
];
pub const TEXT: RGBColor = RGBColor(0x33, 0x33, 0x32);
pub const GRID: RGBColor = RGBColor(0xDD, 0xDD, 0xDC);
pub const GROUND: RGBColor = RGBColor(0xFE, 0xFE, 0xFE);

const SIZE: (u32, u32) = (760, 340);

/// Lines that share their axes.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub series: Vec<(String, Vec<(f64, f64)>)>,
    /// Single figures from elsewhere, drawn as rings: name, x and y.
    pub marks: Vec<(String, f64, f64)>,
    pub log_x: bool,
    pub log_y: bool,
    /// Where the x axis has something to read; empty: evenly.
    pub dots: bool,
}

/// Why a chart was not drawn.
#[derive(Debug, thiserror::Error)]
#[error("chart {title}: {message}")]
pub struct ChartError {
    pub title: String,
    pub message: String,
}

/// Three digits and a prefix: `3.4 M`.
fn short(value: f64) -> String {
    let (size, prefix) = match value.abs() {
        v if v >= 1e9 => (1e9, " G"),
        v if v >= 1e6 => (1e6, " M"),
        v if v >= 1e3 => (1e3, " k"),
        _ => (1.0, ""),
    };
    let scaled = value / size;
    let text = if scaled.abs() >= 100.0 || (scaled - scaled.round()).abs() < 1e-9 {
        format!("{scaled:.0}")
    } else {
        format!("{scaled:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    text + prefix
}

impl Lines {
    fn x(&self, value: f64) -> f64 {
        if self.log_x { value.max(1e-9).log10() } else { value }
    }

    fn y(&self, value: f64) -> f64 {
        if self.log_y { value.max(1e-9).log10() } else { value }
    }

    fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let lines = self.series.iter().flat_map(|(_, points)| points.iter().copied());
        lines.chain(self.marks.iter().map(|(_, x, y)| (*x, *y)))
    }

    /// The chart as SVG.
    pub fn svg(&self) -> Result<String, ChartError> {
        let mut svg = String::new();
        let error = |message: String| ChartError { title: self.title.clone(), message };
        {
            let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            self.draw(&root).map_err(|e| error(e.to_string()))?;
            root.present().map_err(|e| error(e.to_string()))?;
        }
        Ok(svg)
    }

    fn ranges(&self) -> ((f64, f64), (f64, f64)) {
        let (mut x, mut y) = ((f64::MAX, f64::MIN), (f64::MAX, f64::MIN));
        for (px, py) in self.points() {
            let (px, py) = (self.x(px), self.y(py));
            (x, y) = ((x.0.min(px), x.1.max(px)), (y.0.min(py), y.1.max(py)));
        }
        if x.0 > x.1 {
            return ((0.0, 1.0), (0.0, 1.0));
        }
        // Above the lines there is room for their names.
        let room = if self.series.len() > 1 { 1.25 } else { 1.08 };
        if self.log_y {
            let low = y.0.floor();
            y = (low, (low + (y.1 - low) * room).max(low + 1.0));
        } else {
            y = (0.0, if y.1 > 0.0 { y.1 * room } else { 1.0 });
        }
        if x.1 - x.0 < 1e-9 {
            x = (x.0 - 0.5, x.1 + 0.5);
        }
        (x, y)
    }

    fn draw(&self, root: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), Box<dyn std::error::Error>> {
        root.fill(&GROUND)?;
        let ((x0, x1), (y0, y1)) = self.ranges();
        let mut chart = ChartBuilder::on(root)
            .caption(&self.title, ("sans-serif", 17).into_font().color(&TEXT))
            .margin(12)
            .margin_right(24)
            .x_label_area_size(38)
            .y_label_area_size(64)
            .build_cartesian_2d(x0..x1, y0..y1)?;
        // Where an axis spans decades, these alone are named.
        let named = |log: bool, span: f64, v: f64| match log {
            false => short(v),
            true if span > 1.5 && (v - v.round()).abs() > 1e-6 => String::new(),
            true => short(10f64.powf(v)),
        };
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(TEXT)
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .label_style(("sans-serif", 12).into_font().color(&TEXT))
            .axis_desc_style(("sans-serif", 13).into_font().color(&TEXT))
            .x_label_formatter(&|v| named(self.log_x, x1 - x0, *v))
            .y_label_formatter(&|v| named(self.log_y, y1 - y0, *v))
            .draw()?;
        for (at, (name, points)) in self.series.iter().enumerate() {
            let color = SERIES[at % SERIES.len()];
            let placed: Vec<(f64, f64)> = points.iter().map(|(x, y)| (self.x(*x), self.y(*y))).collect();
            let legend = move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], color.stroke_width(3));
            chart.draw_series(LineSeries::new(placed.clone(), color.stroke_width(2)))?.label(name).legend(legend);
            if self.dots {
                chart.draw_series(placed.iter().map(|point| Circle::new(*point, 3, color.filled())))?;
            }
        }
        let rings = self.marks.iter().map(|(_, x, y)| Circle::new((self.x(*x), self.y(*y)), 5, TEXT.stroke_width(2)));
        chart.draw_series(rings)?;
        for (name, x, y) in &self.marks {
            let style = ("sans-serif", 11).into_font().color(&TEXT);
            // Names stay within the chart: left of a ring that lies in its right half.
            let left = self.x(*x) > (x0 + x1) / 2.0;
            let at = if left { -(name.chars().count() as i32 * 6) - 8 } else { 8 };
            chart.draw_series(std::iter::once(
                EmptyElement::at((self.x(*x), self.y(*y))) + Text::new(name.clone(), (at, -14), style),
            ))?;
        }
        if self.series.len() > 1 {
            chart
                .configure_series_labels()
                .position(SeriesLabelPosition::UpperLeft)
                .background_style(GROUND)
                .border_style(GRID)
                .label_font(("sans-serif", 12).into_font().color(&TEXT))
                .draw()?;
        }
        Ok(())
    }
}

/// Named values in groups, on a logarithmic axis from the left.
#[derive(Debug, Clone, Default)]
pub struct Bars {
    pub title: String,
    pub unit: String,
    /// What the bars of a group are, in the order of their values.
    pub kinds: Vec<String>,
    pub groups: Vec<(String, Vec<f64>)>,
}

impl Bars {
    /// The chart as SVG; as tall as its bars need.
    pub fn svg(&self) -> Result<String, ChartError> {
        let error = |message: String| ChartError { title: self.title.clone(), message };
        let mut svg = String::new();
        let row = 13 * self.kinds.len().max(1) as u32 + 9;
        let size = (SIZE.0, 64 + row * self.groups.len() as u32);
        {
            let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            self.draw(&root, row as i32).map_err(|e| error(e.to_string()))?;
            root.present().map_err(|e| error(e.to_string()))?;
        }
        Ok(svg)
    }

    fn draw(&self, root: &DrawingArea<SVGBackend<'_>, Shift>, row: i32) -> Result<(), Box<dyn std::error::Error>> {
        root.fill(&GROUND)?;
        let text = |size: u32| ("sans-serif", size).into_font().color(&TEXT);
        root.draw(&Text::new(self.title.clone(), (12, 10), text(17)))?;
        let mut x = 12;
        for (at, kind) in self.kinds.iter().enumerate() {
            let color = SERIES[at % SERIES.len()];
            root.draw(&Rectangle::new([(x, 38), (x + 10, 48)], color.filled()))?;
            root.draw(&Text::new(kind.clone(), (x + 15, 36), text(12)))?;
            x += 40 + 7 * kind.chars().count() as i32;
        }
        let values = || self.groups.iter().flat_map(|(_, values)| values.iter().copied()).filter(|value| *value > 0.0);
        let least = values().fold(f64::MAX, f64::min).min(1e12).log10().floor();
        let most = values().fold(1.0, f64::max).log10().max(least + 0.5);
        let (left, right) = (290, SIZE.0 as i32 - 90);
        let width = |value: f64| {
            let share = ((value.max(1e-9).log10() - least) / (most - least)).clamp(0.0, 1.0);
            2 + ((right - left - 2) as f64 * share) as i32
        };
        for (group, (name, values)) in self.groups.iter().enumerate() {
            let top = 58 + row * group as i32;
            root.draw(&Text::new(name.clone(), (12, top + row / 2 - 11), text(12)))?;
            for (at, value) in values.iter().enumerate().filter(|(_, value)| **value > 0.0) {
                let (y, color) = (top + 13 * at as i32, SERIES[at % SERIES.len()]);
                root.draw(&Rectangle::new([(left, y), (left + width(*value), y + 11)], color.filled()))?;
                root.draw(&Text::new(short(*value), (left + width(*value) + 5, y - 1), text(11)))?;
            }
        }
        root.draw(&Text::new(format!("{}, logarithmic", self.unit), (right - 60, 36), text(11)))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_bars_are_drawn_whatever_the_values() {
        let mut lines = Lines { title: "a < b".to_owned(), dots: true, ..Lines::default() };
        assert!(lines.svg().unwrap().starts_with("<svg"));
        lines.series = vec![("one".to_owned(), vec![(1.0, 5.0)]), ("two".to_owned(), vec![(1.0, 0.0), (16.0, 1e9)])];
        lines.marks = vec![("published".to_owned(), 4.0, 63_000.0)];
        for (log_x, log_y) in [(false, false), (true, false), (true, true)] {
            (lines.log_x, lines.log_y) = (log_x, log_y);
            let svg = lines.svg().unwrap();
            assert!(svg.contains("published") && svg.contains("two") && svg.contains("a &lt; b"), "{svg}");
            assert!(!svg.contains("NaN"));
        }
        let bars =
            Bars { kinds: vec!["here".to_owned()], groups: vec![("x".to_owned(), vec![0.0, 12.0])], ..Bars::default() };
        assert!(bars.svg().unwrap().contains("12"));
        assert_eq!([short(1_234.0), short(0.5), short(118_000.0), short(2e6)], ["1.23 k", "0.5", "118 k", "2 M"]);
    }
}
