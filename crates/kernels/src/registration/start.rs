//! Where a registration starts: the affine part of the transform.

use std::fmt;

use super::affine::{Affine, determinant, transposed};
use super::level::{NoOverlap, no_overlap};
use super::optimiser::{Cost, Objective, OptimiserSearch};
use super::similarity::{Border, Evaluator, TooFew};
use super::{Grid, Lattice, Optimiser, Pyramid, ScaledVolume, Similarity};
use crate::Cpu;

/// Which affine map a registration starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Start {
    /// Places stay.
    #[default]
    Identity,
    /// The middle of the fixed volume goes to the middle of the moving one.
    Centres,
    /// The centre of mass of the fixed values goes to that of the moving ones.
    Moments,
    /// The most similar affine map, from `Moments` on.
    Affine,
    /// A given map.
    Given(Affine),
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Start::Identity => "identity",
            Start::Centres => "centres",
            Start::Moments => "moments",
            Start::Affine => "affine",
            Start::Given(_) => "file",
        })
    }
}

/// How the most similar affine map is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AffineSearch {
    /// What is descended.
    pub similarity: Similarity,
    /// How.
    pub optimiser: Optimiser,
    /// The share of the cost at the start that an iteration must gain, on average of five.
    pub tolerance: f64,
}

/// Levels on which an affine map is searched, and most iterations on each.
const LEVELS: u32 = 3;
const ITERATIONS: u32 = 100;

/// How far an affine map may shrink a volume or a length.
const LEAST_SCALE: f64 = 0.5;

/// The affine map that a registration starts from.
///
/// # Errors
/// When the volumes overlap too little there.
pub fn initial(
    start: Start,
    fixed: &Pyramid,
    moving: &Pyramid,
    search: AffineSearch,
    cpu: Cpu,
) -> Result<Affine, NoOverlap> {
    match start {
        Start::Identity => Ok(Affine::IDENTITY),
        Start::Given(affine) => Ok(affine),
        Start::Centres => Ok(between(fixed.full().grid().centre(), moving.full().grid().centre())),
        Start::Moments => Ok(moments(fixed.full(), moving.full())),
        Start::Affine => most_similar(moments(fixed.full(), moving.full()), fixed, moving, search, cpu),
    }
}

fn between(from: [f64; 3], to: [f64; 3]) -> Affine {
    Affine::translation([0, 1, 2].map(|axis| to[axis] - from[axis]))
}

fn moments(fixed: &ScaledVolume, moving: &ScaledVolume) -> Affine {
    between(centre_of_mass(fixed), centre_of_mass(moving))
}

/// The centre of mass; the middle when all values are 0.
fn centre_of_mass(volume: &ScaledVolume) -> [f64; 3] {
    let [width, height, _] = volume.grid().size();
    let mut sums = [0.0; 4];
    for (line, row) in volume.values().chunks(width).enumerate() {
        let (mut mass, mut across) = (0.0, 0.0);
        for (x, value) in row.iter().enumerate().filter(|(x, _)| volume.counts(line * width + x)) {
            mass += f64::from(*value);
            across += x as f64 * f64::from(*value);
        }
        let parts = [across, (line % height) as f64 * mass, (line / height) as f64 * mass, mass];
        (0..4).for_each(|at| sums[at] += parts[at]);
    }
    match sums[3] > 0.0 {
        true => volume.grid().place([0, 1, 2].map(|axis| sums[axis] / sums[3])),
        false => volume.grid().centre(),
    }
}

/// Descends from a start on the coarse levels.
fn most_similar(
    start: Affine,
    fixed: &Pyramid,
    moving: &Pyramid,
    search: AffineSearch,
    cpu: Cpu,
) -> Result<Affine, NoOverlap> {
    let mut affine = start;
    for level in 1..=LEVELS.min(fixed.levels()).min(moving.levels()) {
        let pair = fixed.level(level).zip(moving.level(level));
        let Some((step, other)) = pair else { continue };
        affine = descend(affine, fixed.full().grid(), (step, other), search, cpu)?;
    }
    Ok(affine)
}

fn descend(
    start: Affine,
    full: &Grid,
    pair: (&ScaledVolume, &ScaledVolume),
    search: AffineSearch,
    cpu: Cpu,
) -> Result<Affine, NoOverlap> {
    let refused = |few: TooFew| no_overlap(few, full, pair.1.grid(), &start);
    // A lattice of one cell represents every linear field.
    let longest =
        [0, 1, 2].map(|axis| full.size()[axis] as f64 * full.spacing()[axis]).into_iter().fold(0.0, f64::max);
    let lattice = Lattice::new(full, longest).map_err(|_| refused(TooFew { counted: 0, of: 0 }))?;
    let mut objective = AffineObjective::new(start, full, pair, lattice, search, cpu);
    objective.evaluator.measure(&vec![0.0; lattice.coefficients()]).map_err(refused)?;
    let found = OptimiserSearch::start(&mut objective, vec![0.0; 12], search.optimiser, search.tolerance);
    let Some(mut found) = found else { return Ok(start) };
    while found.state.iteration() < ITERATIONS && found.advance(&mut objective).is_none() {}
    Ok(objective.affine(found.state.coefficients()))
}

/// The cost of twelve numbers: nine entries of a matrix about the middle of the fixed volume, in millimetres at half its
/// diagonal, and a translation, both added to the start.
struct AffineObjective<'a> {
    start: Affine,
    middle: [f64; 3],
    radius: f64,
    /// The places of the control points from the middle, in half diagonals.
    points: Vec<[f64; 3]>,
    corners: Vec<[f64; 3]>,
    reach: f64,
    evaluator: Evaluator<'a, f32>,
}

impl<'a> AffineObjective<'a> {
    fn new(
        start: Affine,
        full: &Grid,
        (fixed, moving): (&'a ScaledVolume, &'a ScaledVolume),
        lattice: Lattice,
        search: AffineSearch,
        cpu: Cpu,
    ) -> Self {
        let (middle, radius) = (full.centre(), full.diagonal() / 2.0);
        let from_middle = |index: [f64; 3]| {
            let place = full.place(index);
            [0, 1, 2].map(|axis| (place[axis] - middle[axis]) / radius)
        };
        let [across, down, _] = lattice.counts;
        let point = |at: usize| {
            let point = [at % across, at / across % down, at / (across * down)];
            from_middle(
                [0, 1, 2].map(|axis| (point[axis] as f64 - 1.0) * lattice.delta / full.spacing()[axis]),
            )
        };
        let last = full.size().map(|side| (side - 1) as f64);
        let corner =
            |at: usize| from_middle([0, 1, 2].map(|axis| if at >> axis & 1 == 1 { last[axis] } else { 0.0 }));
        AffineObjective {
            start,
            middle,
            radius,
            points: (0..lattice.points()).map(point).collect(),
            corners: (0..8).map(corner).collect(),
            reach: fixed.grid().largest_spacing(),
            evaluator: Evaluator::new(
                (fixed, moving),
                full,
                &start,
                lattice,
                (search.similarity, Border::Soft),
                cpu,
            ),
        }
    }

    /// The map of twelve numbers.
    fn affine(&self, numbers: &[f64]) -> Affine {
        let mut affine = self.start;
        for row in 0..3 {
            let entries = &numbers[3 * row..][..3];
            let about: f64 = (0..3).map(|axis| entries[axis] * self.middle[axis] / self.radius).sum();
            (0..3).for_each(|axis| affine.0[row][axis] += entries[axis] / self.radius);
            affine.0[row][3] += numbers[9 + row] - about;
        }
        affine
    }
}

/// Where the numbers move a place, given from the middle in half diagonals.
fn moved(numbers: &[f64], place: [f64; 3], row: usize) -> f64 {
    let entries = &numbers[3 * row..][..3];
    entries[0] * place[0] + entries[1] * place[1] + entries[2] * place[2] + numbers[9 + row]
}

/// Whether a map keeps shapes: without content to hold it, an affine map shrinks a volume to a plane, which is most similar to
/// any other plane.
fn is_plausible(affine: &Affine) -> bool {
    let linear = affine.linear();
    let lengths = transposed(&linear).map(|column| column.iter().map(|part| part * part).sum::<f64>().sqrt());
    let within = |value: f64| (LEAST_SCALE..=1.0 / LEAST_SCALE).contains(&value);
    affine.is_proper() && within(determinant(&linear)) && lengths.into_iter().all(within)
}

impl Objective for AffineObjective<'_> {
    fn cost(&mut self, place: &[f64]) -> Option<Cost> {
        let rows = (0..3).flat_map(|row| self.points.iter().map(move |point| moved(place, *point, row)));
        let coefficients: Vec<f64> = rows.collect();
        let measured = self.evaluator.measure(&coefficients).ok()?;
        let (total, counted) = (measured.cost, measured.counted);
        let cost = Cost { total, similarity: total, bending: 0.0, counted };
        Some(cost).filter(|cost| cost.total.is_finite() && is_plausible(&self.affine(place)))
    }

    fn gradient(&mut self, _place: &[f64]) -> Vec<f64> {
        let forces = self.evaluator.gradient();
        let mut gradient = vec![0.0; 12];
        for (row, forces) in forces.chunks(self.points.len()).enumerate() {
            for (force, point) in forces.iter().zip(&self.points) {
                (0..3).for_each(|axis| gradient[3 * row + axis] += force * point[axis]);
                gradient[9 + row] += force;
            }
        }
        gradient
    }

    fn longest_move(&self, step: &[f64]) -> f64 {
        let square = |corner: &[f64; 3]| (0..3).map(|row| moved(step, *corner, row).powi(2)).sum::<f64>();
        self.corners.iter().map(square).fold(0.0, f64::max).sqrt()
    }

    fn reach(&self) -> f64 {
        self.reach
    }
}
