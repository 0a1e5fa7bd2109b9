//! Distribution functions of continuous parameters and their inverses, cut at the ends of their domains.

use onceflow_study::{Distribution, DistributionError};

use super::normal;

type CurveResult<T> = Result<T, DistributionError>;

/// An inverse distribution function over an interval.
#[derive(Clone, Debug)]
pub(crate) struct QuantileCurve {
    from: f64,
    to: f64,
    shape: CurveShape,
}

#[derive(Clone, Debug)]
enum CurveShape {
    Uniform,
    LogUniform,
    /// Peak, and the share of the distribution below it.
    Triangular {
        peak: f64,
        below: f64,
    },
    Normal(CutNormal),
    LogNormal(CutNormal),
    Weibull {
        shape: f64,
        scale: f64,
        location: f64,
        /// Hazard (minus the logarithm of the survival) at the lower end of the domain.
        start: f64,
        /// Share of the survivors at the lower end that is lost before the upper end, negated.
        lost: f64,
    },
}

impl QuantileCurve {
    /// Of a distribution that has been checked against its domain.
    pub(super) fn new(from: f64, to: f64, distribution: &Distribution) -> CurveResult<Self> {
        let shape = match distribution {
            Distribution::Uniform | Distribution::Weights(_) => CurveShape::Uniform,
            Distribution::LogUniform => CurveShape::LogUniform,
            Distribution::Triangular { peak } => triangular(from, to, *peak)?,
            Distribution::Normal { mean, sd } => CurveShape::Normal(CutNormal::new(*mean, *sd, from, to)?),
            Distribution::LogNormal { mean, sd } => {
                CurveShape::LogNormal(CutNormal::new(*mean, *sd, log_or_least(from), log_or_least(to))?)
            }
            Distribution::Weibull { shape, scale, location } => weibull(*shape, *scale, *location, from, to)?,
        };
        Ok(Self { from, to, shape })
    }

    /// Whether both ends are finite.
    pub(super) fn is_bounded(&self) -> bool {
        self.from.is_finite() && self.to.is_finite()
    }

    pub(super) fn at(&self, unit: f64) -> f64 {
        if self.is_bounded() && (unit <= 0.0 || unit >= 1.0) {
            return (if unit <= 0.0 { self.from } else { self.to }) + 0.0;
        }
        // Half the finest step of a unit number: unbounded distributions have no value at 0 and 1.
        let unit = unit.clamp(f64::EPSILON / 4.0, 1.0 - f64::EPSILON / 2.0);
        // Adding zero makes -0 and 0 one value, so that equal rows have equal bits.
        self.inside(unit).clamp(self.from, self.to) + 0.0
    }

    /// The share of the distribution, between the ends, that lies below a value: the inverse of [`QuantileCurve::at`].
    pub(super) fn share_below(&self, x: f64) -> f64 {
        let (from, to) = (self.from, self.to);
        let linear = |from: f64, to: f64, x: f64| (x - from) / (to - from);
        match &self.shape {
            CurveShape::Uniform => linear(from, to, x),
            CurveShape::LogUniform => linear(libm::log(from), libm::log(to), libm::log(x)),
            CurveShape::Triangular { peak, .. } if x <= *peak && *peak > from => {
                (x - from).powi(2) / ((to - from) * (peak - from))
            }
            CurveShape::Triangular { peak, .. } => 1.0 - (to - x).powi(2) / ((to - from) * (to - peak)),
            CurveShape::Normal(normal) => normal.share_below(x),
            CurveShape::LogNormal(normal) => normal.share_below(log_or_least(x)),
            CurveShape::Weibull { shape, scale, location, start, lost } => {
                libm::expm1(start - hazard(*shape, *scale, *location, x)) / lost
            }
        }
    }

    fn inside(&self, unit: f64) -> f64 {
        let (from, to) = (self.from, self.to);
        match &self.shape {
            CurveShape::Uniform if (to - from).is_finite() => from + unit * (to - from),
            CurveShape::Uniform => from * (1.0 - unit) + to * unit,
            CurveShape::LogUniform => {
                let (low, high) = (libm::log(from), libm::log(to));
                libm::exp(low + unit * (high - low))
            }
            CurveShape::Triangular { peak, below } if unit < *below => {
                from + (peak - from) * (unit / below).sqrt()
            }
            CurveShape::Triangular { peak, below } => {
                to - (to - peak) * ((1.0 - unit) / (1.0 - below)).sqrt()
            }
            CurveShape::Normal(normal) => normal.at(unit),
            CurveShape::LogNormal(normal) => libm::exp(normal.at(unit)),
            CurveShape::Weibull { shape, scale, location, start, lost } => {
                let hazard = start - libm::log1p(unit * lost);
                location + scale * libm::pow(hazard, 1.0 / shape)
            }
        }
    }
}

/// The logarithm; for numbers that are not positive, that of the least positive number.
fn log_or_least(x: f64) -> f64 {
    if x > 0.0 { libm::log(x) } else { f64::NEG_INFINITY }
}

fn triangular(from: f64, to: f64, peak: f64) -> CurveResult<CurveShape> {
    let width = to - from;
    if !width.is_finite() {
        return Err(misfit("a triangle narrower than all numbers", format!("{from}..{to}")));
    }
    Ok(CurveShape::Triangular { peak, below: (peak - from) / width })
}

fn weibull(shape: f64, scale: f64, location: f64, from: f64, to: f64) -> CurveResult<CurveShape> {
    let hazard = |end: f64| hazard(shape, scale, location, end);
    let lost = libm::expm1(hazard(from) - hazard(to));
    // NaN when both ends are beyond all numbers.
    if lost < 0.0 {
        Ok(CurveShape::Weibull { shape, scale, location, start: hazard(from), lost })
    } else {
        Err(misfit(NOTHING_LEFT, format!("{from}..{to}")))
    }
}

/// Minus the logarithm of what survives a value.
fn hazard(shape: f64, scale: f64, location: f64, x: f64) -> f64 {
    libm::pow(((x - location) / scale).max(0.0), shape)
}

fn misfit(expected: &'static str, found: String) -> DistributionError {
    DistributionError { expected, found }
}

const NOTHING_LEFT: &str = "a range that holds some of the distribution";

/// A normal distribution between two ends, mirrored when both lie above its mean: only the left tail is exact.
#[derive(Clone, Debug)]
struct CutNormal {
    mean: f64,
    /// Negative when mirrored.
    sd: f64,
    /// Shares of the distribution below the ends.
    below: (f64, f64),
}

impl CutNormal {
    fn new(mean: f64, sd: f64, from: f64, to: f64) -> CurveResult<Self> {
        let sd = if from > mean { -sd } else { sd };
        let share = |end: f64| normal::share_below((end - mean) / sd);
        let below = (share(from), share(to));
        // Below this the shares are subnormal numbers of few digits.
        if (below.1 - below.0).abs() < 1e-290 {
            return Err(misfit(NOTHING_LEFT, format!("{from}..{to} for mean {mean}, sd {}", sd.abs())));
        }
        Ok(Self { mean, sd, below })
    }

    fn at(&self, unit: f64) -> f64 {
        let (low, high) = self.below;
        self.mean + self.sd * normal::inverse(low + unit * (high - low))
    }

    fn share_below(&self, x: f64) -> f64 {
        let (low, high) = self.below;
        (normal::share_below((x - self.mean) / self.sd) - low) / (high - low)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Quantile;
    use super::*;
    use onceflow_study::{Domain, Parameter};
    use proptest::prelude::*;

    const UNITS: [f64; 5] = [0.001, 0.3, 0.5, 0.9, 0.9999];
    const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

    fn check((from, to): (f64, f64), distribution: &Distribution, scipy: [f64; 5]) {
        let curve = QuantileCurve::new(from, to, distribution).unwrap();
        for (unit, expected) in UNITS.into_iter().zip(scipy) {
            let found = curve.at(unit);
            assert!(
                (found - expected).abs() < 1e-12 * expected.abs().max(1.0),
                "{distribution:?} at {unit}: {found}, expected {expected}"
            );
        }
    }

    /// Expected: `ppf` of triang, loguniform, norm, truncnorm, lognorm and weibull_min of scipy.stats 1.17.
    #[test]
    fn quantiles_are_those_of_scipy() {
        let normal = Distribution::Normal { mean: 3.0, sd: 2.0 };
        let lognormal = Distribution::LogNormal { mean: 0.5, sd: 0.8 };
        let weibull = Distribution::Weibull { shape: 1.5, scale: 2.0, location: 1.0 };
        #[rustfmt::skip]
        let cases = [
            ((2.0, 10.0), Distribution::Triangular { peak: 4.0 }, [2.126_491_106_406_735, 4.203_449_301_524_225, 5.101_020_514_433_644, 7.809_109_769_979_336, 9.930_717_967_697_248]),
            ((2.0, 10.0), Distribution::Triangular { peak: 2.0 }, [2.004_001_000_500_312_4, 3.306_719_787_727_395_5, 4.343_145_750_507_619, 7.470_177_871_865_297, 9.920_000_000_000_005]),
            ((0.01, 100.0), Distribution::LogUniform, [0.010_092_528_860_766_85, 0.158_489_319_246_111_43, 1.0, 39.810_717_055_349_79, 99.907_938_998_446_28]),
            (ANY, normal.clone(), [-3.180_464_612_335_626_4, 1.951_198_974_583_918_2, 3.0, 5.563_103_131_089_201, 10.438_032_970_911_419]),
            ((-1.0, 4.0), normal.clone(), [-0.975_529_959_469_534_8, 1.478_236_371_014_276_5, 2.267_591_291_255_983_2, 3.635_123_101_997_004, 3.999_620_138_348_912]),
            ((23.0, 26.0), normal.clone(), [23.000_198_155_307_53, 23.070_520_071_875_52, 23.136_823_655_133_25, 23.451_053_471_449_55, 24.748_952_856_561_402]),
            ((23.0, f64::INFINITY), normal, [23.000_198_155_324_69, 23.070_520_079_197_582, 23.136_823_672_162_86, 23.4510536224044, 24.749_110_657_586_33]),
            (ANY, lognormal.clone(), [0.139_152_358_066_453_46, 1.083_806_725_740_852_6, 1.648_721_270_700_128_2, 4.596_252_292_620_807, 32.304_714_791_864_136]),
            ((1.0, 3.0), lognormal, [1.001_235_815_713_647_2, 1.397_216_149_907_158, 1.714_212_556_520_274_6, 2.641_705_025_463_546_4, 2.999_596_617_144_143]),
            ((1.0, f64::INFINITY), weibull.clone(), [1.020_006_670_558_273_8, 2.005_877_429_831_437, 2.566_439_537_549_302_8, 4.487_443_027_192_823, 9.787_805_760_538_744]),
            ((1.5, 4.0), weibull, [1.502_183_891_011_458, 2.098_704_684_544_065_6, 2.504_160_565_758_401_6, 3.577_174_483_334_292_4, 3.999_505_765_170_434]),
        ];
        cases.iter().for_each(|(ends, distribution, scipy)| check(*ends, distribution, *scipy));
    }

    #[test]
    fn senseless_shapes_are_refused() {
        let refused = |(from, to): (f64, f64), distribution: Distribution| {
            let domain = Domain::Continuous { from, to };
            let parameter = Parameter { distribution, ..Parameter::new("p", domain) };
            assert!(Quantile::new(&parameter).is_err(), "{parameter:?}");
        };
        refused((0.0, 1.0), Distribution::LogUniform);
        refused((0.0, 1.0), Distribution::Triangular { peak: 1.5 });
        refused((0.0, 1.0), Distribution::Triangular { peak: f64::NAN });
        refused(ANY, Distribution::Normal { mean: 0.0, sd: 0.0 });
        refused((100.0, 101.0), Distribution::Normal { mean: 0.0, sd: 1.0 });
        refused((-2.0, 0.0), Distribution::LogNormal { mean: 0.0, sd: 1.0 });
        refused((-2.0, 0.0), Distribution::Weibull { shape: 1.0, scale: 1.0, location: 0.0 });
        refused(ANY, Distribution::Weibull { shape: -1.0, scale: 1.0, location: 0.0 });
        refused((0.0, 1.0), Distribution::Weights(vec![1.0]));
    }

    fn distributions() -> impl Strategy<Value = (f64, f64, Distribution)> {
        let ends = (0.01..5.0_f64, 0.1..5.0_f64).prop_map(|(from, width)| (from, from + width));
        let kinds = (0..6_usize, 0.0..1.0_f64, 0.3..3.0_f64);
        (ends, kinds, any::<bool>()).prop_map(|((from, to), (kind, a, b), cut)| {
            let distribution = match kind {
                0 => Distribution::Uniform,
                1 => Distribution::LogUniform,
                2 => Distribution::Triangular { peak: from + a * (to - from) },
                3 => Distribution::Normal { mean: 4.0 * a, sd: b },
                4 => Distribution::LogNormal { mean: a, sd: b },
                _ => Distribution::Weibull { shape: b, scale: 1.0 + a, location: 0.0 },
            };
            let unbounded = !cut && distribution.is_unbounded();
            if unbounded { (ANY.0, ANY.1, distribution) } else { (from, to, distribution) }
        })
    }

    proptest! {
        #[test]
        fn quantiles_ascend_and_stay_inside(
            (from, to, distribution) in distributions(), u in 0.0..=1.0_f64, v in 0.0..=1.0_f64,
        ) {
            let curve = QuantileCurve::new(from, to, &distribution).unwrap();
            let (low, high) = (curve.at(u.min(v)), curve.at(u.max(v)));
            prop_assert!(low.is_finite() && high.is_finite());
            prop_assert!(from <= low && low <= high * (1.0 + 1e-14 * high.signum()) && high <= to, "{low} {high}");
            if curve.is_bounded() {
                prop_assert_eq!([curve.at(0.0), curve.at(1.0)], [from, to]);
            }
        }

        #[test]
        fn shares_undo_quantiles((from, to, distribution) in distributions(), u in 0.001..0.999_f64) {
            let curve = QuantileCurve::new(from, to, &distribution).unwrap();
            let share = curve.share_below(curve.at(u));
            prop_assert!((share - u).abs() < 1e-9, "{:?}: {} for {}", distribution, share, u);
        }
    }
}
