//! From a sample and its outputs to indices with intervals and verdicts.

mod bootstrap;
mod bounds;
mod cluster;
mod columns;
mod controlled;
mod convergence;
mod correlation;
mod delta;
mod density;
pub(crate) mod elementary;
mod error;
#[cfg(test)]
mod example;
mod failures;
mod fourier;
mod given;
mod morris;
mod morris_effects;
mod morris_interval;
mod partition;
mod pawn;
mod position;
mod range;
mod ranks;
mod rbd_fast;
mod regression;
mod replicate;
mod resample;
mod spread;
mod variance;
mod variance_estimators;
mod variance_layout;
mod variance_terms;
mod variance_warnings;
mod verdict;

pub use convergence::{PartialAnalysis, convergence};
pub use error::AnalyzeError;

use onceflow_study::Space;

use given::GivenRows;

use crate::{
    Analysis, AnalysisOptions, FailurePolicy, Indices, IntervalMethod, OutputAnalysis, Outputs, RowRole,
    Sample, Technique,
};

/// Computes the indices of every output. `outputs` stand in the order of the sample's rows; a value that is not
/// finite, or of a row that failed, is never taken for a number.
pub fn analyze(
    space: &Space,
    sample: &Sample,
    outputs: &Outputs,
    options: &AnalysisOptions,
) -> Result<Analysis, AnalyzeError> {
    let inputs = Inputs { space, sample, options };
    inputs.check(outputs)?;
    let analyser = prepare(inputs)?;
    let columns = outputs.names.iter().zip(&outputs.columns);
    let analyses = columns.map(|(name, column)| {
        let y = failures::usable(column, &outputs.status);
        analyse_output(inputs, analyser.as_ref(), name, &y, outputs)
    });
    Ok(Analysis {
        technique: options.technique,
        estimator: analyser.estimator(),
        rows: analyser.rows().len(),
        threshold: options.threshold,
        outputs: analyses.collect::<Result<_, _>>()?,
    })
}

/// The inputs of every technique beside the outputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inputs<'a> {
    pub(crate) space: &'a Space,
    pub(crate) sample: &'a Sample,
    pub(crate) options: &'a AnalysisOptions,
}

/// A technique that has read the roles of a sample and now takes one output after the other.
pub(crate) trait Analyser {
    /// The estimator in words, with its reference.
    fn estimator(&self) -> String;

    /// Places of the sample's rows that take part, ascending.
    fn rows(&self) -> &[usize];

    /// Indices of an output: one number per row of the sample, NaN where it failed; at least one is finite.
    fn analyse(&self, y: &[f64]) -> Findings;
}

/// The findings of a technique about one output; verdicts, bounds and failures are the same for all and added by
/// [`analyze`].
#[derive(Clone, Debug)]
pub(crate) struct Findings {
    pub(crate) indices: Indices,
    pub(crate) interval: IntervalMethod,
    /// Per factor or parameter: effects, products or rows lost to failures.
    pub(crate) lost: Vec<usize>,
    pub(crate) warnings: Vec<String>,
}

fn prepare<'a>(inputs: Inputs<'a>) -> Result<Box<dyn Analyser + 'a>, AnalyzeError> {
    match inputs.options.technique {
        Technique::Vbd => Ok(Box::new(variance::Variance::new(inputs)?)),
        Technique::Morris => Ok(Box::new(morris::MorrisAnalyser::new(inputs)?)),
        Technique::Correlation => Ok(Box::new(GivenRows::new(inputs, correlation::RECIPE))),
        Technique::RbdFast => Ok(Box::new(GivenRows::new(inputs, rbd_fast::RECIPE))),
        Technique::Delta => Ok(Box::new(GivenRows::new(inputs, delta::RECIPE))),
        Technique::Pawn => Ok(Box::new(GivenRows::new(inputs, pawn::RECIPE))),
    }
}

fn analyse_output(
    inputs: Inputs<'_>,
    analyser: &dyn Analyser,
    name: &str,
    y: &[f64],
    outputs: &Outputs,
) -> Result<OutputAnalysis, AnalyzeError> {
    let Inputs { space, sample, options } = inputs;
    let tally = failures::UnusableRows::new(sample, analyser.rows(), y, &outputs.status);
    tally.check(name, options.failures)?;
    let mut findings = analyser.analyse(y);
    if options.failures == FailurePolicy::Bounds && tally.lacking() > 0 {
        bounds::widen(&mut findings, analyser, y);
    }
    let failures = tally.failures(space, sample, std::mem::take(&mut findings.lost));
    let mut warnings = failures::warnings(&failures, analyser.rows().len());
    warnings.append(&mut findings.warnings);
    Ok(OutputAnalysis {
        name: name.into(),
        verdicts: verdict::verdicts(&findings.indices, options.threshold, analyser.rows().len()),
        indices: findings.indices,
        interval: findings.interval,
        failures,
        warnings,
    })
}

impl Inputs<'_> {
    /// Refuses sizes and options that do not fit before anything is computed.
    fn check(&self, outputs: &Outputs) -> Result<(), AnalyzeError> {
        let rows = self.sample.len();
        let size = |what: &str, expected: usize, found: usize| match expected == found {
            true => Ok(()),
            false => Err(AnalyzeError::Size { what: what.into(), expected, found }),
        };
        let parameters = self.space.parameters().len();
        size("parameters in the sample", parameters, self.sample.parameters)?;
        size("values in the sample", rows.saturating_mul(parameters), self.sample.values.len())?;
        size("columns of outputs", outputs.names.len(), outputs.columns.len())?;
        size("row statuses in the outputs", rows, outputs.status.len())?;
        for (name, column) in outputs.names.iter().zip(&outputs.columns) {
            size(&format!("values of output `{name}`"), rows, column.len())?;
        }
        if outputs.names.is_empty() || rows == 0 {
            return Err(AnalyzeError::Nothing { rows, outputs: outputs.names.len() });
        }
        self.check_roles()?;
        self.check_options()
    }

    fn check_roles(&self) -> Result<(), AnalyzeError> {
        let factors = self.space.factors().len();
        for row in &self.sample.rows {
            match row.role {
                RowRole::Step(found) | RowRole::Ab(found) | RowRole::Ba(found) if found >= factors => {
                    return Err(AnalyzeError::Factor { row: row.id, factors, found });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_options(&self) -> Result<(), AnalyzeError> {
        let AnalysisOptions { confidence, threshold, resamples, .. } = *self.options;
        let option = |name, expected, found: f64| Err(AnalyzeError::Option { name, expected, found });
        if !(confidence > 0.0 && confidence < 1.0) {
            return option("confidence", "a number between 0 and 1, both excluded", confidence);
        }
        if !(threshold >= 0.0 && threshold.is_finite()) {
            return option("threshold", "a number of at least 0", threshold);
        }
        if !(2..=MOST_RESAMPLES).contains(&resamples) {
            return option("resamples", "a whole number from 2 to 1000000", resamples as f64);
        }
        Ok(())
    }
}

/// Most resamples; keeps a typing error from filling the memory.
const MOST_RESAMPLES: usize = 1_000_000;
