//! Views of the pixels of dense regions.

use onceflow_region::{Bounds, Dense};

use crate::{View, Window};

/// Grey pixels of 8 bits; none if the region holds others.
#[inline]
pub fn grey(dense: &Dense) -> Option<View<'_, u8>> {
    let pixels = dense.as_u8().filter(|_| dense.channels() == 1)?;
    View::new(pixels, dense.width(), dense.height())
}

/// Colour pixels of 8 bits per channel; none if the region holds others.
#[inline]
pub fn colour(dense: &Dense) -> Option<View<'_, [u8; 3]>> {
    let (pixels, rest) = dense.as_u8().filter(|_| dense.channels() == 3)?.as_chunks::<3>();
    View::new(pixels, dense.width(), dense.height()).filter(|_| rest.is_empty())
}

/// Labels of 32 bits; none if the region holds other pixels.
#[inline]
pub fn labels(dense: &Dense) -> Option<View<'_, u32>> {
    let pixels = dense.as_u32().filter(|_| dense.channels() == 1)?;
    View::new(pixels, dense.width(), dense.height())
}

/// The window of a box; coordinates left of or above the origin become 0.
#[inline]
pub fn window(bounds: Bounds) -> Window {
    let [left, top] = [bounds.x(), bounds.y()].map(|at| usize::try_from(at).unwrap_or(0));
    Window { left, top, width: bounds.width() as usize, height: bounds.height() as usize }
}
