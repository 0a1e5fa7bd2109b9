//! Elementary effects against functions whose effects are known.

use onceflow_sensitivity::{
    AnalysisOptions, Indices, MorrisIndex, Oracle, Outputs, RowRole, Technique, Verdict, analyze,
};
use onceflow_study::{Distribution, Domain, Parameter, Space};
use proptest::prelude::*;

use crate::designs::{Draw, assert_close, empty, evaluate, kept, morris, push, space, unit_space};

fn effects(space: &Space, sample: &onceflow_sensitivity::Sample, y: Vec<f64>) -> Vec<MorrisIndex> {
    let analysis =
        analyze(space, sample, &Outputs::single("y", y), &AnalysisOptions::new(Technique::Morris)).unwrap();
    let Indices::Morris(factors) = &analysis.outputs[0].indices else { panic!("not effects") };
    factors.clone()
}

#[test]
fn a_linear_function_has_its_coefficients_as_effects_and_no_spread() {
    let space = unit_space(&["", "", ""]);
    for radial in [false, true] {
        let sample = morris(&space, 10, radial, &mut Draw(1));
        let y = evaluate(&sample, |x| x[0] - 2.0 * x[1] + 3.0 * x[2]);
        let found = effects(&space, &sample, y);
        assert_close(&found.iter().map(|f| f.mu).collect::<Vec<_>>(), &[1.0, -2.0, 3.0], 1e-12);
        assert_close(&found.iter().map(|f| f.mu_star.value).collect::<Vec<_>>(), &[1.0, 2.0, 3.0], 1e-12);
        assert_close(&found.iter().map(|f| f.sigma).collect::<Vec<_>>(), &[0.0; 3], 1e-12);
        assert_close(&found.iter().map(|f| f.mu_star.half_width()).collect::<Vec<_>>(), &[0.0; 3], 1e-12);
        assert!(found.iter().all(|f| f.effects == 10));
    }
}

/// Published signature of Morris's function: x8-x10 large and linear, x1-x6 spread, x11-x20 negligible.
#[test]
fn morris_function_has_its_known_signature() {
    let oracle = Oracle::Morris20;
    let space = space(oracle);
    let sample = morris(&space, 2000, false, &mut Draw(4));
    let found = effects(&space, &sample, evaluate(&sample, |x| oracle.evaluate(x)));
    let expected = [64.2, 63.6, 51.5, 63.6, 51.0, 43.5, 34.8, 37.6, 42.4, 37.7];
    assert_close(&found[..10].iter().map(|f| f.mu_star.value).collect::<Vec<_>>(), &expected, 4.0);
    assert!(found[10..].iter().all(|f| (f.mu_star.value - 5.3).abs() < 0.6));
    assert!(found[7..10].iter().all(|f| (f.sigma - 6.6).abs() < 1.0));
    assert!(found[..6].iter().all(|f| f.sigma > 45.0));
}

/// Steps are measured in the positions of each domain, so that a function linear in positions has exact effects.
#[test]
fn effects_are_per_whole_range_of_any_domain() {
    let skewed = Distribution::Triangular { peak: 0.5 };
    let parameters = vec![
        Parameter::new("range", Domain::Continuous { from: 10.0, to: 30.0 }),
        Parameter::new("steps", Domain::Steps { from: 5.0, to: 80.0, step: 5.0 }),
        Parameter::new("list", Domain::Values(vec![1.0, 10.0, 100.0])),
        Parameter {
            distribution: skewed,
            ..Parameter::new("skewed", Domain::Continuous { from: 0.0, to: 1.0 })
        },
    ];
    let space = Space::new(parameters, vec![]).unwrap();
    let sample = morris(&space, 8, false, &mut Draw(1));
    let cumulated = |x: f64| if x < 0.5 { 2.0 * x * x } else { 1.0 - 2.0 * (1.0 - x).powi(2) };
    let f = |x: &[f64]| {
        (x[0] - 10.0) / 20.0 + 2.0 * (x[1] - 5.0) / 75.0 + 3.0 * x[2].log10() / 2.0 + 4.0 * cumulated(x[3])
    };
    let found = effects(&space, &sample, evaluate(&sample, f));
    assert_close(&found.iter().map(|f| f.mu).collect::<Vec<_>>(), &[1.0, 2.0, 3.0, 4.0], 1e-9);
    assert_close(&found.iter().map(|f| f.sigma).collect::<Vec<_>>(), &[0.0; 4], 1e-9);
}

#[test]
fn words_and_groups_have_no_direction() {
    let words = ["a", "b", "c"].map(String::from).to_vec();
    let mut parameters = vec![Parameter::new("method", Domain::Categories(words))];
    parameters.extend(unit_space(&["g", "g"]).parameters().iter().cloned());
    let space = Space::new(parameters, vec![]).unwrap();
    let sample = morris(&space, 12, false, &mut Draw(1));
    let y = evaluate(&sample, |x| if x[0] == 1.0 { 7.0 } else { 0.0 } + x[1] + x[2]);
    let found = effects(&space, &sample, y);
    assert_eq!(found.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["method", "g"]);
    assert!(found.iter().all(|f| f.mu.is_nan() && f.sigma.is_nan()));
    // A change of word counts as a whole range: |effect| is 7 or 0.
    let count = found[0].mu_star.value * 12.0 / 7.0;
    assert!((count - count.round()).abs() < 1e-9 && count > 0.5, "{count}");
    assert!(found[1].mu_star.value <= 2.0 + 1e-9);
}

#[test]
fn an_effect_with_a_failed_row_is_left_out() {
    let space = unit_space(&["", ""]);
    let sample = morris(&space, 20, false, &mut Draw(1));
    let mut y = evaluate(&sample, |x| x[0] + 5.0 * x[1]);
    y[3] = f64::NAN;
    y[10] = f64::INFINITY;
    let analysis =
        analyze(&space, &sample, &Outputs::single("y", y.clone()), &AnalysisOptions::new(Technique::Morris))
            .unwrap();
    let found = effects(&space, &sample, y);
    assert_close(&found.iter().map(|f| f.mu).collect::<Vec<_>>(), &[1.0, 5.0], 1e-12);
    let lost: Vec<usize> = found.iter().map(|f| 20 - f.effects).collect();
    // Row 3 starts a trajectory (one effect), row 10 stands inside one (two effects).
    assert_eq!(lost.iter().sum::<usize>(), 3);
    assert_eq!(analysis.outputs[0].failures.lost, lost);
    assert_eq!(analysis.outputs[0].failures.failed, 2);
}

#[test]
fn a_factor_without_effects_is_not_zero() {
    let space = unit_space(&["", ""]);
    let sample = morris(&space, 10, true, &mut Draw(1));
    let step = |row: usize| sample.rows[row].role == RowRole::Step(1);
    let y = evaluate(&sample, |x| x[0]).into_iter().enumerate();
    let y: Vec<f64> = y.map(|(row, y)| if step(row) { f64::NAN } else { y }).collect();
    let analysis =
        analyze(&space, &sample, &Outputs::single("y", y), &AnalysisOptions::new(Technique::Morris)).unwrap();
    let Indices::Morris(factors) = &analysis.outputs[0].indices else { panic!("not effects") };
    assert!(factors[1].mu_star.value.is_nan() && factors[1].effects == 0);
    assert_eq!(analysis.outputs[0].verdicts[1], Verdict::Undecided { more_rows: None });
    assert_eq!(kept(&analysis, 0.1), ["x2", "x1"], "doubt keeps a factor in");
    assert!(analysis.outputs[0].warnings.iter().any(|w| w.contains("`x2` has 0 effects left")));
}

#[test]
fn screening_keeps_what_may_reach_a_tenth_of_the_largest() {
    let oracle = Oracle::Morris20;
    let space = space(oracle);
    let sample = morris(&space, 40, false, &mut Draw(8));
    let outputs = Outputs::single("y", evaluate(&sample, |x| oracle.evaluate(x)));
    let analysis = analyze(&space, &sample, &outputs, &AnalysisOptions::new(Technique::Morris)).unwrap();
    let mut kept = kept(&analysis, 0.2);
    kept.sort_by_key(|name| space.index_of(name));
    assert_eq!(kept, (1..=10).map(|i| format!("x{i}")).collect::<Vec<_>>());
    let verdicts = &analysis.outputs[0].verdicts;
    assert!(verdicts[..10].iter().all(|v| *v == Verdict::Influential));
}

#[test]
fn values_that_contradict_their_roles_are_refused() {
    let space = unit_space(&["", ""]);
    let mut sample = empty(2);
    push(&mut sample, RowRole::Start, 0, 0, &[0.0, 0.0]);
    push(&mut sample, RowRole::Step(0), 0, 0, &[0.0, 0.5]);
    push(&mut sample, RowRole::Step(1), 0, 0, &[0.5, 0.5]);
    let outputs = Outputs::single("y", vec![1.0; 3]);
    let error = analyze(&space, &sample, &outputs, &AnalysisOptions::new(Technique::Morris)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected row 1 (step:x1) to differ from row 0 in x1 only, found x2 differ; to do: analyse the values the \
         sample was made with"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn order_changes_nothing_and_scale_scales(
        seed in any::<u64>(),
        radial in any::<bool>(),
        scale in 0.01..100.0_f64,
        order in Just((0..6 * 4).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let space = unit_space(&["", "", ""]);
        let sample = morris(&space, 6, radial, &mut Draw(seed));
        let y = evaluate(&sample, |x| x[0] + x[1] * x[2]);
        let plain = effects(&space, &sample, y.clone());
        let mut other = empty(3);
        other.rows = order.iter().map(|row| sample.rows[*row]).collect();
        other.values = order.iter().flat_map(|row| sample.numbers(*row)).copied().collect();
        let shuffled = effects(&space, &other, order.iter().map(|row| y[*row]).collect());
        prop_assert_eq!(&shuffled, &plain);
        let scaled = effects(&space, &sample, y.iter().map(|y| 7.0 + scale * y).collect());
        for (s, p) in scaled.iter().zip(&plain) {
            let found = [s.mu, s.sigma, s.mu_star.value, s.mu_star.low, s.mu_star.high];
            let expected = [p.mu, p.sigma, p.mu_star.value, p.mu_star.low, p.mu_star.high].map(|v| v * scale);
            assert_close(&found, &expected, 1e-9 * scale.max(1.0));
        }
    }
}
