//! The block `responses`: names of the outputs.

use super::super::ImportReport;
use super::block::{DakotaBlock, Statement, find};

/// Keywords of the block that are read or known to be of no use here.
pub(super) const WORDS: &[&str] = &[
    "response_functions",
    "num_response_functions",
    "objective_functions",
    "num_objective_functions",
    "calibration_terms",
    "num_calibration_terms",
    "descriptors",
    "response_descriptors",
    "no_gradients",
    "no_hessians",
    "numerical_gradients",
    "analytic_gradients",
    "id_responses",
];

/// Keywords that count outputs, and how Dakota calls outputs without descriptors.
const COUNTS: [(&str, &str); 6] = [
    ("response_functions", "response_fn_"),
    ("num_response_functions", "response_fn_"),
    ("objective_functions", "obj_fn_"),
    ("num_objective_functions", "obj_fn_"),
    ("calibration_terms", "least_sq_term_"),
    ("num_calibration_terms", "least_sq_term_"),
];

/// Most outputs; checked before names are made.
const MOST_OUTPUTS: u64 = 100_000;

/// The names of the outputs; Dakota's own when the block gives none.
pub(super) fn outputs(block: &DakotaBlock, report: &mut ImportReport) -> Vec<String> {
    let Some((statement, prefix)) = counted(block) else {
        report.error(block.span, "there are no responses", "response_functions", "none");
        return Vec::new();
    };
    let Some(count) = statement.whole(report) else { return Vec::new() };
    if count > MOST_OUTPUTS {
        report.error(
            statement.span,
            "too many responses",
            format!("at most {MOST_OUTPUTS}"),
            count.to_string(),
        );
        return Vec::new();
    }
    let named = find(&block.statements, "descriptors", report)
        .or_else(|| find(&block.statements, "response_descriptors", report));
    let Some(named) = named else { return (1..=count).map(|i| format!("{prefix}{i}")).collect() };
    let names = named.texts(report).unwrap_or_default();
    if names.len() as u64 != count {
        let found = names.len().to_string();
        report.error(named.span, "wrong number of descriptors", format!("{count} texts in quotes"), found);
    }
    names
}

fn counted(block: &DakotaBlock) -> Option<(&Statement, &'static str)> {
    block.statements.iter().find_map(|statement| {
        let count = COUNTS.iter().find(|(word, _)| *word == statement.keyword);
        count.map(|(_, prefix)| (statement, *prefix))
    })
}
