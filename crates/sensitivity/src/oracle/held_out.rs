//! Functions that took no part in any choice of this crate: the benchmark and the tests measure on them what was tuned on
//! the others.

use std::f64::consts::{PI, TAU};

use onceflow_study::Domain;

use super::{ExactIndices, noise, truth_from_parts};

/// A function of five parameters between 0 and 1 that polynomials of low degree follow badly or not at all. The fifth
/// parameter does nothing, except in [`HeldOut::Noisy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldOut {
    /// Four to nine periods over the range of a parameter.
    Waves,
    /// Absolute values and the larger of two parameters.
    Kinks,
    /// Steps, alone and together.
    Thresholds,
    /// An output that differs from the usual in 2 % of all rows.
    RareEvent,
    /// A smooth output with noise, drawn anew whenever any parameter changes, that makes 30 % of the variance.
    Noisy,
}

/// Parameters of each function.
const PARAMETERS: usize = 5;

impl HeldOut {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Waves, Self::Kinks, Self::Thresholds, Self::RareEvent, Self::Noisy];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Waves => "waves",
            Self::Kinks => "kinks",
            Self::Thresholds => "thresholds",
            Self::RareEvent => "rare-event",
            Self::Noisy => "noisy",
        }
    }

    pub(super) fn domains(self) -> Vec<Domain> {
        vec![Domain::Continuous { from: 0.0, to: 1.0 }; PARAMETERS]
    }

    pub(super) fn evaluate(self, x: &[f64]) -> f64 {
        match self {
            Self::Waves => waves(x),
            Self::Kinks => (x[0] - 0.37).abs() + x[1].max(x[2]) + 0.5 * (x[3] - 0.81).abs(),
            Self::Thresholds => {
                step(x[0], 0.3) + 1.5 * step(x[1], 0.6) * step(x[2], 0.5) + 0.4 * step(x[3], 0.9)
            }
            Self::RareEvent => step(x[0], 0.9) * step(x[1], 0.8) + 0.05 * x[2],
            Self::Noisy => smooth(x) + noise_scale() * (noise(x.iter().map(|x| x.to_bits())) - 0.5),
        }
    }

    pub(super) fn truth(self) -> ExactIndices {
        truth_from_parts(PARAMETERS, &self.parts())
    }

    /// The variance of each set of parameters that acts together.
    fn parts(self) -> Vec<(Vec<usize>, f64)> {
        match self {
            Self::Waves => wave_parts(),
            Self::Kinks => kink_parts(),
            Self::Thresholds => threshold_parts(),
            Self::RareEvent => {
                let uniform = (vec![2], 0.05 * 0.05 / 12.0);
                [both(0, 1, 0.1, 0.2, 1.0), vec![uniform]].concat()
            }
            Self::Noisy => {
                [smooth_parts(), vec![((0..PARAMETERS).collect(), noise_scale().powi(2) / 12.0)]].concat()
            }
        }
    }
}

/// 1 above the place, 0 below.
fn step(x: f64, place: f64) -> f64 {
    f64::from(u8::from(x > place))
}

/// Whole periods: every factor has the mean 0 and the mean square 1/2.
fn waves(x: &[f64]) -> f64 {
    let wave = |place: usize, periods: f64| (TAU * periods * x[place]).sin();
    wave(0, 5.0) + 0.7 * wave(1, 9.0) + 0.8 * wave(0, 7.0) * wave(2, 4.0) + 0.3 * x[3]
}

fn wave_parts() -> Vec<(Vec<usize>, f64)> {
    vec![(vec![0], 0.5), (vec![1], 0.49 * 0.5), (vec![0, 2], 0.64 * 0.25), (vec![3], 0.09 / 12.0)]
}

fn kink_parts() -> Vec<(Vec<usize>, f64)> {
    let kink = |place: f64| {
        let mean = (place.powi(2) + (1.0 - place).powi(2)) / 2.0;
        (place.powi(3) + (1.0 - place).powi(3)) / 3.0 - mean * mean
    };
    // The larger of two uniform numbers has the variance 1/18; its mean given one of them is (1 + x^2) / 2.
    let (alone, together) = (1.0 / 45.0, 1.0 / 18.0 - 2.0 / 45.0);
    vec![
        (vec![0], kink(0.37)),
        (vec![1], alone),
        (vec![2], alone),
        (vec![1, 2], together),
        (vec![3], 0.25 * kink(0.81)),
    ]
}

fn threshold_parts() -> Vec<(Vec<usize>, f64)> {
    let alone =
        |place: usize, share: f64, height: f64| (vec![place], height * height * share * (1.0 - share));
    [vec![alone(0, 0.7, 1.0)], both(1, 2, 0.4, 0.5, 1.5), vec![alone(3, 0.1, 0.4)]].concat()
}

/// The product of two steps that are up for a share of the values each.
fn both(first: usize, second: usize, p: f64, q: f64, height: f64) -> Vec<(Vec<usize>, f64)> {
    let (vp, vq, squared) = (p * (1.0 - p), q * (1.0 - q), height * height);
    vec![
        (vec![first], squared * q * q * vp),
        (vec![second], squared * p * p * vq),
        (vec![first, second], squared * vp * vq),
    ]
}

/// A half wave, a parabola and a product.
fn smooth(x: &[f64]) -> f64 {
    (PI * x[0]).cos() + x[1] * x[1] + (2.0 * x[2] - 1.0) * (2.0 * x[3] - 1.0)
}

fn smooth_parts() -> Vec<(Vec<usize>, f64)> {
    vec![(vec![0], 0.5), (vec![1], 1.0 / 5.0 - 1.0 / 9.0), (vec![2, 3], 1.0 / 9.0)]
}

/// The width of uniform noise that makes 30 % of the variance.
fn noise_scale() -> f64 {
    let smooth: f64 = smooth_parts().iter().map(|(_, variance)| variance).sum();
    (12.0 * smooth * 0.3 / 0.7).sqrt()
}
