//! Latin hypercubes: each parameter's range is cut into as many strata as there are rows, each hit once.

mod exchange;
mod maximin;
mod nested;

use onceflow_study::{LatinHypercube, Space};

use super::feasible::Feasible;
use super::sequences::{stratum_unit, to_values};
use super::{SampleError, SampledRows};
use crate::RowRole;
use crate::quantile::Quantile;
use crate::random::{RandomStream, StreamPurpose};

pub(super) use nested::is_grown_from;

/// The rows of a Latin hypercube. Constraints are met by exchanging values of one column, which keeps the strata; the
/// nested kind, whose values must not move, refuses them.
pub(super) fn rows(
    space: &Space,
    quantiles: &[Quantile],
    count: u64,
    kind: LatinHypercube,
    seed: u64,
) -> Result<SampledRows, SampleError> {
    let feasible = Feasible::new(space);
    let columns = quantiles.len() as u64;
    let units = match kind {
        LatinHypercube::Nested => {
            feasible.refuse_any("nested lhs")?;
            (0..columns).map(|column| nested::column(seed, column, count)).collect()
        }
        LatinHypercube::Centred => (0..columns).map(|column| plain(seed, column, count, true)).collect(),
        LatinHypercube::Plain | LatinHypercube::Maximin => {
            (0..columns).map(|column| plain(seed, column, count, false)).collect()
        }
    };
    let mut square = LatinSquare::new(quantiles, units);
    square.satisfy(&feasible, seed)?;
    if kind == LatinHypercube::Maximin {
        maximin::spread(&mut square, &feasible, seed)?;
    }
    Ok(square.into_rows())
}

/// Strata in random order, and in each a random place or the middle.
fn plain(seed: u64, column: u64, count: u64, centred: bool) -> Vec<f64> {
    let mut stream = RandomStream::new(seed, StreamPurpose::Column, column, 0);
    let mut strata: Vec<u64> = (0..count).collect();
    stream.shuffle(&mut strata);
    let mut place = || if centred { 0.5 } else { stream.unit() };
    strata.into_iter().map(|stratum| stratum_unit(stratum, place(), count)).collect()
}

/// A Latin hypercube in the making: the rows as points of the unit cube and as values.
struct LatinSquare {
    rows: usize,
    parameters: usize,
    units: Vec<f64>,
    values: Vec<f64>,
}

impl LatinSquare {
    fn new(quantiles: &[Quantile], columns: Vec<Vec<f64>>) -> Self {
        let (rows, parameters) = (columns.first().map_or(0, Vec::len), quantiles.len());
        let mut units = vec![0.0; rows * parameters];
        for (place, column) in columns.into_iter().enumerate() {
            units.iter_mut().skip(place).step_by(parameters).zip(column).for_each(|(unit, u)| *unit = u);
        }
        let mut values = vec![0.0; units.len()];
        for (units, values) in units.chunks_exact(parameters).zip(values.chunks_exact_mut(parameters)) {
            to_values(quantiles, units, values);
        }
        Self { rows, parameters, units, values }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.parameters..(row + 1) * self.parameters]
    }

    fn unit(&self, row: usize, column: usize) -> f64 {
        self.units[row * self.parameters + column]
    }

    fn exchange(&mut self, column: usize, a: usize, b: usize) {
        let (a, b) = (a * self.parameters + column, b * self.parameters + column);
        self.units.swap(a, b);
        self.values.swap(a, b);
    }

    fn into_rows(self) -> SampledRows {
        let mut rows = SampledRows::with_capacity(self.parameters, self.rows);
        self.values.chunks_exact(self.parameters).for_each(|values| rows.push(RowRole::Point, 0, 0, values));
        rows
    }
}
