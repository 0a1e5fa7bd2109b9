//! Which region a product is: what it is called, its kind, its box in space and time.

use onceflow_region::{Bounds, RegionId, RegionKind, Span};

use super::{Fields, LONGEST_TEXT, put_text};

/// The most bytes of a region in an entry.
pub(super) const LONGEST: usize = 1 + 2 * (2 + LONGEST_TEXT) + 2 + 16 + 8 + 4 + 8 * 8;

/// What stands before a region, and where there is none.
const SOME: u8 = 1;
const NONE: u8 = 0;

/// Which region a product is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProductRegion {
    /// Its name, kind, time and version.
    pub id: RegionId,
    /// Its box, in pixels of the image that it is of.
    pub bounds: Bounds,
}

/// Adds a region as bytes.
pub(super) fn encode(region: Option<&ProductRegion>, bytes: &mut Vec<u8>) {
    let Some(ProductRegion { id, bounds }) = region else { return bytes.push(NONE) };
    bytes.push(SOME);
    for text in [id.namespace.as_str(), id.key.as_str(), id.kind.word()] {
        put_text(bytes, text);
    }
    bytes.extend(id.timestamp.to_le_bytes());
    bytes.extend(id.version.to_le_bytes());
    for span in [bounds.columns(), bounds.rows(), bounds.z(), bounds.time()] {
        bytes.extend(span.start().to_le_bytes());
        bytes.extend(span.length().to_le_bytes());
    }
}

/// The region that comes next, or that there is none; `None` where the bytes are neither.
pub(super) fn decode(fields: &mut Fields<'_>) -> Option<Option<ProductRegion>> {
    match fields.array()? {
        [NONE] => Some(None),
        [SOME] => region(fields).map(Some),
        _ => None,
    }
}

fn region(fields: &mut Fields<'_>) -> Option<ProductRegion> {
    let (namespace, key) = (fields.text()?, fields.text()?);
    let kind = RegionKind::from_word(&fields.text()?)?;
    let timestamp = i64::from_le_bytes(fields.array()?);
    let version = u32::from_le_bytes(fields.array()?);
    let mut span = || Span::new(i64::from_le_bytes(fields.array()?), u64::from_le_bytes(fields.array()?));
    let bounds = Bounds::new(span()?, span()?, span()?, span()?);
    Some(ProductRegion { id: RegionId { namespace, key, kind, timestamp, version }, bounds })
}
