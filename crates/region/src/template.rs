//! Region templates: named containers of the regions that lie in one stretch of space and time.

use crate::shelf::Shelf;
use crate::{Bounds, Region, RegionError, RegionId, RegionQuery};

/// A region in its place.
#[derive(Debug, Clone)]
pub struct Staged {
    /// Where it lies in the whole.
    pub bounds: Bounds,
    /// What lies there.
    pub region: Region,
}

/// A container of regions, whose box is always the smallest that contains theirs.
#[derive(Debug, Clone)]
pub struct RegionTemplate {
    name: String,
    shelf: Shelf<Staged>,
    bounds: Option<Bounds>,
}

impl RegionTemplate {
    /// A template without regions.
    pub fn new(name: impl Into<String>) -> RegionTemplate {
        RegionTemplate { name: name.into(), shelf: Shelf::new(), bounds: None }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The smallest box that contains the boxes of its regions; none while it has no region.
    pub fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }

    /// Stages a region.
    ///
    /// # Errors
    /// When a region with this identifier is staged already: regions of one name differ in kind, time or version.
    pub fn stage(&mut self, id: RegionId, bounds: Bounds, region: Region) -> Result<(), RegionError> {
        if self.shelf.get(&id).is_some() {
            return Err(RegionError::Staged { id: Box::new(id) });
        }
        self.bounds = Some(self.bounds.map_or(bounds, |whole| whole.hull(&bounds)));
        self.shelf.put(id, Staged { bounds, region });
        Ok(())
    }

    /// The region with this identifier.
    pub fn get(&self, id: &RegionId) -> Option<&Staged> {
        self.shelf.get(id)
    }

    /// The latest staged region that fits, with its identifier.
    pub fn latest(&self, query: &RegionQuery) -> Option<(&RegionId, &Staged)> {
        self.shelf.latest(query)
    }

    /// Takes a region out; the box becomes as small as the others allow.
    pub fn remove(&mut self, id: &RegionId) -> Option<Staged> {
        let taken = self.shelf.take(id);
        self.bounds = self.shelf.iter().map(|(_, staged)| staged.bounds).reduce(|a, b| a.hull(&b));
        taken
    }

    /// The regions in the order of their identifiers.
    pub fn regions(&self) -> impl Iterator<Item = (&RegionId, &Staged)> {
        self.shelf.iter()
    }

    /// How many regions.
    pub fn len(&self) -> usize {
        self.shelf.len()
    }

    /// Whether there is no region.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that its regions hold in memory.
    pub fn bytes(&self) -> u64 {
        self.shelf.iter().map(|(_, staged)| staged.region.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::RegionKind;

    fn at(x: i64, y: i64) -> Bounds {
        Bounds::plane(x, y, 10, 10).unwrap()
    }

    fn mask(version: u32) -> RegionId {
        RegionId::new("patient", "mask", RegionKind::Nothing).with_version(version)
    }

    #[test]
    fn without_version_the_latest_staged_counts() {
        let mut template = RegionTemplate::new("patient");
        for version in [3, 7, 5] {
            template.stage(mask(version), at(0, 0), Region::Nothing).unwrap();
        }
        let latest = |query| template.latest(&query).map(|(id, _)| id.version);
        assert_eq!(latest(RegionQuery::named("patient", "mask")), Some(5));
        assert_eq!(latest(RegionQuery::from(&mask(3))), Some(3));
        assert_eq!(latest(RegionQuery::named("patient", "image")), None);
        let timed = RegionQuery { timestamp: Some(1), ..RegionQuery::named("patient", "mask") };
        assert_eq!(latest(timed), None);
    }

    #[test]
    fn one_identifier_is_staged_once() {
        let mut template = RegionTemplate::new("patient");
        template.stage(mask(2), at(0, 0), Region::Nothing).unwrap();
        let error = template.stage(mask(2), at(0, 0), Region::Nothing).unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected a new identifier, found patient::mask (timestamp 0, version 2) staged before; raise the version"
        );
        template.stage(mask(2).with_timestamp(1), at(0, 0), Region::Nothing).unwrap();
        assert_eq!((template.len(), template.bytes()), (2, 0));
    }

    proptest! {
        #[test]
        fn the_box_is_always_the_smallest(places in prop::collection::vec((-50i64..50, -50i64..50), 1..8)) {
            let mut template = RegionTemplate::new("t");
            for (version, &(x, y)) in places.iter().enumerate() {
                template.stage(mask(version as u32), at(x, y), Region::Nothing).unwrap();
            }
            for gone in 0..places.len() {
                let left = &places[gone..];
                let bounds = template.bounds().unwrap();
                prop_assert_eq!(bounds.x(), left.iter().map(|p| p.0).min().unwrap());
                prop_assert_eq!(bounds.bottom(), left.iter().map(|p| p.1).max().unwrap() + 10);
                template.remove(&mask(gone as u32)).unwrap();
            }
            prop_assert!(template.bounds().is_none() && template.is_empty());
        }
    }
}
