//! Rows for the tests of given-data techniques, the same in every language: only products and remainders are taken.

use onceflow_study::Domain;

use super::given::{AnsweredColumns, Recipe};
use crate::random::{RandomStream, StreamPurpose};
use crate::{AnalysisOptions, Indices, Oracle, Technique};

/// Three continuous parameters `a`, `b`, `c` and one of five values `d`, along a Kronecker sequence.
pub(super) fn kronecker(rows: usize) -> AnsweredColumns {
    const STEPS: [f64; 4] =
        [0.618_033_988_749_894_9, 0.754_877_666_246_692_7, 0.819_172_513_396_164_5, 0.569_840_290_998_053_2];
    let column = |step: &f64| (1..=rows).map(|i| (i as f64 * step) % 1.0).collect::<Vec<_>>();
    let mut columns: Vec<Vec<f64>> = STEPS.iter().map(column).collect();
    columns[3].iter_mut().for_each(|d| *d = (*d * 5.0).floor());
    let at = |i: usize| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|p: usize| columns[p][i]);
        (a - 0.5) * 3.0 + 4.0 * (b - 0.5) * (b - 0.5) * (1.0 + c) + c * a + 0.125 * d
    };
    let output = (0..rows).map(at).collect();
    let names = ["a", "b", "c", "d"].map(String::from).to_vec();
    AnsweredColumns { names, categorical: vec![false; 4], columns, output }
}

/// Independent random rows of a function with known indices.
pub(super) fn random_rows(oracle: Oracle, rows: usize, seed: u64) -> AnsweredColumns {
    let parameters = oracle.parameters();
    let mut stream = RandomStream::new(seed, StreamPurpose::MonteCarlo, 0, 0);
    let mut draw = |domain: &Domain| match *domain {
        Domain::Integers { from, to } => (from + stream.below(to.abs_diff(from) + 1) as i64) as f64,
        Domain::Continuous { from, to } => from + stream.unit() * (to - from),
        _ => f64::NAN,
    };
    let mut table = AnsweredColumns {
        names: parameters.iter().map(|p| p.name.clone()).collect(),
        categorical: vec![false; parameters.len()],
        columns: vec![Vec::new(); parameters.len()],
        output: Vec::new(),
    };
    for _ in 0..rows {
        let row: Vec<f64> = parameters.iter().map(|p| draw(&p.domain)).collect();
        table.output.push(oracle.evaluate(&row));
        table.columns.iter_mut().zip(&row).for_each(|(column, x)| column.push(*x));
    }
    table
}

/// The indices and warnings of a table by a technique with few resamples.
pub(super) fn analysed(
    table: &AnsweredColumns,
    recipe: &Recipe,
    technique: Technique,
) -> (Indices, Vec<String>) {
    let mut warnings = Vec::new();
    let options = AnalysisOptions { resamples: 100, ..AnalysisOptions::new(technique) };
    (table.analyse(recipe, &options, &mut warnings), warnings)
}

/// Fails unless the numbers agree to 1e-12.
pub(super) fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    let close = found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-12);
    assert!(close, "expected {expected:?}, found {found:?}");
}
