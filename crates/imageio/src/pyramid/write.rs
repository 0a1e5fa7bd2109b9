//! Reading an image once and writing all its scales: many threads read, halve and encode blocks, one puts tiles in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use onceflow_region::{Access, Bounds, Budget, Dense, Lease, Source};

use super::feed::{BlockFeed, PyramidBlock};
use super::grid::TileGrid;
use super::growing::GrowingTiles;
use super::halve::halve;
use super::{Pyramid, PyramidError, ScaleSink, TileEncoder};

/// Threads, memory, progress and stop signal of writing a pyramid.
pub struct PyramidWork<'a> {
    /// Threads that read, halve and encode; they change nothing in the result.
    pub threads: usize,
    /// The ledger that memory is taken from.
    pub budget: Budget,
    /// Told how many pixels of how many are done.
    pub watch: &'a dyn Fn(u64, u64),
    /// Set to stop the work.
    pub stop: &'a AtomicBool,
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PyramidWritten {
    /// Tiles of all scales.
    pub tiles: u64,
    /// Bytes of all encoded tiles.
    pub bytes: u64,
}

/// Reads an image block by block once, halves it again and again, and writes all scales. The result is seen only when it is
/// whole.
///
/// # Errors
/// When the image cannot be read, the result cannot be written, memory does not do for one block, or it was stopped.
pub fn write_pyramid(
    source: &dyn Source,
    pyramid: &Pyramid,
    work: &PyramidWork<'_>,
    mut sink: Box<dyn ScaleSink + '_>,
) -> Result<PyramidWritten, PyramidError> {
    let access = source.access();
    let grid = TileGrid::new(pyramid, sink.tile(), access);
    let (window, _lease) = reserve(&grid, access, work)?;
    let rows = match access {
        Access::Boxes => None,
        Access::Rows => Some(grid.block_rows()),
        Access::Whole => Some(pyramid.bounds.height()),
    };
    let feed = BlockFeed::new((source, pyramid, &grid), window, rows, work.stop);
    let (encoder, (sender, receiver)) = (sink.encoder(), channel());
    let written = thread::scope(|scope| {
        for _ in 0..work.threads.clamp(1, window) {
            let (sender, encoder, feed, grid) = (sender.clone(), &*encoder, &feed, &grid);
            scope.spawn(move || encode_blocks(feed, grid, encoder, &sender));
        }
        drop(sender);
        let mut desk = TileWriter {
            grid: &grid,
            sink: &mut *sink,
            encoder: &*encoder,
            growing: GrowingTiles::new(&grid),
            written: PyramidWritten { tiles: 0, bytes: 0 },
        };
        let put = put_blocks(receiver, &mut desk, &feed, work);
        feed.end();
        put.map(|()| desk.written)
    })?;
    sink.finish()?;
    Ok(written)
}

/// Bytes that a block takes beside its pixels: what decoders and encoders hold.
const BESIDE: u64 = 4 << 20;

/// How many times the pixels of a block are in memory at most: as they are read, halved, and encoded.
const TIMES: u64 = 3;

/// Takes memory for as many blocks as threads want, or as there is room for, and at least for one.
fn reserve(grid: &TileGrid, access: Access, work: &PyramidWork<'_>) -> Result<(usize, Lease), PyramidError> {
    let held = match access {
        Access::Boxes => 0,
        Access::Rows => grid.band_bytes().saturating_mul(2),
        Access::Whole => grid.read_bytes().saturating_mul(2),
    };
    let held = grid.growing_bytes().saturating_add(held);
    let block = grid.block_bytes().saturating_mul(TIMES).saturating_add(BESIDE);
    let bytes = |blocks: usize| held.saturating_add(block.saturating_mul(blocks as u64));
    let most = work.threads.max(1).saturating_add(2).min(grid.blocks().max(1));
    let found = (1..=most).rev().find_map(|blocks| Some((blocks, work.budget.try_reserve(bytes(blocks))?)));
    found.ok_or(PyramidError::Memory { needed: bytes(1), limit: work.budget.limit() })
}

/// What a thread makes of a block.
struct EncodedBlock {
    pixels: u64,
    tiles: Vec<(usize, Bounds, Vec<u8>)>,
    /// What is left of it after the last halving: a part of a tile.
    rest: Option<(usize, Bounds, Dense)>,
}

type NumberedBlock = (usize, Result<EncodedBlock, PyramidError>);

fn encode_blocks(
    feed: &BlockFeed<'_>,
    grid: &TileGrid,
    encoder: &dyn TileEncoder,
    to: &Sender<NumberedBlock>,
) {
    let _guard = EndOnPanic(feed);
    while let Some(PyramidBlock { index, bounds, image }) = feed.next() {
        let encoded = image.and_then(|image| encode(grid, encoder, bounds, image));
        if to.send((index, encoded)).is_err() {
            break;
        }
    }
}

/// A thread that panics never sends its block: without a word from it the others would wait for ever.
struct EndOnPanic<'a, 'b>(&'a BlockFeed<'b>);

impl Drop for EndOnPanic<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end();
        }
    }
}

fn encode(
    grid: &TileGrid,
    encoder: &dyn TileEncoder,
    mut bounds: Bounds,
    mut image: Dense,
) -> Result<EncodedBlock, PyramidError> {
    let mut encoded = EncodedBlock { pixels: bounds.area(), tiles: Vec::new(), rest: None };
    for scale in 0..=grid.depth() {
        for tile in grid.tiles_in(&bounds) {
            let within = tile.relative_to(&bounds).ok_or_else(|| grid.lost(&tile))?;
            encoded.tiles.push((scale, tile, encoder.encode(scale, tile, &image.crop(within)?)?));
        }
        if scale == grid.last() {
            return Ok(encoded);
        }
        image = halve(&image, grid.halving)?;
        bounds = grid.halved(scale, &bounds)?;
    }
    encoded.rest = Some((grid.depth() + 1, bounds, image));
    Ok(encoded)
}

/// Puts what the threads send in the order of the blocks.
fn put_blocks(
    from: Receiver<NumberedBlock>,
    desk: &mut TileWriter<'_>,
    feed: &BlockFeed<'_>,
    work: &PyramidWork<'_>,
) -> Result<(), PyramidError> {
    let (mut waiting, mut next, mut done) = (BTreeMap::new(), 0, 0);
    for (index, encoded) in from {
        waiting.insert(index, encoded);
        while let Some(encoded) = waiting.remove(&next) {
            if work.stop.load(Ordering::Relaxed) {
                return Err(PyramidError::Stopped);
            }
            let encoded = encoded?;
            done += encoded.pixels;
            desk.put(encoded)?;
            next += 1;
            feed.put(next);
            (work.watch)(done, desk.grid.pixels());
        }
    }
    Ok(())
}

/// Puts tiles into the sink, in order.
struct TileWriter<'a> {
    grid: &'a TileGrid,
    sink: &'a mut (dyn ScaleSink + 'a),
    encoder: &'a dyn TileEncoder,
    growing: GrowingTiles<'a>,
    written: PyramidWritten,
}

impl TileWriter<'_> {
    fn put(&mut self, encoded: EncodedBlock) -> Result<(), PyramidError> {
        let Self { sink, encoder, growing, written, .. } = self;
        let mut put = |scale, bounds, bytes: Vec<u8>| {
            written.tiles += 1;
            written.bytes += bytes.len() as u64;
            sink.put(scale, bounds, bytes)
        };
        for (scale, bounds, bytes) in encoded.tiles {
            put(scale, bounds, bytes)?;
        }
        let Some(rest) = encoded.rest else { return Ok(()) };
        growing.add(rest, |scale, bounds, tile| Ok(put(scale, bounds, encoder.encode(scale, bounds, tile)?)?))
    }
}
