//! What happens to pixels and masks by themselves, whatever workflow they belong to.

use onceflow_kernels::{Machine, Plane, difference_into};
use onceflow_runtime::{Done, OperationError};

use super::Arguments;
use super::regions::{done, from_grey};

/// How much brighter one grey image is than another; 0 where it is not.
pub(super) fn difference(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let (from, less) = (arguments.grey(0)?, arguments.grey(1)?);
    let mut difference = Plane::filled(0, from.width(), from.height());
    let mut above = difference.clone();
    difference_into(Machine::default(), from, less, i64::MAX, difference.view_mut(), above.view_mut());
    Ok(done([from_grey(difference)?]))
}

/// Where a grey image is above a limit.
pub(super) fn above(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    Ok(done([from_grey(onceflow_kernels::above(arguments.grey(0)?, arguments.integer(0)?))?]))
}

/// A mask with its holes filled.
pub(super) fn fill_holes(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    Ok(done([from_grey(onceflow_kernels::fill_holes(arguments.grey(0)?, arguments.connectivity(0)?))?]))
}
