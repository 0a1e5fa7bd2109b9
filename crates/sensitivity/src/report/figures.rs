//! The indices of any technique as named numbers, one list for each factor or parameter.

use crate::{Correlation, Delta, Estimate, Indices, MorrisIndex, Pawn, VarianceIndex};

/// The numbers of one factor or parameter, in the order in which they are written.
pub(super) struct Figures<'a> {
    pub(super) name: &'a str,
    pub(super) figures: Vec<(&'static str, Figure)>,
}

/// A number with or without an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Figure {
    Estimate(Estimate),
    Bare(f64),
    Count(usize),
}

/// One entry for each factor or parameter.
pub(super) fn figures(indices: &Indices) -> Vec<Figures<'_>> {
    match indices {
        Indices::Vbd { factors, .. } => factors.iter().map(variance).collect(),
        Indices::Morris(factors) => factors.iter().map(effects).collect(),
        Indices::Correlation(parameters) => parameters.iter().map(correlation).collect(),
        Indices::RbdFast(parameters) => {
            parameters.iter().map(|p| new(&p.name, [("s1", Figure::Estimate(p.s1))])).collect()
        }
        Indices::Delta(parameters) => parameters.iter().map(delta).collect(),
        Indices::Pawn(parameters) => parameters.iter().map(pawn).collect(),
    }
}

fn new<'a, const N: usize>(name: &'a str, figures: [(&'static str, Figure); N]) -> Figures<'a> {
    Figures { name, figures: figures.to_vec() }
}

fn variance(f: &VarianceIndex) -> Figures<'_> {
    new(&f.name, [("s1", Figure::Estimate(f.s1)), ("st", Figure::Estimate(f.st))])
}

fn effects(f: &MorrisIndex) -> Figures<'_> {
    let (mu, sigma) = (Figure::Bare(f.mu), Figure::Bare(f.sigma));
    let (mu_star, effects) = (Figure::Estimate(f.mu_star), Figure::Count(f.effects));
    new(&f.name, [("mu", mu), ("mu_star", mu_star), ("sigma", sigma), ("effects", effects)])
}

fn correlation(c: &Correlation) -> Figures<'_> {
    new(&c.name, coefficients(c).map(|(key, estimate)| (key, Figure::Estimate(estimate))))
}

fn delta(p: &Delta) -> Figures<'_> {
    let (delta, s1) = (Figure::Estimate(p.delta), Figure::Estimate(p.s1));
    new(&p.name, [("delta", delta), ("s1", s1), ("dummy", Figure::Bare(p.dummy))])
}

fn pawn(p: &Pawn) -> Figures<'_> {
    let (median, maximum) = (Figure::Estimate(p.median), Figure::Bare(p.maximum));
    let (mean, dummy) = (Figure::Bare(p.mean), Figure::Bare(p.dummy));
    new(&p.name, [("median", median), ("maximum", maximum), ("mean", mean), ("dummy", dummy)])
}

/// The six coefficients with their names.
pub(super) fn coefficients(c: &Correlation) -> [(&'static str, Estimate); 6] {
    [
        ("pearson", c.pearson),
        ("spearman", c.spearman),
        ("pcc", c.pcc),
        ("prcc", c.prcc),
        ("src", c.src),
        ("srrc", c.srrc),
    ]
}

impl Figure {
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
