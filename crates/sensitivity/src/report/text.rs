//! The answer in words: which parameters matter, how sure that is, and what would decide the rest.

mod line;
mod number;

use std::fmt::Write as _;

use onceflow_study::with_commas;

use self::line::{Line, heads, lines};
pub use self::number::{bar, share_decimals, share_text};
use self::number::{interval, short};
use crate::{Analysis, Estimate, Indices, OutputAnalysis, SecondOrder, Technique, Verdict};

/// A table for each output, sorted by what matters most, with failures and warnings below and at the end how it was
/// computed.
pub fn render_text(analysis: &Analysis) -> String {
    let mut text = String::new();
    for output in &analysis.outputs {
        push_output(&mut text, analysis, output);
        text.push('\n');
    }
    let _infallible = writeln!(text, "Rows       {}", with_commas(analysis.rows as u128));
    let _infallible = writeln!(text, "Estimator  {}", analysis.estimator);
    let mut citations: Vec<&str> = analysis.outputs.iter().map(|o| o.interval.citation.as_str()).collect();
    citations.dedup();
    for citation in citations.iter().filter(|citation| !citation.is_empty()) {
        let _infallible = writeln!(text, "Intervals  {citation}");
    }
    text
}

fn push_output(text: &mut String, analysis: &Analysis, output: &OutputAnalysis) {
    let measure = match analysis.technique {
        Technique::Vbd | Technique::RbdFast => "share of the variance",
        Technique::Morris => "mean absolute effect of the whole range",
        Technique::Correlation => "correlation coefficients, partial rank first",
        Technique::Delta => "delta: shift of the whole distribution",
        Technique::Pawn => "PAWN: median distance of distributions",
    };
    let confidence = short(output.interval.confidence * 100.0);
    let with =
        if output.interval.name == "none" { String::new() } else { format!(", {confidence} % interval") };
    let _infallible = writeln!(text, "Which parameters matter for {}?   ({measure}{with})\n", output.name);
    let lines = lines(analysis, output);
    let heads = heads(analysis.technique).into_iter().map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = std::iter::once(heads).chain(lines.iter().map(Line::cells)).collect();
    push_table(text, &rows);
    push_unseparated(text, &lines);
    if let Indices::Vbd { pairs, .. } = &output.indices {
        push_pairs(text, pairs);
    }
    output.warnings.iter().for_each(|warning| text.push_str(&format!("  ! {warning}\n")));
}

/// Rows of cells, each column as wide as its widest cell.
fn push_table(text: &mut String, rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        let _infallible = writeln!(text, "  {}", cells.join("  ").trim_end());
    }
}

/// Parameters that matter but whose order the rows cannot tell.
fn push_unseparated(text: &mut String, lines: &[Line<'_>]) {
    let influential: Vec<&Line<'_>> =
        lines.iter().filter(|l| l.verdict == Some(Verdict::Influential)).collect();
    for run in influential.chunk_by(|a, b| overlap(&a.main, &b.main)).filter(|run| run.len() > 1) {
        let names: Vec<&str> = run.iter().map(|l| l.name).collect();
        let (last, first) = names.split_last().map_or(("", &[][..]), |(last, first)| (*last, first));
        let _infallible =
            writeln!(text, "  {} and {last} are not separated from each other", first.join(", "));
    }
}

fn overlap(larger: &Estimate, smaller: &Estimate) -> bool {
    larger.low <= smaller.high
}

const SHOWN_PAIRS: usize = 10;

fn push_pairs(text: &mut String, pairs: &[SecondOrder]) {
    let mut sorted: Vec<&SecondOrder> = pairs.iter().filter(|p| p.s2.value.is_finite()).collect();
    if sorted.is_empty() {
        return;
    }
    sorted.sort_by(|a, b| b.s2.value.total_cmp(&a.s2.value));
    let _infallible = writeln!(text, "\n  Only together:");
    let decimals = share_decimals(sorted.iter().take(SHOWN_PAIRS).map(|p| &p.s2));
    let number = |x: f64| share_text(x, decimals);
    let cells = |pair: &&SecondOrder| {
        let names = format!("{} x {}", pair.first, pair.second);
        vec![names, number(pair.s2.value), interval(&pair.s2, number), bar(pair.s2.value)]
    };
    let rows: Vec<Vec<String>> = sorted.iter().take(SHOWN_PAIRS).map(cells).collect();
    push_table(text, &rows);
    if sorted.len() > SHOWN_PAIRS {
        let _infallible = writeln!(text, "  and {} smaller ones", sorted.len() - SHOWN_PAIRS);
    }
}
