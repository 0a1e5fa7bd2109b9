//! Dakota input files: method, variables and responses; parts without a meaning here are skipped with a note.

mod block;
mod grid;
mod lexer;
mod method;
mod responses;
mod shape;
#[cfg(test)]
mod tests;
mod variables;

use std::sync::Arc;

use self::block::{DakotaBlock, blocks};
use super::checked::space_of;
use super::{ImportReport, Imported};
use crate::{Design, Method, Problem, SourceSpan, SourceText};

/// Reads a Dakota input file. Keywords may be abbreviated and stand in any order, as Dakota allows.
pub fn read_dakota_input(source: &Arc<SourceText>) -> Imported {
    let mut report = ImportReport::new(source);
    let tokens = lexer::tokens(&mut report);
    let blocks = blocks(tokens, &mut report);
    let problem = problem(&blocks, &mut report);
    report.finish(problem)
}

fn problem(blocks: &[DakotaBlock], report: &mut ImportReport) -> Option<Problem> {
    let method = only("method", blocks, report);
    let responses = only("responses", blocks, report);
    let outputs = responses.map(|block| responses::outputs(block, report)).unwrap_or_default();
    let Some(variables) = only("variables", blocks, report) else {
        report.error(SourceSpan::default(), "there is nothing to vary", "a block `variables`", "none");
        return None;
    };
    let sampling = method.is_some_and(method::is_sampling);
    let mut placed = variables::parameters(variables, sampling, report);
    let plan = method.and_then(|block| method::plan(block, placed.len(), report));
    let mut design: Option<Design> = None;
    if let Some(plan) = plan {
        let made = design.insert(plan.design);
        if let Some(partitions) = plan.partitions {
            let cut = grid::cut(placed, partitions, report);
            placed = cut.0;
            made.method = Method::Grid(cut.1);
        }
    }
    space_of(placed, report).map(|space| Problem { space, outputs, design })
}

/// The only block of a name; a second one is an error, for we would not know which one counts.
fn only<'a>(name: &str, blocks: &'a [DakotaBlock], report: &mut ImportReport) -> Option<&'a DakotaBlock> {
    let mut named = blocks.iter().filter(|b| b.name == name);
    let first = named.next();
    if let Some(second) = named.next() {
        let message = format!("there are several blocks `{name}`");
        let hint = Some("import a file for each of them".to_owned());
        report.error_with_hint(second.span, message, "one", "a second one", hint);
    }
    first
}
