//! A pair of volumes as an image of a study: the fixed volume as a plane of its slices, one below the other, so that a pixel is
//! a voxel. Its tasks read the volumes themselves, by the names of the workflow's inputs.

use std::path::Path;
use std::sync::Arc;

use onceflow_imageio::Working;
use onceflow_region::{
    Bounds, Dense, Details, Digest, Element, ImageInfo, ImageScale, Pixels, Points, Region, Source,
    SourceError,
    source::{check_read, dense},
};
use onceflow_registration::{OpenPair, PairFiles, Role};
use onceflow_runtime::OperationError;
use onceflow_study::{Diagnostic, StudyImage};

use super::OpenedImage;
use super::opened::Opened;
use crate::{AtWork, EngineError};

/// The inputs of a workflow that a pair gives.
pub(crate) const PAIR_SOURCES: [&str; 8] = [
    "fixed",
    "moving",
    "fixed_mask",
    "moving_mask",
    "fixed_labels",
    "moving_labels",
    "fixed_landmarks",
    "moving_landmarks",
];

/// Those of them that no transform depends on.
pub(crate) const JUDGING: [&str; 4] =
    ["fixed_labels", "moving_labels", "fixed_landmarks", "moving_landmarks"];

/// Opens the files of a pair, relative to `folder`.
pub(super) fn open_pair(image: &StudyImage, folder: &Path) -> Result<Opened, EngineError> {
    let file = |name: &str| image.of_pair(name).map(|file| folder.join(file));
    let two = |one: &str, other: &str| [file(one), file(other)];
    let files = PairFiles {
        volumes: [folder.join(&image.file), file("moving").unwrap_or_default()],
        masks: two("fixed_mask", "moving_mask"),
        labels: two("fixed_labels", "moving_labels"),
        landmarks: two("fixed_landmarks", "moving_landmarks"),
        time: 0,
    };
    let pair = Arc::new(OpenPair::open(&files)?);
    let source: Arc<dyn Source> = Arc::new(PairPlane::new(Arc::clone(&pair)));
    let bounds =
        source.info().bounds().ok_or_else(|| EngineError::Internal("a pair without voxels".into()))?;
    let at_work = AtWork {
        working: Working::whole(source.info()),
        source: Arc::clone(&source),
        um_per_pixel: None,
        resampled: None,
    };
    Ok(Opened { file: source, at_work, truth: None, bounds, pair: Some(pair) })
}

/// The fixed volume as a plane of its slices.
#[derive(Debug)]
struct PairPlane {
    pair: Arc<OpenPair>,
    info: ImageInfo,
}

impl PairPlane {
    fn new(pair: Arc<OpenPair>) -> Self {
        let [x, y, z] = pair.grid(Role::Fixed).size().map(|side| side as u64);
        let (width, height) = (x, y.saturating_mul(z));
        let info = ImageInfo {
            format: pair.info(Role::Fixed).format.clone(),
            width,
            height,
            channels: 1,
            element: Element::F32,
            um_per_pixel: None,
            scales: vec![ImageScale { width, height, downsample: 1.0 }],
            details: Details::default(),
        };
        Self { pair, info }
    }
}

impl Source for PairPlane {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    /// Values scaled to 0..1. Tasks do not read them: they take the volumes.
    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        let name = self.pair.files().volumes[0].display().to_string();
        let [left, top, width, height] = check_read(&name, &self.info, 0, &bounds)?;
        let volume = self.pair.read(Role::Fixed, None).map_err(|error| SourceError::File {
            file: name.clone(),
            reason: error.to_string(),
            todo: "look at the volume",
        })?;
        let across = self.info.width as usize;
        let rows =
            (top..top + height).flat_map(|row| &volume.scaled.values()[row * across + left..][..width]);
        dense(&name, [width, height], 1, Pixels::F32(rows.copied().collect()))
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        self.pair.digest().map_err(|error| SourceError::File {
            file: self.pair.files().volumes[0].display().to_string(),
            reason: error.to_string(),
            todo: "check that all files of the pair can be read",
        })
    }
}

/// Refuses images for a workflow that takes pairs of volumes, and pairs for one that takes images.
pub(crate) fn check_kind(sources: &[String], images: &[OpenedImage]) -> Result<(), EngineError> {
    let takes_pairs = sources.iter().any(|name| PAIR_SOURCES.contains(&name.as_str()));
    let Some(other) = images.iter().find(|image| image.pair.is_some() != takes_pairs) else { return Ok(()) };
    let (expected, found, hint) = match takes_pairs {
        true => {
            ("a pair of volumes", "an image", "write fixed = and moving = with two volumes in place of file")
        }
        false => ("an image", "a pair of volumes", "write workflow = \"registration\" for pairs of volumes"),
    };
    let message = Diagnostic::error(format!("the workflow cannot be run on `{}`", other.name));
    Err(message.expected_found(expected, found).with_hint(hint).into())
}

/// Whether a pair has what an input is named after.
pub(crate) fn has(pair: &OpenPair, name: &str) -> bool {
    let files = pair.files();
    let place = usize::from(name.starts_with("moving"));
    match name.split_once('_').map(|(_, what)| what) {
        None => true,
        Some("mask") => files.masks[place].is_some(),
        Some("labels") => files.labels[place].is_some(),
        Some(_) => files.landmarks[place].is_some(),
    }
}

/// What a pair gives under the name of an input; nothing where it has no such file.
pub(crate) fn region_of_pair(pair: &OpenPair, name: &str) -> Result<Region, OperationError> {
    let role = if name.starts_with("moving") { Role::Moving } else { Role::Fixed };
    let failed = |error: onceflow_registration::RegistrationError| OperationError::from(error);
    let volume = |values: Pixels| {
        let grid = pair.grid(role);
        onceflow_registration::volume_on(&grid, values).map(Region::Volume).map_err(failed)
    };
    match name {
        "fixed" | "moving" => volume(pair.values(role).map_err(failed)?),
        "fixed_mask" | "moving_mask" => {
            pair.mask(role).map_err(failed)?.map_or(Ok(Region::Nothing), |mask| volume(Pixels::U8(mask)))
        }
        "fixed_labels" | "moving_labels" => {
            pair.labels(role).map_err(failed)?.map_or(Ok(Region::Nothing), volume)
        }
        _ => match pair.landmarks_of(role) {
            Some(places) => Points::new(places.to_vec())
                .map(Region::Points)
                .map_err(|error| OperationError::new(error.to_string())),
            None => Ok(Region::Nothing),
        },
    }
}

/// Bytes of a voxel of a pair as its tasks see it.
pub(crate) fn bytes_of_pair(pair: &OpenPair, name: &str) -> u64 {
    let role = if name.starts_with("moving") { Role::Moving } else { Role::Fixed };
    let of_fixed = |bytes: u64| {
        let [own, fixed] = [role, Role::Fixed].map(|role| pair.grid(role).voxels() as u64);
        (bytes * own).div_ceil(fixed.max(1))
    };
    match name {
        "fixed" | "moving" => of_fixed(pair.info(role).element.bytes()),
        "fixed_mask" | "moving_mask" => of_fixed(1),
        "fixed_labels" | "moving_labels" => {
            of_fixed(pair.label_element(role).map_or(0, |element| 2 * element.bytes()))
        }
        _ => 0,
    }
}
