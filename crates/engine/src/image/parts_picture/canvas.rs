//! Colours that are drawn on.

use onceflow_region::{Bounds, Dense, Pixels, RegionError};

use super::digits;

/// The border of a part: no colour of stained tissue.
pub(super) const BORDER: [u8; 3] = [0, 84, 209];
/// The border of what a part reads.
pub(super) const HALO: [u8; 3] = [64, 190, 255];
/// Numbers, and what they stand on.
pub(super) const NUMBER: [u8; 3] = [0, 50, 140];
const PAPER: [u8; 3] = [255, 255, 255];
/// Parts without tissue are mixed with it.
const SHADE: u16 = 110;

/// Colours that are drawn on.
pub(super) struct Canvas {
    width: usize,
    height: usize,
    colours: Vec<u8>,
}

impl Canvas {
    /// A copy of an image; none when it has no colours of 8 bits.
    pub(super) fn new(image: &Dense) -> Option<Canvas> {
        let colours = image.as_u8().filter(|_| image.channels() == 3)?.to_vec();
        Some(Canvas { width: image.width(), height: image.height(), colours })
    }

    pub(super) fn into_dense(self) -> Result<Dense, RegionError> {
        Dense::new(self.width, self.height, 3, Pixels::U8(self.colours))
    }

    /// Mixes a box with grey.
    pub(super) fn shade(&mut self, bounds: &Bounds) {
        for y in bounds.y()..bounds.bottom() {
            for x in bounds.x()..bounds.right() {
                if let Some(pixel) = self.pixel(x, y) {
                    pixel.iter_mut().for_each(|value| *value = ((u16::from(*value) + SHADE) / 2) as u8);
                }
            }
        }
    }

    /// A line of one pixel along the inner side of a box, every other pixel.
    pub(super) fn halo(&mut self, bounds: &Bounds) {
        self.frame(bounds, |x, y| (x + y) % 2 == 0, HALO);
    }

    /// A line of one pixel along the inner side of a box: with its neighbour's it is two.
    pub(super) fn border(&mut self, bounds: &Bounds) {
        self.frame(bounds, |_, _| true, BORDER);
    }

    /// A number in the middle of a box, as large as it has room; nothing when there is none.
    pub(super) fn number(&mut self, bounds: &Bounds, number: usize) {
        let text = number.to_string();
        let (width, height) = digits::size(&text);
        let fits = |times: &i64| {
            // Beside the number the image must be seen.
            (width * times + 8) as u64 <= bounds.width() && (height * times + 8) as u64 * 2 <= bounds.height()
        };
        let Some(times) = (2..=4).rev().find(fits) else { return };
        let left = bounds.x() + (bounds.width() as i64 - width * times) / 2;
        let top = bounds.y() + (bounds.height() as i64 - height * times) / 2;
        for y in -2..height * times + 2 {
            for x in -2..width * times + 2 {
                let inked = digits::inked(&text, x.div_euclid(times), y.div_euclid(times));
                self.set(left + x, top + y, if inked { NUMBER } else { PAPER });
            }
        }
    }

    fn frame(&mut self, bounds: &Bounds, drawn: impl Fn(i64, i64) -> bool, colour: [u8; 3]) {
        let (right, bottom) = (bounds.right() - 1, bounds.bottom() - 1);
        let across = (bounds.x()..=right).flat_map(|x| [(x, bounds.y()), (x, bottom)]);
        let down = (bounds.y()..=bottom).flat_map(|y| [(bounds.x(), y), (right, y)]);
        across.chain(down).filter(|(x, y)| drawn(*x, *y)).for_each(|(x, y)| self.set(x, y, colour));
    }

    fn set(&mut self, x: i64, y: i64, colour: [u8; 3]) {
        if let Some(pixel) = self.pixel(x, y) {
            pixel.copy_from_slice(&colour);
        }
    }

    fn pixel(&mut self, x: i64, y: i64) -> Option<&mut [u8]> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        if x >= self.width || y >= self.height {
            return None;
        }
        let first = (y * self.width + x) * 3;
        self.colours.get_mut(first..first + 3)
    }
}
