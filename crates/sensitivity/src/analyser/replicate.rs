//! Intervals from independent replicates of a design: their estimates differ as the whole estimate could.

use std::collections::BTreeSet;

use super::columns::Columns;
use super::spread::{deviation, student};
use super::variance_estimators::Formula;
use crate::{Estimate, IntervalMethod};

/// Numbers of the replicates, ascending.
pub(super) fn distinct(replicates: &[u64]) -> Vec<u64> {
    replicates.iter().copied().collect::<BTreeSet<_>>().into_iter().collect()
}

/// One column per replicate, ascending: 1 for its base rows, 0 for the others.
pub(super) fn weights(replicates: &[u64]) -> Columns {
    let mut weights = Columns::new(replicates.len());
    for number in distinct(replicates) {
        weights.push(replicates.iter().map(|r| f64::from(u8::from(*r == number))));
    }
    weights
}

/// The estimates over all base rows, each with the interval that the spread of the replicates gives.
pub(super) fn intervals(
    formula: &Formula,
    replicates: &[u64],
    points: &[f64],
    confidence: f64,
) -> Vec<Estimate> {
    let sums = formula.columns.weighted_sums(&weights(replicates));
    let each: Vec<Vec<f64>> = sums.iter().map(|s| formula.indices(s)).collect();
    let estimate = |(index, point): (usize, &f64)| {
        let values: Vec<f64> = each.iter().map(|e| e[index]).filter(|v| v.is_finite()).collect();
        around(*point, &values, confidence)
    };
    points.iter().enumerate().map(estimate).collect()
}

/// Student's t around the estimate over all rows; no interval from fewer than two replicates.
fn around(value: f64, replicates: &[f64], confidence: f64) -> Estimate {
    let n = replicates.len() as f64;
    Estimate::around(value, student(confidence, n - 1.0) * deviation(replicates) / n.sqrt())
}

/// How [`intervals`] are cited.
pub(super) fn method(replicates: usize, confidence: f64) -> IntervalMethod {
    let citation = format!(
        "Student t intervals from the spread over {replicates} independently scrambled replicates of the design \
         (randomised quasi-Monte Carlo; Owen 1997, L'Ecuyer and Lemieux 2002)"
    );
    IntervalMethod { name: "replicated scrambles", citation, confidence }
}
