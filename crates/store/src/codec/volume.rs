//! Volumes: the box, its place in the world, the type of the values, the values.

use onceflow_region::{Bounds, Span, Volume, VolumeGeometry};

use super::CodecError;
use super::dense::{code, element};
use super::reading::FieldReader;
use super::writing::FieldWriter;

pub(super) fn put(volume: &Volume, to: &mut impl FieldWriter) -> Result<(), CodecError> {
    put_bounds(&volume.bounds(), to)?;
    let VolumeGeometry { spacing, origin, directions } = volume.geometry();
    for numbers in [spacing, origin].into_iter().chain(directions) {
        to.wide(numbers, f64::to_le_bytes)?;
    }
    to.number(code(volume.element()))?;
    Ok(to.pixels(volume.values())?)
}

pub(super) fn take(fields: &mut FieldReader<'_>) -> Result<Volume, CodecError> {
    let bounds = take_bounds(fields)?;
    let mut numbers = || Ok::<_, CodecError>([take_real(fields)?, take_real(fields)?, take_real(fields)?]);
    let (spacing, origin) = (numbers()?, numbers()?);
    let directions = [numbers()?, numbers()?, numbers()?];
    let element = element(fields.number("type of the values")?)?;
    let values = fields.pixels(element, bounds.positions().unwrap_or(u64::MAX))?;
    Ok(Volume::new(bounds, values, VolumeGeometry { spacing, origin, directions })?)
}

pub(super) fn put_bounds(bounds: &Bounds, to: &mut impl FieldWriter) -> Result<(), CodecError> {
    for span in [bounds.columns(), bounds.rows(), bounds.z(), bounds.time()] {
        to.bytes(&span.start().to_le_bytes())?;
        to.number(span.length())?;
    }
    Ok(())
}

pub(super) fn take_bounds(fields: &mut FieldReader<'_>) -> Result<Bounds, CodecError> {
    let mut span = || {
        let start = fields.bytes("start").map(i64::from_le_bytes)?;
        let length = fields.number("length")?;
        Span::new(start, length).ok_or_else(|| CodecError::form("a stretch that can be counted", length))
    };
    Ok(Bounds::new(span()?, span()?, span()?, span()?))
}

fn take_real(fields: &mut FieldReader<'_>) -> Result<f64, CodecError> {
    fields.bytes("number").map(f64::from_le_bytes)
}
