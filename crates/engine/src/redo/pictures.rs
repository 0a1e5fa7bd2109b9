//! Pictures for the report: a piece of each image with what the defaults and the best row find in it, and the rows that
//! differ most.

mod different;

use std::path::Path;
use std::sync::Arc;

use onceflow_imageio::png_bytes;
use onceflow_nuclei::marks;
use onceflow_region::{Bounds, Budget, Dense, Region, into_rgb8};
use onceflow_runtime::InputProvider as _;
use onceflow_study::Scope;

use crate::open::compare;
use crate::open::inputs::StudyInputs;
use crate::open::supply::{References, Sources};
use crate::redo::region::RowsRequest;
use crate::{
    Agreement, Answer, EngineError, ImageCrop, LegendEntry, OpenStudy, Pictures, RowMarks, RowStatus,
    RunFolder,
};
use different::most_different;

/// Images that are shown at most.
const MOST_IMAGES: usize = 3;

/// The longest side of the first piece: nuclei stay visible, the page stays small.
const LONGEST: u64 = 400;

/// The longest side of the other pieces.
const LONGEST_OTHER: u64 = 280;

/// Rows in the gallery.
const GALLERY: usize = 6;

/// A piece of each image with what was found in it; the rows are computed again for it. Images with a truth come first.
/// What memory has no room for meanwhile goes into `folder`.
pub fn pictures(
    prepared: &OpenStudy,
    answer: &Answer,
    memory: u64,
    folder: &RunFolder,
) -> Result<Pictures, EngineError> {
    let mut pictures = Pictures { legend: legend(), ..Pictures::default() };
    let Some(region) = compare::measured(&prepared.study.metrics).first().map(|name| (*name).to_owned())
    else {
        return Ok(pictures);
    };
    let mut images: Vec<usize> = (0..prepared.inputs.images.len()).collect();
    images.sort_by_key(|image| prepared.inputs.images[*image].truth.is_none());
    let first_part = |image: usize| prepared.inputs.parts.iter().position(|part| part.image == image);
    for part in images.into_iter().filter_map(first_part).take(MOST_IMAGES) {
        Show { prepared, answer, memory, region: &region, scratch: folder.path() }
            .add(part, &mut pictures)?;
    }
    Ok(pictures)
}

/// The colours that say where the result and the truth agree.
fn legend() -> Vec<LegendEntry> {
    let entry = |agreement: Agreement| LegendEntry { colour: agreement.colour(), words: agreement.words() };
    Agreement::ALL.map(entry).to_vec()
}

/// What is shown of every piece.
struct Show<'a> {
    prepared: &'a OpenStudy,
    answer: &'a Answer,
    memory: u64,
    region: &'a str,
    scratch: &'a Path,
}

impl Show<'_> {
    fn add(&self, part: usize, pictures: &mut Pictures) -> Result<(), EngineError> {
        let inputs = self.prepared.inputs.only(part);
        let Some(at) = inputs.parts.first().copied() else { return Ok(()) };
        let shown = self.shown();
        let known = shown.len();
        let different = if pictures.crops.is_empty() {
            most_different(&self.answer.table, &shown, GALLERY)
        } else {
            Vec::new()
        };
        let rows: Vec<usize> = shown.into_iter().chain(different).collect();
        let (Some(first), Some(core)) = (rows.first(), at.seen(at.part.core)) else { return Ok(()) };
        let truth = truth(&inputs);
        let longest = if pictures.crops.is_empty() { LONGEST } else { LONGEST_OTHER };
        // The first row alone says which piece is shown; of all of them no more than that is kept.
        let window = match self.found(&inputs, &[*first], core)?.first() {
            Some(whole) => richest(whole, truth.as_ref(), longest),
            None => return Ok(()),
        };
        let crop = |dense: &Dense| dense.crop(window).map_err(unreadable);
        let outside = || unreadable("a piece outside its part");
        let shown = window.translate(core.x(), core.y()).ok_or_else(outside)?;
        let found = self.found(&inputs, &rows, shown)?;
        let place = window.translate(at.part.core.x(), at.part.core.y()).ok_or_else(outside)?;
        let pixels = inputs.images[at.image].source.read(place).map_err(unreadable)?;
        let png = png_bytes(&into_rgb8(pixels).map_err(unreadable)?).map_err(unreadable)?;
        let truth = truth.as_ref().map(crop).transpose()?;
        let crop = pictures.crops.len();
        pictures.crops.push(ImageCrop {
            image: at.image,
            left: at.part.core.x() + window.x(),
            top: at.part.core.y() + window.y(),
            width: window.width(),
            height: window.height(),
            with_truth: truth.is_some(),
            png,
        });
        for (place, (row, mask)) in rows.iter().zip(&found).enumerate() {
            let drawn = RowMarks { crop, row: *row, marks: marks(mask, truth.as_ref())? };
            if self.is_failed(*row) {
                continue;
            }
            if place < known { pictures.shown.push(drawn) } else { pictures.gallery.push(drawn) }
        }
        Ok(())
    }

    /// Places in the table: the reference row and, when there is one and it is another, the best.
    fn shown(&self) -> Vec<usize> {
        let reference = self.answer.table.rows.iter().position(|row| row.phase.is_none());
        let best = self.answer.best.as_ref().map(|best| best.row).filter(|best| Some(*best) != reference);
        reference.into_iter().chain(best).collect()
    }

    fn is_failed(&self, row: usize) -> bool {
        matches!(self.answer.table.rows[row].status, RowStatus::Failed { .. })
    }

    /// What the region that is measured holds in a box of the part, of each row.
    fn found(&self, inputs: &StudyInputs, rows: &[usize], within: Bounds) -> Result<Vec<Dense>, EngineError> {
        let values: Vec<_> = rows.iter().map(|row| self.answer.table.rows[*row].values.as_slice()).collect();
        let (names, scratch) = (self.answer.table.parameters.as_slice(), Some(self.scratch));
        let request = RowsRequest { inputs, names, memory: self.memory, scratch };
        let regions = request.compute(self.prepared, &values, self.region, within)?;
        let dense = |region: &Arc<Region>| region.as_dense().cloned().ok_or_else(|| no_pixels(self.region));
        regions.iter().map(dense).collect()
    }
}

/// The truth of what belongs to the first part. One that cannot be read has failed its rows already; the picture does without it.
pub(crate) fn truth(inputs: &StudyInputs) -> Option<Dense> {
    let budget = Budget::new(u64::MAX);
    let sources = Sources::new(inputs, vec![compare::TRUTH.into()], References::new(), budget, 0);
    let truth = sources.source(0, Scope::Part, 0).ok()?;
    let at = inputs.parts.first()?;
    let core = at.part.core.relative_to(&at.counted(&inputs.images[at.image]))?;
    truth.as_dense()?.crop(core).ok()
}

/// The piece of at most so many pixels a side that holds most of what was found and drawn; the middle one of equal ones.
fn richest(found: &Dense, truth: Option<&Dense>, longest: u64) -> Bounds {
    let bounds = found.bounds();
    let starts = |length: u64| {
        let most = length.saturating_sub(longest);
        [most / 2, 0, most]
    };
    let (width, height) = (bounds.width().min(longest), bounds.height().min(longest));
    let place = |x: u64, y: u64| Bounds::plane(x as i64, y as i64, width, height);
    let pieces = starts(bounds.height())
        .into_iter()
        .flat_map(|y| starts(bounds.width()).into_iter().filter_map(move |x| place(x, y)));
    let amount = |piece: &Bounds| {
        std::iter::once(found).chain(truth).map(|plane| foreground(plane, piece)).sum::<usize>()
    };
    pieces.rev().max_by_key(amount).unwrap_or(bounds)
}

fn foreground(plane: &Dense, piece: &Bounds) -> usize {
    let Ok(cropped) = plane.crop(*piece) else { return 0 };
    let bytes = cropped.as_u8().map(|pixels| pixels.iter().filter(|pixel| **pixel != 0).count());
    let labels = cropped.as_u32().map(|pixels| pixels.iter().filter(|pixel| **pixel != 0).count());
    bytes.or(labels).unwrap_or(0)
}

fn no_pixels(region: &str) -> EngineError {
    EngineError::Internal(format!("the region {region} has no pixels"))
}

fn unreadable(error: impl std::fmt::Display) -> EngineError {
    onceflow_study::Diagnostic::error(format!("cannot draw the pictures of the report: {error}")).into()
}
