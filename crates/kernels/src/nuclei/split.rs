//! Nuclei that touch are parted: a flood over the colours starts from the middles of the objects and from the outside.

use crate::{
    Connectivity, LINE, ON, Plane, View, distance, label, level_peaks, regional_maxima, repair_lines,
    watershed,
};

/// `big` without the lines where the floods from two markers met; `normalized` has the same size.
///
/// When `big` covers the whole image there is no outside to flood from, and it stays as it is.
pub fn split(normalized: View<'_, [u8; 3]>, big: View<'_, u8>, connectivity: Connectivity) -> Plane<u8> {
    if big.rows().flatten().all(|&inside| inside != 0) {
        return big.to_plane();
    }
    let mut labels = watershed(blacken_outside(normalized, big).view(), markers(big, connectivity).view());
    repair_lines(&mut labels, big);
    without_lines(big, &labels)
}

/// Where the floods start: the middles of the objects of `big`, and the outside, each with its own label.
pub fn markers(big: View<'_, u8>, connectivity: Connectivity) -> Plane<u32> {
    let levelled = level_peaks(distance(big).view(), big);
    label(regional_maxima(levelled.view(), connectivity).view(), connectivity).plane
}

fn blacken_outside(image: View<'_, [u8; 3]>, mask: View<'_, u8>) -> Plane<[u8; 3]> {
    let mut result = image.to_plane();
    for (pixel, &inside) in result.pixels_mut().iter_mut().zip(mask.rows().flatten()) {
        if inside == 0 {
            *pixel = [0; 3];
        }
    }
    result
}

fn without_lines(mask: View<'_, u8>, labels: &Plane<u32>) -> Plane<u8> {
    let mut result = mask.to_plane();
    for (pixel, &label) in result.pixels_mut().iter_mut().zip(labels.pixels()) {
        *pixel = if *pixel != 0 && label != LINE { ON } else { 0 };
    }
    result
}
