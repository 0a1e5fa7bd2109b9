//! An operation of one's own: pixels that are darker than a limit. The engine learns of it in [`operations`]; the
//! descriptor names it like any other; [`run_own_study`] is all that a program needs to run a study with it.

use std::path::Path;

use onceflow_engine::{
    Call, Done, EngineError, Operation, OperationError, Operations, Run, RunFolder, RunResult,
    SettingsLayers, Silent, open_study_with, run_study,
};
use onceflow_region::{Dense, Pixels, Region};
use onceflow_study::{Canonical, OpSpec, ParameterKind, RegionKind};

/// Pixels whose three channels are all darker than a limit.
pub struct Dark;

impl Operation for Dark {
    fn run(&self, call: &Call<'_>) -> Result<Done, OperationError> {
        let image =
            call.inputs.first().and_then(|region| region.as_dense()).ok_or_else(|| wrong("an image"))?;
        let pixels = image.as_u8().filter(|_| image.channels() == 3).ok_or_else(|| wrong("8-bit colour"))?;
        let Some(Canonical::Integer(limit)) = call.parameters.first() else {
            return Err(wrong("a whole number"));
        };
        let is_dark = |pixel: &[u8; 3]| pixel.iter().all(|value| i64::from(*value) < *limit);
        let mask = pixels.as_chunks().0.iter().map(|pixel| if is_dark(pixel) { 255 } else { 0 });
        let mask = Dense::new(image.width(), image.height(), 1, Pixels::U8(mask.collect()));
        Ok(Done::with(vec![Region::Dense(mask.map_err(|error| OperationError::new(error.to_string()))?)]))
    }
}

fn wrong(expected: &str) -> OperationError {
    OperationError::new(format!("expected {expected}, found something else"))
}

/// The built-in operations and ours. Raise the version of a specification whenever the operation's bytes change.
pub fn operations() -> Operations {
    let dark = OpSpec::new("mine.dark", "pixels darker than a limit in all channels", 1.0)
        .takes(&[("image", RegionKind::Rgb8)])
        .reads(&[("limit", ParameterKind::Integer)])
        .makes(&[("mask", RegionKind::Mask)]);
    Operations::built_in().with(dark, Dark)
}

/// Runs the study of a folder, `study.toml`, into another.
///
/// # Errors
/// When something is wrong with the files, in words that say where.
pub fn run_own_study(folder: &Path, into: &Path) -> Result<Box<Run>, EngineError> {
    let study = open_study_with(&folder.join("study.toml"), &SettingsLayers::default(), operations())?;
    match run_study(&study, study.settings(), &RunFolder::new(into), &mut Silent)? {
        RunResult::Ran(run) => Ok(run),
        RunResult::AlreadyComplete(_) => Err(EngineError::Internal("these results are there already".into())),
    }
}
