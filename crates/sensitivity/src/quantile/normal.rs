//! The standard normal distribution and its inverse, the same to the last bit on every machine.

/// Share of the standard normal distribution below `z`; exact also far out on the left.
pub(crate) fn share_below(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

/// The inverse of [`share_below`] for `0 < p < 1`: algorithm AS 241 (Wichura 1988), good to about 1e-16.
pub(crate) fn inverse(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * polynomial(&CENTRE, r) / polynomial(&CENTRE_BELOW, r);
    }
    let r = (-libm::log(if q < 0.0 { p } else { 1.0 - p })).sqrt();
    let z = if r <= 5.0 {
        polynomial(&FLANK, r - 1.6) / polynomial(&FLANK_BELOW, r - 1.6)
    } else {
        polynomial(&TAIL, r - 5.0) / polynomial(&TAIL_BELOW, r - 5.0)
    };
    if q < 0.0 { -z } else { z }
}

/// Coefficients from the constant one on.
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

const CENTRE: [f64; 8] = [
    3.387_132_872_796_366_5,
    133.141_667_891_784_38,
    1_971.590_950_306_551_3,
    13_731.693_765_509_46,
    45_921.953_931_549_87,
    67_265.770_927_008_7,
    33_430.575_583_588_13,
    2_509.080_928_730_122_7,
];
const CENTRE_BELOW: [f64; 8] = [
    1.0,
    42.313_330_701_600_91,
    687.187_007_492_057_9,
    5_394.196_021_424_751,
    21_213.794_301_586_597,
    39_307.895_800_092_71,
    28_729.085_735_721_943,
    5_226.495_278_852_854,
];
const FLANK: [f64; 8] = [
    1.423_437_110_749_683_5,
    4.630_337_846_156_546,
    5.769_497_221_460_691,
    3.647_848_324_763_204_5,
    1.270_458_252_452_368_4,
    0.241_780_725_177_450_6,
    0.022_723_844_989_269_184,
    0.000_774_545_014_278_341_4,
];
const FLANK_BELOW: [f64; 8] = [
    1.0,
    2.053_191_626_637_759,
    1.676_384_830_183_803_8,
    0.689_767_334_985_1,
    0.148_103_976_427_480_08,
    0.015_198_666_563_616_457,
    0.000_547_593_808_499_534_5,
    1.050_750_071_644_416_9e-9,
];
const TAIL: [f64; 8] = [
    6.657_904_643_501_103,
    5.463_784_911_164_114,
    1.784_826_539_917_291_3,
    0.296_560_571_828_504_87,
    0.026_532_189_526_576_124,
    0.001_242_660_947_388_078_4,
    2.711_555_568_743_487_6e-5,
    2.010_334_399_292_288_1e-7,
];
const TAIL_BELOW: [f64; 8] = [
    1.0,
    0.599_832_206_555_888,
    0.136_929_880_922_735_8,
    0.014_875_361_290_850_615,
    0.000_786_869_131_145_613_3,
    1.846_318_317_510_054_8e-5,
    1.421_511_758_316_446e-7,
    2.044_263_103_389_939_7e-15,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_undoes_share_and_meets_scipy() {
        let close =
            |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 2e-14, "{found} {expected}");
        // scipy.special.ndtri
        close(inverse(0.025), -1.959_963_984_540_054_5);
        close(inverse(0.3), -0.524_400_512_708_041);
        close(inverse(0.999), 3.090_232_306_167_813);
        close(inverse(1e-10), -6.361_340_902_404_056);
        close(inverse(1e-300), -37.047_096_299_361_2);
        for z in [-30.0, -8.0, -2.5, -1.0, 0.3, 1.5] {
            close(inverse(share_below(z)), z);
        }
    }
}
