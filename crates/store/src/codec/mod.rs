//! Regions as bytes and back, exactly: the form in which regions lie in a [store of blobs](crate::blob).
//!
//! All numbers are little-endian. A header says the form's version, the kind, and the memory that the region will take,
//! so that a reader can reserve it first. No size is believed before as many bytes are known to be there.
//!
//! ```
//! use onceflow_store::codec::{decode, encode};
//! use onceflow_region::{Dense, Pixels, Region};
//!
//! let region = Region::Dense(Dense::new(2, 1, 1, Pixels::F32(vec![0.5, -1.0]))?);
//! let mut bytes = Vec::new();
//! encode(&region, &mut bytes)?;
//! let again = decode(&mut &bytes[..], bytes.len() as u64)?;
//! assert_eq!(again.digest(), region.digest());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dense;
mod error;
mod objects;
mod points;
mod polygons;
mod reading;
mod sparse;
mod table;
#[cfg(test)]
mod tests;
mod volume;
mod writing;

use std::io::{Read, Write};
use std::ops::Deref;

use onceflow_region::{Region, RegionKind};

pub use error::CodecError;

use crate::blob::BlobContent;
use reading::FieldReader;
use writing::{FieldCounter, FieldWriter, Writing};

/// How every region begins.
const MARK: &[u8; 8] = b"ofregion";
/// The version of the format; it grows with every change that an older reader would misread.
const VERSION: u64 = 1;

/// Writes a region.
///
/// # Errors
/// When it is an image that is not read, or the writer fails.
pub fn encode(region: &Region, to: &mut dyn Write) -> Result<(), CodecError> {
    put(region, &mut Writing::new(to))
}

/// Reads a region from a stream of this many bytes. They must be there: memory for as many is reserved at most.
///
/// # Errors
/// When the bytes are not those of a region, or the stream fails.
pub fn decode(from: &mut dyn Read, length: u64) -> Result<Region, CodecError> {
    let mut fields = FieldReader::new(from, length);
    let header = RegionHeader::take(&mut fields)?;
    let region = take(header.kind, &mut fields)?;
    fields.end()?;
    match region.bytes() == header.memory {
        true => Ok(region),
        false => Err(CodecError::form("the memory that the header says", region.bytes())),
    }
}

/// The memory that a region takes when it is read, from the first bytes of a stream.
///
/// # Errors
/// When the bytes are not those of a region.
pub fn memory(from: &mut dyn Read) -> Result<u64, CodecError> {
    RegionHeader::take(&mut FieldReader::new(from, HEADER)).map(|header| header.memory)
}

/// A region, borrowed or shared, as the content of a blob: its bytes are made while they are written, and never stand in
/// memory.
#[derive(Debug, Clone, Copy)]
pub struct EncodedRegion<R> {
    region: R,
    length: u64,
}

impl<R: Deref<Target = Region>> EncodedRegion<R> {
    /// The bytes of a region.
    ///
    /// # Errors
    /// When it is an image that is not read.
    pub fn new(region: R) -> Result<EncodedRegion<R>, CodecError> {
        let mut counting = FieldCounter::default();
        put(&region, &mut counting)?;
        Ok(EncodedRegion { region, length: counting.bytes })
    }
}

impl<R: Deref<Target = Region>> BlobContent for EncodedRegion<R> {
    fn length(&self) -> u64 {
        self.length
    }

    fn write_to(&self, to: &mut dyn Write) -> std::io::Result<()> {
        encode(&self.region, to).map_err(std::io::Error::from)
    }
}

/// Bytes of mark, version, kind and memory.
const HEADER: u64 = 32;

struct RegionHeader {
    kind: RegionKind,
    memory: u64,
}

impl RegionHeader {
    fn take(fields: &mut FieldReader<'_>) -> Result<RegionHeader, CodecError> {
        if &fields.bytes::<8>("mark")? != MARK {
            return Err(CodecError::form("the mark of a region", "other bytes"));
        }
        match fields.number("version")? {
            VERSION => {}
            other => return Err(CodecError::form("version 1 of the form", other)),
        }
        let code = fields.number("kind")?;
        let kind = KINDS.iter().find(|(_, its)| *its == code);
        let (kind, _) = kind.ok_or_else(|| CodecError::form("the number of a kind of region", code))?;
        Ok(RegionHeader { kind: *kind, memory: fields.number("memory")? })
    }
}

/// The numbers of the kinds, which never change. A new kind gets a new one, and a line in `put` and in `take`.
const KINDS: [(RegionKind, u64); 9] = [
    (RegionKind::Nothing, 0),
    (RegionKind::Dense, 1),
    (RegionKind::Objects, 2),
    (RegionKind::Table, 3),
    (RegionKind::Line, 4),
    (RegionKind::Volume, 5),
    (RegionKind::Sparse, 6),
    (RegionKind::Points, 7),
    (RegionKind::Polygons, 8),
];

fn put(region: &Region, to: &mut impl FieldWriter) -> Result<(), CodecError> {
    let code = KINDS.iter().find(|(kind, _)| *kind == region.kind()).map(|(_, code)| *code);
    to.bytes(MARK)?;
    to.number(VERSION)?;
    to.number(code.ok_or(CodecError::Unread)?)?;
    to.number(region.bytes())?;
    match region {
        Region::Dense(dense) => dense::put(dense, to),
        Region::Line(line) => dense::put_line(line, to),
        Region::Volume(volume) => volume::put(volume, to),
        Region::Sparse(sparse) => sparse::put(sparse, to),
        Region::Points(points) => points::put(points, to),
        Region::Polygons(polygons) => polygons::put(polygons, to),
        Region::Objects(objects) => objects::put(objects, to),
        Region::Table(table) => table::put(table, to),
        Region::Image(_) => Err(CodecError::Unread),
        Region::Nothing => Ok(()),
    }
}

fn take(kind: RegionKind, fields: &mut FieldReader<'_>) -> Result<Region, CodecError> {
    Ok(match kind {
        RegionKind::Dense => Region::Dense(dense::take(fields)?),
        RegionKind::Line => Region::Line(dense::take_line(fields)?),
        RegionKind::Volume => Region::Volume(volume::take(fields)?),
        RegionKind::Sparse => Region::Sparse(sparse::take(fields)?),
        RegionKind::Points => Region::Points(points::take(fields)?),
        RegionKind::Polygons => Region::Polygons(polygons::take(fields)?),
        RegionKind::Objects => Region::Objects(objects::take(fields)?),
        RegionKind::Table => Region::Table(table::take(fields)?),
        RegionKind::Image => return Err(CodecError::Unread),
        RegionKind::Nothing => Region::Nothing,
    })
}
