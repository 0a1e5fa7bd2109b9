//! What a worker does with one instance: ask the memo, fetch the inputs, run the operation, catch what goes wrong.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use onceflow_region::Region;
use onceflow_reuse::{Content, Key};
use onceflow_study::Canonical;

use super::Work;
use super::inputs::{Ground, JobInput};
use crate::{Call, Cause, Contents, Done, Instance, Meter, Operation, OperationError, Outcome};

/// An instance with all that is needed to run it.
pub(super) struct Job {
    pub(super) instance: Instance,
    pub(super) task: usize,
    pub(super) ground: Ground,
    pub(super) inputs: Vec<JobInput>,
    /// What they hold, where that is asked for.
    pub(super) contents: Vec<Content>,
    pub(super) parameters: Vec<Canonical>,
    /// The first row that asked for it.
    pub(super) row: u32,
    /// How many regions it must make.
    pub(super) outputs: usize,
    /// Its key, where the memo is to be asked.
    pub(super) key: Option<Key>,
    /// How often it was started before, and why it is its turn.
    pub(super) attempt: u32,
    pub(super) cause: Cause,
}

/// How a job went.
pub(super) struct Report {
    pub(super) instance: Instance,
    pub(super) task: usize,
    pub(super) worker: usize,
    pub(super) start: f64,
    pub(super) seconds: f64,
    pub(super) bytes: u64,
    pub(super) remembered: bool,
    pub(super) attempt: u32,
    pub(super) cause: Cause,
    pub(super) outcome: Outcome,
    pub(super) outputs: Vec<Arc<Region>>,
    /// What they hold, where that is asked for, and the seconds it took to find out.
    pub(super) contents: Vec<Content>,
    pub(super) digesting: f64,
}

/// What a job took: seconds of its work, bytes, and seconds in which its operation told what it had made.
#[derive(Default)]
struct Took {
    seconds: f64,
    bytes: u64,
    telling: f64,
}

impl Job {
    /// Runs it; `began` is when the run began.
    pub(super) fn run(self, work: &Work<'_>, worker: usize, began: Instant) -> Report {
        let (instance, task, start) = (self.instance, self.task, began.elapsed().as_secs_f64());
        let (key, attempt, cause) = (self.key, self.attempt, self.cause);
        let found = key.and_then(|key| guarded(|| Ok(work.memo.get(&key))).ok().flatten());
        let remembered = found.as_ref().is_some_and(|outputs| outputs.len() == self.outputs);
        let mut took = Took::default();
        let (outcome, outputs, told) = match found {
            Some(outputs) if remembered => (Outcome::Done, outputs, Vec::new()),
            _ => self.compute(work, &mut took),
        };
        let Took { seconds, bytes, telling } = took;
        if let (Some(key), Outcome::Done, false) = (key, &outcome, remembered) {
            // What cannot be remembered is computed again another time: no reason to fail.
            _ = guarded(|| {
                work.memo.put(&key, &outputs, seconds);
                Ok(())
            });
        }
        let began = Instant::now();
        let digest = |of: &dyn Contents| outputs.iter().map(|region| of.content(task, region)).collect();
        let contents = if !told.is_empty() && told.len() == outputs.len() {
            told
        } else {
            work.contents.and_then(digest).unwrap_or_default()
        };
        let digesting = began.elapsed().as_secs_f64() + telling;
        Report {
            instance,
            task,
            worker,
            start,
            seconds,
            bytes,
            remembered,
            attempt,
            cause,
            outcome,
            outputs,
            contents,
            digesting,
        }
    }

    fn compute(self, work: &Work<'_>, took: &mut Took) -> (Outcome, Vec<Arc<Region>>, Vec<Content>) {
        match self.try_compute(work, took) {
            Ok(Done { outputs, ended, contents, telling }) => {
                took.telling = telling.clamp(0.0, took.seconds);
                took.seconds -= took.telling;
                let outputs = outputs.into_iter().map(Arc::new).collect();
                (ended.map_or(Outcome::Done, Outcome::Ended), outputs, contents)
            }
            Err(OperationError { message, transient }) => {
                (Outcome::Failed { message, transient }, Vec::new(), Vec::new())
            }
        }
    }

    /// Measures the operation alone: what is fetched may be there already for the next task that takes it.
    fn try_compute(self, work: &Work<'_>, took: &mut Took) -> Result<Done, OperationError> {
        let (ground, expected, operation) = (self.ground, self.outputs, work.operations[self.task]);
        let fetch = || self.inputs.into_iter().map(|input| input.fetch(work.supply, ground)).collect();
        let inputs: Vec<Arc<Region>> = guarded(fetch)?;
        let began = Instant::now();
        let call = Call {
            inputs: &inputs,
            contents: &self.contents,
            wanted: work.contents.is_some_and(|contents| contents.is_wanted(self.task)),
            parameters: &self.parameters,
            row: self.row,
            site: ground.site,
        };
        let (done, bytes) = Meter::around(work.meter, || run(operation, &call));
        *took = Took { seconds: began.elapsed().as_secs_f64(), bytes, telling: 0.0 };
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

fn run(operation: &dyn Operation, call: &Call<'_>) -> Result<Done, OperationError> {
    guarded(|| operation.run(call))
}

/// A panic of somebody else's code is a failure of the task, not of the run.
pub(super) fn guarded<T>(act: impl FnOnce() -> Result<T, OperationError>) -> Result<T, OperationError> {
    catch_unwind(AssertUnwindSafe(act))
        .unwrap_or_else(|panic| Err(OperationError::new(format!("it panicked: {}", text(panic.as_ref())))))
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}
