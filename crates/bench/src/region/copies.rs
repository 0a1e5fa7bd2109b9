//! Regions copied in memory beside the same bytes copied as they are.

use std::hint::black_box;

use onceflow_region::{Bounds, Dense, Pixels};
use onceflow_terminal::Failure;

use super::{RegionBench, compare, failed, figure};
use crate::figure::{BenchFigure, Goal};

/// Sides of an image, and of the box that is cut out of its middle.
const SIDE: usize = 8192;
const BOX: usize = 6144;
const CORNER: usize = 1000;

pub(super) fn figures(_: &RegionBench<'_>) -> Result<Vec<BenchFigure>, Failure> {
    let image = |side: usize| Dense::new(side, side, 3, Pixels::U8(vec![7; side * side * 3])).map_err(failed);
    let (large, small) = (image(SIDE)?, image(BOX)?);
    let plain = vec![7u8; SIDE * SIDE * 3];
    let bounds = Bounds::plane(CORNER as i64, CORNER as i64, BOX as u64, BOX as u64);
    let bounds = bounds.ok_or_else(|| failed("a box too large"))?;
    let crop = |image: &Dense, bounds: Bounds| {
        black_box(black_box(image).crop(bounds).map_err(failed)?);
        Ok(())
    };
    let whole = || {
        black_box(black_box(&plain[..BOX * BOX * 3]).to_vec());
        Ok(())
    };
    let rows = || {
        let mut copy = Vec::with_capacity(BOX * BOX * 3);
        let start = |row: usize| 3 * ((CORNER + row) * SIDE + CORNER);
        (0..BOX).for_each(|row| copy.extend_from_slice(&black_box(&plain)[start(row)..][..3 * BOX]));
        black_box(copy);
        Ok(())
    };
    let (memcpy, region) = compare(9, whole, || crop(&small, small.bounds()))?;
    let (by_rows, boxed) = compare(9, rows, || crop(&large, bounds))?;
    let rate = |seconds: f64| (BOX * BOX * 3) as f64 / seconds / 1e9;
    let share =
        |name: &str, share: f64| BenchFigure { goal: Some(Goal::AtLeast(0.9)), ..figure(name, share, "") };
    Ok(vec![
        figure("copy of 113 MB", rate(memcpy), "GB/s"),
        share("copy of a region: share of the speed of a copy", memcpy / region),
        figure("copy of a box of 113 MB, row by row", rate(by_rows), "GB/s"),
        share("box of a region: share of the speed of a copy row by row", by_rows / boxed),
    ])
}
