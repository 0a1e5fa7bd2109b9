//! `--plots`: each kind of plot of each output as an SVG file.

use std::path::Path;

use onceflow_sensitivity::{
    Analysis, AnalysisOptions, IndexProgress, PlotKind, convergence, convergence_plot, plot, plot_kinds,
};
use onceflow_study::counted;
use onceflow_terminal::{Failure, Terminal};

use super::inputs::AnalysisInputs;
use crate::file::{OutputTarget, Overwrite, make_folder, refuse_foreign};

/// Parts of the sample, each half of the next, over which convergence is shown.
const PARTS: usize = 6;

/// Writes `DIR/OUTPUT-METHOD-KIND.svg` for everything that can be drawn.
pub(super) fn write(
    (folder, force): (&Path, bool),
    inputs: &AnalysisInputs,
    analysis: &Analysis,
    options: &AnalysisOptions,
    terminal: &Terminal,
) -> Result<(), Failure> {
    make_folder(folder)?;
    let drawings = {
        let _progress = terminal.progress("drawing the plots");
        drawings(inputs, analysis, options, terminal)
    };
    drawings.iter().try_for_each(|(name, _)| refuse_foreign(&folder.join(name), force))?;
    for (name, svg) in &drawings {
        OutputTarget::File(folder.join(name)).write(svg, Overwrite::Replace, terminal)?;
    }
    terminal.say(&format!("wrote {} to {}", counted(drawings.len(), "plot"), folder.display()));
    Ok(())
}

/// File names and their contents.
fn drawings(
    inputs: &AnalysisInputs,
    analysis: &Analysis,
    options: &AnalysisOptions,
    terminal: &Terminal,
) -> Vec<(String, String)> {
    // The other plots do not need the curves of convergence.
    let parts = convergence(&inputs.space, &inputs.sample, &inputs.outputs, options, PARTS);
    let parts = parts.unwrap_or_else(|error| {
        terminal.say(&format!("note: no convergence plots: {error}"));
        Vec::new()
    });
    let method = analysis.technique.word();
    let mut drawings = Vec::new();
    for place in 0..analysis.outputs.len() {
        let stem = stem(analysis, place);
        let drawn = plot_kinds(analysis, place).into_iter();
        let drawn = drawn.filter_map(|kind: PlotKind| Some((kind.word(), plot(analysis, place, kind)?)));
        let curve = IndexProgress::of(&parts, place).map(|p| ("convergence", convergence_plot(&p)));
        drawings.extend(drawn.chain(curve).map(|(kind, svg)| (format!("{stem}-{method}-{kind}.svg"), svg)));
    }
    drawings
}

/// The output's name as a file name; with its place when another output would have the same.
fn stem(analysis: &Analysis, place: usize) -> String {
    let plain = |place: usize| {
        let allowed = |c: char| if c.is_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
        analysis.outputs[place].name.chars().map(allowed).take(100).collect::<String>()
    };
    let name = plain(place);
    let is_other = |other: usize| other != place && plain(other).to_lowercase() == name.to_lowercase();
    if name.is_empty() || (0..analysis.outputs.len()).any(is_other) {
        format!("{name}{}", place + 1)
    } else {
        name
    }
}
