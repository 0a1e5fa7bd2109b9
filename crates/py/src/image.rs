//! Images as files have them, and synthetic tissue.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_engine::{
    AtWork, EngineError, StopFlag, bytes_to_paint, open_labels, open_source, paint, tissue,
};
use onceflow_region::Source;
use onceflow_study::Diagnostic;
use pyo3::prelude::*;

use crate::error::{Kind, engine, raise};
use crate::pixels::{BoxWords, bounds, to_array};
use crate::waiting::interruptible;

/// An image that is open; pixels are read when they are asked for.
#[pyclass(frozen, module = "onceflow._core")]
pub(crate) struct Image {
    name: String,
    source: Arc<dyn Source>,
}

#[pymethods]
impl Image {
    /// Opens a file or `synth:` tissue; as labels, the truth of such tissue.
    #[new]
    fn new(py: Python<'_>, path: PathBuf, labels: bool) -> PyResult<Self> {
        let name = path.display().to_string();
        let opened = py.detach(|| {
            let open = if labels { open_labels } else { open_source };
            open(&name, Path::new(""))
        });
        Ok(Self { source: opened.map_err(engine)?, name })
    }

    /// Width and height in pixels.
    #[getter]
    fn size(&self) -> (u64, u64) {
        (self.source.info().width, self.source.info().height)
    }

    /// Values of a pixel.
    #[getter]
    fn channels(&self) -> u32 {
        self.source.info().channels
    }

    /// The type of the values.
    #[getter]
    fn element(&self) -> String {
        self.source.info().element.to_string()
    }

    /// The form of the file.
    #[getter]
    fn format(&self) -> String {
        self.source.info().format.clone()
    }

    /// Micrometres per pixel, where the file says so.
    #[getter]
    fn um_per_pixel(&self) -> Option<f64> {
        self.source.info().um_per_pixel
    }

    /// Width, height and downsampling of each scale.
    #[getter]
    fn scales(&self) -> Vec<(u64, u64, f64)> {
        let scales = self.source.info().scales.iter();
        scales.map(|scale| (scale.width, scale.height, scale.downsample)).collect()
    }

    /// Pixels in a box of a scale; without a box, the whole of it.
    fn read<'py>(&self, py: Python<'py>, at: Option<BoxWords>, scale: usize) -> PyResult<Bound<'py, PyAny>> {
        read(py, &self.source, at, scale)
    }

    /// The same at another resolution; the box is in pixels of that resolution.
    fn read_at<'py>(
        &self,
        py: Python<'py>,
        at: Option<BoxWords>,
        um_per_pixel: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let known = self.source.info().um_per_pixel.ok_or_else(|| {
            let error = Diagnostic::error(format!("{} does not say its resolution", self.name));
            let error = error.expected_found("micrometres per pixel in the file", "none");
            raise(Kind::Study, &[error.with_hint("read it without um_per_pixel, or by its scales")])
        })?;
        let source = Arc::clone(&self.source);
        let work = AtWork::resampled(&self.name, source, known, um_per_pixel).map_err(engine)?;
        read(py, &work.source, at, 0)
    }
}

fn read<'py>(
    py: Python<'py>,
    source: &Arc<dyn Source>,
    at: Option<BoxWords>,
    scale: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let whole = || {
        source.info().scale_bounds(scale).ok_or_else(|| {
            let error = Diagnostic::error("the image has no such scale");
            let scales = source.info().scales.len();
            raise(Kind::Study, &[error.expected_found(format!("a number below {scales}"), scale.to_string())])
        })
    };
    let at = at.map_or_else(whole, bounds)?;
    let source = Arc::clone(source);
    let dense = interruptible(py, &StopFlag::default(), move || source.read_scale(scale, at))?;
    let dense = dense.map_err(|error| raise(Kind::Study, &[Diagnostic::error(error.to_string())]))?;
    to_array(py, dense)
}

/// Paints synthetic tissue: its image and its labels.
#[pyfunction]
pub(crate) fn paint_tissue<'py>(
    py: Python<'py>,
    width: u64,
    height: u64,
    seed: u64,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let painted = interruptible(py, &StopFlag::default(), move || {
        let tissue = tissue(width, height, seed)?;
        let (needed, limit) = (bytes_to_paint(&tissue), onceflow_engine::available_memory());
        if needed > limit {
            return Err(EngineError::Memory { task: "synth".into(), needed, limit });
        }
        paint(&tissue, true)
    })?;
    let painted = painted.map_err(engine)?;
    let truth = painted.truth.ok_or_else(|| crate::error::bug("tissue without a truth"))?;
    Ok((to_array(py, painted.image)?, to_array(py, truth)?))
}
