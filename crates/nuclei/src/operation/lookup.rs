//! Lookups of objects in the cache, by hashes of everything that determines their results.

use std::sync::Arc;
use std::time::Instant;

use onceflow_kernels::compare::LabelledRuns;
use onceflow_kernels::object_cache::{
    CacheEntry, CacheTable, ObjectCache, ObjectCounts, ObjectGroup, ObjectOrigins, ObjectResult, PartCache,
    TaskTally, group_counts, most_frequent_rows,
};
use onceflow_kernels::{ObjectHash, SizedRuns, prefetch};
use onceflow_reuse::{ContentDigest, FlowTask};

/// The third word of contents that are derived from others.
const DERIVED: u64 = 0x6465_7269_7665_6421;

/// Cache lines of most results, and the words of one.
const LINES: usize = 3;
const LINE: usize = 16;

/// The lookups of a task.
pub(super) struct ObjectLookup {
    cache: Arc<ObjectCache>,
    tally: Arc<TaskTally>,
    task: String,
    /// The operation and its version.
    operation: ObjectHash,
}

/// The objects of one call of a task.
pub(super) trait ObjectWork {
    /// The hash of each object, after the hash of everything else that determines its result.
    fn shapes(&self, after: ObjectHash) -> Vec<ObjectHash>;

    /// Number of an object's pixels.
    fn pixels(&self, object: usize) -> usize;

    /// Appends the words of the result of an object.
    fn compute(&mut self, object: usize, result: &mut Vec<u32>);
}

impl ObjectLookup {
    /// The lookups of a task in a cache that it shares with others.
    pub(super) fn new(task: &FlowTask, cache: Arc<ObjectCache>) -> Self {
        let tally = cache.tally(&task.name);
        let words: Vec<u64> = task.spec.id.bytes().map(u64::from).chain([task.spec.version]).collect();
        Self { cache, tally, task: task.name.clone(), operation: ObjectHash::default().and(&words) }
    }

    /// The hash of everything that determines a result beside the object itself: contents, and numbers.
    pub(super) fn context(&self, digests: &[ContentDigest], numbers: &[u64]) -> ObjectHash {
        let shape = digests.iter().fold(self.operation, |shape, content| shape.and(&content.0));
        shape.and(numbers)
    }

    /// The content of a result derived from an input by this operation: equal inputs and equal hashes of the change give
    /// equal results.
    pub(super) fn content(&self, input: ContentDigest, done: ObjectHash) -> ContentDigest {
        let [one, other] = self.operation.and(&input.0).and(&done.words()).words();
        ContentDigest([one, other, DERIVED, 0])
    }

    /// Passes the results of all objects of a part to `give`, in any order. Only objects that are not cached are computed;
    /// those that another worker is computing come last. Returns whether all were cached.
    pub(super) fn each(
        &self,
        at: CallContext,
        work: &mut dyn ObjectWork,
        give: &mut dyn FnMut(&[u32]),
    ) -> bool {
        let part = self.cache.part(at.site);
        let at = CallContext { row: self.cache.row_number(at.row), ..at };
        let mut search =
            CallLookup { lookup: self, part: &part, at, counts: ObjectCounts::default(), rows: Vec::new() };
        let new = search.find_all(work, give);
        let mut claimed = Vec::new();
        for (object, key) in new {
            if search.find(work.pixels(object), key, give) {
                continue;
            }
            if part.results.claim(key) {
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
            let (task, from) = (self.task.clone(), most_frequent_rows(search.rows));
            let CallContext { site, row, .. } = at;
            self.cache.note(ObjectOrigins { task, site, row, objects: asked, known: found, from });
        }
        asked > 0 && asked == found
    }

    /// The objects that results of a part are compared with, computed if they are not cached.
    pub(super) fn labelled(&self, at: CallContext, make: impl FnOnce() -> LabelledRuns) -> Arc<LabelledRuns> {
        self.group(at, |part| &part.labelled, make, false).0
    }

    /// The objects of a part with their sizes, computed if they are not cached. What follows is only painting: a call
    /// that finds them cached counts as whole, which the second value says.
    pub(super) fn sized(&self, at: CallContext, make: impl FnOnce() -> SizedRuns) -> (Arc<SizedRuns>, bool) {
        self.group(at, |part| &part.sized, make, true)
    }

    fn group<T: ObjectGroup>(
        &self,
        at: CallContext,
        table: impl Fn(&PartCache) -> &CacheTable<Arc<T>>,
        make: impl FnOnce() -> T,
        is_all: bool,
    ) -> (Arc<T>, bool) {
        let part = self.cache.part(at.site);
        if let Some(known) = table(&part).get(at.context, Arc::clone) {
            let whole = u64::from(is_all);
            self.tally.add(&ObjectCounts { whole, ..group_counts(known.as_ref(), true) });
            return (known, true);
        }
        let start = Instant::now();
        let made = Arc::new(make());
        let seconds = start.elapsed().as_secs_f64();
        let kept = CacheEntry { value: Arc::clone(&made), bytes: made.bytes(), seconds };
        self.cache.keep(at.site, table(&part), at.context, kept);
        self.tally.add(&ObjectCounts { seconds_spent: seconds, ..group_counts(made.as_ref(), false) });
        (made, false)
    }
}

/// The site and row of a call, and the hash of everything that determines its results beside the objects.
#[derive(Clone, Copy)]
pub(super) struct CallContext {
    pub(super) site: usize,
    /// The first row that asked for the call.
    pub(super) row: u32,
    pub(super) context: ObjectHash,
}

/// The lookups of one call.
struct CallLookup<'a> {
    lookup: &'a ObjectLookup,
    part: &'a PartCache,
    at: CallContext,
    counts: ObjectCounts,
    /// The rows that computed the cached objects.
    rows: Vec<u32>,
}

impl CallLookup<'_> {
    /// Passes the cached results to `give`; returns the objects that are not cached.
    fn find_all(&mut self, work: &dyn ObjectWork, give: &mut dyn FnMut(&[u32])) -> Vec<(usize, ObjectHash)> {
        let mut start = Instant::now();
        let keys = work.shapes(self.at.context);
        let mut is_new = vec![true; keys.len()];
        self.part.results.get_all(&keys, |found| {
            for (object, result) in found {
                is_new[*object] = false;
                self.counts.ask(work.pixels(*object), true);
                self.rows.push(result.row());
            }
            self.counts.seconds_looking += start.elapsed().as_secs_f64();
            // Assembling is not counted, since computing all objects includes it too. Results lie scattered in memory:
            // prefetching hides the latency of each.
            let lines =
                |result: &ObjectResult| (0..LINES).for_each(|line| prefetch(result.as_slice(), line * LINE));
            found.iter().for_each(|(_, result)| lines(result));
            found.iter().for_each(|(_, result)| give(result.as_slice()));
            start = Instant::now();
        });
        keys.into_iter().enumerate().filter(|(object, _)| is_new[*object]).collect()
    }

    /// Passes the result of an object to `give` if it is cached.
    fn find(&mut self, pixels: usize, key: ObjectHash, give: &mut dyn FnMut(&[u32])) -> bool {
        let take = |result: &ObjectResult| {
            give(result.as_slice());
            result.row()
        };
        let row = self.part.results.get(key, take);
        if row.is_some() {
            self.counts.ask(pixels, true);
        }
        self.rows.extend(row);
        row.is_some()
    }

    fn compute(
        &mut self,
        work: &mut dyn ObjectWork,
        object: usize,
        key: ObjectHash,
        give: &mut dyn FnMut(&[u32]),
    ) {
        let (start, mut result) = (Instant::now(), Vec::new());
        work.compute(object, &mut result);
        let result = ObjectResult::new(result, self.at.row);
        give(result.as_slice());
        let seconds = start.elapsed().as_secs_f64();
        self.counts.ask(work.pixels(object), false);
        self.counts.seconds_spent += seconds;
        let kept = CacheEntry { bytes: result.bytes(), value: result, seconds };
        self.lookup.cache.keep(self.at.site, &self.part.results, key, kept);
    }
}
