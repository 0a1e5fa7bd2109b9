//! One parameter's line in the answer.

use onceflow_study::with_commas;

use super::EffectLine;
use super::number::{bar, interval, share_decimals, share_text, short};
use crate::analysis::largest_mu_star;
use crate::{Analysis, Correlation, IndexEstimate, Indices, OutputAnalysis, Technique, Verdict};

/// Heads of the columns.
pub(super) fn heads(technique: Technique) -> Vec<&'static str> {
    match technique {
        Technique::Vbd => vec!["parameter", "total", "", "", "alone", "verdict"],
        Technique::Morris => vec!["parameter", "mu*", "", "", "mu", "sigma", "verdict"],
        Technique::Correlation => {
            vec!["parameter", "prcc", "", "pearson", "spearman", "pcc", "src", "srrc", "verdict"]
        }
        Technique::RbdFast => vec!["parameter", "alone", "", "", "verdict"],
        Technique::Delta => vec!["parameter", "delta", "", "", "alone", "by chance", "verdict"],
        Technique::Pawn => vec!["parameter", "median", "", "", "largest", "mean", "by chance", "verdict"],
    }
}

/// The lines of an output, the largest effects first, NaN last.
pub(super) fn lines<'a>(analysis: &Analysis, output: &'a OutputAnalysis) -> Vec<EffectLine<'a>> {
    let mut lines = unsorted(output);
    for (line, verdict) in lines.iter_mut().zip(&output.verdicts) {
        line.verdict = Some(*verdict);
    }
    if let Indices::Vbd { factors, .. } = &output.indices {
        for (line, factor) in lines.iter_mut().zip(factors) {
            let through_others = factor.s1.value < factor.st.value / 3.0;
            line.behind.push(verdict_text(analysis, line, through_others));
        }
    } else {
        lines.iter_mut().for_each(|line| line.behind.push(verdict_text(analysis, line, false)));
    }
    let key = |line: &EffectLine<'_>| {
        if line.main.value.is_nan() { f64::NEG_INFINITY } else { line.main.value.abs() }
    };
    lines.sort_by(|a, b| key(b).total_cmp(&key(a)));
    lines
}

fn unsorted(output: &OutputAnalysis) -> Vec<EffectLine<'_>> {
    match &output.indices {
        Indices::Vbd { factors, .. } => {
            shares(factors.iter().map(|f| (f.name.as_str(), f.st, vec![f.s1.value])))
        }
        Indices::Morris(factors) => {
            let largest = largest_mu_star(factors);
            let line = |f: &'_ crate::MorrisIndex| {
                let (value, between) = (short(f.mu_star.value), interval(&f.mu_star, short));
                vec![value, between, bar(f.mu_star.value / largest), short(f.mu), short(f.sigma)]
            };
            factors.iter().map(|f| new(&f.name, f.mu_star, line(f))).collect()
        }
        Indices::Correlation(parameters) => parameters.iter().map(correlation).collect(),
        Indices::RbdFast(parameters) => {
            shares(parameters.iter().map(|p| (p.name.as_str(), p.s1, Vec::new())))
        }
        Indices::Delta(parameters) => {
            shares(parameters.iter().map(|p| (p.name.as_str(), p.delta, vec![p.s1.value, p.dummy])))
        }
        Indices::Pawn(parameters) => {
            let others = |p: &crate::Pawn| vec![p.maximum, p.mean, p.dummy];
            shares(parameters.iter().map(|p| (p.name.as_str(), p.median, others(p))))
        }
    }
}

fn new(name: &str, main: IndexEstimate, behind: Vec<String>) -> EffectLine<'_> {
    EffectLine { name, main, verdict: None, behind }
}

/// Lines of shares: the main one with its interval and a bar, then the others.
fn shares<'a>(lines: impl Iterator<Item = (&'a str, IndexEstimate, Vec<f64>)>) -> Vec<EffectLine<'a>> {
    let lines: Vec<_> = lines.collect();
    let decimals = share_decimals(lines.iter().map(|(_, main, _)| main));
    let number = |x: f64| share_text(x, decimals);
    let line = |(name, main, others): (&'a str, IndexEstimate, Vec<f64>)| {
        let mut behind = vec![number(main.value), interval(&main, number), bar(main.value)];
        behind.extend(others.into_iter().map(number));
        new(name, main, behind)
    };
    lines.into_iter().map(line).collect()
}

fn correlation(c: &Correlation) -> EffectLine<'_> {
    let signed = |x: f64| if x.is_nan() { "?".into() } else { format!("{x:+.2}") };
    let others = [c.pearson, c.spearman, c.pcc, c.src, c.srrc].map(|e| signed(e.value));
    let behind = [signed(c.prcc.value), interval(&c.prcc, signed)].into_iter().chain(others).collect();
    new(&c.name, c.prcc, behind)
}

fn verdict_text(analysis: &Analysis, line: &EffectLine<'_>, through_others: bool) -> String {
    match line.verdict {
        None => String::new(),
        Some(Verdict::Influential) if through_others => "influential, through others".into(),
        Some(Verdict::Undecided { .. }) if line.main.value == 0.0 && line.main.high == 0.0 => {
            "no effect".into()
        }
        Some(Verdict::Undecided { .. }) if line.main.low.is_nan() => "undecided: there is no interval".into(),
        Some(verdict @ Verdict::Undecided { .. }) => {
            let contains = format!("undecided: the interval contains {}", threshold_text(analysis));
            match verdict.affordable_rows(analysis.rows) {
                Some(rows) => {
                    format!("{contains}; about {} more rows would decide", with_commas(rows.into()))
                }
                None => contains,
            }
        }
        Some(verdict) => verdict.word().into(),
    }
}

fn threshold_text(analysis: &Analysis) -> String {
    match analysis.technique {
        Technique::Morris => format!("{} of the largest", short(analysis.threshold)),
        _ => short(analysis.threshold),
    }
}
