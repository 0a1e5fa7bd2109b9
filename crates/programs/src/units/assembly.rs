//! One call that is put together from cached units and new ones.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use onceflow_kernels::ObjectHash;
use onceflow_kernels::object_cache::{ObjectCounts, ObjectResult, PartCache};
use onceflow_region::Dense;
use onceflow_runtime::{Call, OperationError};

use super::batch::UnitBatch;
use super::packed::pack;
use super::program::Program;
use super::rasters::OutputRasters;
use super::reuse::{KeyedUnits, UnitReuse, outputs};

/// Units that are not cached, by their keys: of equal ones one is computed.
pub(super) type NewUnits = HashMap<ObjectHash, Vec<usize>>;

/// A call that is put together.
pub(super) struct UnitAssembly<'a> {
    reuse: &'a UnitReuse,
    units: &'a KeyedUnits<'a>,
    part: Arc<PartCache>,
    pub(super) rasters: OutputRasters,
    pub(super) counts: ObjectCounts,
    /// The rows for which the cached units were computed.
    pub(super) rows: Vec<u32>,
}

impl<'a> UnitAssembly<'a> {
    /// Nothing is painted yet.
    pub(super) fn new(
        reuse: &'a UnitReuse,
        units: &'a KeyedUnits<'a>,
        call: &Call<'_>,
        rasters: OutputRasters,
    ) -> Self {
        let (part, counts, rows) = (reuse.part(call.site), ObjectCounts::default(), Vec::new());
        Self { reuse, units, part, rasters, counts, rows }
    }

    /// Paints those of some units that are cached; returns the others.
    pub(super) fn paint_cached(&mut self, numbers: impl IntoIterator<Item = usize>) -> NewUnits {
        let mut new = NewUnits::new();
        for number in numbers {
            let (unit, key) = (&self.units.set.units[number], self.units.keys[number]);
            let paint = |result: &ObjectResult| {
                self.rasters.paint(unit, result.as_slice());
                result.row()
            };
            match self.part.results.get(key, paint) {
                Some(row) => {
                    self.rows.push(row);
                    self.counts.ask(unit.pixels(), true);
                }
                None => new.entry(key).or_default().push(number),
            }
        }
        new
    }

    /// Computes new units, and waits for those that another worker computes at the moment. Units that are not cached
    /// afterwards are computed as well: where the cache is full, another round of waiting would be slower than equal work on
    /// two workers.
    pub(super) fn complete(
        &mut self,
        program: &dyn Program,
        call: &Call<'_>,
        new: NewUnits,
    ) -> Result<(), OperationError> {
        let in_progress = &self.reuse.in_progress;
        let claim = in_progress.claim(call.site, new.keys().copied());
        let (mine, others): (NewUnits, NewUnits) = new.into_iter().partition(|(key, _)| claim.has(*key));
        self.compute(program, call, &mine)?;
        drop(claim);
        if others.is_empty() {
            return Ok(());
        }
        in_progress.wait(call.site, &others.keys().copied().collect::<Vec<_>>());
        let mut numbers: Vec<usize> = others.into_values().flatten().collect();
        numbers.sort_unstable();
        let rest = self.paint_cached(numbers);
        self.compute(program, call, &rest)
    }

    /// Computes one unit of each key and paints it for all.
    fn compute(
        &mut self,
        program: &dyn Program,
        call: &Call<'_>,
        new: &NewUnits,
    ) -> Result<(), OperationError> {
        if new.is_empty() {
            return Ok(());
        }
        let mut leaders: Vec<usize> = new.values().filter_map(|same| same.first().copied()).collect();
        leaders.sort_unstable();
        let batches = self.units.set.batches(call, &leaders, self.reuse.keys.reach);
        let batches =
            batches.ok_or_else(|| OperationError::new("a unit could not be cut out of its part"))?;
        for (number, batch) in batches.iter().enumerate() {
            let start = Instant::now();
            let done = program.once(&batch.run(call, number > 0))?;
            let outputs = outputs(program, &done, &self.units.set, &batch.units)?;
            self.take(call, &outputs, batch, new, start.elapsed().as_secs_f64());
        }
        Ok(())
    }

    /// Paints and caches the units of a batch that took some seconds.
    fn take(&mut self, call: &Call<'_>, outputs: &[&Dense], batch: &UnitBatch, new: &NewUnits, seconds: f64) {
        let set = &self.units.set;
        let all = set.pixels(&batch.units);
        self.counts.seconds_spent += seconds;
        for leader in &batch.units {
            let (unit, key) = (&set.units[*leader], self.units.keys[*leader]);
            let packed = pack(outputs, unit, batch.corner());
            for number in new.get(&key).into_iter().flatten() {
                self.rasters.paint(&set.units[*number], &packed);
                self.counts.ask(unit.pixels(), number != leader);
            }
            let share = seconds * unit.pixels() as f64 / all.max(1) as f64;
            self.reuse.keep(&self.part, call, key, packed, share);
        }
    }
}
