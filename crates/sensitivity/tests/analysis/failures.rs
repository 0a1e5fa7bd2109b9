//! Failed rows never become numbers: indices keep their meaning, intervals widen, corners are named.

use onceflow_sensitivity::{
    AnalysisOptions, FailurePolicy, Oracle, OutputStatus, Outputs, Technique, analyze,
};

use crate::designs::{
    Draw, assert_close, evaluate, first_and_total, saltelli, second, space, unit_space, values,
};

fn options(failures: FailurePolicy) -> AnalysisOptions {
    AnalysisOptions { failures, second_order: true, resamples: 200, ..AnalysisOptions::new(Technique::Vbd) }
}

/// With 5 % of the rows failed at random, the indices are those of a somewhat smaller sample.
#[test]
fn scattered_failures_leave_the_indices_in_place() {
    let oracle = Oracle::Ishigami;
    let (space, truth) = (space(oracle), oracle.truth());
    let mut draw = Draw(11);
    let sample = saltelli(&space, 4096, true, 1, &mut draw);
    let y = evaluate(&sample, |x| oracle.evaluate(x));
    let y: Vec<f64> = y.into_iter().map(|y| if draw.unit() < 0.05 { f64::NAN } else { y }).collect();
    for estimator in [onceflow_sensitivity::Estimator::Saltelli, onceflow_sensitivity::Estimator::Martinez] {
        let options = AnalysisOptions { estimator, ..options(FailurePolicy::Drop) };
        let analysis = analyze(&space, &sample, &Outputs::single("y", y.clone()), &options).unwrap();
        let (s1, st) = first_and_total(&analysis);
        assert_close(&values(&s1), &truth.s1, 0.07);
        assert_close(&values(&st), &truth.st, 0.07);
        assert!(s1.iter().chain(&st).chain(&second(&analysis)).all(|e| e.low < e.high));
        let failures = &analysis.outputs[0].failures;
        assert_eq!(failures.failed, y.iter().filter(|y| y.is_nan()).count());
        // A product needs three rows: about 1 - 0.95^3 of them are lost.
        assert!(failures.lost.iter().all(|l| (400..800).contains(l)), "{:?}", failures.lost);
        assert_eq!(failures.cluster, None);
    }
}

#[test]
fn bounds_hold_the_index_of_either_extreme_and_of_dropping() {
    let space = unit_space(&["", ""]);
    let mut draw = Draw(3);
    let sample = saltelli(&space, 128, true, 2, &mut draw);
    let full = evaluate(&sample, |x| x[0] + 0.5 * x[1] * x[0]);
    let y: Vec<f64> = full.iter().map(|y| if draw.unit() < 0.1 { f64::NAN } else { *y }).collect();
    let run = |y: Vec<f64>, policy| {
        let analysis = analyze(&space, &sample, &Outputs::single("y", y), &options(policy)).unwrap();
        let (s1, st) = first_and_total(&analysis);
        [s1, st, second(&analysis)].concat()
    };
    let extreme =
        |pick: fn(f64, f64) -> f64| y.iter().copied().filter(|y| y.is_finite()).reduce(pick).unwrap();
    let filled = |with: f64| y.iter().map(|y| if y.is_nan() { with } else { *y }).collect::<Vec<_>>();
    let bounds = run(y.clone(), FailurePolicy::Bounds);
    let inner = [y.clone(), filled(extreme(f64::min)), filled(extreme(f64::max))]
        .map(|y| run(y, FailurePolicy::Drop));
    for (i, wide) in bounds.iter().enumerate() {
        assert_eq!(wide.value, inner[0][i].value);
        assert_eq!(wide.low, inner.iter().map(|e| e[i].low).fold(f64::INFINITY, f64::min));
        assert_eq!(wide.high, inner.iter().map(|e| e[i].high).fold(f64::NEG_INFINITY, f64::max));
    }
}

#[test]
fn stop_names_the_first_failed_rows() {
    let space = unit_space(&["", ""]);
    let sample = saltelli(&space, 8, true, 1, &mut Draw(3));
    let mut y = evaluate(&sample, |x| x[0]);
    (10..20).for_each(|row| y[row] = f64::NAN);
    let error =
        analyze(&space, &sample, &Outputs::single("y", y), &options(FailurePolicy::Stop)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected no failed row of `y` (failures: stop), found 10: rows 10, 11, 12, 13, 14, …; to do: run them again, \
         or choose the policy drop or bounds"
    );
}

#[test]
fn failed_and_missing_rows_are_told_apart_and_their_numbers_not_trusted() {
    let space = unit_space(&["", ""]);
    let sample = saltelli(&space, 64, true, 1, &mut Draw(3));
    let y = evaluate(&sample, |x| x[0] + x[1]);
    let mut outputs = Outputs::single("y", y);
    outputs.status[7] = OutputStatus::Failed;
    outputs.columns[0][7] = 1e12;
    outputs.status[8] = OutputStatus::Missing;
    outputs.columns[0][8] = 0.0;
    let analysis = analyze(&space, &sample, &outputs, &options(FailurePolicy::Drop)).unwrap();
    let failures = &analysis.outputs[0].failures;
    assert_eq!((failures.failed, failures.missing), (1, 1));
    assert_close(&values(&first_and_total(&analysis).1), &[0.5, 0.5], 0.2);
    assert!(analysis.outputs[0].warnings[0].starts_with("1 failed and 1 missing of 384 rows (0.5 %)"));
}

#[test]
fn a_corner_of_failures_is_named() {
    let space = unit_space(&["", "", ""]);
    let sample = saltelli(&space, 128, false, 1, &mut Draw(3));
    let y = evaluate(&sample, |x| if x[0] > 0.75 && x[2] < 0.25 { f64::NAN } else { x[0] + x[1] });
    let options = AnalysisOptions { second_order: false, ..options(FailurePolicy::Drop) };
    let analysis = analyze(&space, &sample, &Outputs::single("y", y), &options).unwrap();
    let output = &analysis.outputs[0];
    let place = output.failures.cluster.as_ref().unwrap();
    assert!(place.starts_with("x1 above 0.") && place.contains(" and x3 below 0."), "{place}");
    assert!(output.warnings.iter().any(|w| w.contains(place.as_str())));
}

#[test]
fn a_factor_whose_rows_all_failed_has_no_index() {
    let space = unit_space(&["", ""]);
    for replicates in [1, 4] {
        let sample = saltelli(&space, 64, true, replicates, &mut Draw(3));
        let lost = |row: usize| sample.rows[row].role == onceflow_sensitivity::RowRole::Ab(1);
        let y = evaluate(&sample, |x| (9.0 * x[0]).sin() + x[1]).into_iter().enumerate();
        let y: Vec<f64> = y.map(|(row, y)| if lost(row) { f64::NAN } else { y }).collect();
        let analysis =
            analyze(&space, &sample, &Outputs::single("y", y), &options(FailurePolicy::Drop)).unwrap();
        let (s1, st) = first_and_total(&analysis);
        assert!(s1[1].value.is_nan() && st[1].value.is_nan() && s1[1].low.is_nan() && st[1].high.is_nan());
        assert!(s1[0].value.is_finite() && st[0].low < st[0].high);
        assert!(second(&analysis)[0].value.is_nan());
        assert_eq!(analysis.outputs[0].failures.lost, [0, 64]);
    }
}
