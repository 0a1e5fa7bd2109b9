//! Points: how many there are, their coordinates, the columns.

use onceflow_region::Points;

use super::CodecError;
use super::reading::FieldReader;
use super::table;
use super::writing::FieldWriter;

pub(super) fn put(points: &Points, to: &mut impl FieldWriter) -> Result<(), CodecError> {
    to.number(points.len() as u64)?;
    to.wide(points.coordinates(), bytes)?;
    table::put(points.columns(), to)
}

pub(super) fn take(fields: &mut FieldReader<'_>) -> Result<Points, CodecError> {
    let count = fields.number("count of the points")?;
    let mut points = Points::new(fields.wide("points", count, numbers::<3, 24>)?)?;
    for (name, column) in table::take(fields)?.into_columns() {
        points.add_column(name, column)?;
    }
    Ok(points)
}

fn bytes(point: [f64; 3]) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes.as_chunks_mut::<8>().0.iter_mut().zip(point).for_each(|(to, number)| *to = number.to_le_bytes());
    bytes
}

/// Several numbers side by side.
pub(super) fn numbers<const COUNT: usize, const BYTES: usize>(bytes: [u8; BYTES]) -> [f64; COUNT] {
    let (numbers, _) = bytes.as_chunks::<8>();
    std::array::from_fn(|at| f64::from_le_bytes(numbers[at]))
}
