//! The rows and their results.

use std::path::Path;

use onceflow_sensitivity::{
    Narrowed, Outputs, Sample, TableLayout, Technique, assume_rows, narrow, read_outputs,
};
use onceflow_study::{Problem, Space, counted};

use crate::args::AnalyzeArgs;
use crate::diagnostics::from_error;
use crate::file::read_text;
use crate::sample_file::{self, SampleFile, placed};
use onceflow_engine::TextLimit;
use onceflow_terminal::{Failure, Terminal};

/// What is analysed.
pub(super) struct AnalysisInputs {
    /// The parameters that vary in the rows.
    pub(super) space: Space,
    /// The rows.
    pub(super) sample: Sample,
    /// Their results.
    pub(super) outputs: Outputs,
    /// What was assumed.
    pub(super) remarks: Vec<String>,
    /// Whether the rows came without their roles, as SALib writes them.
    pub(super) rows_are_bare: bool,
}

/// Reads them.
pub(super) fn read(
    args: &AnalyzeArgs,
    problem: &Problem,
    technique: Technique,
    terminal: &Terminal,
) -> Result<AnalysisInputs, Failure> {
    let space = &problem.space;
    let _progress = terminal.progress("reading the rows and their results");
    let results = read_text(&args.results, TextLimit::Table)?;
    let mut remarks = Vec::new();
    let SampleFile { sample, rows_are_bare } = match &args.sample {
        Some(path) => read_sample(space, path, args, technique)?,
        None => {
            let layout = layout(technique, args.second_order);
            let rows = assume_rows(space, &results.text, layout).map_err(|error| placed(&results, &error))?;
            remarks.push(format!(
                "without -X, {} were taken to be in SALib's order",
                counted(rows.len(), "row")
            ));
            SampleFile { sample: rows, rows_are_bare: true }
        }
    };
    let outputs = read_outputs(space, &sample, &results.text, &args.output)
        .map_err(|error| placed(&results, &error))?;
    let (outputs, others) =
        if args.output.is_empty() { outputs.only(&problem.outputs) } else { (outputs, Vec::new()) };
    if !others.is_empty() {
        remarks.push(format!(
            "no metrics of the problem, so left out: {} (--output asks for them)",
            others.join(", ")
        ));
    }
    let Narrowed { space, sample, constant } =
        narrow(space, &sample).map_err(|e| from_error("cannot analyse", &e))?;
    if !constant.is_empty() {
        remarks.push(format!("not varied in these rows, so without indices: {}", constant.join(", ")));
    }
    Ok(AnalysisInputs { space, sample, outputs, remarks, rows_are_bare })
}

/// A table without roles gets those of the method: with second order as asked for, else by its number of rows.
fn read_sample(
    space: &Space,
    path: &Path,
    args: &AnalyzeArgs,
    technique: Technique,
) -> Result<SampleFile, Failure> {
    // One data frame may hold both.
    let both = *path == *args.results;
    let try_read = |second_order: bool| {
        sample_file::read(space, path, &sample_file::options(layout(technique, second_order), both))
    };
    let first = try_read(args.second_order);
    if first.is_err() && technique == Technique::Vbd && !args.second_order {
        return try_read(true).or(first);
    }
    first
}

fn layout(technique: Technique, second_order: bool) -> TableLayout {
    match technique {
        Technique::Vbd => TableLayout::Saltelli { second_order },
        Technique::Morris => TableLayout::Morris,
        _ => TableLayout::Points,
    }
}
