//! Results of tasks that a run keeps from phase to phase, in memory that no task needs.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use onceflow_region::{Budget, Lease, Region};
use onceflow_reuse::{ContentDigest, TaskKey};
use onceflow_runtime::{CachedResult, NewResult, OperationError, ResultCache};

/// Results of earlier phases by their static keys, and by their content keys where contents are known, so that equal tasks
/// of two phases run once.
///
/// Keys hold inside one run only: images are known by their number. Results take memory that no task needs; when it is
/// full, the result that costs least to compute again for its bytes goes first.
#[derive(Debug)]
pub(crate) struct PhaseResults {
    enabled: bool,
    /// Whether results are added: a phase follows that may need them.
    adding: AtomicBool,
    /// All memory, and the part of it that no task needs.
    budgets: [Budget; 2],
    table: Mutex<ResultTable>,
}

#[derive(Debug, Default)]
struct ResultTable {
    /// By the first of their keys.
    results: HashMap<TaskKey, KeptResult>,
    /// The first key of a result by each of its other keys.
    first_keys: HashMap<TaskKey, TaskKey>,
    /// The results by what they are worth, the least first.
    order: BTreeSet<(u64, TaskKey)>,
    bytes: u64,
}

#[derive(Debug)]
struct KeptResult {
    outputs: Vec<Arc<Region>>,
    contents: Vec<ContentDigest>,
    /// Its keys but the first.
    other_keys: Vec<TaskKey>,
    bytes: u64,
    seconds: f64,
    leases: Vec<Lease>,
}

/// Results may take 1/4 of the memory that no task needs.
const SHARE: u64 = 4;
/// Bytes of a result beside its regions: its keys, and its place in the tables.
const ENTRY: u64 = 512;

impl PhaseResults {
    /// Keeps results in these budgets, or never any.
    pub(crate) fn new(enabled: bool, [shared, spare]: [&Budget; 2]) -> Self {
        let budgets = [shared.clone(), spare.clone()];
        Self { enabled, adding: AtomicBool::new(false), budgets, table: Mutex::default() }
    }

    /// A phase begins: what does not fit any more is dropped.
    pub(crate) fn begin_phase(&self, adding: bool) {
        self.adding.store(adding, Ordering::Relaxed);
        self.lock().make_room(self.limit(), 0, f64::INFINITY);
    }

    /// The most bytes of this phase.
    fn limit(&self) -> u64 {
        self.budgets[1].limit() / SHARE
    }

    fn lock(&self) -> MutexGuard<'_, ResultTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes in both budgets.
    fn reserve(&self, bytes: u64) -> Option<Vec<Lease>> {
        self.budgets.iter().map(|budget| budget.try_reserve(bytes)).collect()
    }
}

impl ResultTable {
    fn get(&self, key: &TaskKey) -> Option<&KeptResult> {
        self.results.get(self.first_keys.get(key).unwrap_or(key))
    }

    fn insert(&mut self, key: TaskKey, result: KeptResult) {
        self.bytes += result.bytes;
        self.order.insert((result.worth(), key));
        self.first_keys.extend(result.other_keys.iter().map(|other| (*other, key)));
        self.results.insert(key, result);
    }

    /// Drops results of less value until so many bytes more fit; says whether they do.
    fn make_room(&mut self, limit: u64, bytes: u64, value: f64) -> bool {
        while self.bytes.saturating_add(bytes) > limit {
            let least = self.order.first().copied();
            let Some((worth, key)) = least.filter(|(worth, _)| f64::from_bits(*worth) < value) else {
                return false;
            };
            self.order.remove(&(worth, key));
            if let Some(kept) = self.results.remove(&key) {
                self.bytes -= kept.bytes;
                kept.other_keys.iter().for_each(|other| _ = self.first_keys.remove(other));
            }
        }
        true
    }
}

impl KeptResult {
    /// Seconds that a byte saves.
    fn value(&self) -> f64 {
        self.seconds.max(0.0) / self.bytes.max(1) as f64
    }

    /// The bits of its value: in the order of the values, for none is negative.
    fn worth(&self) -> u64 {
        self.value().to_bits()
    }

    fn described(&self) -> CachedResult {
        // Outputs are found by keys of this run: digests that hold in others are not needed.
        CachedResult { digests: Vec::new(), contents: self.contents.clone(), bytes: self.bytes, origin: None }
    }
}

impl ResultCache for PhaseResults {
    fn is_enabled(&self) -> bool {
        self.enabled
    }

    fn is_of_run(&self) -> bool {
        true
    }

    fn lookup(&self, keys: &[TaskKey]) -> Result<Vec<Option<CachedResult>>, OperationError> {
        let table = self.lock();
        Ok(keys.iter().map(|key| table.get(key).map(KeptResult::described)).collect())
    }

    fn fetch(&self, key: &TaskKey) -> Result<Vec<Arc<Region>>, OperationError> {
        let outputs = self.lock().get(key).map(|kept| kept.outputs.clone());
        outputs.ok_or_else(|| OperationError::new("the result was dropped for others"))
    }

    fn store(
        &self,
        keys: &[TaskKey],
        result: &NewResult<'_>,
    ) -> Result<Option<CachedResult>, OperationError> {
        let adding = self.adding.load(Ordering::Relaxed);
        let Some((first, others)) = keys.split_first().filter(|_| adding) else { return Ok(None) };
        let mut kept = KeptResult {
            outputs: result.outputs.to_vec(),
            contents: result.contents.to_vec(),
            other_keys: others.to_vec(),
            bytes: ENTRY + result.outputs.iter().map(|region| region.bytes()).sum::<u64>(),
            seconds: result.seconds,
            leases: Vec::new(),
        };
        let mut table = self.lock();
        if keys.iter().any(|key| table.get(key).is_some())
            || !table.make_room(self.limit(), kept.bytes, kept.value())
        {
            return Ok(None);
        }
        let Some(leases) = self.reserve(kept.bytes) else { return Ok(None) };
        kept.leases = leases;
        let described = kept.described();
        table.insert(*first, kept);
        Ok(Some(described))
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
        let result = NewResult { task: 0, site: 0, outputs: &outputs, contents: &[], seconds };
        results.store(&[TaskKey([key; 32]), TaskKey([100 + key; 32])], &result).unwrap().is_some()
    }

    fn has(results: &PhaseResults, key: u8) -> bool {
        let [one, other] =
            [key, 100 + key].map(|key| results.lookup(&[TaskKey([key; 32])]).unwrap()[0].is_some());
        assert_eq!(one, other, "both keys lead to it");
        one
    }

    #[test]
    fn the_cheapest_result_for_its_bytes_goes_first() {
        let (shared, spare) = (Budget::new(100_000), Budget::new(4 * 2 * (400 + ENTRY)));
        let results = PhaseResults::new(true, [&shared, &spare]);
        results.begin_phase(true);
        assert!(store(&results, 1, 400, 4.0) && store(&results, 2, 400, 2.0));
        assert!(store(&results, 3, 400, 3.0), "it is dearer than the second");
        assert_eq!([1, 2, 3].map(|key| has(&results, key)), [true, false, true]);
        assert!(!store(&results, 4, 400, 1.0), "it is the cheapest");
        assert!(!store(&results, 5, 8_000, 9e9), "it is larger than all of the room");
        assert_eq!(results.bytes(), spare.used());
    }

    #[test]
    fn a_phase_with_less_room_keeps_the_dearest() {
        let one = 400 + ENTRY;
        let (shared, spare) = (Budget::new(100_000), Budget::new(4 * 4 * one));
        let results = PhaseResults::new(true, [&shared, &spare]);
        results.begin_phase(true);
        assert!((1..=4).all(|key| store(&results, key, 400, f64::from(key))));
        spare.set_limit(4 * 2 * one);
        results.begin_phase(false);
        assert_eq!([1, 2, 3, 4].map(|key| has(&results, key)), [false, false, true, true]);
        assert_eq!((results.bytes(), spare.used(), shared.used()), (2 * one, 2 * one, 2 * one));
        assert!(!store(&results, 5, 10, 100.0), "no phase follows");
    }
}
