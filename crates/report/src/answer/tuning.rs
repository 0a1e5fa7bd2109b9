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
    pub ends: Vec<String>,
    /// With several objectives the rows that no other row beats in all of them.
    pub front: Vec<TunedRow>,
    /// Each row in the order of the proposals with its objective; `None` when it failed.
    pub history: Vec<(u64, Option<f64>)>,
    /// The gain on images that took no part; `None` without such images.
    pub held_out: Option<HeldOutGain>,
    /// Reasons to doubt it, in whole sentences.
    pub warnings: Vec<String>,
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
    /// Too few slides to say.
    NotConfirmed,
}

impl TuneVerdict {
    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::NoGain => "no gain",
            Self::NotConfirmed => "not confirmed",
        }
    }
}

impl TuneAnswer {
    /// What the held-out images say.
    pub fn verdict(&self) -> TuneVerdict {
        match self.held_out.as_ref().and_then(|held| held.ends) {
            Some((low, _)) if low > 0.0 => TuneVerdict::Confirmed,
            Some(_) => TuneVerdict::NoGain,
            None => TuneVerdict::NotConfirmed,
        }
    }

    /// Whether the defaults are recommended in place of the best values.
    pub fn recommends_defaults(&self) -> bool {
        self.verdict() == TuneVerdict::NoGain
    }
}
