//! The kernels alone, on arrays: nuclei found, measured and compared.

use onceflow_engine::{
    FeatureFile, FeatureForm, NucleiParameters, NucleiSource, StopFlag, Workspace, agreement,
    available_memory, available_workers, features, segment,
};
use onceflow_imageio::MemoryImage;
use onceflow_kernels::compare::MetricKind;
use onceflow_region::{Budget, Dense, Element, Pixels, Source as _};
use pyo3::prelude::*;
use serde_json::{Map, Value as Json, json};

use crate::error::{Kind, bug, engine, raise};
use crate::opened::ValueWords;
use crate::pixels::{from_array, to_array};
use crate::waiting::interruptible;

/// Finds nuclei: how it ended, and their labels.
#[pyfunction]
pub(crate) fn segment_array<'py>(
    py: Python<'py>,
    image: &Bound<'py, PyAny>,
    values: Vec<(String, ValueWords)>,
    normalize: bool,
) -> PyResult<(&'static str, Bound<'py, PyAny>)> {
    let (image, parameters) = (from_array(image)?, parameters(values)?);
    let found = interruptible(py, &StopFlag::default(), move || {
        let (width, height) = (image.width(), image.height());
        let source = MemoryImage::new(image, None);
        let workspace = workspace(available_memory(), &|_| ());
        let mut found = segment(&source, &parameters.to_kernel()?, normalize, &workspace)?;
        let mut labels = Vec::with_capacity(width * height);
        let given = found.give_labels(&workspace, &mut |rows| {
            match rows {
                Pixels::U32(rows) => labels.extend_from_slice(rows),
                Pixels::U16(rows) => labels.extend(rows.iter().map(|label| u32::from(*label))),
                Pixels::U8(rows) => labels.extend(rows.iter().map(|label| u32::from(*label))),
                _ => {}
            }
            Ok(())
        });
        given.map_err(|error| onceflow_engine::NucleiError::Internal(error.to_string()))?;
        let labels = Dense::new(width, height, 1, Pixels::U32(labels));
        let labels = labels.map_err(|error| onceflow_engine::NucleiError::Internal(error.to_string()))?;
        Ok::<_, onceflow_engine::NucleiError>((found.status_word(), labels))
    })?;
    let (status, labels) = found.map_err(|error| engine(error.into()))?;
    Ok((status, to_array(py, labels)?))
}

/// Measures objects of an image, given as labels or found: a table as CSV.
#[pyfunction]
pub(crate) fn measure_array(
    py: Python<'_>,
    image: &Bound<'_, PyAny>,
    labels: Option<&Bound<'_, PyAny>>,
    values: Vec<(String, ValueWords)>,
    normalize: bool,
) -> PyResult<String> {
    let (image, parameters) = (from_array(image)?, parameters(values)?);
    let labels = labels.map(from_array).transpose()?.map(|labels| MemoryImage::new(labels, None));
    let measured = interruptible(py, &StopFlag::default(), move || {
        let source = MemoryImage::new(image, None);
        let workspace = workspace(available_memory(), &|_| ());
        let kernel = parameters.to_kernel()?;
        let nuclei = match &labels {
            // Bytes are a mask, numbers of 32 bits are objects.
            Some(mask) if mask.info().element == Element::U8 => NucleiSource::Mask("labels", mask),
            Some(labels) => NucleiSource::Labels("labels", labels),
            None => NucleiSource::Found(&kernel),
        };
        let mut found = features(&source, nuclei, normalize, &workspace)?;
        let mut bytes = Vec::new();
        let written = FeatureFile::new(FeatureForm::Csv, &mut bytes).and_then(|mut file| {
            found.measure(&workspace, |object| file.add(object))?;
            file.finish()
        });
        written.map_err(|error| onceflow_engine::NucleiError::Internal(error.to_string()))?;
        Ok::<_, onceflow_engine::NucleiError>(bytes)
    })?;
    let bytes = measured.map_err(|error| engine(error.into()))?;
    String::from_utf8(bytes).map_err(|error| bug(&error.to_string()))
}

/// Compares two masks or images of labels: every measure by its word, as JSON.
#[pyfunction]
pub(crate) fn compare_arrays(
    py: Python<'_>,
    found: &Bound<'_, PyAny>,
    truth: &Bound<'_, PyAny>,
    um_per_pixel: Option<f64>,
) -> PyResult<String> {
    let (found, truth) = (from_array(found)?, from_array(truth)?);
    let (found, truth) = (MemoryImage::new(found, None), MemoryImage::new(truth, None));
    let counts =
        interruptible(py, &StopFlag::default(), move || agreement(("found", &found), ("truth", &truth)))?;
    let counts = counts.map_err(|error| engine(error.into()))?;
    let value =
        |measure: MetricKind| (measure.word().to_owned(), json!(measure.value(&counts, um_per_pixel)));
    let measures: Map<String, Json> = MetricKind::ALL.into_iter().map(value).collect();
    Ok(Json::Object(measures).to_string())
}

fn parameters(values: Vec<(String, ValueWords)>) -> PyResult<NucleiParameters> {
    let mut parameters = NucleiParameters::new().map_err(|error| engine(error.into()))?;
    for (name, value) in values {
        parameters.set(&name, &value.into()).map_err(|message| raise(Kind::Study, &[*message]))?;
    }
    Ok(parameters)
}

fn workspace(memory: u64, watch: &dyn Fn(onceflow_engine::StepProgress)) -> Workspace<'_> {
    let (budget, folder) = (Budget::new(memory), std::env::temp_dir());
    Workspace { budget, tiling: None, folder, workers: available_workers(), watch }
}
