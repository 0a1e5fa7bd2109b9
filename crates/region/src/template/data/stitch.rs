//! A plane put together from its pieces.

use std::sync::Arc;

use super::DataRegion;
use crate::{Bounds, Dense, Pieces, Pixels, READ_LIMIT, RegionError};

/// What of the pieces lies in a box; of each piece only that is read.
pub(super) fn plane(pieces: &Pieces<Arc<DataRegion>>, interest: &Bounds) -> Result<Dense, RegionError> {
    let mut sheet: Option<StitchedPlane> = None;
    for piece in pieces.query(interest) {
        let Some(shared) = piece.bounds.intersect(interest) else { continue };
        // In its own coordinates a piece may lie elsewhere: a file of its own begins at 0.
        let its = piece.id.info().bounds;
        let moved = shared.relative_to(&piece.bounds).and_then(|seen| seen.translate(its.x(), its.y()));
        let seen = moved.map(|seen| Bounds::new(seen.columns(), seen.rows(), its.z(), its.time()));
        let outside = || RegionError::Outside { outer: Box::new(its), inner: Box::new(shared) };
        let held = piece.id.with_interest(seen.ok_or_else(outside)?)?.get()?;
        let dense = held.as_dense().ok_or_else(|| wrong_kind(&held))?;
        let sheet = match &mut sheet {
            Some(sheet) => sheet,
            None => sheet.insert(StitchedPlane::new(interest, dense)?),
        };
        sheet.paste(dense, &shared)?;
    }
    sheet.ok_or_else(|| uncovered(interest))?.finish()
}

/// A plane that is being filled.
struct StitchedPlane {
    bounds: Bounds,
    channels: usize,
    pixels: Pixels,
    /// Which pixels are there.
    covered: Vec<bool>,
}

impl StitchedPlane {
    fn new(bounds: &Bounds, like: &Dense) -> Result<StitchedPlane, RegionError> {
        let (area, channels) = (bounds.area(), like.channels());
        let bytes = area.saturating_mul(channels as u64).saturating_mul(like.element().bytes());
        if bytes > READ_LIMIT {
            return Err(RegionError::Size { width: bounds.width(), height: bounds.height(), channels });
        }
        let pixels = Pixels::zeros(like.element(), area as usize * channels);
        Ok(StitchedPlane { bounds: *bounds, channels, pixels, covered: vec![false; area as usize] })
    }

    fn paste(&mut self, piece: &Dense, at: &Bounds) -> Result<(), RegionError> {
        let width = at.width() as usize;
        let starts: Vec<usize> = self.bounds.row_offsets(at).map(|start| start as usize).collect();
        starts.iter().for_each(|&start| self.covered[start..start + width].fill(true));
        if (piece.channels(), piece.element()) != (self.channels, self.pixels.element()) {
            return Err(different(piece));
        }
        let (first, pitch) =
            (starts.first().map_or(0, |start| start * self.channels), self.bounds.width() as usize);
        self.pixels.paste(first, pitch * self.channels, piece.pixels(), width * self.channels);
        Ok(())
    }

    fn finish(self) -> Result<Dense, RegionError> {
        if self.covered.contains(&false) {
            return Err(uncovered(&self.bounds));
        }
        let (width, height) = (self.bounds.width() as usize, self.bounds.height() as usize);
        Dense::new(width, height, self.channels, self.pixels)
    }
}

fn uncovered(bounds: &Bounds) -> RegionError {
    let (expected, todo) = ("pieces that cover what is of interest", "ask for less, or give the others");
    RegionError::Partition { expected, found: format!("gaps in {bounds}"), todo }
}

fn wrong_kind(region: &crate::Region) -> RegionError {
    let (expected, todo) = ("pieces that are planes", "read them one by one");
    RegionError::Partition { expected, found: region.kind().to_string(), todo }
}

fn different(piece: &Dense) -> RegionError {
    let (channels, element) = (piece.channels(), piece.element());
    let (expected, todo) = ("pieces of one element and number of channels", "convert them first");
    RegionError::Kind { expected, channels, element, todo }
}
