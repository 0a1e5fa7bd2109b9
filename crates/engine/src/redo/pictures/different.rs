//! Rows that differ most: each one far from those before it, in the space of the metrics.

use crate::{MetricTable, RowStatus};

/// Places of at most `count` rows, the farthest from `known` and from each other first. A metric counts by its share of
/// its own range, so that no unit weighs more than another; rows that equal a known one, or that may not be taken, are not
/// among them.
pub(super) fn most_different(
    table: &MetricTable,
    known: &[usize],
    count: usize,
    may_take: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let points = points(table);
    let mut nearest: Vec<f64> = points.iter().map(|_| f64::INFINITY).collect();
    let mut chosen = Vec::new();
    for place in known {
        approach(&mut nearest, &points, *place);
    }
    while chosen.len() < count {
        let candidates = (0..points.len())
            .filter(|place| points[*place].is_some() && nearest[*place] > 0.0 && may_take(*place));
        // Of equally far rows the first one.
        let farthest = candidates.rev().max_by(|a, b| nearest[*a].total_cmp(&nearest[*b]));
        let Some(place) = farthest else { break };
        approach(&mut nearest, &points, place);
        chosen.push(place);
    }
    chosen
}

/// Notes how near each row is to a row that is taken.
fn approach(nearest: &mut [f64], points: &[Option<Vec<f64>>], taken: usize) {
    let Some(Some(taken)) = points.get(taken) else { return };
    for (near, point) in nearest.iter_mut().zip(points) {
        if let Some(point) = point {
            let distance: f64 = point.iter().zip(taken).map(|(a, b)| (a - b) * (a - b)).sum();
            *near = near.min(distance);
        }
    }
}

/// Each row by its metrics, from 0 to 1; `None` when it failed or lacks one that others have.
fn points(table: &MetricTable) -> Vec<Option<Vec<f64>>> {
    let ranges: Vec<Option<(f64, f64)>> = (0..table.metrics.len()).map(|m| range(table, m)).collect();
    let point = |row: &crate::RowRecord| {
        let usable = !matches!(row.status, RowStatus::Failed { .. });
        let share = |(metric, range): (usize, &Option<(f64, f64)>)| {
            let (low, high) = (*range)?;
            let value = row.metrics.get(metric).copied().flatten().filter(|x| x.is_finite());
            Some(value.map(|value| (value - low) / (high - low)))
        };
        usable.then(|| ranges.iter().enumerate().filter_map(share).collect::<Option<Vec<f64>>>()).flatten()
    };
    table.rows.iter().map(point).collect()
}

/// Where a metric varies, when it does.
fn range(table: &MetricTable, metric: usize) -> Option<(f64, f64)> {
    let values = table.rows.iter().filter_map(|row| row.metrics.get(metric).copied().flatten());
    let (low, high) = values
        .filter(|x| x.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    (high > low).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RowRecord;

    fn table(rows: &[[Option<f64>; 2]]) -> MetricTable {
        let row = |(number, metrics): (usize, &[Option<f64>; 2])| RowRecord {
            row: number as u64,
            phase: None,
            role: String::new(),
            base: 0,
            status: RowStatus::Ok,
            values: Vec::new(),
            metrics: metrics.to_vec(),
            images: Vec::new(),
        };
        MetricTable {
            metrics: vec!["a".into(), "b".into()],
            rows: rows.iter().enumerate().map(row).collect(),
            ..MetricTable::default()
        }
    }

    #[test]
    fn far_rows_come_first_whatever_the_units() {
        let metrics = [[0.0, 0.0], [0.1, 1e6], [1.0, 1e6], [0.0, 0.0], [0.5, 0.5e6]];
        let table = table(&metrics.map(|row| row.map(Some)));
        assert_eq!(most_different(&table, &[0], 9, |_| true), [2, 1, 4]);
        assert_eq!(most_different(&table, &[0], 1, |_| true), [2]);
        assert_eq!(most_different(&table, &[0], 2, |row| row != 2), [1, 4]);
    }

    #[test]
    fn rows_without_a_metric_and_metrics_that_stay_do_not_count() {
        let table = table(&[
            [Some(1.0), Some(5.0)],
            [None, Some(5.0)],
            [Some(2.0), Some(5.0)],
            [Some(f64::NAN), Some(5.0)],
        ]);
        assert_eq!(most_different(&table, &[0], 9, |_| true), [2]);
        assert!(most_different(&MetricTable::default(), &[], 3, |_| true).is_empty());
    }
}
