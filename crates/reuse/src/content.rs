//! What regions hold, known by digest: two regions of one run with equal contents have the same bytes.

use onceflow_study::{RegionKind, Scope};

use crate::Digest32;

/// A digest of a region's bytes and form. It holds inside one run only, in all its phases: another run may digest with other
/// keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentDigest(pub [u64; 4]);

/// The first words of digests that are not made from bytes; a digest has one of them by chance once in 2¹²⁸.
const SOURCE: u64 = u64::MAX;
const EMPTY: u64 = u64::MAX - 1;
const UNLIKE: u64 = u64::MAX - 2;

impl ContentDigest {
    /// What a place sees of a source, whatever it is. The source is known by [`source_word`], which is the same in every plan
    /// of a run.
    pub fn source(source: u64, scope: Scope, site: usize) -> Self {
        Self([SOURCE, SOURCE ^ scope as u64, site as u64, source])
    }

    /// An output without a digest: it equals only itself, in all executions of a run.
    pub fn unlike(execution: u32, place: u32, node: u32, output: usize) -> Self {
        Self([UNLIKE, u64::from(execution) << 32 | u64::from(place), u64::from(node), output as u64])
    }

    /// A region with nothing in it, of the size of a place.
    pub fn empty(kind: RegionKind, scope: Scope, site: usize) -> Self {
        Self([EMPTY, EMPTY ^ scope as u64, site as u64, kind as u64])
    }

    /// Its bytes.
    pub fn bytes(&self) -> Digest32 {
        let mut bytes = Digest32::default();
        bytes.chunks_exact_mut(8).zip(self.0).for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
        bytes
    }
}

/// The word for a source of a name.
pub fn source_word(name: &str) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(name.as_bytes()).as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_bytes_is_told_apart_by_place_source_and_execution() {
        let (image, truth) = (source_word("image"), source_word("truth"));
        let contents = [
            ContentDigest::source(image, Scope::Part, 0),
            ContentDigest::source(truth, Scope::Part, 0),
            ContentDigest::source(image, Scope::Image, 0),
            ContentDigest::source(image, Scope::Part, 1),
            ContentDigest::unlike(0, 1, 2, 0),
            ContentDigest::unlike(1, 1, 2, 0),
            ContentDigest::unlike(0, 2, 2, 0),
            ContentDigest::empty(RegionKind::Mask, Scope::Part, 0),
        ];
        for (at, content) in contents.iter().enumerate() {
            assert!(!contents[..at].contains(content), "{content:?}");
            assert!(!contents[..at].iter().any(|other| other.bytes() == content.bytes()));
        }
    }
}
