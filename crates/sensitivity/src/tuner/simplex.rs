//! The simplex of Nelder and Mead (1965) with the adaptive coefficients of Gao and Han (2012): for comparison with earlier
//! work, since on a grid it often rounds to points it has.

use super::history::TuneBoard;
use super::machine::{Steps, is_one_cell, origin};
use crate::random::RandomStream;

/// The vertices, best first, and what is tried.
#[derive(Debug)]
pub(super) struct Simplex {
    vertices: Vec<(f64, Vec<f64>)>,
    trial: Trial,
    needs: Vec<Vec<f64>>,
}

#[derive(Debug)]
enum Trial {
    Begin,
    Reflect,
    Expand { reflected: f64, point: Vec<f64> },
    Contract { reflected: f64 },
    Shrink,
}

impl Simplex {
    pub(super) fn new(board: &TuneBoard) -> Self {
        let needs = corners(&origin(board), 0.25);
        Self { vertices: Vec::new(), trial: Trial::Begin, needs }
    }

    fn dimensions(&self) -> f64 {
        self.vertices.len() as f64 - 1.0
    }

    /// The point on the line from the worst vertex through the middle of the others.
    fn along(&self, factor: f64) -> Vec<f64> {
        let Some(((_, worst), others)) = self.vertices.split_last() else { return Vec::new() };
        let middle = |i: usize| others.iter().map(|(_, x)| x[i]).sum::<f64>() / others.len() as f64;
        let at = |i: usize| middle(i) + factor * (middle(i) - worst[i]);
        (0..worst.len()).map(|i| at(i).clamp(0.0, 1.0 - 1e-9)).collect()
    }

    fn replace_worst(&mut self, loss: f64, point: Vec<f64>) {
        self.vertices.pop();
        self.vertices.push((loss, point));
        self.reflect();
    }

    fn reflect(&mut self) {
        self.vertices.sort_by(|a, b| a.0.total_cmp(&b.0));
        (self.trial, self.needs) = (Trial::Reflect, vec![self.along(1.0)]);
    }

    fn reflected(&mut self, loss: f64) {
        let point = self.needs.remove(0);
        let count = self.vertices.len();
        let (best, worst, second) =
            (self.vertices[0].0, self.vertices[count - 1].0, self.vertices[count.saturating_sub(2)].0);
        if loss < best {
            self.needs = vec![self.along(1.0 + 2.0 / self.dimensions())];
            self.trial = Trial::Expand { reflected: loss, point };
        } else if loss < second {
            self.replace_worst(loss, point);
        } else {
            let inner = 0.75 - 0.5 / self.dimensions();
            let outside = loss < worst;
            self.needs = vec![self.along(if outside { inner } else { -inner })];
            let bound = if outside { loss } else { worst };
            self.trial = Trial::Contract { reflected: bound };
        }
    }

    fn shrink(&mut self) {
        let factor = 1.0 - 1.0 / self.dimensions().max(2.0);
        let best = self.vertices[0].1.clone();
        let towards = |x: &Vec<f64>| best.iter().zip(x).map(|(b, x)| b + factor * (x - b)).collect();
        self.needs = self.vertices[1..].iter().map(|(_, x)| towards(x)).collect();
        self.trial = Trial::Shrink;
    }
}

/// A point and one beside it along each axis.
pub(super) fn corners(origin: &[f64], size: f64) -> Vec<Vec<f64>> {
    let moved = |axis: usize| {
        let mut point = origin.to_vec();
        point[axis] += if point[axis] + size < 1.0 { size } else { -size };
        point[axis] = point[axis].clamp(0.0, 1.0 - 1e-9);
        point
    };
    std::iter::once(origin.to_vec()).chain((0..origin.len()).map(moved)).collect()
}

impl Steps for Simplex {
    fn needs(&self) -> &[Vec<f64>] {
        &self.needs
    }

    fn step(&mut self, losses: &[f64]) {
        match std::mem::replace(&mut self.trial, Trial::Reflect) {
            Trial::Begin => {
                self.vertices = losses.iter().copied().zip(self.needs.drain(..)).collect();
                self.reflect();
            }
            Trial::Reflect => self.reflected(losses[0]),
            Trial::Expand { reflected, point } => {
                let expanded = self.needs.remove(0);
                let better = losses[0] < reflected;
                let (loss, point) = if better { (losses[0], expanded) } else { (reflected, point) };
                self.replace_worst(loss, point);
            }
            Trial::Contract { reflected } if losses[0] < reflected => {
                let point = self.needs.remove(0);
                self.replace_worst(losses[0], point);
            }
            Trial::Contract { .. } => self.shrink(),
            Trial::Shrink => {
                let best = self.vertices.swap_remove(0);
                self.vertices = losses.iter().copied().zip(self.needs.drain(..)).collect();
                self.vertices.push(best);
                self.reflect();
            }
        }
    }

    fn is_over(&self, board: &TuneBoard) -> bool {
        let vertices: Vec<&Vec<f64>> = self.vertices.iter().map(|(_, x)| x).collect();
        vertices.len() > 1 && is_one_cell(board, &vertices)
    }

    fn restart(&mut self, board: &TuneBoard, stream: &mut RandomStream) {
        let origin: Vec<f64> = board.grid.axes().iter().map(|_| stream.unit()).collect();
        *self = Self { needs: corners(&origin, 0.25), ..Self::new(board) };
    }
}
