//! The slow fields of a block of pixels, computed at every eighth pixel and interpolated between.

use crate::frame::Frame;
use crate::ground::{GroundFields, GroundSurvey};

/// Distance between computed points. They stand at multiples of it in the image, whatever the block.
const STEP: i64 = 8;

/// The computed points around one block.
pub(crate) struct Lattice {
    left: i64,
    top: i64,
    columns: usize,
    points: Vec<GroundFields>,
}

impl Lattice {
    pub(crate) fn new(survey: &GroundSurvey, frame: &Frame) -> Self {
        let &Frame { x, y, width, height } = frame;
        let (left, top) = (x.div_euclid(STEP), y.div_euclid(STEP));
        let columns = ((x + width as i64 - 1).div_euclid(STEP) - left + 2) as usize;
        let rows = ((y + height as i64 - 1).div_euclid(STEP) - top + 2) as usize;
        let point = |index: usize| {
            let (column, row) = (left + (index % columns) as i64, top + (index / columns) as i64);
            survey.at((column * STEP) as f64, (row * STEP) as f64)
        };
        Self { left, top, columns, points: (0..columns * rows).map(point).collect() }
    }

    /// The ground of pixel row `y` at every computed column.
    pub(crate) fn row(&self, y: i64) -> Vec<GroundFields> {
        let first = ((y.div_euclid(STEP) - self.top) as usize) * self.columns;
        let t = y.rem_euclid(STEP) as f32 / STEP as f32;
        let (upper, lower) = (&self.points[first..], &self.points[first + self.columns..]);
        (0..self.columns).map(|column| upper[column].towards(&lower[column], t)).collect()
    }

    /// The ground of pixel column `x` in a row from [`Lattice::row`].
    #[inline]
    pub(crate) fn pixel(&self, row: &[GroundFields], x: i64) -> GroundFields {
        let column = (x.div_euclid(STEP) - self.left) as usize;
        row[column].towards(&row[column + 1], x.rem_euclid(STEP) as f32 / STEP as f32)
    }
}
