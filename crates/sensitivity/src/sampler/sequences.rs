//! Plain rows taken along a sequence; points that a constraint excludes are skipped, so that more rows begin with fewer.

use onceflow_study::Space;

use super::feasible::Feasible;
use super::sobol::Directions;
use super::{Rows, SampleError};
use crate::Role;
use crate::quantile::Quantile;

/// Rows along Sobol's sequence, scrambled when there is a seed.
pub(super) fn sobol(
    space: &Space,
    quantiles: &[Quantile],
    count: u64,
    seed: Option<u64>,
) -> Result<Rows, SampleError> {
    let directions = Directions::new(quantiles.len())?;
    let mut sequence = directions.sequence(seed, 0);
    walk(space, quantiles, count, |units| sequence.next_into(units))
}

/// Takes points until there are `count` rows that the constraints leave.
fn walk(
    space: &Space,
    quantiles: &[Quantile],
    count: u64,
    mut next: impl FnMut(&mut [f64]),
) -> Result<Rows, SampleError> {
    let mut feasible = Feasible::new(space);
    let mut rows = Rows::with_capacity(quantiles.len(), count as usize);
    let (mut units, mut values) = (vec![0.0; quantiles.len()], vec![0.0; quantiles.len()]);
    for _ in 0..count {
        feasible.draw(|feasible| {
            next(&mut units);
            to_values(quantiles, &units, &mut values);
            feasible.holds(&values)
        })?;
        rows.push(Role::Point, 0, 0, &values);
    }
    Ok(rows)
}

/// Maps a point of the unit cube to a row.
pub(super) fn to_values(quantiles: &[Quantile], units: &[f64], values: &mut [f64]) {
    for ((value, quantile), unit) in values.iter_mut().zip(quantiles).zip(units) {
        *value = quantile.at(*unit);
    }
}
