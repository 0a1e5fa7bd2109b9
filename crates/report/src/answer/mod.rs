//! The answer of a run: the metric table, the analyses of each phase, the best row, and the account of the work.

mod best_row;
mod check;
mod phase;
mod resampling;
mod table;
mod tuning;
mod work;

use onceflow_study::{Metric, Seams};

pub use best_row::{BestRow, ProposedRow, ValueChange};
pub use phase::{ImageAnalysis, KeptParameters, PhaseAnswer};
pub use resampling::{Resampling, ResamplingKind, resampling_words};
pub use table::{ImageRecord, MetricTable, RowRecord, RowStatus};
pub use tuning::{
    FlippedValue, HeldOutGain, LeftOutSlide, RangeEnd, SlideGain, TriedRow, TuneAnswer, TuneVerdict,
    TunedMetric, TunedRow,
};
pub use work::{Amounts, EarlierRun, PhaseGrain, ProposedWork, TakenSum, WorkAccount};

/// The result of a run. Reports are renderings of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Name of the study.
    pub study: String,
    /// Name and version of the workflow: `nuclei 1`.
    pub workflow: String,
    /// Seed of all random numbers.
    pub seed: u64,
    /// The images that were studied.
    pub images: Vec<ImageSummary>,
    /// The metrics; the answer is about the first.
    pub metrics: Vec<Metric>,
    /// How objects at the borders of parts are handled.
    pub seams: Seams,
    /// Width of the halo around each part, in pixels; 0 without a halo.
    pub halo: u64,
    /// One record per row.
    pub table: MetricTable,
    /// The answer of each phase, in their order.
    pub phases: Vec<PhaseAnswer>,
    /// The best row by the first metric, when one direction of it is better.
    pub best: Option<BestRow>,
    /// What tuning found, in a study that tunes; the best row is then its own.
    pub tuning: Option<TuneAnswer>,
    /// Requested, saved and computed work.
    pub work: WorkAccount,
    /// Notes for the reader, in whole sentences.
    pub notes: Vec<String>,
}

impl Answer {
    /// The resolution of all images, where it is known and one: within 1 %, as for the images of a study.
    pub fn um_per_pixel(&self) -> Option<f64> {
        let first = self.images.first()?.um_per_pixel?;
        let is_near =
            |image: &ImageSummary| image.um_per_pixel.is_some_and(|um| (um / first - 1.0).abs() <= 0.01);
        self.images.iter().all(is_near).then_some(first)
    }

    /// A row by its place: those of the table, and behind them the proposed row where it is in no table.
    pub fn row_at(&self, place: usize) -> Option<&RowRecord> {
        let rows = &self.table.rows;
        let proposed = self.best.as_ref().and_then(|best| best.proposed.as_ref());
        rows.get(place).or_else(|| proposed.filter(|_| place == rows.len()).map(|proposed| &proposed.row))
    }

    /// The place of the proposed row; `None` when the best row itself is proposed.
    pub fn proposed_place(&self) -> Option<usize> {
        let proposed = self.best.as_ref()?.proposed.as_ref()?;
        let rows = &self.table.rows;
        let is_it = |row: &RowRecord| row.values == proposed.row.values && row.status == RowStatus::Ok;
        Some(rows.iter().position(is_it).unwrap_or(rows.len()))
    }
}

/// An image of the study.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageSummary {
    /// Its name.
    pub name: String,
    /// Width of the studied area, in pixels.
    pub width: u64,
    /// Height of the studied area, in pixels.
    pub height: u64,
    /// Resolution, when it is known.
    pub um_per_pixel: Option<f64>,
    /// How it was resampled, when the file has another resolution.
    pub resampled: Option<Resampling>,
    /// Parts that were run.
    pub parts: usize,
    /// Parts left out because they hold no tissue.
    pub left_out: usize,
    /// Objects of its truth, when it has one.
    pub truth_objects: Option<u64>,
}
