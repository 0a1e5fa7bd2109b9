//! Designs for elementary effects (Morris 1991): trajectories and stars on parameters of unequal numbers of values.
//!
//! A parameter of `p` values moves by `p / 2` places (rounded down), a word to any other word; the members of a group
//! move together. Distributions of discrete parameters play no part: every value is as likely a start.

mod distance;
mod spread;

use onceflow_study::{Factor, MorrisDesign, Space, Trajectories};

use super::feasible::Feasible;
use super::sobol::Directions;
use super::{SampleError, SampledRows};
use crate::RowRole;
use crate::quantile::Quantile;
use crate::random::{RandomStream, StreamPurpose};

/// Most random trajectories to choose from, and most values of their rows: the distances of all pairs are kept.
const MOST_CANDIDATES: u64 = 4096;
const MOST_CANDIDATE_VALUES: u128 = 1 << 27;

/// The rows of all trajectories or stars.
pub(super) fn rows(
    space: &Space,
    quantiles: &[Quantile],
    design: &MorrisDesign,
    seed: u64,
) -> Result<SampledRows, SampleError> {
    let scale = FactorScale::new(space, quantiles, design)?;
    let mut feasible = Feasible::for_pairs(space);
    feasible.refuse_coupled("morris")?;
    let count = design.trajectories;
    let trajectories = match design.kind {
        Trajectories::Plain => scale.trajectories(&mut feasible, seed, count),
        Trajectories::Optimised { candidates } => scale.most_spread(&mut feasible, seed, count, candidates),
        Trajectories::Radial => scale.stars(&mut feasible, seed, count),
    }?;
    let radial = design.kind == Trajectories::Radial;
    let mut rows =
        SampledRows::with_capacity(quantiles.len(), trajectories.len() * (space.factors().len() + 1));
    for (base, trajectory) in (0..).zip(&trajectories) {
        trajectory.push_rows(&scale, base, radial, &mut rows);
    }
    Ok(rows)
}

/// The places that parameters move between.
struct FactorScale<'a> {
    factors: &'a [Factor],
    quantiles: &'a [Quantile],
    /// Number of places of each parameter.
    counts: Vec<u64>,
    /// Whether its places have no order.
    unordered: Vec<bool>,
}

/// Where every parameter starts and ends, and in which order the factors move.
struct Trajectory {
    start: Vec<u64>,
    end: Vec<u64>,
    order: Vec<usize>,
}

impl<'a> FactorScale<'a> {
    fn new(space: &'a Space, quantiles: &'a [Quantile], design: &MorrisDesign) -> Result<Self, SampleError> {
        let counts: Vec<u64> = quantiles.iter().map(|quantile| quantile.places(design.values)).collect();
        if counts.iter().any(|count| *count < 2) {
            return Err(SampleError::Values { found: design.values });
        }
        let unordered = space.parameters().iter().map(|p| p.domain.is_categorical()).collect();
        Ok(Self { factors: space.factors(), quantiles, counts, unordered })
    }

    fn values(&self, places: &[u64]) -> Vec<f64> {
        let each = self.quantiles.iter().zip(places).zip(&self.counts);
        each.map(|((quantile, place), count)| quantile.value_at(*place, *count)).collect()
    }

    /// Draws starts and ends until the constraints leave both; factors are not coupled, so that all between are left.
    fn draw(
        &self,
        feasible: &mut Feasible<'_>,
        mut places: impl FnMut(usize) -> (u64, u64),
    ) -> Result<(Vec<u64>, Vec<u64>), SampleError> {
        let (mut start, mut end) = (Vec::new(), Vec::new());
        feasible.draw(|feasible| {
            (start, end) = (0..self.counts.len()).map(&mut places).unzip();
            feasible.is_everything()
                || feasible.holds(&self.values(&start)) && feasible.holds(&self.values(&end))
        })?;
        Ok((start, end))
    }

    fn trajectory(
        &self,
        feasible: &mut Feasible<'_>,
        seed: u64,
        index: u64,
    ) -> Result<Trajectory, SampleError> {
        let mut stream = RandomStream::new(seed, StreamPurpose::Trajectory, index, 0);
        let (start, end) = self.draw(feasible, |parameter| {
            let start = stream.below(self.counts[parameter]);
            (start, self.step(parameter, start, &mut stream))
        })?;
        let mut order: Vec<usize> = (0..self.factors.len()).collect();
        stream.shuffle(&mut order);
        Ok(Trajectory { start, end, order })
    }

    fn step(&self, parameter: usize, start: u64, stream: &mut RandomStream) -> u64 {
        let count = self.counts[parameter];
        if self.unordered[parameter] {
            return other_place(start, stream.below(count - 1));
        }
        let step = count / 2;
        let (up, down) = (start + step < count, start >= step);
        let goes_up = if up && down { stream.below(2) == 1 } else { up };
        if goes_up { start + step } else { start - step }
    }

    fn trajectories(
        &self,
        feasible: &mut Feasible<'_>,
        seed: u64,
        count: u64,
    ) -> Result<Vec<Trajectory>, SampleError> {
        (0..count).map(|index| self.trajectory(feasible, seed, index)).collect()
    }

    /// Stars from a scrambled Sobol' sequence of two coordinates per parameter: one for the centre, one for the end,
    /// which is any other place.
    fn stars(
        &self,
        feasible: &mut Feasible<'_>,
        seed: u64,
        count: u64,
    ) -> Result<Vec<Trajectory>, SampleError> {
        let parameters = self.counts.len();
        let directions = Directions::new(2 * parameters)?;
        let mut sequence = directions.sequence(Some(seed), 0);
        let mut units = vec![0.0; 2 * parameters];
        let place = |unit: f64, count: u64| ((unit * count as f64) as u64).min(count - 1);
        let mut star = || {
            let (start, end) = self.draw(feasible, |parameter| {
                if parameter == 0 {
                    sequence.next_into(&mut units);
                }
                let start = place(units[parameter], self.counts[parameter]);
                let other = place(units[parameters + parameter], self.counts[parameter] - 1);
                (start, other_place(start, other))
            })?;
            Ok(Trajectory { start, end, order: (0..self.factors.len()).collect() })
        };
        (0..count).map(|_| star()).collect()
    }

    fn most_spread(
        &self,
        feasible: &mut Feasible<'_>,
        seed: u64,
        count: u64,
        candidates: u64,
    ) -> Result<Vec<Trajectory>, SampleError> {
        self.check_candidates(count, candidates)?;
        let drawn = self.trajectories(feasible, seed, candidates)?;
        let chosen = spread::choose(&distance::squares(self, &drawn), drawn.len(), count as usize);
        let mut kept: Vec<Option<Trajectory>> = drawn.into_iter().map(Some).collect();
        Ok(chosen.into_iter().filter_map(|index| kept[index].take()).collect())
    }
}

impl FactorScale<'_> {
    fn check_candidates(&self, count: u64, candidates: u64) -> Result<(), SampleError> {
        if candidates > MOST_CANDIDATES || candidates < count {
            let found = candidates;
            return Err(SampleError::Candidates { found, least: count, most: MOST_CANDIDATES });
        }
        let values = u128::from(candidates) * (self.factors.len() as u128 + 1) * self.counts.len() as u128;
        if values > MOST_CANDIDATE_VALUES {
            return Err(SampleError::TooMany {
                what: "values of candidate trajectories",
                found: values,
                most: MOST_CANDIDATE_VALUES,
                to_do: "take fewer candidates, or plain trajectories",
            });
        }
        Ok(())
    }
}

/// A place other than `place`, by its number among the others.
fn other_place(place: u64, other: u64) -> u64 {
    if other < place { other } else { other + 1 }
}

impl Trajectory {
    fn push_rows(&self, scale: &FactorScale<'_>, base: u64, from_start: bool, rows: &mut SampledRows) {
        let (start, end) = (scale.values(&self.start), scale.values(&self.end));
        rows.push(RowRole::Start, base, 0, &start);
        let mut row = start.clone();
        for factor in &self.order {
            if from_start {
                row.copy_from_slice(&start);
            }
            scale.factors[*factor].members.iter().for_each(|member| row[*member] = end[*member]);
            rows.push(RowRole::Step(*factor), base, 0, &row);
        }
    }
}
