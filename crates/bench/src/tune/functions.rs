//! Objectives that are formulas, on a grid of fifteen parameters of which one is a word that decides much: a tuner that
//! settles on it early loses. With noise, the value of a point is drawn once, as a deterministic program with a seed would
//! give it; what is found is then measured without it.

use onceflow_study::{Domain, Parameter, Space, Value};
use onceflow_terminal::Failure;

use super::bootstrap::next;
use super::objective::BenchObjective;
use crate::program::failed;

/// A formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Formula {
    /// Axes of very different lengths, rotated.
    Ellipsoid,
    /// Many small valleys in one large one.
    Ackley,
    /// Steps: most neighbours are equal.
    Plateau,
}

/// Numbers, beside the word.
const NUMBERS: usize = 14;
const PLACES: u64 = 21;
const WORDS: [&str; 4] = ["a", "b", "c", "d"];

/// A formula with its noise.
#[derive(Debug)]
pub(super) struct FormulaObjective {
    formula: Formula,
    /// Standard deviation, as a part of the range of usual values.
    noise: f64,
    rotation: Vec<Vec<f64>>,
    optimum: Vec<f64>,
    space: Space,
    /// Losses without noise of the rows so far.
    pub(super) exact: Vec<f64>,
}

impl FormulaObjective {
    pub(super) fn new(formula: Formula, noise: f64) -> Result<Self, Failure> {
        let number = |place: usize| {
            let domain = Domain::Steps { from: 0.0, to: (PLACES - 1) as f64, step: 1.0 };
            Parameter { default: Some(Value::Real(0.0)), ..Parameter::new(format!("x{place}"), domain) }
        };
        let word = Domain::Categories(WORDS.map(str::to_owned).to_vec());
        let word = Parameter { default: Some(Value::Text(WORDS[0].into())), ..Parameter::new("word", word) };
        let parameters = (0..NUMBERS).map(number).chain([word]).collect();
        let mut state = 11;
        let optimum = (0..NUMBERS).map(|_| 0.2 + 0.6 * unit(&mut state)).collect();
        let space = Space::new(parameters, Vec::new()).map_err(failed)?;
        Ok(Self { formula, noise, rotation: rotation(&mut state), optimum, space, exact: Vec::new() })
    }

    /// The loss at a point, from 0 on.
    fn loss(&self, at: &[f64], word: usize) -> f64 {
        // The word that is best elsewhere than at the optimum is not the best there.
        let shift = [0.0, 0.2, -0.1, 0.3][word];
        let cost = [0.05, 0.0, 0.15, 0.1][word];
        let away: Vec<f64> = at.iter().zip(&self.optimum).map(|(x, best)| x - best - shift).collect();
        cost + match self.formula {
            Formula::Ellipsoid => {
                let turned =
                    self.rotation.iter().map(|row| row.iter().zip(&away).map(|(r, x)| r * x).sum::<f64>());
                turned.enumerate().map(|(i, x)| scale(i) * x * x).sum::<f64>()
            }
            Formula::Ackley => ackley(&away),
            Formula::Plateau => {
                away.iter().enumerate().map(|(i, x)| scale(i) * (x.abs() * 6.0).floor() / 6.0).sum::<f64>()
            }
        }
    }
}

/// How much an axis counts: the first a hundred times as much as the last.
fn scale(axis: usize) -> f64 {
    0.01f64.powf(axis as f64 / (NUMBERS - 1) as f64)
}

fn ackley(away: &[f64]) -> f64 {
    let n = away.len() as f64;
    let squares = away.iter().map(|x| 25.0 * x * x).sum::<f64>() / n;
    let waves = away.iter().map(|x| (std::f64::consts::TAU * 5.0 * x).cos()).sum::<f64>() / n;
    (20.0 + std::f64::consts::E - 20.0 * (-0.2 * squares.sqrt()).exp() - waves.exp()) / 10.0
}

fn unit(state: &mut u64) -> f64 {
    next(state) as f64 / (1u64 << 32) as f64
}

/// A random rotation, by reflections.
fn rotation(state: &mut u64) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> =
        (0..NUMBERS).map(|i| (0..NUMBERS).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..NUMBERS {
        let axis: Vec<f64> = (0..NUMBERS).map(|_| unit(state) - 0.5).collect();
        let square: f64 = axis.iter().map(|x| x * x).sum();
        for row in &mut rows {
            let along = row.iter().zip(&axis).map(|(r, x)| r * x).sum::<f64>() * 2.0 / square;
            row.iter_mut().zip(&axis).for_each(|(r, x)| *r -= along * x);
        }
    }
    rows
}

impl BenchObjective for FormulaObjective {
    fn space(&self) -> &Space {
        &self.space
    }

    fn values(&mut self, at: &[Value]) -> Vec<f64> {
        let numbers: Vec<f64> =
            at.iter().filter_map(Value::as_f64).map(|x| x / (PLACES - 1) as f64).collect();
        let word =
            at.last().and_then(|last| WORDS.iter().position(|word| *last == Value::Text((*word).into())));
        let word = word.unwrap_or(0);
        let loss = self.loss(&numbers, word);
        self.exact.push(loss);
        let mut state = numbers.iter().fold(word as u64 + 1, |state, x| next(&mut (state ^ x.to_bits())));
        let noise: f64 = (0..12).map(|_| unit(&mut state)).sum::<f64>() - 6.0;
        vec![-(loss + self.noise * noise)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_a_trap_and_a_point_has_one_value() {
        for formula in [Formula::Ellipsoid, Formula::Ackley, Formula::Plateau] {
            let mut objective = FormulaObjective::new(formula, 0.01).unwrap();
            let best = objective.optimum.clone();
            let shifted: Vec<f64> = best.iter().map(|x| x + 0.2).collect();
            assert!(objective.loss(&shifted, 1) < 1e-9 && objective.loss(&best, 0) > 0.04, "{formula:?}");
            assert!(objective.loss(&best, 1) > objective.loss(&best, 0), "{formula:?}");
            let mut at: Vec<Value> = (0..NUMBERS).map(|i| Value::Real(i as f64)).collect();
            at.push(Value::Text("c".into()));
            assert_eq!(objective.values(&at), objective.values(&at));
            assert!((objective.exact[0] + objective.values(&at)[0]).abs() < 0.06);
        }
        let turned = rotation(&mut 5);
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        assert!(
            (product(&turned[3], &turned[3]) - 1.0).abs() < 1e-9
                && product(&turned[0], &turned[9]).abs() < 1e-9
        );
    }
}
