//! Matérn's kernel of smoothness 5/2 with one length per parameter, and how the lengths are learned.

use super::cholesky::Cholesky;
use crate::analyser::elementary::exp;
use crate::sums::dot;
use crate::tuner::history::TuneBoard;

/// Points as numbers, parameter by parameter: from 0 to 1 along a list, or the place of a category.
#[derive(Clone, Debug)]
pub(super) struct Features {
    pub(super) rows: usize,
    /// One column per parameter.
    pub(super) columns: Vec<Vec<f64>>,
    pub(super) ordered: Vec<bool>,
}

impl Features {
    pub(super) fn of_rows(board: &TuneBoard, rows: &[usize]) -> Self {
        let column = |axis: usize| -> Vec<f64> {
            rows.iter().map(|row| feature(board, axis, board.history.rows()[*row].at[axis])).collect()
        };
        let axes = board.grid.axes();
        let ordered = axes.iter().map(|axis| axis.ordered).collect();
        Self { rows: rows.len(), columns: (0..axes.len()).map(column).collect(), ordered }
    }

    pub(super) fn of_row(board: &TuneBoard, row: usize) -> Vec<f64> {
        let at = &board.history.rows()[row].at;
        (0..at.len()).map(|axis| feature(board, axis, at[axis])).collect()
    }

    pub(super) fn subset(&self, places: &[usize]) -> Self {
        let column = |column: &Vec<f64>| places.iter().map(|place| column[*place]).collect();
        let columns = self.columns.iter().map(column).collect();
        Self { rows: places.len(), columns, ordered: self.ordered.clone() }
    }

    pub(super) fn push(&mut self, point: &[f64]) {
        self.rows += 1;
        self.columns.iter_mut().zip(point).for_each(|(column, x)| column.push(*x));
    }
}

/// A place as a feature.
pub(super) fn feature(board: &TuneBoard, axis: usize, at: f64) -> f64 {
    let axis = &board.grid.axes()[axis];
    if axis.ordered { axis.unit(at) } else { at }
}

/// Square of the distance of two features of one parameter.
#[inline]
pub(super) fn square(ordered: bool, a: f64, b: f64) -> f64 {
    if ordered { (a - b) * (a - b) } else { f64::from(u8::from(a != b)) }
}

/// What is learned: the inverse squares of the lengths, and the noise, as logarithms.
#[derive(Clone, Debug)]
pub(super) struct KernelScales {
    pub(super) log_weights: Vec<f64>,
    pub(super) log_noise: f64,
    /// Momentum of the fit.
    steps: Vec<f64>,
    signs: Vec<f64>,
}

/// The kernel at a squared scaled distance, with its derivative by it.
#[inline]
pub(super) fn matern(square: f64) -> f64 {
    let r = (5.0 * square).sqrt();
    (1.0 + r + r * r / 3.0) * exp(-r)
}

/// The derivative of [`matern`] by the squared distance.
#[inline]
fn matern_slope(square: f64) -> f64 {
    let r = (5.0 * square).sqrt();
    -5.0 / 6.0 * (1.0 + r) * exp(-r)
}

const NOISE_RANGE: (f64, f64) = (-13.8, -1.0);
const WEIGHT_RANGE: (f64, f64) = (-9.0, 9.0);

impl KernelScales {
    pub(super) fn new(dimensions: usize) -> Self {
        // A length of about the root of the number of dimensions over three: functions vary little along most of them.
        let start = -libm::log((dimensions as f64 / 9.0).max(0.25));
        Self {
            log_weights: vec![start; dimensions],
            log_noise: -7.0,
            steps: vec![0.3; dimensions + 1],
            signs: vec![0.0; dimensions + 1],
        }
    }

    pub(super) fn weights(&self) -> Vec<f64> {
        self.log_weights.iter().map(|x| exp(*x)).collect()
    }

    pub(super) fn noise(&self) -> f64 {
        exp(self.log_noise)
    }

    /// The most probable scales, by steps whose sizes follow the signs of the slopes (Rprop).
    pub(super) fn fit(&mut self, features: &Features, targets: &[f64], steps: usize) {
        self.steps.iter_mut().for_each(|step| *step = step.clamp(0.05, 0.3));
        let mut best: Option<(f64, Self)> = None;
        for _ in 0..steps {
            let Some((value, slopes)) = self.slopes(features, targets) else { break };
            if best.as_ref().is_none_or(|(least, _)| value < *least) {
                best = Some((value, self.clone()));
            }
            self.step(&slopes);
        }
        if let Some((_, best)) = best {
            self.log_weights = best.log_weights;
            self.log_noise = best.log_noise;
        }
    }

    fn step(&mut self, slopes: &[f64]) {
        for (i, slope) in slopes.iter().enumerate() {
            let agreement = slope * self.signs[i];
            if agreement > 0.0 {
                self.steps[i] = (self.steps[i] * 1.3).min(1.5);
            } else if agreement < 0.0 {
                self.steps[i] = (self.steps[i] * 0.5).max(0.01);
            }
            self.signs[i] = slope.signum();
            let step = -self.steps[i] * slope.signum();
            match self.log_weights.get_mut(i) {
                Some(weight) => *weight = (*weight + step).clamp(WEIGHT_RANGE.0, WEIGHT_RANGE.1),
                None => self.log_noise = (self.log_noise + step).clamp(NOISE_RANGE.0, NOISE_RANGE.1),
            }
        }
    }

    /// Minus the logarithm of the probability of the targets and scales, with its slopes. The height of the kernel is the
    /// most probable one.
    fn slopes(&self, features: &Features, targets: &[f64]) -> Option<(f64, Vec<f64>)> {
        let n = features.rows;
        let weights = self.weights();
        let squares = scaled_squares(features, &weights);
        let mut matrix: Vec<f64> = squares.iter().map(|square| matern(*square)).collect();
        let noise = self.noise();
        (0..n).for_each(|i| matrix[i * n + i] += noise);
        let factor = Cholesky::new(matrix, n)?;
        let inverse = factor.inverse();
        let centre = generalised_mean(&inverse, targets, n);
        let residuals: Vec<f64> = targets.iter().map(|target| target - centre).collect();
        let alpha: Vec<f64> = (0..n).map(|i| dot(&inverse[i * n..][..n], &residuals)).collect();
        let height = (dot(&alpha, &residuals) / n as f64).max(1e-12);
        let value = 0.5 * n as f64 * libm::log(height) + factor.half_log_determinant();
        // Both halves of the matrix give the same: d/dw of 1/2 (log|C| + n log height).
        let mut shares = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..i {
                let pull = inverse[i * n + j] - alpha[i] * alpha[j] / height;
                shares[i * n + j] = pull * matern_slope(squares[i * n + j]);
            }
        }
        let mut slopes: Vec<f64> = Vec::with_capacity(weights.len() + 1);
        let mut prior = 0.0;
        for (axis, weight) in weights.iter().enumerate() {
            let column = &features.columns[axis];
            let ordered = features.ordered[axis];
            let mut sum = 0.0;
            for i in 0..n {
                let row = &shares[i * n..][..i];
                let parts = row.iter().zip(&column[..i]);
                sum += parts.map(|(share, x)| share * square(ordered, column[i], *x)).sum::<f64>();
            }
            let (log_prior, slope) = weight_prior(self.log_weights[axis], weights.len());
            prior += log_prior;
            slopes.push(sum * weight + slope);
        }
        let trace: f64 = (0..n).map(|i| inverse[i * n + i] - alpha[i] * alpha[i] / height).sum();
        let noise_off = (self.log_noise + 9.0) / 3.0;
        slopes.push(0.5 * trace * noise + noise_off / 3.0);
        Some((value + prior + 0.5 * noise_off * noise_off, slopes))
    }
}

/// Minus the logarithm of the prior of a weight, and its slope: lengths are long in many dimensions (Hvarfner et al. 2024).
fn weight_prior(log_weight: f64, dimensions: usize) -> (f64, f64) {
    const SPREAD: f64 = 2.5;
    let expected = -libm::log((dimensions as f64 / 4.0).max(0.25));
    let off = (log_weight - expected) / SPREAD;
    (0.5 * off * off, off / SPREAD)
}

/// The mean that explains the targets best.
fn generalised_mean(inverse: &[f64], targets: &[f64], n: usize) -> f64 {
    let ones: Vec<f64> = (0..n).map(|i| inverse[i * n..][..n].iter().sum()).collect();
    dot(&ones, targets) / ones.iter().sum::<f64>()
}

/// The squared scaled distances of all pairs.
pub(super) fn scaled_squares(features: &Features, weights: &[f64]) -> Vec<f64> {
    let n = features.rows;
    let mut squares = vec![0.0; n * n];
    for (axis, weight) in weights.iter().enumerate() {
        let (column, ordered) = (&features.columns[axis], features.ordered[axis]);
        for i in 0..n {
            let row = &mut squares[i * n..][..i];
            row.iter_mut().zip(&column[..i]).for_each(|(s, x)| *s += weight * square(ordered, column[i], *x));
        }
    }
    for i in 0..n {
        for j in 0..i {
            squares[j * n + i] = squares[i * n + j];
        }
    }
    squares
}
