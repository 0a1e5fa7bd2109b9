//! Variance-based decomposition (VBD): first-order, total and second-order indices of a Saltelli design.

use std::collections::HashMap;

use onceflow_study::Constraint;

use super::bounds::hull;
use super::columns::PackedColumns;
use super::variance_estimators::Formula;
use super::variance_layout::VarianceLayout;
use super::variance_warnings::{few_carriers, warnings};
use super::{Analyser, AnalyzeError, Findings, Inputs, bootstrap, controlled, range, replicate};
use crate::{Estimator, IndexEstimate, Indices, IntervalMethod, RowRole, SecondOrder, VarianceIndex};

/// A design whose roles were read, ready for any output.
pub(super) struct Variance<'a> {
    layout: VarianceLayout,
    inputs: Inputs<'a>,
}

impl<'a> Variance<'a> {
    /// Reads the roles of the sample.
    pub(super) fn new(inputs: Inputs<'a>) -> Result<Self, AnalyzeError> {
        let layout = VarianceLayout::new(inputs)?;
        if inputs.options.second_order && !layout.second_order {
            return Err(AnalyzeError::NoSecondOrder);
        }
        Ok(Self { layout, inputs })
    }
}

impl Analyser for Variance<'_> {
    fn estimator(&self) -> String {
        let orders = match self.inputs.options.estimator {
            Estimator::Controlled | Estimator::Saltelli => {
                "first order after Saltelli et al. 2010 (outputs centred), total after Jansen 1999"
            }
            Estimator::Janon => "first order and total after Janon et al. 2014",
            Estimator::Martinez => "first order and total as correlations (Martinez 2011)",
        };
        let second = if self.inputs.options.second_order { "; second order after Saltelli 2002" } else { "" };
        let control = if self.may_control() { "; on the residuals of a polynomial control" } else { "" };
        format!("{orders}{second}{control}")
    }

    fn rows(&self) -> &[usize] {
        &self.layout.rows
    }

    fn analyse(&self, y: &[f64]) -> Findings {
        let options = self.inputs.options;
        let standard = self.standardised(y);
        let outputs = self.by_role(&standard);
        let lost = self.lost(&outputs);
        let varies = self.varies(y);
        let formula = Formula::new(&self.layout, outputs, options.estimator, options.second_order);
        let (mut estimates, interval) = self.estimates(&formula, &standard);
        if !varies {
            estimates.fill(IndexEstimate::bare(f64::NAN));
        }
        let indices = self.named(&formula, &estimates);
        let mut warnings = warnings(&indices, self.layout.len(), varies);
        warnings.extend(few_carriers(&self.layout.independent(&standard)));
        warnings.extend(self.coupled());
        Findings { indices, interval, lost, warnings }
    }
}

impl Variance<'_> {
    /// A control needs replicates: it is fitted on the others of the one it is used on. And it needs independent
    /// parameters, also within a group: the variances of its terms are known only for them.
    fn may_control(&self) -> bool {
        self.inputs.options.estimator == Estimator::Controlled
            && self.inputs.space.cutting_constraints().next().is_none()
            && self.layout.replicates.iter().any(|r| *r != self.layout.replicates[0])
    }

    /// Outputs less their mean over all rows, and of moderate size: a large mean would drown first-order indices, and
    /// squares of large outputs would overflow.
    fn standardised(&self, y: &[f64]) -> Vec<f64> {
        let present: Vec<f64> =
            self.layout.rows.iter().map(|row| y[*row]).filter(|y| y.is_finite()).collect();
        let mean = |less: f64| present.iter().map(|y| y - less).sum::<f64>() / present.len() as f64;
        let rough = mean(0.0);
        // The second pass removes what rounding left in the first.
        let centre = rough + mean(rough);
        let scale = range::scale(present.iter().map(|y| y - centre));
        y.iter().map(|y| (y - centre) * scale).collect()
    }

    fn by_role(&self, y: &[f64]) -> HashMap<RowRole, Vec<f64>> {
        self.layout.roles().into_iter().map(|role| (role, self.layout.outputs(role, y).collect())).collect()
    }

    /// Constraints that cut the ranges couple the factors they name: a foreign table may have been made so.
    fn coupled(&self) -> impl Iterator<Item = String> {
        let space = self.inputs.space;
        let factor_of = |name: &String| {
            let place = space.index_of(name);
            space.factors().iter().position(|f| place.is_some_and(|p| f.members.contains(&p)))
        };
        let couples = move |c: &&Constraint| {
            let factors: Vec<_> = c.names().iter().map(factor_of).collect();
            factors.windows(2).any(|pair| pair[0] != pair[1])
        };
        space.cutting_constraints().filter(couples).map(|c| {
            format!("the constraint `{c}` cuts the ranges: its parameters are not independent, indices do not share out \
                     the variance; group them, or use delta or pawn")
        })
    }

    /// Whether base rows differ.
    fn varies(&self, y: &[f64]) -> bool {
        let base = [RowRole::A, RowRole::B].into_iter().flat_map(|role| self.layout.outputs(role, y));
        range::varies(base.filter(|y| y.is_finite()))
    }

    /// Base rows without the products of each factor.
    fn lost(&self, outputs: &HashMap<RowRole, Vec<f64>>) -> Vec<usize> {
        let missing = |role: RowRole, row: usize| outputs.get(&role).is_none_or(|v| !v[row].is_finite());
        let lost = |f: usize, row: usize| {
            [RowRole::A, RowRole::B, RowRole::Ab(f)].into_iter().any(|r| missing(r, row))
        };
        let count = |f| (0..self.layout.len()).filter(|row| lost(f, *row)).count();
        (0..self.layout.factors).map(count).collect()
    }

    fn estimates(&self, formula: &Formula, y: &[f64]) -> (Vec<IndexEstimate>, IntervalMethod) {
        let found =
            if self.may_control() { controlled::estimates(self.inputs, &self.layout, y) } else { None };
        let Some(mut found) = found else { return self.plain(formula) };
        if found.leaves_tails {
            let plain = self.plain(formula).0;
            found.estimates.iter_mut().zip(&plain).for_each(|(estimate, plain)| hull(estimate, plain));
        }
        let replicates = replicate::distinct(&self.layout.replicates).len();
        let method = controlled::method(replicates, &found, self.inputs.options.confidence);
        (found.estimates, method)
    }

    /// Without a control.
    fn plain(&self, formula: &Formula) -> (Vec<IndexEstimate>, IntervalMethod) {
        let options = self.inputs.options;
        let replicates = replicate::distinct(&self.layout.replicates).len();
        let mut all = PackedColumns::new(self.layout.len());
        all.push(std::iter::repeat_n(1.0, self.layout.len()));
        let sums = formula.columns.weighted_sums(&all);
        let points = formula.indices(&sums[0]);
        if replicates >= 2 {
            let estimates =
                replicate::intervals(formula, &self.layout.replicates, &points, options.confidence);
            return (estimates, replicate::method(replicates, options.confidence));
        }
        (bootstrap::intervals(formula, &points, options), bootstrap::method(options))
    }

    fn named(&self, formula: &Formula, estimates: &[IndexEstimate]) -> Indices {
        let (factors, k) = (self.inputs.space.factors(), self.layout.factors);
        let name = |f: usize| factors[f].name.clone();
        let factor = |f: usize| VarianceIndex { name: name(f), s1: estimates[f], st: estimates[k + f] };
        let pairs = formula.pairs().zip(&estimates[2 * k..]);
        let pairs = pairs.map(|((f, g), s2)| SecondOrder { first: name(f), second: name(g), s2: *s2 });
        Indices::Vbd { factors: (0..k).map(factor).collect(), pairs: pairs.collect() }
    }
}
