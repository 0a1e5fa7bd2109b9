//! The rectangle of image pixels that a block covers.

/// A rectangle of pixels, at `(x, y)` in the image.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) x: i64,
    pub(crate) y: i64,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Frame {
    pub(crate) fn pixels(&self) -> usize {
        self.width * self.height
    }

    /// Calls `visit` with the index of every pixel within `reach` of the point `(x, y)` along both axes, and
    /// with how far right and down of the point the pixel's centre lies.
    #[inline]
    pub(crate) fn around(&self, x: f64, y: f64, reach: f64, mut visit: impl FnMut(usize, f32, f32)) {
        let columns = overlap(x - reach, x + reach, self.x, self.width);
        for row in overlap(y - reach, y + reach, self.y, self.height) {
            let down = ((self.y + row as i64) as f64 + 0.5 - y) as f32;
            for column in columns.clone() {
                let right = ((self.x + column as i64) as f64 + 0.5 - x) as f32;
                visit(row * self.width + column, right, down);
            }
        }
    }
}

/// The indices, of `count` pixels from `first` on, that the interval from `low` to `high` touches.
fn overlap(low: f64, high: f64, first: i64, count: usize) -> core::ops::Range<usize> {
    let inside = |end: i64| (end - first).clamp(0, count as i64) as usize;
    inside(low as i64 - 1)..inside(high as i64 + 2)
}
