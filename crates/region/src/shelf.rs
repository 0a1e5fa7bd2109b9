//! Things under region identifiers, in the order in which they were staged.

use std::collections::BTreeMap;

use crate::{RegionId, RegionQuery};

/// Things found by identifier, or by name with the latest staged one first.
#[derive(Debug, Clone)]
pub(crate) struct Shelf<T> {
    things: BTreeMap<RegionId, (u64, T)>,
    staged: u64,
}

impl<T> Shelf<T> {
    pub(crate) fn new() -> Shelf<T> {
        Shelf { things: BTreeMap::new(), staged: 0 }
    }

    /// Stages a thing; gives back the one that had the identifier before.
    pub(crate) fn put(&mut self, id: RegionId, thing: T) -> Option<T> {
        self.staged += 1;
        self.things.insert(id, (self.staged, thing)).map(|(_, thing)| thing)
    }

    pub(crate) fn get(&self, id: &RegionId) -> Option<&T> {
        self.things.get(id).map(|(_, thing)| thing)
    }

    /// The latest staged thing that fits.
    pub(crate) fn latest(&self, query: &RegionQuery) -> Option<(&RegionId, &T)> {
        let fitting = self.things.iter().filter(|(id, _)| query.fits(id));
        fitting.max_by_key(|(_, (staged, _))| *staged).map(|(id, (_, thing))| (id, thing))
    }

    pub(crate) fn take(&mut self, id: &RegionId) -> Option<T> {
        self.things.remove(id).map(|(_, thing)| thing)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&RegionId, &T)> {
        self.things.iter().map(|(id, (_, thing))| (id, thing))
    }

    pub(crate) fn len(&self) -> usize {
        self.things.len()
    }
}
