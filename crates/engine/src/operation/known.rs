//! Objects that a task has seen before: looked up by all that decides about them, computed only when they are new.

use std::sync::Arc;
use std::time::Instant;

use onceflow_kernels::Shape;
use onceflow_kernels::compare::LabelledRuns;
use onceflow_reuse::{Content, FlowTask};

use crate::objects_seen::{ObjectCounts, ObjectsSeen, Tally};

/// What a task knows of objects.
pub(super) struct Known {
    seen: Arc<ObjectsSeen>,
    tally: Arc<Tally>,
    /// The operation and its version.
    operation: Shape,
}

/// The objects of one call of a task.
pub(super) trait Work {
    /// How many there are.
    fn len(&self) -> usize;

    /// An object's digest after what else decides about it.
    fn shape(&self, object: usize, after: Shape) -> Shape;

    /// Number of an object's pixels.
    fn pixels(&self, object: usize) -> usize;

    /// Adds the result of an object, whatever its words mean.
    fn compute(&mut self, object: usize, result: &mut Vec<u32>);
}

impl Known {
    /// What this task knows, in a table that it shares with others.
    pub(super) fn new(task: &FlowTask, seen: Arc<ObjectsSeen>) -> Self {
        let tally = seen.tally(&task.name);
        let words: Vec<u64> = task.spec.id.bytes().map(u64::from).chain([task.spec.version]).collect();
        Self { seen, tally, operation: Shape::default().and(&words) }
    }

    /// What decides about an object beside its shape: contents, and numbers.
    pub(super) fn context(&self, contents: &[Content], numbers: &[u64]) -> Shape {
        let shape = contents.iter().fold(self.operation, |shape, content| shape.and(&content.0));
        shape.and(numbers)
    }

    /// Gives the results of all objects, in any order; only those that are not known are computed.
    pub(super) fn each(&self, context: Shape, work: &mut dyn Work, give: &mut dyn FnMut(&[u32])) {
        let (mut counts, mut new) = (ObjectCounts::default(), Vec::new());
        for object in 0..work.len() {
            let key = work.shape(object, context);
            let found = self.seen.results().get(key, |words| give(words)).is_some();
            counts.ask(work.pixels(object), found);
            if !found {
                new.push((object, key));
            }
        }
        counts.whole = u64::from(counts.asked > 0 && new.is_empty());
        let (start, mut result) = (Instant::now(), Vec::new());
        let mut before = 0.0;
        for (object, key) in new {
            result.clear();
            work.compute(object, &mut result);
            give(&result);
            let now = start.elapsed().as_secs_f64();
            self.seen.results().put(
                key,
                result.as_slice().into(),
                size_of_val(result.as_slice()),
                now - before,
            );
            before = now;
        }
        counts.seconds_spent = before;
        self.tally.add(&counts);
    }

    /// The objects that results are compared with, made when they are not known.
    pub(super) fn labelled(&self, key: Shape, make: impl FnOnce() -> LabelledRuns) -> Arc<LabelledRuns> {
        let known = self.seen.labelled().get(key, Arc::clone);
        let (start, found) = (Instant::now(), known.is_some());
        let objects = known.unwrap_or_else(|| Arc::new(make()));
        let seconds_spent = if found { 0.0 } else { start.elapsed().as_secs_f64() };
        if !found {
            self.seen.labelled().put(key, Arc::clone(&objects), objects.bytes(), seconds_spent);
        }
        self.tally.add(&ObjectCounts { seconds_spent, ..ObjectCounts::of(&objects, found) });
        objects
    }
}
