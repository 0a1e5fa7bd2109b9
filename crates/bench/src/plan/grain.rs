//! What the grain of tasks saves on the papers' workflow, from the plan alone.

use onceflow_reuse::{Flow, Grain, Granularity, Level, Multiplicity, Prices, grain};
use onceflow_study::{Catalogue, read_workflow, shipped_workflow};
use onceflow_terminal::Failure;

use super::designs::PaperWorkflow;
use super::{figure, ours};
use crate::figure::{BenchFigure, Goal};

/// Seconds that an instance takes beside its operation, as runs expect them.
const BOOKKEEPING: f64 = 12e-6;

/// MOAT of 640 rows with declared costs, on a megapixel and on parts of 64 x 64 pixels: what the chosen grain is expected to take
/// of what the workflow takes as it is written.
pub(super) fn figures(paper: &PaperWorkflow) -> Result<Vec<BenchFigure>, Failure> {
    let large = share(paper, Granularity::Auto, 1_000_000.0)?;
    let small = share(paper, Granularity::Auto, 64.0 * 64.0)?;
    let name = |how: &str| {
        format!("MOAT 640, nuclei-paper at dataflow level, {how}: cost of the workflow as written")
    };
    Ok(vec![
        figure(name("grain by costs, a megapixel"), large, "of 1", Some(Goal::AtMost(0.95))),
        figure(name("all split, a megapixel"), share(paper, Granularity::Split, 1_000_000.0)?, "of 1", None),
        figure(name("grain by costs, 64 px"), small, "of 1", Some(Goal::AtMost(1.0))),
        figure(name("all split, 64 px"), share(paper, Granularity::Split, 64.0 * 64.0)?, "of 1", None),
        figure(name("all fused, 64 px"), share(paper, Granularity::Fused, 64.0 * 64.0)?, "of 1", None),
    ])
}

fn share(paper: &PaperWorkflow, granularity: Granularity, pixels: f64) -> Result<f64, Failure> {
    let catalogue = Catalogue::nuclei();
    let source = shipped_workflow("nuclei-paper").ok_or_else(|| ours("nuclei-paper is not shipped"))?;
    let flow = Flow::new(&read_workflow(&source)?, &catalogue).map_err(ours)?;
    let prices = Prices {
        seconds: &|task, _| task.spec.cost_ns_per_pixel * 1e-9 * pixels,
        bookkeeping: &|_, _| BOOKKEEPING,
        duplicates: 0.0,
        many: Multiplicity { parts: 1, images: 1 },
        alone: &|_| false,
        seen: &[],
    };
    let rows = paper.screening(40, 1)?;
    let Grain { seconds: (written, chosen), .. } =
        grain(&flow, &catalogue, &rows, Level::Dataflow, granularity, &prices).map_err(ours)?;
    Ok(chosen / written)
}
