//! Logarithms and powers of two as polynomials, of +, −, × and the bits of a number only: the same bits on every
//! processor, many numbers at a time.

/// Bits of √½: what lies between it and √2 has the exponent 0 here.
const LOWEST: u32 = 0x3f35_04f3;
pub(super) const MANTISSA_BITS: u32 = 23;
const EXPONENT: u32 = u32::MAX << MANTISSA_BITS;

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

/// The base-2 logarithms of positive normal numbers as their whole parts, times 2²³, and rests within ±½, times
/// 2^FRACTION: powers of two change no bit of a rest, and a whole part stays where it was found.
#[inline(always)]
pub(super) fn log2_parts<const FRACTION: u32>([x, y, z]: [f32; 3]) -> ([i32; 3], [f32; 3]) {
    let whole = [exponent(x), exponent(y), exponent(z)];
    let t = [without(x, whole[0]), without(y, whole[1]), without(z, whole[2])];
    let rest = polynomial(&const { times(&LOGARITHM, (1 << FRACTION) as f32) }, t);
    (whole, [t[0] * rest[0], t[1] * rest[1], t[2] * rest[2]])
}

#[inline(always)]
fn exponent(x: f32) -> i32 {
    (x.to_bits().wrapping_sub(LOWEST) & EXPONENT) as i32
}

/// How far a number is from 1 when it has lost its exponent.
#[inline(always)]
fn without(x: f32, exponent: i32) -> f32 {
    f32::from_bits(x.to_bits().wrapping_sub(exponent as u32)) - 1.0
}

/// 2ˣ for −126 < x < 127; anything for other x.
#[inline(always)]
pub(super) fn exp2(x: f32) -> f32 {
    let shifted = x + TO_WHOLE;
    let [power] = polynomial(&POWER, [x - (shifted - TO_WHOLE)]);
    f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << MANTISSA_BITS))
}

/// The nearest level of 8 bits, ties to even: rounding keeps the order of numbers, so that it may come first.
#[inline(always)]
pub(super) fn level(x: f32) -> u8 {
    const LAST: f32 = TO_WHOLE + 255.0;
    let shifted = x + TO_WHOLE;
    let positive = if shifted > TO_WHOLE { shifted } else { TO_WHOLE };
    (if positive < LAST { positive } else { LAST }).to_bits() as u8
}

/// The nearest whole number, ties to even, for |x| < 2²²; anything for other x.
#[inline(always)]
pub(super) fn nearest(x: f32) -> i32 {
    (x + TO_WHOLE).to_bits().wrapping_sub(TO_WHOLE.to_bits()) as i32
}

const fn times<const N: usize>(coefficients: &[f32; N], factor: f32) -> [f32; N] {
    let mut result = *coefficients;
    let mut at = 0;
    while at < N {
        result[at] *= factor;
        at += 1;
    }
    result
}

/// A polynomial of several numbers, side by side: a processor works on one while it waits for another.
#[inline(always)]
fn polynomial<const N: usize, const NUMBERS: usize>(
    coefficients: &[f32; N],
    x: [f32; NUMBERS],
) -> [f32; NUMBERS] {
    let mut sums = [coefficients[N - 1]; NUMBERS];
    let mut at = N - 1;
    while at > 0 {
        at -= 1;
        for number in 0..NUMBERS {
            sums[number] = sums[number] * x[number] + coefficients[at];
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_near_the_true_ones() {
        for x in (1..2_549_000).step_by(7).chain(1..2000) {
            let ([whole, ..], [rest, ..]) = log2_parts::<0>([x as f32; 3]);
            let off = f64::from(whole >> MANTISSA_BITS) + f64::from(rest) - libm::log2(f64::from(x));
            assert!(off.abs() < 1.5e-7 && rest.abs() <= 0.5000001, "log2 of {x}: off by {off}");
        }
        assert_eq!(log2_parts::<0>([1.0, 2.0, 0.5]), ([0, 1 << 23, -1 << 23], [0.0; 3]));
    }

    #[test]
    fn the_unit_of_a_rest_changes_no_bit() {
        for x in (1..2_549_000).step_by(5).map(|x| [x as f32, 3.0 * x as f32, 1.0 / x as f32]) {
            let ((whole, rest), scaled) = (log2_parts::<0>(x), log2_parts::<20>(x));
            assert_eq!(scaled, (whole, rest.map(|rest| rest * (1 << 20) as f32)));
        }
    }

    #[test]
    fn levels_are_the_nearest_ones() {
        let cases = [(0.5, 0), (1.5, 2), (254.4, 254), (254.6, 255), (1e30, 255), (-1e30, 0), (-0.6, 0)];
        cases.iter().for_each(|(x, expected)| assert_eq!(level(*x), *expected));
        assert_eq!(level(f32::NAN), 0);
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
