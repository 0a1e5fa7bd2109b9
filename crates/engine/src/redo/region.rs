//! One region of a row, in any box of an image: what previews and pictures show.

use std::path::Path;
use std::sync::Arc;

use onceflow_region::{Bounds, Part, Region};
use onceflow_reuse::Flow;
use onceflow_study::{Diagnostic, Value, nearest};

use crate::clips::PictureClips;
use crate::open::inputs::{ImagePart, StudyInputs};
use crate::redo::recompute::{RecomputeRequest, recompute};
use crate::run::operations::ProgramFolder;
use crate::run::products::{PixelBox, ProductReader, StoredRegion, StoredRegions};
use crate::{EngineError, OpenStudy, RunSettings};

/// Which region to compute.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionRequest {
    /// Parameters with their values; those that are not named have their defaults.
    pub values: Vec<(String, Value)>,
    /// Name of the image.
    pub image: String,
    /// The box, in pixels of the image at the study's resolution.
    pub bounds: Bounds,
    /// The output of the workflow, such as `nuclei`.
    pub output: String,
}

/// Computes an output of a workflow in a box of an image, with the tasks that the output needs, within the memory of the
/// settings.
///
/// A box that lies in a part of the study is computed with that part, so that the region is what a run finds there; it is taken
/// from the store of results where the settings name one that has it. Any other box becomes a part of its own, with the halo
/// of the study.
///
/// ```no_run
/// use onceflow_engine::{RegionRequest, SettingsLayers, compute_region, open_study};
/// use onceflow_region::Bounds;
/// use onceflow_study::Value;
///
/// let study = open_study("study.toml", &SettingsLayers::default())?;
/// let request = RegionRequest {
///     values: vec![("G1".into(), Value::Integer(40))],
///     image: "tile".into(),
///     bounds: Bounds::plane(1000, 2000, 512, 512).ok_or("an empty box")?,
///     output: "nuclei".into(),
/// };
/// let mask = compute_region(&study, study.settings(), &request)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the study has no such image, parameter or output, when the box reaches outside the image, or when a task fails.
pub fn compute_region(
    study: &OpenStudy,
    settings: &RunSettings,
    request: &RegionRequest,
) -> Result<Arc<Region>, EngineError> {
    let image = image_place(&study.inputs, &request.image)?;
    let (place, part) = part(study, image, request.bounds)?;
    let outside = || EngineError::Internal("a box outside its part".into());
    let within = part.seen(request.bounds).ok_or_else(outside)?;
    let inputs = StudyInputs { parts: vec![part], ..study.inputs.clone() };
    let values = study.row_values(&request.values)?;
    up_to_output(study, &request.output)?;
    if let Some(stored) = stored(study, settings, (&values, &request.output), place, &within)? {
        return Ok(stored);
    }
    let rows = RowsRequest {
        inputs: &inputs,
        names: &study.reference.names,
        memory: settings.memory,
        scratch: None,
        clips: None,
    };
    let made = rows.compute(study, &[values.as_slice()], &request.output, Some(within))?;
    made.into_iter().next().ok_or_else(|| EngineError::Internal("no row was computed".into()))
}

/// The output of a row within a box of a part of the study, where the store of the settings has it: of a large image only what
/// holds the box is read. The store is not made for this.
fn stored(
    study: &OpenStudy,
    settings: &RunSettings,
    (values, output): (&[Value], &str),
    place: Option<usize>,
    within: &Bounds,
) -> Result<Option<Arc<Region>>, EngineError> {
    let is_there = settings.store.as_ref().is_some_and(|store| store.path().is_dir());
    let open = |part| Some((part, ProductReader::open(study, settings, &mut |_| {})?.ok()?));
    let Some((part, reader)) = place.filter(|_| is_there).and_then(open) else { return Ok(None) };
    let store = StoredRegions::new(study, &reader);
    let names = &study.reference.names;
    let pixels = PixelBox::of(within);
    let found = store.find(names, &[values], output, part, pixels)?.into_iter().next().flatten();
    Ok(match found {
        Some(StoredRegion::Given(region)) => Some(Arc::from(region)),
        // A stage that ended early ends at once when it is computed.
        Some(StoredRegion::Ended) | None => None,
    })
}

/// Rows of which one output is computed on one part.
pub(crate) struct RowsRequest<'a> {
    /// One part of one image.
    pub(crate) inputs: &'a StudyInputs,
    /// Names of the parameters.
    pub(crate) names: &'a [String],
    /// Memory bound in bytes.
    pub(crate) memory: u64,
    /// Folder for results that do not fit in memory.
    pub(crate) scratch: Option<&'a Path>,
    /// What of the part is shown, in place of a box.
    pub(crate) clips: Option<&'a PictureClips>,
}

impl RowsRequest<'_> {
    /// The output of each row in a box of the part. Tasks that the output does not need are left out, unless rows are compared
    /// with the first one.
    pub(crate) fn compute(
        &self,
        study: &OpenStudy,
        rows: &[&[Value]],
        output: &str,
        within: Option<Bounds>,
    ) -> Result<Vec<Arc<Region>>, EngineError> {
        let flow = up_to_output(study, output)?;
        let request = RecomputeRequest {
            study,
            inputs: self.inputs,
            names: self.names,
            rows,
            memory: self.memory,
            flow: Some(&flow),
            place: ProgramFolder::Passing,
            scratch: self.scratch,
            within,
            clips: self.clips,
        };
        let made = recompute(&request, Some(output))?;
        made.into_iter().map(|row| row.only_region()).collect()
    }
}

/// The tasks that an output needs.
pub(crate) fn up_to_output(study: &OpenStudy, output: &str) -> Result<Flow, EngineError> {
    let maker = study.flow.tasks.iter().position(|task| task.outputs.iter().any(|o| o.name == output));
    Ok(study.flow.up_to(maker.ok_or_else(|| no_output(study, output))?))
}

impl OpenStudy {
    /// The values of all parameters, those that are not named at their defaults.
    pub(crate) fn row_values(&self, named: &[(String, Value)]) -> Result<Vec<Value>, EngineError> {
        let mut values = self.reference.values.clone();
        for (name, value) in named {
            let place = self.reference.names.iter().position(|known| known == name);
            values[place.ok_or_else(|| self.unknown_parameter(name))?] = value.clone();
        }
        Ok(values)
    }
}

/// The place of an image in the study.
pub(super) fn image_place(inputs: &StudyInputs, name: &str) -> Result<usize, EngineError> {
    inputs.images.iter().position(|image| image.name == name).ok_or_else(|| {
        let names = inputs.images.iter().map(|image| image.name.as_str()).collect::<Vec<_>>().join(", ");
        let error = Diagnostic::error(format!("the study has no image `{name}`"));
        error.expected_found(format!("one of {names}"), format!("`{name}`")).into()
    })
}

/// The part of the study that holds the box with its place, or one made for it.
fn part(study: &OpenStudy, image: usize, bounds: Bounds) -> Result<(Option<usize>, ImagePart), EngineError> {
    let whole = study.inputs.images[image].bounds;
    if !whole.contains(&bounds) {
        let error = Diagnostic::error("the box reaches outside the image");
        return Err(error.expected_found(format!("a box in {whole:?}"), format!("{bounds:?}")).into());
    }
    let parts = &study.inputs.parts;
    let place = parts.iter().position(|part| part.image == image && part.part.core.contains(&bounds));
    let own = || {
        let read = bounds.grow(study.halo()).and_then(|grown| grown.intersect(&whole)).unwrap_or(bounds);
        ImagePart { image, part: Part { index: 0, core: bounds, read } }
    };
    Ok((place, place.map_or_else(own, |place| parts[place])))
}

fn no_output(study: &OpenStudy, output: &str) -> EngineError {
    let names: Vec<&str> =
        study.flow.tasks.iter().flat_map(|task| &task.outputs).map(|output| output.name.as_str()).collect();
    let error = Diagnostic::error(format!("no task makes the region `{output}`"));
    let error = error.expected_found(format!("one of {}", names.join(", ")), format!("`{output}`"));
    match nearest(output, names) {
        Some(near) => error.with_hint(format!("did you mean `{near}`?")).into(),
        None => error.into(),
    }
}
