//! What tuning found: the best values, and whether they hold on images that took no part in it.

use onceflow_study::Value;

use super::ValueChange;

/// The answer of a phase that tunes.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneAnswer {
    /// Its phase.
    pub phase: String,
    /// How rows were proposed, by the word of study files.
    pub tuner: String,
    /// The metrics that were improved; values and gains are those of the first.
    pub objectives: Vec<String>,
    /// For each of them whether more is better.
    pub maximize: Vec<bool>,
    /// How images were taken together: `mean` or `pooled`.
    pub over: String,
    /// Rows that were run, with that of the defaults.
    pub evaluations: u64,
    /// Names of the images that took part.
    pub images: Vec<String>,
    /// Names of the images that took no part.
    pub held_images: Vec<String>,
    /// The place of the best row in the table.
    pub row: usize,
    /// The values of all parameters in it.
    pub values: Vec<Value>,
    /// The objective with the defaults and with the best values, on the images that took part.
    pub default: f64,
    /// The same with the best values.
    pub best: f64,
    /// All metrics on these images.
    pub metrics: Vec<TunedMetric>,
    /// Parameters whose value differs from the default.
    pub changes: Vec<ValueChange>,
    /// Parameters that went back to their defaults at the end, since they made no difference.
    pub returned: Vec<String>,
    /// Parameters that stand at an end of their range.
    pub ends: Vec<RangeEnd>,
    /// What the end of the search tried beside the best row, one parameter at a time.
    pub flips: Vec<FlippedValue>,
    /// Flips for which no row was left.
    pub untried: usize,
    /// With several objectives the rows that no other row beats in all of them.
    pub front: Vec<TunedRow>,
    /// Each row in the order of the proposals, that of the defaults first.
    pub history: Vec<TriedRow>,
    /// The yardstick: for 1, 2, 3, … independent random rows, the mean of the best of so many.
    pub random: Vec<f64>,
    /// The gain on images that took no part; `None` without such images.
    pub held_out: Option<HeldOutGain>,
    /// Slides that took no part, on which the defaults or the best values failed.
    pub failed_on: Vec<String>,
    /// For each slide what tuning on all others gains on it, where the study asks for that.
    pub left_out: Vec<LeftOutSlide>,
    /// Reasons to doubt it, in whole sentences.
    pub warnings: Vec<String>,
}

/// A parameter whose best value is an end of its range: better values may lie beyond.
#[derive(Clone, Debug, PartialEq)]
pub struct RangeEnd {
    /// Its name.
    pub parameter: String,
    /// Its value.
    pub value: Value,
    /// The line of a study file with a wider range; `None` where a range of that kind has none.
    pub wider: Option<String>,
}

/// A value that was tried beside the best row at the end of the search.
#[derive(Clone, Debug, PartialEq)]
pub struct FlippedValue {
    /// The parameter.
    pub parameter: String,
    /// The value of the best row.
    pub from: Value,
    /// The value in its place.
    pub to: Value,
    /// The objective with it; `None` when the row failed.
    pub value: Option<f64>,
}

/// What tuning on all other slides gains on one.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOutSlide {
    /// The slide, or the patient.
    pub slide: String,
    /// Rows that were run without it.
    pub evaluations: u64,
    /// The gain on the slides that took part.
    pub training_gain: f64,
    /// The objective on the slide with the defaults, and with the values that the others gave; `None` when one failed.
    pub found: Option<(f64, f64)>,
}

/// A metric with the defaults and with the best values.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedMetric {
    /// Its name.
    pub name: String,
    /// With the defaults.
    pub default: Option<f64>,
    /// With the best values.
    pub best: Option<f64>,
}

/// A row that was run to find the best values.
#[derive(Clone, Debug, PartialEq)]
pub struct TriedRow {
    /// Its place in the table.
    pub place: usize,
    /// The objectives; `None` when it failed.
    pub objectives: Option<Vec<f64>>,
}

/// A row with one value per objective.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedRow {
    /// Its number.
    pub row: u64,
    /// The objectives.
    pub objectives: Vec<f64>,
}

/// The gain on images that took no part in tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOutGain {
    /// Slide by slide.
    pub slides: Vec<SlideGain>,
    /// The objective with the defaults: the mean over slides.
    pub default: f64,
    /// The same with the best values.
    pub best: f64,
    /// Their difference, above 0 when the best values are better.
    pub gain: f64,
    /// The ends of its interval, whose unit is the slide; `None` of fewer than three slides.
    pub ends: Option<(f64, f64)>,
    /// Probability of the interval.
    pub confidence: f64,
    /// All metrics on these images.
    pub metrics: Vec<TunedMetric>,
    /// For rows that were the best so far: the number, the gain on the images that took part, and that on these.
    pub curve: Vec<(u64, f64, f64)>,
}

/// The objective on one slide.
#[derive(Clone, Debug, PartialEq)]
pub struct SlideGain {
    /// The slide, or the patient.
    pub slide: String,
    /// Its images.
    pub images: usize,
    /// With the defaults.
    pub default: f64,
    /// With the best values.
    pub best: f64,
}

/// What the held-out images say of the best values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TuneVerdict {
    /// They are better: the whole interval is above 0.
    Confirmed,
    /// The interval contains 0: the defaults are recommended.
    NoGain,
    /// They are worse: the whole interval is below 0.
    Loss,
    /// They, or the defaults, failed on a slide: the defaults are recommended.
    Failed,
    /// Too few slides to say.
    NotConfirmed,
}

impl TuneVerdict {
    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::NoGain => "no gain",
            Self::Loss => "loss",
            Self::Failed => "failed",
            Self::NotConfirmed => "not confirmed",
        }
    }
}

impl TuneAnswer {
    /// What the held-out images say.
    pub fn verdict(&self) -> TuneVerdict {
        if !self.failed_on.is_empty() {
            return TuneVerdict::Failed;
        }
        match self.held_out.as_ref().and_then(|held| held.ends) {
            Some((low, _)) if low > 0.0 => TuneVerdict::Confirmed,
            Some((_, high)) if high < 0.0 => TuneVerdict::Loss,
            Some(_) => TuneVerdict::NoGain,
            None => TuneVerdict::NotConfirmed,
        }
    }

    /// Whether the defaults are recommended in place of the best values.
    pub fn recommends_defaults(&self) -> bool {
        matches!(self.verdict(), TuneVerdict::NoGain | TuneVerdict::Loss | TuneVerdict::Failed)
    }
}
