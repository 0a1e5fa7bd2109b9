//! Images with a frame of one pixel around them, so that every pixel has all its neighbours.

use crate::{Plane, View};

/// Positions in an image with a frame, row by row in one piece of memory.
pub(crate) struct Grid {
    width: usize,
    height: usize,
}

impl Grid {
    pub(crate) fn new(width: usize, height: usize) -> Self {
        Self { width, height }
    }

    /// Pixels from one row to the next.
    pub(crate) fn stride(&self) -> usize {
        self.width + 2
    }

    /// Where the image's rows begin with the frame's pixel at their left, from the top.
    pub(crate) fn row_starts(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let stride = self.stride();
        (1..=self.height).map(move |y| y * stride)
    }

    /// The image's positions, in raster order.
    pub(crate) fn positions(&self) -> impl DoubleEndedIterator<Item = usize> {
        let width = self.width;
        self.row_starts().flat_map(move |start| start + 1..start + 1 + width)
    }

    /// The image with a frame of pixels of this value.
    pub(crate) fn frame<T: Copy>(&self, image: View<'_, T>, around: T) -> Vec<T> {
        let mut framed = vec![around; self.stride() * (self.height + 2)];
        for (row, pixels) in framed.chunks_exact_mut(self.stride()).skip(1).zip(image.rows()) {
            row[1..=self.width].copy_from_slice(pixels);
        }
        framed
    }

    /// The image without its frame.
    pub(crate) fn unframe<T: Copy + Default>(&self, framed: &[T]) -> Plane<T> {
        let mut result = Plane::filled(T::default(), self.width, self.height);
        for (y, row) in framed.chunks_exact(self.stride()).skip(1).take(self.height).enumerate() {
            result.view_mut().row_mut(y).copy_from_slice(&row[1..=self.width]);
        }
        result
    }
}
