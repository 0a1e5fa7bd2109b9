//! Iterations as blocks: a level that was run keeps the state after its last iteration, and its coefficients after every fifth.
//! A call with the same start and another number of iterations takes them, or goes on from there; one that asks for a number
//! between goes its own way. The bytes are those of a run by itself.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use onceflow_kernels::registration::{Ended, LevelState};
use onceflow_region::{Budget, Lease};
use onceflow_runtime::OperationError;

use super::frame::Frame;
use crate::register::{LevelEnd, LevelReport};

/// Coefficients are kept after each of so many iterations.
const EVERY: u32 = 5;

/// Numbers that are digested at once.
const BLOCK: usize = 1 << 12;

/// Vectors that a state has: coefficients, gradient, pairs.
const VECTORS: u64 = 15;

/// The states of levels, in memory that tasks do not need.
#[derive(Debug)]
pub struct LevelStates {
    budgets: [Budget; 2],
    paths: Mutex<HashMap<LevelKey, Arc<Mutex<LevelPath>>>>,
}

/// What a level's path depends on, but for the number of its iterations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LevelKey([u8; 32]);

/// Where a level came by.
#[derive(Debug, Default)]
struct LevelPath {
    state: Option<LevelState>,
    by: BTreeMap<u32, Vec<f64>>,
    leases: Vec<[Lease; 2]>,
}

/// A level, and whether an iteration was run for it.
pub(super) struct ServedLevel {
    pub(super) end: LevelEnd,
    pub(super) iterated: bool,
}

impl LevelKey {
    pub(super) fn new(frame: &Frame, start: &[f64], parameters: [f64; 4]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("onceflow level path v1 {frame:?}").as_bytes());
        let numbers =
            |numbers: &[f64]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        start.chunks(BLOCK).for_each(|block| _ = hasher.update(&numbers(block)));
        hasher.update(&numbers(&parameters));
        Self(*hasher.finalize().as_bytes())
    }
}

impl LevelStates {
    /// No states yet; their bytes are reserved in both budgets.
    pub fn new(budgets: [Budget; 2]) -> Self {
        Self { budgets, paths: Mutex::default() }
    }

    /// Forgets all states.
    pub fn clear(&self) {
        self.paths.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// A level with so many iterations at most. `run` runs it from a state, or from its start; two calls with one start wait
    /// for each other.
    pub(super) fn level(
        &self,
        key: &LevelKey,
        iterations: u32,
        run: impl Fn(Option<LevelState>, u32, &mut dyn FnMut(&LevelState)) -> Result<LevelEnd, OperationError>,
    ) -> Result<ServedLevel, OperationError> {
        let path = {
            let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(paths.entry(key.clone()).or_default())
        };
        let mut path = path.lock().unwrap_or_else(PoisonError::into_inner);
        let done = path.state.as_ref().map_or(0, LevelState::iteration);
        if let Some(end) = path.end_at(iterations) {
            return Ok(ServedLevel { end, iterated: false });
        }
        if path.state.is_some() && done > iterations {
            // Between two numbers that were kept.
            return Ok(ServedLevel { end: run(None, iterations, &mut |_| ())?, iterated: true });
        }
        let mut by = Vec::new();
        let mut end = run(path.state.clone(), iterations, &mut |state| {
            if state.iteration() % EVERY == 0 {
                by.push((state.iteration(), state.coefficients().to_vec()));
            }
        })?;
        if let Some(state) = end.state.take() {
            self.keep(&mut path, by, state);
        }
        Ok(ServedLevel { end, iterated: true })
    }

    /// Keeps what there is room for; a state that has none is not gone on from.
    fn keep(&self, path: &mut LevelPath, by: Vec<(u32, Vec<f64>)>, state: LevelState) {
        let bytes = state.coefficients().len() as u64 * 8;
        let room = |bytes: u64| {
            let [one, other] = &self.budgets;
            one.try_reserve(bytes).zip(other.try_reserve(bytes)).map(<[Lease; 2]>::from)
        };
        if path.state.is_none() {
            let Some(lease) = room(VECTORS * bytes) else { return };
            path.leases.push(lease);
        }
        path.state = Some(state);
        for (iteration, coefficients) in by {
            let Some(lease) = room(bytes) else { return };
            path.leases.push(lease);
            path.by.insert(iteration, coefficients);
        }
    }
}

impl LevelPath {
    /// The level with so many iterations, where its path shows it.
    fn end_at(&self, iterations: u32) -> Option<LevelEnd> {
        let state = self.state.as_ref()?;
        let (done, ended) = (state.iteration(), state.ended());
        // A level finds out that it stalls in the iteration after its last.
        let over =
            ended.filter(|ended| done < iterations || (done == iterations && *ended != Ended::Stalled));
        let coefficients = match () {
            () if over.is_some() || done == iterations => state.coefficients(),
            () => self.by.get(&iterations).filter(|_| done > iterations)?,
        };
        let status = over.map_or_else(|| "iterations".to_owned(), |ended| ended.to_string());
        let trace = state.trace().iter().filter(|row| row.iteration <= iterations).copied().collect();
        // The level's number is the caller's.
        let report = LevelReport { level: 0, status, trace };
        Some(LevelEnd { report, coefficients: coefficients.to_vec(), state: None, stopped: false })
    }
}
