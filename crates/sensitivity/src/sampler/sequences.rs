//! Plain rows: random ones, and points of sequences. Excluded points are drawn again or skipped, so that a larger sample
//! begins with the smaller one.

use onceflow_study::{Parameter, Space};
use rayon::prelude::*;

use super::feasible::Feasible;
use super::halton::Halton;
use super::sobol::{Directions, Sequence};
use super::{SampleError, SampledRows};
use crate::RowRole;
use crate::quantile::Quantile;
use crate::random::{RandomStream, StreamPurpose};

/// Independent random rows, each from its own stream.
pub(super) fn monte_carlo(
    space: &Space,
    quantiles: &[Quantile],
    count: u64,
    seed: u64,
) -> Result<SampledRows, SampleError> {
    let stream_of = |row| RandomStream::new(seed, StreamPurpose::MonteCarlo, row, 0);
    let mut drawing = (0, stream_of(0));
    walk(space, quantiles, count, |row, units| {
        if drawing.0 != row {
            drawing = (row, stream_of(row));
        }
        units.iter_mut().for_each(|unit| *unit = drawing.1.unit());
    })
}

/// Rows along Halton's sequence, scrambled when there is a seed.
pub(super) fn halton(
    space: &Space,
    quantiles: &[Quantile],
    count: u64,
    seed: Option<u64>,
) -> Result<SampledRows, SampleError> {
    let halton = Halton::new(quantiles.len(), seed)?;
    let mut index = 0;
    walk(space, quantiles, count, |_, units| {
        halton.point_into(index, units);
        index += 1;
    })
}

/// Hammersley's set: `i / count` beside Halton's sequence; with a seed, a random place in each of the strata.
pub(super) fn hammersley(
    space: &Space,
    quantiles: &[Quantile],
    count: u64,
    seed: Option<u64>,
) -> Result<SampledRows, SampleError> {
    Feasible::new(space).refuse_any("hammersley")?;
    let halton = Halton::new(quantiles.len() - 1, seed)?;
    let mut jitter = seed.map(|seed| RandomStream::new(seed, StreamPurpose::Jitter, 0, 0));
    walk(space, quantiles, count, |row, units| {
        let place = jitter.as_mut().map_or(0.0, RandomStream::unit);
        units[0] = stratum_unit(row, place, count);
        halton.point_into(row, &mut units[1..]);
    })
}

/// A place in one of `count` strata, kept below the next one whatever the rounding.
pub(super) fn stratum_unit(stratum: u64, place: f64, count: u64) -> f64 {
    let end = (stratum + 1) as f64 / count as f64;
    ((stratum as f64 + place) / count as f64).min(end.next_down())
}

/// Rows along Sobol's sequence, scrambled when there is a seed.
pub(super) fn sobol(
    space: &Space,
    quantiles: &[Quantile],
    count: u64,
    seed: Option<u64>,
) -> Result<SampledRows, SampleError> {
    let directions = Directions::new(quantiles.len())?;
    let mut sequence = directions.sequence(seed, 0);
    if Feasible::new(space).is_everything() {
        return Ok(SampledRows::points(quantiles.len(), along(&sequence, quantiles, count)));
    }
    walk(space, quantiles, count, |_, units| sequence.next_into(units))
}

/// Points that are handed to one thread: enough to be worth it, few enough to share well.
const BLOCK: usize = 4096;

/// The first points, all of which are rows; each block of them starts where its number says.
fn along(sequence: &Sequence<'_>, quantiles: &[Quantile], count: u64) -> Vec<f64> {
    let width = quantiles.len();
    let mut values = vec![0.0; count as usize * width];
    values.par_chunks_mut(BLOCK * width).enumerate().for_each(|(block, rows)| {
        let mut sequence = sequence.clone();
        sequence.seek((block * BLOCK) as u64);
        let mut units = vec![0.0; width];
        for row in rows.chunks_exact_mut(width) {
            sequence.next_into(&mut units);
            to_values(quantiles, &units, row);
        }
    });
    values
}

/// Warnings about a sequence that is not scrambled.
pub(super) fn warnings(space: &Space) -> Vec<String> {
    let is_endless = |p: &&Parameter| {
        p.distribution.is_unbounded() && p.domain.ends().is_some_and(|(from, _)| from.is_infinite())
    };
    let names = space.parameters().iter().filter(is_endless).map(|p| format!("`{}`", p.name));
    let names = names.collect::<Vec<_>>().join(", ");
    let said = "the first point of a sequence that is not scrambled is 0 in every coordinate, far out for";
    if names.is_empty() { Vec::new() } else { vec![format!("{said} {names}: scramble it")] }
}

/// Takes points until there are `count` rows that the constraints leave; `next` is told which row it draws for.
fn walk(
    space: &Space,
    quantiles: &[Quantile],
    count: u64,
    mut next: impl FnMut(u64, &mut [f64]),
) -> Result<SampledRows, SampleError> {
    let mut feasible = Feasible::new(space);
    let mut rows = SampledRows::with_capacity(quantiles.len(), count as usize);
    let (mut units, mut values) = (vec![0.0; quantiles.len()], vec![0.0; quantiles.len()]);
    for row in 0..count {
        feasible.draw(|feasible| {
            next(row, &mut units);
            to_values(quantiles, &units, &mut values);
            feasible.holds(&values)
        })?;
        rows.push(RowRole::Point, 0, 0, &values);
    }
    Ok(rows)
}

/// Maps a point of the unit cube to a row.
pub(super) fn to_values(quantiles: &[Quantile], units: &[f64], values: &mut [f64]) {
    for ((value, quantile), unit) in values.iter_mut().zip(quantiles).zip(units) {
        *value = quantile.at(*unit);
    }
}
