//! One level of a registration: coefficients of a lattice descend from those of the level before.

use std::ops::ControlFlow;

use super::bending::{self, bending};
use super::folds::{FoldGuard, Folds};
use super::optimiser::{Cost, Ended, LevelState, Objective, Optimiser, OptimiserSearch, TraceRow};
use super::similarity::{Border, Evaluator, JointHistogram, Similarity, TooFew};
use super::{Affine, Grid, Lattice, ScaledVolume};
use crate::Cpu;

/// What the result of a level depends on, beside the coefficients at its start.
#[derive(Clone, Copy, Debug)]
pub struct LevelProblem<'a> {
    /// The fixed volume at this level.
    pub fixed: &'a ScaledVolume,
    /// The moving volume at this level.
    pub moving: &'a ScaledVolume,
    /// The voxels of the fixed volume at full size.
    pub full: &'a Grid,
    /// The affine part of the transform.
    pub affine: Affine,
    /// The control points of this level.
    pub lattice: Lattice,
    /// The spacing of the last level's lattice in mm.
    pub final_spacing: f64,
    /// What is descended.
    pub similarity: Similarity,
    /// How.
    pub optimiser: Optimiser,
    /// The share of the cost at the start that an iteration must gain, on average of five.
    pub tolerance: f64,
    /// The weight of the bending energy.
    pub bending: f64,
    /// The longest move of a point per iteration, in voxels of the level.
    pub step: f64,
}

/// Too few voxels of the fixed volume lie over the moving one.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "expected volumes that overlap, found {counted} voxels of {of} over the moving volume: the centres are {apart:.1} mm apart"
)]
pub struct NoOverlap {
    /// Voxels that count.
    pub counted: u64,
    /// Voxels within the fixed mask.
    pub of: u64,
    /// Millimetres between the volumes' centres, after the affine map.
    pub apart: f64,
}

/// Single precision, in which levels run, or double, in which they are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits for samples.
    Single,
    /// 64 bits.
    Double,
}

/// The cost of some coefficients, in detail.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The cost.
    pub cost: Cost,
    /// What places that nearly fold cost, which is part of the total.
    pub folding: f64,
    /// Its gradient by each coefficient.
    pub gradient: Vec<f64>,
    /// None for squared differences.
    pub joint: Option<JointHistogram>,
    /// The warped value of each voxel; 0 where it does not count.
    pub warped: Vec<f64>,
    /// Which voxels count.
    pub counted: Vec<bool>,
}

impl LevelProblem<'_> {
    /// The cost and the gradient of some coefficients.
    ///
    /// # Errors
    /// When too few voxels count.
    pub fn evaluate(
        &self,
        coefficients: &[f64],
        precision: Precision,
        cpu: Cpu,
    ) -> Result<Evaluation, NoOverlap> {
        match precision {
            Precision::Single => self.evaluate_in::<f32>(coefficients, cpu),
            Precision::Double => self.evaluate_in::<f64>(coefficients, cpu),
        }
    }

    fn evaluate_in<T: super::real::Real>(
        &self,
        coefficients: &[f64],
        cpu: Cpu,
    ) -> Result<Evaluation, NoOverlap> {
        let mut evaluator = self.evaluator::<T>(Border::Sharp, cpu);
        let measured = evaluator.measure(coefficients).cloned().map_err(|few| self.no_overlap(few))?;
        let mut gradient = evaluator.gradient();
        let weighted = Some((gradient.as_mut_slice(), self.bending));
        let bent = bending(&self.lattice, coefficients, self.final_spacing, weighted, cpu);
        let guard = FoldGuard::new(self.full, &self.affine, &self.lattice);
        let folds = guard.cost(coefficients, cpu);
        guard.add_gradient(&folds, &mut gradient);
        let cost = self.cost(measured.cost, bent, folds.cost(), measured.counted);
        let (warped, counted) = evaluator.warped();
        let warped = warped.into_iter().map(T::wide).collect();
        Ok(Evaluation { cost, folding: folds.cost(), gradient, joint: measured.joint, warped, counted })
    }

    fn evaluator<T: super::real::Real>(&self, border: Border, cpu: Cpu) -> Evaluator<'_, T> {
        let pair = (self.fixed, self.moving);
        Evaluator::new(pair, self.full, &self.affine, self.lattice, (self.similarity, border), cpu)
    }

    fn cost(&self, similarity: f64, bending: f64, folding: f64, counted: u64) -> Cost {
        Cost { total: similarity + self.bending * bending + folding, similarity, bending, counted }
    }

    fn no_overlap(&self, few: TooFew) -> NoOverlap {
        no_overlap(few, self.full, self.moving.grid(), &self.affine)
    }
}

pub(super) fn no_overlap(few: TooFew, fixed: &Grid, moving: &Grid, affine: &Affine) -> NoOverlap {
    let (moved, centre) = (affine.apply(fixed.centre()), moving.centre());
    let apart = (0..3).map(|axis| (moved[axis] - centre[axis]).powi(2)).sum::<f64>().sqrt();
    NoOverlap { counted: few.counted, of: few.of, apart }
}

/// Bytes that [`LevelRun`] allocates, beside the volumes of its level and the coefficients it starts from.
pub fn level_bytes(fixed: &Grid, moving: &Grid, lattice: &Lattice, similarity: Similarity, cpu: Cpu) -> u64 {
    let moving = moving.voxels() as u64;
    Evaluator::<f32>::bytes(fixed.size(), moving, lattice, similarity, cpu)
        + bending::bytes(lattice, cpu).max(2 * lattice.bytes()).max(FoldGuard::bytes(lattice, cpu))
        + VECTORS * lattice.bytes()
}

/// Vectors of a run: 14 of the state, the direction, a trial and its gradient.
const VECTORS: u64 = 17;

/// A level that runs, iteration by iteration.
pub struct LevelRun<'a> {
    objective: LatticeObjective<'a>,
    search: OptimiserSearch,
}

struct LatticeObjective<'a> {
    problem: LevelProblem<'a>,
    evaluator: Evaluator<'a, f32>,
    guard: FoldGuard,
    /// Of the place whose cost was asked last.
    folds: Option<Folds>,
    cpu: Cpu,
}

impl Objective for LatticeObjective<'_> {
    fn cost(&mut self, place: &[f64]) -> Option<Cost> {
        let measured = self.evaluator.measure(place).ok()?;
        let (similarity, counted) = (measured.cost, measured.counted);
        let bent = bending(&self.problem.lattice, place, self.problem.final_spacing, None, self.cpu);
        let folding = self.folds.insert(self.guard.cost(place, self.cpu)).cost();
        Some(self.problem.cost(similarity, bent, folding, counted)).filter(|cost| cost.total.is_finite())
    }

    fn gradient(&mut self, place: &[f64]) -> Vec<f64> {
        let mut gradient = self.evaluator.gradient();
        let LevelProblem { lattice, final_spacing, bending: weight, .. } = self.problem;
        if weight > 0.0 {
            bending(&lattice, place, final_spacing, Some((&mut gradient, weight)), self.cpu);
        }
        if let Some(folds) = self.folds.take() {
            self.guard.add_gradient(&folds, &mut gradient);
        }
        gradient
    }

    fn longest_move(&self, step: &[f64]) -> f64 {
        let (x, rest) = step.split_at(step.len() / 3);
        let (y, z) = rest.split_at(x.len());
        let squares = x.iter().zip(y).zip(z).map(|((x, y), z)| x * x + y * y + z * z);
        squares.fold(0.0, f64::max).sqrt()
    }

    fn reach(&self) -> f64 {
        self.problem.step * self.problem.fixed.grid().largest_spacing()
    }
}

impl<'a> LevelRun<'a> {
    /// A level at its start.
    ///
    /// # Errors
    /// When too few voxels count there.
    pub fn new(
        problem: LevelProblem<'a>,
        coefficients: Vec<f64>,
        cpu: Cpu,
    ) -> Result<LevelRun<'a>, NoOverlap> {
        let mut objective = LatticeObjective::new(problem, cpu);
        let few = objective.evaluator.measure(&coefficients).err();
        if let Some(few) = few {
            return Err(problem.no_overlap(few));
        }
        let search =
            OptimiserSearch::start(&mut objective, coefficients, problem.optimiser, problem.tolerance);
        let search =
            search.ok_or_else(|| problem.no_overlap(TooFew { counted: 0, of: problem.fixed.counting() }))?;
        Ok(LevelRun { objective, search })
    }

    /// A level that goes on from a saved state of the same problem; none when the state is of another lattice.
    pub fn resume(problem: LevelProblem<'a>, state: LevelState, cpu: Cpu) -> Option<LevelRun<'a>> {
        let fits = state.coefficients.len() == problem.lattice.coefficients();
        let search = OptimiserSearch::resume(state, problem.optimiser, problem.tolerance);
        fits.then(|| LevelRun { objective: LatticeObjective::new(problem, cpu), search })
    }

    /// One iteration; says when the level has ended by itself.
    pub fn advance(&mut self) -> Option<Ended> {
        self.search.advance(&mut self.objective)
    }

    /// Runs until this many iterations are done, counted from the level's start, the level has ended, or `observe`, which
    /// sees the state after each iteration, breaks. Says how the level ended by itself, if it did.
    pub fn run(
        &mut self,
        iterations: u32,
        observe: &mut dyn FnMut(&LevelState) -> ControlFlow<()>,
    ) -> Option<Ended> {
        while self.state().iteration() < iterations && self.advance().is_none() {
            if observe(self.state()).is_break() {
                return None;
            }
        }
        self.state().ended()
    }

    /// The state now.
    pub fn state(&self) -> &LevelState {
        &self.search.state
    }

    /// The coefficients now.
    pub fn coefficients(&self) -> &[f64] {
        self.state().coefficients()
    }

    /// The cost now.
    pub fn cost(&self) -> Cost {
        self.state().cost()
    }

    /// All iterations.
    pub fn trace(&self) -> &[TraceRow] {
        self.state().trace()
    }

    /// The state, without the buffers of the run.
    pub fn into_state(self) -> LevelState {
        self.search.state
    }
}

impl<'a> LatticeObjective<'a> {
    fn new(problem: LevelProblem<'a>, cpu: Cpu) -> Self {
        let pair = (problem.fixed, problem.moving);
        let evaluator = Evaluator::new(
            pair,
            problem.full,
            &problem.affine,
            problem.lattice,
            (problem.similarity, Border::Soft),
            cpu,
        );
        let guard = FoldGuard::new(problem.full, &problem.affine, &problem.lattice);
        LatticeObjective { problem, evaluator, guard, folds: None, cpu }
    }
}
