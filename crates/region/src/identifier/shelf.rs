//! Values under region identifiers, with the order in which they were staged.

use std::collections::BTreeMap;

use super::{RegionId, RegionQuery};

/// A map from region identifiers to values that also finds the latest staged value of a query.
#[derive(Debug, Clone)]
pub struct Shelf<T> {
    things: BTreeMap<RegionId, (u64, T)>,
    staged: u64,
}

impl<T> Shelf<T> {
    /// An empty container.
    pub fn new() -> Shelf<T> {
        Shelf { things: BTreeMap::new(), staged: 0 }
    }

    /// Stages a value; returns the one that had the identifier before.
    pub fn put(&mut self, id: RegionId, thing: T) -> Option<T> {
        self.staged += 1;
        self.things.insert(id, (self.staged, thing)).map(|(_, thing)| thing)
    }

    /// The value with this identifier.
    pub fn get(&self, id: &RegionId) -> Option<&T> {
        self.things.get(id).map(|(_, thing)| thing)
    }

    /// The latest staged value that fits.
    pub fn latest(&self, query: &RegionQuery) -> Option<(&RegionId, &T)> {
        let fitting = self.things.iter().filter(|(id, _)| query.fits(id));
        fitting.max_by_key(|(_, (staged, _))| *staged).map(|(id, (_, thing))| (id, thing))
    }

    /// Removes the value with this identifier.
    pub fn take(&mut self, id: &RegionId) -> Option<T> {
        self.things.remove(id).map(|(_, thing)| thing)
    }

    /// Identifiers and values in ascending order of identifiers.
    pub fn iter(&self) -> impl Iterator<Item = (&RegionId, &T)> {
        self.things.iter().map(|(id, (_, thing))| (id, thing))
    }

    /// How many values.
    pub fn len(&self) -> usize {
        self.things.len()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.things.is_empty()
    }
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Shelf::new()
    }
}
