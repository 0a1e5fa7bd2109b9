//! A phase of a study: its rows, and what their metrics say.

use onceflow_report::{KeptParameters, RowRecord, RowStatus};
use onceflow_reuse::ParameterRows;
use onceflow_sensitivity::{
    Analysis, AnalysisOptions, AnalyzeError, IndexProgress, Indices, OutputStatus, Outputs, Sample,
    SampleError, Technique, analyze, convergence, sample,
};
use onceflow_study::{FactorEffect, Keep, KeepRule, Phase, Space, Study, Value};

use crate::open::reference::Reference;
use crate::open::sampling::cannot_sample;
use crate::{EngineError, MetricTable, OpenStudy};

/// The rows of one phase.
#[derive(Clone, Debug)]
pub(crate) struct PhaseRows {
    /// The parameters that vary.
    pub(crate) space: Space,
    /// The rows in that space, numbered from 0.
    pub(crate) sample: Sample,
    /// Which parameters an earlier phase let pass.
    pub(crate) kept: Option<KeptParameters>,
}

impl PhaseRows {
    /// Samples a phase, given the analyses of those before it.
    pub(crate) fn new(
        study: &Study,
        phase: &Phase,
        earlier: &[(String, Vec<Analysis>)],
    ) -> Result<Self, EngineError> {
        let kept = kept(study, phase, earlier)?;
        let names = kept.as_ref().map(|kept| kept.names.as_slice());
        Ok(Self { kept: kept.clone(), ..Self::planned(study, phase, names)? })
    }

    /// Samples a phase with these parameters, where an earlier phase decides on them; with all without any.
    pub(crate) fn planned(
        study: &Study,
        phase: &Phase,
        names: Option<&[String]>,
    ) -> Result<Self, EngineError> {
        let space = Self::space(study, phase, names)?;
        let sample =
            sample(&space, &phase.design).map_err(|e| EngineError::from(cannot_sample(phase, &e)))?;
        Ok(Self { space, sample, kept: None })
    }

    /// The parameters that vary in a phase.
    pub(crate) fn space(
        study: &Study,
        phase: &Phase,
        names: Option<&[String]>,
    ) -> Result<Space, EngineError> {
        study.phase_space(phase, names).map_err(|e| EngineError::from(cannot_sample(phase, &e)))
    }

    /// The values of all parameters in one row: those that do not vary have the reference's.
    pub(crate) fn values(&self, reference: &Reference, row: usize) -> Vec<Value> {
        let mut values = reference.values.clone();
        for (place, parameter) in self.space.parameters().iter().enumerate() {
            if let Some(column) = reference.names.iter().position(|name| *name == parameter.name) {
                values[column] = parameter.kind.tidy(&self.sample.value(&self.space, row, place));
            }
        }
        values
    }

    /// A record without metrics for each row; the first has the number `first`.
    pub(crate) fn records(&self, phase: &Phase, reference: &Reference, first: u64) -> Vec<RowRecord> {
        let record = |(place, row): (usize, &onceflow_sensitivity::SampleRow)| RowRecord {
            row: first + row.id,
            phase: Some(phase.name.clone()),
            role: row.role.text(&self.space),
            base: row.base,
            status: RowStatus::Ok,
            values: self.values(reference, place),
            metrics: Vec::new(),
            images: Vec::new(),
        };
        self.sample.rows.iter().enumerate().map(record).collect()
    }

    /// Analyses the metrics that `column` finds for the rows; those it finds for none are left out.
    pub(crate) fn analyses(
        &self,
        study: &Study,
        phase: &Phase,
        metrics: &[String],
        value: impl Fn(usize, usize) -> Measured,
    ) -> Result<Vec<Analysis>, AnalyzeError> {
        let outputs = outputs(metrics, self.sample.len(), value);
        if outputs.names.is_empty() {
            return Ok(Vec::new());
        }
        let techniques = phase.analyses.iter().filter_map(|word| Technique::from_word(word));
        let options = |technique| AnalysisOptions::of_study(study, technique).in_phase(phase);
        techniques.map(|t| analyze(&self.space, &self.sample, &outputs, &options(t))).collect()
    }

    /// How the main index of each metric settles as rows are added, by the first technique that has one; nothing where all
    /// rows failed.
    pub(crate) fn progress(
        &self,
        study: &Study,
        phase: &Phase,
        metrics: &[String],
        value: impl Fn(usize, usize) -> Measured,
    ) -> Result<Vec<IndexProgress>, AnalyzeError> {
        let outputs = outputs(metrics, self.sample.len(), value);
        let techniques = phase.analyses.iter().filter_map(|word| Technique::from_word(word));
        for technique in techniques.filter(|_| !outputs.names.is_empty()) {
            let options = AnalysisOptions::of_study(study, technique).in_phase(phase);
            let parts = match convergence(&self.space, &self.sample, &outputs, &options, STEPS) {
                Err(AnalyzeError::AllFailed { .. }) => continue,
                parts => parts?,
            };
            let settled: Vec<IndexProgress> =
                (0..outputs.names.len()).filter_map(|output| IndexProgress::of(&parts, output)).collect();
            if parts.len() > 1 && !settled.is_empty() {
                return Ok(settled);
            }
        }
        Ok(Vec::new())
    }
}

/// Parts of a sample over which indices are shown to settle: the whole, half of it, and so on.
const STEPS: usize = 5;

/// What a row has of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Measured {
    /// A number.
    Value(f64),
    /// The row failed.
    Failed,
    /// The metric does not exist there: no truth.
    Absent,
}

impl Measured {
    /// The value of a metric in a row, over all images.
    pub(crate) fn over_all(table: &MetricTable, row: usize, metric: usize) -> Self {
        let record = &table.rows[row];
        Self::new(&record.status, record.metrics.get(metric).copied().flatten())
    }

    /// The value of a metric in a row on one image.
    pub(crate) fn on_image(table: &MetricTable, image: usize, row: usize, metric: usize) -> Self {
        let record = &table.rows[row].images[image];
        Self::new(&record.status, record.metrics.get(metric).copied().flatten())
    }

    /// What a record has of a metric.
    pub(crate) fn new(status: &RowStatus, value: Option<f64>) -> Self {
        match (status, value) {
            (RowStatus::Failed { .. }, _) => Self::Failed,
            (_, Some(value)) => Self::Value(value),
            (_, None) => Self::Absent,
        }
    }
}

fn outputs(metrics: &[String], rows: usize, value: impl Fn(usize, usize) -> Measured) -> Outputs {
    let mut outputs = Outputs { status: vec![OutputStatus::Ok; rows], ..Outputs::default() };
    for (metric, name) in metrics.iter().enumerate() {
        let column: Vec<Measured> = (0..rows).map(|row| value(row, metric)).collect();
        for (row, status) in outputs.status.iter_mut().enumerate() {
            if column[row] == Measured::Failed {
                *status = OutputStatus::Failed;
            }
        }
        if column.iter().any(|m| matches!(m, Measured::Value(_))) {
            let number = |m: &Measured| if let Measured::Value(x) = m { *x } else { f64::NAN };
            outputs.names.push(name.clone());
            outputs.columns.push(column.iter().map(number).collect());
        }
    }
    outputs
}

/// What a rule of the phase keeps.
pub(crate) fn kept(
    study: &Study,
    phase: &Phase,
    earlier: &[(String, Vec<Analysis>)],
) -> Result<Option<KeptParameters>, EngineError> {
    let Some(Keep::Effects(rule)) = &phase.keep else { return Ok(None) };
    let metric = rule.metric.clone().or_else(|| study.outputs().first().cloned()).unwrap_or_default();
    let effects = earlier
        .iter()
        .find(|(name, _)| *name == rule.phase)
        .and_then(|(_, analyses)| analyses.iter().find_map(|analysis| effects(analysis, &metric)))
        .ok_or_else(|| no_effects(phase, rule, &metric))?;
    let names = rule.choose(&effects);
    Ok(Some(KeptParameters { phase: rule.phase.clone(), metric, names, of: effects.len() }))
}

fn effects(analysis: &Analysis, metric: &str) -> Option<Vec<FactorEffect>> {
    let output = analysis.outputs.iter().find(|output| output.name == metric)?;
    let effect = |name: &String, value: f64, high: f64| FactorEffect { name: name.clone(), value, high };
    match &output.indices {
        Indices::Morris(factors) => {
            Some(factors.iter().map(|f| effect(&f.name, f.mu_star.value, f.mu_star.high)).collect())
        }
        Indices::Vbd { factors, .. } => {
            Some(factors.iter().map(|f| effect(&f.name, f.st.value, f.st.high)).collect())
        }
        _ => None,
    }
}

fn no_effects(phase: &Phase, rule: &KeepRule, metric: &str) -> EngineError {
    let message = format!("phase `{}` keeps parameters by their effect on `{metric}`", phase.name);
    let error = onceflow_study::Diagnostic::error(message);
    let error = error.expected_found(
        format!("effects (moat or vbd) of `{metric}` from phase `{}`", rule.phase),
        "none: its rows failed, or its analysis gives no effects",
    );
    error.with_hint("look at rows.csv for the failures, or name the parameters to keep").into()
}

impl From<SampleError> for EngineError {
    fn from(error: SampleError) -> Self {
        onceflow_study::Diagnostic::error(format!("cannot sample: {error}")).into()
    }
}

impl OpenStudy {
    /// The rows of a phase, after the reference row when it is wanted.
    pub(crate) fn rows(&self, phase: &PhaseRows, with_reference: bool) -> Result<ParameterRows, EngineError> {
        let mut rows = ParameterRows::new(self.reference.names.clone());
        if with_reference {
            rows.push(&self.reference.values)?;
            rows.reference = Some(0);
        }
        for row in 0..phase.sample.len() {
            rows.push(&phase.values(&self.reference, row))?;
        }
        Ok(rows)
    }
}
