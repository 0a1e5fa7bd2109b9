//! Objects that a task has seen before: looked up by all that decides about them, computed only when they are new.

use std::sync::Arc;
use std::time::Instant;

use onceflow_kernels::compare::LabelledRuns;
use onceflow_kernels::{Shape, SizedRuns, prefetch};
use onceflow_reuse::{Content, FlowTask};

use crate::objects_seen::origins::{Origins, most};
use crate::objects_seen::{Kept, ObjectCounts, ObjectsSeen, Place, Table, Tally, Together, Words};

/// The third word of contents that are derived from others.
const DERIVED: u64 = 0x6465_7269_7665_6421;

/// Lines of a cache that most results take, and the words of one.
const LINES: usize = 3;
const LINE: usize = 16;

/// What a task knows of objects.
pub(super) struct Known {
    seen: Arc<ObjectsSeen>,
    tally: Arc<Tally>,
    task: String,
    /// The operation and its version.
    operation: Shape,
}

/// The objects of one call of a task.
pub(super) trait Work {
    /// The digest of each after what else decides about it.
    fn shapes(&self, after: Shape) -> Vec<Shape>;

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
        Self { seen, tally, task: task.name.clone(), operation: Shape::default().and(&words) }
    }

    /// What decides about an object beside its shape: contents, and numbers.
    pub(super) fn context(&self, contents: &[Content], numbers: &[u64]) -> Shape {
        let shape = contents.iter().fold(self.operation, |shape, content| shape.and(&content.0));
        shape.and(numbers)
    }

    /// What a result holds that follows from an input and from a digest of what was done to it, by this operation and no
    /// other: the same input and digest is the same result.
    pub(super) fn content(&self, input: Content, done: Shape) -> Content {
        let [one, other] = self.operation.and(&input.0).and(&done.words()).words();
        Content([one, other, DERIVED, 0])
    }

    /// Gives the results of all objects of a part, in any order; only those that are not known are computed, and if
    /// another worker computes one at the moment this one does others first.
    pub(super) fn each(&self, at: At, work: &mut dyn Work, give: &mut dyn FnMut(&[u32])) {
        let place = self.seen.place(at.site);
        let mut search =
            Search { known: self, place: &place, at, counts: ObjectCounts::default(), rows: Vec::new() };
        let new = search.find_all(work, give);
        let mut claimed = Vec::new();
        for (object, key) in new {
            if search.find(work.pixels(object), key, give) {
                continue;
            }
            if place.results.claim(key) {
                search.compute(work, object, key, give);
            } else {
                claimed.push((object, key));
            }
        }
        for (object, key) in claimed {
            if !search.find(work.pixels(object), key, give) {
                search.compute(work, object, key, give);
            }
        }
        let ObjectCounts { asked, found, .. } = search.counts;
        search.counts.whole = u64::from(asked > 0 && asked == found);
        self.tally.add(&search.counts);
        if asked > 0 {
            let (task, from) = (self.task.clone(), most(search.rows));
            let At { site, row, .. } = at;
            self.seen.note(Origins { task, site, row, objects: asked, known: found, from });
        }
    }

    /// The objects that results of a part are compared with, made when they are not known.
    pub(super) fn labelled(&self, at: At, make: impl FnOnce() -> LabelledRuns) -> Arc<LabelledRuns> {
        self.together(at, |place| &place.labelled, make, false)
    }

    /// The objects that a part's are chosen from by their sizes, made when they are not known. All that follows is to paint
    /// them: a call that knows them is whole.
    pub(super) fn sized(&self, at: At, make: impl FnOnce() -> SizedRuns) -> Arc<SizedRuns> {
        self.together(at, |place| &place.sized, make, true)
    }

    fn together<T: Together>(
        &self,
        at: At,
        table: impl Fn(&Place) -> &Table<Arc<T>>,
        make: impl FnOnce() -> T,
        is_all: bool,
    ) -> Arc<T> {
        let place = self.seen.place(at.site);
        if let Some(known) = table(&place).get(at.context, Arc::clone) {
            let whole = u64::from(is_all);
            self.tally.add(&ObjectCounts { whole, ..ObjectCounts::of(known.as_ref(), true) });
            return known;
        }
        let start = Instant::now();
        let made = Arc::new(make());
        let seconds = start.elapsed().as_secs_f64();
        let kept = Kept { value: Arc::clone(&made), bytes: made.bytes(), seconds };
        self.seen.keep(at.site, table(&place), at.context, kept);
        self.tally.add(&ObjectCounts { seconds_spent: seconds, ..ObjectCounts::of(made.as_ref(), false) });
        made
    }
}

/// Where objects are, and what decides about them beside their shapes.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) site: usize,
    /// The first row that asked.
    pub(super) row: u32,
    pub(super) context: Shape,
}

/// The objects of one call, as far as they are known.
struct Search<'a> {
    known: &'a Known,
    place: &'a Place,
    at: At,
    counts: ObjectCounts,
    /// Those for which the known ones were computed.
    rows: Vec<u32>,
}

impl Search<'_> {
    /// Gives the results of the objects that are known, and says which are not.
    fn find_all(&mut self, work: &dyn Work, give: &mut dyn FnMut(&[u32])) -> Vec<(usize, Shape)> {
        let mut start = Instant::now();
        let keys = work.shapes(self.at.context);
        let mut is_new = vec![true; keys.len()];
        self.place.results.get_all(&keys, |found| {
            for (object, result) in found {
                is_new[*object] = false;
                self.counts.ask(work.pixels(*object), true);
                self.rows.push(result.row());
            }
            self.counts.seconds_looking += start.elapsed().as_secs_f64();
            // To put results together is what whoever computes them all has to do as well. They are wherever there was room
            // when they came: to wait for each in turn would take longest.
            let lines = |result: &Words| (0..LINES).for_each(|line| prefetch(result.as_slice(), line * LINE));
            found.iter().for_each(|(_, result)| lines(result));
            found.iter().for_each(|(_, result)| give(result.as_slice()));
            start = Instant::now();
        });
        keys.into_iter().enumerate().filter(|(object, _)| is_new[*object]).collect()
    }

    /// Gives the result of an object if it is known.
    fn find(&mut self, pixels: usize, key: Shape, give: &mut dyn FnMut(&[u32])) -> bool {
        let take = |result: &Words| {
            give(result.as_slice());
            result.row()
        };
        let row = self.place.results.get(key, take);
        if row.is_some() {
            self.counts.ask(pixels, true);
        }
        self.rows.extend(row);
        row.is_some()
    }

    fn compute(&mut self, work: &mut dyn Work, object: usize, key: Shape, give: &mut dyn FnMut(&[u32])) {
        let (start, mut result) = (Instant::now(), Vec::new());
        work.compute(object, &mut result);
        let result = Words::new(result, self.at.row);
        give(result.as_slice());
        let seconds = start.elapsed().as_secs_f64();
        self.counts.ask(work.pixels(object), false);
        self.counts.seconds_spent += seconds;
        let kept = Kept { bytes: result.bytes(), value: result, seconds };
        self.known.seen.keep(self.at.site, &self.place.results, key, kept);
    }
}
