//! Peaks of a grey image: how shallow ones are levelled, and where the regional maxima are.

use crate::grid::Grid;
use crate::{Connectivity, ON, Plane, View, reconstruct};

/// The components of `mask` (nonzero), each under its distance from the outside, without peaks lower than 1 above their
/// surroundings: the reconstruction by dilation, 8-connected, of `distance` − 1 under `distance`.
///
/// Outside the mask everything is [`f32::MAX`], so that the outside is a peak of its own.
pub fn level_peaks(distance: View<'_, f32>, mask: View<'_, u8>) -> Plane<f32> {
    let mut ceiling = distance.to_plane();
    let mut marker = Plane::filled(f32::MAX, distance.width(), distance.height());
    let pixels = marker.pixels_mut().iter_mut().zip(ceiling.pixels_mut());
    for ((low, high), &inside) in pixels.zip(mask.rows().flatten()) {
        match inside {
            0 => *high = f32::MAX,
            _ => *low = *high - 1.0,
        }
    }
    reconstruct(marker.view(), ceiling.view(), Connectivity::Eight)
}

/// The pixels of plateaus without a higher neighbour; under the same connectivity each plateau is one component.
pub fn regional_maxima(image: View<'_, f32>, connectivity: Connectivity) -> Plane<u8> {
    let grid = Grid::new(image.width(), image.height(), connectivity);
    // A frame that is neither higher nor lower than anything.
    let image = grid.frame(image, f32::NAN);
    let mut maxima = vec![ON; image.len()];
    let mut stack = Vec::new();
    for position in grid.positions() {
        if grid.around(position).any(|n| image[n] > image[position]) {
            maxima[position] = 0;
            stack.push(position);
        }
    }
    // What is beside a pixel of the same height that is no maximum is none either.
    while let Some(position) = stack.pop() {
        for neighbour in grid.around(position) {
            if image[neighbour] == image[position] && maxima[neighbour] == ON {
                maxima[neighbour] = 0;
                stack.push(neighbour);
            }
        }
    }
    grid.unframe(&maxima)
}
