//! Identifiers of regions, queries over them, and a container of values by identifier.

mod kind;
mod shelf;

use std::fmt;

pub use kind::RegionKind;
pub use shelf::Shelf;

/// The identifier of a region: its name, and what tells regions of one name apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionId {
    /// Whose region it is: a template, an image.
    pub namespace: String,
    /// What it is there.
    pub key: String,
    /// Its kind.
    pub kind: RegionKind,
    /// The time that it shows.
    pub timestamp: i64,
    /// Which of the regions that are otherwise the same.
    pub version: u32,
}

impl RegionId {
    /// The first version of a region at time 0.
    pub fn new(namespace: impl Into<String>, key: impl Into<String>, kind: RegionKind) -> RegionId {
        RegionId { namespace: namespace.into(), key: key.into(), kind, timestamp: 0, version: 0 }
    }

    /// The same with another version.
    pub fn with_version(self, version: u32) -> RegionId {
        RegionId { version, ..self }
    }

    /// The same at another time.
    pub fn with_timestamp(self, timestamp: i64) -> RegionId {
        RegionId { timestamp, ..self }
    }
}

impl fmt::Display for RegionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.namespace, self.key)
    }
}

/// An identifier of which only the name must be known; of all that fit, the latest staged one is meant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RegionQuery {
    /// Whose region it is.
    pub namespace: String,
    /// What it is there.
    pub key: String,
    /// Its kind, if it matters.
    pub kind: Option<RegionKind>,
    /// The time that it shows, if it matters.
    pub timestamp: Option<i64>,
    /// Its version; the latest staged one if none is given.
    pub version: Option<u32>,
}

impl RegionQuery {
    /// Any region with this name.
    pub fn named(namespace: impl Into<String>, key: impl Into<String>) -> RegionQuery {
        let (namespace, key) = (namespace.into(), key.into());
        RegionQuery { namespace, key, kind: None, timestamp: None, version: None }
    }

    /// Whether a region with this identifier is meant.
    pub fn fits(&self, id: &RegionId) -> bool {
        self.namespace == id.namespace
            && self.key == id.key
            && self.kind.is_none_or(|kind| kind == id.kind)
            && self.timestamp.is_none_or(|timestamp| timestamp == id.timestamp)
            && self.version.is_none_or(|version| version == id.version)
    }
}

impl fmt::Display for RegionQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.namespace, self.key)
    }
}

impl From<&RegionId> for RegionQuery {
    /// The query that only this identifier fits.
    fn from(id: &RegionId) -> RegionQuery {
        RegionQuery {
            kind: Some(id.kind),
            timestamp: Some(id.timestamp),
            version: Some(id.version),
            ..RegionQuery::named(&id.namespace, &id.key)
        }
    }
}
