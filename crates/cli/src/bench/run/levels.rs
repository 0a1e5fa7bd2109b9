//! The study run at every level: the clock, the work, and whether all found the same.

use std::sync::atomic::AtomicBool;

use onceflow_engine::{
    Ending, Level, Merge, Policy, Run, RunFolder, RunOptions, Silent, available_memory, rows_csv,
};
use onceflow_study::Diagnostic;

use super::{Asked, WORKERS, figure, published};
use crate::bench::{Figure, Goal};
use crate::engine::engine_failure;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// The study run at one level.
pub(super) struct LevelRun {
    pub(super) level: Level,
    pub(super) run: Run,
}

/// Runs it at every level, the dearest first.
pub(super) fn run_all(asked: &Asked, terminal: &Terminal) -> Result<Vec<LevelRun>, Failure> {
    Level::ALL.into_iter().map(|level| run(asked, level, terminal)).collect()
}

fn run(asked: &Asked, level: Level, terminal: &Terminal) -> Result<LevelRun, Failure> {
    let _progress = terminal.progress(format!("running 641 rows with --reuse {}", level.word()));
    let prepared = asked.prepare(&asked.study)?;
    let options = RunOptions {
        level,
        merge: Merge::Nothing,
        workers: WORKERS,
        memory: available_memory(),
        scratch: None,
        meter: None,
        policy: Policy::default(),
        stop: AtomicBool::new(false),
    };
    // Each level has a folder of its own: what another left there would be gone on with.
    let path = std::env::temp_dir().join(format!("onceflow-bench-{}-{}", std::process::id(), level.word()));
    let folder = RunFolder::create(&path).map_err(engine_failure)?;
    let run = onceflow_engine::run(&prepared, &options, &folder, &mut Silent);
    let _left_behind = std::fs::remove_dir_all(&path);
    let run = run.map_err(engine_failure)?;
    if run.ending != Ending::Complete {
        let error = Diagnostic::error("too many rows failed on this image");
        return Err(Failure::rows_failed(error.with_why(run.first_failure().unwrap_or_default())));
    }
    Ok(LevelRun { level, run })
}

impl LevelRun {
    fn wall(&self) -> f64 {
        self.run.answer.work.wall
    }

    /// Seconds that tasks took, all workers together.
    fn busy(&self) -> f64 {
        self.run.trace.iter().map(|entry| entry.seconds).sum()
    }

    /// The cost of segmentation that was executed, by the published shares.
    fn cost(&self) -> f64 {
        self.run.trace.iter().map(|entry| published(&entry.task)).sum()
    }
}

/// All figures; the first run is that without reuse.
pub(super) fn figures(runs: &[LevelRun]) -> Vec<Figure> {
    let Some(none) = runs.first() else { return Vec::new() };
    let mut figures: Vec<Figure> = runs.iter().flat_map(|run| level(run, none)).collect();
    figures.push(equal(runs, none));
    figures
}

/// The peer of a level is the run without reuse.
fn level(run: &LevelRun, none: &LevelRun) -> Vec<Figure> {
    let word = run.level.word();
    let beside = |what: &str, of: fn(&LevelRun) -> f64| match run.level {
        Level::None => figure(format!("{word}: {what}"), of(run), "s"),
        _ => Figure { peer: Some(of(none)), ..figure(format!("{word}: {what} (peer: none)"), of(run), "s") },
    };
    let floor = run.busy() / WORKERS as f64;
    vec![
        beside("wall time", LevelRun::wall),
        figure(
            format!("{word}: wall time over its floor, seconds in tasks / {WORKERS}"),
            run.wall() / floor,
            "",
        ),
        beside("seconds in tasks", LevelRun::busy),
        figure(format!("{word}: tasks executed"), run.run.trace.len() as f64, ""),
        figure(format!("{word}: share of segmentation's cost executed"), run.cost() / none.cost(), ""),
    ]
}

/// Reuse never changes a result: the tables are equal to the last digit.
fn equal(runs: &[LevelRun], none: &LevelRun) -> Figure {
    let expected = rows_csv(&none.run.answer);
    let equal = runs.iter().filter(|run| rows_csv(&run.run.answer) == expected).count();
    let value = equal as f64 / runs.len() as f64;
    Figure {
        goal: Some(Goal::AtLeast(1.0)),
        ..figure("share of levels whose metric table equals that of none", value, "")
    }
}
