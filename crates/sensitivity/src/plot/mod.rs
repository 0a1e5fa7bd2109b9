//! Plots of analyses as SVG: readable on paper without colour, by people who see few colours, and without a program.

mod axis;
mod bars;
mod curves;
mod heat;
mod labels;
mod page;
mod panels;
mod progress;
mod scatter;
mod words;

pub use axis::PlotAxis;
pub use curves::convergence_plot;
pub use progress::{IndexProgress, ProgressCurve};

use bars::{BarGroup, BarPlot};
use page::PlotHeading;

use crate::{Analysis, IndexEstimate, Indices, OutputAnalysis, Technique};

/// Kinds of plot of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlotKind {
    /// Indices of each parameter with their intervals.
    Bars,
    /// Size against spread of elementary effects.
    Scatter,
    /// Second-order indices.
    HeatMap,
}

impl PlotKind {
    /// All, in the order documentation lists them.
    pub const ALL: [Self; 3] = [Self::Bars, Self::Scatter, Self::HeatMap];

    /// The word for it on the command line and in file names.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bars => "bars",
            Self::Scatter => "scatter",
            Self::HeatMap => "heat-map",
        }
    }
}

/// The plot of an output (by its place) as an SVG document; `None` when there is no such output, or its indices cannot
/// be shown so.
pub fn plot(analysis: &Analysis, output: usize, kind: PlotKind) -> Option<String> {
    let found = analysis.outputs.get(output)?;
    match (kind, &found.indices) {
        (PlotKind::Bars, Indices::Correlation(_)) => coefficients(analysis, found),
        (PlotKind::Bars, _) => Some(bars(analysis, found).draw()),
        (PlotKind::Scatter, Indices::Morris(factors)) => {
            let heading = heading(analysis, found, "Elementary effects: size and spread");
            Some(scatter::draw(&heading, factors, &found.verdicts))
        }
        (PlotKind::HeatMap, Indices::Vbd { factors, pairs }) if !pairs.is_empty() => {
            let heading = heading(analysis, found, "Second-order indices");
            let names: Vec<String> = factors.iter().map(|f| f.name.clone()).collect();
            Some(heat::draw(&heading, &names, pairs))
        }
        _ => None,
    }
}

/// The kinds of plot an output has.
pub fn plot_kinds(analysis: &Analysis, output: usize) -> Vec<PlotKind> {
    let fits = |kind: &PlotKind| match (kind, analysis.outputs.get(output).map(|o| &o.indices)) {
        (_, None) => false,
        (PlotKind::Bars, _) => true,
        (PlotKind::Scatter, Some(indices)) => matches!(indices, Indices::Morris(_)),
        (PlotKind::HeatMap, Some(indices)) => {
            matches!(indices, Indices::Vbd { pairs, .. } if !pairs.is_empty())
        }
    };
    PlotKind::ALL.into_iter().filter(fits).collect()
}

fn heading(analysis: &Analysis, output: &OutputAnalysis, what: &str) -> PlotHeading {
    PlotHeading::new(what, &output.name, analysis.rows, &output.interval)
}

fn coefficients(analysis: &Analysis, output: &OutputAnalysis) -> Option<String> {
    let Indices::Correlation(found) = &output.indices else { return None };
    let line = |c: &crate::Correlation| panels::PlotLine {
        name: c.name.clone(),
        estimates: vec![c.pearson, c.spearman, c.pcc, c.prcc, c.src, c.srrc],
    };
    let heading = heading(analysis, output, "Correlation and regression coefficients");
    let titles = ["Pearson", "Spearman", "PCC", "PRCC", "SRC", "SRRC"];
    Some(panels::draw(&heading, &titles, found.iter().map(line).collect()))
}

fn bars(analysis: &Analysis, output: &OutputAnalysis) -> BarPlot {
    let (title, axis, indices): (&str, &str, Vec<&'static str>) = match analysis.technique {
        Technique::Vbd => (
            "First-order and total indices",
            "share of the variance",
            vec!["first order (alone)", "total (with others)"],
        ),
        Technique::Morris => ("Elementary effects", "mu* (mean absolute effect)", vec!["mu*"]),
        Technique::RbdFast => ("First-order indices", "share of the variance", vec!["first order"]),
        Technique::Delta => (
            "Delta and first-order indices",
            "distance of densities, or share of the variance",
            vec!["first order", "delta"],
        ),
        Technique::Pawn => ("PAWN indices", "median Kolmogorov-Smirnov distance", vec!["median"]),
        Technique::Correlation => ("Coefficients", "coefficient", Vec::new()),
    };
    let blocks = blocks(&output.indices);
    let has_marks = blocks.iter().any(|b| b.mark.is_finite());
    BarPlot {
        heading: heading(analysis, output, title),
        axis: axis.into(),
        indices,
        blocks,
        threshold: threshold(analysis, output),
        mark: has_marks.then_some("a parameter without effect stays below"),
    }
}

fn blocks(indices: &Indices) -> Vec<BarGroup> {
    let block = |name: &str, estimates: Vec<IndexEstimate>, mark: f64| BarGroup {
        name: name.into(),
        estimates,
        mark,
    };
    match indices {
        Indices::Vbd { factors, .. } => {
            factors.iter().map(|f| block(&f.name, vec![f.s1, f.st], f64::NAN)).collect()
        }
        Indices::Morris(factors) => {
            factors.iter().map(|f| block(&f.name, vec![f.mu_star], f64::NAN)).collect()
        }
        Indices::RbdFast(found) => found.iter().map(|f| block(&f.name, vec![f.s1], f64::NAN)).collect(),
        Indices::Delta(found) => found.iter().map(|f| block(&f.name, vec![f.s1, f.delta], f.dummy)).collect(),
        Indices::Pawn(found) => found.iter().map(|f| block(&f.name, vec![f.median], f.dummy)).collect(),
        Indices::Correlation(_) => Vec::new(),
    }
}

/// Where verdicts are drawn, with words.
fn threshold(analysis: &Analysis, output: &OutputAnalysis) -> Option<(f64, String)> {
    let share = analysis.threshold;
    match &output.indices {
        Indices::Correlation(_) => None,
        indices @ Indices::Morris(_) => {
            let words = format!("threshold: {share} of the largest");
            Some((indices.bar(share), words)).filter(|(value, _)| value.is_finite())
        }
        _ => Some((share, format!("threshold {share}"))),
    }
}
