//! Response slices: the mean of a metric for each value of a parameter, over all rows of a phase.

use onceflow_sensitivity::{csv_lines, number_text};
use onceflow_study::Value;

use crate::{Answer, PhaseAnswer, RowStatus};

/// The mean of a metric by the values of one parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Response {
    pub(super) parameter: String,
    pub(super) phase: String,
    pub(super) slices: Vec<Slice>,
    /// The value in the reference row.
    pub(super) default: Option<Value>,
}

/// Rows with one value, or with values next to each other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slice {
    /// The value, or the middle of those it stands for; a word stands as its place.
    pub(super) at: f64,
    pub(super) label: String,
    pub(super) mean: f64,
    /// Twice the standard error of the mean, as if rows were independent; NaN for a single row.
    pub(super) reach: f64,
    pub(super) rows: usize,
}

/// More different values than this are put together.
const MOST_VALUES: usize = 24;
/// So many slices then.
const SLICES: usize = 12;

/// The responses of a metric to every parameter of a phase that varies in it.
pub(super) fn responses(answer: &Answer, phase: &PhaseAnswer, metric: &str) -> Vec<Response> {
    let Some(metric) = answer.table.metrics.iter().position(|name| name == metric) else { return Vec::new() };
    let parameters = phase.space.parameters().iter();
    parameters.filter_map(|parameter| response(answer, phase, metric, &parameter.name)).collect()
}

fn response(answer: &Answer, phase: &PhaseAnswer, metric: usize, parameter: &str) -> Option<Response> {
    let table = &answer.table;
    let column = table.parameters.iter().position(|name| name == parameter)?;
    let rows = table.rows.get(phase.rows.clone())?.iter();
    let usable = rows.filter(|row| !matches!(row.status, RowStatus::Failed { .. }));
    let pairs: Vec<(&Value, f64)> = usable
        .filter_map(|row| {
            let metric = row.metrics.get(metric).copied().flatten().filter(|x| x.is_finite())?;
            Some((row.values.get(column)?, metric))
        })
        .collect();
    let slices = slices(&pairs);
    let reference = table.rows.iter().find(|row| row.phase.is_none());
    let default = reference.and_then(|row| row.values.get(column)).cloned();
    (slices.len() > 1).then(|| Response {
        parameter: parameter.into(),
        phase: phase.name.clone(),
        slices,
        default,
    })
}

fn slices(pairs: &[(&Value, f64)]) -> Vec<Slice> {
    let mut groups: Vec<(String, f64, Vec<f64>)> = Vec::new();
    for (value, metric) in pairs {
        let label = value.to_string();
        match groups.iter().position(|(known, _, _)| *known == label) {
            Some(place) => groups[place].2.push(*metric),
            None if groups.len() < MOST_VALUES => {
                let at = value.as_f64().unwrap_or(groups.len() as f64);
                groups.push((label, at, vec![*metric]));
            }
            None => return ranges(pairs),
        }
    }
    groups.sort_by(|a, b| a.1.total_cmp(&b.1));
    groups.into_iter().map(|(label, at, metrics)| slice(at, label, &metrics)).collect()
}

/// Equal shares of the range, those without a row left out.
fn ranges(pairs: &[(&Value, f64)]) -> Vec<Slice> {
    let numbers: Vec<(f64, f64)> =
        pairs.iter().filter_map(|(value, metric)| Some((value.as_f64()?, *metric))).collect();
    let low = numbers.iter().map(|(x, _)| *x).fold(f64::INFINITY, f64::min);
    let high = numbers.iter().map(|(x, _)| *x).fold(f64::NEG_INFINITY, f64::max);
    let step = (high - low) / SLICES as f64;
    let share = |place: usize| {
        let (from, to) = (low + place as f64 * step, low + (place + 1) as f64 * step);
        let last = place + 1 == SLICES;
        let inside = numbers.iter().filter(|(x, _)| *x >= from && (*x < to || last));
        let metrics: Vec<f64> = inside.map(|(_, metric)| *metric).collect();
        let label = format!("{} to {}", number_label(from), number_label(to));
        (!metrics.is_empty()).then(|| slice((from + to) / 2.0, label, &metrics))
    };
    (0..SLICES).filter_map(share).collect()
}

fn number_label(x: f64) -> String {
    onceflow_sensitivity::short_number(x)
}

fn slice(at: f64, label: String, metrics: &[f64]) -> Slice {
    let count = metrics.len() as f64;
    let mean = metrics.iter().sum::<f64>() / count;
    let spread = metrics.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (count - 1.0);
    Slice { at, label, mean, reach: 2.0 * (spread / count).sqrt(), rows: metrics.len() }
}

/// One line per parameter and slice.
pub(super) fn responses_csv(metric: &str, responses: &[Response]) -> String {
    let head = ["phase", "parameter", "value", "rows", metric, "twice_standard_error"].map(str::to_owned);
    let lines = responses.iter().flat_map(|response| {
        response.slices.iter().map(|slice| {
            let reach = if slice.reach.is_finite() { number_text(slice.reach) } else { String::new() };
            let names = [response.phase.clone(), response.parameter.clone(), slice.label.clone()];
            names.into_iter().chain([slice.rows.to_string(), number_text(slice.mean), reach]).collect()
        })
    });
    csv_lines(std::iter::once(head.to_vec()).chain(lines))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_values_are_one_slice_in_order() {
        let values = [Value::Integer(8), Value::Integer(4), Value::Integer(8)];
        let pairs: Vec<(&Value, f64)> = values.iter().zip([1.0, 5.0, 3.0]).collect();
        let slices = slices(&pairs);
        let means: Vec<(f64, f64, usize)> = slices.iter().map(|s| (s.at, s.mean, s.rows)).collect();
        assert_eq!(means, [(4.0, 5.0, 1), (8.0, 2.0, 2)]);
        assert!(slices[0].reach.is_nan());
        assert_eq!(slices[1].reach, 2.0);
    }

    proptest! {
        #[test]
        fn every_row_is_in_one_slice_and_the_means_are_those_of_the_rows(
            rows in prop::collection::vec((0.0..100.0f64, -5.0..5.0f64), 1..200),
        ) {
            let values: Vec<Value> = rows.iter().map(|(x, _)| Value::Real(*x)).collect();
            let pairs: Vec<(&Value, f64)> = values.iter().zip(rows.iter().map(|(_, y)| *y)).collect();
            let slices = slices(&pairs);
            prop_assert_eq!(slices.iter().map(|s| s.rows).sum::<usize>(), rows.len());
            let sum: f64 = slices.iter().map(|s| s.mean * s.rows as f64).sum();
            prop_assert!((sum - rows.iter().map(|(_, y)| y).sum::<f64>()).abs() < 1e-9);
            prop_assert!(slices.is_sorted_by(|a, b| a.at < b.at));
        }
    }
}
