//! What the page is made from besides the answer: pictures, the schedule, and where everything came from.

use crate::run::{Ending, TraceEntry};

/// What stands on the page besides the answer; all of it may be missing.
#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    /// Why the run is over.
    pub ending: &'a Ending,
    /// What rows look like.
    pub pictures: Option<&'a Pictures>,
    /// When each task ran.
    pub trace: &'a [TraceEntry],
    /// Where it came from.
    pub provenance: Option<&'a Provenance>,
}

impl Default for Material<'_> {
    fn default() -> Self {
        Self { ending: &Ending::Complete, pictures: None, trace: &[], provenance: None }
    }
}

impl Material<'_> {
    /// The command that draws every region of a row.
    pub(super) fn look(&self, row: u64) -> String {
        let folder = self.provenance.map_or("DIR", |provenance| provenance.folder.as_str());
        format!("onceflow report {folder} --row {row} -o look/")
    }
}

/// Pieces of images, and what rows found in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pictures {
    /// The pieces.
    pub scenes: Vec<Scene>,
    /// The defaults and the best row in each piece.
    pub shown: Vec<Shown>,
    /// The rows that differ most, in the first piece.
    pub gallery: Vec<Shown>,
}

/// A piece of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The image's place in the study.
    pub image: usize,
    /// Left side in the image, in pixels.
    pub left: i64,
    /// Upper side in the image, in pixels.
    pub top: i64,
    /// Width in pixels.
    pub width: u64,
    /// Height in pixels.
    pub height: u64,
    /// Whether the truth takes part in what is drawn on it.
    pub with_truth: bool,
    /// Its pixels as a PNG file.
    pub png: Vec<u8>,
}

/// What a row found in a piece of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The piece.
    pub scene: usize,
    /// The row's place in the table.
    pub row: usize,
    /// What is drawn on the piece, as a PNG file that is transparent elsewhere.
    pub marks: Vec<u8>,
}

/// Where the results came from.
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
