//! Variance-based indices against exact ones, and what shifting, scaling and shuffling must not change.

use onceflow_sensitivity::{
    AnalysisOptions, Estimator, Oracle, Outputs, RowRole, Sample, Technique, Verdict, analyze, convergence,
};
use onceflow_study::{Constraint, SourceText, Space};
use proptest::prelude::*;

use crate::designs::{
    Draw, assert_close, empty, evaluate, first_and_total, kept, push, saltelli, second, space, unit_space,
    values,
};

fn options(estimator: Estimator, second_order: bool) -> AnalysisOptions {
    AnalysisOptions { estimator, second_order, resamples: 100, ..AnalysisOptions::new(Technique::Vbd) }
}

const ESTIMATORS: [Estimator; 3] = [Estimator::Saltelli, Estimator::Janon, Estimator::Martinez];

fn indices(space: &Space, sample: &Sample, y: Vec<f64>, options: &AnalysisOptions) -> [Vec<f64>; 3] {
    let analysis = analyze(space, sample, &Outputs::single("y", y), options).unwrap();
    let (s1, st) = first_and_total(&analysis);
    [values(&s1), values(&st), values(&second(&analysis))]
}

#[test]
fn every_estimator_comes_near_the_exact_indices() {
    for oracle in Oracle::ALL {
        let (space, truth) = (space(oracle), oracle.truth());
        let sample = saltelli(&space, 8192, false, 1, &mut Draw(5));
        let y = evaluate(&sample, |x| oracle.evaluate(x));
        for estimator in ESTIMATORS {
            let [s1, st, s2] = indices(&space, &sample, y.clone(), &options(estimator, false));
            assert_close(&s1, &truth.s1, 0.05);
            assert_close(&st, &truth.st, 0.05);
            assert!(s2.is_empty());
        }
    }
}

/// y = x1 + 2 x2 + c (x1 - 1/2)(x3 - 1/2) has variances 1/12, 4/12 and c^2/144.
#[test]
fn second_order_indices_find_the_interaction() {
    let space = unit_space(&["", "", ""]);
    let c = 6.0;
    let f = |x: &[f64]| x[0] + 2.0 * x[1] + c * (x[0] - 0.5) * (x[2] - 0.5);
    let total = 1.0 / 12.0 + 4.0 / 12.0 + c * c / 144.0;
    let pair = c * c / 144.0 / total;
    let sample = saltelli(&space, 16_384, true, 1, &mut Draw(9));
    for estimator in ESTIMATORS {
        let [s1, st, s2] = indices(&space, &sample, evaluate(&sample, f), &options(estimator, true));
        assert_close(&s1, &[1.0 / 12.0 / total, 4.0 / 12.0 / total, 0.0], 0.04);
        assert_close(&st, &[1.0 / 12.0 / total + pair, 4.0 / 12.0 / total, pair], 0.04);
        assert_close(&s2, &[0.0, pair, 0.0], 0.06);
    }
}

/// Both levels of three parameters in every combination as A and B: each index is then exact.
#[test]
fn a_complete_design_gives_exact_indices() {
    let space = unit_space(&["", "", ""]);
    let mut sample = empty(3);
    for base in 0..64_u64 {
        let bit = |place: u64| (base >> place & 1) as f64;
        let (a, b) = ([bit(0), bit(1), bit(2)], [bit(3), bit(4), bit(5)]);
        push(&mut sample, RowRole::A, base, 0, &a);
        push(&mut sample, RowRole::B, base, 0, &b);
        for f in 0..3 {
            let (mut ab, mut ba) = (a, b);
            (ab[f], ba[f]) = (b[f], a[f]);
            push(&mut sample, RowRole::Ab(f), base, 0, &ab);
            push(&mut sample, RowRole::Ba(f), base, 0, &ba);
        }
    }
    // In signs w = 2x - 1: y = 3 w1 + 2 w2 + w1 w3, whose variance is 9 + 4 + 1.
    let w = |x: f64| 2.0 * x - 1.0;
    let y = evaluate(&sample, |x| 3.0 * w(x[0]) + 2.0 * w(x[1]) + w(x[0]) * w(x[2]));
    for estimator in ESTIMATORS {
        let [s1, st, s2] = indices(&space, &sample, y.clone(), &options(estimator, true));
        assert_close(&s1, &[9.0 / 14.0, 4.0 / 14.0, 0.0], 1e-12);
        assert_close(&st, &[10.0 / 14.0, 4.0 / 14.0, 1.0 / 14.0], 1e-12);
        assert_close(&s2, &[0.0, 1.0 / 14.0, 0.0], 1e-12);
    }
}

#[test]
fn a_large_mean_costs_no_accuracy() {
    let (space, oracle) = (space(Oracle::Ishigami), Oracle::Ishigami);
    let sample = saltelli(&space, 256, true, 1, &mut Draw(3));
    let y = evaluate(&sample, |x| oracle.evaluate(x));
    for estimator in ESTIMATORS {
        let plain = indices(&space, &sample, y.clone(), &options(estimator, true));
        let shifted = y.iter().map(|y| y + 1e6).collect();
        for (p, s) in plain.iter().zip(indices(&space, &sample, shifted, &options(estimator, true))) {
            assert_close(&s, p, 1e-8);
        }
    }
}

#[test]
fn outputs_of_any_size_have_indices() {
    let (space, oracle) = (space(Oracle::Ishigami), Oracle::Ishigami);
    let sample = saltelli(&space, 64, true, 1, &mut Draw(3));
    let y = evaluate(&sample, |x| oracle.evaluate(x));
    let plain = indices(&space, &sample, y.clone(), &options(Estimator::Saltelli, true));
    for size in [1e-250, 1e-9, 1e250] {
        let sized = y.iter().map(|y| y * size).collect();
        for (p, s) in plain.iter().zip(indices(&space, &sample, sized, &options(Estimator::Saltelli, true))) {
            assert_close(&s, p, 1e-12);
        }
    }
}

#[test]
fn groups_are_one_factor() {
    let space = unit_space(&["a", "b", "a"]);
    let sample = saltelli(&space, 4096, false, 1, &mut Draw(2));
    let y = evaluate(&sample, |x| x[0] + x[1] + x[2]);
    let [s1, st, _] = indices(&space, &sample, y, &options(Estimator::Saltelli, false));
    assert_close(&s1, &[2.0 / 3.0, 1.0 / 3.0], 0.05);
    assert_close(&st, &[2.0 / 3.0, 1.0 / 3.0], 0.05);
}

#[test]
fn a_constant_output_has_no_indices_and_says_so() {
    let space = unit_space(&["", ""]);
    let sample = saltelli(&space, 64, false, 1, &mut Draw(2));
    for constant in [0.0, 0.1, 1e9] {
        let y = vec![constant; sample.len()];
        let analysis =
            analyze(&space, &sample, &Outputs::single("y", y), &options(Estimator::Saltelli, false)).unwrap();
        let (s1, st) = first_and_total(&analysis);
        assert!(s1.iter().chain(&st).all(|e| e.value.is_nan() && e.low.is_nan() && e.high.is_nan()));
        assert!(analysis.outputs[0].warnings.iter().any(|w| w.contains("does not vary")));
        assert_eq!(analysis.outputs[0].verdicts, vec![Verdict::Undecided { more_rows: None }; 2]);
    }
}

#[test]
fn verdicts_and_keeping_follow_the_total_index() {
    let space = unit_space(&["", "", ""]);
    let sample = saltelli(&space, 1024, false, 1, &mut Draw(2));
    let y = evaluate(&sample, |x| x[0] + 0.5 * x[1]);
    let analysis =
        analyze(&space, &sample, &Outputs::single("y", y), &options(Estimator::Saltelli, false)).unwrap();
    use Verdict::{Influential, NotInfluential};
    assert_eq!(analysis.outputs[0].verdicts, vec![Influential, Influential, NotInfluential]);
    assert_eq!(kept(&analysis, 0.05), ["x1", "x2"]);
    assert_eq!(kept(&analysis, 0.5), ["x1"]);
}

#[test]
fn coupled_parameters_are_warned_of() {
    let text = "x1 < x2";
    let constraint =
        Constraint::parse(&SourceText::new("c", text), (0..text.len()).into(), &["x1", "x2"]).unwrap();
    let said = |groups: &[&str]| {
        let space = Space::new(unit_space(groups).parameters().to_vec(), vec![constraint.clone()]).unwrap();
        let sample = saltelli(&space, 64, false, 1, &mut Draw(2));
        let outputs = Outputs::single("y", evaluate(&sample, |x| x[0] + x[2]));
        let analysis = analyze(&space, &sample, &outputs, &options(Estimator::Saltelli, false)).unwrap();
        analysis.outputs[0].warnings.iter().any(|w| w.contains("`x1 < x2` cuts the ranges"))
    };
    assert!(said(&["", "", ""]));
    assert!(!said(&["sizes", "sizes", ""]), "within a group nothing is coupled to the outside");
}

#[test]
fn reference_rows_take_no_part() {
    let space = unit_space(&["", ""]);
    let sample = saltelli(&space, 64, false, 1, &mut Draw(2));
    let mut with = sample.clone();
    push(&mut with, RowRole::Reference, 0, 0, &[0.5, 0.5]);
    let f = |x: &[f64]| x[0] * x[1];
    let mut y = evaluate(&with, f);
    y[sample.len()] = 1e9;
    let plain = indices(&space, &sample, evaluate(&sample, f), &options(Estimator::Saltelli, false));
    assert_eq!(indices(&space, &with, y, &options(Estimator::Saltelli, false)), plain);
}

#[test]
fn several_outputs_are_each_their_own() {
    let space = unit_space(&["", ""]);
    let sample = saltelli(&space, 256, false, 1, &mut Draw(2));
    let columns = vec![evaluate(&sample, |x| x[0]), evaluate(&sample, |x| x[1])];
    let status = Outputs::single("", columns[0].clone()).status;
    let outputs = Outputs { names: vec!["first".into(), "second".into()], columns: columns.clone(), status };
    let analysis = analyze(&space, &sample, &outputs, &options(Estimator::Saltelli, false)).unwrap();
    for (output, column) in analysis.outputs.iter().zip(columns) {
        let alone = analyze(
            &space,
            &sample,
            &Outputs::single(output.name.clone(), column),
            &options(Estimator::Saltelli, false),
        );
        assert_eq!(&alone.unwrap().outputs[0], output);
    }
}

#[test]
fn convergence_ends_with_the_whole_and_halves_before() {
    let oracle = Oracle::Ishigami;
    let space = space(oracle);
    let sample = saltelli(&space, 1024, false, 4, &mut Draw(2));
    let outputs = Outputs::single("y", evaluate(&sample, |x| oracle.evaluate(x)));
    let options = options(Estimator::Saltelli, false);
    let parts = convergence(&space, &sample, &outputs, &options, 5).unwrap();
    assert_eq!(parts.iter().map(|p| p.size).collect::<Vec<_>>(), [64, 128, 256, 512, 1024]);
    assert_eq!(parts[4].analysis, analyze(&space, &sample, &outputs, &options).unwrap());
    assert_eq!(parts[0].analysis.rows, 64 * 5);
    let tiny = convergence(&space, &sample, &outputs, &options, 100).unwrap();
    assert_eq!(tiny[0].size, 2);
}

#[test]
fn no_bit_depends_on_the_threads() {
    let space = unit_space(&["", "", "", "", ""]);
    let sample = saltelli(&space, 600, true, 1, &mut Draw(2));
    let outputs = Outputs::single("y", evaluate(&sample, |x| x[0] * x[1] + x[2].exp() * x[3]));
    let options = options(Estimator::Saltelli, true);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| analyze(&space, &sample, &outputs, &options).unwrap())
    };
    assert_eq!(with(1), with(3));
}

fn permuted(sample: &Sample, y: &[f64], order: &[usize]) -> (Sample, Vec<f64>) {
    let mut other = empty(sample.parameters);
    other.rows = order.iter().map(|row| sample.rows[*row]).collect();
    other.values = order.iter().flat_map(|row| sample.numbers(*row)).copied().collect();
    (other, order.iter().map(|row| y[*row]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn shift_scale_and_order_change_nothing(
        seed in any::<u64>(),
        shift in -1e3..1e3_f64,
        scale in prop_oneof![0.01..100.0_f64, -100.0..-0.01_f64],
        estimator in prop::sample::select(ESTIMATORS.to_vec()),
        order in Just((0..16 * 8).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let space = unit_space(&["", "", ""]);
        let sample = saltelli(&space, 16, true, 2, &mut Draw(seed));
        let y = evaluate(&sample, |x| x[0] + x[1] * x[2] + 3.0);
        let options = options(estimator, true);
        let plain = indices(&space, &sample, y.clone(), &options);
        let moved = y.iter().map(|y| shift + scale * y).collect();
        for (p, m) in plain.iter().zip(indices(&space, &sample, moved, &options)) {
            assert_close(&m, p, 1e-9);
        }
        let (shuffled, y) = permuted(&sample, &y, &order);
        for (p, s) in plain.iter().zip(indices(&space, &shuffled, y, &options)) {
            assert_close(&s, p, 1e-12);
        }
    }
}
