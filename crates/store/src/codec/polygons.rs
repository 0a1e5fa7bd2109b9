//! Polygons: how many there are, the rings of each with their corners, the columns.

use onceflow_region::Polygons;

use super::CodecError;
use super::points::numbers;
use super::reading::FieldReader;
use super::table;
use super::writing::FieldWriter;

pub(super) fn put(polygons: &Polygons, to: &mut impl FieldWriter) -> Result<(), CodecError> {
    to.number(polygons.len() as u64)?;
    for shape in polygons.shapes() {
        to.number(shape.rings().count() as u64)?;
        for ring in shape.rings() {
            to.number(ring.len() as u64)?;
            to.wide(ring.as_flattened(), f64::to_le_bytes)?;
        }
    }
    table::put(polygons.columns(), to)
}

pub(super) fn take(fields: &mut FieldReader<'_>) -> Result<Polygons, CodecError> {
    let mut polygons = Polygons::default();
    for _ in 0..fields.count("polygons", 8)? {
        let rings = (0..fields.count("rings", 8)?).map(|_| {
            let corners = fields.number("count of the corners")?;
            fields.wide("corners", corners, numbers::<2, 16>)
        });
        polygons.push(rings.collect::<Result<_, _>>()?)?;
    }
    for (name, column) in table::take(fields)?.into_columns() {
        polygons.add_column(name, column)?;
    }
    Ok(polygons)
}
