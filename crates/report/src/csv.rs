//! The tables of a run: one line per row, and one line per row and image.

use onceflow_sensitivity::{csv_lines, number_text};
use onceflow_study::Value;

use crate::{Answer, ImageRecord, RowRecord};

/// `row,phase,role,base,status,parameters…,metrics…`: one line per row, numbers in full precision, empty where there
/// is none.
pub fn rows_csv(answer: &Answer) -> String {
    debug_assert_eq!(answer.contradiction(), None, "an answer that contradicts itself");
    let table = &answer.table;
    let fixed = ["row", "phase", "role", "base", "status"].map(str::to_owned);
    let header = fixed.into_iter().chain(table.parameters.iter().chain(&table.metrics).cloned()).collect();
    csv_lines(std::iter::once(header).chain(table.rows.iter().map(row_fields)))
}

fn row_fields(row: &RowRecord) -> Vec<String> {
    let phase = row.phase.clone().unwrap_or_default();
    let status = row.status.word().to_owned();
    let fixed = [row.row.to_string(), phase, row.role.clone(), row.base.to_string(), status];
    fixed.into_iter().chain(row.values.iter().map(value_text)).chain(metrics(&row.metrics)).collect()
}

/// `row,image,status,metrics…`: one line per row and image.
pub fn metrics_csv(answer: &Answer) -> String {
    debug_assert_eq!(answer.contradiction(), None, "an answer that contradicts itself");
    let table = &answer.table;
    let fixed = ["row", "image", "status"].map(str::to_owned);
    let header = fixed.into_iter().chain(table.metrics.iter().cloned()).collect();
    let records = table.rows.iter().flat_map(|row| {
        row.images.iter().zip(&table.images).map(|(record, image)| image_fields(row, image, record))
    });
    csv_lines(std::iter::once(header).chain(records))
}

fn image_fields(row: &RowRecord, image: &str, record: &ImageRecord) -> Vec<String> {
    let fixed = [row.row.to_string(), image.to_owned(), record.status.word().to_owned()];
    fixed.into_iter().chain(metrics(&record.metrics)).collect()
}

fn metrics(metrics: &[Option<f64>]) -> impl Iterator<Item = String> {
    metrics.iter().map(|value| value.filter(|x| x.is_finite()).map_or_else(String::new, number_text))
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Real(x) => number_text(*x),
        other => other.to_string(),
    }
}
