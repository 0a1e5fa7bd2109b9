//! Region templates: named containers of the regions that lie in one stretch of space and time.

mod data;
mod relation;

use std::sync::Arc;

pub use data::{DataRegion, ReadJob, RegionInfo};
pub use relation::{RelatedTo, Relation, RelationKind};

use crate::{Bounds, Region, RegionError, RegionId, RegionKind, RegionQuery, Shelf, Source};

/// A container of regions, whose box is always the smallest that contains theirs.
///
/// ```
/// use onceflow_region::{Bounds, Dense, Pixels, Region, RegionId, RegionKind, RegionQuery, RegionTemplate};
///
/// let mut patient = RegionTemplate::new("patient");
/// let mask = |version| RegionId::new("patient", "mask", RegionKind::Dense).with_version(version);
/// for (version, x) in [(1, 0), (2, 4)] {
///     let region = Region::Dense(Dense::new(4, 4, 1, Pixels::U8(vec![version as u8; 16]))?);
///     patient.stage(mask(version), Bounds::plane(x, 0, 4, 4).ok_or("too large")?, region)?;
/// }
/// assert_eq!(patient.bounds(), Bounds::plane(0, 0, 8, 4));
/// let latest = patient.latest(&RegionQuery::named("patient", "mask")).map(|(id, _)| id.version);
/// assert_eq!(latest, Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RegionTemplate {
    name: String,
    shelf: Shelf<Arc<DataRegion>>,
    bounds: Option<Bounds>,
    relations: Vec<Relation>,
}

impl RegionTemplate {
    /// A template without regions.
    pub fn new(name: impl Into<String>) -> RegionTemplate {
        RegionTemplate { name: name.into(), shelf: Shelf::new(), bounds: None, relations: Vec::new() }
    }

    /// The templates of an image that is not read, one for each scale, the whole image first: each has the region
    /// `image`, and refers to all others. The first has the name given, the others that of their scale behind it.
    ///
    /// # Errors
    /// When the image states a scale that no box can hold.
    pub fn pyramid(name: &str, source: &Arc<dyn Source>) -> Result<Vec<RegionTemplate>, RegionError> {
        let called = |scale: usize| if scale == 0 { name.to_owned() } else { format!("{name}/{scale}") };
        let scales = &source.info().scales;
        let relation = |from: usize, to: usize| Relation {
            kind: RelationKind::Scale { downsample: scales[to].downsample / scales[from].downsample },
            other: RelatedTo::Template(called(to)),
        };
        let template = |scale: usize| {
            let mut template = RegionTemplate::new(called(scale));
            let id = RegionId::new(called(scale), "image", RegionKind::Dense);
            template.add(DataRegion::of_image(id, Arc::clone(source), scale)?)?;
            let others = (0..scales.len()).filter(|other| *other != scale);
            template.relations = others.map(|other| relation(scale, other)).collect();
            Ok(template)
        };
        (0..scales.len()).map(template).collect()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The smallest box that contains the boxes of its regions; `None` while it has no region.
    pub fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }

    /// Stages a region that is in memory.
    ///
    /// # Errors
    /// When a region with this identifier is staged already: regions of one name differ in kind, time or version.
    pub fn stage(&mut self, id: RegionId, bounds: Bounds, region: Region) -> Result<(), RegionError> {
        self.add(DataRegion::of(id, bounds, region))
    }

    /// Stages a region, read or not.
    ///
    /// # Errors
    /// As [`RegionTemplate::stage`].
    pub fn add(&mut self, region: impl Into<Arc<DataRegion>>) -> Result<(), RegionError> {
        let region = region.into();
        let id = region.id().clone();
        if self.shelf.get(&id).is_some() {
            return Err(RegionError::Staged { id: Box::new(id) });
        }
        let bounds = region.info().bounds;
        self.bounds = Some(self.bounds.map_or(bounds, |whole| whole.hull(&bounds)));
        self.shelf.put(id, region);
        Ok(())
    }

    /// Refers to another template or region that covers the same space.
    pub fn relate(&mut self, relation: Relation) {
        self.relations.push(relation);
    }

    /// The templates and regions that it refers to.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The region with this identifier.
    pub fn get(&self, id: &RegionId) -> Option<&Arc<DataRegion>> {
        self.shelf.get(id)
    }

    /// The latest staged region that fits, with its identifier.
    pub fn latest(&self, query: &RegionQuery) -> Option<(&RegionId, &Arc<DataRegion>)> {
        self.shelf.latest(query)
    }

    /// The regions of this template to which a region of it refers, with how they stand to it.
    pub fn related(&self, id: &RegionId) -> Vec<(RelationKind, &Arc<DataRegion>)> {
        let relations = self.get(id).map_or(&[][..], |region| &region.info().relations);
        let here = |relation: &Relation| match &relation.other {
            RelatedTo::Region(other) => Some((relation.kind, self.get(other)?)),
            RelatedTo::Template(_) => None,
        };
        relations.iter().filter_map(here).collect()
    }

    /// The same template for one part of the work: of each region only what lies in the box is of interest, and regions
    /// that do not touch it are left out. Nothing is read.
    ///
    /// # Errors
    /// As [`RegionTemplate::stage`]; a template with valid regions gives none.
    pub fn with_interest(&self, interest: &Bounds) -> Result<RegionTemplate, RegionError> {
        let mut template = RegionTemplate::new(&self.name);
        template.relations.clone_from(&self.relations);
        for (_, region) in self.regions() {
            if let Some(inner) = region.info().bounds.intersect(interest) {
                template.add(region.with_interest(inner)?)?;
            }
        }
        Ok(template)
    }

    /// Reads all regions in the background, as [`DataRegion::prefetch`] does.
    pub fn prefetch(&self, mut run: impl FnMut(ReadJob)) {
        self.regions().for_each(|(_, region)| region.prefetch(&mut run));
    }

    /// Takes a region out; the box becomes as small as the others allow.
    pub fn remove(&mut self, id: &RegionId) -> Option<Arc<DataRegion>> {
        let taken = self.shelf.take(id);
        self.bounds = self.shelf.iter().map(|(_, region)| region.info().bounds).reduce(|a, b| a.hull(&b));
        taken
    }

    /// The regions in the order of their identifiers.
    pub fn regions(&self) -> impl Iterator<Item = (&RegionId, &Arc<DataRegion>)> {
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
        self.shelf.iter().map(|(_, region)| region.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
