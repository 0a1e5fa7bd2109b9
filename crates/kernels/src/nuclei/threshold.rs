//! Masks from comparisons.

use crate::{ON, Plane, View};

/// Every pixel through `change`.
pub(super) fn map<T: Copy>(image: View<'_, T>, change: impl Fn(T) -> u8) -> Plane<u8> {
    let mut result = Plane::filled(0, image.width(), image.height());
    for (row, target) in image.rows().zip(result.pixels_mut().chunks_exact_mut(image.width().max(1))) {
        row.iter().zip(target).for_each(|(pixel, target)| *target = change(*pixel));
    }
    result
}

/// On where `member` holds for the pixel.
pub(super) fn mask_where<T: Copy>(image: View<'_, T>, member: impl Fn(T) -> bool) -> Plane<u8> {
    map(image, |pixel| if member(pixel) { ON } else { 0 })
}

/// On where a pixel is above the threshold, which may lie outside what a pixel can hold.
pub(super) fn above(image: View<'_, u8>, threshold: i64) -> Plane<u8> {
    match u8::try_from(threshold) {
        Ok(threshold) => mask_where(image, |pixel| pixel > threshold),
        Err(_) => mask_where(image, |_| threshold < 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_may_lie_outside_what_a_pixel_holds() {
        let image = Plane::from_vec(vec![0, 7, 255], 3, 1).unwrap();
        let count = |threshold| above(image.view(), threshold).pixels().iter().filter(|p| **p == ON).count();
        assert_eq!([i64::MIN, -1, 0, 6, 7, 254, 255, 256, i64::MAX].map(count), [3, 3, 2, 2, 1, 1, 0, 0, 0]);
    }
}
