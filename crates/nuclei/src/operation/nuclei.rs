//! The tasks of the nuclei workflows.

use onceflow_kernels::nuclei::{
    self, BackgroundStatus, Candidates, MaskScratch, Reconstructed, SegmentationStatus,
};
use onceflow_kernels::{Bits, Cpu, Plane};
use onceflow_runtime::{Done, OperationError};

use super::Arguments;
use super::regions::{done, from_grey};
use crate::segment::status_word;

/// Ends a part that is almost all background.
pub(super) fn background(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    Ok(Done { ended: background_status(arguments)?, ..Done::default() })
}

/// Pixels of red blood cells.
pub(super) fn red_blood_cells(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    blood(arguments, 0)
}

/// Background test and red blood cells in one task.
pub(super) fn background_and_blood(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    match background_status(arguments)? {
        Some(status) => {
            let image = arguments.colour(0)?;
            let empty = from_grey(Plane::filled(0, image.width(), image.height()))?;
            Ok(Done { ended: Some(status), ..done([empty]) })
        }
        None => blood(arguments, 3),
    }
}

/// Inverted red and its opening by reconstruction.
pub(super) fn reconstruct(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let Reconstructed { rc, rc_recon } =
        nuclei::reconstruct(arguments.colour(0)?, arguments.connectivity(0)?);
    Ok(done([from_grey(rc)?, from_grey(rc_recon)?]))
}

/// Top-hat above a threshold, holes filled.
pub(super) fn candidates(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let (fill, threshold) = (arguments.connectivity(0)?, arguments.integer(1)?);
    let Candidates { diff, bw1 } =
        nuclei::candidates(arguments.grey(0)?, arguments.grey(1)?, fill, threshold);
    Ok(done([from_grey(diff)?, from_grey(bw1)?]))
}

/// Candidates grown in the top-hat, without red blood cells.
pub(super) fn grow(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let (diff, seeds, blood) = (arguments.grey(0)?, arguments.mask(1)?, arguments.mask(2)?);
    let (threshold, mut scratch) = (arguments.integer(0)?, MaskScratch::default());
    nuclei::grow_bits(Cpu::default(), diff, [seeds, blood], threshold, &mut scratch);
    arguments.written(scratch.into_result())
}

fn background_status(arguments: &Arguments<'_>) -> Result<Option<String>, OperationError> {
    let (blue, green, red) = (arguments.integer(0)?, arguments.integer(1)?, arguments.integer(2)?);
    let word = |status| {
        let status = match status {
            BackgroundStatus::Background => SegmentationStatus::Background,
            BackgroundStatus::Likely => SegmentationStatus::BackgroundLikely,
        };
        status_word(status).to_owned()
    };
    Ok(nuclei::background(arguments.colour(0)?, blue, green, red).map(word))
}

/// Red blood cells; the ratios follow `before` other parameters.
fn blood(arguments: &Arguments<'_>, before: usize) -> Result<Done, OperationError> {
    let (start, go_on) = (arguments.real(before)?, arguments.real(before + 1)?);
    let cells = nuclei::red_blood_cells(arguments.colour(0)?, start, go_on);
    match arguments.known {
        Some(_) => arguments.written(Bits::of(cells.view())),
        None => Ok(done([from_grey(cells)?])),
    }
}
