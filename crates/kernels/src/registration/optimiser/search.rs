//! A descent, one iteration at a time, whose state can be kept and taken up again.

use std::fmt;

use super::Optimiser;
use super::directions::{PAIRS, conjugate, lbfgs};
use super::vectors::{add, dot, opposite, scale};

/// Most trials of a step.
const TRIALS: u32 = 9;

/// The share of the promised decrease that a trial must reach.
const SUFFICIENT: f64 = 1e-4;

/// Iterations that must gain something together.
const PATIENCE: usize = 5;

/// What a place costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// C = D + weight x E, and what places that nearly fold cost: 0 where there are none.
    pub total: f64,
    /// D: less is more alike.
    pub similarity: f64,
    /// E: the bending energy.
    pub bending: f64,
    /// Voxels that count.
    pub counted: u64,
}

impl Cost {
    /// Of no place.
    const NONE: Cost = Cost { total: f64::NAN, similarity: f64::NAN, bending: f64::NAN, counted: 0 };
}

/// One iteration; the first one is the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceRow {
    /// Its number.
    pub iteration: u32,
    /// The cost after it.
    pub cost: Cost,
    /// Trials until a step was accepted; 0 at the start.
    pub tries: u32,
}

/// Why a level ended before it was told to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Five iterations gained next to nothing.
    Converged,
    /// No trial was accepted.
    Stalled,
    /// The gradient is 0.
    Flat,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ended::Converged => "converged",
            Ended::Stalled => "stalled",
            Ended::Flat => "flat",
        })
    }
}

/// A step and what it did to the gradient.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) step: Vec<f64>,
    pub(crate) change: Vec<f64>,
    /// Their inner product.
    pub(crate) product: f64,
}

/// All that a level needs to go on with the same bytes: 14 vectors at most.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelState {
    /// The coefficients.
    pub(crate) coefficients: Vec<f64>,
    pub(crate) gradient: Vec<f64>,
    /// Of limited-memory BFGS; the newest last.
    pub(crate) pairs: Vec<Pair>,
    /// The next direction of conjugate gradients.
    pub(crate) direction: Option<Vec<f64>>,
    /// The length of the next trial in longest moves, where trials are halved.
    pub(crate) reach: f64,
    pub(crate) trace: Vec<TraceRow>,
    pub(crate) ended: Option<Ended>,
}

/// What is descended.
pub(crate) trait Objective {
    /// The cost of a place; none when it is refused.
    fn cost(&mut self, place: &[f64]) -> Option<Cost>;
    /// The gradient at the place whose cost was asked last.
    fn gradient(&mut self, place: &[f64]) -> Vec<f64>;
    /// How far a step moves the point that it moves farthest.
    fn longest_move(&self, step: &[f64]) -> f64;
    /// How far one iteration may move a point.
    fn reach(&self) -> f64;
}

/// A descent at some iteration.
pub(crate) struct OptimiserSearch {
    optimiser: Optimiser,
    tolerance: f64,
    pub(crate) state: LevelState,
}

impl OptimiserSearch {
    /// Starts at a place; none when its cost is refused.
    pub(crate) fn start(
        objective: &mut impl Objective,
        place: Vec<f64>,
        optimiser: Optimiser,
        tolerance: f64,
    ) -> Option<OptimiserSearch> {
        let cost = objective.cost(&place)?;
        let gradient = objective.gradient(&place);
        let flat = gradient.iter().all(|part| *part == 0.0);
        let state = LevelState {
            coefficients: place,
            gradient,
            pairs: Vec::new(),
            direction: None,
            reach: 1.0,
            trace: vec![TraceRow { iteration: 0, cost, tries: 0 }],
            ended: flat.then_some(Ended::Flat),
        };
        Some(OptimiserSearch { optimiser, tolerance, state })
    }

    /// Goes on from a state.
    pub(crate) fn resume(state: LevelState, optimiser: Optimiser, tolerance: f64) -> OptimiserSearch {
        OptimiserSearch { optimiser, tolerance, state }
    }

    /// One iteration; says when the descent has ended.
    pub(crate) fn advance(&mut self, objective: &mut impl Objective) -> Option<Ended> {
        if self.state.ended.is_none() {
            self.state.ended = match self.step(objective) {
                true => self.state.end(self.tolerance),
                false => Some(Ended::Stalled),
            };
        }
        self.state.ended
    }

    /// Whether a step was accepted.
    fn step(&mut self, objective: &mut impl Objective) -> bool {
        if self.descend(objective, 0) {
            return true;
        }
        // What earlier steps found may mislead: the next round goes straight down.
        let misled = !self.state.pairs.is_empty() || self.state.direction.is_some();
        self.state.pairs.clear();
        self.state.direction = None;
        misled && self.descend(objective, TRIALS)
    }

    /// One round of trials.
    fn descend(&mut self, objective: &mut impl Objective, tried: u32) -> bool {
        let (direction, mut factor) = self.direction(objective);
        let slope = dot(&direction, &self.state.gradient);
        for tries in 1..=TRIALS {
            let place = self.state.moved(&direction, factor);
            let cost = objective.cost(&place).filter(|cost| self.accepts(cost.total, factor * slope));
            if let Some(cost) = cost {
                let gradient = objective.gradient(&place);
                self.accept(direction, factor, place, gradient);
                let iteration = self.state.iteration() + 1;
                self.state.trace.push(TraceRow { iteration, cost, tries: tried + tries });
                self.state.reach = (self.state.reach * 2.0 * 0.5f64.powi(tries as i32 - 1)).min(1.0);
                return true;
            }
            factor /= 2.0;
        }
        false
    }

    /// Where to go, and the factor of the first trial.
    fn direction(&mut self, objective: &impl Objective) -> (Vec<f64>, f64) {
        let state = &mut self.state;
        let direction = match self.optimiser {
            Optimiser::Lbfgs => Some(lbfgs(&state.gradient, &state.pairs)),
            Optimiser::Cg => state.direction.take(),
            Optimiser::Descent => None,
        };
        let downhill = direction.filter(|direction| dot(direction, &state.gradient) < 0.0);
        if downhill.is_none() {
            state.pairs.clear();
        }
        let direction = downhill.unwrap_or_else(|| opposite(&state.gradient));
        let whole = objective.reach() / objective.longest_move(&direction);
        let factor = match self.optimiser {
            Optimiser::Lbfgs if state.pairs.is_empty() => whole,
            Optimiser::Lbfgs => whole.min(1.0),
            Optimiser::Cg | Optimiser::Descent => whole * state.reach,
        };
        (direction, factor)
    }

    fn accepts(&self, cost: f64, promised: f64) -> bool {
        let before = self.state.cost().total;
        match self.optimiser {
            Optimiser::Lbfgs => cost <= before + SUFFICIENT * promised,
            Optimiser::Cg | Optimiser::Descent => cost < before,
        }
    }

    fn accept(&mut self, direction: Vec<f64>, factor: f64, place: Vec<f64>, gradient: Vec<f64>) {
        let state = &mut self.state;
        match self.optimiser {
            Optimiser::Lbfgs => state.keep_pair(direction, factor, &gradient),
            Optimiser::Cg => state.direction = Some(conjugate(&gradient, &state.gradient, &direction)),
            Optimiser::Descent => {}
        }
        (state.coefficients, state.gradient) = (place, gradient);
    }
}

impl LevelState {
    /// The coefficients.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The costs of all iterations, that of the start first.
    pub fn trace(&self) -> &[TraceRow] {
        &self.trace
    }

    /// Iterations done.
    pub fn iteration(&self) -> u32 {
        self.trace.last().map_or(0, |row| row.iteration)
    }

    /// Why the level ended by itself, if it did.
    pub fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// The cost now.
    pub fn cost(&self) -> Cost {
        self.trace.last().map_or(Cost::NONE, |row| row.cost)
    }

    fn moved(&self, direction: &[f64], factor: f64) -> Vec<f64> {
        let mut place = self.coefficients.clone();
        add(&mut place, direction, factor);
        place
    }

    fn keep_pair(&mut self, direction: Vec<f64>, factor: f64, gradient: &[f64]) {
        let mut step = direction;
        scale(&mut step, factor);
        let mut change = gradient.to_vec();
        add(&mut change, &self.gradient, -1.0);
        let product = dot(&step, &change);
        let lengths = dot(&step, &step).sqrt() * dot(&change, &change).sqrt();
        if product > 1e-10 * lengths {
            if self.pairs.len() == PAIRS {
                self.pairs.remove(0);
            }
            self.pairs.push(Pair { step, change, product });
        }
    }

    /// Whether the descent is at its end.
    fn end(&self, tolerance: f64) -> Option<Ended> {
        if self.gradient.iter().all(|part| *part == 0.0) {
            return Some(Ended::Flat);
        }
        let costs: Vec<f64> = self.trace.iter().rev().take(PATIENCE + 1).map(|row| row.cost.total).collect();
        let first = self.trace.first()?.cost.total.abs();
        let gained = costs.get(PATIENCE)? - costs.first()?;
        (gained < PATIENCE as f64 * tolerance * first).then_some(Ended::Converged)
    }
}
