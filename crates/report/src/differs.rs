//! Images that behave differently from the others: they rank the rows in another order.

use crate::{Answer, RowStatus};

/// Below this rank correlation with the mean of the other images, an image behaves differently.
const DIFFERENT: f64 = 0.5;

/// With fewer rows, ranks say nothing.
const LEAST_ROWS: usize = 10;

/// A sentence for each image that behaves differently, and one for two images that do not agree.
pub(crate) fn differing(answer: &Answer) -> Vec<String> {
    let Some(metric) = answer.metrics.first().map(|metric| metric.name.as_str()) else { return Vec::new() };
    let (images, columns) = columns(answer);
    if images.len() < 2 || columns[0].len() < LEAST_ROWS {
        return Vec::new();
    }
    let rule = format!("below {DIFFERENT} is called different");
    let correlation = |image: usize| {
        let others = |row: usize| {
            let all = (0..columns.len()).filter(|other| *other != image).map(|other| columns[other][row]);
            all.sum::<f64>() / (columns.len() - 1) as f64
        };
        let others: Vec<f64> = (0..columns[image].len()).map(others).collect();
        rank_correlation(&columns[image], &others).filter(|found| *found < DIFFERENT)
    };
    if let [one, other] = images.as_slice() {
        let sentence = |found| {
            format!(
                "{one} and {other} behave differently: the rank correlation of {metric} over the rows is {found:.2} ({rule})."
            )
        };
        return correlation(0).map(sentence).into_iter().collect();
    }
    let sentence = |(place, image): (usize, &&str)| {
        let found = correlation(place)?;
        Some(format!(
            "{image} behaves differently: the rank correlation of its {metric} with the mean of the other images over the rows is {found:.2} ({rule})."
        ))
    };
    images.iter().enumerate().filter_map(sentence).collect()
}

/// Names of images that have the first metric, and its values in the rows in which all of them have it.
fn columns(answer: &Answer) -> (Vec<&str>, Vec<Vec<f64>>) {
    let rows = || answer.table.rows.iter().filter(|row| !matches!(row.status, RowStatus::Failed { .. }));
    let value = |row: &crate::RowRecord, image: usize| {
        row.images.get(image)?.metrics.first().copied().flatten().filter(|x| x.is_finite())
    };
    let has = |image: &usize| rows().any(|row| value(row, *image).is_some());
    let places: Vec<usize> = (0..answer.images.len()).filter(has).collect();
    let mut columns = vec![Vec::new(); places.len()];
    for row in rows() {
        let values: Option<Vec<f64>> = places.iter().map(|image| value(row, *image)).collect();
        for (column, value) in columns.iter_mut().zip(values.into_iter().flatten()) {
            column.push(value);
        }
    }
    (places.iter().map(|image| answer.images[*image].name.as_str()).collect(), columns)
}

/// Spearman's; `None` when one of them does not vary.
fn rank_correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 - 1.0) / 2.0;
    let sum = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum::<f64>();
    let spread = (sum(&a, &a) * sum(&b, &b)).sqrt();
    (spread > 0.0).then(|| sum(&a, &b) / spread)
}

/// Places in the order, from 0; equal values share the mean of their places.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let equal = order[start..].iter().take_while(|at| values[**at] == values[order[start]]).count();
        for at in &order[start..start + equal] {
            ranks[*at] = start as f64 + (equal as f64 - 1.0) / 2.0;
        }
        start += equal;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_share_places_and_correlate() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [2.5, 0.0, 2.5, 1.0]);
        let up = [1.0, 2.0, 3.0, 10.0];
        assert!((rank_correlation(&up, &[0.0, 5.0, 6.0, 7.0]).unwrap() - 1.0).abs() < 1e-12);
        assert!((rank_correlation(&up, &[4.0, 3.0, 2.0, 1.0]).unwrap() + 1.0).abs() < 1e-12);
        assert_eq!(rank_correlation(&up, &[1.0; 4]), None);
    }
}
