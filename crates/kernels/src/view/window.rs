//! Rectangles of images.

use std::ops::Range;

use super::View;

/// A rectangle of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First column.
    pub left: usize,
    /// First row.
    pub top: usize,
    /// Number of columns.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
}

impl Window {
    /// What an image shows in this window, which lies inside it.
    pub fn of<'a, T>(&self, image: View<'a, T>) -> View<'a, T> {
        image.window(self.left, self.top, self.width, self.height)
    }

    /// All of an image.
    pub fn whole<T>(image: View<'_, T>) -> Self {
        Self { left: 0, top: 0, width: image.width(), height: image.height() }
    }

    /// The columns it has in a row of the image; none above and below it.
    pub(crate) fn columns_of(&self, row: usize) -> Range<usize> {
        let inside = (self.top..self.top + self.height).contains(&row);
        self.left..self.left + if inside { self.width } else { 0 }
    }

    /// Whether a pixel lies in it.
    pub(crate) fn holds(&self, x: usize, y: usize) -> bool {
        self.columns_of(y).contains(&x)
    }

    /// Number of pixels.
    pub fn len(&self) -> usize {
        self.width * self.height
    }

    /// Whether it has no pixel.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
