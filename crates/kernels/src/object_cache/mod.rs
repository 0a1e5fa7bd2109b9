//! A cache of results of objects: a task that works object by object computes only the objects that are not cached.
//!
//! The key of an object is a hash ([`ObjectHash`]) of everything that determines its result: the operation and its version, the
//! parameters read for it, the contents of the other inputs, its runs and their position. A cache lives as long as one run,
//! since contents are only distinguished within one run; its rows have the numbers of the run.

mod counts;
mod origins;
mod parts;
mod table;

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use onceflow_region::Budget;

use crate::compare::LabelledRuns;
use crate::{ObjectHash, SizedRuns};

pub use counts::{TaskTally, group_counts};
pub use onceflow_reuse::ObjectCounts;
pub use origins::{MOST_ORIGINS, ObjectOrigins, most_frequent_rows};
use parts::CachedParts;
use table::CacheBudgets;
pub use table::{CacheEntry, CacheTable};

/// Results of objects, shared by all workers.
#[derive(Debug)]
pub struct ObjectCache {
    budgets: CacheBudgets,
    parts: Mutex<CachedParts>,
    /// The number of the phase's first row in the run.
    first_row: AtomicU32,
    seed: u64,
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

impl ObjectCache {
    /// An empty cache that reserves its bytes in the shared budget and in `spare`.
    pub fn new(budget: &Budget, spare: Budget) -> Self {
        Self {
            budgets: CacheBudgets { shared: budget.clone(), spare },
            parts: Mutex::default(),
            first_row: AtomicU32::new(0),
            seed: RandomState::new().hash_one("objects"),
            tallies: Mutex::default(),
            origins: Mutex::default(),
        }
    }

    /// A phase begins, whose first row has this number in the run. Where the spare bytes are fewer now, parts are dropped;
    /// `keeping` says that a phase follows, so that parts stay when all their rows are complete.
    pub fn begin_phase(&self, first_row: u32, keeping: bool) {
        self.first_row.store(first_row, Ordering::Relaxed);
        lock(&self.tallies).clear();
        lock(&self.parts).begin_phase(&self.budgets, keeping);
    }

    /// Forgets all objects.
    pub fn clear(&self) {
        lock(&self.parts).clear();
    }

    /// The number of a row of the phase in the run.
    pub fn row_number(&self, row: u32) -> u32 {
        self.first_row.load(Ordering::Relaxed).saturating_add(row)
    }

    /// A random number for hashes of contents that lead to its keys: the same in all phases.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The counts of each task that looked objects up in this phase, by its name.
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

    /// The cache of a part; parts that are not needed any more are dropped.
    pub fn part(&self, site: usize) -> Arc<PartCache> {
        lock(&self.parts).use_part(site, &self.budgets)
    }

    /// Caches a value of a part; when it does not fit, other parts are dropped.
    pub fn keep<V>(&self, site: usize, table: &CacheTable<V>, key: ObjectHash, entry: CacheEntry<V>) {
        let mut refused = table.put(key, entry);
        while let Some(entry) = refused.filter(|_| lock(&self.parts).drop_one_but(site)) {
            refused = table.put(key, entry);
        }
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

    /// Workers that claimed objects are gone.
    fn forget_claims(&self) {
        self.results.forget_claims();
        self.labelled.forget_claims();
        self.sized.forget_claims();
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

    #[test]
    fn a_phase_finds_the_objects_of_the_one_before_while_they_leave_room() {
        let (budget, spare) = (Budget::new(u64::MAX), Budget::new(100 * 2_000));
        let cache = ObjectCache::new(&budget, spare.clone());
        cache.begin_phase(0, true);
        (0..100).for_each(|site| put(&cache, site, site as u64, 1_500));
        assert!(spare.used() <= spare.limit());
        cache.begin_phase(7, false);
        assert!(spare.used() <= spare.limit() / 2, "active parts have room");
        assert_eq!(cache.row_number(3), 10);
        let found: Vec<usize> = (0..100).filter(|site| known(&cache, *site, *site as u64)).collect();
        assert!(found.starts_with(&(0..30).collect::<Vec<_>>()), "{found:?}");
        assert_eq!(cache.counts(), BTreeMap::new());
        cache.clear();
        assert_eq!((budget.used(), spare.used()), (0, 0));
    }

    #[test]
    fn a_phase_with_less_room_has_fewer_objects_and_never_more_bytes() {
        for room in [0, 3_000, 20_000, 60_000, 1_000_000] {
            let (budget, spare) = (Budget::new(u64::MAX), Budget::new(60_000));
            let cache = ObjectCache::new(&budget, spare.clone());
            cache.begin_phase(0, true);
            (0..40).for_each(|site| put(&cache, site, site as u64, 1_500));
            spare.set_limit(room);
            cache.begin_phase(0, true);
            assert!(spare.used() <= room && budget.used() == spare.used(), "{room}");
            (0..40).for_each(|site| {
                put(&cache, site, site as u64, 1_500);
                assert!(spare.used() <= room);
            });
        }
    }
}
