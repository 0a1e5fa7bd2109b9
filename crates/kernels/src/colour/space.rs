//! The decorrelated colour space lαβ of Ruderman, and which pixels are tissue.
//!
//! The cones' responses to a pixel of whole numbers are whole numbers: [`cones`] gives them exactly, in a unit of their
//! own.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

type Matrix = [[f64; 3]; 3];

const LMS_TO_RGB: Matrix = [[4.4687, -3.5887, 0.1196], [-1.2197, 2.3831, -0.1626], [0.0585, -0.2611, 1.2057]];
pub(super) const SQRT_3: f64 = 1.732_050_807_568_877_2;
pub(super) const SQRT_6: f64 = 2.449_489_742_783_178;

/// [`cones`] counts 2 to this power as one, which keeps the logarithms of bright colours small and exact.
pub(super) const HIGHEST: u32 = 21;

/// The response of a cone to white: 10 000 times the largest value of a channel.
pub(super) const WHITE: f64 = 2_550_000.0;

/// Whether a pixel shows tissue rather than glass: `−0.154 R + 0.035 G + 0.549 B − 45.718 < −0.057 R − 0.817 G + 1.170 B
/// − 49.887` in thousandths, so that all numbers are whole and the comparison is exact. Black is no tissue.
#[inline(always)]
pub(super) fn is_tissue([red, green, blue]: [f32; 3]) -> bool {
    97.0 * red + 621.0 * blue - 852.0 * green > 4169.0
}

/// How the long, middle and short cones see a colour: whole numbers below 2²², which are exact here, over 2²¹.
#[inline(always)]
pub(super) fn cones([red, green, blue]: [f32; 3]) -> [f32; 3] {
    const ONE: f32 = 1.0 / (1 << HIGHEST) as f32;
    [
        3811.0 * ONE * red + 5783.0 * ONE * green + 402.0 * ONE * blue,
        1967.0 * ONE * red + 7244.0 * ONE * green + 782.0 * ONE * blue,
        241.0 * ONE * red + 1288.0 * ONE * green + 8444.0 * ONE * blue,
    ]
}

/// The colour that gives these responses, in the same unit.
#[inline(always)]
pub(super) fn from_cones([long, middle, short]: [f32; 3]) -> [f32; 3] {
    [
        4.4687 * long - 3.5887 * middle + 0.1196 * short,
        2.3831 * middle - 1.2197 * long - 0.1626 * short,
        0.0585 * long - 0.2611 * middle + 1.2057 * short,
    ]
}

/// A colour in lαβ, in double precision; `None` for black, whose logarithm is not finite.
pub(super) fn to_lab(pixel: [u8; 3]) -> Option<[f64; 3]> {
    if pixel == [0; 3] {
        return None;
    }
    let answers = cones(pixel.map(f32::from)).map(|cone| f64::from(cone) * f64::from(1 << HIGHEST));
    Some(lab(answers.map(|answer| libm::log10(answer / WHITE))))
}

/// From the logarithms of the cones' responses.
pub(super) fn lab([l, m, s]: [f64; 3]) -> [f64; 3] {
    [(l + m + s) / SQRT_3, (l + m - 2.0 * s) / SQRT_6, (l - m) / SQRT_2]
}

/// The nearest 8-bit colour; intermediate values that are not finite count as 0.
pub(super) fn from_lab(lab: [f64; 3]) -> [u8; 3] {
    let [x, y, z] = logarithms(lab).map(|x| finite_or_zero(libm::exp10(x)));
    let values = LMS_TO_RGB.map(|row| row[0] * x + row[1] * y + row[2] * z);
    values.map(|value| libm::floor((value * 255.0).clamp(0.0, 255.0) + 0.5) as u8)
}

/// Back to the logarithms of the cones' responses.
pub(super) fn logarithms([l, a, b]: [f64; 3]) -> [f64; 3] {
    let (l, a, b) = (l / SQRT_3, a / SQRT_6, b * FRAC_1_SQRT_2);
    [l + a + b, l + a - b, l - 2.0 * a]
}

fn finite_or_zero(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
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
        assert!(is_tissue([200.0, 120.0, 180.0]));
        assert!(!is_tissue([255.0; 3]));
        assert!(!is_tissue([0.0; 3]));
    }

    /// The conversion to cones and back changes no channel by half a level: equal logarithms give equal colours.
    #[test]
    fn cones_and_back_keep_every_colour() {
        for colour in 0..1u32 << 24 {
            let [_, red, green, blue] = colour.to_be_bytes().map(f32::from);
            let answers = cones([red, green, blue]).map(|cone| cone * ((1 << HIGHEST) as f32 / 10_000.0));
            let back = from_cones(answers);
            let off = [back[0] - red, back[1] - green, back[2] - blue];
            assert!(off.iter().all(|off| off.abs() < 0.1), "{red} {green} {blue} became {back:?}");
        }
    }
}
