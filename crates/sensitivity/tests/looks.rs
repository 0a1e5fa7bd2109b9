//! Samples that grow until every verdict is decided: their intervals hold the truth as often as they say, however often they
//! are looked at.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::f64::consts::TAU;

use onceflow_sensitivity::{
    AfterLook, AnalysisOptions, Indices, Looks, Outputs, Technique, analyze, is_decided, leading_verdicts,
    sample,
};
use onceflow_study::{Design, Domain, Method, Parameter, SaltelliDesign, Space};

/// The total index of `a` is exactly the threshold of the verdicts, 5 %: each interval that decides about it is wrong.
const THRESHOLD: f64 = 0.05;

fn space() -> Space {
    let unit = || Domain::Continuous { from: 0.0, to: 1.0 };
    Space::new(["a", "b", "idle"].map(|name| Parameter::new(name, unit())).to_vec(), Vec::new()).unwrap()
}

/// A step of variance h² p (1 - p) beside a wave of variance 1/2.
fn model(x: &[f64]) -> f64 {
    let (p, wave) = (0.63, (9.0 * TAU * x[1]).sin());
    let height = (0.5 * THRESHOLD / (1.0 - THRESHOLD) / (p * (1.0 - p))).sqrt();
    if x[0] > 1.0 - p { height + wave } else { wave }
}

/// Whether the intervals of `a` at the look at which a run ends hold the truth; `level` gives the probability of a look.
fn holds(seed: u64, looks: u32, level: impl Fn(&Looks, u32) -> f64) -> bool {
    let (space, plan) = (space(), Looks::new(32, 0.95));
    for look in 0..looks {
        let base = plan.size(look).unwrap();
        let method = Method::Saltelli(SaltelliDesign { base, second_order: false, replicates: 8 });
        let rows = sample(&space, &Design { method, seed }).unwrap();
        let y = (0..rows.len()).map(|row| model(rows.numbers(row))).collect();
        let options =
            AnalysisOptions { confidence: level(&plan, look), ..AnalysisOptions::new(Technique::Vbd) };
        let analysis = analyze(&space, &rows, &Outputs::single("y", y), &options).unwrap();
        let decided = is_decided(leading_verdicts(std::slice::from_ref(&analysis), "y").unwrap());
        if let AfterLook::Grow(_) = plan.after(look, decided, look + 1 < looks) {
            continue;
        }
        let Indices::Vbd { factors, .. } = &analysis.outputs[0].indices else { panic!("not variance-based") };
        let st = factors[0].st;
        return st.low <= THRESHOLD && THRESHOLD <= st.high;
    }
    panic!("a run without an end")
}

#[test]
fn final_intervals_hold_the_truth_however_often_they_are_looked_at() {
    const SEEDS: u64 = 600;
    let cover = |level: fn(&Looks, u32) -> f64| {
        (0..SEEDS).filter(|seed| holds(*seed, 5, level)).count() as f64 / SEEDS as f64
    };
    let (shared_out, each_look) = (cover(Looks::confidence), cover(|_, _| 0.95));
    // Of 600, a share of 95 % has a standard error of 0.9 %.
    assert!(shared_out >= 0.95 - 0.018, "{shared_out}");
    assert!(each_look < 0.91, "without the correction the intervals would hold too: {each_look}");
}
