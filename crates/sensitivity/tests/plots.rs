//! Plots are well-formed SVG whatever the names and numbers, and one of them looks as it did.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use onceflow_sensitivity::{
    Analysis, Correlation, Delta, Failures, IndexEstimate, IndexProgress, Indices, IntervalMethod,
    MorrisIndex, OutputAnalysis, Pawn, PlotKind, ProgressCurve, RbdFast, SecondOrder, Technique,
    VarianceIndex, Verdict, convergence_plot, plot, plot_kinds,
};
use proptest::prelude::*;

fn estimate(value: f64, arm: f64) -> IndexEstimate {
    IndexEstimate { value, low: value - arm, high: value + arm }
}

fn interval() -> IntervalMethod {
    IntervalMethod { name: "bootstrap", citation: "Efron & Tibshirani <1993>".into(), confidence: 0.95 }
}

fn analysis(technique: Technique, indices: Indices, verdicts: Vec<Verdict>) -> Analysis {
    let output = OutputAnalysis {
        name: "dice".into(),
        indices,
        interval: interval(),
        verdicts,
        failures: Failures::default(),
        warnings: Vec::new(),
    };
    Analysis { technique, estimator: String::new(), rows: 1_234, threshold: 0.05, outputs: vec![output] }
}

/// One analysis of each technique, with the same numbers everywhere.
fn analyses(names: &[String], values: &[f64]) -> Vec<Analysis> {
    let entries: Vec<(String, IndexEstimate)> =
        names.iter().cloned().zip(values.iter().map(|v| estimate(*v, v.abs() / 3.0))).collect();
    let vbd = entries.iter().map(|(name, e)| VarianceIndex { name: name.clone(), s1: *e, st: *e });
    let pairs = entries.iter().enumerate().flat_map(|(i, (first, e))| {
        entries[i + 1..].iter().map(move |(second, _)| SecondOrder {
            first: first.clone(),
            second: second.clone(),
            s2: *e,
        })
    });
    let morris = entries.iter().map(|(name, e)| MorrisIndex {
        name: name.clone(),
        mu: e.value,
        mu_star: *e,
        sigma: e.high,
        effects: 10,
    });
    let verdict = |(_, e): &(String, IndexEstimate)| match e.value {
        v if v > 0.3 => Verdict::Influential,
        v if v > 0.1 => Verdict::Undecided { more_rows: None },
        _ => Verdict::NotInfluential,
    };
    let correlation = entries.iter().map(|(name, e)| Correlation {
        name: name.clone(),
        pearson: *e,
        spearman: *e,
        pcc: *e,
        prcc: *e,
        src: *e,
        srrc: *e,
    });
    let rbd_fast = entries.iter().map(|(name, e)| RbdFast { name: name.clone(), s1: *e });
    let delta = entries.iter().map(|(name, e)| Delta { name: name.clone(), delta: *e, s1: *e, dummy: 0.1 });
    let pawn = entries.iter().map(|(name, e)| Pawn {
        name: name.clone(),
        median: *e,
        maximum: e.high,
        mean: e.value,
        dummy: e.value,
    });
    let indices = [
        (Technique::Vbd, Indices::Vbd { factors: vbd.collect(), pairs: pairs.collect() }),
        (Technique::Morris, Indices::Morris(morris.collect())),
        (Technique::Correlation, Indices::Correlation(correlation.collect())),
        (Technique::RbdFast, Indices::RbdFast(rbd_fast.collect())),
        (Technique::Delta, Indices::Delta(delta.collect())),
        (Technique::Pawn, Indices::Pawn(pawn.collect())),
    ];
    let verdicts: Vec<Verdict> = entries.iter().map(verdict).collect();
    indices.into_iter().map(|(technique, indices)| analysis(technique, indices, verdicts.clone())).collect()
}

fn progress(names: &[String], values: &[f64]) -> IndexProgress {
    let lines = names.iter().zip(values).map(|(name, value)| ProgressCurve {
        name: name.clone(),
        estimates: [0.5, 0.2, 0.1].map(|arm| estimate(*value, arm)).to_vec(),
    });
    IndexProgress {
        output: "dice".into(),
        index: "total index".into(),
        unit: "base rows".into(),
        rows: 640,
        interval: interval(),
        sizes: vec![16, 32, 64],
        lines: lines.collect(),
    }
}

fn all_plots(names: &[String], values: &[f64]) -> Vec<String> {
    let analyses = analyses(names, values);
    let plots =
        analyses.iter().flat_map(|a| plot_kinds(a, 0).into_iter().map(|kind| plot(a, 0, kind).unwrap()));
    plots.chain([convergence_plot(&progress(names, values))]).collect()
}

/// Checks tags, attributes and text by hand: opened ones are closed in order, values are quoted, nothing is bare.
fn assert_well_formed(document: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = document;
    while let Some(start) = rest.find('<') {
        assert_text(&rest[..start]);
        let end = start + rest[start..].find('>').unwrap();
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let body = tag.strip_suffix('/').unwrap_or(tag);
        let (name, attributes) = body.split_once(' ').unwrap_or((body, ""));
        assert_attributes(attributes);
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "left open: {open:?}");
}

fn assert_text(text: &str) {
    for (place, _) in text.match_indices('&') {
        let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"];
        assert!(known.iter().any(|k| text[place..].starts_with(k)), "{text}");
    }
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
}

fn assert_attributes(attributes: &str) {
    let mut rest = attributes.trim();
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"").unwrap();
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == ':'), "{name}");
        let (value, after) = after.split_once('"').unwrap();
        assert_text(value);
        assert!(!value.contains("NaN") && !value.contains("inf"), "{name}={value}");
        rest = after.trim_start();
    }
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("x{}", i + 1)).collect()
}

#[test]
fn each_technique_has_its_plots() {
    let kinds: Vec<Vec<PlotKind>> =
        analyses(&names(3), &[0.5, 0.2, 0.1]).iter().map(|a| plot_kinds(a, 0)).collect();
    assert_eq!(kinds[0], [PlotKind::Bars, PlotKind::HeatMap]);
    assert_eq!(kinds[1], [PlotKind::Bars, PlotKind::Scatter]);
    assert!(kinds[2..].iter().all(|k| *k == [PlotKind::Bars]));
    let morris = &analyses(&names(3), &[0.5, 0.2, 0.1])[1];
    assert_eq!((plot(morris, 0, PlotKind::HeatMap), plot(morris, 7, PlotKind::Bars)), (None, None));
    assert!(plot_kinds(morris, 7).is_empty());
}

#[test]
fn names_numbers_and_methods_are_in_the_picture() {
    for document in all_plots(&names(4), &[0.5, 0.25, 0.125, 0.0]) {
        for words in
            ["output dice", "95 % intervals: bootstrap", ">x1<", "Tibshirani &lt;1993&gt;", "viewBox"]
        {
            assert!(document.contains(words), "{words} in {document}");
        }
    }
    let bars = plot(&analyses(&names(2), &[0.5, 0.25])[0], 0, PlotKind::Bars).unwrap();
    assert!(bars.contains("0.50 (0.33 to 0.67)") && bars.contains("1,234 rows"), "{bars}");
}

#[test]
fn long_names_stay_in_the_tooltip() {
    let name = "segmentation.watershed.smallest_object_after_opening_and_reconstruction".to_string();
    for document in all_plots(&[name.clone(), "x".into()], &[0.5, 0.3]) {
        assert!(document.contains(&format!("<title>{name}</title>")), "{document}");
    }
}

#[test]
fn what_has_no_number_is_drawn_without_one() {
    for count in [0, 1, 5] {
        all_plots(&names(count), &vec![f64::NAN; count]).iter().for_each(|d| assert_well_formed(d));
    }
    let empty = IndexProgress { sizes: Vec::new(), lines: Vec::new(), ..progress(&[], &[]) };
    assert_well_formed(&convergence_plot(&empty));
}

#[test]
fn a_small_plot_looks_as_it_did() {
    let scatter = plot(&analyses(&names(2), &[0.5, 0.05])[1], 0, PlotKind::Scatter).unwrap();
    insta::assert_snapshot!("small_scatter", scatter);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_names_and_numbers_make_well_formed_pictures(
        entries in prop::collection::vec((".{0,60}", prop_oneof![
            any::<f64>(), -1.0..2.0_f64, Just(0.0), Just(f64::NAN), Just(f64::INFINITY),
        ]), 0..22),
    ) {
        let (names, values): (Vec<String>, Vec<f64>) = entries.into_iter().unzip();
        all_plots(&names, &values).iter().for_each(|document| assert_well_formed(document));
    }
}
