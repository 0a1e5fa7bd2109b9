//! What the parts of an image will cost, guessed from where its tissue is.

use onceflow_kernels::colour::Statistics;
use onceflow_region::{Bounds, CostMap, Dense, Source, rgb8};

use crate::EngineError;
use crate::image::unreadable;
use crate::operation::colour_view;

/// Cells along the longer side of an image: finer than any sensible number of parts.
const CELLS: u64 = 128;
/// Smaller cells would be mostly reading.
const LEAST_CELL: u64 = 32;
/// What a pixel without tissue costs beside one with it: it is read and looked at, but nothing is found there.
const BLANK: f64 = 0.1;

/// A map of an image's costs: each cell costs as much as it has tissue, and a little for its other pixels.
///
/// The image is read once, cell by cell.
///
/// # Errors
/// When it cannot be read.
pub fn tissue_costs(source: &dyn Source) -> Result<CostMap, EngineError> {
    let whole =
        source.info().bounds().ok_or_else(|| EngineError::Internal("an image without a box".into()))?;
    let cell = whole.width().max(whole.height()).div_ceil(CELLS).max(LEAST_CELL);
    let costs = CostMap::cells(whole, cell).map(|bounds| cost(source, bounds));
    let costs = costs.collect::<Result<Vec<f64>, EngineError>>()?;
    CostMap::new(whole, cell, costs).map_err(|error| EngineError::Internal(error.to_string()))
}

fn cost(source: &dyn Source, bounds: Bounds) -> Result<f64, EngineError> {
    let tissue = tissue_pixels(source, bounds)?;
    let blank = bounds.area().saturating_sub(tissue);
    Ok(tissue as f64 + BLANK * blank as f64)
}

/// How many pixels of a box are tissue.
pub(crate) fn tissue_pixels(source: &dyn Source, bounds: Bounds) -> Result<u64, EngineError> {
    tissue_of(&source.read(bounds).map_err(unreadable)?)
}

/// How many pixels of an image are tissue.
pub(crate) fn tissue_of(image: &Dense) -> Result<u64, EngineError> {
    let dense = rgb8(image).map_err(|error| EngineError::Internal(error.to_string()))?;
    let mut statistics = Statistics::new();
    if let Some(view) = colour_view(&dense) {
        statistics.add(view);
    }
    Ok(statistics.finish().pixels)
}
