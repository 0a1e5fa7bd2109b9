//! The description of an image, and the rendering of any of its tiles.

mod block;

use block::PaintedBlock;

use crate::cells::NucleusGrid;
use crate::error::SynthError;
use crate::error::{MAX_SIDE, MAX_TILE_PIXELS};
use crate::frame::Frame;
use crate::ground::GroundSurvey;
use crate::look::SlideLook;
use crate::matter::Matter;
use crate::stain::Stain;

/// Tiles are painted in blocks of at most this side, which keeps working memory small.
const BLOCK: usize = 256;

/// A synthetic H&E image of a given size: a description without pixels, cheap to clone.
///
/// The same size and seed give the same image, on every machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Tissue {
    width: u64,
    height: u64,
    seed: u64,
    slide: Option<u64>,
    pub(crate) survey: GroundSurvey,
    pub(crate) cells: NucleusGrid,
    pub(crate) matter: Matter,
    stain: Stain,
}

/// The pixels of a rectangle of an image and their truth, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TissueTile {
    /// Red, green and blue of each pixel.
    pub rgb: Vec<u8>,
    /// The nucleus that each pixel belongs to, 0 for none.
    ///
    /// A nucleus bears the same number in every tile it reaches. Numbers count the cells of a grid of
    /// 24 by 24 pixels row by row, with a border of two cells around the image; a cell holds one nucleus at most.
    pub labels: Vec<u32>,
}

impl Tissue {
    /// Describes an image.
    ///
    /// # Errors
    /// When a side is 0 or above [`MAX_SIDE`], or when nuclei could outnumber 32-bit labels, which takes
    /// about 2.4 million million pixels.
    pub fn new(width: u64, height: u64, seed: u64) -> Result<Self, SynthError> {
        for (axis, found) in [("width", width), ("height", height)] {
            if !(1..=MAX_SIDE).contains(&found) {
                return Err(SynthError::Side { axis, found });
            }
        }
        Ok(Self {
            width,
            height,
            seed,
            slide: None,
            survey: GroundSurvey::new(width, height, seed),
            cells: NucleusGrid::new(width, height, seed).ok_or(SynthError::Labels { width, height })?,
            matter: Matter::new(seed),
            stain: Stain::new(seed),
        })
    }

    /// The same tissue on a slide, which shifts what slides of one study differ in: stain, and the density and the size of
    /// nuclei. Images with one slide and different seeds are places of one slide.
    #[must_use]
    pub fn of_slide(self, slide: u64) -> Self {
        let look = SlideLook::of_slide(slide);
        Self {
            slide: Some(slide),
            cells: self.cells.of_slide(look),
            stain: self.stain.of_slide(look),
            ..self
        }
    }

    /// The slide it lies on, if it lies on one.
    pub fn slide(&self) -> Option<u64> {
        self.slide
    }

    /// Width of the image in pixels.
    pub fn width(&self) -> u64 {
        self.width
    }

    /// Height of the image in pixels.
    pub fn height(&self) -> u64 {
        self.height
    }

    /// The seed that tells this image from others of its size.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Renders the rectangle at `(x, y)`; every tile equals that rectangle of the whole image.
    ///
    /// # Errors
    /// When the rectangle is empty, reaches outside the image or has more than [`MAX_TILE_PIXELS`].
    pub fn render(&self, x: u64, y: u64, width: usize, height: usize) -> Result<TissueTile, SynthError> {
        self.check(x, y, width, height)?;
        let mut tile = TissueTile { rgb: vec![0; 3 * width * height], labels: vec![0; width * height] };
        for top in (0..height).step_by(BLOCK) {
            for left in (0..width).step_by(BLOCK) {
                let frame = Frame {
                    x: x as i64 + left as i64,
                    y: y as i64 + top as i64,
                    width: BLOCK.min(width - left),
                    height: BLOCK.min(height - top),
                };
                self.render_block(&frame, &mut tile, top * width + left, width);
            }
        }
        Ok(tile)
    }

    fn check(&self, x: u64, y: u64, width: usize, height: usize) -> Result<(), SynthError> {
        let inside =
            |from: u64, count: usize, side: u64| count > 0 && from < side && count as u64 <= side - from;
        if !inside(x, width, self.width) || !inside(y, height, self.height) {
            let (image_width, image_height) = (self.width, self.height);
            return Err(SynthError::Outside { x, y, width, height, image_width, image_height });
        }
        if width as u64 * height as u64 > MAX_TILE_PIXELS {
            return Err(SynthError::Tile { width, height });
        }
        Ok(())
    }

    fn render_block(&self, frame: &Frame, tile: &mut TissueTile, first: usize, stride: usize) {
        let block = PaintedBlock::paint(self, frame);
        for row in 0..frame.height {
            let (from, to) = (row * frame.width, first + row * stride);
            tile.labels[to..to + frame.width].copy_from_slice(&block.labels[from..from + frame.width]);
            let pixels = tile.rgb[3 * to..3 * (to + frame.width)].chunks_exact_mut(3);
            let densities = &block.densities[from..from + frame.width];
            for ((x, pixel), &density) in (frame.x..).zip(pixels).zip(densities) {
                pixel.copy_from_slice(&self.stain.colour(density, x, frame.y + row as i64));
            }
        }
    }
}
