//! An operation of one's own: pixels that are darker than a limit. The engine learns of it in [`operations`]; the
//! descriptor names it like any other; [`run_study`] is all that a program needs to run a study with it.

use std::error::Error;
use std::path::Path;

use onceflow_engine::{
    Call, Done, Operation, OperationError, Operations, Prepared, Run, RunFolder, RunOptions, Silent, run,
};
use onceflow_region::{Dense, Pixels, Region};
use onceflow_study::{
    Canonical, Kind, OpSpec, RegionKind, Source, check_workflow, parse_study, read_workflow,
};

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
        .reads(&[("limit", Kind::Integer)])
        .makes(&[("mask", RegionKind::Mask)]);
    Operations::built_in().with(dark, Dark)
}

/// Runs the study of a folder, `study.toml` with `workflow.json` beside it, into another.
///
/// # Errors
/// When something is wrong with the files, in words that say where.
pub fn run_study(folder: &Path, into: &Path) -> Result<Run, Box<dyn Error>> {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).map(|text| Source::new(name, text));
    let operations = operations();
    let workflow = read_workflow(&read("workflow.json")?).map_err(|said| said.to_string())?;
    let said = check_workflow(&workflow, operations.catalogue());
    if said.has_errors() {
        return Err(said.to_string().into());
    }
    let file = parse_study(&read("study.toml")?).map_err(|said| said.to_string())?;
    let (study, said) = file.resolve(Some(&workflow), None);
    let study = study.ok_or_else(|| said.to_string())?;
    let prepared = Prepared::with_operations(&study, &workflow, folder, operations)?;
    Ok(run(&prepared, &RunOptions::default(), &RunFolder::create(into)?, &mut Silent)?)
}
