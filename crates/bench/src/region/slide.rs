//! A slide larger than any memory: how fast its nuclei are found, and in how much memory.

use std::time::Duration;

use onceflow_terminal::Failure;

use super::{RegionBench, figure};
use crate::figure::{BenchFigure, Goal};
use crate::program::run;

/// Sides of the slide, the next when the disk has no room for one; and how long it is watched.
const SIDES: [u64; 4] = [100_000, 80_000, 60_000, 40_000];
const WATCHED: Duration = Duration::from_secs(128);

/// The bound that it is given.
const MEMORY: &str = "1 GiB";
const BOUND: f64 = 1073.7;

pub(super) fn figures(bench: &RegionBench<'_>) -> Result<Vec<BenchFigure>, Failure> {
    let mut last = None;
    for side in SIDES {
        match of_side(bench, side) {
            Ok(figures) => return Ok(figures),
            Err(failure) => last = Some(failure),
        }
    }
    last.map_or(Ok(Vec::new()), Err)
}

fn of_side(bench: &RegionBench<'_>, side: u64) -> Result<Vec<BenchFigure>, Failure> {
    let (slide, mask) = (format!("synth:{side}x{side}?seed=7"), bench.path("mask.tif"));
    let mask = mask.to_string_lossy();
    let arguments = ["segment", &slide, "--no-normalize", "--memory", MEMORY, "-o", &mask];
    let took = run(&arguments, WATCHED)?;
    let name = |what: &str| format!("slide of {side} x {side}: {what}");
    let pixels = passed(&took.stderr) * (side * side) as f64;
    Ok(vec![
        figure(name("pixels of a pass"), pixels / took.seconds / 1e6, "Mpx/s"),
        BenchFigure {
            goal: Some(Goal::AtMost(BOUND)),
            ..figure(name("most memory"), took.resident as f64 / 1e6, "MB")
        },
    ])
}

/// Of the last line that says so, which share of the tiles of the first pass was done: `…, t2 5 of 24: 127 s so far`.
fn passed(said: &str) -> f64 {
    let share = |line: &str| {
        let (before, after) = line.split_once(" of ")?;
        let number = |text: &str| text.replace(',', "").parse::<f64>().ok();
        let done = number(before.rsplit(' ').next()?)?;
        let all = number(after.split(':').next()?)?;
        Some(done / all)
    };
    said.lines().rev().find_map(share).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_that_says_how_far_it_is_counts() {
        let said = "segmenting 9 x 9, t1 1 of 24: 3 s so far\nsegmenting 9 x 9, t1 1,200 of 2,400: 7 s so far\nnote\n";
        assert_eq!(passed(said), 0.5);
        assert_eq!(passed("nothing"), 0.0);
    }
}
