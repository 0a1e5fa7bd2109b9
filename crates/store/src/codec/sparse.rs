//! Sparse arrays: the box, the type of the values, how many there are, their offsets, the values.

use onceflow_region::Sparse;

use super::CodecError;
use super::dense::{code, element};
use super::reading::FieldReader;
use super::volume::{put_bounds, take_bounds};
use super::writing::FieldWriter;

pub(super) fn put(sparse: &Sparse, to: &mut impl FieldWriter) -> Result<(), CodecError> {
    put_bounds(&sparse.bounds(), to)?;
    to.number(code(sparse.element()))?;
    to.number(sparse.len() as u64)?;
    to.wide(sparse.offsets(), u64::to_le_bytes)?;
    Ok(to.pixels(sparse.values())?)
}

pub(super) fn take(fields: &mut FieldReader<'_>) -> Result<Sparse, CodecError> {
    let bounds = take_bounds(fields)?;
    let element = element(fields.number("type of the values")?)?;
    let count = fields.number("count of the values")?;
    let offsets = fields.wide("offsets", count, u64::from_le_bytes)?;
    let values = fields.pixels(element, count)?;
    let found = || CodecError::form("values that are not zero at ascending places within the box", "others");
    Sparse::from_offsets(bounds, offsets, values).ok_or_else(found)
}
