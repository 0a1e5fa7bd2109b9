//! Gantt charts of jobs on nodes, as text and as SVG, and the page of plans with a slider.

mod page;
mod picture;
mod text;

pub use page::{PlanChoice, PlanPage};
pub use picture::gantt_svg;
pub use text::gantt_text;

/// Jobs on the nodes of a cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GanttChart {
    /// What it shows.
    pub title: String,
    /// Nodes of the cluster.
    pub nodes: u64,
    /// The bars.
    pub bars: Vec<GanttBar>,
}

/// One job.
#[derive(Clone, Debug, PartialEq)]
pub struct GanttBar {
    /// Its name.
    pub name: String,
    /// When it began to hold its nodes.
    pub start: u64,
    /// When it no longer did.
    pub end: u64,
    /// Runs of neighbouring nodes: the first, and how many.
    pub nodes: Vec<(u64, u64)>,
    /// Whose job it is.
    pub owner: BarOwner,
}

/// Whose job a bar is, and how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarOwner {
    /// A job of the workflow.
    Ours,
    /// A job of the workflow that its limit stopped.
    Stopped,
    /// A job of others.
    Others,
}

impl GanttChart {
    /// The last end.
    pub(crate) fn end(&self) -> u64 {
        self.bars.iter().map(|bar| bar.end).max().unwrap_or(0)
    }
}

impl GanttBar {
    pub(crate) fn width(&self) -> u64 {
        self.nodes.iter().map(|(_, count)| count).sum()
    }
}
