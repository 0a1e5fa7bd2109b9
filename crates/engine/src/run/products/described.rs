//! Which regions the results of a run are: the image, what it is there, and the box.

use onceflow_products::ProductRegion;
use onceflow_region::{Bounds, RegionId, RegionKind};
use onceflow_study::Scope;

use crate::open::inputs::{ImagePart, StudyInputs};

/// What the counts of a row at a part are called.
const COUNTS: &str = "counts";

/// The parts of a study as regions: the images' names and boxes.
#[derive(Debug)]
pub(super) struct DescribedParts {
    images: Vec<(String, Bounds)>,
    parts: Vec<ImagePart>,
}

impl DescribedParts {
    pub(super) fn new(inputs: &StudyInputs) -> Self {
        let images = inputs.images.iter().map(|image| (image.name.clone(), image.bounds)).collect();
        Self { images, parts: inputs.parts.clone() }
    }

    /// The counts of a row at a part. The number of the row is the version.
    pub(super) fn counts(&self, part: usize, row: usize) -> Option<ProductRegion> {
        let part = self.parts.get(part)?;
        Some(ProductRegion {
            id: self.id(part.image, COUNTS, RegionKind::Table, row)?,
            bounds: part.part.core,
        })
    }

    /// An output of a row at a part.
    pub(super) fn output(&self, part: usize, row: usize, name: &str) -> Option<ProductRegion> {
        let part = self.parts.get(part)?;
        Some(ProductRegion { id: self.id(part.image, name, RegionKind::Dense, row)?, bounds: part.part.read })
    }

    /// What a task gave on a part or an image; none for a task of the study.
    pub(super) fn task(
        &self,
        scope: Scope,
        site: usize,
        name: &str,
        kind: RegionKind,
    ) -> Option<ProductRegion> {
        let (image, bounds) = match scope {
            Scope::Part => self.parts.get(site).map(|part| (part.image, part.part.read))?,
            Scope::Image => (site, self.images.get(site)?.1),
            Scope::Study => return None,
        };
        Some(ProductRegion { id: self.id(image, name, kind, 0)?, bounds })
    }

    fn id(&self, image: usize, name: &str, kind: RegionKind, version: usize) -> Option<RegionId> {
        let (image, _) = self.images.get(image)?;
        let version = u32::try_from(version).unwrap_or(u32::MAX);
        Some(RegionId::new(image.as_str(), name, kind).with_version(version))
    }
}
