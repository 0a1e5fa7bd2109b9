//! Full and fractional grids: every combination of values, the last parameter changing fastest.

use onceflow_study::{GridDesign, Space};

use super::feasible::Feasible;
use super::{SampleError, SampledRows};
use crate::RowRole;
use crate::quantile::Quantile;

/// Most rows of a grid before constraints.
const MOST_ROWS: u128 = 1 << 24;

/// The combinations whose value numbers add up to 0 modulo the fraction and that the constraints leave.
pub(super) fn rows(
    space: &Space,
    quantiles: &[Quantile],
    grid: &GridDesign,
) -> Result<SampledRows, SampleError> {
    check(space, quantiles, grid)?;
    let counts: Vec<u64> = quantiles.iter().map(|quantile| quantile.places(grid.values)).collect();
    let feasible = Feasible::new(space);
    let mut rows = SampledRows::with_capacity(quantiles.len(), 0);
    let mut places = vec![0; counts.len()];
    let mut values = vec![0.0; counts.len()];
    loop {
        write_values(quantiles, &places, &counts, &mut values);
        if feasible.holds(&values) {
            rows.push(RowRole::Point, 0, 0, &values);
        }
        if !advance(&mut places, &counts, grid.fraction) {
            break;
        }
    }
    if rows.is_empty() { Err(feasible.nothing_left()) } else { Ok(rows) }
}

fn check(space: &Space, quantiles: &[Quantile], grid: &GridDesign) -> Result<(), SampleError> {
    if grid.fraction == 0 {
        return Err(SampleError::Zero { what: "fraction" });
    }
    if quantiles.iter().any(|quantile| quantile.places(grid.values) < 2) {
        return Err(SampleError::Values { found: grid.values });
    }
    // Every combination of the other parameters is visited, also where the last has no value that fits.
    let last = quantiles.last().map_or(1, |quantile| u128::from(quantile.places(grid.values)));
    let full = space.grid_rows(&GridDesign { fraction: 1, ..*grid });
    let visited = (full / last).saturating_mul(last.div_ceil(u128::from(grid.fraction)));
    if visited > MOST_ROWS {
        let to_do = "keep fewer parameters, take a fraction, or use lhs or sobol";
        return Err(SampleError::TooMany { what: "rows of a grid", found: visited, most: MOST_ROWS, to_do });
    }
    Ok(())
}

fn write_values(quantiles: &[Quantile], places: &[u64], counts: &[u64], values: &mut [f64]) {
    for (parameter, quantile) in quantiles.iter().enumerate() {
        values[parameter] = quantile.value_at(places[parameter], counts[parameter]);
    }
}

/// Moves to the next combination; false when there is none. The last parameter leaps to the places that fit the sum.
fn advance(places: &mut [u64], counts: &[u64], fraction: u64) -> bool {
    let Some(last) = places.len().checked_sub(1) else { return false };
    places[last] = places[last].saturating_add(fraction);
    while places[last] >= counts[last] {
        if !count_on(&mut places[..last], counts) {
            return false;
        }
        let sum = places[..last].iter().fold(0, |sum, place| (sum + place % fraction) % fraction);
        places[last] = (fraction - sum) % fraction;
    }
    true
}

/// Counts on like an odometer; false when it would begin anew.
fn count_on(places: &mut [u64], counts: &[u64]) -> bool {
    let length = places.len();
    for (place, count) in places.iter_mut().zip(&counts[..length]).rev() {
        *place += 1;
        if *place < *count {
            return true;
        }
        *place = 0;
    }
    false
}
