//! Dense regions: columns, rows, channels, the type of the values, the values; lines: the start instead of the sides.

use onceflow_region::{Dense, Element, Line};

use super::CodecError;
use super::reading::FieldReader;
use super::writing::FieldWriter;

pub(super) fn put(dense: &Dense, to: &mut impl FieldWriter) -> Result<(), CodecError> {
    to.number(dense.width() as u64)?;
    to.number(dense.height() as u64)?;
    to.number(dense.channels() as u64)?;
    to.number(code(dense.element()))?;
    Ok(to.pixels(dense.pixels())?)
}

pub(super) fn put_line(line: &Line, to: &mut impl FieldWriter) -> Result<(), CodecError> {
    to.bytes(&line.span().start().to_le_bytes())?;
    to.number(code(line.element()))?;
    to.number(line.values().len() as u64)?;
    Ok(to.pixels(line.values())?)
}

pub(super) fn take_line(fields: &mut FieldReader<'_>) -> Result<Line, CodecError> {
    let start = fields.bytes("start").map(i64::from_le_bytes)?;
    let element = element(fields.number("type of the values")?)?;
    let count = fields.number("count of the values")?;
    Ok(Line::new(start, fields.pixels(element, count)?)?)
}

pub(super) fn take(fields: &mut FieldReader<'_>) -> Result<Dense, CodecError> {
    let [width, height] = [fields.number("width")?, fields.number("height")?];
    let channels = fields.number("channels")?;
    let element = element(fields.number("type of the values")?)?;
    let count = width.checked_mul(height).and_then(|area| area.checked_mul(channels)).unwrap_or(u64::MAX);
    let pixels = fields.pixels(element, count)?;
    // No value at all still leaves sizes that are too large for this machine; no such region can be made.
    let size = |number: u64| usize::try_from(number).map_err(|_| CodecError::form("a size", number));
    Ok(Dense::new(size(width)?, size(height)?, size(channels)?, pixels)?)
}

/// The numbers of the types, which never change.
const CODES: [(Element, u64); 10] = [
    (Element::U8, 0),
    (Element::I8, 1),
    (Element::U16, 2),
    (Element::I16, 3),
    (Element::U32, 4),
    (Element::I32, 5),
    (Element::U64, 6),
    (Element::I64, 7),
    (Element::F32, 8),
    (Element::F64, 9),
];

pub(super) fn code(element: Element) -> u64 {
    CODES.iter().find(|(its, _)| *its == element).map_or(u64::MAX, |(_, code)| *code)
}

pub(super) fn element(code: u64) -> Result<Element, CodecError> {
    let found = CODES.iter().find(|(_, its)| *its == code).map(|(element, _)| *element);
    found.ok_or_else(|| CodecError::form("the number of a type of values", code))
}
