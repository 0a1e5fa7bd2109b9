//! What regions hold, known by digest: two regions of one run with equal contents have the same bytes.

/// A digest of a region's bytes and form. It is told apart inside one run only: another may digest with other keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Content(pub [u64; 4]);
