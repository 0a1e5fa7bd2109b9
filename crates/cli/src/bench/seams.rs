//! What the halo of a part is good for: how far an image that is cut gives other nuclei than the whole image does.

use onceflow_kernels::compare::{Counts, Measure, compare_owned};
use onceflow_kernels::nuclei::{Parameters, segment};
use onceflow_kernels::{Connectivity, Plane, View, Window, label};
use onceflow_region::{Bounds, Part, Remainder, partition};

use super::Figure;
use super::kernels::{normalize, read_colours};
use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Edge of the parts: small, so that an image of common size has many seams.
const PART: u64 = 256;

/// Pixels that are read around a part.
const HALOS: [u64; 9] = [0, 16, 32, 64, 86, 100, 128, 192, 256];

/// Segments the whole image and its parts with each halo, with two sets of parameters.
pub(crate) fn figures(terminal: &Terminal, args: &BenchArgs) -> Result<Vec<Figure>, Failure> {
    let _progress = terminal.progress("segmenting with halos");
    let image = normalize(&read_colours(args.image.as_deref(), args.size)?);
    let mut figures = Vec::new();
    for (name, parameters) in sets() {
        let whole = objects(image.view(), &parameters);
        for halo in HALOS {
            let counts = differences(image.view(), whole.view(), &parameters, halo)?;
            figures.extend(said(name, halo, &counts));
        }
    }
    Ok(figures)
}

/// The defaults, and thresholds in the middle of the papers' ranges, with which nuclei grow into clumps.
fn sets() -> [(&'static str, Parameters); 2] {
    let defaults = Parameters::default();
    [("defaults", defaults), ("G1 = 40, G2 = 20", Parameters { g1: 40, g2: 20, ..defaults })]
}

fn objects(image: View<'_, [u8; 3]>, parameters: &Parameters) -> Plane<u32> {
    label(segment(image, parameters).mask.view(), Connectivity::Eight).plane
}

/// The parts' nuclei against those of the whole, each counted by the part that owns it.
fn differences(
    image: View<'_, [u8; 3]>,
    whole: View<'_, u32>,
    parameters: &Parameters,
    halo: u64,
) -> Result<Counts, Failure> {
    let bounds = Bounds::plane(0, 0, image.width() as u64, image.height() as u64);
    let parts = bounds.and_then(|bounds| partition(bounds, PART, halo, Remainder::Merge).ok());
    let parts = parts.ok_or_else(|| Failure::internal("an image without parts"))?;
    let of = |part: &Part| {
        let (read, core) = (window(part.read), part.core_in_read().map(window));
        let found = objects(read.of(image), parameters);
        core.and_then(|core| compare_owned(found.view(), read.of(whole), core).ok())
    };
    let counts: Option<Counts> = parts.iter().map(of).sum();
    counts.ok_or_else(|| Failure::internal("a part outside its image"))
}

fn window(bounds: Bounds) -> Window {
    let [left, top] = [bounds.x(), bounds.y()].map(|at| usize::try_from(at).unwrap_or(0));
    Window { left, top, width: bounds.width() as usize, height: bounds.height() as usize }
}

fn said(name: &str, halo: u64, counts: &Counts) -> Vec<Figure> {
    let percent = |measure: Measure| (1.0 - measure.value(counts, None).unwrap_or(1.0)) * 100.0;
    let figure = |what: &str, value| {
        let name = format!("{name}, halo {halo}: {what}");
        Figure { name, value, unit: "%", goal: None, peer: None }
    };
    vec![
        figure("pixels that differ", percent(Measure::Jaccard)),
        figure("objects without an equal", percent(Measure::ObjectF1)),
        figure("loss of panoptic quality", percent(Measure::PanopticQuality)),
    ]
}
