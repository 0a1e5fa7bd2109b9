//! Rectangles of pixels: borrowed with a stride, or owned.

mod window;

use std::ops::Range;

pub use window::Window;

/// A borrowed rectangle of pixels; rows may be `stride` pixels apart.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T> {
    data: &'a [T],
    width: usize,
    height: usize,
    stride: usize,
}

/// A mutable [`View`].
#[derive(Debug)]
pub struct ViewMut<'a, T> {
    data: &'a mut [T],
    width: usize,
    height: usize,
    stride: usize,
}

/// A rectangle of pixels with its memory; rows follow each other without a gap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plane<T> {
    pub(crate) data: Vec<T>,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// Whether `length` pixels hold `height` rows of `width`, `stride` apart.
fn fits(length: usize, width: usize, height: usize, stride: usize) -> bool {
    let last_row = height.saturating_sub(1).checked_mul(stride);
    let needed = last_row.and_then(|n| n.checked_add(width));
    width <= stride && (height == 0 || needed.is_some_and(|n| n <= length))
}

impl<'a, T> View<'a, T> {
    /// Rows of `width` pixels without gaps; `None` when `data` is not exactly that long.
    pub fn new(data: &'a [T], width: usize, height: usize) -> Option<Self> {
        (width.checked_mul(height)? == data.len()).then_some(Self { data, width, height, stride: width })
    }

    /// Rows `stride` pixels apart; `None` when `data` is too short or rows would overlap.
    pub fn with_stride(data: &'a [T], width: usize, height: usize, stride: usize) -> Option<Self> {
        fits(data.len(), width, height, stride).then_some(Self { data, width, height, stride })
    }

    /// Width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Number of pixels.
    pub fn len(&self) -> usize {
        self.width * self.height
    }

    /// Whether it has no pixel.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All memory from the first pixel on, and the distance between rows.
    pub(crate) fn memory(&self) -> (&'a [T], usize) {
        (self.data, self.stride)
    }

    /// One row.
    pub fn row(&self, y: usize) -> &'a [T] {
        &self.data[y * self.stride..y * self.stride + self.width]
    }

    /// A rectangle of it; `None` when it does not lie inside.
    pub fn crop(&self, left: usize, top: usize, width: usize, height: usize) -> Option<Self> {
        let inside = left.checked_add(width)? <= self.width && top.checked_add(height)? <= self.height;
        let start = if width == 0 || height == 0 { 0 } else { top * self.stride + left };
        let data = self.data.get(start..).filter(|_| inside)?;
        Some(Self { data, width, height, stride: self.stride })
    }

    /// Some of its rows.
    pub fn band(&self, rows: Range<usize>) -> Self {
        let start = (rows.start * self.stride).min(self.data.len());
        Self { data: &self.data[start..], height: rows.len().min(self.height - rows.start), ..*self }
    }

    /// Some of its columns.
    pub fn columns(&self, columns: Range<usize>) -> Self {
        let start = columns.start.min(self.data.len());
        let width = columns.len().min(self.width - columns.start);
        Self { data: &self.data[start..], width, ..*self }
    }

    /// The rows, from the top.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &'a [T]> + use<'a, T> {
        let view = View { ..*self };
        (0..view.height).map(move |y| view.row(y))
    }

    /// A rectangle that lies inside.
    pub(crate) fn window(&self, left: usize, top: usize, width: usize, height: usize) -> Self {
        let start = (top * self.stride + left).min(self.data.len());
        Self { data: &self.data[start..], width, height, stride: self.stride }
    }
}

impl<T: Copy> View<'_, T> {
    /// One pixel.
    pub fn at(&self, x: usize, y: usize) -> T {
        self.row(y)[x]
    }

    /// A copy without gaps.
    pub fn to_plane(&self) -> Plane<T> {
        let mut data = Vec::with_capacity(self.len());
        self.rows().for_each(|row| data.extend_from_slice(row));
        Plane { data, width: self.width, height: self.height }
    }
}

impl<'a, T> ViewMut<'a, T> {
    /// Rows of `width` pixels without gaps; `None` when `data` is not exactly that long.
    pub fn new(data: &'a mut [T], width: usize, height: usize) -> Option<Self> {
        (width.checked_mul(height)? == data.len()).then_some(Self { data, width, height, stride: width })
    }

    /// Rows `stride` pixels apart; `None` when `data` is too short or rows would overlap.
    pub fn with_stride(data: &'a mut [T], width: usize, height: usize, stride: usize) -> Option<Self> {
        fits(data.len(), width, height, stride).then_some(Self { data, width, height, stride })
    }

    /// Width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The same pixels, to read.
    pub fn view(&self) -> View<'_, T> {
        View { data: self.data, width: self.width, height: self.height, stride: self.stride }
    }

    /// The same pixels for a shorter time.
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut { data: self.data, width: self.width, height: self.height, stride: self.stride }
    }

    /// Some of its rows.
    pub(crate) fn rows_mut(self, rows: Range<usize>) -> Self {
        let (_, from_start) = self.split_at_row(rows.start);
        from_start.split_at_row(rows.len()).0
    }

    /// All memory from the first pixel on, and the distance between rows.
    pub(crate) fn memory(&mut self) -> (&mut [T], usize) {
        (self.data, self.stride)
    }

    /// The rows above `y`, and those from `y` on.
    pub fn split_at_row(self, y: usize) -> (ViewMut<'a, T>, ViewMut<'a, T>) {
        let (width, stride, below) = (self.width, self.stride, self.height - y);
        let (upper, lower) = self.data.split_at_mut((y * stride).min(self.data.len()));
        let band = |data, height| ViewMut { data, width, height, stride };
        (band(upper, y), band(lower, below))
    }

    /// One row.
    pub fn row_mut(&mut self, y: usize) -> &mut [T] {
        &mut self.data[y * self.stride..y * self.stride + self.width]
    }
}

impl<T> Plane<T> {
    /// Rows of `width` pixels without gaps; `None` when `data` is not exactly that long.
    pub fn from_vec(data: Vec<T>, width: usize, height: usize) -> Option<Self> {
        (width.checked_mul(height)? == data.len()).then_some(Self { data, width, height })
    }

    /// Width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// All pixels, row by row.
    pub fn pixels(&self) -> &[T] {
        &self.data
    }

    /// All pixels, row by row, to write.
    pub fn pixels_mut(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// The memory.
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }

    /// The pixels, to read.
    pub fn view(&self) -> View<'_, T> {
        View { data: &self.data, width: self.width, height: self.height, stride: self.width }
    }

    /// The pixels, to write.
    pub fn view_mut(&mut self) -> ViewMut<'_, T> {
        ViewMut { data: &mut self.data, width: self.width, height: self.height, stride: self.width }
    }
}

impl<T: Copy + Default> Plane<T> {
    /// Resizes it; its pixels are undefined then. Memory that is large enough is kept.
    pub(crate) fn fit(&mut self, width: usize, height: usize) -> ViewMut<'_, T> {
        self.data.resize(width * height, T::default());
        (self.width, self.height) = (width, height);
        self.view_mut()
    }
}

impl<T: Clone> Plane<T> {
    /// All pixels equal.
    pub fn filled(value: T, width: usize, height: usize) -> Self {
        Self { data: vec![value; width * height], width, height }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_knows_when_memory_is_too_short() {
        let data = [0u8; 10];
        assert!(View::new(&data, 5, 2).is_some());
        assert!(View::new(&data, 4, 2).is_none());
        assert!(View::with_stride(&data, 4, 2, 6).is_some());
        assert!(View::with_stride(&data, 5, 2, 6).is_none());
        assert!(View::with_stride(&data, 6, 2, 4).is_none());
        assert!(View::with_stride(&data, 2, usize::MAX, 4).is_none());
    }

    #[test]
    fn rows_of_a_view_are_a_stride_apart() {
        let data: Vec<u8> = (0..12).collect();
        let view = View::with_stride(&data[1..], 2, 3, 4).unwrap();
        assert_eq!(view.to_plane().pixels(), [1, 2, 5, 6, 9, 10]);
        assert_eq!(view.at(1, 2), 10);
    }

    #[test]
    fn a_crop_lies_inside() {
        let data: Vec<u8> = (0..12).collect();
        let view = View::new(&data, 4, 3).unwrap();
        assert_eq!(view.crop(1, 1, 2, 2).unwrap().to_plane().pixels(), [5, 6, 9, 10]);
        assert!(view.crop(4, 3, 0, 0).unwrap().is_empty());
        assert!(view.crop(3, 0, 2, 1).is_none() && view.crop(0, usize::MAX, 1, 1).is_none());
    }
}
