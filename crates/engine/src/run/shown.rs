//! What of a run its report shows: which parts, and which region of which rows.

use onceflow_reuse::Plan;
use onceflow_study::Scope;

use crate::clips::{ClipPhase, ShownPart};
use crate::open::compare;
use crate::run::tune::ImageSplit;
use crate::{OpenStudy, PictureChoice, RunSettings};

/// Images that are shown at most.
const MOST_IMAGES: usize = 3;

/// The longest side of the first piece: nuclei stay visible, the page stays small.
const LONGEST: u64 = 400;

/// The longest side of the other pieces.
const LONGEST_OTHER: u64 = 280;

/// The parts that the report shows: the first one of each of a few images, those with a truth first.
pub(super) fn shown_parts(study: &OpenStudy, settings: &RunSettings) -> Vec<ShownPart> {
    if settings.pictures == PictureChoice::None {
        return Vec::new();
    }
    let inputs = &study.inputs;
    let mut images: Vec<usize> = (0..inputs.images.len()).collect();
    images.sort_by_key(|image| inputs.images[*image].truth.is_none());
    held_out_second(study, &mut images);
    let first_part = |image: usize| inputs.parts.iter().position(|part| part.image == image);
    let shown = |(place, part): (usize, usize)| {
        let core = inputs.parts[part].seen(inputs.parts[part].part.core)?;
        Some(ShownPart { part, core, longest: if place == 0 { LONGEST } else { LONGEST_OTHER } })
    };
    images.into_iter().filter_map(first_part).take(MOST_IMAGES).enumerate().filter_map(shown).collect()
}

/// Of a study that tunes, images that only confirm come behind one that took part: there it is seen whether values hold.
fn held_out_second(study: &OpenStudy, images: &mut [usize]) {
    if let Some((_, _, split)) = ImageSplit::of_phases(study, &study.study.phases) {
        let held = split.held();
        let first = images.iter().copied().find(|image| !held.contains(image));
        images.sort_by_key(|image| (Some(*image) != first, !held.contains(image)));
    }
}

/// The region that is shown, of the rows of a plan, the first of which has this number in the table.
pub(super) fn clip_phase(study: &OpenStudy, plan: &Plan, first: usize) -> ClipPhase {
    let name = compare::measured(&study.study.metrics).first().copied();
    let flow = plan.flow();
    let output = flow.tasks.iter().enumerate().find_map(|(task, made)| {
        let output = made.outputs.iter().position(|output| Some(output.name.as_str()) == name)?;
        (flow.scope(task) == Scope::Part).then_some((task, output))
    });
    ClipPhase::new(output, plan.rows(), first, |row, task| plan.node(row, task))
}
