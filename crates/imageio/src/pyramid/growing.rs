//! Tiles of smaller scales that grow until all their pixels are there.

use std::collections::BTreeMap;

use onceflow_region::{Bounds, Dense, Pixels};

use super::PyramidError;
use super::grid::TileGrid;
use super::halve::halve;

/// The tiles of all scales that still miss pixels.
pub(super) struct GrowingTiles<'a> {
    grid: &'a TileGrid,
    tiles: BTreeMap<(usize, [i64; 2]), GrowingTile>,
}

struct GrowingTile {
    bounds: Bounds,
    pixels: Pixels,
    /// How many pixels are missing.
    missing: u64,
}

impl<'a> GrowingTiles<'a> {
    pub(super) fn new(grid: &'a TileGrid) -> Self {
        Self { grid, tiles: BTreeMap::new() }
    }

    /// Adds pixels of a scale that lie within one tile; what becomes whole by them is given out, the largest scale first.
    pub(super) fn add(
        &mut self,
        (mut scale, mut bounds, mut image): (usize, Bounds, Dense),
        mut whole: impl FnMut(usize, Bounds, &Dense) -> Result<(), PyramidError>,
    ) -> Result<(), PyramidError> {
        while let Some((of, tile)) = self.grow(scale, bounds, &image)? {
            whole(scale, of, &tile)?;
            if scale == self.grid.last() {
                break;
            }
            image = halve(&tile, self.grid.halving)?;
            (scale, bounds) = (scale + 1, self.grid.halved(scale, &of)?);
        }
        Ok(())
    }

    /// Adds pixels to their tile, and takes it out when it is whole.
    fn grow(
        &mut self,
        scale: usize,
        bounds: Bounds,
        image: &Dense,
    ) -> Result<Option<(Bounds, Dense)>, PyramidError> {
        let of = self.grid.tile_at(scale, &bounds)?;
        let key = (scale, [of.y(), of.x()]);
        let channels = self.grid.channels;
        let tile = self.tiles.entry(key).or_insert_with(|| {
            let values = of.area() as usize * channels;
            GrowingTile { bounds: of, pixels: Pixels::zeros(self.grid.element, values), missing: of.area() }
        });
        let place = bounds.relative_to(&of).as_ref().and_then(Bounds::indices);
        let [x, y, ..] = place.ok_or_else(|| self.grid.lost(&bounds))?;
        let pitch = of.width() as usize * channels;
        tile.pixels.paste(y * pitch + x * channels, pitch, image.pixels(), image.width() * channels);
        tile.missing = tile.missing.saturating_sub(bounds.area());
        if tile.missing > 0 {
            return Ok(None);
        }
        let Some(GrowingTile { bounds, pixels, .. }) = self.tiles.remove(&key) else { return Ok(None) };
        let [_, _, width, height] = bounds.indices().ok_or_else(|| self.grid.lost(&bounds))?;
        Ok(Some((bounds, Dense::new(width, height, channels, pixels)?)))
    }
}
