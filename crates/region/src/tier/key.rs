//! What regions are found by, and what it costs to bring one back.

use crate::{Digest, RegionId};

/// What a region is found by: its identifier, or any 32 bytes, such as the key of the task that made it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    /// An identifier.
    Region(RegionId),
    /// The key of a task, or whatever else has 32 bytes.
    Task(Digest),
}

impl From<RegionId> for Key {
    fn from(id: RegionId) -> Key {
        Key::Region(id)
    }
}

impl From<Digest> for Key {
    fn from(digest: Digest) -> Key {
        Key::Task(digest)
    }
}

impl From<[u8; 32]> for Key {
    fn from(bytes: [u8; 32]) -> Key {
        Key::Task(Digest(bytes))
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Key::Region(id) => id.fmt(f),
            Key::Task(key) => key.fmt(f),
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
pub enum Policy {
    /// The one that came first.
    Fifo,
    /// The one that was not used for the longest time.
    #[default]
    Lru,
    /// The one that is cheapest to bring back for the bytes that it frees: by reading it from the tier below, or by
    /// making it again. Of equally cheap ones the one that was not used for the longest time.
    CostAware,
}
