//! What planning promises over many seeds, and what scheduling costs when tasks take no time.

use onceflow_allocator::{begin_counting, peak_counted};
use onceflow_engine::{Level, MemoryMeter, OpenStudy, Scheduling};
use onceflow_study::with_commas;
use onceflow_terminal::{Failure, engine_failure};

use super::{BenchStudy, WORKERS, figure, published};
use crate::figure::{BenchFigure, Goal};

/// Enough to tell the mean to a thousandth.
const SEEDS: u64 = 20;

/// The share that an independent count leaves, said in whole percents: ours must lie within one percent of the cost
/// without reuse.
const COUNTED: [(Level, f64); 2] = [(Level::Task, 0.70), (Level::Dataflow, 0.43)];
const WITHIN: f64 = 0.01;

/// Parts of the schedule that is timed.
const PARTS: usize = 100;

/// How memory is measured.
const METER: MemoryMeter = MemoryMeter { begin: begin_counting, peak: peak_counted };

/// Each is the best of this many: what else the machine does only adds time.
const TRIES: usize = 3;

pub(super) fn figures(asked: &BenchStudy, dask: Option<f64>) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = shares(asked)?;
    let prepared = asked.prepare(&asked.study)?;
    figures.push(overhead(&prepared, Level::Dataflow)?);
    figures.push(overhead(&prepared, Level::None)?);
    figures.extend(million(asked, dask)?);
    Ok(figures)
}

fn shares(asked: &BenchStudy) -> Result<Vec<BenchFigure>, Failure> {
    let left = |seed| {
        let study = asked.with_seed(seed);
        asked.prepare(&study)?.shares_left(&published).map_err(engine_failure)
    };
    let left = (1..=SEEDS).map(left).collect::<Result<Vec<_>, Failure>>()?;
    let place = |level| Level::PLANNED.iter().position(|other| *other == level).unwrap_or_default();
    let both = |(level, counted): (Level, f64)| {
        let (mean, spread) = mean_and_spread(&left.iter().map(|l| l[place(level)]).collect::<Vec<_>>());
        let name =
            format!("{}: share of segmentation's cost left, planned, mean of {SEEDS} seeds", level.word());
        let goal = Goal::Between(round(counted - WITHIN), round(counted + WITHIN));
        let mean = BenchFigure { goal: Some(goal), ..figure(name, mean, "") };
        [mean, figure(format!("{}: standard deviation of that share", level.word()), spread, "")]
    };
    Ok(COUNTED.into_iter().flat_map(both).collect())
}

fn round(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}

fn mean_and_spread(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    (mean, (squares / (count - 1.0)).sqrt())
}

fn overhead(prepared: &OpenStudy, level: Level) -> Result<BenchFigure, Failure> {
    let mut least = f64::INFINITY;
    for _ in 0..TRIES {
        let found = prepared.schedule_alone(level, WORKERS, PARTS, METER).map_err(engine_failure)?;
        least = least.min(found.seconds / found.tasks.max(1) as f64);
    }
    let name = format!("{}: scheduling alone, per executed task, 641 rows x {PARTS} parts", level.word());
    Ok(BenchFigure { goal: Some(Goal::AtMost(5.0)), ..figure(name, least * 1e6, "us") })
}

/// A million tasks in one graph: all rows of a part at once, nothing merged. The peer is Dask, in seconds per task.
fn million(asked: &BenchStudy, dask: Option<f64>) -> Result<Vec<BenchFigure>, Failure> {
    const TASKS: u64 = 1_000_000;
    let study = asked.with_trajectories(TASKS.div_ceil(12 * 16));
    let prepared = asked.prepare(&study)?;
    let mut best: Option<Scheduling> = None;
    for _ in 0..TRIES {
        let found = prepared.schedule_alone(Level::None, WORKERS, 1, METER).map_err(engine_failure)?;
        best = Some(best.filter(|best| best.seconds <= found.seconds).unwrap_or(found));
    }
    let Some(Scheduling { tasks, seconds, bytes }) = best else { return Ok(Vec::new()) };
    let name = |what: &str| format!("zero work, {} tasks in one graph: {what}", with_commas(tasks.into()));
    let each = |all: f64| all / tasks as f64;
    let time = figure(name("time per task"), each(seconds) * 1e6, "us");
    let state = figure(name("state per task, the plan not counted"), each(bytes as f64), "B");
    Ok(vec![
        BenchFigure { goal: Some(Goal::AtMost(2.0)), peer: dask.map(|seconds| seconds * 1e6), ..time },
        BenchFigure { goal: Some(Goal::AtMost(200.0)), ..state },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted by another program, which draws its own trajectories: 0.6951 and 0.4251, with standard deviations of
    /// 0.0011 over 60 seeds.
    #[test]
    fn planned_shares_are_those_of_an_independent_count() {
        let asked = BenchStudy::new(None).unwrap();
        for seed in 1..=3 {
            let study = asked.with_seed(seed);
            let [none, stage, task, dataflow] =
                asked.prepare(&study).unwrap().shares_left(&published).unwrap();
            assert_eq!((none, stage), (1.0, 1.0));
            assert!((task - 0.6951).abs() < 0.0045, "seed {seed}: {task}");
            assert!((dataflow - 0.4251).abs() < 0.0045, "seed {seed}: {dataflow}");
        }
    }

    #[test]
    fn scheduling_executes_what_the_levels_leave() {
        let asked = BenchStudy::new(None).unwrap();
        let prepared = asked.prepare(&asked.study).unwrap();
        let tasks = |level, parts| prepared.schedule_alone(level, WORKERS, parts, METER).unwrap().tasks;
        // Statistics are made once per image, the eleven others once per part.
        assert_eq!((tasks(Level::None, 1), tasks(Level::None, 3)), (641 * 12, 641 * (1 + 3 * 11)));
        assert!(
            tasks(Level::Dataflow, 1) < tasks(Level::Task, 1)
                && tasks(Level::Task, 1) < tasks(Level::Stage, 1)
        );
    }

    #[test]
    fn the_spread_is_that_of_a_sample() {
        assert_eq!(mean_and_spread(&[1.0, 2.0, 3.0]), (2.0, 1.0));
    }
}
