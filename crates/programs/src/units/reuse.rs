//! Results of units that are cached: a program is given the other units, and is not started when there are none.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use onceflow_kernels::ObjectHash;
use onceflow_kernels::object_cache::{
    CacheEntry, ObjectCache, ObjectCounts, ObjectOrigins, ObjectResult, PartCache, TaskTally,
    most_frequent_rows,
};
use onceflow_region::{Dense, Region};
use onceflow_runtime::{Call, Done, OperationError};
use onceflow_study::Repeats;

use super::assembly::UnitAssembly;
use super::in_progress::UnitsInProgress;
use super::keys::UnitKeys;
use super::packed::pack;
use super::program::{Program, whole};
use super::rasters::OutputRasters;
use super::set::{Unit, UnitKind, UnitSet, reach};
use crate::failure::ProgramFailure;
use crate::task::ProgramTask;

/// Reuse of the units of a program.
#[derive(Debug)]
pub(crate) struct UnitReuse {
    pub(super) kind: UnitKind,
    pub(super) keys: UnitKeys,
    cache: Arc<ObjectCache>,
    tally: Arc<TaskTally>,
    pub(super) in_progress: UnitsInProgress,
    /// Number of calls that used cached units.
    pub(super) reusing_calls: AtomicU64,
    /// Whether the program keeps its promise, once that is known.
    pub(super) promise: Mutex<Option<Result<(), OperationError>>>,
}

/// The units of a call with their keys.
pub(super) struct KeyedUnits<'a> {
    pub(super) set: UnitSet<'a>,
    pub(super) keys: Vec<ObjectHash>,
}

impl UnitReuse {
    /// For a program that is declared to work unit by unit and whose results may be reused; none for others.
    pub(crate) fn of(task: &ProgramTask, cache: Option<&Arc<ObjectCache>>) -> Option<Self> {
        let kind = UnitKind::of(task).filter(|_| task.spec.repeats != Repeats::Never)?;
        let cache = Arc::clone(cache?);
        let keys = UnitKeys::new(task, reach(task.spec.halo), cache.seed());
        let tally = cache.tally(&task.name);
        let (in_progress, reusing_calls) = (UnitsInProgress::default(), AtomicU64::new(0));
        Some(Self { kind, keys, cache, tally, in_progress, reusing_calls, promise: Mutex::default() })
    }

    /// Carries out a call: only its new units are given to the program.
    pub(crate) fn run(&self, program: &dyn Program, call: &Call<'_>) -> Result<Done, OperationError> {
        let start = Instant::now();
        let Some(units) = self.keyed(program, call)? else { return program.once(&whole(program, call)?) };
        if let Some(done) = self.check_promise(program, call, &units, None)? {
            return Ok(done);
        }
        let Some(rasters) = OutputRasters::new(&program.task().spec.outputs, &units.set) else {
            return program.once(&whole(program, call)?);
        };
        let mut assembly = UnitAssembly::new(self, &units, call, rasters);
        let new = assembly.paint_cached(0..units.set.units.len());
        assembly.counts.seconds_looking = start.elapsed().as_secs_f64();
        assembly.complete(program, call, new)?;
        let ObjectCounts { asked, found, .. } = assembly.counts;
        let made = self.record(program, call, assembly)?;
        if found > 0 {
            self.check_again(program, call, &made)?;
        }
        Ok(Done { known: asked > 0 && asked == found, ..Done::with(made) })
    }

    /// Counts the units of a call and notes their origins; returns its outputs.
    fn record(
        &self,
        program: &dyn Program,
        call: &Call<'_>,
        assembly: UnitAssembly<'_>,
    ) -> Result<Vec<Region>, OperationError> {
        let UnitAssembly { mut counts, rows, rasters, .. } = assembly;
        let ObjectCounts { asked, found, .. } = counts;
        counts.whole = u64::from(asked > 0 && asked == found);
        self.tally.add(&counts);
        let (task, from) = (program.task().name.clone(), most_frequent_rows(rows));
        let (site, row) = (call.site, self.cache.row_number(call.row));
        self.cache.note(ObjectOrigins { task, site, row, objects: asked, known: found, from });
        rasters.regions().map_err(OperationError::new)
    }

    /// Caches the units of a call that was run whole.
    pub(super) fn admit(&self, call: &Call<'_>, units: &KeyedUnits<'_>, whole: &[&Dense], seconds: f64) {
        let part = self.part(call.site);
        let mut counts = ObjectCounts { seconds_spent: seconds, ..ObjectCounts::default() };
        let all: usize = units.set.units.iter().map(Unit::pixels).sum();
        for (unit, key) in units.set.units.iter().zip(&units.keys) {
            counts.ask(unit.pixels(), false);
            let share = seconds * unit.pixels() as f64 / all.max(1) as f64;
            self.keep(&part, call, *key, pack(whole, unit, (0, 0)), share);
        }
        self.tally.add(&counts);
    }

    /// The units of a call with their keys; none when the inputs cannot be divided into units.
    pub(super) fn keyed(
        &self,
        program: &dyn Program,
        call: &Call<'_>,
    ) -> Result<Option<KeyedUnits<'_>>, OperationError> {
        let Some(set) = UnitSet::new(&self.kind, call, program.size(call)?) else { return Ok(None) };
        Ok(self.keys.of(call, &set).map(|keys| KeyedUnits { set, keys }))
    }

    /// The cached units of a part.
    pub(super) fn part(&self, site: usize) -> Arc<PartCache> {
        self.cache.part(site)
    }

    /// Caches a unit that took some seconds.
    pub(super) fn keep(
        &self,
        part: &PartCache,
        call: &Call<'_>,
        key: ObjectHash,
        packed: Vec<u32>,
        seconds: f64,
    ) {
        let value = ObjectResult::new(packed, self.cache.row_number(call.row));
        let entry = CacheEntry { bytes: value.bytes(), value, seconds };
        self.cache.keep(call.site, &part.results, key, entry);
    }
}

/// The outputs of a run for some units; those of objects must be 0 outside them.
pub(super) fn outputs<'a>(
    program: &dyn Program,
    done: &'a Done,
    set: &UnitSet<'_>,
    units: &[usize],
) -> Result<Vec<&'a Dense>, OperationError> {
    let made: Option<Vec<&Dense>> = done.outputs.iter().map(Region::as_dense).collect();
    let made = made.filter(|made| made.len() == program.task().spec.outputs.len());
    let missing = || ProgramFailure::new("did not make pixels of all its outputs").into_error(program.task());
    let made = made.ok_or_else(missing)?;
    set.check_inside(program, &made, units)?;
    Ok(made)
}
