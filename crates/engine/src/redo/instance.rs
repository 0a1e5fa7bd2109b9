//! One row on one part of an image, made again: every region of it as a picture.

use std::path::{Path, PathBuf};

use onceflow_imageio::png_bytes;
use onceflow_kernels::dense::labels;
use onceflow_kernels::{View, outline};
use onceflow_nuclei::GeoJson;
use onceflow_region::{Budget, Dense, Pixels, rgb8};
use onceflow_reuse::{Flow, FlowInput};
use onceflow_study::{Diagnostic, Value, nearest};

use crate::open::compare;
use crate::open::inputs::{ImagePart, StudyInputs};
use crate::open::sources::{References, Sources};
use crate::redo::recompute::{RecomputeRequest, RecomputedRow, recompute};
use crate::run::operations::ProgramFolder;
use crate::{EngineError, OpenStudy, objects, overlay};

/// Which instance is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceRequest<'a> {
    /// Parameters with their values; those that are not named have their defaults.
    pub values: Vec<(String, Value)>,
    /// Name of the image; the first one without it.
    pub image: Option<&'a str>,
    /// Which of the image's parts, from 0.
    pub part: usize,
    /// The bound of memory in bytes.
    pub memory: u64,
    /// Only this task and what it needs; all of them without it.
    pub task: Option<&'a str>,
    /// Where the folders of programs stay; they stay nowhere without it.
    pub keep: Option<&'a Path>,
}

/// The pictures of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstancePictures {
    /// Name of the image.
    pub image: String,
    /// Names and bytes of files, in the order in which regions are made.
    pub files: Vec<(String, Vec<u8>)>,
    /// Regions that are no pictures.
    pub without: Vec<String>,
    /// The task that failed, and what it said.
    pub failure: Option<(String, String)>,
    /// Folders of programs, with their files, inputs, outputs, log and a script that repeats them.
    pub folders: Vec<PathBuf>,
}

/// Runs one row alone, on one part, and draws what each of its tasks makes.
///
/// # Errors
/// When there is no such image or part, or it cannot be read.
pub fn instance(study: &OpenStudy, asked: &InstanceRequest<'_>) -> Result<InstancePictures, EngineError> {
    let part = place(&study.inputs, asked)?;
    let inputs = study.inputs.only(part);
    let at = study.inputs.parts[part];
    let (names, defaults) = (&study.reference.names, &study.reference.values);
    let mut values = defaults.clone();
    for (name, value) in &asked.values {
        if let Some(place) = names.iter().position(|known| known == name) {
            values[place] = value.clone();
        }
    }
    let rows = [defaults.as_slice(), values.as_slice()];
    let flow = asked.task.map(|name| up_to(&study.flow, name)).transpose()?;
    // A task by itself needs the reference row only when it compares with it.
    let alone = flow.as_ref().is_some_and(|flow| !takes_reference(flow));
    let rows = if alone { &rows[1..] } else { &rows[..] };
    let place = asked.keep.map_or(ProgramFolder::Passing, ProgramFolder::Kept);
    let (flow, memory) = (flow.as_ref(), asked.memory);
    let request = RecomputeRequest {
        study,
        inputs: &inputs,
        names,
        rows,
        memory,
        flow,
        place,
        scratch: None,
        within: None,
        clips: None,
    };
    let made = recompute(&request, None)?.pop().ok_or_else(|| internal("no row was made"))?;
    Draw { study, inputs: &inputs, at, made }.instance()
}

fn up_to(flow: &Flow, name: &str) -> Result<Flow, EngineError> {
    let names: Vec<&str> = flow.tasks.iter().map(|task| task.name.as_str()).collect();
    flow.task(name).map(|task| flow.up_to(task)).ok_or_else(|| {
        let error = Diagnostic::error(format!("there is no task `{name}`"));
        let error = error.expected_found(format!("one of {}", names.join(", ")), format!("`{name}`"));
        let near = nearest(name, names.iter().copied());
        error
            .with_hint(
                near.map_or_else(|| "give one of them".into(), |near| format!("did you mean `{near}`?")),
            )
            .into()
    })
}

fn takes_reference(flow: &Flow) -> bool {
    flow.tasks.iter().flat_map(|task| &task.inputs).any(|input| matches!(input, FlowInput::Reference { .. }))
}

/// The part that is asked for, among those of the study.
fn place(inputs: &StudyInputs, asked: &InstanceRequest<'_>) -> Result<usize, EngineError> {
    let names = || inputs.images.iter().map(|image| image.name.clone()).collect::<Vec<_>>().join(", ");
    let image = match asked.image {
        None => 0,
        Some(name) => inputs.images.iter().position(|image| image.name == name).ok_or_else(|| {
            Diagnostic::error(format!("the study has no image `{name}`"))
                .expected_found(format!("one of {}", names()), name)
                .with_hint("name one of these after --image")
        })?,
    };
    let mut parts = (0..inputs.parts.len()).filter(|part| inputs.parts[*part].image == image);
    parts.nth(asked.part).ok_or_else(|| {
        let count = inputs.parts_of(image);
        Diagnostic::error("the image has no such part")
            .expected_found(format!("a number below {count}"), asked.part.to_string())
            .with_hint("parts are counted from 0")
            .into()
    })
}

struct Draw<'a> {
    study: &'a OpenStudy,
    inputs: &'a StudyInputs,
    at: ImagePart,
    made: RecomputedRow,
}

impl Draw<'_> {
    fn instance(self) -> Result<InstancePictures, EngineError> {
        let image = &self.inputs.images[self.at.image];
        let pixels = image.source.read(self.at.part.read).map_err(undrawable)?;
        let pixels = rgb8(&pixels).map_err(undrawable)?;
        let mut files = vec![("01-image.png".to_owned(), png_bytes(&pixels).map_err(undrawable)?)];
        let mut without = Vec::new();
        for (name, region) in &self.made.regions {
            match region.as_dense().and_then(seen) {
                Some(picture) => {
                    let file = format!("{:02}-{}.png", files.len() + 1, file_name(name));
                    files.push((file, png_bytes(&picture).map_err(undrawable)?));
                }
                None => without.push(name.clone()),
            }
        }
        if let Some(name) = compare::measured(&self.study.study.metrics).first()
            && let Ok(found) = self.made.dense(name)
        {
            files.push(("overlay.png".into(), self.overlay(&pixels, &found)?));
            files.push((format!("{}.geojson", file_name(name)), self.polygons(&found)?));
        }
        Ok(InstancePictures {
            image: image.name.clone(),
            files,
            without,
            failure: self.made.failure,
            folders: self.made.folders,
        })
    }

    /// What belongs to the part: of what lies around it no truth is read.
    fn overlay(&self, pixels: &Dense, found: &Dense) -> Result<Vec<u8>, EngineError> {
        let truth = truth(self.inputs);
        let core = self.at.seen(self.at.part.core).ok_or_else(|| internal("a part outside itself"))?;
        let [pixels, found] = [pixels.crop(core), found.crop(core)].map(|cut| cut.map_err(undrawable));
        png_bytes(&overlay(&pixels?, &found?, truth.as_ref())?).map_err(undrawable)
    }

    /// The outlines of what was found, in pixels of the whole image.
    fn polygons(&self, found: &Dense) -> Result<Vec<u8>, EngineError> {
        let found = objects(found).map_err(undrawable)?;
        let view = labels(&found).ok_or_else(|| internal("objects without labels"))?;
        let corner = [self.at.part.read.x(), self.at.part.read.y()];
        let mut bytes = Vec::new();
        let mut file = GeoJson::new(&mut bytes).map_err(undrawable)?;
        for (label, [left, top, right, bottom]) in extents(view) {
            let window: Vec<u32> =
                (top..=bottom).flat_map(|y| (left..=right).map(move |x| view.at(x, y))).collect();
            let window = View::new(&window, right - left + 1, bottom - top + 1);
            let origin = [(left, corner[0]), (top, corner[1])].map(|(at, by)| (at as i64 + by).max(0) as u32);
            let border = left == 0 || top == 0 || right + 1 == view.width() || bottom + 1 == view.height();
            let polygons = window.map(|window| outline(window, label, origin)).unwrap_or_default();
            file.add(label, border, &polygons, None).map_err(undrawable)?;
        }
        file.finish().map_err(undrawable)?;
        Ok(bytes)
    }
}

/// The truth of what belongs to the first part.
fn truth(inputs: &StudyInputs) -> Option<Dense> {
    let (names, budget) = (vec![compare::TRUTH.into()], Budget::new(u64::MAX));
    Sources::new(inputs, names, References::new(), budget, 0).truth(0)
}

/// Each label with its left, upper, right and lower end, by its number.
fn extents(view: View<'_, u32>) -> std::collections::BTreeMap<u32, [usize; 4]> {
    let mut extents = std::collections::BTreeMap::new();
    for (y, x) in (0..view.height()).flat_map(|y| (0..view.width()).map(move |x| (y, x))) {
        let label = view.at(x, y);
        if label != 0 {
            let extent = extents.entry(label).or_insert([x, y, x, y]);
            *extent = [extent[0].min(x), extent[1].min(y), extent[2].max(x), extent[3].max(y)];
        }
    }
    extents
}

/// Pixels as an eye sees them: masks black and white, labels in colours, numbers from their least to their most.
fn seen(dense: &Dense) -> Option<Dense> {
    let (width, height, channels) = (dense.width(), dense.height(), dense.channels());
    let grey = |values: Vec<u8>| Dense::new(width, height, channels, Pixels::U8(values)).ok();
    match dense.pixels() {
        Pixels::U8(values) if channels == 1 && values.iter().all(|value| *value <= 1) => {
            grey(values.iter().map(|value| value * 255).collect())
        }
        Pixels::U8(_) => matches!(channels, 1 | 3).then(|| dense.clone()),
        Pixels::U32(values) if channels == 1 => {
            let colours = values.iter().flat_map(|label| colour(*label)).collect();
            Dense::new(width, height, 3, Pixels::U8(colours)).ok()
        }
        Pixels::U16(values) if channels == 1 => grey(stretched(values.iter().map(|x| f64::from(*x)))),
        Pixels::I32(values) if channels == 1 => grey(stretched(values.iter().map(|x| f64::from(*x)))),
        Pixels::F32(values) if channels == 1 => grey(stretched(values.iter().map(|x| f64::from(*x)))),
        Pixels::F64(values) if channels == 1 => grey(stretched(values.iter().copied())),
        _ => None,
    }
}

/// A colour of its own for each of many labels; black outside.
fn colour(label: u32) -> [u8; 3] {
    let mixed = label.wrapping_mul(2_654_435_761);
    let channel = |shift: u32| 64 + ((mixed >> shift) & 0x7f) as u8 + ((mixed >> (shift + 5)) & 0x3f) as u8;
    if label == 0 { [0; 3] } else { [channel(3), channel(11), channel(19)] }
}

fn stretched(values: impl Iterator<Item = f64> + Clone) -> Vec<u8> {
    let finite = || values.clone().filter(|x| x.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let range = if high > low { high - low } else { 1.0 };
    values.map(|x| if x.is_finite() { ((x - low) / range * 255.0) as u8 } else { 0 }).collect()
}

/// Names come from workflows: only what every file system takes as a name stays.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '-' }).collect()
}

fn internal(why: &str) -> EngineError {
    EngineError::Internal(why.into())
}

fn undrawable(error: impl std::fmt::Display) -> EngineError {
    Diagnostic::error(format!("cannot draw the regions: {error}")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_seen() {
        let mask = Dense::new(2, 1, 1, Pixels::U8(vec![0, 1])).unwrap();
        assert_eq!(seen(&mask).unwrap().as_u8(), Some(&[0, 255][..]));
        let real = Dense::new(3, 1, 1, Pixels::F64(vec![-1.0, f64::NAN, 1.0])).unwrap();
        assert_eq!(seen(&real).unwrap().as_u8(), Some(&[0, 0, 255][..]));
        let labels = Dense::new(3, 1, 1, Pixels::U32(vec![0, 1, 2])).unwrap();
        let picture = seen(&labels).unwrap();
        let colours: Vec<&[u8]> = picture.as_u8().unwrap().chunks(3).collect();
        assert_eq!(colours[0], [0; 3]);
        assert!(colours[1] != colours[2] && colours[1].iter().all(|channel| *channel >= 64));
    }

    #[test]
    fn names_of_files_stay_in_their_folder() {
        assert_eq!(file_name("../a b<c>"), "---a-b-c-");
    }
}
