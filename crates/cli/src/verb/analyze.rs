//! `onceflow analyze`: which parameters matter.

mod asked;
mod inputs;
mod plots;

use onceflow_sensitivity::{
    Analysis, AnalysisOptions, AnalyzeError, analysis_to_csv, analysis_to_json, analysis_to_salib, analyze,
    render_text,
};
use onceflow_study::{Diagnostic, counted};
use onceflow_terminal::{Exit, Failure, Terminal};

use crate::args::{AnalyzeArgs, IndicesFormat};
use crate::diagnostics::from_error;
use crate::file::{OutputTarget, Overwrite};
use crate::problem::load;
use inputs::AnalysisInputs;

/// Reads rows and results, analyses, prints.
pub(crate) fn run(args: &AnalyzeArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let target = OutputTarget::new(args.o.as_deref());
    let read: Vec<_> =
        [Some(&args.problem), args.sample.as_ref(), Some(&args.results)].into_iter().flatten().collect();
    target.refuse_inputs(&read.iter().map(|p| p.as_path()).collect::<Vec<_>>())?;
    target.refuse_foreign(args.force)?;
    let loaded = load(&args.problem, terminal)?;
    let technique = asked::wanted(args, &loaded)?;
    let inputs = inputs::read(args, &loaded.problem, technique, terminal)?;
    let options = asked::options(args, &loaded, inputs.rows_are_bare)?;
    let analysis = compute(&inputs, &options, terminal)?;
    say(&inputs, &analysis, args.format(), terminal);
    target.write(&text(&analysis, args.format()), Overwrite::Replace, terminal)?;
    if let Some(folder) = &args.plots {
        plots::write((folder, args.force), &inputs, &analysis, &options, terminal)?;
    }
    Ok(Exit::Ok)
}

fn compute(
    inputs: &AnalysisInputs,
    options: &AnalysisOptions,
    terminal: &Terminal,
) -> Result<Analysis, Failure> {
    let rows = counted(inputs.sample.len(), "row");
    let _progress = terminal.progress(format!("analysing {rows} by {}", options.technique.word()));
    analyze(&inputs.space, &inputs.sample, &inputs.outputs, options).map_err(|error| {
        let message = from_error("cannot analyse", &error);
        match error {
            AnalyzeError::Stopped { .. } => Failure::rows_failed(message),
            _ => message.into(),
        }
    })
}

/// What the reader must know before the numbers. The text says its warnings itself.
fn say(inputs: &AnalysisInputs, analysis: &Analysis, format: IndicesFormat, terminal: &Terminal) {
    for remark in &inputs.remarks {
        terminal.diagnostics(&[Diagnostic::note(remark)]);
    }
    let silent = format == IndicesFormat::Text;
    for output in analysis.outputs.iter().filter(|_| !silent) {
        for warning in &output.warnings {
            terminal.diagnostics(&[Diagnostic::warning(format!("{}: {warning}", output.name))]);
        }
    }
}

fn text(analysis: &Analysis, format: IndicesFormat) -> String {
    match format {
        IndicesFormat::Text => render_text(analysis),
        IndicesFormat::Json => format!("{}\n", analysis_to_json(analysis)),
        IndicesFormat::Salib => format!("{:#}\n", analysis_to_salib(analysis)),
        IndicesFormat::Csv => analysis_to_csv(analysis),
    }
}
