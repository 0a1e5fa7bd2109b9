//! Parallel rank ordering (Tabatabaee et al. 2005), as in the paper of 2017: all vertices of a simplex are reflected through
//! the best one at once, then moved twice as far, or drawn towards it.

use super::history::TuneBoard;
use super::machine::{Steps, is_one_cell, origin};
use super::simplex::corners;
use crate::random::RandomStream;

/// The vertices, best first, and what is tried.
#[derive(Debug)]
pub(super) struct RankOrdering {
    vertices: Vec<(f64, Vec<f64>)>,
    trial: Trial,
    needs: Vec<Vec<f64>>,
}

#[derive(Debug)]
enum Trial {
    Begin,
    Reflect,
    /// The most promising vertex alone, with all that were reflected.
    Look {
        reflected: Vec<(f64, Vec<f64>)>,
    },
    Expand {
        reflected: Vec<(f64, Vec<f64>)>,
    },
    Shrink,
}

impl RankOrdering {
    pub(super) fn new(board: &TuneBoard) -> Self {
        Self { vertices: Vec::new(), trial: Trial::Begin, needs: corners(&origin(board), 0.25) }
    }

    /// All vertices but the best on their lines through it.
    fn through_best(&self, factor: f64) -> Vec<Vec<f64>> {
        let Some(((_, best), others)) = self.vertices.split_first() else { return Vec::new() };
        let at = |(b, x): (&f64, &f64)| (b + factor * (b - x)).clamp(0.0, 1.0 - 1e-9);
        others.iter().map(|(_, x)| best.iter().zip(x).map(at).collect()).collect()
    }

    /// The best vertex with these others.
    fn accept(&mut self, others: Vec<(f64, Vec<f64>)>) {
        self.vertices.truncate(1);
        self.vertices.extend(others);
        self.vertices.sort_by(|a, b| a.0.total_cmp(&b.0));
        (self.trial, self.needs) = (Trial::Reflect, self.through_best(1.0));
    }

    fn taken(&mut self, losses: &[f64]) -> Vec<(f64, Vec<f64>)> {
        losses.iter().copied().zip(self.needs.drain(..)).collect()
    }
}

fn least(of: &[(f64, Vec<f64>)]) -> Option<(usize, f64)> {
    let places = of.iter().enumerate().map(|(place, (loss, _))| (place, *loss));
    places.min_by(|a, b| a.1.total_cmp(&b.1))
}

impl Steps for RankOrdering {
    fn needs(&self) -> &[Vec<f64>] {
        &self.needs
    }

    fn step(&mut self, losses: &[f64]) {
        match std::mem::replace(&mut self.trial, Trial::Reflect) {
            Trial::Begin => {
                self.vertices = self.taken(losses);
                self.vertices.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.needs = self.through_best(1.0);
            }
            Trial::Reflect => {
                let reflected = self.taken(losses);
                match least(&reflected).filter(|(_, loss)| *loss < self.vertices[0].0) {
                    Some((place, _)) => {
                        self.needs = vec![self.through_best(2.0).swap_remove(place)];
                        self.trial = Trial::Look { reflected };
                    }
                    None => (self.trial, self.needs) = (Trial::Shrink, self.through_best(-0.5)),
                }
            }
            Trial::Look { reflected } => {
                if least(&reflected).is_some_and(|(_, loss)| losses[0] < loss) {
                    (self.needs, self.trial) = (self.through_best(2.0), Trial::Expand { reflected });
                } else {
                    self.accept(reflected);
                }
            }
            Trial::Expand { reflected } => {
                let expanded = self.taken(losses);
                let better = least(&expanded).zip(least(&reflected)).is_some_and(|(e, r)| e.1 < r.1);
                self.accept(if better { expanded } else { reflected });
            }
            Trial::Shrink => {
                let shrunk = self.taken(losses);
                self.accept(shrunk);
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
