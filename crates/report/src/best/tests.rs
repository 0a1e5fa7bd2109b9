//! The judgement about the best row.

use onceflow_study::Domain;

use super::*;
use crate::ImageRecord;

pub(super) fn metric(measure: &str, against: Against) -> Metric {
    Metric { name: measure.into(), of: None, measure: Some(measure.into()), against }
}

fn image(name: &str, truth_objects: Option<u64>) -> ImageSummary {
    let name = name.into();
    ImageSummary {
        name,
        width: 1,
        height: 1,
        um_per_pixel: None,
        resampled: None,
        parts: 1,
        left_out: 0,
        truth_objects,
    }
}

/// G1 from 5 to 80 by 5 with the default 80, and a connectivity of 4 or 8.
pub(super) fn parameters() -> Vec<Parameter> {
    let mut g1 = Parameter::new("G1", Domain::Steps { from: 5.0, to: 80.0, step: 5.0 });
    g1.default = Some(Value::Integer(80));
    let mut connectivity = Parameter::new("connectivity", Domain::Values(vec![4.0, 8.0]));
    connectivity.default = Some(Value::Integer(8));
    vec![g1, connectivity]
}

/// Rows of G1, connectivity and the metric on each image; over all images it is the mean. The first is the reference.
pub(super) fn table(rows: &[(f64, f64, &[f64])]) -> MetricTable {
    let row = |(place, (g1, connectivity, values)): (usize, &(f64, f64, &[f64]))| RowRecord {
        row: place as u64,
        phase: None,
        role: if place == 0 { "reference" } else { "point" }.into(),
        base: 0,
        status: RowStatus::Ok,
        values: vec![Value::Real(*g1), Value::Real(*connectivity)],
        metrics: vec![Some(values.iter().sum::<f64>() / values.len() as f64)],
        images: values.iter().map(|v| record(*v)).collect(),
    };
    MetricTable {
        parameters: vec!["G1".into(), "connectivity".into()],
        metrics: vec!["m".into()],
        images: Vec::new(),
        rows: rows.iter().enumerate().map(row).collect(),
    }
}

fn record(value: f64) -> ImageRecord {
    ImageRecord { status: RowStatus::Ok, metrics: vec![Some(value)], objects: Some(100) }
}

const ROWS: [(f64, f64, &[f64]); 4] =
    [(80.0, 8.0, &[0.5]), (40.0, 8.0, &[0.7]), (45.0, 4.0, &[0.7]), (5.0, 4.0, &[0.3])];

fn chosen(measure: &str, against: Against) -> Option<usize> {
    let images = [image("a", Some(100))];
    best(&table(&ROWS), &[metric(measure, against)], &parameters(), &images, &[]).map(|best| best.row)
}

#[test]
fn the_measure_says_which_direction_is_better() {
    for measure in ["dice", "jaccard", "object_f1", "panoptic_quality"] {
        assert_eq!(chosen(measure, Against::Truth), Some(1), "{measure}: of equal rows the first");
        assert_eq!(chosen(measure, Against::Default), None, "the default would win");
    }
    for measure in ["pixel_difference", "hausdorff", "boundary_distance"] {
        assert_eq!(chosen(measure, Against::Truth), Some(3), "{measure}");
        assert_eq!(chosen(measure, Against::Default), None);
    }
    assert_eq!(chosen("objects_per_mm2", Against::Nothing), None);
    assert_eq!(chosen("objects", Against::Truth), None);
}

#[test]
fn only_rows_that_ended_well_are_chosen() {
    let mut table = table(&ROWS);
    table.rows[1].status = RowStatus::Failed { task: "t".into(), message: "m".into() };
    table.rows[2].status = RowStatus::Ended("background".into());
    table.rows[0].metrics[0] = Some(f64::NAN);
    let metrics = [metric("dice", Against::Truth)];
    let found = best(&table, &metrics, &parameters(), &[image("a", Some(100))], &[]).unwrap();
    assert_eq!((found.row, found.value, found.default), (3, 0.3, None));
    table.rows[3].metrics[0] = None;
    assert_eq!(best(&table, &metrics, &parameters(), &[], &[]), None);
    assert_eq!(best(&MetricTable::default(), &metrics, &parameters(), &[], &[]), None);
    assert_eq!(best(&table, &[], &parameters(), &[], &[]), None);
}

fn warnings(rows: &[(f64, f64, &[f64])], measure: &str, truths: &[Option<u64>]) -> Vec<String> {
    let images: Vec<ImageSummary> =
        truths.iter().zip(["a", "b", "c"]).map(|(t, name)| image(name, *t)).collect();
    best(&table(rows), &[metric(measure, Against::Truth)], &parameters(), &images, &[]).unwrap().warnings
}

const SAME_IMAGE: &str = "Chosen and measured on the same image; no second image with truth confirms it.";

#[test]
fn changes_are_what_an_operation_can_tell_apart() {
    let found = best(&table(&ROWS), &[metric("dice", Against::Truth)], &parameters(), &[], &[]).unwrap();
    let change = ValueChange { parameter: "G1".into(), from: Value::Real(80.0), to: Value::Real(40.0) };
    assert_eq!((found.changes, found.value, found.default), (vec![change], 0.7, Some(0.5)));
}

#[test]
fn splits_are_told_where_the_metric_does_not_see_them() {
    let objects = |measure: &str, truth: u64| {
        let warnings = warnings(&ROWS, measure, &[Some(truth)]);
        warnings.iter().filter(|w| w.contains("objects")).cloned().collect::<Vec<_>>()
    };
    let expected = "Row 1 finds 100 objects on a, the truth has 50: dice does not see splits; add object_f1.";
    assert_eq!(objects("dice", 50), [expected]);
    assert!(objects("dice", 84).is_empty() && objects("dice", 120).is_empty(), "within 20 %");
    assert!(!objects("dice", 83).is_empty() && !objects("dice", 126).is_empty(), "just beyond 20 %");
    assert!(objects("object_f1", 50).is_empty(), "it sees them");
}

#[test]
fn ends_of_ranges_count_only_where_they_were_chosen() {
    let low: [(f64, f64, &[f64]); 2] = [(80.0, 8.0, &[0.5]), (5.0, 4.0, &[0.7])];
    let end = "G1 5 is the end of its range: the best value may lie beyond.";
    assert_eq!(warnings(&low, "dice", &[Some(100)]), [SAME_IMAGE, end], "two values have no range");
    let same: [(f64, f64, &[f64]); 2] = [(80.0, 8.0, &[0.5]), (80.0, 4.0, &[0.7])];
    assert_eq!(warnings(&same, "dice", &[Some(100)]), [SAME_IMAGE], "80 is the default");
}

#[test]
fn several_images_give_a_range_and_may_disagree() {
    let rows: [(f64, f64, &[f64]); 2] = [(80.0, 8.0, &[0.5, 0.6, 0.5]), (40.0, 8.0, &[0.9, 0.55, 0.7])];
    let found = warnings(&rows, "dice", &[Some(100); 3]);
    let range = "Chosen and measured on the same 3 images, over which dice runs from 0.55 (b) to 0.9 (a).";
    assert_eq!(found, [range, "The defaults do better on b (0.55 against 0.6)."]);
}

#[test]
fn a_default_outside_its_range_is_told() {
    let mut parameters = parameters();
    parameters[0].default = Some(Value::Integer(95));
    let metrics = [metric("dice", Against::Truth)];
    let found = best(&table(&ROWS), &metrics, &parameters, &[image("a", Some(100))], &[]).unwrap();
    assert_eq!(
        found.warnings,
        [SAME_IMAGE, "The default of G1, 95, lies outside the values studied (5 to 80)."]
    );
}

#[test]
fn the_defaults_themselves_need_no_doubt_about_their_choice() {
    let rows: [(f64, f64, &[f64]); 2] = [(80.0, 8.0, &[0.9]), (40.0, 8.0, &[0.7])];
    assert_eq!(warnings(&rows, "dice", &[Some(100)]), Vec::<String>::new());
}
