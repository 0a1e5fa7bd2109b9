//! Features as lines of CSV.

use onceflow_kernels::features::MeasuredObject;
use onceflow_sensitivity::{csv_lines, number_text};

use crate::objects::border_word;

/// The columns before the features.
pub(super) const PLACE: [&str; 8] =
    ["label", "status", "centroid_x", "centroid_y", "left", "top", "width", "height"];

/// The header.
pub(super) fn header(names: &[String]) -> String {
    csv_lines(std::iter::once(PLACE.map(str::to_owned).into_iter().chain(names.iter().cloned()).collect()))
}

/// The line of an object: its label, status, centre and box, then its features; NaN and infinities are empty.
pub(super) fn line(object: &MeasuredObject) -> String {
    let values = object.values.iter().map(|value| number(*value));
    csv_lines(std::iter::once(place(object).into_iter().chain(values).collect()))
}

fn place(object: &MeasuredObject) -> [String; 8] {
    let extent = &object.extent;
    let [x, y] = object.centroid.map(number_text);
    let [left, top, width, height] =
        [extent.left, extent.top, extent.width(), extent.height()].map(|number| number.to_string());
    [extent.label.to_string(), border_word(object.at_border).to_owned(), x, y, left, top, width, height]
}

fn number(value: f64) -> String {
    if value.is_finite() { number_text(value) } else { String::new() }
}
