//! Analyses of any rows with outputs, without a design.

use super::range::{self, scale};
use super::{Analyser, Findings, Inputs};
use crate::{AnalysisOptions, IndexEstimate, Indices, IntervalMethod, RowRole};

/// Rows that take part in an analysis of given data, whatever design they come from.
pub(super) struct GivenRows<'a> {
    inputs: Inputs<'a>,
    recipe: Recipe,
    rows: Vec<usize>,
}

/// The answered rows as columns.
#[derive(Clone, Debug, Default)]
pub(super) struct AnsweredColumns {
    /// Names of the parameters.
    pub(super) names: Vec<String>,
    /// Which parameters have words for values.
    pub(super) categorical: Vec<bool>,
    /// One column per parameter.
    pub(super) columns: Vec<Vec<f64>>,
    /// The output.
    pub(super) output: Vec<f64>,
}

/// What distinguishes one technique from another.
#[derive(Clone, Copy)]
pub(super) struct Recipe {
    /// The estimator in words, with its reference.
    pub(super) estimator: &'static str,
    /// How the resamples become intervals, with the reference.
    pub(super) interval: &'static str,
    /// Least number of rows.
    pub(super) least_rows: fn(&AnsweredColumns) -> usize,
    /// The indices, with their warnings.
    pub(super) indices: fn(&AnsweredColumns, &AnalysisOptions, &mut Vec<String>) -> Indices,
    /// Undefined indices (all NaN).
    pub(super) blank: fn(&AnsweredColumns) -> Indices,
}

impl<'a> GivenRows<'a> {
    /// The rows of a sample for a technique that needs no design.
    pub(super) fn new(inputs: Inputs<'a>, recipe: Recipe) -> Self {
        // The reference row was not drawn like the others and may lie outside the ranges.
        let takes_part = |row: &usize| {
            let finite = inputs.sample.numbers(*row).iter().all(|x| x.is_finite());
            finite && inputs.sample.rows[*row].role != RowRole::Reference
        };
        let rows = (0..inputs.sample.len()).filter(takes_part).collect();
        Self { inputs, recipe, rows }
    }

    fn table(&self, y: &[f64]) -> AnsweredColumns {
        let answered: Vec<usize> = self.rows.iter().copied().filter(|row| y[*row].is_finite()).collect();
        let parameters = self.inputs.space.parameters();
        let column =
            |p: usize| scaled(answered.iter().map(|row| self.inputs.sample.numbers(*row)[p]).collect());
        AnsweredColumns {
            names: parameters.iter().map(|p| p.name.clone()).collect(),
            categorical: parameters.iter().map(|p| p.domain.is_categorical()).collect(),
            columns: (0..parameters.len()).map(column).collect(),
            output: scaled(answered.iter().map(|row| y[*row]).collect()),
        }
    }

    fn interval(&self) -> IntervalMethod {
        let AnalysisOptions { confidence, resamples, .. } = *self.inputs.options;
        let citation = format!("{}, {resamples} resamples of the rows", self.recipe.interval);
        IntervalMethod { name: "bootstrap", citation, confidence }
    }

    fn has_structure(&self) -> bool {
        self.rows.iter().any(|row| self.inputs.sample.rows[*row].role != RowRole::Point)
    }
}

impl Analyser for GivenRows<'_> {
    fn estimator(&self) -> String {
        self.recipe.estimator.into()
    }

    fn rows(&self) -> &[usize] {
        &self.rows
    }

    fn analyse(&self, y: &[f64]) -> Findings {
        let table = self.table(y);
        let mut warnings = Vec::new();
        if self.has_structure() {
            warnings.push(STRUCTURE.into());
        }
        let indices = table.analyse(&self.recipe, self.inputs.options, &mut warnings);
        let lost = vec![self.rows.len() - table.rows(); table.names.len()];
        Findings { indices, interval: self.interval(), lost, warnings }
    }
}

const STRUCTURE: &str = "these rows come from a trajectory or Saltelli design, which repeats values from row to row: \
    they are not independent, so intervals are too narrow; analyse them with the design's own technique, or sample \
    plain rows (lhs, sobol)";

impl AnsweredColumns {
    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.output.len()
    }

    /// The indices of a technique, or blank ones and the reason in `warnings`.
    pub(super) fn analyse(
        &self,
        recipe: &Recipe,
        options: &AnalysisOptions,
        warnings: &mut Vec<String>,
    ) -> Indices {
        let least = (recipe.least_rows)(self);
        if self.rows() < least {
            warnings.push(format!(
                "expected at least {least} rows for {}, found {}: no index; to do: sample more rows",
                options.technique.word(),
                self.rows()
            ));
            return (recipe.blank)(self);
        }
        if !varies(&self.output) {
            warnings.push("the output does not vary: no index is defined".into());
            return (recipe.blank)(self);
        }
        for (name, _) in self.names.iter().zip(&self.columns).filter(|(_, column)| !varies(column)) {
            warnings
                .push(format!("`{name}` does not vary in these rows: nothing can be said of its influence"));
        }
        (recipe.indices)(self, options, warnings)
    }
}

/// Warns about the parameters whose index (first) is not above the bound for a parameter without effect (second).
pub(super) fn tell_dummies(
    table: &AnsweredColumns,
    indices: &[(IndexEstimate, f64)],
    warnings: &mut Vec<String>,
) {
    let alike = table.names.iter().zip(indices).filter(|(_, (index, dummy))| index.value <= *dummy);
    let names: Vec<String> = alike.map(|(name, _)| format!("`{name}`")).collect();
    if !names.is_empty() {
        warnings.push(format!(
            "not distinguishable from a parameter without effect in {} rows: {}",
            table.rows(),
            names.join(", ")
        ));
    }
}

/// Whether a column's values differ by more than rounding.
pub(super) fn varies(column: &[f64]) -> bool {
    range::varies(column.iter().copied())
}

/// No technique here depends on the scale of a column, but huge and tiny values would overflow or vanish in products.
fn scaled(column: Vec<f64>) -> Vec<f64> {
    let factor = scale(column.iter().copied());
    column.into_iter().map(|x| x * factor).collect()
}

#[cfg(test)]
mod tests {
    use super::super::bounds::estimates;
    use super::super::{correlation, delta, pawn, rbd_fast};
    use super::*;
    use crate::Technique;
    use crate::analyser::example::{analysed, kronecker};

    fn recipes() -> [(Technique, Recipe); 4] {
        [
            (Technique::Correlation, correlation::RECIPE),
            (Technique::RbdFast, rbd_fast::RECIPE),
            (Technique::Delta, delta::RECIPE),
            (Technique::Pawn, pawn::RECIPE),
        ]
    }

    #[test]
    fn too_few_rows_and_constant_outputs_are_told_and_leave_no_number() {
        let mut flat = kronecker(200);
        flat.output.fill(3.25);
        for (technique, recipe) in recipes() {
            for (table, reason) in [(kronecker(6), "expected at least"), (flat.clone(), "does not vary")] {
                let (mut indices, warnings) = analysed(&table, &recipe, technique);
                let estimates = estimates(&mut indices);
                assert!(estimates.len() >= 4 && estimates.iter().all(|e| e.value.is_nan()));
                assert!(warnings.len() == 1 && warnings[0].contains(reason), "{warnings:?}");
            }
        }
    }
}
