//! The value of a row for tuning: of the metrics to improve, over the images that take part.

use onceflow_report::{MetricTable, RowRecord, RowStatus, higher_is_better};
use onceflow_sensitivity::TuneOutcome;
use onceflow_study::{Diagnostic, Metric, TuneDesign, TuneOver};

use crate::EngineError;

/// What is improved.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TuneObjective {
    /// Places of the metrics among those of the study.
    pub(super) metrics: Vec<usize>,
    /// For each of them whether more is better.
    pub(super) maximize: Vec<bool>,
    pub(super) over: TuneOver,
}

impl TuneObjective {
    /// The metrics that a phase names; without any, the first that counts objects, else the first with a better direction.
    pub(super) fn new(metrics: &[Metric], design: &TuneDesign) -> Result<Self, EngineError> {
        let place = |name: &String| metrics.iter().position(|metric| metric.name == *name);
        let named: Vec<usize> = design.metrics.iter().filter_map(place).collect();
        let places = if named.is_empty() { usual(metrics).into_iter().collect() } else { named };
        let direction = |place: &usize| {
            higher_is_better(&metrics[*place]).ok_or_else(|| no_direction(&metrics[*place].name))
        };
        let maximize = places.iter().map(direction).collect::<Result<Vec<_>, EngineError>>()?;
        if places.is_empty() {
            return Err(no_metric());
        }
        Ok(Self { metrics: places, maximize, over: design.over })
    }

    /// What a row gave on these images.
    pub(super) fn outcome(&self, row: &RowRecord, images: &[usize]) -> TuneOutcome {
        let values: Option<Vec<f64>> =
            self.metrics.iter().map(|metric| self.value(row, *metric, images)).collect();
        values.map_or(TuneOutcome::Failed, TuneOutcome::Values)
    }

    /// A metric of a row on these images; `None` when the row failed on one.
    pub(super) fn value(&self, row: &RowRecord, metric: usize, images: &[usize]) -> Option<f64> {
        value_over(row, metric, images, self.over)
    }

    /// The names of the metrics.
    pub(super) fn names(&self, table: &MetricTable) -> Vec<String> {
        self.metrics.iter().map(|metric| table.metrics[*metric].clone()).collect()
    }

    /// How much better a value of the first metric is than another.
    pub(super) fn gain(&self, value: f64, than: f64) -> f64 {
        self.gain_in(0, value, than)
    }

    /// The same of any of the metrics that are improved.
    pub(super) fn gain_in(&self, place: usize, value: f64, than: f64) -> f64 {
        if self.maximize[place] { value - than } else { than - value }
    }

    /// For each metric that is improved how much better values are than others.
    pub(super) fn gains(&self, values: &[f64], than: &[f64]) -> Vec<f64> {
        values.iter().zip(than).enumerate().map(|(i, (value, than))| self.gain_in(i, *value, *than)).collect()
    }
}

/// A metric of a row over images: pooled values are those of the record, which was made of these images.
pub(super) fn value_over(row: &RowRecord, metric: usize, images: &[usize], over: TuneOver) -> Option<f64> {
    match over {
        TuneOver::Pooled => match row.status {
            RowStatus::Failed { .. } => None,
            _ => row.metrics.get(metric).copied().flatten(),
        },
        TuneOver::Mean => mean_over(row, metric, images),
    }
}

/// The mean of a metric over images; `None` when the row has no value on one of them.
fn mean_over(row: &RowRecord, metric: usize, images: &[usize]) -> Option<f64> {
    let value = |image: &usize| {
        let record = row.images.get(*image)?;
        let failed = matches!(record.status, RowStatus::Failed { .. });
        record.metrics.get(metric).copied().flatten().filter(|x| x.is_finite() && !failed)
    };
    let values: Vec<f64> = images.iter().map(value).collect::<Option<_>>()?;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn usual(metrics: &[Metric]) -> Option<usize> {
    let counts =
        |metric: &Metric| matches!(metric.measure.as_deref(), Some("object_f1" | "panoptic_quality"));
    let good = |metric: &Metric| higher_is_better(metric).is_some();
    metrics.iter().position(|m| counts(m) && good(m)).or_else(|| metrics.iter().position(good))
}

fn no_metric() -> EngineError {
    let error = Diagnostic::error("the study has no metric that can be improved");
    let error = error.expected_found("a metric against the truth, such as object_f1", "none");
    error
        .with_hint("add [[metric]] with name = \"object_f1\", of = \"nuclei\", measure = \"object_f1\", against = \"truth\"")
        .into()
}

fn no_direction(metric: &str) -> EngineError {
    let error = Diagnostic::error(format!("no value of the metric `{metric}` is better than another"));
    let error =
        error.expected_found("a metric against the truth, such as object_f1 or dice", format!("`{metric}`"));
    error.with_hint("name another metric in the phase: metric = \"object_f1\"").into()
}
