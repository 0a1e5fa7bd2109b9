//! How the scales of an image lie on each other: tiles, and blocks of tiles that are read at once.

use onceflow_region::{Access, Bounds, Element};

use super::order::BlockOrder;
use super::{Halving, Pyramid, PyramidError};

/// About the columns and rows of a block: large beside the tiles of a source, which are decoded again at its border.
const BLOCK: u64 = 2048;

/// The most bytes of a band of blocks, where whole rows are read at once.
const BAND: u64 = 64 << 20;

/// The geometry of all that is computed.
#[derive(Debug)]
pub(super) struct TileGrid {
    /// Columns and rows of each scale.
    scales: Vec<[u64; 2]>,
    tile: [u64; 2],
    /// How often a block is halved until it is one tile.
    depth: usize,
    /// How blocks follow each other.
    access: Access,
    pub(super) channels: usize,
    pub(super) element: Element,
    pub(super) halving: Halving,
}

impl TileGrid {
    pub(super) fn new(pyramid: &Pyramid, tile: [u64; 2], access: Access) -> TileGrid {
        let scales = pyramid.scales.clone();
        let (channels, element, halving) = (pyramid.channels, pyramid.element, pyramid.halving);
        let mut grid = TileGrid { scales, tile, depth: 0, access, channels, element, halving };
        while grid.depth < grid.last() && grid.may_be_deeper() {
            grid.depth += 1;
        }
        grid
    }

    /// The depth must not follow from memory or threads: the order of tiles in the result does from it.
    fn may_be_deeper(&self) -> bool {
        let [width, height] = self.tile.map(|side| side << self.depth << 1);
        let band = self.scales[0][0].saturating_mul(height).saturating_mul(self.pixel_bytes());
        width.max(height) <= BLOCK && (self.access != Access::Rows || band <= BAND)
    }

    /// The last scale.
    pub(super) fn last(&self) -> usize {
        self.scales.len().saturating_sub(1)
    }

    /// The scale that reading threads halve blocks to; above it tiles are put together.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        let [across, down] = self.blocks_along();
        usize::try_from(across.saturating_mul(down)).unwrap_or(usize::MAX)
    }

    /// The order in which blocks are read: quarter by quarter, so that few tiles grow at a time, or else row by row.
    pub(super) fn order(&self) -> BlockOrder {
        BlockOrder::new(self.blocks_along(), self.access == Access::Boxes)
    }

    /// The box of a block.
    pub(super) fn block(&self, [column, row]: [u64; 2]) -> Result<Bounds, PyramidError> {
        let [width, height] = self.block_sides();
        self.cut(0, [column * width, row * height], [width, height])
    }

    /// Rows of a block.
    pub(super) fn block_rows(&self) -> u64 {
        self.block_sides()[1]
    }

    /// The tiles of a scale that lie in a box which begins on the grid.
    pub(super) fn tiles_in(&self, bounds: &Bounds) -> impl Iterator<Item = Bounds> + use<> {
        let ([width, height], bounds) = (self.tile.map(|side| side as usize), *bounds);
        let rows = (bounds.y()..bounds.bottom()).step_by(height);
        rows.flat_map(move |y| (bounds.x()..bounds.right()).step_by(width).map(move |x| (x, y)))
            .filter_map(move |(x, y)| Bounds::plane(x, y, width as u64, height as u64)?.intersect(&bounds))
    }

    /// The tile of a scale that a box lies in.
    pub(super) fn tile_at(&self, scale: usize, bounds: &Bounds) -> Result<Bounds, PyramidError> {
        let start = |at: i64, side: u64| at.unsigned_abs() / side * side;
        let origin = [start(bounds.x(), self.tile[0]), start(bounds.y(), self.tile[1])];
        self.cut(scale, origin, self.tile)
    }

    /// The box that a box of a scale is at the next one.
    pub(super) fn halved(&self, scale: usize, bounds: &Bounds) -> Result<Bounds, PyramidError> {
        let origin = [bounds.x().unsigned_abs() / 2, bounds.y().unsigned_abs() / 2];
        self.cut(scale + 1, origin, [bounds.width().div_ceil(2), bounds.height().div_ceil(2)])
    }

    /// Bytes of a block's pixels.
    pub(super) fn block_bytes(&self) -> u64 {
        let [width, height] = self.block_sides();
        self.bytes([width.min(self.scales[0][0]), height.min(self.scales[0][1])])
    }

    /// Bytes of a band of blocks.
    pub(super) fn band_bytes(&self) -> u64 {
        let [width, height] = self.scales[0];
        self.bytes([width, height.min(self.block_sides()[1])])
    }

    /// Bytes of the tiles that grow at one time: of each scale that is put together one, or a row of them.
    pub(super) fn growing_bytes(&self) -> u64 {
        let scales = self.scales.iter().skip(self.depth + 1);
        let across = if self.access == Access::Boxes { self.tile[0] } else { u64::MAX };
        let tiles = |&[width, height]: &[u64; 2]| self.bytes([width.min(across), height.min(self.tile[1])]);
        scales.map(tiles).fold(0, u64::saturating_add)
    }

    /// Bytes of all that is read.
    pub(super) fn read_bytes(&self) -> u64 {
        self.bytes(self.scales[0])
    }

    /// Pixels of all that is read.
    pub(super) fn pixels(&self) -> u64 {
        self.scales[0][0].saturating_mul(self.scales[0][1])
    }

    /// A box that cannot be: the sides of images are checked when they are opened.
    pub(super) fn lost(&self, bounds: &Bounds) -> PyramidError {
        let [width, height] = self.scales[0];
        let expected = format!("boxes within {width} x {height} pixels");
        PyramidError::Refused { expected, found: bounds.to_string(), todo: "report this, please" }
    }

    fn blocks_along(&self) -> [u64; 2] {
        let sides = self.block_sides();
        [0, 1].map(|axis| self.scales[0][axis].div_ceil(sides[axis]))
    }

    fn block_sides(&self) -> [u64; 2] {
        self.tile.map(|side| side << self.depth)
    }

    fn cut(&self, scale: usize, [x, y]: [u64; 2], [width, height]: [u64; 2]) -> Result<Bounds, PyramidError> {
        let place = |at: u64| i64::try_from(at).unwrap_or(i64::MAX);
        let whole = self.scales.get(scale).and_then(|&[width, height]| Bounds::plane(0, 0, width, height));
        let cut = Bounds::plane(place(x), place(y), width, height).and_then(|b| whole?.intersect(&b));
        cut.ok_or_else(|| PyramidError::Refused {
            expected: format!("a box of scale {scale}"),
            found: format!("{width} x {height} from {x}, {y}"),
            todo: "report this, please",
        })
    }

    fn bytes(&self, [width, height]: [u64; 2]) -> u64 {
        width.saturating_mul(height).saturating_mul(self.pixel_bytes())
    }

    fn pixel_bytes(&self) -> u64 {
        self.channels as u64 * self.element.bytes()
    }
}
