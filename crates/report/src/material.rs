//! The parts of the page that are not in the answer: pictures, the schedule, and the provenance.

use crate::Answer;

/// What the page shows besides the answer; everything is optional.
#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    /// Why the run is over.
    pub ending: &'a RunEnding,
    /// Pictures of the results of rows.
    pub pictures: Option<&'a Pictures>,
    /// When each task ran.
    pub trace: &'a [TraceEntry],
    /// The provenance of the results.
    pub provenance: Option<&'a Provenance>,
}

impl Default for Material<'_> {
    fn default() -> Self {
        Self { ending: &RunEnding::Complete, pictures: None, trace: &[], provenance: None }
    }
}

impl Material<'_> {
    /// Whether all pictures are of images and rows of the answer.
    pub(super) fn fits(&self, answer: &Answer) -> bool {
        self.pictures.is_none_or(|pictures| {
            let crops = pictures.crops.len();
            pictures.crops.iter().all(|crop| crop.image < answer.images.len())
                && pictures
                    .shown
                    .iter()
                    .chain(&pictures.gallery)
                    .all(|marks| answer.row_at(marks.row).is_some() && marks.crop < crops)
        })
    }

    /// The command that draws every region of a row.
    pub(super) fn look(&self, row: u64) -> String {
        let folder = self.provenance.map_or("DIR", |provenance| provenance.folder.as_str());
        format!("onceflow report {folder} --row {row} -o look/")
    }
}

/// Crops of images with the results of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pictures {
    /// The crops.
    pub crops: Vec<ImageCrop>,
    /// The defaults, and the proposed values or else the best row, on each crop.
    pub shown: Vec<RowMarks>,
    /// The rows that differ most, on the first crop.
    pub gallery: Vec<RowMarks>,
    /// The meaning of the colours on crops with a truth.
    pub legend: Vec<LegendEntry>,
}

/// A rectangular crop of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageCrop {
    /// Index of the image in the study.
    pub image: usize,
    /// Left side in the image, in pixels.
    pub left: i64,
    /// Upper side in the image, in pixels.
    pub top: i64,
    /// Width in pixels.
    pub width: u64,
    /// Height in pixels.
    pub height: u64,
    /// Whether marks on it compare with the truth.
    pub with_truth: bool,
    /// The outlines of the truth as a PNG file of the size of the crop, where there is one.
    pub truth: Option<Vec<u8>>,
    /// The whole part that it is cut from.
    pub overview: Option<CropOverview>,
    /// Its pixels as a PNG file.
    pub png: Vec<u8>,
}

/// The part that a crop is cut from, made smaller.
#[derive(Clone, Debug, PartialEq)]
pub struct CropOverview {
    /// Left side in the image, in pixels.
    pub left: i64,
    /// Upper side in the image, in pixels.
    pub top: i64,
    /// Width in pixels of the image.
    pub width: u64,
    /// Height in pixels of the image.
    pub height: u64,
    /// Its pixels as a PNG file of any size.
    pub png: Vec<u8>,
}

/// A colour of the marks and its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegendEntry {
    /// Red, green and blue.
    pub colour: [u8; 3],
    /// Its meaning, in a few words.
    pub words: &'static str,
}

/// The result of a row on a crop.
#[derive(Clone, Debug, PartialEq)]
pub struct RowMarks {
    /// Index of the crop.
    pub crop: usize,
    /// Place of the row, as [`Answer::row_at`] has it.
    pub row: usize,
    /// The marks as a PNG file of the size of the crop, transparent without marks.
    pub marks: Vec<u8>,
}

/// The provenance of the results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The text of the study.
    pub study: String,
    /// The text of the workflow.
    pub workflow: String,
    /// The file of the study, as it can be found again.
    pub origin: String,
    /// The folder of the run.
    pub folder: String,
    /// The command that was given.
    pub command: String,
    /// When the run began, as RFC 3339 writes it.
    pub began: String,
    /// When it was over.
    pub ended: String,
    /// The files of the images and their truths.
    pub files: Vec<UsedFile>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedFile {
    /// The image it belongs to.
    pub image: String,
    /// `image` or `truth`.
    pub role: &'static str,
    /// The file, as the study names it.
    pub file: String,
    /// BLAKE3 of its bytes, in hexadecimal digits; empty when it could not be read.
    pub digest: String,
}

/// Why a run is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnding {
    /// All of it is done.
    Complete,
    /// It was stopped from outside; the rows that were done are in the table.
    Stopped,
    /// More rows failed than the study allows; the rows that were done are in the table.
    TooManyFailures,
}

impl RunEnding {
    /// Its word in the status file and in events.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Stopped => "stopped",
            Self::TooManyFailures => "too many rows failed",
        }
    }
}

/// When a task ran.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceEntry {
    /// The phase.
    pub phase: String,
    /// The task.
    pub task: String,
    /// The first row that asked for it, in the table.
    pub row: usize,
    /// Number of the part or image.
    pub site: usize,
    /// The worker.
    pub worker: usize,
    /// Seconds since the run began.
    pub start: f64,
    /// Seconds it took.
    pub seconds: f64,
    /// Peak bytes of its operation; 0 when they were not measured.
    pub bytes: u64,
    /// Why the scheduler chose it.
    pub cause: &'static str,
    /// What came of it.
    pub outcome: TraceOutcome,
}

/// What came of a task that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceOutcome {
    /// Its result was computed.
    Computed,
    /// All its objects were cached: it only looked them up.
    Known,
    /// It failed.
    Failed,
}

impl TraceOutcome {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Computed => "computed",
            Self::Known => "known objects",
            Self::Failed => "failed",
        }
    }
}
