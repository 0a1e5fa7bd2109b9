//! Intervals from independent replicates of a design: their estimates differ as the whole estimate could.

use std::collections::BTreeSet;

use super::columns::PackedColumns;
use super::spread::{deviation, student};
use super::variance_estimators::Formula;
use crate::{IndexEstimate, IntervalMethod};

/// Numbers of the replicates, ascending.
pub(super) fn distinct(replicates: &[u64]) -> Vec<u64> {
    replicates.iter().copied().collect::<BTreeSet<_>>().into_iter().collect()
}

/// One column per replicate, ascending: 1 for its base rows, 0 for the others.
pub(super) fn weights(replicates: &[u64]) -> PackedColumns {
    columns(replicates, |row, number| row == number)
}

/// One column per replicate, ascending: 0 for its base rows, 1 for the others.
fn weights_without(replicates: &[u64]) -> PackedColumns {
    columns(replicates, |row, number| row != number)
}

fn columns(replicates: &[u64], counts: impl Fn(u64, u64) -> bool) -> PackedColumns {
    let mut columns = PackedColumns::new(replicates.len());
    for number in distinct(replicates) {
        columns.push(replicates.iter().map(|row| f64::from(u8::from(counts(*row, number)))));
    }
    columns
}

/// The estimates over all base rows, each with the interval that the replicates give: by how much does an estimate move
/// when one of them is left out (the jackknife)? Indices of one replicate alone would say the same where outputs vary
/// evenly, but are absurd where an output is nearly always the same and does not vary within the replicate.
pub(super) fn intervals(
    formula: &Formula,
    replicates: &[u64],
    points: &[f64],
    confidence: f64,
) -> Vec<IndexEstimate> {
    let sums = formula.columns.weighted_sums(&weights_without(replicates));
    let each: Vec<Vec<f64>> = sums.iter().map(|s| formula.indices(s)).collect();
    let estimate = |(index, point): (usize, &f64)| {
        let values: Vec<f64> = each.iter().map(|e| e[index]).collect();
        around(*point, &values, confidence)
    };
    points.iter().enumerate().map(estimate).collect()
}

/// Student's t around the estimate over all rows, from the estimates without each replicate; no interval from fewer than
/// two, or where the output does not vary without one of them.
fn around(value: f64, without_each: &[f64], confidence: f64) -> IndexEstimate {
    let n = without_each.len() as f64;
    let error = deviation(without_each) * (n - 1.0) / n.sqrt();
    IndexEstimate::around(value, student(confidence, n - 1.0) * error)
}

/// How [`intervals`] are cited.
pub(super) fn method(replicates: usize, confidence: f64) -> IntervalMethod {
    let citation = format!(
        "Student t intervals from the spread over {replicates} independently scrambled replicates of the design \
         (randomised quasi-Monte Carlo; Owen 1997, L'Ecuyer and Lemieux 2002), by the jackknife (Quenouille 1956, Tukey \
         1958)"
    );
    IntervalMethod { name: "replicated scrambles", citation, confidence }
}
