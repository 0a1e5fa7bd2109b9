//! What reading takes. Pixels of images and of their truth are no task's output, yet they are in memory while a task works on
//! them: each task that takes some reserves them with its scratch.

use std::collections::HashSet;
use std::sync::Arc;

use onceflow_nuclei::STATISTICS_ROWS;
use onceflow_region::{Access, Element, Source};
use onceflow_reuse::{Flow, FlowInput, REFERENCE_SUFFIX};
use onceflow_study::{RegionKind, Scope};

use crate::open::compare;
use crate::open::inputs::{OpenedImage, StudyInputs, bytes_of_pair};

/// Bytes per pixel of what tasks see of an image.
const COLOUR: u64 = 3;

/// A truth is made of what was read in steps: its numbers, and where it is a mask the mask and the numbers of its pieces.
const TRUTH: u64 = 4 + 1 + 4;

/// A region of the reference row is a mask, or labels.
const REFERENCE_MASK: u64 = 1;
const REFERENCE_LABELS: u64 = 4;

/// What decoders work with: some chunks.
const DECODING: u64 = 1 << 20;

/// What resampling works with besides: a strip of the file, and a row of sums.
const RESAMPLING: u64 = 12 << 20;

/// Adds to the scratch of each task what reading its sources takes.
pub(crate) fn reserve_reading(flow: &mut Flow, inputs: &StudyInputs) {
    let scopes: Vec<Scope> = (0..flow.tasks.len()).map(|task| flow.scope(task)).collect();
    let labels = labels_of(flow);
    for (task, scope) in flow.tasks.iter_mut().zip(scopes) {
        for input in &task.inputs {
            let FlowInput::Source(source) = input else { continue };
            let taken = match scope {
                Scope::Part => of_part(&flow.sources[*source], inputs, &labels),
                Scope::Image | Scope::Study => of_strips(inputs),
            };
            let per_pixel = u32::try_from(taken.per_pixel).unwrap_or(u32::MAX);
            task.spec.scratch_bytes_per_pixel = task.spec.scratch_bytes_per_pixel.saturating_add(per_pixel);
            task.spec.scratch_bytes = task.spec.scratch_bytes.saturating_add(taken.fixed);
        }
    }
}

/// Bytes for each pixel of a part, and whatever its size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Taken {
    per_pixel: u64,
    fixed: u64,
}

impl Taken {
    fn max(self, other: Self) -> Self {
        Self { per_pixel: self.per_pixel.max(other.per_pixel), fixed: self.fixed.max(other.fixed) }
    }
}

/// The most of all images, since a task runs on each of them.
fn most(inputs: &StudyInputs, of: impl Fn(&OpenedImage) -> Taken) -> Taken {
    inputs.images.iter().map(of).fold(Taken::default(), Taken::max)
}

/// The regions that hold labels.
fn labels_of(flow: &Flow) -> HashSet<String> {
    let made = flow.tasks.iter().flat_map(|task| &task.outputs);
    made.filter(|region| region.kind == RegionKind::Labels).map(|region| region.name.clone()).collect()
}

fn of_part(name: &str, inputs: &StudyInputs, labels: &HashSet<String>) -> Taken {
    match name {
        compare::NOTHING | compare::COUNTED => Taken::default(),
        compare::TRUTH => most(inputs, |image| {
            let truth = image.truth.as_ref().map(|truth| truth.source.as_ref());
            truth.map_or(Taken::default(), |truth| Taken {
                per_pixel: pixel(truth) + TRUTH,
                fixed: decoded(truth, image),
            })
        }),
        _ if name.ends_with(REFERENCE_SUFFIX) => {
            let labelled = name.strip_suffix(REFERENCE_SUFFIX).is_some_and(|region| labels.contains(region));
            let per_pixel = if labelled { REFERENCE_LABELS } else { REFERENCE_MASK };
            Taken { per_pixel, fixed: DECODING }
        }
        _ => most(inputs, |image| match &image.pair {
            // Once as it is unpacked, and once as its values.
            Some(pair) => Taken { per_pixel: 2 * bytes_of_pair(pair, name), fixed: DECODING },
            None => Taken { per_pixel: colours(&image.source), fixed: decoded(&*image.source, image) },
        }),
    }
}

/// A whole image is read in strips of full width.
fn of_strips(inputs: &StudyInputs) -> Taken {
    most(inputs, |image| {
        let info = image.source.info();
        let strip = info.width.saturating_mul(info.height.min(STATISTICS_ROWS));
        let fixed =
            strip.saturating_mul(colours(&image.source)).saturating_add(decoded(&*image.source, image));
        Taken { per_pixel: 0, fixed }
    })
}

/// Bytes of a pixel as tasks see it and, where that is another form, as it is read.
fn colours(source: &Arc<dyn Source>) -> u64 {
    let info = source.info();
    let same = info.element == Element::U8 && info.channels == 3;
    COLOUR + if same { 0 } else { pixel(&**source) }
}

fn pixel(source: &dyn Source) -> u64 {
    u64::from(source.info().channels).saturating_mul(source.info().element.bytes())
}

/// What is decoded beside the pixels that are asked for.
fn decoded(source: &dyn Source, image: &OpenedImage) -> u64 {
    let info = source.info();
    let resampling = if image.resampled.is_some() { RESAMPLING } else { 0 };
    let whole = match source.access() {
        Access::Boxes | Access::Rows => 0,
        Access::Whole => info.width.saturating_mul(info.height).saturating_mul(pixel(source)),
    };
    whole.saturating_add(DECODING + resampling)
}
