//! Which image is written, at which scales.

use onceflow_region::{Bounds, Element, ImageInfo};

use super::PyramidError;

/// What is wanted of an image.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PyramidOptions {
    /// The scale of the source that becomes the whole image: 0 is the source's own whole.
    pub scale: usize,
    /// The box that is wanted, in pixels of the source's whole image; all of it when nothing is said.
    pub bounds: Option<Bounds>,
    /// Columns and rows of a tile of the result: scales end when one tile holds all.
    pub tile: [u64; 2],
    /// Whether the whole image alone is written.
    pub single: bool,
    /// How pixels become fewer; chosen by the element when nothing is said.
    pub halving: Option<Halving>,
}

/// How four pixels become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halving {
    /// Their mean; halves go up. At the right and lower end of an odd side it is the mean of those there are.
    Mean,
    /// The upper left one, for labels: a mean of two labels is a third.
    First,
}

impl Halving {
    /// What suits pixels: whole numbers of 32 and 64 bits in one channel are taken for labels.
    pub fn of(element: Element, channels: usize) -> Halving {
        match element {
            Element::I32 | Element::U32 | Element::I64 | Element::U64 if channels == 1 => Halving::First,
            _ => Halving::Mean,
        }
    }
}

/// The image to be written: its pixels and the sizes of all its scales.
#[derive(Debug, Clone, PartialEq)]
pub struct Pyramid {
    /// Values per pixel: 1 or 3.
    pub channels: usize,
    /// The type of the values.
    pub element: Element,
    /// Micrometres per pixel of the whole image.
    pub um_per_pixel: Option<f64>,
    /// Columns and rows, the whole image first; each side of the next is half of it, rounded up.
    pub scales: Vec<[u64; 2]>,
    /// How pixels become fewer.
    pub halving: Halving,
    /// The scale of the source that is read.
    pub source_scale: usize,
    /// What is read of it, in its own pixels.
    pub bounds: Bounds,
}

/// The most scales: sides of 2^63 pixels have not more.
const MOST_SCALES: usize = 64;

impl Pyramid {
    /// What is written of an image.
    ///
    /// # Errors
    /// When the image has no such scale or box, or tiles have an odd side.
    pub fn plan(info: &ImageInfo, options: &PyramidOptions) -> Result<Pyramid, PyramidError> {
        let bounds = read_bounds(info, options)?;
        let whole = [bounds.width(), bounds.height()];
        check_tile(options, whole)?;
        let scales = if options.single { vec![whole] } else { scales(whole, options.tile) };
        let channels = info.channels as usize;
        let halving = options.halving.unwrap_or_else(|| Halving::of(info.element, channels));
        let um_per_pixel = info.um_per_pixel.map(|um| um * info.scales[options.scale].downsample);
        let (source_scale, element) = (options.scale, info.element);
        Ok(Pyramid { channels, element, um_per_pixel, scales, halving, source_scale, bounds })
    }

    /// The box of a scale; `None` when there is no such scale.
    pub fn scale_bounds(&self, scale: usize) -> Option<Bounds> {
        let [width, height] = *self.scales.get(scale)?;
        Bounds::plane(0, 0, width, height)
    }

    /// Micrometres per pixel of a scale: its pixels are twice as wide as those of the scale before.
    pub fn um_per_pixel_at(&self, scale: usize) -> Option<f64> {
        self.um_per_pixel.map(|um| um * (scale as f64).exp2())
    }

    /// Bytes of the pixels of a box.
    pub fn bytes_of(&self, bounds: &Bounds) -> u64 {
        bounds.area().saturating_mul(self.channels as u64).saturating_mul(self.element.bytes())
    }

    /// Bytes of the pixels of all scales.
    pub fn bytes(&self) -> u64 {
        let area = |&[width, height]: &[u64; 2]| width.saturating_mul(height);
        let pixels = self.scales.iter().map(area).fold(0u64, u64::saturating_add);
        pixels.saturating_mul(self.channels as u64).saturating_mul(self.element.bytes())
    }
}

fn scales(whole: [u64; 2], tile: [u64; 2]) -> Vec<[u64; 2]> {
    let halves = |&[width, height]: &[u64; 2]| {
        (width > tile[0] || height > tile[1]).then(|| [width.div_ceil(2), height.div_ceil(2)])
    };
    std::iter::successors(Some(whole), halves).take(MOST_SCALES).collect()
}

fn check_tile(options: &PyramidOptions, whole: [u64; 2]) -> Result<(), PyramidError> {
    let fits = |tile: u64, side: u64| tile > 0 && (tile.is_multiple_of(2) || tile >= side);
    if fits(options.tile[0], whole[0]) && fits(options.tile[1], whole[1]) {
        return Ok(());
    }
    let found = format!("tiles of {} x {} pixels", options.tile[0], options.tile[1]);
    let expected = "tiles with an even number of columns and rows".to_owned();
    Err(PyramidError::Refused { expected, found, todo: "choose 256 or 512" })
}

/// What is read, in pixels of the scale that is read: every pixel of it that the box touches.
fn read_bounds(info: &ImageInfo, options: &PyramidOptions) -> Result<Bounds, PyramidError> {
    let (Some(whole), Some(scale)) =
        (info.bounds(), info.scale_bounds(options.scale).filter(|scale| !scale.is_empty()))
    else {
        let expected = format!("a scale from 0 to {}", info.scales.len().saturating_sub(1));
        return Err(PyramidError::Refused {
            expected,
            found: options.scale.to_string(),
            todo: "image info lists them",
        });
    };
    let bounds = options.bounds.unwrap_or(whole);
    if bounds.is_empty() || !whole.contains(&bounds) {
        let expected = format!("a box with pixels within {} x {}", info.width, info.height);
        return Err(PyramidError::Refused {
            expected,
            found: bounds.to_string(),
            todo: "move it inside the image",
        });
    }
    let shrink = |start: i64, end: i64, side: u64, of: u64| {
        let (start, end) = (start.unsigned_abs(), end.unsigned_abs());
        let part = |at: u64, up: bool| {
            let (at, side, of) = (u128::from(at), u128::from(side), u128::from(of));
            (if up { (at * side).div_ceil(of) } else { at * side / of }) as u64
        };
        // A box thinner than a pixel of the scale still touches one.
        let first = part(start, false).min(side - 1);
        (first as i64, part(end, true).clamp(first + 1, side) - first)
    };
    let (x, width) = shrink(bounds.x(), bounds.right(), scale.width(), whole.width());
    let (y, height) = shrink(bounds.y(), bounds.bottom(), scale.height(), whole.height());
    Bounds::plane(x, y, width, height).ok_or_else(|| PyramidError::Refused {
        expected: "a box within the image".into(),
        found: bounds.to_string(),
        todo: "move it inside the image",
    })
}
