//! Conversions between regions and the buffers of kernels.

use onceflow_kernels::{Bits, Connectivity, Mask, Plane, View};
use onceflow_region::{Dense, Pixels, Region, RegionError, Table};
use onceflow_runtime::{Done, OperationError};
use onceflow_study::Canonical;

use super::Arguments;
pub(super) use onceflow_kernels::dense::{colour, grey, labels};

impl<'a> Arguments<'a> {
    /// An input.
    pub(super) fn region(&self, input: usize) -> Result<&'a Region, OperationError> {
        let region = self.inputs.get(input).map(AsRef::as_ref);
        region.ok_or_else(|| OperationError::new(format!("expected an input number {input}, found none")))
    }

    fn dense(&self, input: usize) -> Result<&'a Dense, OperationError> {
        self.region(input)?.as_dense().ok_or_else(|| wrong(input, "pixels"))
    }

    /// A table.
    pub(super) fn table(&self, input: usize) -> Result<&'a Table, OperationError> {
        self.region(input)?.as_table().ok_or_else(|| wrong(input, "a table"))
    }

    /// A mask or grey image.
    pub(super) fn grey(&self, input: usize) -> Result<View<'a, u8>, OperationError> {
        grey(self.dense(input)?).ok_or_else(|| wrong(input, "8-bit grey pixels"))
    }

    /// A mask.
    pub(super) fn mask(&self, input: usize) -> Result<Mask<'a>, OperationError> {
        let dense = self.dense(input)?;
        let bits = |words| Mask::of_words(words, dense.width(), dense.height());
        dense.as_bits().and_then(bits).map_or_else(|| self.grey(input).map(Mask::from), Ok)
    }

    /// A colour image.
    pub(super) fn colour(&self, input: usize) -> Result<View<'a, [u8; 3]>, OperationError> {
        colour(self.dense(input)?).ok_or_else(|| wrong(input, "8-bit colour pixels"))
    }

    /// A whole number.
    pub(super) fn integer(&self, parameter: usize) -> Result<i64, OperationError> {
        match self.parameters.get(parameter) {
            Some(Canonical::Integer(value)) => Ok(*value),
            other => Err(wrong_parameter(parameter, "a whole number", other.copied())),
        }
    }

    /// A number.
    pub(super) fn real(&self, parameter: usize) -> Result<f64, OperationError> {
        match self.parameters.get(parameter) {
            Some(Canonical::Real(bits)) => Ok(f64::from_bits(*bits)),
            other => Err(wrong_parameter(parameter, "a number", other.copied())),
        }
    }

    /// A neighbourhood.
    pub(super) fn connectivity(&self, parameter: usize) -> Result<Connectivity, OperationError> {
        match self.parameters.get(parameter) {
            Some(Canonical::Connectivity8(true)) => Ok(Connectivity::Eight),
            Some(Canonical::Connectivity8(false)) => Ok(Connectivity::Four),
            other => Err(wrong_parameter(parameter, "a connectivity", other.copied())),
        }
    }
}

/// A mask as a region that keeps its bits.
pub(super) fn from_bits(mask: Bits) -> Result<Region, OperationError> {
    let (width, height) = (mask.width(), mask.height());
    Ok(Region::Dense(Dense::of_bits(width, height, mask.into_words()).map_err(impossible)?))
}

/// A mask or grey image as a region.
pub(super) fn from_grey(plane: Plane<u8>) -> Result<Region, OperationError> {
    let (width, height) = (plane.width(), plane.height());
    Ok(Region::Dense(Dense::new(width, height, 1, Pixels::U8(plane.into_vec())).map_err(impossible)?))
}

/// A colour image as a region.
pub(super) fn from_colour(plane: Plane<[u8; 3]>) -> Result<Region, OperationError> {
    let (width, height) = (plane.width(), plane.height());
    let pixels = Pixels::U8(plane.into_vec().into_flattened());
    Ok(Region::Dense(Dense::new(width, height, 3, pixels).map_err(impossible)?))
}

/// One table.
pub(super) fn from_table(table: Result<Table, RegionError>) -> Result<Done, OperationError> {
    Ok(done([Region::Table(table.map_err(impossible)?)]))
}

/// A result that ends nothing.
pub(super) fn done<const N: usize>(outputs: [Region; N]) -> Done {
    Done::with(outputs.into())
}

fn wrong(input: usize, expected: &str) -> OperationError {
    OperationError::new(format!("expected {expected} as input {input}, found another kind of region"))
}

fn wrong_parameter(parameter: usize, expected: &str, found: Option<&Canonical>) -> OperationError {
    OperationError::new(format!("expected {expected} as parameter {parameter}, found {found:?}"))
}

fn impossible(error: RegionError) -> OperationError {
    OperationError::new(error.to_string())
}
