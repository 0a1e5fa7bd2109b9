//! The magnitude of the gradient by central differences, in 8 bits.

use crate::{Plane, View};

/// √(((right − left) / 2)² + ((below − above) / 2)²), halves rounded up. Beyond the border a pixel is repeated.
pub fn gradient(image: View<'_, u8>) -> Plane<u8> {
    let mut result = Vec::new();
    gradient_into(image, &mut result);
    Plane { data: result, width: image.width(), height: image.height() }
}

/// [`gradient`] into reused memory.
pub(crate) fn gradient_into(image: View<'_, u8>, result: &mut Vec<u8>) {
    result.clear();
    result.resize(image.len(), 0);
    if image.is_empty() {
        return;
    }
    for (y, target) in result.chunks_exact_mut(image.width()).enumerate() {
        let (above, below) = (image.row(y.saturating_sub(1)), image.row((y + 1).min(image.height() - 1)));
        gradient_row(image.row(y), above, below, target);
    }
}

fn gradient_row(row: &[u8], above: &[u8], below: &[u8], target: &mut [u8]) {
    let last = row.len() - 1;
    let ends = |left: usize, x: usize, right: usize| magnitude(row[left], row[right], above[x], below[x]);
    target[0] = ends(0, 0, last.min(1));
    target[last] = ends(last.saturating_sub(1), last, last);
    let inner = target.iter_mut().skip(1).zip(row).zip(row.iter().skip(2));
    let upright = above.iter().skip(1).zip(below.iter().skip(1));
    for (((target, left), right), (above, below)) in inner.zip(upright) {
        *target = magnitude(*left, *right, *above, *below);
    }
}

/// In single precision the root of a sum below 2¹⁷ is accurate enough to round to the right side.
#[inline(always)]
fn magnitude(left: u8, right: u8, above: u8, below: u8) -> u8 {
    let (across, down) = (i32::from(right) - i32::from(left), i32::from(below) - i32::from(above));
    let squared = (across * across + down * down) as f32;
    (squared.sqrt() * 0.5 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_has_its_steepness_and_half_of_it_at_the_border() {
        let slope: Vec<u8> = (0..20).map(|i| 10 * (i % 5) + 3 * (i / 5)).collect();
        let found = gradient(View::new(&slope, 5, 4).unwrap());
        // √(10² + 3²) = 10.44, and √(5² + 1.5²) = 5.2 in the corner.
        assert_eq!((found.view().at(2, 1), found.view().at(0, 0)), (10, 5));
        assert_eq!(gradient(View::new(&[7], 1, 1).unwrap()).pixels(), [0]);
        assert_eq!(gradient(View::new(&[7, 10], 2, 1).unwrap()).pixels(), [2, 2]);
        assert_eq!(gradient(View::new(&[], 0, 3).unwrap()).pixels(), [0; 0]);
    }

    #[test]
    fn every_sum_of_squares_rounds_as_exact_arithmetic_does() {
        for across in 0..=255u32 {
            for down in 0..=across {
                let found = u32::from(magnitude(0, across as u8, 0, down as u8));
                // The nearest integer r of √n / 2: (2r − 1)² ≤ n < (2r + 1)².
                let (low, end) = ((2 * found).saturating_sub(1), 2 * found + 1);
                let squared = across * across + down * down;
                assert!((found == 0 || low * low <= squared) && squared < end * end);
            }
        }
    }
}
