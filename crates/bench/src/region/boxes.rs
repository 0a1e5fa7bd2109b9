//! Box queries over a million pieces along the Hilbert curve.

use std::hint::black_box;
use std::time::Instant;

use onceflow_region::{Bounds, Piece, Pieces};
use onceflow_terminal::Failure;

use super::{RegionBench, failed, figure};
use crate::figure::{BenchFigure, Goal};

/// Pieces along a side, their side in pixels, and how many boxes are asked for.
const ALONG: u64 = 1000;
const PIECE: u64 = 256;
const QUERIES: u64 = 20_000;

pub(super) fn figures(_: &RegionBench<'_>) -> Result<Vec<BenchFigure>, Failure> {
    let piece = |at: u64| {
        let (x, y) = ((at % ALONG * PIECE) as i64, (at / ALONG * PIECE) as i64);
        Bounds::plane(x, y, PIECE, PIECE).map(|bounds| Piece { bounds, id: at as u32 })
    };
    let pieces: Option<Vec<_>> = (0..ALONG * ALONG).map(piece).collect();
    let pieces = Pieces::new(pieces.ok_or_else(|| failed("a box too large"))?).map_err(failed)?;
    let (mut found, mut ranges) = (0, 0);
    let queries: Vec<Bounds> = (0..QUERIES).filter_map(|at| asked(at, 1024)).collect();
    let start = Instant::now();
    for query in &queries {
        found += black_box(pieces.query(query)).count();
    }
    let query = start.elapsed().as_secs_f64() / queries.len() as f64;
    let start = Instant::now();
    for query in &queries {
        ranges += black_box(pieces.ranges(query, None)).len();
    }
    let ranged = start.elapsed().as_secs_f64() / queries.len() as f64;
    let goal = Some(Goal::AtMost(50.0));
    let mean = |count: usize| count as f64 / queries.len() as f64;
    Ok(vec![
        BenchFigure {
            goal,
            ..figure("query of a box of 1024 x 1024 over 1,000,000 pieces", query * 1e6, "us")
        },
        figure("pieces that it finds, mean", mean(found), ""),
        BenchFigure { goal, ..figure("the same as ranges of keys", ranged * 1e6, "us") },
        figure("ranges of keys, mean", mean(ranges), ""),
    ])
}

/// Boxes all over the image, the same ones each time.
fn asked(at: u64, side: u64) -> Option<Bounds> {
    let mixed = (at + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let room = ALONG * PIECE - side;
    Bounds::plane((mixed % room) as i64, ((mixed >> 32) % room) as i64, side, side)
}
