//! Indices over growing parts of a sample, as a plot needs them.

use crate::{IndexEstimate, Indices, IntervalMethod, PartialAnalysis};

/// Indices over growing parts of a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexProgress {
    /// Name of the output.
    pub output: String,
    /// Name of the index: `ST`, `mu*`.
    pub index: String,
    /// What `sizes` count: `base rows`, `trajectories`, `rows`.
    pub unit: String,
    /// Rows of the largest part.
    pub rows: usize,
    /// How the intervals were made.
    pub interval: IntervalMethod,
    /// Sizes of the parts, ascending.
    pub sizes: Vec<usize>,
    /// One line per factor or parameter.
    pub lines: Vec<ProgressCurve>,
}

/// One factor's or parameter's index over growing parts.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressCurve {
    /// Its name.
    pub name: String,
    /// One estimate per part; NaN where there is none.
    pub estimates: Vec<IndexEstimate>,
}

impl IndexProgress {
    /// The main index of an output (by its place) over the parts of a sample; `None` when there are no parts, or the
    /// technique has no main index.
    pub fn of(parts: &[PartialAnalysis], output: usize) -> Option<Self> {
        let last = parts.last()?;
        let whole = last.analysis.outputs.get(output)?;
        let (index, unit) = names_of(&whole.indices)?;
        let outputs = parts.iter().map(|p| p.analysis.outputs.get(output));
        let columns: Vec<Vec<(&str, IndexEstimate)>> =
            outputs.map(|o| o.map_or_else(Vec::new, |o| o.indices.main())).collect();
        let lines = whole.indices.main().into_iter().map(|(name, _)| {
            let of = |column: &Vec<(&str, IndexEstimate)>| {
                column.iter().find(|(n, _)| *n == name).map_or(IndexEstimate::bare(f64::NAN), |(_, e)| *e)
            };
            ProgressCurve { name: name.into(), estimates: columns.iter().map(of).collect() }
        });
        Some(Self {
            output: whole.name.clone(),
            index: index.into(),
            unit: unit.into(),
            rows: last.analysis.rows,
            interval: whole.interval.clone(),
            sizes: parts.iter().map(|p| p.size).collect(),
            lines: lines.collect(),
        })
    }
}

fn names_of(indices: &Indices) -> Option<(&'static str, &'static str)> {
    match indices {
        Indices::Vbd { .. } => Some(("total index", "base rows")),
        Indices::Morris(_) => Some(("mean absolute effect mu*", "trajectories")),
        Indices::RbdFast(_) => Some(("first-order index", "rows")),
        Indices::Delta(_) => Some(("delta", "rows")),
        Indices::Pawn(_) => Some(("PAWN median", "rows")),
        Indices::Correlation(_) => None,
    }
}
