//! Features as a table.

use onceflow_kernels::features::{Features, Object};
use onceflow_sensitivity::{csv_lines, number_text};

/// One line per object: its number, status, centre and box, then its features; empty where there is no number.
pub fn features_csv(features: &Features) -> String {
    let fixed = ["label", "status", "centroid_x", "centroid_y", "left", "top", "width", "height"];
    let header = fixed.map(str::to_owned).into_iter().chain(features.names.iter().cloned()).collect();
    let lines = features.objects.iter().enumerate().map(|(row, object)| {
        let values = features.columns.iter().map(|column| number(column[row]));
        place(object).into_iter().chain(values).collect()
    });
    csv_lines(std::iter::once(header).chain(lines))
}

fn place(object: &Object) -> [String; 8] {
    let extent = &object.extent;
    let [x, y] = object.centroid.map(number_text);
    let [left, top, width, height] =
        [extent.left, extent.top, extent.width(), extent.height()].map(|number| number.to_string());
    [extent.label.to_string(), status(object).to_owned(), x, y, left, top, width, height]
}

/// Whether all of an object is in the image.
pub(super) fn status(object: &Object) -> &'static str {
    if object.at_border { "at_border" } else { "whole" }
}

fn number(value: f64) -> String {
    if value.is_finite() { number_text(value) } else { String::new() }
}
