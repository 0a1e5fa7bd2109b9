//! What planning and scheduling alone say of a study's first phase: figures that need no pixel.

use std::time::Instant;

use onceflow_region::Budget;
use onceflow_reuse::{Level, Plan, plan};
use onceflow_runtime::{ExecuteOptions, MemoryMeter, PartLayout, PartSite, TaskOutcome, execute_zero_work};

use crate::open::study::no_phase;
use crate::plan::phase::PhaseRows;
use crate::{EngineError, OpenStudy};

/// What the scheduler took when no task took any time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheduling {
    /// Tasks that were executed.
    pub tasks: u64,
    /// Seconds for all of them.
    pub seconds: f64,
    /// Most bytes that it held at once, the plan not counted.
    pub bytes: u64,
}

impl OpenStudy {
    /// The share of the cost of running every row by itself that each of [`Level::PLANNED`] leaves, on one part and without
    /// the reference row, where one of a task costs what `weight` says of its name.
    pub fn shares_left(&self, weight: &dyn Fn(&str) -> f64) -> Result<[f64; 4], EngineError> {
        let plan = self.first_plan(Level::Dataflow, false)?;
        let account = plan.account().weighed(&|task| weight(&plan.flow().tasks[task].name));
        Ok(Level::PLANNED.map(|level| account.left_at(level) / account.asked))
    }

    /// Schedules the first phase on that many parts of one image, each of a megapixel, with tasks that take no time.
    pub fn schedule_alone(
        &self,
        level: Level,
        workers: usize,
        parts: usize,
        meter: MemoryMeter,
    ) -> Result<Scheduling, EngineError> {
        const PIXELS: u64 = 1 << 20;
        let mut plan = self.first_plan(level, true)?;
        let layout = PartLayout {
            images: vec![PIXELS * parts as u64],
            parts: vec![PartSite { image: 0, pixels: PIXELS }; parts],
        };
        let options = ExecuteOptions::new(workers, Budget::new(u64::MAX));
        (meter.begin)();
        let start = Instant::now();
        let execution = execute_zero_work(&mut plan, &layout, &options, &mut |_, _| TaskOutcome::Done)?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(Scheduling { tasks: execution.executed, seconds, bytes: (meter.peak)() })
    }

    fn first_plan(&self, level: Level, with_reference: bool) -> Result<Plan, EngineError> {
        let phase = self.study.phases.first().ok_or_else(no_phase)?;
        let sampled = PhaseRows::new(&self.study, phase, &[])?;
        Ok(plan(self.flow.clone(), &self.rows(&sampled, with_reference)?, level)?)
    }
}
