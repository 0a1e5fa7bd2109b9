//! What outputs hold: how instances are found that turn out to be equal.

use onceflow_region::Region;
use onceflow_reuse::Content;

/// Says what regions hold. It is asked by workers, as soon as a region is made.
pub trait Contents: Send + Sync {
    /// A digest: of two regions of one run it is the same only when their bytes and form are.
    fn content(&self, region: &Region) -> Content;
}
