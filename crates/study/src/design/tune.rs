//! A design whose rows follow from what earlier rows gave: it looks for the best values.

use std::time::Duration;

/// How rows are proposed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TuneMethod {
    /// The mix of methods that needs the fewest rows: a scrambled start, a Gaussian process, coordinate search.
    #[default]
    Auto,
    /// Independent random rows: the yardstick.
    Random,
    /// Tree-structured Parzen estimator.
    Tpe,
    /// Covariance matrix adaptation with margin.
    CmaEs,
    /// Gaussian process with logarithmic expected improvement.
    Gp,
    /// Pattern search along one parameter at a time, the last task's first.
    Coordinate,
    /// Genetic algorithm; with several objectives NSGA-II.
    Ga,
    /// The simplex of Nelder and Mead.
    NelderMead,
    /// Parallel rank ordering.
    Pro,
}

impl TuneMethod {
    /// All of them with the words used in files.
    pub const WORDS: [(&'static str, Self); 10] = [
        ("auto", Self::Auto),
        ("random", Self::Random),
        ("tpe", Self::Tpe),
        ("cma-es", Self::CmaEs),
        ("gp", Self::Gp),
        ("coordinate", Self::Coordinate),
        ("ga", Self::Ga),
        ("nsga-ii", Self::Ga),
        ("nelder-mead", Self::NelderMead),
        ("pro", Self::Pro),
    ];

    /// The word used in files.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, method)| *method == self).map_or("auto", |(word, _)| word)
    }

    /// The one with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, method)| *method)
    }
}

/// How the values of a metric on several images become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TuneOver {
    /// Their mean: every image counts alike.
    #[default]
    Mean,
    /// Pixels and objects are added first: an image with many objects counts more.
    Pooled,
}

impl TuneOver {
    /// All of them with the words used in files.
    pub const WORDS: [(&'static str, Self); 2] = [("mean", Self::Mean), ("pooled", Self::Pooled)];

    /// The word used in files.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, over)| *over == self).map_or("mean", |(word, _)| word)
    }
}

/// Which images take no part in tuning, so that they can confirm what it finds.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum HoldOut {
    /// About a third of the slides, at least three where there are six.
    #[default]
    Usual,
    /// This share of the slides.
    Share(f64),
    /// The slides, patients or images with these names.
    Names(Vec<String>),
}

/// Rows that look for the best values.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneDesign {
    /// Rows, with that of the defaults.
    pub evaluations: u64,
    /// How they are proposed.
    pub tuner: TuneMethod,
    /// The metrics to improve; without any, the first that counts objects, else the first.
    pub metrics: Vec<String>,
    /// How the values of several images become one.
    pub over: TuneOver,
    /// Which images confirm the result.
    pub hold_out: HoldOut,
    /// Rows that are proposed at once.
    pub batch: u64,
    /// No batch begins after this time.
    pub time: Option<Duration>,
}

impl TuneDesign {
    /// Rows without a number in the file.
    pub const EVALUATIONS: u64 = 100;
    /// Rows that are proposed at once without a number in the file.
    pub const BATCH: u64 = 1;
}

impl Default for TuneDesign {
    fn default() -> Self {
        Self {
            evaluations: Self::EVALUATIONS,
            tuner: TuneMethod::default(),
            metrics: Vec::new(),
            over: TuneOver::default(),
            hold_out: HoldOut::default(),
            batch: Self::BATCH,
            time: None,
        }
    }
}
