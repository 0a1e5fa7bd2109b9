//! What a run is a run of: its journal is of use to no other.

use std::fmt::Write as _;

use onceflow_region::Digest;
use onceflow_study::{Scope, Study, StudyImage, Value};

use crate::OpenStudy;
use crate::open::compare::with_compare;
use crate::open::inputs::OpenedImage;
use crate::plan::phase::PhaseRows;

/// What a run is a run of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunIdentity {
    /// What makes a row what it is at a part of an image: the study without its phases, settings and images, the workflow with
    /// the comparisons that its metrics need and the versions of its operations, and our version.
    pub(crate) head: String,
    /// The images.
    pub(crate) images: Vec<ImageIdentity>,
}

/// What makes the parts of an image what they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImageIdentity {
    /// A digest of the image as the study names it, its files as they are now, and its parts.
    pub(crate) digest: String,
    /// The number of its parts.
    pub(crate) parts: usize,
}

/// The identity of a run of a study.
pub(crate) fn identity(study: &OpenStudy) -> RunIdentity {
    let images = image_identities(study);
    let rows = Study { images: Vec::new(), metrics: Vec::new(), ..study.study.without_settings() };
    let mut compared = format!("{:?}", with_compare(&study.workflow, &study.study.metrics));
    // Another process may have found the same workflow by another path.
    if let Some(source) = &study.workflow.source {
        compared = compared.replace(&format!("{:?}", source.name), "its file");
    }
    let mut text = format!("{} {rows:?} {compared}", env!("CARGO_PKG_VERSION"));
    for (at, task) in study.flow.tasks.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, " {} {}", task.spec.id, task.spec.version);
        // A result of the whole study is another one with other images.
        if study.flow.scope(at) == Scope::Study {
            let _ = write!(text, " {images:?}");
        }
    }
    RunIdentity { head: Digest::of_text("onceflow journal identity v3", &text).to_string(), images }
}

fn image_identities(study: &OpenStudy) -> Vec<ImageIdentity> {
    let inputs = &study.inputs;
    let named = study.study.images.iter().zip(&study.stamps);
    // Images that could not be read are not among those that were opened.
    let opened = |image: &StudyImage| inputs.images.iter().position(|opened| opened.name == image.name);
    let images = named.filter_map(|(image, stamp)| Some((opened(image)?, image, stamp)));
    let one = |(at, named, stamp): (usize, &StudyImage, &String)| {
        let opened = &inputs.images[at];
        let parts: Vec<_> = inputs.parts.iter().filter(|part| part.image == at).map(|p| p.part).collect();
        let OpenedImage { bounds, um_per_pixel, resampled, .. } = opened;
        let named = named.without_columns();
        let text = format!("{named:?}{stamp} {bounds:?} {um_per_pixel:?} {resampled:?} {parts:?}");
        let digest = Digest::of_text("onceflow journal image v1", &text).to_string();
        ImageIdentity { digest, parts: parts.len() }
    };
    images.map(one).collect()
}

/// Where parts of earlier images are among those of these.
pub(super) struct PartPlaces(Vec<Option<usize>>);

impl PartPlaces {
    /// From the parts of some images to those of others.
    pub(super) fn new(from: &[ImageIdentity], to: &[ImageIdentity]) -> Self {
        let first = |at: usize| to[..at].iter().map(|image| image.parts).sum::<usize>();
        let place = |image: &ImageIdentity| {
            let at = to.iter().position(|other| other == image).map(first);
            (0..image.parts).map(move |part| at.map(|first| first + part)).collect::<Vec<_>>()
        };
        Self(from.iter().flat_map(place).collect())
    }

    /// The number of a part now; none when it is gone.
    pub(super) fn get(&self, part: usize) -> Option<usize> {
        self.0.get(part).copied().flatten()
    }
}

/// The rows of a phase, told by how many of the first there are and what they are.
pub(crate) struct RowsIdentity {
    /// The number of its first row in the table, and whether that is the reference row.
    head: String,
    /// The values of each row.
    rows: Vec<String>,
}

impl RowsIdentity {
    /// Of a phase whose first row has this number in the table.
    pub(crate) fn new(study: &OpenStudy, phase: &PhaseRows, with_reference: bool, first: usize) -> Self {
        let values = |row| format!(" {:?}", phase.values(&study.reference, row));
        let rows = (0..phase.sample.len()).map(values).collect();
        Self { head: format!("{with_reference} {first}"), rows }
    }

    /// Of a batch of rows with these values.
    pub(crate) fn of_rows(with_reference: bool, rows: &[Vec<Value>]) -> Self {
        let rows = rows.iter().map(|values| format!(" {values:?}")).collect();
        Self { head: format!("batch {with_reference}"), rows }
    }

    /// Of one row with these values, wherever it stands.
    pub(crate) fn of_values(values: &[Value]) -> Self {
        Self { head: "alone".into(), rows: vec![format!(" {values:?}")] }
    }

    /// Rows of a test.
    #[cfg(test)]
    pub(super) fn made_up(head: &str, rows: Vec<String>) -> Self {
        Self { head: head.into(), rows }
    }

    /// How many rows there are besides the reference row.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The digest of so many of the first rows.
    pub(crate) fn digest(&self, rows: usize) -> String {
        let text = self.head.clone() + &self.rows[..rows].concat();
        Digest::of_text("onceflow journal rows v2", &text).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(digest: &str, parts: usize) -> ImageIdentity {
        ImageIdentity { digest: digest.into(), parts }
    }

    #[test]
    fn parts_are_found_by_their_image() {
        let (a, b, c) = (image("a", 2), image("b", 3), image("c", 1));
        let places = PartPlaces::new(&[a.clone(), c.clone()], &[b, a, c]);
        assert_eq!([0, 1, 2, 3].map(|part| places.get(part)), [Some(3), Some(4), Some(5), None]);
        let places = PartPlaces::new(&[image("a", 2), image("c", 1)], &[image("a", 4), image("c", 1)]);
        assert_eq!([0, 1, 2].map(|part| places.get(part)), [None, None, Some(4)]);
    }
}
