//! Canvas: text onto a frame's cells, clipped. Nothing drawn outside of it is an error.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use crate::bench::tui::theme::Theme;

/// A rectangle of the screen, with its own origin.
pub struct Canvas<'a> {
    buffer: &'a mut Buffer,
    area: Rect,
    pub theme: Theme,
}

impl<'a> Canvas<'a> {
    pub fn new(buffer: &'a mut Buffer, area: Rect, theme: Theme) -> Canvas<'a> {
        let area = area.intersection(*buffer.area());
        Canvas { buffer, area, theme }
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.area.width as usize
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.area.height as usize
    }

    /// The part from `(x, y)` on with at most this size; may be empty.
    pub fn part(&mut self, x: usize, y: usize, width: usize, height: usize) -> Canvas<'_> {
        let (x, y) = (x.min(self.width()), y.min(self.height()));
        let area = Rect {
            x: self.area.x + x as u16,
            y: self.area.y + y as u16,
            width: width.min(self.width() - x) as u16,
            height: height.min(self.height() - y) as u16,
        };
        Canvas { buffer: self.buffer, area, theme: self.theme }
    }

    /// Writes text from `(x, y)` to the right, cut at the edge; returns the column after it.
    pub fn put(&mut self, x: usize, y: usize, text: &str, style: Style) -> usize {
        if x >= self.width() || y >= self.height() {
            return x + text.width();
        }
        let (left, top) = (self.area.x + x as u16, self.area.y + y as u16);
        self.buffer.set_stringn(left, top, text, self.width() - x, style);
        x + text.width()
    }

    /// Writes text that ends before column `end`; what does not fit on the left is not drawn at all.
    pub fn put_right(&mut self, end: usize, y: usize, text: &str, style: Style) {
        if let Some(x) = end.checked_sub(text.width()) {
            self.put(x, y, text, style);
        }
    }

    /// A rule across the canvas with captions on its left and right, as far as they fit.
    pub fn rule(&mut self, y: usize, left: &str, right: &str) {
        let (dim, width) = (self.theme.dim(), self.width().saturating_sub(2));
        self.put(1, y, &"─".repeat(width), dim);
        let (left_width, right_width) = (left.width(), right.width());
        if left_width > 0 && left_width + 6 <= width {
            self.put(3, y, &format!(" {left} "), dim);
        }
        if right_width > 0 && left_width + right_width + 12 <= width {
            self.put(width - right_width - 3, y, &format!(" {right} "), dim);
        }
    }

    /// Empties the canvas.
    pub fn clear(&mut self) {
        for y in 0..self.height() {
            self.put(0, y, &" ".repeat(self.width()), Style::reset());
        }
    }
}
