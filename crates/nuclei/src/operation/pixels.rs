//! Operations on pixels and masks of any workflow.

use onceflow_kernels::{Cpu, Plane, difference_into};
use onceflow_runtime::{Done, OperationError};

use super::Arguments;
use super::regions::{done, from_grey};

/// The difference of two grey images; 0 where it is negative.
pub(super) fn difference(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let (from, less) = (arguments.grey(0)?, arguments.grey(1)?);
    let mut difference = Plane::filled(0, from.width(), from.height());
    let mut above = difference.clone();
    difference_into(Cpu::default(), from, less, i64::MAX, difference.view_mut(), above.view_mut());
    Ok(done([from_grey(difference)?]))
}

/// The pixels of a grey image above a limit.
pub(super) fn above(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    Ok(done([from_grey(onceflow_kernels::above(arguments.grey(0)?, arguments.integer(0)?))?]))
}

/// A mask with its holes filled.
pub(super) fn fill_holes(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    Ok(done([from_grey(onceflow_kernels::fill_holes(arguments.grey(0)?, arguments.connectivity(0)?))?]))
}
