//! The operation that measures a registration, and its measures as a table.

use std::collections::BTreeMap;

use onceflow_kernels::registration::{Lattice, Transform};
use onceflow_region::{Column, Pixels, Region, RegionError, Table, Volume};
use onceflow_runtime::{Done, OperationError};

use super::frame::{Frame, cpu};
use super::level::{coefficients, levels_of};
use super::{Arguments, failed};
use crate::fields::jacobian;
use crate::measure::{MeasuredPair, Measures, measure};
use crate::pair::whole_numbers;
use crate::register::Registered;

const NAME: &str = "measure";
const VALUE: &str = "value";

pub(super) fn metrics(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let frame = Frame::of_call(arguments)?;
    let levels = levels_of(arguments.table(6)?)?;
    let factor = levels.last().map_or(1.0, |level| level.factor);
    let lattice =
        Lattice::new(&frame.grids[0], frame.spacing * factor).map_err(|error| failed(error.to_string()))?;
    let coefficients = coefficients(arguments.table(5)?).to_vec();
    if coefficients.len() != lattice.coefficients() {
        return Err(failed("expected the coefficients of the last level"));
    }
    let transform = Transform { fixed: frame.grids[0], affine: frame.affine, lattice, coefficients };
    let registered = Registered { transform, levels: levels.into_iter().map(|level| level.report).collect() };
    let (fixed, moving) = (frame.step(arguments, 0, 0)?, frame.step(arguments, 1, 0)?);
    let labels = labels(arguments.volume(7)?)?.zip(labels(arguments.volume(8)?)?);
    let landmarks = arguments.places(9)?.zip(arguments.places(10)?);
    let jacobian = jacobian(&registered.transform, cpu());
    let with = MeasuredPair {
        fixed: &fixed,
        moving: &moving,
        labels: labels.as_ref().map(|(fixed, moving)| [fixed, moving]),
        landmarks: landmarks.map(|(fixed, moving)| [fixed, moving]),
        jacobian: &jacobian,
        bins: frame.bins,
    };
    let measures = measure(&registered, &with, cpu())?;
    let table = to_table(&measures).map_err(|error| failed(error.to_string()))?;
    Ok(Done::with(vec![Region::Table(table)]))
}

fn labels(volume: Option<&Volume>) -> Result<Option<Pixels>, OperationError> {
    volume.map(|volume| whole_numbers("a label map", volume.values().clone()).map_err(Into::into)).transpose()
}

/// Measures as a table: those that have a value.
///
/// # Errors
/// Never: both columns have a row for each measure.
pub fn to_table(measures: &Measures) -> Result<Table, RegionError> {
    let known = measures.iter().filter_map(|(name, value)| Some((name.clone(), (*value)?)));
    let (names, values): (Vec<String>, Vec<f64>) = known.filter(|(_, value)| value.is_finite()).unzip();
    Table::new(vec![(NAME.to_owned(), Column::Text(names)), (VALUE.to_owned(), Column::Real(values))])
}

/// The measures of a table; none if it is another table.
pub fn measures_of(region: &Region) -> Option<BTreeMap<String, f64>> {
    let table = region.as_table()?;
    let (names, values) = (table.texts(NAME)?, table.reals(VALUE)?);
    Some(names.iter().cloned().zip(values.iter().copied()).collect())
}
