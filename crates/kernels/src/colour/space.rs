//! The decorrelated colour space lαβ of Ruderman, and which pixels are tissue.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

type Matrix = [[f64; 3]; 3];

const RGB_TO_LMS: Matrix = [[0.3811, 0.5783, 0.0402], [0.1967, 0.7244, 0.0782], [0.0241, 0.1288, 0.8444]];
const LMS_TO_RGB: Matrix = [[4.4687, -3.5887, 0.1196], [-1.2197, 2.3831, -0.1626], [0.0585, -0.2611, 1.2057]];
const SQRT_3: f64 = 1.732_050_807_568_877_2;
const SQRT_6: f64 = 2.449_489_742_783_178;

/// Whether a pixel shows tissue rather than glass. Coefficients are thousandths, so that the comparison is exact.
pub(super) fn is_tissue([red, green, blue]: [u8; 3]) -> bool {
    let weigh = |r: i32, g: i32, b: i32| r * i32::from(red) + g * i32::from(green) + b * i32::from(blue);
    weigh(-154, 35, 549) - 45_718 < weigh(-57, -817, 1170) - 49_887
}

/// A colour in lαβ; `None` for black alone, whose logarithm is not finite.
pub(super) fn to_lab(pixel: [u8; 3]) -> Option<[f64; 3]> {
    if pixel == [0; 3] {
        return None;
    }
    let rgb = pixel.map(|value| f64::from(value) / 255.0);
    let [l, m, s] = times(&RGB_TO_LMS, rgb).map(libm::log10);
    Some([(l + m + s) / SQRT_3, (l + m - 2.0 * s) / SQRT_6, (l - m) / SQRT_2])
}

/// The nearest 8-bit colour; what is not finite on the way counts as 0.
pub(super) fn from_lab([l, a, b]: [f64; 3]) -> [u8; 3] {
    let (l, a, b) = (l / SQRT_3, a / SQRT_6, b * FRAC_1_SQRT_2);
    let lms = [l + a + b, l + a - b, l - 2.0 * a].map(|x| finite_or_zero(libm::exp10(x)));
    times(&LMS_TO_RGB, lms).map(|value| libm::floor((value * 255.0).clamp(0.0, 255.0) + 0.5) as u8)
}

fn finite_or_zero(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

fn times(matrix: &Matrix, [x, y, z]: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row[0] * x + row[1] * y + row[2] * z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_lab_and_back_keeps_a_colour() {
        for pixel in [[1, 0, 0], [0, 0, 1], [200, 120, 180], [255; 3], [3, 250, 7]] {
            let back = from_lab(to_lab(pixel).unwrap());
            assert!(
                (0..3).all(|channel| pixel[channel].abs_diff(back[channel]) <= 1),
                "{pixel:?} became {back:?}"
            );
        }
    }

    #[test]
    fn what_is_not_finite_becomes_black() {
        assert_eq!(to_lab([0; 3]), None);
        assert_eq!(from_lab([f64::NAN; 3]), [0; 3]);
        assert_eq!(from_lab([f64::INFINITY; 3]), [0; 3]);
        assert_eq!(from_lab([f64::NEG_INFINITY, 0.0, 0.0]), [0; 3]);
    }

    #[test]
    fn pink_is_tissue_and_neither_white_nor_black_is() {
        assert!(is_tissue([200, 120, 180]));
        assert!(!is_tissue([255; 3]));
        assert!(!is_tissue([0; 3]));
    }
}
