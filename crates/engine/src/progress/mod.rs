//! Progress of a run: what it reports while it runs, the status file, and events for programs.

mod events;
mod images;
mod report;
mod status;
mod track;

use onceflow_study::counted;

use crate::duration_words;

pub use images::ImageWatch;
pub(crate) use report::ProgressReport;
pub use status::STATUS_FILE;
pub use track::{ProgressTracker, StageProgress};

/// Called while a study runs, one call after the other, from any thread.
pub trait Progress: Send {
    /// Images are read for their digests, which takes more than a second; called every second.
    fn digesting(&mut self, _digested: ImagesDigested) {}
    /// A phase begins.
    fn phase(&mut self, phase: &PhaseBegun);
    /// Of the rows of the phase, so many are done on a part as the journal says.
    fn resumed(&mut self, _instances: u64) {}
    /// One more task is over.
    fn task(&mut self, _task: &TaskOver<'_>) {}
    /// One more of a task is over without having run: it turned out to be what another had made.
    fn duplicate(&mut self, _task: usize) {}
    /// One more row is over on one part.
    fn row(&mut self, _row: &RowOver<'_>) {}
    /// The rows are over, and pictures are drawn.
    fn pictures(&mut self, _ahead: &PicturesAhead) {}
    /// So many workers compute buckets now.
    fn workers(&mut self, _running: usize) {}
    /// A worker left the results of one more bucket.
    fn bucket(&mut self, _bucket: &BucketOver<'_>) {}
    /// A note or a warning for the user.
    fn note(&mut self, _text: &str) {}
}

/// How many images were read for their digests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImagesDigested {
    /// So many are read.
    pub done: usize,
    /// All.
    pub of: usize,
    /// Seconds since the first began.
    pub seconds: f64,
}

impl ImagesDigested {
    /// `digests   3 of 24 images read, 12 s so far`.
    pub fn line(&self) -> String {
        let images = counted(self.of, "image");
        format!("digests   {} of {images} read, {} so far", self.done, duration_words(self.seconds))
    }
}

/// What is to be done for the pictures of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PicturesAhead {
    /// Rows that are computed again, each on one part.
    pub rows: usize,
    /// Seconds that they are expected to take; infinite where programs were not measured.
    pub seconds: f64,
    /// Whether programs of the workflow are started for them.
    pub programs: bool,
}

impl PicturesAhead {
    fn time(&self) -> String {
        let known = self.seconds.is_finite();
        if known { format!(", about {}", duration_words(self.seconds)) } else { String::new() }
    }

    /// `pictures  computing 8 rows again, about 1.2 s; this starts programs of the workflow`.
    pub fn line(&self) -> String {
        let again = match self.rows {
            0 => "drawing".to_owned(),
            rows => format!("computing {} again{}", counted(rows, "row"), self.time()),
        };
        let programs = if self.programs { "; this starts programs of the workflow" } else { "" };
        format!("pictures  {again}{programs}")
    }
}

/// A phase and what it has to do.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseBegun {
    /// Its name.
    pub name: String,
    /// Rows on all parts.
    pub instances: u64,
    /// Names of the stages, in their order.
    pub stages: Vec<String>,
    /// What is to be done of each task, in the order of the workflow.
    pub tasks: Vec<TaskAhead>,
    /// How many tasks may run at a time.
    pub workers: usize,
    /// The bound of memory in bytes.
    pub memory: u64,
}

/// What is to be done of one task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskAhead {
    /// Its name.
    pub name: String,
    /// The number of its stage.
    pub stage: usize,
    /// How many of it the rows ask for.
    pub asked: u64,
    /// How many of it are computed at most.
    pub planned: u64,
    /// Seconds that one of it is expected to take.
    pub seconds: f64,
}

/// A task that is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskOver<'a> {
    /// Its number in the workflow.
    pub task: usize,
    /// The first row that asked for it, in the table.
    pub row: usize,
    /// The image, unless it belongs to all.
    pub image: Option<&'a str>,
    /// Number of the part or image.
    pub site: usize,
    /// Seconds it took.
    pub seconds: f64,
    /// Bytes of memory that are reserved now.
    pub reserved: u64,
    /// Whether all its objects were cached, so that nothing was computed.
    pub known: bool,
    /// Why it failed.
    pub failed: Option<&'a str>,
}

/// A row that is over on one part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowOver<'a> {
    /// Its number in the table.
    pub row: usize,
    /// The image.
    pub image: &'a str,
    /// The part, counted over all images.
    pub part: usize,
    /// `ok`, the status that ended it, or `failed`.
    pub status: &'a str,
    /// Whether an earlier run had done it.
    pub resumed: bool,
}

/// A bucket that a worker computed, and how far its phase is with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BucketOver<'a> {
    /// Stages by their names, and how many tasks of each were computed.
    pub computed: &'a [(String, u64)],
    /// Most bytes that its worker had.
    pub peak: u64,
    /// Seconds of work that buckets of the phase were expected to take: of those that workers did since it began, and of
    /// all that were left then.
    pub cost: (f64, f64),
}

/// Reports nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn phase(&mut self, _phase: &PhaseBegun) {}
}
