//! Regions copied in memory beside the same bytes copied as they are.

use std::hint::black_box;

use onceflow_region::{Bounds, Dense, Pixels};

use super::{Bench, compare, failed, figure};
use crate::bench::{Figure, Goal};
use crate::failure::Failure;

/// Sides of the image, and of the box that is cut out of its middle.
const SIDE: usize = 8192;
const BOX: u64 = 6144;

pub(super) fn figures(_: &Bench<'_>) -> Result<Vec<Figure>, Failure> {
    let image = Dense::new(SIDE, SIDE, 3, Pixels::U8(vec![7; SIDE * SIDE * 3])).map_err(failed)?;
    let bounds = Bounds::plane(1000, 1000, BOX, BOX).ok_or_else(|| failed("a box too large"))?;
    let plain = vec![7u8; (BOX * BOX * 3) as usize];
    let copy = || {
        black_box(black_box(&plain).to_vec());
        Ok(())
    };
    let crop = || {
        black_box(black_box(&image).crop(bounds).map_err(failed)?);
        Ok(())
    };
    let (memcpy, region) = compare(9, copy, crop)?;
    let rate = |seconds: f64| plain.len() as f64 / seconds / 1e9;
    Ok(vec![
        figure("copy of 113 MB", rate(memcpy), "GB/s"),
        figure("copy of 113 MB as a region", rate(region), "GB/s"),
        Figure {
            goal: Some(Goal::AtLeast(0.9)),
            ..figure("copy of a region: share of the speed of a copy", memcpy / region, "")
        },
    ])
}
