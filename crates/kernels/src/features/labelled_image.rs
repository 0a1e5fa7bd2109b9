//! A labelled image, or a part of one, in which objects are measured.

use super::ObjectExtent;
use crate::{View, Window};

/// Pixels and labels, and their position in the image.
#[derive(Clone, Copy, Debug)]
pub struct LabelledImage<'a> {
    image: View<'a, [u8; 3]>,
    labels: View<'a, u32>,
    left: usize,
    top: usize,
    /// Columns and rows of the whole image.
    pub(super) width: usize,
    pub(super) height: usize,
}

impl<'a> LabelledImage<'a> {
    /// A whole image; `None` when its labels have another size.
    pub fn whole(image: View<'a, [u8; 3]>, labels: View<'a, u32>) -> Option<Self> {
        let (width, height) = (image.width(), image.height());
        Self::part(image, labels, Window { left: 0, top: 0, width, height }, (width, height))
    }

    /// The part of an image of this size that a window shows; `None` when the pixels do not have the size of the window, or
    /// the window does not lie in the image.
    pub fn part(
        image: View<'a, [u8; 3]>,
        labels: View<'a, u32>,
        window: Window,
        (width, height): (usize, usize),
    ) -> Option<Self> {
        let Window { left, top, .. } = window;
        let size = (window.width, window.height);
        let shown = size == (image.width(), image.height()) && size == (labels.width(), labels.height());
        let inside = left.checked_add(size.0)? <= width && top.checked_add(size.1)? <= height;
        (shown && inside).then_some(Self { image, labels, left, top, width, height })
    }

    /// The colours in a box of the image; `None` when the part does not contain it.
    pub(super) fn image(&self, extent: &ObjectExtent) -> Option<View<'a, [u8; 3]>> {
        self.crop(self.image, extent)
    }

    /// The labels in a box of the image; `None` when the part does not contain it.
    pub(super) fn labels(&self, extent: &ObjectExtent) -> Option<View<'a, u32>> {
        self.crop(self.labels, extent)
    }

    fn crop<T>(&self, view: View<'a, T>, extent: &ObjectExtent) -> Option<View<'a, T>> {
        let (left, top) = (extent.left.checked_sub(self.left)?, extent.top.checked_sub(self.top)?);
        view.crop(left, top, extent.width(), extent.height())
    }
}
