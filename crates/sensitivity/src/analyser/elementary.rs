//! Exponentials, roots and angles from additions and multiplications alone: the C library's depend on the processor.

/// e^x for x up to 700; below -708 it is as good as 0. Without branches, so that loops over it vectorise.
pub(crate) fn exp(x: f64) -> f64 {
    // Adding 1.5 * 2^52 leaves the nearest whole number in the low bits of the sum.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let x = x.max(-708.0);
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let twos = shifted - ROUND;
    let rest = (x - twos * LN_2_HIGH) - twos * LN_2_LOW;
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    power * EXP_TERMS.iter().rev().fold(0.0, |sum, term| sum * rest + term)
}

/// 1 / i!
const EXP_TERMS: [f64; 14] = [
    1.0,
    1.0,
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

/// The fifth root of a number above 0, by Newton's steps.
pub(crate) fn fifth_root(x: f64) -> f64 {
    let mut root = x.max(1.0);
    loop {
        let next = (4.0 * root + x / (root * root * root * root)) / 5.0;
        // From above the root the steps only fall; when they no longer do, nothing is left but rounding.
        if next >= root {
            return root;
        }
        root = next;
    }
}

/// Cosine and sine of `part / whole` turns, reduced exactly to an eighth of a turn.
pub(crate) fn turn(part: usize, whole: usize) -> (f64, f64) {
    let eighths = 8 * (part % whole);
    let nearest = (eighths + whole) / (2 * whole);
    let rest = eighths as f64 - (2 * nearest * whole) as f64;
    let (cos, sin) = small_angle(rest / (8.0 * whole as f64) * std::f64::consts::TAU);
    match nearest % 4 {
        0 => (cos, sin),
        1 => (-sin, cos),
        2 => (-cos, -sin),
        _ => (sin, -cos),
    }
}

/// Taylor's series, enough of it for an eighth of a turn.
fn small_angle(angle: f64) -> (f64, f64) {
    let square = angle * angle;
    let series = |first: u32| {
        (0..9).rev().fold(1.0, |sum, i| {
            let n = f64::from(first + 2 * i);
            1.0 - sum * square / (n * (n + 1.0))
        })
    };
    (series(1), angle * series(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_agree_with_the_library() {
        for i in -7_000..7_000 {
            let x = f64::from(i) * 0.1;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-15, "exp({x})");
        }
        assert!(exp(-1e300) < 1e-300);
    }

    #[test]
    fn fifth_roots_are_roots() {
        for x in [1e-12, 0.3, 1.0, 32.0, 7_500.0, 1e12] {
            assert!((fifth_root(x).powi(5) / x - 1.0).abs() < 1e-14, "{x}");
        }
    }

    #[test]
    fn turns_agree_with_the_library() {
        for whole in [1, 2, 3, 7, 8, 100, 9_973] {
            for part in 0..2 * whole {
                let angle = (part % whole) as f64 / whole as f64 * std::f64::consts::TAU;
                let (cos, sin) = turn(part, whole);
                assert!(
                    (cos - angle.cos()).abs() < 2e-15 && (sin - angle.sin()).abs() < 2e-15,
                    "{part}/{whole}"
                );
            }
        }
        assert_eq!(turn(1, 4), (0.0, 1.0));
    }
}
