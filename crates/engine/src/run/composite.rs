//! Fused tasks as one operation: its steps run one after another, and their inner regions stay inside.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use onceflow_region::Region;
use onceflow_reuse::{ContentDigest, FlowTask, FusedInput, FusedStep};
use onceflow_runtime::{Call, Done, Operation, OperationError};
use onceflow_study::Canonical;

use crate::run::digests::Digests;

/// Tasks that run one after another.
pub(crate) struct Composite {
    /// The index of the task in its flow.
    task: usize,
    steps: Vec<FusedMember>,
    digests: Option<Arc<Digests>>,
    log: Arc<StepLog>,
}

struct FusedMember {
    operation: Arc<dyn Operation>,
    inputs: Vec<FusedInput>,
    reads: Vec<usize>,
    /// Statuses that end the stage; after others the next step runs.
    ends: Vec<String>,
    outputs: usize,
    /// Whether a later step needs the contents of its outputs.
    is_asked: bool,
    /// The last step that reads its outputs.
    last_read: usize,
}

/// The durations of steps, and the steps that failed.
#[derive(Debug, Default)]
pub(crate) struct StepLog {
    taken: Mutex<Vec<StepRecord>>,
    /// The step that failed or panicked, by task, site and row of the call.
    failed: Mutex<HashMap<FailedCall, usize>>,
}

/// One run of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StepRecord {
    /// The task in its flow.
    pub(crate) task: usize,
    /// The step.
    pub(crate) step: usize,
    /// The site.
    pub(crate) site: usize,
    /// Its duration.
    pub(crate) seconds: f64,
    /// Bytes of its outputs.
    pub(crate) bytes: u64,
}

/// Task, site and row of a call that failed.
type FailedCall = (usize, usize, u32);

/// A region, and its content if known.
type StepRegion = (Arc<Region>, Option<ContentDigest>);

impl StepLog {
    /// Takes the records so far.
    pub(crate) fn drain(&self) -> Vec<StepRecord> {
        std::mem::take(&mut self.taken.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The step in which a call of a task failed.
    pub(crate) fn failed(&self, task: usize, site: usize, row: u32) -> Option<usize> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).get(&(task, site, row)).copied()
    }

    fn note(&self, taken: StepRecord) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).push(taken);
    }

    fn note_failure(&self, call: FailedCall, step: usize) {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).insert(call, step);
    }
}

/// A running step; records the step if it panics.
struct RunningStep<'a> {
    log: &'a StepLog,
    call: FailedCall,
    step: usize,
}

impl Drop for RunningStep<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.log.note_failure(self.call, self.step);
        }
    }
}

impl Composite {
    /// The steps of a task of a flow, with the operation of each.
    pub(crate) fn new(
        task: usize,
        steps: &[FusedStep],
        operations: Vec<Arc<dyn Operation>>,
        digests: Option<Arc<Digests>>,
        log: Arc<StepLog>,
    ) -> Self {
        let reads = |step: &FusedStep, of: usize| {
            step.inputs.iter().any(|input| matches!(input, FusedInput::Inner { step, .. } if *step == of))
        };
        let member = |(at, (step, operation)): (usize, (&FusedStep, Arc<dyn Operation>))| FusedMember {
            operation,
            inputs: step.inputs.clone(),
            reads: step.reads.clone(),
            ends: step.task.ends.clone(),
            outputs: step.task.outputs.len(),
            is_asked: steps.iter().any(|reader| reads(reader, at) && remembers(&reader.task)),
            last_read: (0..steps.len()).rfind(|reader| reads(&steps[*reader], at)).unwrap_or(at),
        };
        let steps = steps.iter().zip(operations).enumerate().map(member).collect();
        Self { task, steps, digests, log }
    }

    fn run_step(&self, at: usize, made: &[Vec<StepRegion>], call: &Call<'_>) -> Result<Done, OperationError> {
        let step = &self.steps[at];
        let missing = || OperationError::new("expected more regions or values than were given");
        let outer = |place: usize| {
            let region = Arc::clone(call.inputs.get(place)?);
            Some((region, call.digests.get(place).copied()))
        };
        let held = |input: &FusedInput| match input {
            FusedInput::Outer(place) => outer(*place),
            FusedInput::Inner { step, output } => made.get(*step)?.get(*output).cloned(),
        };
        let held: Vec<StepRegion> =
            step.inputs.iter().map(held).collect::<Option<_>>().ok_or_else(missing)?;
        let value = |place: &usize| call.parameters.get(*place).cloned();
        let parameters: Vec<Canonical> =
            step.reads.iter().map(value).collect::<Option<_>>().ok_or_else(missing)?;
        // Operations get the contents of all of their inputs, or of none.
        let contents: Vec<ContentDigest> =
            held.iter().map(|(_, content)| *content).collect::<Option<_>>().unwrap_or_default();
        let inputs: Vec<Arc<Region>> = held.into_iter().map(|(region, _)| region).collect();
        let running = RunningStep { log: &self.log, call: (self.task, call.site, call.row), step: at };
        let start = Instant::now();
        let done = step.operation.run(&Call {
            inputs: &inputs,
            digests: &contents,
            parameters: &parameters,
            ..*call
        });
        let seconds = start.elapsed().as_secs_f64();
        drop(running);
        let failed = (self.task, call.site, call.row);
        let done = done.inspect_err(|_| self.log.note_failure(failed, at))?;
        let bytes = done.outputs.iter().map(Region::bytes).sum();
        self.log.note(StepRecord { task: self.task, step: at, site: call.site, seconds, bytes });
        Ok(done)
    }

    /// The error of a step with a wrong number of outputs, as for the task alone.
    fn fail(&self, at: usize, call: &Call<'_>, done: &Done) -> OperationError {
        let (expected, found) = (self.steps[at].outputs, done.outputs.len());
        let message = match &done.ended {
            Some(status) => format!(
                "expected {expected} outputs, found {found}: the status `{status}` does not end the stage; list it in `ends`"
            ),
            None => format!("expected {expected} outputs, found {found}; correct the operation"),
        };
        self.log.note_failure((self.task, call.site, call.row), at);
        OperationError::new(message)
    }

    /// The outputs of a step, with their contents if a later step needs them.
    fn keep(&self, at: usize, done: Done, call: &Call<'_>) -> Vec<StepRegion> {
        let Done { outputs, digests: contents, .. } = done;
        let asked = self.steps[at].is_asked && !call.digests.is_empty();
        let digests = self.digests.as_ref().filter(|_| asked);
        let held = |(place, region): (usize, Region)| {
            let content = contents.get(place).copied();
            let content = content.or_else(|| digests.map(|digests| digests.of(&region)));
            (Arc::new(region), content)
        };
        outputs.into_iter().enumerate().map(held).collect()
    }
}

impl Operation for Composite {
    fn run(&self, call: &Call<'_>) -> Result<Done, OperationError> {
        let mut made: Vec<Vec<StepRegion>> = Vec::with_capacity(self.steps.len());
        for at in 0..self.steps.len() {
            let step = &self.steps[at];
            let mut done = self.run_step(at, &made, call)?;
            let ends = done.ended.as_ref().is_some_and(|status| step.ends.contains(status));
            if !ends && done.outputs.len() != step.outputs {
                return Err(self.fail(at, call, &done));
            }
            done.ended = done.ended.filter(|_| ends);
            // Only one step of it may have found its objects.
            done.known = false;
            if at + 1 == self.steps.len() {
                return Ok(done);
            }
            if ends {
                // A stage that ends before its last step has no outputs.
                return Ok(Done { ended: done.ended, ..Done::default() });
            }
            let kept = self.keep(at, done, call);
            made.push(kept);
            for (before, regions) in made.iter_mut().enumerate() {
                if self.steps[before].last_read <= at {
                    regions.clear();
                }
            }
        }
        Ok(Done::default())
    }
}

/// Whether an operation looks objects up in the cache, which needs the contents of its inputs.
fn remembers(task: &FlowTask) -> bool {
    task.spec.per_object.is_some() || task.spec.largest.is_some()
}

#[cfg(test)]
mod tests;
