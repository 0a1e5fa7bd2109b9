//! Holes of a mask become part of it.

use crate::runs::Runs;
use crate::{Connectivity, Plane, View, ViewMut};

/// Turns every part of the background that does not reach the image border into foreground; `background` says which
/// pixels of the background are neighbours.
pub fn fill_holes(mask: View<'_, u8>, background: Connectivity) -> Plane<u8> {
    let mut result = Plane::filled(0, mask.width(), mask.height());
    fill_holes_into(mask, background, result.view_mut(), &mut Runs::default());
    result
}

/// [`fill_holes`] into memory that exists.
pub fn fill_holes_into(
    mask: View<'_, u8>,
    background: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut Runs,
) {
    scratch.find_background(mask, background);
    let (width, height) = (mask.width(), mask.height());
    scratch.sum(|y, run| {
        let row_on_border = y == 0 || y + 1 == height;
        u64::from(row_on_border || run.start == 0 || run.end == width)
    });
    scratch.paint(target, |on_border| on_border > 0, 0);
}
