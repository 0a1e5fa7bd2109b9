//! What kernels read of dense regions.

use onceflow_kernels::{View, Window};
use onceflow_region::{Bounds, Dense};

/// Grey pixels.
pub(crate) fn grey(dense: &Dense) -> Option<View<'_, u8>> {
    let pixels = dense.as_u8().filter(|_| dense.channels() == 1)?;
    View::new(pixels, dense.width(), dense.height())
}

/// Colour pixels.
pub(crate) fn colour(dense: &Dense) -> Option<View<'_, [u8; 3]>> {
    let (pixels, rest) = dense.as_u8().filter(|_| dense.channels() == 3)?.as_chunks::<3>();
    View::new(pixels, dense.width(), dense.height()).filter(|_| rest.is_empty())
}

/// Labels.
pub(crate) fn labels(dense: &Dense) -> Option<View<'_, u32>> {
    let pixels = dense.as_u32().filter(|_| dense.channels() == 1)?;
    View::new(pixels, dense.width(), dense.height())
}

/// A box that begins nowhere left of or above the origin, as kernels call it.
pub(crate) fn window(bounds: Bounds) -> Window {
    let [left, top] = [bounds.x(), bounds.y()].map(|at| usize::try_from(at).unwrap_or(0));
    Window { left, top, width: bounds.width() as usize, height: bounds.height() as usize }
}
