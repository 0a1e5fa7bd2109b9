//! What a run keeps from phase to phase: results of tasks, in memory that no task needs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use onceflow_region::{Budget, Lease, Region};
use onceflow_reuse::TaskKey;
use onceflow_runtime::{CachedResult, NewResult, OperationError, ResultCache};

/// Results of earlier phases by their static keys, so that equal tasks of two phases run once.
///
/// Keys hold inside one run only: images are known by their number. Results take memory that no task needs; when it is
/// full, the result that costs least to compute again for its bytes goes first.
#[derive(Debug)]
pub(crate) struct PhaseResults {
    enabled: bool,
    /// Whether results are added: a phase follows that may need them.
    adding: AtomicBool,
    table: Mutex<ResultTable>,
}

#[derive(Debug, Default)]
struct ResultTable {
    results: HashMap<TaskKey, KeptResult>,
    bytes: u64,
    /// The most bytes of this phase.
    limit: u64,
    /// The budgets of this phase: all memory, and the part of it that no task needs.
    budgets: Option<[Budget; 2]>,
}

#[derive(Debug)]
struct KeptResult {
    outputs: Vec<Arc<Region>>,
    bytes: u64,
    seconds: f64,
    leases: Vec<Lease>,
}

/// Results may take 1/4 of the memory that no task needs.
const SHARE: u64 = 4;

impl PhaseResults {
    /// Keeps results, or never any.
    pub(crate) fn new(enabled: bool) -> Self {
        Self { enabled, adding: AtomicBool::new(false), table: Mutex::default() }
    }

    /// A phase begins in these budgets: what does not fit any more is dropped.
    pub(crate) fn begin_phase(&self, shared: &Budget, spare: &Budget, adding: bool) {
        self.adding.store(adding, Ordering::Relaxed);
        let mut table = self.lock();
        table.limit = spare.limit() / SHARE;
        table.budgets = Some([shared.clone(), spare.clone()]);
        table.lease_again();
    }

    fn lock(&self) -> MutexGuard<'_, ResultTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ResultTable {
    /// Moves what is kept into the budgets of this phase, the most valuable results first.
    fn lease_again(&mut self) {
        let mut kept: Vec<(TaskKey, KeptResult)> = self.results.drain().collect();
        kept.iter_mut().for_each(|(_, result)| result.leases.clear());
        kept.sort_by(|(_, one), (_, other)| other.value().total_cmp(&one.value()));
        self.bytes = 0;
        for (key, result) in kept {
            self.insert(key, result);
        }
    }

    /// Keeps a result if there is room for it.
    fn insert(&mut self, key: TaskKey, mut result: KeptResult) -> bool {
        let fits = self.bytes.saturating_add(result.bytes) <= self.limit;
        let Some(budgets) = self.budgets.as_ref().filter(|_| fits) else { return false };
        let leases = budgets.iter().map(|budget| budget.try_reserve(result.bytes)).collect::<Option<_>>();
        let Some(leases) = leases else { return false };
        result.leases = leases;
        self.bytes += result.bytes;
        self.results.insert(key, result);
        true
    }

    /// Drops results of less value until so many bytes fit; says whether they do.
    fn make_room(&mut self, bytes: u64, value: f64) -> bool {
        while self.bytes.saturating_add(bytes) > self.limit {
            let least = self.results.iter().min_by(|(_, a), (_, b)| a.value().total_cmp(&b.value()));
            let Some(key) = least.filter(|(_, kept)| kept.value() < value).map(|(key, _)| *key) else {
                return false;
            };
            self.bytes -= self.results.remove(&key).map_or(0, |kept| kept.bytes);
        }
        true
    }
}

impl KeptResult {
    /// Seconds that a byte saves.
    fn value(&self) -> f64 {
        self.seconds / self.bytes.max(1) as f64
    }
}

impl ResultCache for PhaseResults {
    fn is_enabled(&self) -> bool {
        self.enabled
    }

    fn lookup(&self, keys: &[TaskKey]) -> Result<Vec<Option<CachedResult>>, OperationError> {
        let table = self.lock();
        let held = |key: &TaskKey| {
            let kept = table.results.get(key)?;
            // Outputs are found by static keys alone: their digests are not needed.
            Some(CachedResult { digests: Vec::new(), bytes: kept.bytes })
        };
        Ok(keys.iter().map(held).collect())
    }

    fn fetch(&self, key: &TaskKey) -> Result<Vec<Arc<Region>>, OperationError> {
        let outputs = self.lock().results.get(key).map(|kept| kept.outputs.clone());
        outputs.ok_or_else(|| OperationError::new("the result was dropped for others"))
    }

    fn store(
        &self,
        keys: &[TaskKey],
        result: &NewResult<'_>,
    ) -> Result<Option<CachedResult>, OperationError> {
        let Some(key) = keys.first().filter(|_| self.adding.load(Ordering::Relaxed)) else { return Ok(None) };
        let bytes = result.outputs.iter().map(|region| region.bytes()).sum();
        let (outputs, seconds) = (result.outputs.to_vec(), result.seconds);
        let kept = KeptResult { outputs, bytes, seconds, leases: Vec::new() };
        let mut table = self.lock();
        if table.make_room(bytes, kept.value()) && table.insert(*key, kept) {
            return Ok(Some(CachedResult { digests: Vec::new(), bytes }));
        }
        Ok(None)
    }

    fn bytes(&self) -> u64 {
        self.lock().bytes
    }
}

#[cfg(test)]
mod tests {
    use onceflow_region::{Dense, Pixels};

    use super::*;

    fn region(bytes: usize) -> Arc<Region> {
        Arc::new(Region::Dense(Dense::new(bytes, 1, 1, Pixels::U8(vec![0; bytes])).unwrap()))
    }

    fn store(results: &PhaseResults, key: u8, bytes: usize, seconds: f64) -> bool {
        let outputs = [region(bytes)];
        results.store(&[TaskKey([key; 32])], &NewResult { outputs: &outputs, seconds }).unwrap().is_some()
    }

    fn has(results: &PhaseResults, key: u8) -> bool {
        results.lookup(&[TaskKey([key; 32])]).unwrap()[0].is_some()
    }

    #[test]
    fn the_cheapest_result_for_its_bytes_goes_first() {
        let results = PhaseResults::new(true);
        let (shared, spare) = (Budget::new(10_000), Budget::new(4_000));
        results.begin_phase(&shared, &spare, true);
        assert!(store(&results, 1, 400, 4.0) && store(&results, 2, 400, 2.0));
        assert!(store(&results, 3, 400, 3.0), "it is dearer than the second");
        assert_eq!([1, 2, 3].map(|key| has(&results, key)), [true, false, true]);
        assert!(!store(&results, 4, 400, 1.0), "it is the cheapest");
        assert!(!store(&results, 5, 4_000, 9e9), "it is larger than all of the room");
        assert_eq!(results.bytes(), spare.used());
    }

    #[test]
    fn a_phase_with_less_room_keeps_the_dearest() {
        let results = PhaseResults::new(true);
        let shared = Budget::new(10_000);
        results.begin_phase(&shared, &Budget::new(8_000), true);
        assert!((1..=4).all(|key| store(&results, key, 400, f64::from(key))));
        let spare = Budget::new(4_000);
        results.begin_phase(&shared, &spare, false);
        assert_eq!([1, 2, 3, 4].map(|key| has(&results, key)), [false, false, true, true]);
        assert_eq!((results.bytes(), spare.used(), shared.used()), (800, 800, 800));
        assert!(!store(&results, 5, 10, 100.0), "no phase follows");
    }
}
