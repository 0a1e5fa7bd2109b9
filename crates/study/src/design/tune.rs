//! A design whose rows follow from what earlier rows gave: it looks for the best values.

use std::time::Duration;

use crate::{RunBound, UnitError};

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

/// A bound of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TuneBound {
    /// Rows, with that of the defaults.
    Rows(u64),
    /// Time.
    Time(Duration),
    /// Time of tasks, added up over workers.
    Cost(Duration),
}

impl TuneBound {
    const EXPECTED: &'static str =
        "rows such as \"200 rows\", a time such as \"2 h\", or a cost such as \"4 core-h\"";

    /// Reads `200 rows`, `90 min`, `4 core-h`.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn parse(text: &str) -> Result<Self, UnitError> {
        let error = || UnitError { expected: Self::EXPECTED, found: text.into() };
        let (bound, is_cost) = match text.contains("core-") {
            true => (RunBound::parse(&text.replace("core-", "")), true),
            false => (RunBound::parse(text), false),
        };
        match (bound.map_err(|_| error())?, is_cost) {
            (RunBound::Rows(rows), false) if rows >= 2 => Ok(Self::Rows(rows)),
            (RunBound::Time(time), false) => Ok(Self::Time(time)),
            (RunBound::Time(time), true) => Ok(Self::Cost(time)),
            _ => Err(error()),
        }
    }
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
    /// No batch begins after this time, that of interrupted processes included.
    pub time: Option<Duration>,
    /// No batch begins after tasks took this time, added up over workers.
    pub cost: Option<Duration>,
    /// Whether each slide is left out once, the others tuned, and the values measured on it.
    pub leave_one_out: bool,
    /// Independent random rows that are run beside: the yardstick of the search.
    pub yardstick: u64,
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
            cost: None,
            leave_one_out: false,
            yardstick: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_have_units() {
        let seconds = Duration::from_secs;
        assert_eq!(TuneBound::parse("200 rows"), Ok(TuneBound::Rows(200)));
        assert_eq!(TuneBound::parse("2h"), Ok(TuneBound::Time(seconds(7200))));
        assert_eq!(TuneBound::parse("4 core-h"), Ok(TuneBound::Cost(seconds(14_400))));
        assert_eq!(TuneBound::parse("1 core-h 30 core-min"), Ok(TuneBound::Cost(seconds(5400))));
        for wrong in ["200", "1 rows", "core-", "4 core-rows", "-2 h", ""] {
            assert!(TuneBound::parse(wrong).is_err(), "{wrong}");
        }
    }
}
