//! What each level would leave to compute, side by side, and why.

mod because;

use std::fmt;

use onceflow_study::with_commas;

use crate::{Flow, Level, Multiplicity, ParameterRows, Plan, PlanError, plan};

/// The levels of one plan, from `none` up to the plan's own.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelComparison {
    /// One entry per level.
    pub levels: Vec<LevelFigures>,
}

/// What one level leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelFigures {
    /// The level.
    pub level: Level,
    /// Tasks to be computed, over all parts.
    pub tasks: u64,
    /// Seconds of one core for them.
    pub seconds: f64,
    /// What it finds equal that the level before does not, in words; nothing for `none`.
    pub because: String,
}

impl LevelComparison {
    /// All levels up to dataflow; `seconds` says what one instance of a task costs at a level.
    pub fn new(
        flow: Flow,
        rows: &ParameterRows,
        many: Multiplicity,
        seconds: &dyn Fn(Level, usize) -> f64,
    ) -> Result<Self, PlanError> {
        Ok(Self::of(&plan(flow, rows, Level::Dataflow)?, many, seconds))
    }

    /// The levels up to that of a plan.
    pub fn of(plan: &Plan, many: Multiplicity, seconds: &dyn Fn(Level, usize) -> f64) -> Self {
        let account = plan.account();
        let whole = account.times(plan.flow(), many);
        let tasks = whole.total();
        let figures = |level: Level| LevelFigures {
            level,
            tasks: tasks.left_at(level),
            seconds: whole.weighed(&|task| seconds(level, task)).left_at(level),
            because: because::because(plan.flow(), &account, level, &|task| seconds(level, task)),
        };
        let levels = Level::PLANNED.into_iter().filter(|level| *level <= plan.level());
        Self { levels: levels.map(figures).collect() }
    }

    /// The figures of a level.
    pub fn at(&self, level: Level) -> Option<&LevelFigures> {
        self.levels.iter().find(|figures| figures.level == level)
    }
}

/// A table with a line per level.
impl fmt::Display for LevelComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.levels.iter().map(|figures| {
            let tasks = with_commas(figures.tasks.into());
            [figures.level.word().to_owned(), tasks, work(figures.seconds), figures.because.clone()]
        });
        let head = ["level", "tasks", "work", "because"].map(str::to_owned);
        let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
        let width = |column: usize, least: usize| {
            rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default().max(least)
        };
        let widths = [width(0, 10), width(1, 8), width(2, 7)];
        for [level, tasks, work, because] in &rows {
            let [w0, w1, w2] = widths;
            let line = format!("  {level:w0$} {tasks:>w1$}   {work:>w2$}    {because}");
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Seconds for people: `36.8 s`, `1,204 s`.
fn work(seconds: f64) -> String {
    if seconds < 1000.0 {
        return format!("{seconds:.1} s");
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and the cast saturates"
    )]
    let whole = seconds.round() as u128;
    format!("{} s", with_commas(whole))
}
