//! The indices of any technique as named numbers, one list for each factor or parameter.

use crate::{Correlation, Delta, IndexEstimate, Indices, MorrisIndex, Pawn, VarianceIndex};

/// The numbers of one factor or parameter, in the order in which they are written.
pub(super) struct IndexFigures<'a> {
    pub(super) name: &'a str,
    pub(super) figures: Vec<(&'static str, IndexFigure)>,
}

/// A number with or without an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum IndexFigure {
    Estimate(IndexEstimate),
    Bare(f64),
    Count(usize),
}

/// One entry for each factor or parameter.
pub(super) fn figures(indices: &Indices) -> Vec<IndexFigures<'_>> {
    match indices {
        Indices::Vbd { factors, .. } => factors.iter().map(variance).collect(),
        Indices::Morris(factors) => factors.iter().map(effects).collect(),
        Indices::Correlation(parameters) => parameters.iter().map(correlation).collect(),
        Indices::RbdFast(parameters) => {
            parameters.iter().map(|p| new(&p.name, [("s1", IndexFigure::Estimate(p.s1))])).collect()
        }
        Indices::Delta(parameters) => parameters.iter().map(delta).collect(),
        Indices::Pawn(parameters) => parameters.iter().map(pawn).collect(),
    }
}

fn new<'a, const N: usize>(name: &'a str, figures: [(&'static str, IndexFigure); N]) -> IndexFigures<'a> {
    IndexFigures { name, figures: figures.to_vec() }
}

fn variance(f: &VarianceIndex) -> IndexFigures<'_> {
    new(&f.name, [("s1", IndexFigure::Estimate(f.s1)), ("st", IndexFigure::Estimate(f.st))])
}

fn effects(f: &MorrisIndex) -> IndexFigures<'_> {
    let (mu, sigma) = (IndexFigure::Bare(f.mu), IndexFigure::Bare(f.sigma));
    let (mu_star, effects) = (IndexFigure::Estimate(f.mu_star), IndexFigure::Count(f.effects));
    new(&f.name, [("mu", mu), ("mu_star", mu_star), ("sigma", sigma), ("effects", effects)])
}

fn correlation(c: &Correlation) -> IndexFigures<'_> {
    new(&c.name, coefficients(c).map(|(key, estimate)| (key, IndexFigure::Estimate(estimate))))
}

fn delta(p: &Delta) -> IndexFigures<'_> {
    let (delta, s1) = (IndexFigure::Estimate(p.delta), IndexFigure::Estimate(p.s1));
    new(&p.name, [("delta", delta), ("s1", s1), ("dummy", IndexFigure::Bare(p.dummy))])
}

fn pawn(p: &Pawn) -> IndexFigures<'_> {
    let (median, maximum) = (IndexFigure::Estimate(p.median), IndexFigure::Bare(p.maximum));
    let (mean, dummy) = (IndexFigure::Bare(p.mean), IndexFigure::Bare(p.dummy));
    new(&p.name, [("median", median), ("maximum", maximum), ("mean", mean), ("dummy", dummy)])
}

/// The six coefficients with their names.
pub(super) fn coefficients(c: &Correlation) -> [(&'static str, IndexEstimate); 6] {
    [
        ("pearson", c.pearson),
        ("spearman", c.spearman),
        ("pcc", c.pcc),
        ("prcc", c.prcc),
        ("src", c.src),
        ("srrc", c.srrc),
    ]
}

impl IndexFigure {
    /// Under its name, and its interval under the name with `_low` and `_high`.
    pub(super) fn flat(self, name: &str) -> Vec<(String, f64)> {
        match self {
            Self::Bare(x) => vec![(name.into(), x)],
            Self::Count(n) => vec![(name.into(), n as f64)],
            Self::Estimate(e) => {
                vec![(name.into(), e.value), (format!("{name}_low"), e.low), (format!("{name}_high"), e.high)]
            }
        }
    }
}
