//! An open study: its images, its plan, and regions of its rows.

use std::sync::Arc;

use onceflow_engine::{OpenStudy, RegionRequest, StopFlag, StudyPixels, compute_region, overlay};
use onceflow_region::Region;
use onceflow_study::{Diagnostic, Value};
use pyo3::prelude::*;

use crate::error::{Kind, engine, raise};
use crate::pixels::{BoxWords, bounds, from_array, to_array};
use crate::settings::{Named, open};
use crate::waiting::interruptible;

/// A study that is open, with its images and settings.
#[pyclass(frozen, module = "onceflow._core")]
pub(crate) struct Opened {
    study: Arc<OpenStudy>,
}

/// A value of a parameter in Python.
#[derive(Clone, Debug, FromPyObject)]
pub(crate) enum ValueWords {
    /// A whole number.
    Integer(i64),
    /// A real number.
    Real(f64),
    /// A word.
    Text(String),
}

impl From<ValueWords> for Value {
    fn from(value: ValueWords) -> Self {
        match value {
            ValueWords::Integer(number) => Self::Integer(number),
            ValueWords::Real(number) => Self::Real(number),
            ValueWords::Text(text) => Self::Text(text),
        }
    }
}

#[pymethods]
impl Opened {
    /// Opens a study.
    #[new]
    fn new(py: Python<'_>, study: Named, words: Vec<(String, String)>) -> PyResult<Self> {
        let opened = interruptible(py, &StopFlag::default(), move || open(study, &words))?;
        Ok(Self { study: Arc::new(opened.map_err(engine)?) })
    }

    /// Names, widths, heights and resolutions of the images that are studied.
    #[getter]
    fn images(&self) -> Vec<(String, u64, u64, Option<f64>)> {
        let images = self.study.images().into_iter();
        images.map(|image| (image.name, image.width, image.height, image.um_per_pixel)).collect()
    }

    /// The box of an image that is studied.
    fn studied(&self, image: &str) -> PyResult<BoxWords> {
        let found = self.study.studied(image).map_err(engine)?;
        Ok((found.x(), found.y(), found.width(), found.height()))
    }

    /// The regions of the workflow, each with the word for its kind.
    #[getter]
    fn regions(&self) -> Vec<(String, &'static str)> {
        self.study.region_kinds().into_iter().map(|(name, kind)| (name, kind.word())).collect()
    }

    /// Pixels of an image or of its truth in a box; nothing where it has no truth.
    fn pixels<'py>(
        &self,
        py: Python<'py>,
        image: String,
        at: BoxWords,
        truth: bool,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (study, at) = (Arc::clone(&self.study), bounds(at)?);
        let which = if truth { StudyPixels::Truth } else { StudyPixels::Image };
        let read = interruptible(py, &StopFlag::default(), move || study.pixels(&image, at, which))?;
        read.map_err(engine)?.map(|dense| to_array(py, dense)).transpose()
    }

    /// A region of a row in a box.
    fn region<'py>(
        &self,
        py: Python<'py>,
        values: Vec<(String, ValueWords)>,
        image: String,
        at: BoxWords,
        output: String,
    ) -> PyResult<Bound<'py, PyAny>> {
        let study = Arc::clone(&self.study);
        let values = values.into_iter().map(|(name, value)| (name, value.into())).collect();
        let request = RegionRequest { values, image, bounds: bounds(at)?, output };
        let made = interruptible(py, &study.settings().stop, {
            let study = Arc::clone(&study);
            move || compute_region(&study, study.settings(), &request)
        })?;
        let region = made.map_err(engine)?;
        match region.as_ref() {
            Region::Dense(dense) => to_array(py, dense.clone()),
            _ => Err(no_pixels()),
        }
    }
}

fn no_pixels() -> PyErr {
    let error = Diagnostic::error("this region has no pixels");
    raise(Kind::Study, &[error.expected_found("a mask, labels or an image", "a table")])
}

/// The image with the outlines of what was found; with a truth, tinted where both agree or not.
#[pyfunction]
pub(crate) fn draw_overlay<'py>(
    py: Python<'py>,
    image: &Bound<'py, PyAny>,
    found: &Bound<'py, PyAny>,
    truth: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (image, found) = (from_array(image)?, from_array(found)?);
    let truth = truth.map(from_array).transpose()?;
    let drawn = py.detach(|| overlay(&image, &found, truth.as_ref()));
    to_array(py, drawn.map_err(|error| engine(error.into()))?)
}
