//! Several tasks as one operation: each does what it does alone, and what they hand to each other nobody else sees.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use onceflow_region::Region;
use onceflow_reuse::{Content, FlowTask, FusedInput, FusedStep};
use onceflow_runtime::{Call, Done, Operation, OperationError};
use onceflow_study::Canonical;

use crate::contents::Digests;

/// Tasks that run one after another.
pub(crate) struct Composite {
    /// The place of the task in its flow.
    task: usize,
    steps: Vec<Member>,
    digests: Option<Arc<Digests>>,
    log: Arc<StepLog>,
}

struct Member {
    operation: Arc<dyn Operation>,
    inputs: Vec<FusedInput>,
    reads: Vec<usize>,
    /// Statuses that end the stage; with others the next step goes on.
    ends: Vec<String>,
    outputs: usize,
    /// Whether a later step reads what it makes and asks what that holds.
    is_asked: bool,
    /// The step after which nobody reads what it made.
    last_read: usize,
}

/// What steps took, and which of them failed.
#[derive(Debug, Default)]
pub(crate) struct StepLog {
    taken: Mutex<Vec<Taken>>,
    failed: Mutex<HashMap<(usize, usize, String), usize>>,
    panicked: Mutex<HashMap<(usize, usize), usize>>,
}

/// What one step took once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Taken {
    /// The task in its flow.
    pub(crate) task: usize,
    /// The step.
    pub(crate) step: usize,
    /// Where it ran.
    pub(crate) site: usize,
    /// How long.
    pub(crate) seconds: f64,
    /// Bytes of what it made.
    pub(crate) bytes: u64,
}

/// A region, and what it holds where that is known.
type Held = (Arc<Region>, Option<Content>);

impl StepLog {
    /// All that was taken so far.
    pub(crate) fn drain(&self) -> Vec<Taken> {
        std::mem::take(&mut self.taken.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Which step of a task said this when it failed at a site; of several the first.
    pub(crate) fn failed(&self, task: usize, site: usize, message: &str) -> Option<usize> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let panicked = self.panicked.lock().unwrap_or_else(PoisonError::into_inner);
        failed.get(&(task, site, message.to_owned())).or_else(|| panicked.get(&(task, site))).copied()
    }

    fn note(&self, taken: Taken) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).push(taken);
    }

    fn note_failure(&self, task: usize, site: usize, message: &str, step: usize) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let first = failed.entry((task, site, message.to_owned())).or_insert(step);
        *first = step.min(*first);
    }
}

/// A step that is running: it notes which one it was when it did not come to its end.
struct Running<'a> {
    log: &'a StepLog,
    at: (usize, usize),
    step: usize,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut panicked = self.log.panicked.lock().unwrap_or_else(PoisonError::into_inner);
            let first = panicked.entry(self.at).or_insert(self.step);
            *first = self.step.min(*first);
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
        let member = |(at, (step, operation)): (usize, (&FusedStep, Arc<dyn Operation>))| Member {
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

    fn run_step(&self, at: usize, made: &[Vec<Held>], call: &Call<'_>) -> Result<Done, OperationError> {
        let step = &self.steps[at];
        let missing = || OperationError::new("expected more regions or values than were given");
        let outer = |place: usize| {
            let region = Arc::clone(call.inputs.get(place)?);
            Some((region, call.contents.get(place).copied()))
        };
        let held = |input: &FusedInput| match input {
            FusedInput::Outer(place) => outer(*place),
            FusedInput::Inner { step, output } => made.get(*step)?.get(*output).cloned(),
        };
        let held: Vec<Held> = step.inputs.iter().map(held).collect::<Option<_>>().ok_or_else(missing)?;
        let value = |place: &usize| call.parameters.get(*place).cloned();
        let parameters: Vec<Canonical> =
            step.reads.iter().map(value).collect::<Option<_>>().ok_or_else(missing)?;
        // Operations are told what all of their inputs hold, or nothing.
        let contents: Vec<Content> =
            held.iter().map(|(_, content)| *content).collect::<Option<_>>().unwrap_or_default();
        let inputs: Vec<Arc<Region>> = held.into_iter().map(|(region, _)| region).collect();
        let running = Running { log: &self.log, at: (self.task, call.site), step: at };
        let start = Instant::now();
        let done = step.operation.run(&Call {
            inputs: &inputs,
            contents: &contents,
            parameters: &parameters,
            ..*call
        });
        let seconds = start.elapsed().as_secs_f64();
        drop(running);
        let done =
            done.inspect_err(|error| self.log.note_failure(self.task, call.site, &error.message, at))?;
        let bytes = done.outputs.iter().map(Region::bytes).sum();
        self.log.note(Taken { task: self.task, step: at, site: call.site, seconds, bytes });
        Ok(done)
    }

    /// A step that made another number of regions than it should, said as it would be said of the task alone.
    fn fail(&self, at: usize, call: &Call<'_>, done: &Done) -> OperationError {
        let (expected, found) = (self.steps[at].outputs, done.outputs.len());
        let message = match &done.ended {
            Some(status) => format!(
                "expected {expected} outputs, found {found}: the status `{status}` does not end the stage; list it in `ends`"
            ),
            None => format!("expected {expected} outputs, found {found}; correct the operation"),
        };
        self.log.note_failure(self.task, call.site, &message, at);
        OperationError::new(message)
    }

    /// What a step made, with what it holds where a later one asks for that.
    fn keep(&self, at: usize, done: Done, call: &Call<'_>) -> Vec<Held> {
        let Done { outputs, contents, .. } = done;
        let asked = self.steps[at].is_asked && !call.contents.is_empty();
        let digests = self.digests.as_ref().filter(|_| asked);
        let held = |(place, region): (usize, Region)| {
            let told = contents.get(place).copied();
            let content = told.or_else(|| digests.map(|digests| digests.of(&region)));
            (Arc::new(region), content)
        };
        outputs.into_iter().enumerate().map(held).collect()
    }
}

impl Operation for Composite {
    fn run(&self, call: &Call<'_>) -> Result<Done, OperationError> {
        let mut made: Vec<Vec<Held>> = Vec::with_capacity(self.steps.len());
        for at in 0..self.steps.len() {
            let step = &self.steps[at];
            let mut done = self.run_step(at, &made, call)?;
            let ends = done.ended.as_ref().is_some_and(|status| step.ends.contains(status));
            if !ends && done.outputs.len() != step.outputs {
                return Err(self.fail(at, call, &done));
            }
            done.ended = done.ended.filter(|_| ends);
            if at + 1 == self.steps.len() {
                return Ok(done);
            }
            if ends {
                // What ends the stage before the last step leaves nothing that others could read.
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

/// Whether an operation looks for objects it has seen: then it must be told what its inputs hold.
fn remembers(task: &FlowTask) -> bool {
    task.spec.per_object.is_some() || task.spec.largest.is_some()
}
