//! Programs of the user in a study: crate `programs` runs them; this module tells it the images and parts of the study,
//! lists their logs by row, and says what an edited program changes.

mod changed;
mod gate;

pub(crate) use onceflow_programs::{
    ExternalOperation, KeptFolders, LOG_MARK, ProgramTask, ProgramWorkspace, bind_programs,
};
use onceflow_programs::{ImageExtent, PartExtent, ProgramError};
use onceflow_study::Diagnostic;

use crate::EngineError;
use crate::open::inputs::{ImagePart, OpenedImage, StudyInputs};

/// The images and parts that programs of a study work on.
pub(crate) fn extents(inputs: &StudyInputs) -> (Vec<ImageExtent<'_>>, Vec<PartExtent>) {
    (inputs.images.iter().map(image_extent).collect(), inputs.parts.iter().map(part_extent).collect())
}

fn image_extent(image: &OpenedImage) -> ImageExtent<'_> {
    let info = image.source.info();
    ImageExtent { name: &image.name, size: (info.width, info.height) }
}

fn part_extent(at: &ImagePart) -> PartExtent {
    let read = &at.part.read;
    let corner = u64::try_from(read.x()).ok().zip(u64::try_from(read.y()).ok());
    PartExtent { image: at.image, corner, size: (read.width(), read.height()) }
}

impl From<ProgramError> for EngineError {
    fn from(error: ProgramError) -> Self {
        match error {
            ProgramError::BadInput(diagnostic) => Self::BadInput(diagnostic),
            ProgramError::Environment(diagnostic) => Self::Environment(diagnostic),
            ProgramError::Write { path, error } => Self::Write { path, error },
            read @ ProgramError::Read { .. } => {
                Self::Environment(Box::new(Diagnostic::error(read.to_string())))
            }
        }
    }
}
