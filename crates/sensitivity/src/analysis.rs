//! The result of an analysis: indices with intervals, verdicts, failures; and the options of an analysis.

/// How to analyse.
#[derive(Clone, Debug, PartialEq)]
pub struct AnalysisOptions {
    /// Which indices.
    pub technique: Technique,
    /// Estimator of first-order indices (total ones are always Jansen's unless Janon's or Martinez's is chosen).
    pub estimator: Estimator,
    /// Whether second-order indices are wanted (the design must allow them).
    pub second_order: bool,
    /// Probability of the intervals.
    pub confidence: f64,
    /// Bootstrap resamples, where the bootstrap is used.
    pub resamples: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// What to do with failed rows.
    pub failures: FailurePolicy,
    /// An index whose interval lies above this is influential, below it is not: a share of the variance for
    /// variance-based indices, a share of the largest mu* for Morris's.
    pub threshold: f64,
}

impl AnalysisOptions {
    /// The documented defaults for a technique.
    pub fn new(technique: Technique) -> Self {
        let threshold = if technique == Technique::Morris { 0.10 } else { 0.05 };
        Self {
            technique,
            estimator: Estimator::Controlled,
            second_order: false,
            confidence: 0.95,
            resamples: 1000,
            seed: 0,
            failures: FailurePolicy::Drop,
            threshold,
        }
    }
}

/// Which indices are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technique {
    /// Variance-based decomposition of a Saltelli design.
    Vbd,
    /// Elementary effects of a Morris design.
    Morris,
    /// Pearson, Spearman, PCC, PRCC, SRC, SRRC of any rows.
    Correlation,
    /// First-order indices of any rows by sorting and Fourier transform.
    RbdFast,
    /// Borgonovo's delta of any rows.
    Delta,
    /// PAWN of any rows.
    Pawn,
}

impl Technique {
    /// All, in the order documentation lists them.
    pub const ALL: [Self; 6] =
        [Self::Vbd, Self::Morris, Self::Correlation, Self::RbdFast, Self::Delta, Self::Pawn];

    /// The word for it on the command line and in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Vbd => "vbd",
            Self::Morris => "morris",
            Self::Correlation => "correlation",
            Self::RbdFast => "rbd-fast",
            Self::Delta => "delta",
            Self::Pawn => "pawn",
        }
    }
}

/// Estimators of variance-based indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Estimator {
    /// Saltelli's and Jansen's with a polynomial control, where the sample has replicates to fit it on; else without.
    #[default]
    Controlled,
    /// First order: Saltelli 2010, centred; total: Jansen 1999. What SALib computes.
    Saltelli,
    /// Janon 2014 for both.
    Janon,
    /// Martinez 2011 (correlations) for both.
    Martinez,
}

impl Estimator {
    /// All, in the order documentation lists them.
    pub const ALL: [Self; 4] = [Self::Controlled, Self::Saltelli, Self::Janon, Self::Martinez];

    /// The word for it on the command line and in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Controlled => "controlled",
            Self::Saltelli => "saltelli",
            Self::Janon => "janon",
            Self::Martinez => "martinez",
        }
    }
}

/// What to do with failed rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailurePolicy {
    /// Leave out each difference or product that a failed row takes part in.
    #[default]
    Drop,
    /// Besides, widen each interval to what the index would be were every failure the smallest or the largest output.
    Bounds,
    /// Refuse to analyse.
    Stop,
}

/// A number with its interval. The ends are NaN where no trustworthy interval exists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexEstimate {
    /// The point estimate.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl IndexEstimate {
    /// An estimate without an interval.
    pub fn bare(value: f64) -> Self {
        Self { value, low: f64::NAN, high: f64::NAN }
    }

    /// Half the width of the interval.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// How intervals were made, in words that can be cited.
#[derive(Clone, Debug, PartialEq)]
pub struct IntervalMethod {
    /// Short name: `replicated scrambles`, `bootstrap`, `none`.
    pub name: &'static str,
    /// One sentence for a paper, with the reference.
    pub citation: String,
    /// Their probability.
    pub confidence: f64,
}

/// The result of an analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Which indices.
    pub technique: Technique,
    /// Estimator in words, with its reference.
    pub estimator: String,
    /// Rows that took part, failed ones included.
    pub rows: usize,
    /// The threshold of the verdicts.
    pub threshold: f64,
    /// One entry per output.
    pub outputs: Vec<OutputAnalysis>,
}

/// The analysis of one output.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputAnalysis {
    /// Name of the output.
    pub name: String,
    /// The indices.
    pub indices: Indices,
    /// How the intervals were made.
    pub interval: IntervalMethod,
    /// One verdict per entry of the indices; empty where a technique has none.
    pub verdicts: Vec<Verdict>,
    /// What failed.
    pub failures: Failures,
    /// What the reader must know: failures in a corner, an output that does not vary, too few rows.
    pub warnings: Vec<String>,
}

/// Indices by technique, one entry per factor (variance-based, Morris) or parameter (the others).
#[derive(Clone, Debug, PartialEq)]
pub enum Indices {
    /// Variance-based.
    Vbd {
        /// Per factor.
        factors: Vec<VarianceIndex>,
        /// Per pair of factors, first below second; empty unless asked for.
        pairs: Vec<SecondOrder>,
    },
    /// Elementary effects.
    Morris(Vec<MorrisIndex>),
    /// Correlations.
    Correlation(Vec<Correlation>),
    /// RBD-FAST.
    RbdFast(Vec<RbdFast>),
    /// Delta.
    Delta(Vec<Delta>),
    /// PAWN.
    Pawn(Vec<Pawn>),
}

impl Indices {
    /// The index that decides about each factor or parameter, under its name: total index, mu*, first-order index,
    /// delta, median. Correlations have none.
    pub(crate) fn main(&self) -> Vec<(&str, IndexEstimate)> {
        fn each<T>(entries: &[T], of: fn(&T) -> (&String, IndexEstimate)) -> Vec<(&str, IndexEstimate)> {
            entries.iter().map(of).map(|(name, estimate)| (name.as_str(), estimate)).collect()
        }
        match self {
            Self::Vbd { factors, .. } => each(factors, |f| (&f.name, f.st)),
            Self::Morris(factors) => each(factors, |f| (&f.name, f.mu_star)),
            Self::Correlation(_) => Vec::new(),
            Self::RbdFast(parameters) => each(parameters, |p| (&p.name, p.s1)),
            Self::Delta(parameters) => each(parameters, |p| (&p.name, p.delta)),
            Self::Pawn(parameters) => each(parameters, |p| (&p.name, p.median)),
        }
    }

    /// The threshold of the verdicts in the unit of the main index: for Morris's, a share of the largest mu*.
    pub(crate) fn bar(&self, threshold: f64) -> f64 {
        match self {
            Self::Morris(factors) => threshold * largest_mu_star(factors),
            _ => threshold,
        }
    }
}

/// The largest mean absolute effect, by which all are measured; NaN when there is none.
pub(crate) fn largest_mu_star(factors: &[MorrisIndex]) -> f64 {
    factors.iter().map(|f| f.mu_star.value).fold(f64::NAN, f64::max)
}

/// First-order and total index of a factor.
#[derive(Clone, Debug, PartialEq)]
pub struct VarianceIndex {
    /// Name of the factor.
    pub name: String,
    /// First order: the share of the variance it explains alone.
    pub s1: IndexEstimate,
    /// Total: the share it takes part in.
    pub st: IndexEstimate,
}

/// Second-order index of two factors.
#[derive(Clone, Debug, PartialEq)]
pub struct SecondOrder {
    /// First factor.
    pub first: String,
    /// Second factor.
    pub second: String,
    /// The share of the variance explained only by both together.
    pub s2: IndexEstimate,
}

/// Elementary effects of a factor.
#[derive(Clone, Debug, PartialEq)]
pub struct MorrisIndex {
    /// Name of the factor.
    pub name: String,
    /// Mean effect. NaN for a group or a categorical parameter, whose steps have no direction.
    pub mu: f64,
    /// Mean absolute effect.
    pub mu_star: IndexEstimate,
    /// Standard deviation of the effects; NaN where `mu` is.
    pub sigma: f64,
    /// Effects it was computed from.
    pub effects: usize,
}

/// Correlation coefficients of a parameter. A categorical parameter has none (NaN).
#[derive(Clone, Debug, PartialEq)]
pub struct Correlation {
    /// Name of the parameter.
    pub name: String,
    /// Pearson's coefficient.
    pub pearson: IndexEstimate,
    /// Spearman's coefficient.
    pub spearman: IndexEstimate,
    /// Partial correlation.
    pub pcc: IndexEstimate,
    /// Partial rank correlation.
    pub prcc: IndexEstimate,
    /// Standardised regression coefficient.
    pub src: IndexEstimate,
    /// Standardised rank regression coefficient.
    pub srrc: IndexEstimate,
}

/// First-order index by RBD-FAST.
#[derive(Clone, Debug, PartialEq)]
pub struct RbdFast {
    /// Name of the parameter.
    pub name: String,
    /// First-order index.
    pub s1: IndexEstimate,
}

/// Borgonovo's delta, with the first-order index that comes with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Delta {
    /// Name of the parameter.
    pub name: String,
    /// Delta, bias-reduced.
    pub delta: IndexEstimate,
    /// First-order index.
    pub s1: IndexEstimate,
    /// Upper bound of delta, with the interval's probability, for a parameter without effect.
    pub dummy: f64,
}

/// PAWN index: Kolmogorov-Smirnov distances over slices.
#[derive(Clone, Debug, PartialEq)]
pub struct Pawn {
    /// Name of the parameter.
    pub name: String,
    /// Median over the slices, with its interval.
    pub median: IndexEstimate,
    /// Largest over the slices.
    pub maximum: f64,
    /// Mean over the slices.
    pub mean: f64,
    /// Upper bound of the median, with the interval's probability, for a parameter without effect.
    pub dummy: f64,
}

/// The comparison of an index's interval with the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The interval lies above the threshold.
    Influential,
    /// The interval lies below the threshold.
    NotInfluential,
    /// The interval contains the threshold, or there is no interval.
    Undecided {
        /// Estimate of how many more rows would decide it; `None` when more than a thousand times the rows, or when there
        /// is no interval.
        more_rows: Option<u64>,
    },
}

impl Verdict {
    /// More rows than this many times those that were run are not suggested.
    const AFFORDABLE_TIMES: u64 = 20;

    /// How many more rows would decide it, while that is at most 20 times `rows`, the number of rows that were run.
    pub fn affordable_rows(self, rows: usize) -> Option<u64> {
        let Self::Undecided { more_rows: Some(more) } = self else { return None };
        (more <= Self::AFFORDABLE_TIMES.saturating_mul(rows as u64)).then_some(more)
    }

    /// The verdict in one or two words.
    pub fn word(self) -> &'static str {
        match self {
            Self::Influential => "influential",
            Self::NotInfluential => "not influential",
            Self::Undecided { .. } => "undecided",
        }
    }
}

/// Failed and missing rows, and what they cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failures {
    /// Rows that failed (or whose output is not finite).
    pub failed: usize,
    /// Rows that are not in the results.
    pub missing: usize,
    /// Per factor or parameter: effects, products or rows lost to failures.
    pub lost: Vec<usize>,
    /// The corner of the space where failures gather, in words; `None` when they look scattered.
    pub cluster: Option<String>,
}
