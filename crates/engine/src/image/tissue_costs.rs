//! What the parts of an image will cost, guessed from where its tissue is.

use onceflow_kernels::colour::ColourSums;
use onceflow_kernels::dense::colour as colour_view;
use onceflow_region::{Bounds, CostMap, Dense, Source, rgb8};

use crate::EngineError;
use crate::image::unreadable;

/// A part with less tissue than this holds nothing to study.
pub(crate) const LEAST_TISSUE: f64 = 0.01;

/// Cells along the longer side of an image: finer than any sensible number of parts.
const CELLS: u64 = 128;
/// Smaller cells would be mostly reading.
const LEAST_CELL: u64 = 32;
/// Pixels along a cell that are enough to see how much tissue it holds.
const ENOUGH: u64 = 16;
/// Rows of a coarse scale that are read at once.
const BAND: i64 = 1024;
/// What a pixel without tissue costs beside one with it: it is read and looked at, but nothing is found there.
pub const BLANK_COST: f64 = 0.1;

/// A map of an image's costs: each cell costs as much as it has tissue, and a little for its other pixels.
///
/// Of an image with scales a coarse one is read, in bands of rows; of one without them everything, cell by cell.
///
/// # Errors
/// When it cannot be read.
pub fn tissue_costs(source: &dyn Source) -> Result<CostMap, EngineError> {
    let whole =
        source.info().bounds().ok_or_else(|| EngineError::Internal("an image without a box".into()))?;
    let cell = whole.width().max(whole.height()).div_ceil(CELLS).max(LEAST_CELL);
    let cells: Vec<Bounds> = CostMap::cells(whole, cell).collect();
    let shares = match coarse(source, cell) {
        Some(scale) => Coarse { source, scale, whole }.shares(&cells),
        None => cells.iter().map(|bounds| share(tissue_pixels(source, *bounds)?, bounds)).collect(),
    };
    let costs = cells.iter().zip(shares?).map(|(bounds, share)| cost(bounds, share)).collect();
    CostMap::new(whole, cell, costs).map_err(|error| EngineError::Internal(error.to_string()))
}

fn cost(bounds: &Bounds, share: f64) -> f64 {
    bounds.area() as f64 * (share + BLANK_COST * (1.0 - share))
}

/// How much of a box is tissue.
fn share(tissue: u64, bounds: &Bounds) -> Result<f64, EngineError> {
    Ok(tissue as f64 / bounds.area().max(1) as f64)
}

/// The coarsest scale that still shows enough of a cell.
fn coarse(source: &dyn Source, cell: u64) -> Option<usize> {
    let most = cell as f64 / ENOUGH as f64;
    let scales = source.info().scales.iter().enumerate();
    let coarse = scales.filter(|(_, scale)| scale.downsample > 1.0 && scale.downsample <= most);
    coarse.max_by(|a, b| a.1.downsample.total_cmp(&b.1.downsample)).map(|(number, _)| number)
}

/// An image as one of its scales shows it.
struct Coarse<'a> {
    source: &'a dyn Source,
    scale: usize,
    whole: Bounds,
}

impl Coarse<'_> {
    /// How much of each cell is tissue. Cells come row by row.
    fn shares(&self, cells: &[Bounds]) -> Result<Vec<f64>, EngineError> {
        let mut shares = Vec::with_capacity(cells.len());
        let mut rest = cells;
        while let Some(first) = rest.first() {
            // Several rows of cells at once: tiles of the file would be unpacked for each of them again.
            let in_band = |cell: &Bounds| self.row(cell.bottom()) - self.row(first.y()) <= BAND;
            let row = rest.iter().take_while(|cell| cell.y() == first.y()).count();
            let band = rest.iter().take_while(|cell| in_band(cell)).count().max(row);
            let (cells, others) = rest.split_at(band);
            self.add_band(cells, &mut shares)?;
            rest = others;
        }
        Ok(shares)
    }

    fn add_band(&self, cells: &[Bounds], shares: &mut Vec<f64>) -> Result<(), EngineError> {
        let outside = || EngineError::Internal("a cell outside its image".into());
        let boxes = cells.iter().map(|cell| self.seen(cell)).collect::<Option<Vec<Bounds>>>();
        let boxes = boxes.ok_or_else(outside)?;
        let band = boxes.iter().copied().reduce(|band, cell| band.hull(&cell)).ok_or_else(outside)?;
        let pixels = self.source.read_scale(self.scale, band).map_err(unreadable)?;
        for bounds in boxes {
            let inner =
                Bounds::plane(bounds.x() - band.x(), bounds.y() - band.y(), bounds.width(), bounds.height());
            let cell = inner.and_then(|inner| pixels.crop(inner).ok()).ok_or_else(outside)?;
            shares.push(share(tissue_of(&cell)?, &bounds)?);
        }
        Ok(())
    }

    /// A cell in the pixels of the scale.
    fn seen(&self, cell: &Bounds) -> Option<Bounds> {
        let (left, top) = (self.column(cell.x()), self.row(cell.y()));
        let length = |from: i64, to: i64| (to - from).max(1).unsigned_abs();
        let (width, height) = (length(left, self.column(cell.right())), length(top, self.row(cell.bottom())));
        Bounds::plane(left, top, width, height)?.intersect(&self.source.info().scale_bounds(self.scale)?)
    }

    fn column(&self, x: i64) -> i64 {
        along(x, self.whole.width(), self.source.info().scales[self.scale].width)
    }

    fn row(&self, y: i64) -> i64 {
        along(y, self.whole.height(), self.source.info().scales[self.scale].height)
    }
}

/// A place of the whole image in one with other sides.
fn along(place: i64, whole: u64, coarse: u64) -> i64 {
    (i128::from(place) * i128::from(coarse) / i128::from(whole.max(1))) as i64
}

/// How many pixels of a box are tissue.
pub(crate) fn tissue_pixels(source: &dyn Source, bounds: Bounds) -> Result<u64, EngineError> {
    tissue_pixels_of(source, 0, bounds)
}

/// The same of a scale, in its own pixels.
pub(crate) fn tissue_pixels_of(
    source: &dyn Source,
    scale: usize,
    bounds: Bounds,
) -> Result<u64, EngineError> {
    tissue_of(&source.read_scale(scale, bounds).map_err(unreadable)?)
}

/// How many pixels of an image are tissue.
pub(crate) fn tissue_of(image: &Dense) -> Result<u64, EngineError> {
    let dense = rgb8(image).map_err(|error| EngineError::Internal(error.to_string()))?;
    let mut statistics = ColourSums::new();
    if let Some(view) = colour_view(&dense) {
        statistics.add(view);
    }
    Ok(statistics.finish().pixels)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use onceflow_region::{Details, Digest, Element, ImageInfo, ImageScale, Pixels, SourceError};

    use super::*;

    /// Tissue in the left third of an image, with scales or without, that counts the pixels that are read.
    #[derive(Debug)]
    struct Counting {
        info: ImageInfo,
        read: AtomicU64,
    }

    impl Counting {
        fn new(scales: &[u64]) -> Counting {
            let (width, height) = (20_000, 9_000);
            let scale =
                |by: &u64| ImageScale { width: width / by, height: height / by, downsample: *by as f64 };
            let info = ImageInfo {
                format: "test".into(),
                width,
                height,
                channels: 3,
                element: Element::U8,
                um_per_pixel: None,
                scales: scales.iter().map(scale).collect(),
                details: Details::default(),
            };
            Counting { info, read: AtomicU64::new(0) }
        }
    }

    impl Source for Counting {
        fn info(&self) -> &ImageInfo {
            &self.info
        }

        fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
            self.read_scale(0, bounds)
        }

        fn read_scale(&self, scale: usize, bounds: Bounds) -> Result<Dense, SourceError> {
            self.read.fetch_add(bounds.area(), Ordering::Relaxed);
            let end = (self.info.scales[scale].width / 3) as i64;
            let colour = |x: i64| if x < end { [120, 60, 140] } else { [240, 240, 240] };
            let row: Vec<u8> = (bounds.x()..bounds.right()).flat_map(colour).collect();
            let (width, height) = (bounds.width() as usize, bounds.height() as usize);
            Ok(Dense::new(width, height, 3, Pixels::U8(row.repeat(height))).unwrap())
        }

        fn digest(&self) -> Result<Digest, SourceError> {
            Ok(Digest([0; 32]))
        }
    }

    #[test]
    fn a_coarse_scale_tells_the_same_costs_for_few_pixels() {
        let (whole, scales) = (Counting::new(&[1]), Counting::new(&[1, 4, 8, 32]));
        let maps = [&whole, &scales].map(|source| tissue_costs(source).unwrap());
        let read = [&whole, &scales].map(|source| source.read.load(Ordering::Relaxed));
        assert_eq!(read, [20_000 * 9_000, 2_500 * 1_125]);
        let left = Bounds::plane(0, 0, 10_000, 9_000).unwrap();
        for bounds in [left, whole.info.bounds().unwrap()] {
            let [exact, seen] = maps.each_ref().map(|map| map.cost(&bounds));
            assert!((seen / exact - 1.0).abs() < 0.01, "{seen} {exact}");
        }
    }
}
