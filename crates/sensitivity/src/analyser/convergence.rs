//! Indices over growing parts of a sample: how they settle.

use std::collections::BTreeSet;

use onceflow_study::Space;

use super::{AnalyzeError, Inputs, analyze};
use crate::{Analysis, AnalysisOptions, Outputs, RowRole, Sample};

/// The analysis of the first part of a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialAnalysis {
    /// Base rows, trajectories or plain rows in it.
    pub size: usize,
    /// Its analysis.
    pub analysis: Analysis,
}

/// Analyses the first base rows (trajectories, rows): all of them, half, a quarter, …, at most `steps` parts, smallest
/// first. Halves keep low-discrepancy sequences balanced. A part that cannot be analysed because all of it failed is
/// left out.
pub fn convergence(
    space: &Space,
    sample: &Sample,
    outputs: &Outputs,
    options: &AnalysisOptions,
    steps: usize,
) -> Result<Vec<PartialAnalysis>, AnalyzeError> {
    Inputs { space, sample, options }.check(outputs)?;
    let keys: Vec<(u64, u64, u64)> = sample.rows.iter().map(|r| key(*r)).collect();
    let taking_part = keys.iter().zip(&sample.rows).filter(|(_, r)| r.role != RowRole::Reference);
    let order: Vec<_> = taking_part.map(|(key, _)| *key).collect::<BTreeSet<_>>().into_iter().collect();
    let mut parts = Vec::new();
    for size in sizes(order.len(), steps) {
        let last = order[size - 1];
        let rows: Vec<usize> = (0..sample.len()).filter(|row| keys[*row] <= last).collect();
        match analyze(space, &part_of(sample, &rows), &outputs_of(outputs, &rows), options) {
            Ok(analysis) => parts.push(PartialAnalysis { size, analysis }),
            Err(AnalyzeError::AllFailed { .. }) if size < order.len() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(parts)
}

/// The unit of a row: its base row or trajectory, or itself.
fn key(row: crate::SampleRow) -> (u64, u64, u64) {
    match row.role {
        RowRole::Point | RowRole::Reference => (0, 0, row.id),
        _ => (row.base, row.replicate, 0),
    }
}

/// Halves of `all`, smallest first; none below two.
fn sizes(all: usize, steps: usize) -> Vec<usize> {
    let halves = std::iter::successors(Some(all), |n| Some(n / 2)).take(steps).take_while(|n| *n >= 2);
    let mut sizes: Vec<usize> = halves.collect();
    sizes.reverse();
    sizes
}

fn part_of(sample: &Sample, rows: &[usize]) -> Sample {
    Sample {
        design: sample.design.clone(),
        rows: rows.iter().map(|row| sample.rows[*row]).collect(),
        values: rows.iter().flat_map(|row| sample.numbers(*row)).copied().collect(),
        parameters: sample.parameters,
    }
}

fn outputs_of(outputs: &Outputs, rows: &[usize]) -> Outputs {
    let column = |c: &Vec<f64>| rows.iter().filter_map(|row| c.get(*row).copied()).collect();
    Outputs {
        names: outputs.names.clone(),
        columns: outputs.columns.iter().map(column).collect(),
        status: rows.iter().filter_map(|row| outputs.status.get(*row).copied()).collect(),
    }
}
