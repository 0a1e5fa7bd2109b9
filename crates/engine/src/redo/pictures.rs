//! Pictures for the report: a piece of each image with what the defaults and the proposed values find in it, and the rows that
//! differ most. They are made of what the run kept; rows are computed again only for what is missing.

mod different;
mod missing;

use onceflow_imageio::picture_bytes;
use onceflow_nuclei::marks;
use onceflow_region::{Dense, rgb8};

use crate::clips::{ImagePiece, ShownPart};
use crate::open::compare;
use crate::open::inputs::in_parallel;
use crate::{
    Agreement, CropOverview, EngineError, ImageCrop, LegendEntry, OpenStudy, Pictures, Progress, RowMarks,
    RowStatus, Run, RunFolder, RunSettings,
};
use different::most_different;
use missing::{FoundAgain, Missing};

/// Rows in the gallery.
const GALLERY: usize = 6;

/// A piece of each image that is shown, with what was found in it.
pub(crate) fn pictures(
    study: &OpenStudy,
    run: &Run,
    settings: &RunSettings,
    folder: &RunFolder,
    progress: &mut dyn Progress,
) -> Result<Pictures, EngineError> {
    let mut pictures = Pictures { legend: legend(), ..Pictures::default() };
    let Some(region) = compare::measured(&study.study.metrics).first().copied() else { return Ok(pictures) };
    let wanted = wanted(run);
    let missing = Missing { study, run, settings, region, scratch: folder.path() };
    let again = missing.compute(&wanted, progress)?;
    for (wanted, again) in wanted.iter().zip(&again) {
        Show { study, run, wanted, again }.add(&mut pictures)?;
    }
    Ok(pictures)
}

/// The colours that say where the result and the truth agree.
fn legend() -> Vec<LegendEntry> {
    let entry = |agreement: Agreement| LegendEntry { colour: agreement.colour(), words: agreement.words() };
    Agreement::ALL.map(entry).to_vec()
}

/// What is shown of a part: places of rows, behind those of the table that of the proposed row.
struct WantedRows {
    at: ShownPart,
    /// The defaults, and the proposed values.
    shown: Vec<usize>,
    /// The rows that differ most.
    gallery: Vec<usize>,
}

impl WantedRows {
    fn rows(&self) -> impl Iterator<Item = usize> {
        self.shown.iter().chain(&self.gallery).copied()
    }
}

fn wanted(run: &Run) -> Vec<WantedRows> {
    let shown = shown(run);
    let wanted = |(place, at): (usize, &ShownPart)| {
        let gallery = if place == 0 { gallery(run, at, &shown) } else { Vec::new() };
        WantedRows { at: *at, shown: shown.clone(), gallery }
    };
    run.clips.parts().iter().enumerate().map(wanted).collect()
}

/// The reference row and, when there is one and it is another, the proposed row; those that failed have nothing to show.
fn shown(run: &Run) -> Vec<usize> {
    let answer = &run.answer;
    let reference = answer.table.rows.iter().position(|row| row.phase.is_none());
    let tuned = answer.tuning.as_ref().map(|tuning| tuning.row);
    let proposed = tuned.or(answer.proposed_place()).or(answer.best.as_ref().map(|best| best.row));
    let proposed = proposed.filter(|proposed| Some(*proposed) != reference);
    let gave = |place: &usize| {
        answer.row_at(*place).is_some_and(|row| !matches!(row.status, RowStatus::Failed { .. }))
    };
    reference.into_iter().chain(proposed).filter(gave).collect()
}

/// The rows that differ most, of those that are at hand; of all when none is.
fn gallery(run: &Run, at: &ShownPart, shown: &[usize]) -> Vec<usize> {
    let is_at_hand = |row: usize| run.clips.knows(row, at.part);
    let any = (0..run.answer.table.rows.len()).any(|row| !shown.contains(&row) && is_at_hand(row));
    most_different(&run.answer.table, shown, GALLERY, |row| !any || is_at_hand(row))
}

/// What is shown of one part.
struct Show<'a> {
    study: &'a OpenStudy,
    run: &'a Run,
    wanted: &'a WantedRows,
    again: &'a FoundAgain,
}

impl Show<'_> {
    fn add(&self, pictures: &mut Pictures) -> Result<(), EngineError> {
        let part = self.wanted.at.part;
        let piece = self.run.clips.piece(part).or_else(|| self.again.piece.clone());
        let Some(piece) = piece.filter(|_| self.wanted.shown.iter().any(|row| self.found(*row).is_some()))
        else {
            return Ok(());
        };
        let crop = pictures.crops.len();
        pictures.crops.push(self.crop(&piece)?);
        let draw = |row: &usize| {
            let found = self.found(*row)?;
            let marks = marks(&found, piece.truth.as_ref()).map_err(EngineError::from);
            Some(marks.map(|marks| RowMarks { crop, row: *row, marks }))
        };
        let rows: Vec<usize> = self.wanted.rows().collect();
        let mut drawn = in_parallel(&rows, draw);
        let gallery = drawn.split_off(self.wanted.shown.len());
        for (rows, into) in [(drawn, &mut pictures.shown), (gallery, &mut pictures.gallery)] {
            into.extend(rows.into_iter().flatten().collect::<Result<Vec<_>, _>>()?);
        }
        Ok(())
    }

    fn crop(&self, piece: &ImagePiece) -> Result<ImageCrop, EngineError> {
        let at = self.study.inputs.parts[self.wanted.at.part];
        let (left, top) = (at.part.read.x() + piece.window.x(), at.part.read.y() + piece.window.y());
        let pixels = rgb8(&piece.pixels).map_err(unreadable)?;
        Ok(ImageCrop {
            image: at.image,
            left,
            top,
            width: piece.window.width(),
            height: piece.window.height(),
            with_truth: piece.truth.is_some(),
            truth: piece.truth.as_ref().map(|truth| marks(truth, None)).transpose()?,
            overview: Some(self.overview(piece)?),
            png: picture_bytes(&pixels).map_err(unreadable)?,
        })
    }

    fn overview(&self, piece: &ImagePiece) -> Result<CropOverview, EngineError> {
        let core = self.study.inputs.parts[self.wanted.at.part].part.core;
        let png = picture_bytes(&rgb8(&piece.overview).map_err(unreadable)?).map_err(unreadable)?;
        Ok(CropOverview { left: core.x(), top: core.y(), width: core.width(), height: core.height(), png })
    }

    /// What a row found in the piece.
    fn found(&self, row: usize) -> Option<Dense> {
        self.run.clips.found(row, self.wanted.at.part).or_else(|| self.again.found.get(&row).cloned())
    }
}

fn unreadable(error: impl std::fmt::Display) -> EngineError {
    onceflow_study::Diagnostic::error(format!("cannot draw the pictures of the report: {error}")).into()
}
