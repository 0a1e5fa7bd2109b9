//! An analysis as text: which parameters matter, how certain that is, and how many rows would decide the rest.

mod line;
mod number;

use std::fmt::Write as _;

use onceflow_study::with_commas;

use self::line::{heads, lines};
pub use self::number::{bar, share_decimals, share_text, short as short_number};
use self::number::{interval, short};
use crate::{Analysis, IndexEstimate, Indices, OutputAnalysis, SecondOrder, Technique, Verdict};

/// The table of effects on one output, the largest first.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectTable<'a> {
    /// The meaning of the numbers: `share of the variance, 95 % interval`.
    pub measure: String,
    /// Heads of the columns; intervals and bars have none.
    pub heads: Vec<&'static str>,
    /// One line for each factor or parameter.
    pub lines: Vec<EffectLine<'a>>,
}

/// One factor or parameter in an [`EffectTable`].
#[derive(Clone, Debug, PartialEq)]
pub struct EffectLine<'a> {
    /// Its name: the first cell.
    pub name: &'a str,
    /// The number that lines are sorted by.
    pub main: IndexEstimate,
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// The cells behind the name.
    pub behind: Vec<String>,
}

/// The table of one output of an analysis.
pub fn effect_table<'a>(analysis: &Analysis, output: &'a OutputAnalysis) -> EffectTable<'a> {
    EffectTable {
        measure: measure(analysis.technique, output),
        heads: heads(analysis.technique),
        lines: lines(analysis, output),
    }
}

impl EffectTable<'_> {
    /// Groups of influential parameters whose intervals all overlap; a parameter may be in several.
    pub fn unseparated(&self) -> Vec<Vec<&str>> {
        let influential: Vec<&EffectLine<'_>> =
            self.lines.iter().filter(|l| l.verdict == Some(Verdict::Influential)).collect();
        let (mut groups, mut reached) = (Vec::new(), 0);
        for first in 0..influential.len() {
            let end = first + alike(&influential[first..]);
            if end > reached && end > first + 1 {
                groups.push(influential[first..end].iter().map(|l| l.name).collect());
            }
            reached = reached.max(end);
        }
        groups
    }

    /// The heads and the lines in columns.
    pub fn text(&self) -> String {
        let heads = self.heads.iter().map(|head| (*head).to_owned()).collect();
        let rows: Vec<Vec<String>> =
            std::iter::once(heads).chain(self.lines.iter().map(EffectLine::cells)).collect();
        aligned(&rows)
    }
}

impl EffectLine<'_> {
    /// The name and the cells behind it.
    pub fn cells(&self) -> Vec<String> {
        std::iter::once(self.name.to_owned()).chain(self.behind.iter().cloned()).collect()
    }
}

/// A table for each output, the largest effects first, with failures and warnings below, and the estimators at the end.
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
    let table = effect_table(analysis, output);
    let _infallible = writeln!(text, "Which parameters matter for {}?   ({})\n", output.name, table.measure);
    text.push_str(&table.text());
    for group in table.unseparated() {
        let (last, first) = group.split_last().map_or(("", &[][..]), |(last, first)| (*last, first));
        let _infallible =
            writeln!(text, "  {} and {last} are not separated from each other", first.join(", "));
    }
    if let Indices::Vbd { pairs, .. } = &output.indices {
        push_pairs(text, pairs);
    }
    output.warnings.iter().for_each(|warning| text.push_str(&format!("  ! {warning}\n")));
}

fn measure(technique: Technique, output: &OutputAnalysis) -> String {
    let measure = match technique {
        Technique::Vbd | Technique::RbdFast => "share of the variance",
        Technique::Morris => "mean absolute effect of the whole range",
        Technique::Correlation => "correlation coefficients, partial rank first",
        Technique::Delta => "delta: shift of the whole distribution",
        Technique::Pawn => "PAWN: median distance of distributions",
    };
    if output.interval.name == "none" {
        return measure.into();
    }
    format!("{measure}, {} % interval", short(output.interval.confidence * 100.0))
}

/// Rows of cells as indented lines, each column as wide as its widest cell.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        format!("  {}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

/// How many of the first lines have intervals that all overlap.
fn alike(lines: &[&EffectLine<'_>]) -> usize {
    let fits = |place: &usize| lines[..*place].iter().all(|line| overlap(&line.main, &lines[*place].main));
    (1..lines.len()).take_while(fits).count() + 1
}

fn overlap(larger: &IndexEstimate, smaller: &IndexEstimate) -> bool {
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
    text.push_str(&aligned(&rows));
    if sorted.len() > SHOWN_PAIRS {
        let _infallible = writeln!(text, "  and {} smaller ones", sorted.len() - SHOWN_PAIRS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_of_a_group_can_be_told_apart() {
        let line = |(name, low, high): (&'static str, f64, f64)| EffectLine {
            name,
            main: IndexEstimate { value: (low + high) / 2.0, low, high },
            verdict: Some(Verdict::Influential),
            behind: Vec::new(),
        };
        let lines = [("a", 0.8, 0.9), ("b", 0.4, 0.6), ("c", 0.3, 0.5), ("d", 0.2, 0.35), ("e", 0.05, 0.1)];
        let table =
            EffectTable { measure: String::new(), heads: Vec::new(), lines: lines.map(line).to_vec() };
        assert_eq!(table.unseparated(), [vec!["b", "c"], vec!["c", "d"]]);
    }
}
