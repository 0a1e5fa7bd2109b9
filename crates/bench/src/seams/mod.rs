//! What the halo of a part is good for: how far an image that is cut gives other nuclei than the whole image does.

mod operations;

use onceflow_kernels::compare::{ComparisonCounts, MetricKind, compare_owned};
use onceflow_kernels::nuclei::{Parameters, segment};
use onceflow_kernels::{Connectivity, Plane, View, Window, label};
use onceflow_region::{Bounds, Part, Remainder, partition};
use onceflow_terminal::{Failure, Terminal};

use crate::args::BenchArgs;
use crate::figure::BenchFigure;
use crate::kernels::{normalize, read_colours};

/// Edges of the parts: small ones, so that an image of common size has many seams, and larger ones.
const PARTS: [u64; 2] = [256, 1024];

/// Pixels that are read around a part.
const HALOS: [u64; 4] = [0, 64, 150, 256];

/// Segments the whole image and its parts with each halo, with three sets of parameters.
pub(crate) fn figures(terminal: &Terminal, args: &BenchArgs) -> Result<Vec<BenchFigure>, Failure> {
    let _progress = terminal.progress("segmenting with halos");
    let image = normalize(&read_colours(args.image.as_deref(), args.size)?);
    let mut figures = Vec::new();
    for (name, parameters) in sets() {
        let whole = objects(image.view(), &parameters);
        for (size, halo) in PARTS.into_iter().flat_map(|size| HALOS.map(|halo| (size, halo))) {
            let parts = cut(image.view(), size, halo)?;
            // An image of one part has no seam.
            if parts.len() > 1 {
                let counts = differences(image.view(), whole.view(), &parameters, &parts)?;
                figures.extend(said(&format!("{name}; parts {size}, halo {halo}"), &counts));
            }
        }
    }
    figures.extend(by_operation(image.view())?);
    Ok(figures)
}

/// The halo that studies with default parameters take.
const HALO: u64 = 150;

/// What is left of the difference when only one operation is computed in parts.
fn by_operation(image: View<'_, [u8; 3]>) -> Result<Vec<BenchFigure>, Failure> {
    let (parameters, mut figures) = (Parameters::default(), Vec::new());
    let whole = operations::nuclei(image, &parameters, None)?;
    for size in PARTS {
        let parts = cut(image, size, HALO)?;
        // An image of one part has no seam.
        for (number, (operation, ..)) in operations::OPERATIONS.iter().enumerate().filter(|_| parts.len() > 1)
        {
            let found = operations::nuclei(image, &parameters, Some((number, &parts)))?;
            let name = format!("parts {size}, halo {HALO}, only {operation} cut: pixels that differ");
            let value = operations::difference(&found, &whole);
            figures.push(BenchFigure { name, value, unit: "%", goal: None, peer: None });
        }
    }
    Ok(figures)
}

/// The defaults; the same where no part ends as background, which is a matter of the whole part whatever its halo; and
/// thresholds in the middle of the papers' ranges, with which nuclei grow into clumps.
fn sets() -> [(&'static str, Parameters); 3] {
    let defaults = Parameters::default();
    let all_tissue = Parameters { blue: 255, green: 255, red: 255, ..defaults };
    let clumps = Parameters { g1: 40, g2: 20, ..all_tissue };
    [("defaults", defaults), ("all tissue", all_tissue), ("G1 = 40, G2 = 20", clumps)]
}

fn objects(image: View<'_, [u8; 3]>, parameters: &Parameters) -> Plane<u32> {
    label(segment(image, parameters).mask.view(), Connectivity::Eight).plane
}

fn cut(image: View<'_, [u8; 3]>, size: u64, halo: u64) -> Result<Vec<Part>, Failure> {
    let bounds = Bounds::plane(0, 0, image.width() as u64, image.height() as u64);
    let parts = bounds.and_then(|bounds| partition(bounds, size, halo, Remainder::Merge).ok());
    parts.ok_or_else(|| Failure::internal("an image without parts"))
}

/// The parts' nuclei against those of the whole, each counted by the part that owns it.
fn differences(
    image: View<'_, [u8; 3]>,
    whole: View<'_, u32>,
    parameters: &Parameters,
    parts: &[Part],
) -> Result<ComparisonCounts, Failure> {
    let of = |part: &Part| {
        let (read, core) = (window(part.read), part.core_in_read().map(window));
        let found = objects(read.of(image), parameters);
        core.and_then(|core| compare_owned(found.view(), read.of(whole), core).ok())
    };
    let counts: Option<ComparisonCounts> = parts.iter().map(of).sum();
    counts.ok_or_else(|| Failure::internal("a part outside its image"))
}

fn window(bounds: Bounds) -> Window {
    let [left, top] = [bounds.x(), bounds.y()].map(|at| usize::try_from(at).unwrap_or(0));
    Window { left, top, width: bounds.width() as usize, height: bounds.height() as usize }
}

fn said(name: &str, counts: &ComparisonCounts) -> Vec<BenchFigure> {
    let percent = |measure: MetricKind| (1.0 - measure.value(counts, None).unwrap_or(1.0)) * 100.0;
    let figure = |what: &str, value| {
        let name = format!("{name}: {what}");
        BenchFigure { name, value, unit: "%", goal: None, peer: None }
    };
    vec![
        figure("pixels that differ", percent(MetricKind::Jaccard)),
        figure("objects without a partner", percent(MetricKind::ObjectF1)),
    ]
}
