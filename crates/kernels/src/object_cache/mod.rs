//! A cache of results of objects: a task that works object by object computes only the objects that are not cached.
//!
//! The key of an object is a hash ([`ObjectHash`]) of everything that determines its result: the operation and its version, the
//! parameters read for it, the contents of the other inputs, its runs and their position. A cache lives as long as one phase,
//! since contents are only distinguished within one run.

mod counts;
mod origins;
mod table;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use onceflow_region::Budget;

use crate::compare::LabelledRuns;
use crate::{ObjectHash, SizedRuns};

pub use counts::{TaskTally, group_counts};
pub use onceflow_reuse::ObjectCounts;
pub use origins::{MOST_ORIGINS, ObjectOrigins, most_frequent_rows};
use table::CacheBudgets;
pub use table::{CacheEntry, CacheTable};

/// Results of objects, shared by all workers.
#[derive(Debug)]
pub struct ObjectCache {
    budgets: CacheBudgets,
    /// Caches by site, the last used at the end: results of one part are of no use in another.
    parts: Mutex<VecDeque<(usize, Arc<PartCache>)>>,
    tallies: Mutex<BTreeMap<String, Arc<TaskTally>>>,
    origins: Mutex<Vec<ObjectOrigins>>,
}

/// The cached objects of one part.
#[derive(Debug)]
pub struct PartCache {
    /// Results of objects.
    pub results: CacheTable<ObjectResult>,
    /// Labelled objects that results are compared with.
    pub labelled: CacheTable<Arc<LabelledRuns>>,
    /// Objects with their sizes, for filters by size.
    pub sized: CacheTable<Arc<SizedRuns>>,
}

/// The result of an object; the operation defines the meaning of its words. Many are empty.
#[derive(Debug, Default)]
pub struct ObjectResult {
    words: Box<[u32]>,
    /// The row it was computed for.
    row: u32,
}

impl ObjectResult {
    /// A result computed for a row.
    #[inline]
    pub fn new(words: Vec<u32>, row: u32) -> Self {
        Self { words: words.into(), row }
    }

    /// The row it was computed for.
    #[inline]
    pub fn row(&self) -> u32 {
        self.row
    }

    /// Its words.
    #[inline]
    pub fn as_slice(&self) -> &[u32] {
        &self.words
    }

    /// Bytes of the heap it owns.
    #[inline]
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }
}

/// Many objects under one key.
pub trait ObjectGroup {
    /// Number of objects.
    fn objects(&self) -> usize;

    /// Number of pixels.
    fn pixels(&self) -> u64;

    /// Bytes of memory.
    fn bytes(&self) -> usize;
}

/// Parts cached at a time: more than workers process at once.
const MOST_PARTS: usize = 16;

impl ObjectCache {
    /// An empty cache that reserves its bytes in the shared budget and in `spare`.
    pub fn new(budget: &Budget, spare: Budget) -> Self {
        let budgets = CacheBudgets { shared: budget.clone(), spare };
        Self { budgets, parts: Mutex::default(), tallies: Mutex::default(), origins: Mutex::default() }
    }

    /// The counts of each task that looked objects up, by its name.
    pub fn counts(&self) -> BTreeMap<String, ObjectCounts> {
        let counts = |(task, tally): (&String, &Arc<TaskTally>)| (task.clone(), tally.counts());
        lock(&self.tallies).iter().map(counts).filter(|(_, counts)| counts.asked > 0).collect()
    }

    /// Records the origins of the cached objects of a call.
    pub fn note(&self, origins: ObjectOrigins) {
        lock(&self.origins).push(origins);
    }

    /// Takes the recorded origins of all calls.
    pub fn take_origins(&self) -> Vec<ObjectOrigins> {
        std::mem::take(&mut *lock(&self.origins))
    }

    /// The counter of a task.
    pub fn tally(&self, task: &str) -> Arc<TaskTally> {
        Arc::clone(lock(&self.tallies).entry(task.to_owned()).or_default())
    }

    /// The cache of a part; the parts not used lately are dropped.
    pub fn part(&self, site: usize) -> Arc<PartCache> {
        let mut parts = lock(&self.parts);
        let known = parts.iter().position(|(other, _)| *other == site).and_then(|at| parts.remove(at));
        let (_, part) = known.unwrap_or_else(|| (site, Arc::new(PartCache::new(&self.budgets))));
        parts.push_back((site, Arc::clone(&part)));
        if parts.len() > MOST_PARTS {
            parts.pop_front();
        }
        part
    }

    /// Caches a value of a part; when it does not fit, the parts not used lately are dropped.
    pub fn keep<V>(&self, site: usize, table: &CacheTable<V>, key: ObjectHash, entry: CacheEntry<V>) {
        let mut refused = table.put(key, entry);
        while let Some(entry) = refused.filter(|_| self.drop_oldest_but(site)) {
            refused = table.put(key, entry);
        }
    }

    /// Drops the least recently used part other than this one; returns whether there was one.
    fn drop_oldest_but(&self, site: usize) -> bool {
        let mut parts = lock(&self.parts);
        let oldest = parts.iter().position(|(other, _)| *other != site);
        oldest.and_then(|at| parts.remove(at)).is_some()
    }
}

impl PartCache {
    fn new(budgets: &CacheBudgets) -> Self {
        Self {
            results: CacheTable::new(budgets),
            labelled: CacheTable::new(budgets),
            sized: CacheTable::new(budgets),
        }
    }
}

impl ObjectGroup for LabelledRuns {
    fn objects(&self) -> usize {
        self.objects()
    }

    fn pixels(&self) -> u64 {
        self.pixels()
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }
}

impl ObjectGroup for SizedRuns {
    fn objects(&self) -> usize {
        self.objects()
    }

    fn pixels(&self) -> u64 {
        self.pixels()
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(bytes: usize) -> CacheEntry<ObjectResult> {
        CacheEntry { value: ObjectResult::default(), bytes, seconds: 1e-6 }
    }

    fn put(cache: &ObjectCache, site: usize, number: u64, bytes: usize) {
        let part = cache.part(site);
        cache.keep(site, &part.results, ObjectHash::default().and(&[number]), entry(bytes));
    }

    fn known(cache: &ObjectCache, site: usize, number: u64) -> bool {
        cache.part(site).results.get(ObjectHash::default().and(&[number]), |_| ()).is_some()
    }

    #[test]
    fn parts_that_are_long_over_are_forgotten() {
        let budget = Budget::new(u64::MAX);
        let cache = ObjectCache::new(&budget, Budget::new(u64::MAX));
        (0..100).for_each(|site| put(&cache, site, site as u64, 0));
        let bytes = budget.used();
        assert!(
            known(&cache, 99, 99) && known(&cache, 90, 90) && !known(&cache, 0, 0) && !known(&cache, 99, 90)
        );
        assert!(budget.used() <= bytes);
        (0..100).for_each(|site| put(&cache, site, site as u64, 0));
        assert!(budget.used() <= bytes);
        drop(cache);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn a_new_part_finds_room_where_old_ones_took_all() {
        let cache = ObjectCache::new(&Budget::new(u64::MAX), Budget::new(10_000));
        put(&cache, 1, 1, 4_000);
        put(&cache, 2, 2, 4_000);
        put(&cache, 3, 3, 4_000);
        assert!(known(&cache, 3, 3) && known(&cache, 2, 2) && !known(&cache, 1, 1));
        put(&cache, 4, 4, 20_000);
        assert!(!known(&cache, 4, 4));
    }
}
