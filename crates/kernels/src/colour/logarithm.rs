//! Logarithms and powers of two as polynomials, of +, −, × and the bits of a number only: the same bits on every
//! processor, many numbers at a time.

/// Bits of √½: what lies between it and √2 has the exponent 0 here.
const LOWEST: u32 = 0x3f35_04f3;
const MANTISSA_BITS: u32 = 23;

/// Minimax of log₂(1 + t) / t between √½ − 1 and √2 − 1: off by at most 6·10⁻⁸ after multiplication by t.
const LOGARITHM: [f32; 8] = [
    1.442_694_8,
    -0.721_356_65,
    0.480_938_47,
    -0.360_103_83,
    0.286_727_33,
    -0.249_923_63,
    0.236_746_1,
    -0.145_990_8,
];

/// Minimax of 2ᶠ between −½ and ½, relative error 8·10⁻⁸.
const POWER: [f32; 6] =
    [1.000_000_1, 0.693_146_97, 0.240_221_2, 0.055_507_133, 0.009_675_541, 0.001_327_647_3];

/// Added to a number below 2²² it leaves the nearest whole number in the lowest bits.
const TO_WHOLE: f32 = 12_582_912.0;

/// The base-2 logarithm of a positive normal number as a whole part and a rest within ±½.
#[inline(always)]
pub(super) fn log2_parts(x: f32) -> (i32, f32) {
    let whole = x.to_bits().wrapping_sub(LOWEST) as i32 >> MANTISSA_BITS;
    let mantissa = f32::from_bits(x.to_bits().wrapping_sub((whole as u32) << MANTISSA_BITS));
    let t = mantissa - 1.0;
    (whole, t * polynomial(&LOGARITHM, t))
}

/// 2ˣ for −126 < x < 127; anything for other x.
#[inline(always)]
pub(super) fn exp2(x: f32) -> f32 {
    let shifted = x + TO_WHOLE;
    let power = polynomial(&POWER, x - (shifted - TO_WHOLE));
    f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << MANTISSA_BITS))
}

/// The nearest whole number, ties to even, for |x| < 2²²; anything for other x.
#[inline(always)]
pub(super) fn nearest(x: f32) -> i32 {
    (x + TO_WHOLE).to_bits().wrapping_sub(TO_WHOLE.to_bits()) as i32
}

#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f32; N], x: f32) -> f32 {
    let mut sum = coefficients[N - 1];
    let mut at = N - 1;
    while at > 0 {
        at -= 1;
        sum = sum * x + coefficients[at];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_near_the_true_ones() {
        for x in (1..2_549_000).step_by(7).chain(1..2000) {
            let (whole, rest) = log2_parts(x as f32);
            let off = f64::from(whole) + f64::from(rest) - libm::log2(f64::from(x));
            assert!(off.abs() < 1.5e-7 && rest.abs() <= 0.5000001, "log2 of {x}: off by {off}");
        }
        assert_eq!(log2_parts(1.0), (0, 0.0));
    }

    #[test]
    fn powers_are_near_the_true_ones() {
        for step in -1_259_000..1_269_000 {
            let x = step as f32 / 10_000.0;
            let off = f64::from(exp2(x)) / libm::exp2(f64::from(x)) - 1.0;
            assert!(off.abs() < 3e-7, "2 to the {x}: off by {off}");
        }
    }

    #[test]
    fn whole_numbers_are_the_nearest() {
        for (x, whole) in [(0.0, 0), (0.5, 0), (1.5, 2), (-1.5, -2), (254.6, 255), (-500_000.3, -500_000)] {
            assert_eq!(nearest(x), whole);
        }
    }
}
