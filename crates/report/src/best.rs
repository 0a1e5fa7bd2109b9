//! The best row by the first metric, with warnings about it.

mod doubts;
mod proposed;

use onceflow_study::{Against, Metric, Parameter, Value};

use crate::{BestRow, ImageSummary, MetricTable, PhaseAnswer, RowRecord, RowStatus, ValueChange};
use proposed::{kept_defaults, without_influence};

/// The row with the best value of the first metric. There is none when no direction of the metric is better, when it
/// compares with the default (which would win), or when no row has a value. Phases say which parameters have influence.
pub fn best(
    table: &MetricTable,
    metrics: &[Metric],
    parameters: &[Parameter],
    images: &[ImageSummary],
    phases: &[PhaseAnswer],
) -> Option<BestRow> {
    let metric = metrics.first()?;
    let better = Better::of(metric)?;
    let place = best_place(table, better)?;
    let (row, reference) = (table.rows.get(place)?, reference(table));
    let changes = changes(table, parameters, row, reference);
    let doubts = doubts::Doubts { metrics, metric, better, parameters, images, row, reference };
    let without_influence = without_influence(&changes, &metric.name, phases);
    let counts = |change: &&ValueChange| !without_influence.contains(&change.parameter);
    let warnings = doubts.all(&changes, &changes.iter().filter(counts).cloned().collect::<Vec<_>>());
    let kept = kept_defaults(table, parameters, row, &metric.name, phases);
    let default = reference.filter(|r| r.status == RowStatus::Ok).and_then(first_metric);
    let value = first_metric(row)?;
    let proposed = None;
    Some(BestRow { row: place, value, default, changes, kept, without_influence, proposed, warnings })
}

/// Whether more of a metric is better; `None` when no direction is.
pub fn higher_is_better(metric: &Metric) -> Option<bool> {
    Better::of(metric).map(|better| better == Better::Higher)
}

/// A row that was chosen otherwise than by the first metric over all images: `value` and `default` are what it was chosen by.
pub fn chosen_row(
    table: &MetricTable,
    parameters: &[Parameter],
    place: usize,
    value: f64,
    default: Option<f64>,
    warnings: Vec<String>,
) -> Option<BestRow> {
    let changes = changes(table, parameters, table.rows.get(place)?, reference(table));
    Some(BestRow {
        row: place,
        value,
        default,
        changes,
        kept: Vec::new(),
        without_influence: Vec::new(),
        proposed: None,
        warnings,
    })
}

/// Which values of a metric are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Better {
    Higher,
    Lower,
}

impl Better {
    /// By the measure, and only against the truth: counts have no better direction, and against the default the
    /// default would win.
    pub(super) fn of(metric: &Metric) -> Option<Self> {
        let measure = metric.measure.as_deref()?;
        match (metric.against, measure) {
            (Against::Default, _) => return None,
            (Against::Nothing, _) => return Self::of_registration(measure),
            (Against::Truth, _) => {}
        }
        match measure {
            "dice" | "jaccard" | "object_f1" | "panoptic_quality" => Some(Self::Higher),
            "pixel_difference" => Some(Self::Lower),
            distance if distance.contains("distance") || distance.contains("hausdorff") => Some(Self::Lower),
            _ => None,
        }
    }

    /// Measures of a pair of volumes say themselves what they compare; those of single labels have their numbers.
    fn of_registration(measure: &str) -> Option<Self> {
        let kind = measure.split('_').next().unwrap_or_default();
        match measure {
            "folding" => Some(Self::Lower),
            _ if measure.ends_with("_before") => None,
            _ => match kind {
                "dice" | "jaccard" | "nmi" | "mi" => Some(Self::Higher),
                "ssd" | "landmark" => Some(Self::Lower),
                _ => None,
            },
        }
    }

    pub(super) fn is_better(self, a: f64, b: f64) -> bool {
        match self {
            Self::Higher => a > b,
            Self::Lower => a < b,
        }
    }
}

/// Of equal rows the first one: rows stand in the order of their numbers.
fn best_place(table: &MetricTable, better: Better) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (place, row) in table.rows.iter().enumerate().filter(|(_, row)| row.status == RowStatus::Ok) {
        let Some(value) = first_metric(row) else { continue };
        if best.is_none_or(|(_, so_far)| better.is_better(value, so_far)) {
            best = Some((place, value));
        }
    }
    best.map(|(place, _)| place)
}

fn first_metric(row: &RowRecord) -> Option<f64> {
    row.metrics.first().copied().flatten().filter(|x| x.is_finite())
}

fn reference(table: &MetricTable) -> Option<&RowRecord> {
    table.rows.iter().find(|row| row.role == "reference")
}

/// Parameters that an operation could tell from their defaults; without a reference row the defaults are the
/// parameters' own.
fn changes(
    table: &MetricTable,
    parameters: &[Parameter],
    row: &RowRecord,
    reference: Option<&RowRecord>,
) -> Vec<ValueChange> {
    let change = |parameter: &Parameter| {
        let place = table.parameters.iter().position(|name| *name == parameter.name)?;
        let to = row.values.get(place)?;
        let from = reference.and_then(|r| r.values.get(place)).or(parameter.default.as_ref())?;
        let changed = !is_same(parameter, from, to);
        changed.then(|| ValueChange { parameter: parameter.name.clone(), from: from.clone(), to: to.clone() })
    };
    parameters.iter().filter_map(change).collect()
}

fn is_same(parameter: &Parameter, from: &Value, to: &Value) -> bool {
    match (parameter.kind.canonical(from), parameter.kind.canonical(to)) {
        (Some(from), Some(to)) => from == to,
        _ => from == to,
    }
}

#[cfg(test)]
mod tests;
