//! What a worker does with one instance: ask the result cache, fetch the inputs, run the operation, catch what goes wrong.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use onceflow_region::Region;
use onceflow_reuse::ContentDigest;
use onceflow_study::Canonical;

use super::ExecutionContext;
use super::cached::{CacheClient, CacheUse};
use super::inputs::{JobInput, SiteRef};
use crate::{
    Call, Cause, Done, Instance, MemoryMeter, NewResult, Operation, OperationError, OutputDigests,
    TaskOutcome, WorkerDevice,
};

/// An instance with all that is needed to run it.
pub(super) struct TaskJob {
    pub(super) instance: Instance,
    pub(super) task: usize,
    pub(super) ground: SiteRef,
    pub(super) inputs: Vec<JobInput>,
    /// What they hold, where that is asked for.
    pub(super) digests: Vec<ContentDigest>,
    pub(super) parameters: Vec<Canonical>,
    /// The first row that asked for it.
    pub(super) row: u32,
    /// How many regions it must make.
    pub(super) outputs: usize,
    /// How often it was started before, and why it is its turn.
    pub(super) attempt: u32,
    pub(super) cause: Cause,
}

/// How a job went.
pub(super) struct JobReport {
    pub(super) instance: Instance,
    pub(super) task: usize,
    pub(super) worker: usize,
    pub(super) start: f64,
    pub(super) seconds: f64,
    pub(super) bytes: u64,
    /// Whether a result cache had it, its origin where that cache outlives the run, and all that the caches did.
    pub(super) served: bool,
    pub(super) origin: Option<u32>,
    /// Whether all its objects were cached.
    pub(super) known: bool,
    pub(super) cache: Vec<CacheUse>,
    pub(super) attempt: u32,
    pub(super) cause: Cause,
    pub(super) outcome: TaskOutcome,
    pub(super) outputs: Vec<Arc<Region>>,
    /// What they hold, where that is asked for, and the seconds it took to find out.
    pub(super) digests: Vec<ContentDigest>,
    pub(super) digesting: f64,
}

/// What a job took: seconds of its work, bytes, seconds in which its operation told what it had made, and whether all its
/// objects were cached.
#[derive(Default)]
struct JobCost {
    seconds: f64,
    bytes: u64,
    telling: f64,
    known: bool,
}

impl TaskJob {
    /// Runs it; `began` is when the run began.
    pub(super) fn run(
        self,
        work: &ExecutionContext<'_>,
        caches: &[CacheClient<'_>],
        (worker, device): (usize, WorkerDevice),
        began: Instant,
    ) -> JobReport {
        let (instance, task, start) = (self.instance, self.task, began.elapsed().as_secs_f64());
        let (ground, attempt, cause) = (self.ground, self.attempt, self.cause);
        let mut took = JobCost::default();
        let mut used: Vec<CacheUse> = caches.iter().map(|_| CacheUse::default()).collect();
        let (mut found, mut origin) = (None, None);
        for (cache, used) in caches.iter().zip(&mut used) {
            if found.is_none() {
                found = cache.serve(&self, used);
                origin = used.origin.filter(|_| found.is_some());
            }
        }
        let served = found.is_some();
        let (outcome, outputs, told) = match found {
            Some((outputs, contents)) => (TaskOutcome::Done, outputs, contents),
            None => self.compute(work, device, &mut took),
        };
        let JobCost { seconds, bytes, telling, known } = took;
        let (digests, digesting) = digested(work, task, &outputs, told);
        let is_new = matches!(outcome, TaskOutcome::Done) && !served;
        for (cache, used) in caches.iter().zip(&mut used).filter(|_| is_new) {
            let result =
                NewResult { task, site: instance.site, outputs: &outputs, contents: &digests, seconds };
            cache.store(instance, ground, &result, used);
        }
        JobReport {
            instance,
            task,
            worker,
            start,
            seconds,
            bytes,
            served,
            origin,
            known,
            cache: used,
            attempt,
            cause,
            outcome,
            outputs,
            digests,
            digesting: digesting + telling,
        }
    }

    fn compute(
        self,
        work: &ExecutionContext<'_>,
        device: WorkerDevice,
        took: &mut JobCost,
    ) -> (TaskOutcome, Vec<Arc<Region>>, Vec<ContentDigest>) {
        match self.try_compute(work, device, took) {
            Ok(Done { outputs, ended, digests, telling, known }) => {
                took.known = known;
                took.telling = telling.clamp(0.0, took.seconds);
                took.seconds -= took.telling;
                let outputs = outputs.into_iter().map(Arc::new).collect();
                (ended.map_or(TaskOutcome::Done, TaskOutcome::Ended), outputs, digests)
            }
            Err(OperationError { message, transient }) => {
                (TaskOutcome::Failed { message, transient }, Vec::new(), Vec::new())
            }
        }
    }

    /// Measures the operation alone: what is fetched may be there already for the next task that takes it.
    fn try_compute(
        self,
        work: &ExecutionContext<'_>,
        device: WorkerDevice,
        took: &mut JobCost,
    ) -> Result<Done, OperationError> {
        let (ground, expected, operation) = (self.ground, self.outputs, work.operations[self.task]);
        let fetch = || self.inputs.into_iter().map(|input| input.fetch(work.provider, ground)).collect();
        let inputs: Vec<Arc<Region>> = guarded(fetch)?;
        let began = Instant::now();
        let call = Call {
            inputs: &inputs,
            digests: &self.digests,
            wanted: work.digests.is_some_and(|digests| digests.is_wanted(self.task)),
            parameters: &self.parameters,
            row: self.row,
            site: ground.site,
            device,
        };
        let (done, bytes) = MemoryMeter::around(work.meter, || run(operation, &call));
        *took = JobCost { seconds: began.elapsed().as_secs_f64(), bytes, ..JobCost::default() };
        let done = done?;
        let found = done.outputs.len();
        if found == expected || done.ended.is_some() {
            Ok(done)
        } else {
            Err(OperationError::new(format!(
                "expected {expected} outputs, found {found}; correct the operation"
            )))
        }
    }
}

/// What outputs hold, where that is asked for, and the seconds that it took to find out.
fn digested(
    work: &ExecutionContext<'_>,
    task: usize,
    outputs: &[Arc<Region>],
    told: Vec<ContentDigest>,
) -> (Vec<ContentDigest>, f64) {
    if !told.is_empty() && told.len() == outputs.len() {
        return (told, 0.0);
    }
    let began = Instant::now();
    let digest = |of: &dyn OutputDigests| outputs.iter().map(|region| of.content(task, region)).collect();
    let digests = work.digests.and_then(digest).unwrap_or_default();
    (digests, began.elapsed().as_secs_f64())
}

fn run(operation: &dyn Operation, call: &Call<'_>) -> Result<Done, OperationError> {
    guarded(|| operation.run(call))
}

/// A panic in an operation or a cache is a failure of the task, not of the run.
pub(super) fn guarded<T>(act: impl FnOnce() -> Result<T, OperationError>) -> Result<T, OperationError> {
    catch_unwind(AssertUnwindSafe(act))
        .unwrap_or_else(|panic| Err(OperationError::new(format!("it panicked: {}", text(panic.as_ref())))))
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}
