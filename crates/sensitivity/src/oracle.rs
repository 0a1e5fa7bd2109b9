//! Functions whose indices are known: for the demo, the benchmarks and the tests.

mod held_out;

pub use held_out::HeldOut;

use std::f64::consts::PI;

use onceflow_study::{Domain, Parameter};

use crate::random::{mixed, unit_from_bits};

/// A function with known indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oracle {
    /// Ishigami and Homma (1990), a = 7, b = 0.1.
    Ishigami,
    /// Sobol' G with a = (0, 1, 4.5, 9, 99, 99, 99, 99).
    SobolG,
    /// Morris (1991), 20 inputs, remaining coefficients (-1)^i and (-1)^(i+j).
    Morris20,
    /// Six discrete parameters of unequal numbers of values with a fixed rough term, as a workflow's metric has.
    RoughDiscrete,
    /// One that took no part in any choice.
    HeldOut(HeldOut),
}

/// Exact variance-based indices.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactIndices {
    /// First order, per parameter.
    pub s1: Vec<f64>,
    /// Total, per parameter.
    pub st: Vec<f64>,
}

impl Oracle {
    /// Those on which choices of this crate were made.
    pub const ALL: [Self; 4] = [Self::Ishigami, Self::SobolG, Self::Morris20, Self::RoughDiscrete];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ishigami => "ishigami",
            Self::SobolG => "sobol-g",
            Self::Morris20 => "morris-20",
            Self::RoughDiscrete => "rough-discrete",
            Self::HeldOut(function) => function.name(),
        }
    }

    /// Its parameters `x1`, `x2`, ….
    pub fn parameters(self) -> Vec<Parameter> {
        let domains = match self {
            Self::Ishigami => vec![Domain::Continuous { from: -PI, to: PI }; 3],
            Self::SobolG => vec![Domain::Continuous { from: 0.0, to: 1.0 }; 8],
            Self::Morris20 => vec![Domain::Continuous { from: 0.0, to: 1.0 }; 20],
            Self::RoughDiscrete => {
                ROUGH_VALUES.iter().map(|n| Domain::Integers { from: 0, to: *n as i64 - 1 }).collect()
            }
            Self::HeldOut(function) => function.domains(),
        };
        domains.into_iter().enumerate().map(|(i, d)| Parameter::new(format!("x{}", i + 1), d)).collect()
    }

    /// Its value at one row.
    pub fn evaluate(self, x: &[f64]) -> f64 {
        match self {
            Self::Ishigami => x[0].sin() + 7.0 * x[1].sin().powi(2) + 0.1 * x[2].powi(4) * x[0].sin(),
            Self::SobolG => x.iter().zip(G_A).map(|(x, a)| ((4.0 * x - 2.0).abs() + a) / (1.0 + a)).product(),
            Self::Morris20 => morris(x),
            Self::RoughDiscrete => rough(x),
            Self::HeldOut(function) => function.evaluate(x),
        }
    }

    /// Its exact indices.
    pub fn truth(self) -> ExactIndices {
        match self {
            Self::Ishigami => ishigami_truth(),
            Self::SobolG => sobol_g_truth(),
            Self::Morris20 => morris_truth(),
            Self::RoughDiscrete => rough_truth(),
            Self::HeldOut(function) => function.truth(),
        }
    }
}

const G_A: [f64; 8] = [0.0, 1.0, 4.5, 9.0, 99.0, 99.0, 99.0, 99.0];

fn ishigami_truth() -> ExactIndices {
    let (a, b) = (7.0, 0.1);
    let v1 = 0.5 * (1.0 + b * PI.powi(4) / 5.0_f64).powi(2);
    let v2 = a * a / 8.0;
    let v13 = b * b * PI.powi(8) * (1.0 / 18.0 - 1.0 / 50.0);
    let v = v1 + v2 + v13;
    ExactIndices { s1: vec![v1 / v, v2 / v, 0.0], st: vec![(v1 + v13) / v, v2 / v, v13 / v] }
}

fn sobol_g_truth() -> ExactIndices {
    let parts: Vec<f64> = G_A.iter().map(|a| 1.0 / (3.0 * (1.0 + a).powi(2))).collect();
    let whole: f64 = parts.iter().map(|v| 1.0 + v).product();
    let v = whole - 1.0;
    ExactIndices {
        s1: parts.iter().map(|p| p / v).collect(),
        st: parts.iter().map(|p| p * whole / (1.0 + p) / v).collect(),
    }
}

fn is_curved(i: usize) -> bool {
    matches!(i, 2 | 4 | 6)
}

fn morris(x: &[f64]) -> f64 {
    let curve = |i: usize, x: f64| if is_curved(i) { 1.1 * x / (x + 0.1) } else { x };
    let w: Vec<f64> = x.iter().enumerate().map(|(i, x)| 2.0 * (curve(i, *x) - 0.5)).collect();
    let mut y = 0.0;
    for subset in morris_terms() {
        y += subset.1 * subset.0.iter().map(|i| w[*i]).product::<f64>();
    }
    y
}

/// Subsets of inputs and their coefficients.
fn morris_terms() -> &'static [(Vec<usize>, f64)] {
    static TERMS: std::sync::LazyLock<Vec<(Vec<usize>, f64)>> = std::sync::LazyLock::new(|| {
        let sign = |n: usize| if n.is_multiple_of(2) { 1.0 } else { -1.0 };
        let mut terms = Vec::new();
        for i in 0..20 {
            terms.push((vec![i], if i < 10 { 20.0 } else { sign(i + 1) }));
            for j in i + 1..20 {
                terms.push((vec![i, j], if j < 6 { -15.0 } else { sign(i + j) }));
                for l in j + 1..5 {
                    terms.push((vec![i, j, l], -10.0));
                    terms.extend((l + 1..4).map(|s| (vec![i, j, l, s], 5.0)));
                }
            }
        }
        terms
    });
    &TERMS
}

/// Exact: the function is multilinear in w, so each term expands into products of mean and deviation.
fn morris_truth() -> ExactIndices {
    let (mean, variance): (Vec<f64>, Vec<f64>) = (0..20).map(morris_moments).unzip();
    // Coefficient of each product of deviations: a term contributes to every subset of its inputs.
    let mut effects = std::collections::BTreeMap::<Vec<usize>, f64>::new();
    for (inputs, coefficient) in morris_terms() {
        for bits in 1..1_usize << inputs.len() {
            let (chosen, rest): (Vec<_>, Vec<_>) = (0..inputs.len()).partition(|b| bits >> b & 1 == 1);
            let share: f64 = rest.iter().map(|b| mean[inputs[*b]]).product();
            let key = chosen.iter().map(|b| inputs[*b]).collect();
            *effects.entry(key).or_default() += coefficient * share;
        }
    }
    let parts: Vec<(Vec<usize>, f64)> = effects
        .into_iter()
        .map(|(inputs, c)| {
            let spread: f64 = inputs.iter().map(|i| variance[*i]).product();
            (inputs, c * c * spread)
        })
        .collect();
    truth_from_parts(20, &parts)
}

fn morris_moments(i: usize) -> (f64, f64) {
    if !is_curved(i) {
        return (0.0, 1.0 / 3.0);
    }
    // w = 2.2 x/(x+0.1) - 1 = 1.2 - 0.22/(x+0.1) on [0,1].
    let mean_inverse = 11_f64.ln();
    let mean_inverse_squared = 1.0 / 0.1 - 1.0 / 1.1;
    (1.2 - 0.22 * mean_inverse, 0.22_f64.powi(2) * (mean_inverse_squared - mean_inverse.powi(2)))
}

fn truth_from_parts(parameters: usize, parts: &[(Vec<usize>, f64)]) -> ExactIndices {
    let total: f64 = parts.iter().map(|(_, v)| v).sum();
    let share = |wanted: &dyn Fn(&[usize]) -> bool| {
        parts.iter().filter(|(inputs, _)| wanted(inputs)).map(|(_, v)| v).sum::<f64>() / total
    };
    ExactIndices {
        s1: (0..parameters).map(|i| share(&|inputs| inputs == [i])).collect(),
        st: (0..parameters).map(|i| share(&|inputs| inputs.contains(&i))).collect(),
    }
}

/// Unequal numbers of values, as the nuclei workflow has: two connectivities, thresholds, sizes.
const ROUGH_VALUES: [usize; 6] = [2, 4, 11, 16, 20, 13];

/// A threshold curve, a switch, an interaction, a weak trend, an idle parameter, and a rough term fixed for each
/// combination of values: what a segmentation score looks like along its parameters.
fn rough(x: &[f64]) -> f64 {
    let at = |i: usize| x[i] / (ROUGH_VALUES[i] - 1) as f64;
    let peak = 1.0 - (2.0 * at(3) - 1.2).powi(2);
    let noise = noise(x.iter().map(|v| *v as u64)) - 0.5;
    peak + 0.3 * at(0) + 0.8 * (at(4) - 0.5) * (at(2) - 0.5) + 0.15 * at(1) + 0.25 * noise
}

/// A number in [0, 1) from whole numbers: SplitMix64's mixing, so that it looks random and never changes.
fn noise(values: impl Iterator<Item = u64>) -> f64 {
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    unit_from_bits(values.fold(STEP, |state, v| mixed((state ^ v).wrapping_add(STEP))))
}

/// Exact, by going through all combinations of values.
fn rough_truth() -> ExactIndices {
    let total: usize = ROUGH_VALUES.iter().product();
    let k = ROUGH_VALUES.len();
    let strides: Vec<usize> = (0..k).map(|i| ROUGH_VALUES[i + 1..].iter().product()).collect();
    let index = |cell: usize, i: usize| cell / strides[i] % ROUGH_VALUES[i];
    let row = |cell: usize| (0..k).map(|i| index(cell, i) as f64).collect::<Vec<_>>();
    let y: Vec<f64> = (0..total).map(|cell| rough(&row(cell))).collect();
    let mean = y.iter().sum::<f64>() / total as f64;
    let variance = y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / total as f64;
    let s1 = |i: usize| {
        let mut sums = vec![0.0; ROUGH_VALUES[i]];
        y.iter().enumerate().for_each(|(cell, v)| sums[index(cell, i)] += v - mean);
        let cells = (total / ROUGH_VALUES[i]) as f64;
        sums.iter().map(|s| (s / cells).powi(2)).sum::<f64>() / ROUGH_VALUES[i] as f64 / variance
    };
    let st = |i: usize| {
        // Mean variance along the lines in direction i.
        let lines = (0..total).filter(|cell| index(*cell, i) == 0);
        let spread = lines.map(|cell| {
            let line: Vec<f64> = (0..ROUGH_VALUES[i]).map(|v| y[cell + v * strides[i]]).collect();
            let mean = line.iter().sum::<f64>() / line.len() as f64;
            line.iter().map(|v| (v - mean).powi(2)).sum::<f64>()
        });
        spread.sum::<f64>() / total as f64 / variance
    };
    ExactIndices { s1: (0..k).map(s1).collect(), st: (0..k).map(st).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: &[f64], expected: &[f64], tolerance: f64) {
        for (f, e) in found.iter().zip(expected) {
            assert!((f - e).abs() < tolerance, "expected {expected:?}, found {found:?}");
        }
    }

    #[test]
    fn published_indices_are_met() {
        close(&Oracle::Ishigami.truth().s1, &[0.313_905, 0.442_411, 0.0], 1e-6);
        close(&Oracle::Ishigami.truth().st, &[0.557_589, 0.442_411, 0.243_684], 1e-6);
        close(&Oracle::SobolG.truth().s1, &[0.716_192, 0.179_048, 0.023_676, 0.007_162, 0.000_072], 1e-6);
        close(&Oracle::SobolG.truth().st, &[0.787_144, 0.242_198, 0.034_317, 0.010_460, 0.000_105], 1e-6);
    }

    #[test]
    fn exact_indices_agree_with_plain_monte_carlo() {
        let held_out = HeldOut::ALL.map(Oracle::HeldOut);
        for oracle in [Oracle::Morris20, Oracle::RoughDiscrete].into_iter().chain(held_out) {
            let truth = oracle.truth();
            let k = truth.s1.len();
            let draw = |row: u64, i: usize| {
                let u = noise([row, i as u64].into_iter());
                match &oracle.parameters()[i].domain {
                    Domain::Integers { to, .. } => (u * (*to as f64 + 1.0)).floor(),
                    _ => u,
                }
            };
            let n = 20_000;
            let (mut sum, mut squares, mut s1, mut st) = (0.0, 0.0, vec![0.0; k], vec![0.0; k]);
            for row in 0..n {
                let a: Vec<f64> = (0..k).map(|i| draw(2 * row, i)).collect();
                let b: Vec<f64> = (0..k).map(|i| draw(2 * row + 1, i)).collect();
                let (ya, yb) = (oracle.evaluate(&a), oracle.evaluate(&b));
                sum += ya;
                squares += ya * ya;
                for (i, from_b) in b.iter().enumerate() {
                    let mut ab = a.clone();
                    ab[i] = *from_b;
                    let yab = oracle.evaluate(&ab);
                    s1[i] += yb * (yab - ya);
                    st[i] += 0.5 * (ya - yab).powi(2);
                }
            }
            let n = n as f64;
            let variance = squares / n - (sum / n).powi(2);
            let scaled = |v: Vec<f64>| v.into_iter().map(|x| x / n / variance).collect::<Vec<_>>();
            close(&scaled(s1), &truth.s1, 0.04);
            close(&scaled(st), &truth.st, 0.03);
        }
    }
}
