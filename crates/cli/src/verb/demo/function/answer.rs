//! The answer of the demo, with the exact indices.

use std::fmt::Write as _;

use onceflow_sensitivity::{
    IndexEstimate, Indices, MorrisIndex, VarianceIndex, Verdict, analysis_to_json, bar, share_decimals,
    share_text,
};
use onceflow_study::with_commas;
use serde_json::{Value, json};

use super::{DemoPhase, FunctionDemo};

/// The answer as text.
pub(super) fn to_text(demo: &FunctionDemo) -> String {
    let mut text = format!(
        "{}: {} parameters, seed {}; its exact indices are known\n\n",
        demo.oracle.name(),
        demo.truth.st.len(),
        demo.seed
    );
    for (name, step) in steps(demo) {
        let _ = writeln!(text, "{name:<11} {}", account(step));
    }
    text.push_str("\nWhich parameters matter?   (share of the variance, 95 % interval)\n\n");
    text.push_str(&table(demo));
    let _ = writeln!(text, "\n{}", cover(demo));
    text
}

fn steps(demo: &FunctionDemo) -> [(&'static str, &DemoPhase); 2] {
    [("screen", &demo.screen), ("decompose", &demo.decompose)]
}

fn account(step: &DemoPhase) -> String {
    let rows = with_commas(step.sample.len() as u128);
    let duplicates = with_commas(step.sample.duplicates() as u128);
    let word = step.sample.design.as_ref().map_or("", |d| d.method.word());
    format!("{word}: {rows} rows, of which {duplicates} repeat an earlier one")
}

/// One line per parameter, the largest total first.
fn table(demo: &FunctionDemo) -> String {
    let mut text = format!(
        "  {:<10} {:<33} {:>5}  {:>6} {:>6}  {:>6}   verdict\n",
        "parameter", "total", "exact", "alone", "exact", "mu*"
    );
    let (factors, effects) = (factors(&demo.decompose), effects(&demo.screen));
    let mut order: Vec<usize> = (0..factors.len()).collect();
    order.sort_by(|a, b| factors[*b].st.value.total_cmp(&factors[*a].st.value));
    let decimals = share_decimals(factors.iter().map(|f| &f.st));
    let share = |x: f64| share_text(x, decimals);
    for i in order {
        let factor = &factors[i];
        let mu_star = effects.get(i).map_or(f64::NAN, |e| e.mu_star.value);
        let _ = writeln!(
            text,
            "  {:<10} {} {:>5}  {:>6} {:>6}  {:>6.2}   {}",
            factor.name,
            total(&factor.st, share),
            share(demo.truth.st[i]),
            share(factor.s1.value),
            share(demo.truth.s1[i]),
            mu_star,
            verdict(&demo.decompose, i),
        );
    }
    text
}

fn total(st: &IndexEstimate, share: impl Fn(f64) -> String) -> String {
    format!("{:>5}  {:>5} .. {:<5}  {:<10}", share(st.value), share(st.low), share(st.high), bar(st.value))
}

fn verdict(step: &DemoPhase, i: usize) -> &'static str {
    step.analysis.outputs.first().and_then(|o| o.verdicts.get(i)).map_or("", |v| Verdict::word(*v))
}

fn factors(step: &DemoPhase) -> &[VarianceIndex] {
    match step.analysis.outputs.first().map(|o| &o.indices) {
        Some(Indices::Vbd { factors, .. }) => factors,
        _ => &[],
    }
}

fn effects(step: &DemoPhase) -> &[MorrisIndex] {
    match step.analysis.outputs.first().map(|o| &o.indices) {
        Some(Indices::Morris(effects)) => effects,
        _ => &[],
    }
}

/// How many intervals contain the exact index.
fn cover(demo: &FunctionDemo) -> String {
    let factors = factors(&demo.decompose);
    let holds = |(f, exact): &(&VarianceIndex, &f64)| f.st.low <= **exact && **exact <= f.st.high;
    let held = factors.iter().zip(&demo.truth.st).filter(holds).count();
    format!("The interval holds the exact total of {held} of {} parameters.", factors.len())
}

/// The answer as JSON.
pub(super) fn to_json(demo: &FunctionDemo) -> Value {
    let exact: Vec<Value> = factors(&demo.decompose)
        .iter()
        .zip(demo.truth.s1.iter().zip(&demo.truth.st))
        .map(|(f, (s1, st))| json!({ "name": f.name, "s1": s1, "st": st }))
        .collect();
    let phases: Vec<Value> = steps(demo)
        .into_iter()
        .map(|(name, step)| {
            let mut phase = analysis_to_json(&step.analysis);
            phase["name"] = json!(name);
            phase
        })
        .collect();
    json!({
        "version": 1,
        "function": demo.oracle.name(),
        "seed": demo.seed,
        "phases": phases,
        "exact": exact,
    })
}
