//! What regions are found by, and what it costs to bring one back.

use onceflow_region::{Digest, RegionId};

/// What a region is found by: its identifier, or any 32 bytes, such as the key of the task that made it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TierKey {
    /// An identifier.
    Region(RegionId),
    /// The key of a task, or any other 32 bytes.
    Task(Digest),
}

impl From<RegionId> for TierKey {
    fn from(id: RegionId) -> TierKey {
        TierKey::Region(id)
    }
}

impl From<Digest> for TierKey {
    fn from(digest: Digest) -> TierKey {
        TierKey::Task(digest)
    }
}

impl From<[u8; 32]> for TierKey {
    fn from(bytes: [u8; 32]) -> TierKey {
        TierKey::Task(Digest(bytes))
    }
}

impl std::fmt::Display for TierKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TierKey::Region(id) => id.fmt(f),
            TierKey::Task(key) => key.fmt(f),
        }
    }
}

/// What it costs when a region is gone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Seconds to make it again.
    pub seconds: f64,
    /// Whether it may be dropped when no tier has room for it.
    pub droppable: bool,
}

impl Cost {
    /// A region that can be made again in this time.
    pub fn recompute(seconds: f64) -> Cost {
        Cost { seconds, droppable: true }
    }

    /// A region that must not be lost.
    pub fn keep() -> Cost {
        Cost { seconds: f64::INFINITY, droppable: false }
    }

    /// The cost of content that is wanted for two reasons: kept if one says so, made again the quicker way.
    pub(super) fn both(self, other: Cost) -> Cost {
        Cost { seconds: self.seconds.min(other.seconds), droppable: self.droppable && other.droppable }
    }
}

/// Which region leaves a full tier first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EvictionPolicy {
    /// The one that came first.
    Fifo,
    /// The one that was not used for the longest time.
    #[default]
    Lru,
    /// The one that is cheapest to bring back for the bytes that it frees: by reading it from the tier below, or by
    /// making it again. Of equally cheap ones the one that was not used for the longest time.
    CostAware,
}
