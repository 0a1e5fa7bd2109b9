//! Covariance matrix adaptation (Hansen 2016) on the grid: a margin keeps the neighbours of each place likely (Hamano et al.
//! 2022), and a search that has come to its end begins anew with twice the points (Auger and Hansen 2005).

mod eigen;

use super::AskPoints;
use super::grid::GridPoint;
use super::history::TuneBoard;
use super::machine::{origin, to_grid};
use super::scalar::Direction;
use crate::quantile::{normal_quantile, normal_share_below};
use crate::random::RandomStream;
use eigen::eigen;

/// The distribution, and the points of its generation.
#[derive(Debug)]
pub(super) struct CmaEs {
    state: Distribution,
    generation: Vec<(Vec<f64>, GridPoint)>,
    restarts: u32,
    stalled: usize,
    last_best: f64,
}

#[derive(Debug)]
struct Distribution {
    mean: Vec<f64>,
    sigma: f64,
    /// Covariance, row by row.
    covariance: Vec<f64>,
    /// Its root: axes times their lengths, row by row.
    root: Vec<f64>,
    vectors: Vec<f64>,
    lengths: Vec<f64>,
    /// What the margin multiplies each parameter by.
    margin: Vec<f64>,
    path: Vec<f64>,
    sigma_path: Vec<f64>,
    size: usize,
    generations: u32,
}

impl CmaEs {
    pub(super) fn new(board: &TuneBoard) -> Self {
        let size = usual_size(board.grid.axes().len());
        let state = Distribution::new(origin(board), size);
        Self { state, generation: Vec::new(), restarts: 0, stalled: 0, last_best: f64::INFINITY }
    }

    fn restart(&mut self, stream: &mut RandomStream) {
        self.restarts = (self.restarts + 1).min(6);
        let dimensions = self.state.mean.len();
        let mean = (0..dimensions).map(|_| stream.unit()).collect();
        self.state = Distribution::new(mean, usual_size(dimensions) << self.restarts);
        (self.stalled, self.last_best) = (0, f64::INFINITY);
    }

    /// Closes a generation of which all losses are known.
    fn close(&mut self, board: &TuneBoard, losses: &[f64], stream: &mut RandomStream) {
        let mut order: Vec<usize> = (0..losses.len()).collect();
        order.sort_by(|a, b| losses[*a].total_cmp(&losses[*b]));
        let sorted: Vec<&Vec<f64>> = order.iter().map(|place| &self.generation[*place].0).collect();
        self.state.update(&sorted);
        self.state.keep_margin(board);
        let best = losses[order[0]];
        self.stalled = if best < self.last_best { 0 } else { self.stalled + 1 };
        self.last_best = self.last_best.min(best);
        self.generation.clear();
        let spread = self.state.sigma * self.state.lengths.iter().copied().fold(0.0, f64::max);
        let patience = 10 + 30 * self.state.mean.len() / self.state.size;
        if spread < 1e-6 || !spread.is_finite() || self.stalled > patience {
            self.restart(stream);
        }
    }
}

fn usual_size(dimensions: usize) -> usize {
    4 + (3.0 * libm::log(dimensions.max(1) as f64)).floor() as usize
}

impl Distribution {
    fn new(mean: Vec<f64>, size: usize) -> Self {
        let d = mean.len();
        let identity: Vec<f64> = (0..d * d).map(|i| f64::from(u8::from(i % (d + 1) == 0))).collect();
        Self {
            sigma: 0.25,
            covariance: identity.clone(),
            root: identity.clone(),
            vectors: identity,
            lengths: vec![1.0; d],
            margin: vec![1.0; d],
            path: vec![0.0; d],
            sigma_path: vec![0.0; d],
            size,
            generations: 0,
            mean,
        }
    }

    fn draw(&self, stream: &mut RandomStream) -> Vec<f64> {
        let d = self.mean.len();
        let z: Vec<f64> = (0..d).map(|_| normal_quantile(stream.unit().max(f64::MIN_POSITIVE))).collect();
        let along = |i: usize| (0..d).map(|j| self.root[i * d + j] * z[j]).sum::<f64>();
        (0..d).map(|i| self.mean[i] + self.sigma * self.margin[i] * along(i)).collect()
    }

    /// Learns from the points of a generation, best first.
    fn update(&mut self, sorted: &[&Vec<f64>]) {
        let d = self.mean.len();
        let n = d as f64;
        let half = sorted.len() / 2;
        let raw = |i: usize| libm::log(half as f64 + 0.5) - libm::log(i as f64 + 1.0);
        let sum: f64 = (0..half).map(raw).sum();
        let weights: Vec<f64> = (0..half).map(|i| raw(i) / sum).collect();
        let mass = 1.0 / weights.iter().map(|w| w * w).sum::<f64>();
        let c_sigma = (mass + 2.0) / (n + mass + 5.0);
        let damping = 1.0 + 2.0 * (((mass - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma;
        let c_path = (4.0 + mass / n) / (n + 4.0 + 2.0 * mass / n);
        let c_one = 2.0 / ((n + 1.3) * (n + 1.3) + mass);
        let c_mu =
            (2.0 * (mass - 2.0 + 1.0 / mass) / ((n + 2.0) * (n + 2.0) + mass)).min(1.0 - c_one).max(0.0);
        let steps: Vec<Vec<f64>> = sorted[..half].iter().map(|x| self.step_to(x)).collect();
        let mean_step: Vec<f64> =
            (0..d).map(|i| steps.iter().zip(&weights).map(|(y, w)| w * y[i]).sum()).collect();
        (0..d).for_each(|i| {
            self.mean[i] = (self.mean[i] + self.sigma * self.margin[i] * mean_step[i]).clamp(0.0, 1.0)
        });
        let whitened = self.whitened(&mean_step);
        let gain = (c_sigma * (2.0 - c_sigma) * mass).sqrt();
        (0..d).for_each(|i| self.sigma_path[i] = (1.0 - c_sigma) * self.sigma_path[i] + gain * whitened[i]);
        let length = self.sigma_path.iter().map(|x| x * x).sum::<f64>().sqrt();
        let expected = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
        self.generations += 1;
        let bias = (1.0 - libm::pow(1.0 - c_sigma, 2.0 * f64::from(self.generations))).sqrt();
        let is_slow = length / bias < (1.4 + 2.0 / (n + 1.0)) * expected;
        let pull = if is_slow { (c_path * (2.0 - c_path) * mass).sqrt() } else { 0.0 };
        (0..d).for_each(|i| self.path[i] = (1.0 - c_path) * self.path[i] + pull * mean_step[i]);
        let lost = if is_slow { 0.0 } else { c_one * c_path * (2.0 - c_path) };
        let keep = 1.0 - c_one - c_mu + lost;
        for i in 0..d {
            for j in 0..d {
                let spread: f64 = steps.iter().zip(&weights).map(|(y, w)| w * y[i] * y[j]).sum();
                let own = &mut self.covariance[i * d + j];
                *own = keep * *own + c_one * self.path[i] * self.path[j] + c_mu * spread;
            }
        }
        self.sigma *= libm::exp((c_sigma / damping * (length / expected - 1.0)).min(1.0));
        self.sigma = self.sigma.min(1.0);
        self.decompose();
    }

    /// A point in steps of the distribution.
    fn step_to(&self, x: &[f64]) -> Vec<f64> {
        let step = |i: usize| (x[i] - self.mean[i]) / (self.sigma * self.margin[i]);
        (0..x.len()).map(step).collect()
    }

    fn whitened(&self, step: &[f64]) -> Vec<f64> {
        let d = step.len();
        let along = |k: usize| {
            (0..d).map(|i| self.vectors[i * d + k] * step[i]).sum::<f64>() / self.lengths[k].max(1e-12)
        };
        let along: Vec<f64> = (0..d).map(along).collect();
        (0..d).map(|i| (0..d).map(|k| self.vectors[i * d + k] * along[k]).sum()).collect()
    }

    fn decompose(&mut self) {
        let d = self.mean.len();
        let (values, vectors) = eigen(&self.covariance, d);
        self.lengths = values.iter().map(|value| value.max(1e-14).sqrt()).collect();
        self.root = (0..d * d).map(|at| vectors[at] * self.lengths[at % d]).collect();
        self.vectors = vectors;
    }

    /// Moves the mean and widens single parameters until the places beside the mean's are likely enough.
    fn keep_margin(&mut self, board: &TuneBoard) {
        let d = self.mean.len();
        let alpha = 1.0 / (d as f64 * self.size as f64);
        for (i, axis) in board.grid.axes().iter().enumerate() {
            let count = axis.count() as f64;
            let deviation = self.sigma * self.covariance[i * d + i].max(1e-300).sqrt();
            let place = (self.mean[i] * count).floor().clamp(0.0, count - 1.0);
            let (low, high) = (place / count, (place + 1.0) / count);
            let spread = deviation * self.margin[i];
            let tail = |edge: f64| normal_share_below((edge - self.mean[i]).copysign(-1.0) / spread);
            if place == 0.0 || place == count - 1.0 {
                // Only one neighbour: the mean comes near enough to its edge.
                let edge = if place == 0.0 { high } else { low };
                if count > 1.0 && tail(edge) < alpha {
                    let distance = -normal_quantile(alpha) * spread;
                    self.mean[i] =
                        if place == 0.0 { edge - distance } else { edge + distance }.clamp(0.0, 1.0);
                }
                continue;
            }
            let (below, above) = (tail(low).max(alpha / 2.0), tail(high).max(alpha / 2.0));
            if tail(low) < alpha / 2.0 || tail(high) < alpha / 2.0 {
                let (below, above) = (below.min(0.49), above.min(0.49));
                let (down, up) = (-normal_quantile(below), -normal_quantile(above));
                self.mean[i] = (low * up + high * down) / (up + down);
                self.margin[i] = (high - low) / (deviation * (up + down));
            }
        }
    }
}

impl AskPoints for CmaEs {
    fn ask(&mut self, board: &TuneBoard, stream: &mut RandomStream) -> Option<GridPoint> {
        const GENERATIONS: usize = 40;
        const TRIES: usize = 60;
        for _ in 0..GENERATIONS {
            while self.generation.len() < self.state.size {
                let draws = (0..TRIES).map(|_| {
                    let x = self.state.draw(stream);
                    let point = to_grid(board, &x);
                    (x, point)
                });
                let mut allowed = draws.filter(|(_, point)| board.grid.allows(point));
                let Some((x, point)) = allowed.next() else { break };
                drop(allowed);
                let free = board.is_free(&point);
                self.generation.push((x, point.clone()));
                if free {
                    return Some(point);
                }
            }
            if self.generation.is_empty() {
                self.restart(stream);
                continue;
            }
            let direction = Direction::next(board, stream);
            let rows = self.generation.iter().map(|(_, point)| board.history.row_at(point));
            let loss = |row: usize| {
                let told = board.history.rows()[row].loss()?;
                Some(direction.as_ref().map_or(told, |direction| direction.loss(board, row)))
            };
            let losses: Option<Vec<f64>> = rows.map(|row| row.map_or(Some(f64::INFINITY), loss)).collect();
            self.close(board, &losses?, stream);
        }
        None
    }
}
