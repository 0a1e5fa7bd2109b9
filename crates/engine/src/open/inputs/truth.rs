//! The truth of an image: a mask, a label image, or outlines, in the pixels that the study works with.

use std::path::Path;
use std::sync::Arc;

use onceflow_imageio::{Outlines, PlacedImage, Resampled, Working};
use onceflow_region::{Bounds, Dense, ImageInfo, RegionError, Source, SourceError, labels};
use onceflow_study::{Diagnostic, StudyImage};

use super::probe::probe_truth;
use super::studied::bounds_of;
use crate::image::{missing, unreadable};
use crate::{EngineError, objects, open_labels, parse_synthetic};

/// The truth of an image, at the resolution of the study.
#[derive(Clone, Debug)]
pub(crate) struct Truth {
    /// Labels of the size of the image.
    pub(crate) source: Arc<dyn Source>,
    /// Where there is truth; everywhere without one.
    within: Option<Bounds>,
    /// Whether its numbers are objects, even where there is only one.
    is_labelled: bool,
    /// Whether it is a mask, as far as it was looked at: objects that touch in it are one.
    pub(crate) is_mask: bool,
}

impl Truth {
    /// Whether all of a box has truth.
    pub(crate) fn covers(&self, bounds: &Bounds) -> bool {
        self.within.as_ref().is_none_or(|within| within.contains(bounds))
    }

    /// Looks at some of it.
    pub(super) fn probe(&mut self, studied: &Bounds) -> Result<(), SourceError> {
        let seen = self.within.and_then(|within| within.intersect(studied)).unwrap_or(*studied);
        self.is_mask = probe_truth(self.source.as_ref(), &seen)? && !self.is_labelled;
        Ok(())
    }

    /// What makes of its pixels what tasks see, as a text.
    pub(crate) fn identity(&self) -> String {
        format!("{:?} {}", self.within, self.is_labelled)
    }

    /// The objects in what was read of it.
    pub(crate) fn objects(&self, read: &Dense) -> Result<Dense, RegionError> {
        if self.is_labelled { labels(read).map(|labels| labels.plane) } else { objects(read) }
    }
}

/// Where truth is looked for.
pub(super) struct Drawn<'a> {
    pub(super) image: &'a StudyImage,
    pub(super) folder: &'a Path,
    /// The file that the truth was drawn on.
    pub(super) of: &'a ImageInfo,
    /// The box of it that is studied.
    pub(super) studied: Bounds,
    pub(super) working: Working,
}

impl Drawn<'_> {
    /// Opens the truth, when the image has one.
    pub(super) fn open(&self) -> Result<Option<Truth>, EngineError> {
        let Some(file) = &self.image.truth else { return Ok(None) };
        let within =
            self.image.truth_box.as_ref().map(|asked| bounds_of(self.image, asked, self.of, "truth_box"));
        let within = within.transpose()?;
        let path = self.folder.join(file);
        let is_labelled = parse_synthetic(file)?.is_none() && Outlines::is_one(&path);
        let source = if is_labelled { self.outlines(&path, within)? } else { self.labels(file, within)? };
        let within = within.and_then(|within| self.working.bounds(&within));
        Ok(Some(Truth { source, within, is_labelled, is_mask: false }))
    }

    /// Outlines are drawn in working pixels.
    fn outlines(&self, path: &Path, within: Option<Bounds>) -> Result<Arc<dyn Source>, EngineError> {
        let outlines = Outlines::read(path).map_err(unreadable)?;
        if within.is_none() {
            self.check_areas(outlines.areas())?;
        }
        Ok(outlines.over(self.of, &self.working))
    }

    /// Where annotations say where objects were drawn, nothing is known of the rest: what is studied must lie in one.
    fn check_areas(&self, areas: &[[f64; 4]]) -> Result<(), EngineError> {
        let whole = |[left, top, right, bottom]: &[f64; 4]| {
            let (x, y) = (left.max(0.0).ceil() as u64, top.max(0.0).ceil() as u64);
            let (right, bottom) = (right.floor() as u64, bottom.floor() as u64);
            [x, y, right.saturating_sub(x).max(1), bottom.saturating_sub(y).max(1)]
        };
        let boxes: Vec<_> = areas.iter().map(whole).collect();
        let covers = |[x, y, width, height]: &[u64; 4]| {
            let area = Bounds::plane(*x as i64, *y as i64, *width, *height);
            area.is_some_and(|area| area.contains(&self.studied))
        };
        let (Some(first), false) = (boxes.first(), boxes.iter().any(covers)) else { return Ok(()) };
        let name = &self.image.name;
        let error =
            Diagnostic::error(format!("the truth of image `{name}` covers only some of what is studied"));
        let error = error.expected_found(
            "truth for all of it, or truth_box that says where there is some",
            format!(
                "objects drawn within {} of class Region*",
                onceflow_study::counted(boxes.len(), "annotation")
            ),
        );
        Err(error.with_hint(format!("write truth_box = {first:?} with the image, or box = {first:?}")).into())
    }

    /// Labels have the size of the image, of the box that is studied, or of the box that has truth.
    fn labels(&self, file: &str, within: Option<Bounds>) -> Result<Arc<dyn Source>, EngineError> {
        if parse_synthetic(file)?.is_none() && !self.folder.join(file).exists() {
            return Err(missing("truth", file));
        }
        let source = open_labels(file, self.folder)?;
        let whole = Bounds::plane(0, 0, self.of.width, self.of.height);
        let size = |bounds: &Bounds| (bounds.width(), bounds.height());
        let found = (source.info().width, source.info().height);
        let boxes = [whole, within, Some(self.studied)];
        let Some(at) = boxes.into_iter().flatten().find(|bounds| size(bounds) == found) else {
            return Err(self.other_size(file, found, within));
        };
        let placed = PlacedImage::new(source, at.x(), at.y(), self.of.width, self.of.height);
        let placed = Arc::new(placed.ok_or_else(|| EngineError::Internal("truth outside its image".into()))?);
        Ok(if self.working.is_whole() { placed } else { Arc::new(Resampled::labels(placed, self.working)) })
    }

    fn other_size(&self, file: &str, found: (u64, u64), within: Option<Bounds>) -> EngineError {
        let image = self.image;
        let error = Diagnostic::error(format!("the truth of image `{}` has another size", image.name));
        let mut expected = format!("{} x {} pixels, as {}", self.of.width, self.of.height, image.file);
        let boxes = [("its box", image.bounds.and(Some(self.studied))), ("its truth_box", within)];
        for (name, bounds) in boxes {
            let Some(bounds) = bounds else { continue };
            expected.push_str(&format!(", or {} x {}, as {name}", bounds.width(), bounds.height()));
        }
        let error = error.expected_found(expected, format!("{} x {} in {file}", found.0, found.1));
        error.with_hint("give the mask or label image that was drawn on this image").into()
    }
}
