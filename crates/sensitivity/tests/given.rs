//! Given-data techniques through the public door: mixed parameters, failures, designs, verdicts, threads.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use onceflow_sensitivity::{
    Analysis, AnalysisOptions, FailurePolicy, Indices, Outputs, Sample, Technique, Verdict, analyze, sample,
};
use onceflow_study::{Design, Domain, LatinHypercube, Method, MorrisDesign, Parameter, Space, Trajectories};

const GIVEN: [Technique; 4] = [Technique::Correlation, Technique::RbdFast, Technique::Delta, Technique::Pawn];

/// A threshold, a switch, a word, and an idle number.
fn space() -> Space {
    let words = ["fast", "fine", "best"].map(String::from).to_vec();
    let domains = [
        ("threshold", Domain::Continuous { from: 0.0, to: 1.0 }),
        ("switch", Domain::Values(vec![4.0, 8.0])),
        ("word", Domain::Categories(words)),
        ("idle", Domain::Integers { from: 1, to: 50 }),
    ];
    Space::new(domains.map(|(name, domain)| Parameter::new(name, domain)).to_vec(), Vec::new()).unwrap()
}

fn rows(space: &Space, method: Method) -> Sample {
    sample(space, &Design { method, seed: 11 }).unwrap()
}

fn hypercube(space: &Space, rows_asked: u64) -> Sample {
    rows(space, Method::LatinHypercube { rows: rows_asked, kind: LatinHypercube::Plain })
}

/// The word acts without an order: only the middle one lifts the output.
fn score(x: &[f64]) -> f64 {
    2.0 * x[0] + 0.1 * x[1] + f64::from(x[2] == 1.0)
}

fn scores(sample: &Sample) -> Vec<f64> {
    (0..sample.len()).map(|row| score(sample.numbers(row))).collect()
}

fn options(technique: Technique) -> AnalysisOptions {
    AnalysisOptions { resamples: 200, ..AnalysisOptions::new(technique) }
}

fn analysed(sample: &Sample, scores: Vec<f64>, options: &AnalysisOptions) -> Analysis {
    analyze(&space(), sample, &Outputs::single("score", scores), options).unwrap()
}

#[test]
fn what_acts_is_influential_and_what_idles_is_not() {
    let sample = hypercube(&space(), 4_000);
    for technique in [Technique::RbdFast, Technique::Delta, Technique::Pawn] {
        let analysis = analysed(&sample, scores(&sample), &options(technique));
        let verdicts = &analysis.outputs[0].verdicts;
        assert_eq!(
            verdicts[..3],
            [Verdict::Influential; 3],
            "{technique:?} {:?}",
            analysis.outputs[0].indices
        );
        assert_ne!(verdicts[3], Verdict::Influential, "{technique:?}");
    }
}

/// One parameter without effect in twenty passes the test, by its definition.
#[test]
fn what_idles_is_told_from_what_acts() {
    let told = |technique: Technique, seed: u64| {
        let method = Method::LatinHypercube { rows: 300, kind: LatinHypercube::Plain };
        let sample = sample(&space(), &Design { method, seed }).unwrap();
        let analysis = analysed(&sample, scores(&sample), &options(technique));
        let warning = analysis.outputs[0].warnings.iter().find(|w| w.contains("without effect")).cloned();
        let warning = warning.unwrap_or_default();
        assert!(!warning.contains("threshold") && !warning.contains("word"), "{warning}");
        warning.contains("`idle`")
    };
    for technique in [Technique::Delta, Technique::Pawn] {
        let count = (0..12).filter(|seed| told(technique, *seed)).count();
        assert!(count >= 10, "{technique:?}: {count} of 12");
    }
}

#[test]
fn first_order_indices_of_mixed_parameters_are_their_shares() {
    let sample = hypercube(&space(), 4_000);
    let analysis = analysed(&sample, scores(&sample), &options(Technique::RbdFast));
    let Indices::RbdFast(found) = &analysis.outputs[0].indices else { panic!() };
    let parts = [4.0 / 12.0, 0.04, 2.0 / 9.0, 0.0];
    let total: f64 = parts.iter().sum();
    for (found, part) in found.iter().zip(parts) {
        assert!((found.s1.value - part / total).abs() < 0.02, "{found:?}");
    }
    assert!(analysis.estimator.contains("Tarantola"));
}

#[test]
fn words_have_no_correlation_but_all_else() {
    let sample = hypercube(&space(), 300);
    let analysis = analysed(&sample, scores(&sample), &options(Technique::Correlation));
    let output = &analysis.outputs[0];
    let Indices::Correlation(found) = &output.indices else { panic!() };
    assert!(found[2].pearson.value.is_nan() && found[2].srrc.value.is_nan());
    assert!(found[0].pcc.low > 0.5 && found[3].pcc.low < 0.2);
    assert!(output.verdicts.is_empty());
    assert!(output.warnings.iter().any(|w| w.contains("`word` has words")), "{:?}", output.warnings);
}

#[test]
fn failed_rows_are_left_out_and_counted() {
    let sample = hypercube(&space(), 400);
    let mut scores = scores(&sample);
    (0..400).step_by(20).for_each(|row| scores[row] = f64::NAN);
    for technique in GIVEN {
        let analysis = analysed(&sample, scores.clone(), &options(technique));
        let output = &analysis.outputs[0];
        assert_eq!((analysis.rows, output.failures.failed, output.failures.lost[0]), (400, 20, 20));
        assert!(output.warnings[0].starts_with("20 failed"));
    }
    let narrow = analysed(&sample, scores.clone(), &options(Technique::RbdFast));
    let bounds = AnalysisOptions { failures: FailurePolicy::Bounds, ..options(Technique::RbdFast) };
    let wide = analysed(&sample, scores, &bounds);
    let width = |analysis: &Analysis| match &analysis.outputs[0].indices {
        Indices::RbdFast(found) => found[0].s1.half_width(),
        other => panic!("{other:?}"),
    };
    assert!(width(&wide) > width(&narrow));
}

#[test]
fn rows_of_a_design_with_structure_are_analysed_with_a_warning() {
    let design = MorrisDesign { trajectories: 40, values: 4, kind: Trajectories::Plain };
    let sample = rows(&space(), Method::Morris(design));
    for technique in GIVEN {
        let analysis = analysed(&sample, scores(&sample), &options(technique));
        assert!(analysis.outputs[0].warnings[0].contains("trajectory"), "{technique:?}");
    }
}

#[test]
fn the_scale_of_outputs_does_not_matter() {
    let sample = hypercube(&space(), 200);
    for technique in GIVEN {
        let with = |factor: f64| {
            let scores = scores(&sample).iter().map(|y| y * factor).collect();
            format!("{:?}", analysed(&sample, scores, &options(technique)))
        };
        // Powers of two change no bit of a number's digits.
        assert_eq!(with(1.0), with(2.0_f64.powi(900)), "{technique:?}");
        assert_eq!(with(1.0), with(2.0_f64.powi(-900)), "{technique:?}");
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let sample = hypercube(&space(), 150);
    for technique in GIVEN {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let analysis = pool.install(|| analysed(&sample, scores(&sample), &options(technique)));
            // NaN is not equal to itself; its words are.
            format!("{analysis:?}")
        };
        assert_eq!(with(1), with(3), "{technique:?}");
    }
}
