//! What regions hold, known by digest: two regions of one run with equal contents have the same bytes.

use onceflow_study::{RegionKind, Scope};

/// A digest of a region's bytes and form. It is told apart inside one run only: another may digest with other keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentDigest(pub [u64; 4]);

/// The first words of digests that are not made from bytes; a digest has one of them by chance once in 2¹²⁸.
const SOURCE: u64 = u64::MAX;
const EMPTY: u64 = u64::MAX - 1;
const UNLIKE: u64 = u64::MAX - 2;

impl ContentDigest {
    /// What a place sees of a source, whatever it is.
    pub fn source(source: usize, scope: Scope, site: usize) -> Self {
        Self([SOURCE, SOURCE ^ scope as u64, site as u64, source as u64])
    }

    /// An output without a digest: it equals only itself.
    pub fn unlike(place: u32, node: u32, output: usize) -> Self {
        Self([UNLIKE, u64::from(place), u64::from(node), output as u64])
    }

    /// A region with nothing in it, of the size of a place.
    pub fn empty(kind: RegionKind, scope: Scope, site: usize) -> Self {
        Self([EMPTY, EMPTY ^ scope as u64, site as u64, kind as u64])
    }
}
