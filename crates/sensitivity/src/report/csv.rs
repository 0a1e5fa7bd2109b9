//! Tidy tables: one line for each output and parameter, or output and pair.

use super::figures::figures;
use crate::table::{csv_lines, number_text};
use crate::{Analysis, Indices, OutputAnalysis, Verdict};

/// One line for each output and parameter: its indices, verdict and what it lost to failures. NaN is an empty field.
pub fn analysis_to_csv(analysis: &Analysis) -> String {
    let first = analysis.outputs.first().map(columns);
    let mut header = vec!["output".to_owned(), "parameter".to_owned()];
    header.extend(first.unwrap_or_default());
    header.extend(["verdict", "more_rows", "lost"].map(str::to_owned));
    csv_lines(std::iter::once(header).chain(analysis.outputs.iter().flat_map(records)))
}

fn columns(output: &OutputAnalysis) -> Vec<String> {
    let entries = figures(&output.indices);
    let figures = entries.first().map(|entry| entry.figures.as_slice()).unwrap_or_default();
    figures.iter().flat_map(|(name, figure)| figure.flat(name)).map(|(name, _)| name).collect()
}

fn records(output: &OutputAnalysis) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    for (i, entry) in figures(&output.indices).into_iter().enumerate() {
        let numbers = entry.figures.iter().flat_map(|(name, figure)| figure.flat(name));
        let mut record = vec![output.name.clone(), entry.name.to_owned()];
        record.extend(numbers.map(|(_, x)| field(x)));
        let verdict = output.verdicts.get(i);
        record.push(verdict.map_or_else(String::new, |v| v.word().to_owned()));
        record.push(match verdict {
            Some(Verdict::Undecided { more_rows: Some(rows) }) => rows.to_string(),
            _ => String::new(),
        });
        record.push(output.failures.lost.get(i).map_or_else(String::new, usize::to_string));
        records.push(record);
    }
    records
}

/// One line for each output and pair of factors; only a header without second-order indices.
pub fn pairs_to_csv(analysis: &Analysis) -> String {
    let header = ["output", "first", "second", "s2", "s2_low", "s2_high"].map(str::to_owned).to_vec();
    let pairs = analysis.outputs.iter().flat_map(|output| {
        let pairs = if let Indices::Vbd { pairs, .. } = &output.indices { pairs.as_slice() } else { &[] };
        pairs.iter().map(|p| {
            let numbers = [p.s2.value, p.s2.low, p.s2.high].map(field);
            [output.name.clone(), p.first.clone(), p.second.clone()].into_iter().chain(numbers).collect()
        })
    });
    csv_lines(std::iter::once(header).chain(pairs))
}

fn field(x: f64) -> String {
    if x.is_finite() { number_text(x) } else { String::new() }
}
