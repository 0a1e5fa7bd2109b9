//! What outputs hold: how instances are found that turn out to be equal.

use onceflow_region::Region;
use onceflow_reuse::ContentDigest;

/// Says what regions hold. It is asked by workers, as soon as a region is made.
pub trait OutputDigests: Send + Sync {
    /// A digest of what a task made: of two regions of one run it is the same only when their bytes and form are. None when
    /// finding equal ones of this task would save less than digests cost.
    fn content(&self, task: usize, region: &Region) -> Option<ContentDigest>;

    /// Whether it would save more.
    fn is_wanted(&self, task: usize) -> bool;
}
