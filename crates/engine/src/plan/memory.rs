//! Whether a plan fits a bound of memory, found by the scheduler itself with tasks that take no time.

use onceflow_region::Budget;
use onceflow_reuse::Plan;
use onceflow_runtime::{ExecuteError, ExecuteOptions, SchedulerError, TaskOutcome, execute_zero_work};
use onceflow_study::{Seams, Size};

use crate::open::inputs::ImagePart;
use crate::{EngineError, OpenStudy, PROCESS_BYTES};

/// Parts that are open at once: the next one opens while the last tasks of one still run.
const OPEN_PARTS: usize = 2;

/// A plan whose outputs together take at most 1/2 of the bound needs no rehearsal.
const AMPLE: u64 = 2;

/// Tasks of a plan that is carried out only a few times.
const LARGE: usize = 50_000;

/// Bytes of memory that clusters have for each processor.
const USUAL: u64 = 4 << 30;

/// A job gets no less.
const LITTLE: u64 = 512 << 20;

/// Bounds that are tried before the one that surely works is named.
const MOST_TRIES: usize = 100;

impl OpenStudy {
    /// Most bytes that the scheduler reserves at once when nothing bounds it.
    pub(crate) fn peak(&self, plan: &mut Plan, workers: usize) -> Result<u64, EngineError> {
        let budget = Budget::new(u64::MAX);
        self.rehearse(plan, workers, &budget)?;
        Ok(budget.peak().saturating_add(self.aside))
    }

    /// Bytes of memory of a job with so many processors that carries out rows of this study: twice what its first phase
    /// takes at once, and where that is much, what is usual, or the least that works.
    ///
    /// # Errors
    /// When the study cannot be planned.
    pub fn job_memory(&self, cores: usize) -> Result<u64, EngineError> {
        let settings = self.settings();
        let mut plan = self.grouped_plan(0, settings.level, &settings.merge)?.plan;
        let peak = self.peak(&mut plan, cores)?;
        let usual = USUAL.saturating_mul(cores as u64);
        let tasks = if peak <= usual {
            // As much again, for results that are kept to save time.
            peak.saturating_mul(2).clamp(LITTLE, usual)
        } else {
            usual.max(self.least(&mut plan, cores, peak)?)
        };
        Ok(Size(tasks.saturating_add(2 * PROCESS_BYTES)).rounded_up().0)
    }

    /// The bytes of a bound that no plan needs, for what is kept only to save time; refuses a bound under which the
    /// plan cannot be carried out, and names the least one that was found to work.
    pub(crate) fn spare(&self, plan: &mut Plan, workers: usize, memory: u64) -> Result<u64, EngineError> {
        let most = self.most(plan, workers);
        if most <= memory / AMPLE {
            debug_assert!(self.peak(plan, workers).is_ok_and(|peak| peak <= most));
            return Ok(memory - most);
        }
        let peak = self.peak(plan, workers)?;
        if peak <= memory {
            return Ok(memory - peak);
        }
        match self.climb(plan, workers, memory)? {
            Climb::Fits => Ok(0),
            Climb::Needs { task, bytes } => Err(self.too_small(task, bytes.unwrap_or(peak), memory)),
        }
    }

    /// The bytes of all that a plan makes at the largest parts, as if nothing were ever let go.
    fn most(&self, plan: &Plan, workers: usize) -> u64 {
        let (flow, account) = (plan.flow(), plan.account());
        let at = |scope| self.sizes(scope).into_keys().next_back().unwrap_or(0);
        let parts = self.inputs.parts.len().min(OPEN_PARTS) as u64;
        let made = |task: usize| {
            let (spec, pixels) = (&flow.tasks[task].spec, at(flow.scope(task)));
            let outputs = u64::from(spec.output_bytes_per_pixel).saturating_mul(pixels);
            let all = outputs.saturating_mul(account.tasks[task].planned).saturating_mul(parts);
            (all, outputs.saturating_add(spec.scratch(pixels)))
        };
        let (all, at_work) = (0..flow.tasks.len())
            .map(made)
            .fold((0u64, 0), |(all, most), (made, at_work)| (all.saturating_add(made), most.max(at_work)));
        all.saturating_add(at_work.saturating_mul(workers as u64)).saturating_add(self.aside)
    }

    /// What tasks may use of a bound: what the program needs for itself is none of theirs.
    pub(crate) fn budget(&self, bound: u64) -> Budget {
        Budget::new(bound.saturating_sub(self.aside))
    }

    /// The least bound under which the plan was found to work, to within a few percent.
    pub(crate) fn least(&self, plan: &mut Plan, workers: usize, peak: u64) -> Result<u64, EngineError> {
        let (mut low, mut high) = (self.aside, peak);
        if plan.planned() > LARGE {
            (low, high) = self.narrowed(plan, workers, (low, high))?;
        }
        while high - low > high / 32 {
            let middle = low + (high - low) / 2;
            match self.rehearse(plan, workers, &self.budget(middle)) {
                Ok(()) => high = middle,
                Err(ExecuteError::Scheduler(SchedulerError::MemoryTooSmall { .. })) => low = middle,
                Err(other) => return Err(other.into()),
            }
        }
        Ok(high)
    }

    /// The bounds between which the least one lies. Refusals come soon, and name a bound that is enough for the task that
    /// found it too small, so that most of a large plan is carried out once.
    fn narrowed(
        &self,
        plan: &mut Plan,
        workers: usize,
        (mut low, high): (u64, u64),
    ) -> Result<(u64, u64), EngineError> {
        for _ in 0..MOST_TRIES {
            let bound = low + 1;
            match self.rehearse(plan, workers, &self.budget(bound)) {
                Ok(()) => return Ok((low, bound.min(high))),
                Err(ExecuteError::Scheduler(SchedulerError::MemoryTooSmall { needed, .. })) => {
                    low = needed.saturating_add(self.aside).saturating_sub(1).max(bound);
                }
                Err(other) => return Err(other.into()),
            }
        }
        Ok((low, high))
    }

    /// Tries a bound, and while it is too small the one that was asked for instead.
    fn climb(&self, plan: &mut Plan, workers: usize, memory: u64) -> Result<Climb, EngineError> {
        let mut refusal = None;
        for _ in 0..MOST_TRIES {
            let bound = refusal.as_ref().map_or(memory, |(_, needed)| *needed);
            match self.rehearse(plan, workers, &self.budget(bound)) {
                Ok(()) => {
                    let needs = |(task, needed)| Climb::Needs { task, bytes: Some(needed) };
                    return Ok(refusal.map_or(Climb::Fits, needs));
                }
                Err(ExecuteError::Scheduler(SchedulerError::MemoryTooSmall { task, needed, .. })) => {
                    refusal = Some((task, needed.saturating_add(self.aside)));
                }
                Err(other) => return Err(other.into()),
            }
        }
        let task = refusal.map_or_else(String::new, |(task, _)| task);
        Ok(Climb::Needs { task, bytes: None })
    }

    /// Carries out a plan at the largest parts without computing anything; what does not fit goes below memory.
    fn rehearse(&self, plan: &mut Plan, workers: usize, budget: &Budget) -> Result<(), ExecuteError> {
        let mut layout = self.inputs.layout();
        layout.parts.sort_by_key(|part| std::cmp::Reverse(part.pixels));
        layout.parts.truncate(OPEN_PARTS);
        let options = ExecuteOptions { spilling: true, ..ExecuteOptions::new(workers, budget.clone()) };
        execute_zero_work(plan, &layout, &options, &mut |_, _| TaskOutcome::Done).map(|_| ())
    }
}

impl OpenStudy {
    /// What is too large may have been left uncut.
    fn too_small(&self, task: String, needed: u64, limit: u64) -> EngineError {
        let size = self.study.parts.size;
        let uncut = |part: &ImagePart| part.part.core.width().max(part.part.core.height()) > size;
        if self.study.parts.seams == Seams::Exact && self.inputs.parts.iter().any(uncut) {
            return EngineError::ExactMemory { needed, limit };
        }
        EngineError::Memory { task, needed, limit }
    }
}

/// Whether a bound of memory does.
enum Climb {
    Fits,
    /// It does not: the task that found it too small, and a bound that does, when one was found.
    Needs {
        task: String,
        bytes: Option<u64>,
    },
}
