//! A study: a workflow, its images, parameters, metrics and phases.

mod change;
mod check;
mod count;
mod entry;
mod file;
mod halo;
mod keep;
mod resolve;
mod sheet;

pub use self::change::{Edit, PhaseGrowth, StudyDifference};
pub use self::count::{MOST_INSTANCES, MOST_ROWS, PhaseCount, StudyCounts};
pub use self::entry::FindFiles;
pub use self::file::{StudyFile, parse_study};
pub use self::keep::{FactorEffect, Keep, KeepRule};
pub use self::sheet::{ImageSheet, parse_sheet};

use crate::pair::{MOVING, PAIR_COLUMNS};
use crate::{Design, Problem, RunBound, Space, SpaceError, Value};

/// The content of a study file, checked and completed from its workflow. Made by [`StudyFile::resolve`].
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// Its name.
    pub name: String,
    /// Seed of everything random.
    pub seed: u64,
    /// The workflow, unless the study only serves the statistics of the user's own model.
    pub workflow: Option<WorkflowReference>,
    /// The parameters that vary.
    pub space: Space,
    /// The parameters that do not, with their values.
    pub fixed: Vec<(String, Value)>,
    /// What the workflow is run on.
    pub images: Vec<StudyImage>,
    /// How images are cut.
    pub parts: Parts,
    /// The metrics; the answer is about the first.
    pub metrics: Vec<Metric>,
    /// The phases, in their order.
    pub phases: Vec<Phase>,
    /// How it is run.
    pub run: RunSection,
    /// An index above this share is influential.
    pub threshold: f64,
}

/// Where a workflow is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkflowReference {
    /// A file, relative to the study file.
    File(String),
    /// One that is shipped, by name.
    Shipped(String),
}

/// An image, or a box of one.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyImage {
    /// Its name, unique in the study.
    pub name: String,
    /// The file, relative to the study file.
    pub file: String,
    /// The part of it that is studied; the whole without one.
    pub bounds: Option<ImageBox>,
    /// File with the truth, relative to the study file.
    pub truth: Option<String>,
    /// The part of the image that the truth covers; all of it without one.
    pub truth_box: Option<ImageBox>,
    /// Resolution, where the file does not say it.
    pub um_per_pixel: Option<f64>,
    /// The user's own columns, to group by; `slide` and `patient` say which images belong together.
    pub columns: Vec<(String, String)>,
}

impl StudyImage {
    /// What images of one patient, else of one slide have in common; without columns that say so, their file.
    pub fn slide(&self) -> &str {
        let column =
            |name: &str| self.columns.iter().find(|(column, value)| column == name && !value.is_empty());
        column("patient").or_else(|| column("slide")).map_or(&self.file, |(_, value)| value)
    }

    /// The same without the user's own columns.
    #[must_use]
    pub fn without_columns(&self) -> Self {
        let of_pair = |(name, _): &&(String, String)| PAIR_COLUMNS.contains(&name.as_str());
        Self { columns: self.columns.iter().filter(of_pair).cloned().collect(), ..self.clone() }
    }

    /// Whether it is a pair of volumes; its file is the fixed one.
    pub fn is_pair(&self) -> bool {
        self.of_pair(MOVING).is_some()
    }

    /// What belongs to a pair under one of [`PAIR_COLUMNS`].
    pub fn of_pair(&self, name: &str) -> Option<&str> {
        let found = self.columns.iter().find(|(column, _)| column == name && PAIR_COLUMNS.contains(&name));
        found.map(|(_, file)| file.as_str()).filter(|file| !file.is_empty())
    }

    /// Every file of it.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let of_pair = PAIR_COLUMNS.into_iter().filter_map(|name| self.of_pair(name));
        [Some(self.file.as_str()), self.truth.as_deref()].into_iter().flatten().chain(of_pair)
    }

    /// All of a file, without truth.
    pub fn of_file(name: impl Into<String>, file: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            file: file.into(),
            bounds: None,
            truth: None,
            truth_box: None,
            um_per_pixel: None,
            columns: Vec::new(),
        }
    }
}

/// A rectangle in full-resolution pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageBox {
    /// Left edge.
    pub x: u64,
    /// Upper edge.
    pub y: u64,
    /// Width, above 0.
    pub width: u64,
    /// Height, above 0.
    pub height: u64,
}

/// How images are cut into parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// Resolution to work at; that of each image without it.
    pub um_per_pixel: Option<f64>,
    /// Edge of a part in pixels.
    pub size: u64,
    /// What happens where parts meet.
    pub seams: Seams,
    /// What happens to parts without tissue.
    pub background: BackgroundRule,
    /// Parts taken of each image; all without it.
    pub per_image: Option<u64>,
}

/// What happens where parts meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seams {
    /// The result of the uncut image: a box is one part, however large it is.
    Exact,
    /// Parts see a halo around themselves, and an object belongs to the part that holds its first pixel.
    #[default]
    Owned,
    /// Each part by itself.
    Independent,
}

impl Seams {
    /// Its word in a study.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Owned => "owned",
            Self::Independent => "independent",
        }
    }
}

/// What happens to parts without tissue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackgroundRule {
    /// They are left out.
    #[default]
    Skip,
    /// They are run like the others.
    Keep,
}

/// What is measured of each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name, unique in the study; without a workflow, the name of the model's output.
    pub name: String,
    /// The output of the workflow that is measured.
    pub of: Option<String>,
    /// The measure.
    pub measure: Option<String>,
    /// What it is compared with.
    pub against: Against,
}

/// What a metric compares with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Against {
    /// The truth of the images that have one.
    Truth,
    /// The result of the reference row, which has the default values.
    Default,
    /// Nothing: counts, densities, features.
    #[default]
    Nothing,
}

/// One step of a study: rows of one design, analysed together.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Its name, unique in the study.
    pub name: String,
    /// Its rows.
    pub design: Design,
    /// Which parameters vary in it; all without it.
    pub keep: Option<Keep>,
    /// Estimator of variance-based indices, by its word.
    pub estimator: Option<&'static str>,
    /// How its rows are analysed, by the words of `analyze --method`.
    pub analyses: Vec<&'static str>,
    /// Probability of its intervals in place of the study's: a phase that is looked at more than once has another at each
    /// look. Study files do not say it.
    pub confidence: Option<f64>,
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunUntil {
    /// When every verdict about the first metric is decided: the sample of the last phase doubles until then.
    Decided,
}

impl RunUntil {
    /// The words in study files and on the command line.
    pub const WORDS: [(&'static str, Self); 1] = [("decided", Self::Decided)];

    /// The one with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, until)| *until)
    }
}

/// How a study is run. Values that are `None` are derived from the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSection {
    /// Workers.
    pub workers: Option<u64>,
    /// Bound of memory in bytes.
    pub memory: Option<u64>,
    /// How results that do not fit in memory are written, in the notation of the region store.
    pub staging: Option<String>,
    /// What happens to failed rows.
    pub failures: OnFailure,
    /// Stop when more than this share of the rows failed.
    pub stop_above: f64,
    /// What happens to images that cannot be read.
    pub unreadable: OnUnreadable,
    /// Regions that stay on disk.
    pub keep_regions: Vec<String>,
    /// Bootstrap resamples.
    pub resamples: u64,
    /// Probability of the intervals.
    pub confidence: f64,
    /// How fine tasks are, by one of [`RunSection::GRANULARITIES`].
    pub granularity: Option<&'static str>,
    /// When the run ends; without it, after the rows that the phases say.
    pub until: Option<RunUntil>,
    /// How far it may go until then.
    pub at_most: Option<RunBound>,
}

/// What happens to images that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnUnreadable {
    /// Nothing is run.
    #[default]
    Stop,
    /// They are left out.
    Skip,
}

/// What happens to failed rows in an analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// They are left out.
    #[default]
    Drop,
    /// Left out, and intervals widened to what the failures could have been.
    Bounds,
    /// Nothing is analysed.
    Stop,
}

impl WorkflowReference {
    /// A text with a slash or an ending `.json` names a file, any other a shipped workflow.
    pub fn new(text: &str) -> Self {
        let is_file = text.contains(['/', '\\']) || text.to_lowercase().ends_with(".json");
        if is_file { Self::File(text.into()) } else { Self::Shipped(text.into()) }
    }

    /// As it stands in the study.
    pub fn text(&self) -> &str {
        let (Self::File(text) | Self::Shipped(text)) = self;
        text
    }
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            um_per_pixel: None,
            size: 4096,
            seams: Seams::default(),
            background: BackgroundRule::default(),
            per_image: None,
        }
    }
}

impl Default for RunSection {
    fn default() -> Self {
        Self {
            workers: None,
            memory: None,
            staging: None,
            failures: OnFailure::default(),
            stop_above: 0.05,
            unreadable: OnUnreadable::default(),
            keep_regions: Vec::new(),
            resamples: 1000,
            confidence: 0.95,
            granularity: None,
            until: None,
            at_most: None,
        }
    }
}

impl RunSection {
    /// The words for how fine tasks are: by their costs, as they are written, all split, all fused.
    pub const GRANULARITIES: [&'static str; 4] = ["auto", "written", "split", "fused"];
}

impl Study {
    /// Default threshold: an index above this share is influential.
    pub const THRESHOLD: f64 = 0.05;

    /// The phase with that name.
    pub fn phase(&self, name: &str) -> Option<&Phase> {
        self.phases.iter().find(|p| p.name == name)
    }

    /// Names of the metrics: the outputs of a row.
    pub fn outputs(&self) -> Vec<String> {
        self.metrics.iter().map(|m| m.name.clone()).collect()
    }

    /// The whole space with the design of the first phase.
    pub fn problem(&self) -> Problem {
        let design = self.phases.first().map(|p| p.design.clone());
        Problem { space: self.space.clone(), outputs: self.outputs(), design }
    }

    /// What a phase samples, given the factors its rule kept.
    pub fn phase_problem(&self, phase: &Phase, kept: Option<&[String]>) -> Result<Problem, SpaceError> {
        let (space, design) = (self.phase_space(phase, kept)?, Some(phase.design.clone()));
        Ok(Problem { space, outputs: self.outputs(), design })
    }

    /// The parameters that vary in a phase. `kept` are the names of factors (or of their parameters) that a rule of
    /// the phase kept; without it a rule keeps all. Names in the file are kept as they are.
    pub fn phase_space(&self, phase: &Phase, kept: Option<&[String]>) -> Result<Space, SpaceError> {
        let names = match (&phase.keep, kept) {
            (Some(Keep::Names(names)), _) => names,
            (Some(Keep::Effects(_)), Some(names)) => names,
            (None, _) | (Some(Keep::Effects(_)), None) => return Ok(self.space.clone()),
        };
        self.space.keep(&self.space.members(names)?)
    }
}
