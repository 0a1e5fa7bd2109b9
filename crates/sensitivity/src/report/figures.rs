//! The indices of any technique as named numbers, one list for each factor or parameter.

use crate::{Correlation, Estimate, Indices};

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
    use Figure::{Bare, Count, Estimate};
    let of = |name, figures: &[(&'static str, Figure)]| Figures { name, figures: figures.to_vec() };
    match indices {
        Indices::Vbd { factors, .. } => {
            factors.iter().map(|f| of(&f.name, &[("s1", Estimate(f.s1)), ("st", Estimate(f.st))])).collect()
        }
        Indices::Morris(factors) => factors
            .iter()
            .map(|f| {
                let (mu_star, effects) = (Estimate(f.mu_star), Count(f.effects));
                of(
                    &f.name,
                    &[
                        ("mu", Bare(f.mu)),
                        ("mu_star", mu_star),
                        ("sigma", Bare(f.sigma)),
                        ("effects", effects),
                    ],
                )
            })
            .collect(),
        Indices::Correlation(parameters) => {
            let named = |c: &Correlation| coefficients(c).map(|(key, estimate)| (key, Estimate(estimate)));
            parameters.iter().map(|c| of(&c.name, &named(c))).collect()
        }
        Indices::RbdFast(parameters) => {
            parameters.iter().map(|p| of(&p.name, &[("s1", Estimate(p.s1))])).collect()
        }
        Indices::Delta(parameters) => parameters
            .iter()
            .map(|p| {
                of(&p.name, &[("delta", Estimate(p.delta)), ("s1", Estimate(p.s1)), ("dummy", Bare(p.dummy))])
            })
            .collect(),
        Indices::Pawn(parameters) => parameters
            .iter()
            .map(|p| {
                let median = Estimate(p.median);
                of(
                    &p.name,
                    &[
                        ("median", median),
                        ("maximum", Bare(p.maximum)),
                        ("mean", Bare(p.mean)),
                        ("dummy", Bare(p.dummy)),
                    ],
                )
            })
            .collect(),
    }
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
