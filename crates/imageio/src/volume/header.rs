//! The header of a volume file of any format.

use onceflow_region::{Bounds, ByteOrder, Element, SourceError, Span, VolumeGeometry, size_words};

use crate::origin::ByteOrigin;

/// The longest side of a volume.
const LONGEST_SIDE: u64 = 1 << 24;

pub(super) const TODO: &str = "copy or export the file again";

/// What the head of a volume file says.
#[derive(Debug)]
pub(super) struct VolumeHeader {
    pub(super) format: &'static str,
    pub(super) bounds: Bounds,
    /// The type of the values in the file.
    pub(super) stored: Element,
    pub(super) order: ByteOrder,
    pub(super) packing: VolumePacking,
    /// Where the values begin: in the file, or in what is unpacked of it.
    pub(super) start: u64,
    /// What values are multiplied with, and what is added then.
    pub(super) scaling: Option<(f64, f64)>,
    pub(super) geometry: VolumeGeometry,
}

/// How the values are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VolumePacking {
    /// They are as they are.
    None,
    /// The whole file is packed with gzip.
    Gzip,
    /// The values are a zlib stream that begins at a place of the file.
    Zlib {
        /// Where.
        at: u64,
    },
}

/// No deflate stream grows by more than this.
const MOST_GROWTH: u64 = 1032;

impl VolumeHeader {
    /// Bytes of all values; `None` when that is not a number we can hold.
    pub(super) fn bytes(&self) -> Option<u64> {
        self.bounds.positions()?.checked_mul(self.stored.bytes())
    }

    /// Refuses a file that is too short for what it says.
    pub(super) fn check(&self, origin: &ByteOrigin) -> Result<(), SourceError> {
        let most = match self.packing {
            VolumePacking::None => origin.length(),
            VolumePacking::Gzip | VolumePacking::Zlib { .. } => origin.length().saturating_mul(MOST_GROWTH),
        };
        let end = self.bytes().and_then(|bytes| bytes.checked_add(self.start));
        if end.is_some_and(|end| end <= most) {
            return Ok(());
        }
        let [width, height, depth, times] = self.bounds.size();
        let expected = format!("values for {width} x {height} x {depth} places and {times} times");
        let found = format!("a file of {}, which cannot hold them", size_words(origin.length()));
        Err(origin.content(&expected, found, TODO))
    }
}

/// The box of a volume with these sides: columns, rows, depths, times.
pub(super) fn bounds(origin: &ByteOrigin, sides: [u64; 4]) -> Result<Bounds, SourceError> {
    if let Some(side) = sides.iter().find(|side| !(1..=LONGEST_SIDE).contains(*side)) {
        let expected = format!("sides from 1 to {LONGEST_SIDE}");
        return Err(origin.content(&expected, side.to_string(), TODO));
    }
    let [x, y, z, time] = sides.map(|side| Span::new(0, side).unwrap_or(Span::ONE));
    Ok(Bounds::new(x, y, z, time))
}
