//! Whether a bucket and its results belong to a study, and whether the files that they name are as they were.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::Path;

use onceflow_region::{Digest, Source};
use onceflow_study::{Diagnostic, counted};

use super::{BucketImage, BucketInput, BucketPhase, BucketReference, SavedRegion};
use crate::open::inputs::OpenedImage;
use crate::open::sources::{References, SavedReference};
use crate::resume::journal::identity;
use crate::run::recorder::reference_name;
use crate::{EngineError, OpenStudy, RunFolder};

/// The digest of what a bucket of a phase carries out.
pub(in crate::run) fn plan_digest(study: &OpenStudy, phase: &BucketPhase) -> String {
    let BucketPhase { name, rows, digest, first, with_reference } = phase;
    let text = format!("{:?} {name:?} {rows} {digest} {first} {with_reference}", identity(study));
    Digest::of_text("onceflow bucket plan v1", &text).to_string()
}

/// Refuses what belongs to another study, other images or another version.
pub(super) fn check_plan(study: &OpenStudy, phase: &BucketPhase, found: &str) -> Result<(), EngineError> {
    let expected = plan_digest(study, phase);
    if found == expected {
        return Ok(());
    }
    let error = Diagnostic::error(format!("the bucket of phase `{}` belongs to another plan", phase.name));
    let error = error.expected_found(format!("the plan {expected}"), format!("the plan {found}"));
    Err(error.with_hint("open the study, the images and the version with which the bucket was cut").into())
}

/// Refuses rows that are not of the phase, twice there, or have too many or too few values, and parts that do not exist.
pub(super) fn check_rows(study: &OpenStudy, bucket: &BucketInput) -> Result<(), EngineError> {
    let rows = bucket.phase.rows + usize::from(bucket.phase.with_reference);
    let (parts, values) = (study.inputs.parts.len(), study.reference.names.len());
    let mut seen = HashSet::new();
    for row in &bucket.rows {
        if row.row >= rows || !seen.insert(row.row) {
            return Err(wrong(format!("rows below {rows}, each once"), format!("row {}", row.row)));
        }
        if row.values.len() != values {
            let found = format!("{} in row {}", row.values.len(), row.row);
            return Err(wrong(counted(values, "value"), found));
        }
    }
    if let Some(part) = bucket.parts.iter().find(|part| **part >= parts) {
        return Err(wrong(format!("parts below {parts}"), format!("part {part}")));
    }
    if !bucket.parts.is_sorted_by(|one, other| one < other) {
        return Err(wrong("parts in ascending order".into(), format!("{:?}", bucket.parts)));
    }
    let computed = bucket.reference == BucketReference::Computed;
    if computed && !bucket.phase.with_reference {
        return Err(wrong("saved regions of the reference row".into(), "none".into()));
    }
    Ok(())
}

/// Refuses images whose content has changed.
pub(super) fn check_images(study: &OpenStudy, bucket: &BucketInput) -> Result<(), EngineError> {
    for expected in &bucket.images {
        let opened = study.inputs.images.iter().find(|image| image.name == expected.name);
        let missing = || wrong(format!("an image `{}`", expected.name), "none of that name".into());
        let found = image_digests(opened.ok_or_else(missing)?)?;
        if found != *expected {
            let words = |image: &BucketImage| format!("content {} of image `{}`", image.digest, image.name);
            return Err(wrong(words(expected), words(&found)));
        }
    }
    Ok(())
}

/// An image by the digests of what a bucket reads of it.
pub(super) fn image_digests(image: &OpenedImage) -> Result<BucketImage, EngineError> {
    let digest = |source: &dyn Source| -> Result<String, EngineError> {
        let unreadable = |error| Diagnostic::error(format!("cannot read image `{}`: {error}", image.name));
        Ok(source.digest().map_err(unreadable)?.to_string())
    };
    let truth = image.truth.as_ref().map(|truth| digest(truth.source.as_ref())).transpose()?;
    Ok(BucketImage { name: image.name.clone(), digest: digest(image.source.as_ref())?, truth })
}

/// The regions of the reference row that a bucket names, in the folder of the run.
pub(super) fn references(bucket: &BucketInput, folder: &RunFolder) -> Result<References, EngineError> {
    let BucketReference::Saved(regions) = &bucket.reference else { return Ok(References::new()) };
    let saved = |SavedRegion { name, part, file }: &SavedRegion| {
        let saved = match file {
            None => SavedReference::Ended,
            Some(file) => {
                let path = folder.path().join(&file.path);
                let found = file_digest(&path).ok();
                if found.as_ref() != Some(&file.digest) {
                    let expected = format!("{} with content {}", path.display(), file.digest);
                    let found = found.map_or("no such file".into(), |digest| format!("content {digest}"));
                    return Err(wrong(expected, found));
                }
                SavedReference::Saved(path, None)
            }
        };
        Ok(((reference_name(name), *part), saved))
    };
    regions.iter().map(saved).collect()
}

/// The digest of a file's bytes.
pub(super) fn file_digest(path: &Path) -> io::Result<String> {
    Ok(Digest::of_reader("onceflow file of a run v1", File::open(path)?)?.to_string())
}

fn wrong(expected: String, found: String) -> EngineError {
    let error = Diagnostic::error("the bucket does not fit the study");
    error.expected_found(expected, found).with_hint("cut the rows of the run into buckets again").into()
}

/// A text that is not what it should be.
pub(in crate::run) fn unreadable(what: &str, error: &serde_json::Error) -> EngineError {
    let message = format!("cannot read {what}");
    let error = Diagnostic::error(message).expected_found(format!("{what} as JSON"), error.to_string());
    error.with_hint("take the file as it was written").into()
}

/// Refuses a form that this version does not know.
pub(super) fn check_version(what: &str, found: u32, expected: u32) -> Result<(), EngineError> {
    if found == expected {
        return Ok(());
    }
    let error = Diagnostic::error(format!("{what} has a form that this version does not know"));
    let error = error.expected_found(format!("version {expected}"), format!("version {found}"));
    Err(error.with_hint("use the version that wrote it").into())
}

/// A line whose checksum does not hold.
pub(super) fn damaged_line(number: usize) -> EngineError {
    let error = Diagnostic::error("the results of a bucket were changed");
    let error = error.expected_found("lines as they were written", format!("another text in line {number}"));
    error.with_hint("carry the bucket out again").into()
}
