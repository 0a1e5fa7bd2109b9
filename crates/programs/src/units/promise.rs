//! Whether a program keeps the promise to work unit by unit: its first call is run whole and in two halves.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Instant;

use onceflow_region::{Dense, Region};
use onceflow_runtime::{Call, Done, OperationError};

use super::packed::pack;
use super::program::{Program, ProgramRun, whole as whole_run};
use super::reuse::{KeyedUnits, UnitReuse, outputs};
use super::set::{UnitKind, UnitSet, pixel_bytes};
use super::tiles::halves;
use crate::failure::ProgramFailure;

impl UnitReuse {
    /// Caches the units of the first call, which was run whole in so many seconds, when the promise is kept.
    pub(crate) fn first(
        &self,
        program: &dyn Program,
        call: &Call<'_>,
        whole: Done,
        seconds: f64,
    ) -> Result<Done, OperationError> {
        let Some(units) = self.keyed(program, call)? else { return Ok(whole) };
        if let Some(done) = self.check_promise(program, call, &units, Some((whole.clone(), seconds)))? {
            return Ok(done);
        }
        self.admit_whole(program, call, &units, &whole, seconds)?;
        Ok(whole)
    }

    /// Runs the first call with two units whole and in halves and compares; its result, or none for other calls. Other workers
    /// wait meanwhile, so that no result relies on a broken promise. Where last bits may differ, nothing can be compared.
    pub(super) fn check_promise(
        &self,
        program: &dyn Program,
        call: &Call<'_>,
        units: &KeyedUnits<'_>,
        whole: Option<(Done, f64)>,
    ) -> Result<Option<Done>, OperationError> {
        if !program.task().is_exact() {
            return Ok(None);
        }
        let mut promise = self.promise.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = promise.as_ref() {
            return known.clone().map(|()| None);
        }
        if units.set.units.len() < 2 {
            return Ok(None);
        }
        let (whole, seconds) = match whole {
            Some(made) => made,
            None => {
                let start = Instant::now();
                (program.once(&whole_run(program, call)?)?, start.elapsed().as_secs_f64())
            }
        };
        let all: Vec<usize> = (0..units.set.units.len()).collect();
        if let Err(error) = outputs(program, &whole, &units.set, &all) {
            *promise = Some(Err(error.clone()));
            return Err(error);
        }
        // A program that fails says nothing about its promise: the next call is the first.
        let halves = self.run_halves(program, call, units)?;
        let found = self.compare(program, units, &whole, &halves);
        *promise = Some(found.clone());
        found?;
        self.admit_whole(program, call, units, &whole, seconds)?;
        Ok(Some(whole))
    }

    /// Runs a call whole that used cached units and gave these outputs, and compares: the first such call, the second, the
    /// fourth, and so on, since a promise that holds once may be broken with other values.
    pub(super) fn check_again(
        &self,
        program: &dyn Program,
        call: &Call<'_>,
        made: &[Region],
    ) -> Result<(), OperationError> {
        let number = self.reusing_calls.fetch_add(1, Ordering::Relaxed) + 1;
        if !number.is_power_of_two() || !program.task().is_exact() {
            return Ok(());
        }
        let whole = program.once(&ProgramRun { again: true, ..whole_run(program, call)? })?;
        let same = whole.outputs.len() == made.len()
            && whole.outputs.iter().zip(made).all(|(one, other)| one.is_same(other));
        if same {
            return Ok(());
        }
        let error = self.broken_later(program);
        *self.promise.lock().unwrap_or_else(PoisonError::into_inner) = Some(Err(error.clone()));
        Err(error)
    }

    fn admit_whole(
        &self,
        program: &dyn Program,
        call: &Call<'_>,
        units: &KeyedUnits<'_>,
        whole: &Done,
        seconds: f64,
    ) -> Result<(), OperationError> {
        let all: Vec<usize> = (0..units.set.units.len()).collect();
        let made = outputs(program, whole, &units.set, &all)?;
        self.admit(call, units, &made, seconds);
        Ok(())
    }

    /// The result of each unit, computed in two runs: every other object, or one side of the tiles.
    fn run_halves(
        &self,
        program: &dyn Program,
        call: &Call<'_>,
        units: &KeyedUnits<'_>,
    ) -> Result<Vec<Vec<u32>>, OperationError> {
        let set = &units.set;
        let halves = match set.kind {
            UnitKind::Objects(_) => {
                let (one, other) = (0..set.units.len()).partition(|unit| unit % 2 == 0);
                [one, other]
            }
            UnitKind::Tiles(side) => halves(set, *side),
        };
        let mut packed = vec![Vec::new(); set.units.len()];
        for half in halves {
            let batches = set.blanked_batches(call, &half, self.keys.reach);
            let batches =
                batches.ok_or_else(|| OperationError::new("a part could not be cut into halves"))?;
            for batch in &batches {
                let done = program.once(&batch.run(call, true))?;
                let made = outputs(program, &done, set, &batch.units)?;
                for unit in &batch.units {
                    packed[*unit] = pack(&made, &set.units[*unit], batch.corner());
                }
            }
        }
        Ok(packed)
    }

    fn compare(
        &self,
        program: &dyn Program,
        units: &KeyedUnits<'_>,
        whole: &Done,
        halves: &[Vec<u32>],
    ) -> Result<(), OperationError> {
        let set = &units.set;
        let all: Vec<usize> = (0..set.units.len()).collect();
        let made = outputs(program, whole, set, &all)?;
        let differs = |unit: &&usize| pack(&made, &set.units[**unit], (0, 0)) != halves[**unit];
        let others = all.iter().filter(differs).collect::<Vec<_>>();
        match others.first() {
            None => Ok(()),
            Some(first) => Err(self.broken(program, set, **first, others.len())),
        }
    }

    fn broken_later(&self, program: &dyn Program) -> OperationError {
        let key = self.kind.key();
        ProgramFailure::new(format!(
            "is declared \"{key}\", but a whole task gives other results than its units gave one by one; rows before this one \
             may be wrong: raise \"halo\" or remove \"{key}\", and run again with --force"
        ))
        .into_error(program.task())
    }

    fn broken(&self, program: &dyn Program, set: &UnitSet<'_>, first: usize, count: usize) -> OperationError {
        let all = set.units.len();
        let at = set.units[first].bounds;
        let halo = self
            .keys
            .reach
            .map_or_else(String::new, |reach| format!(", or further than its halo of {reach} pixels"));
        let (key, what) = (set.kind.key(), format!("{count} of {all} {}", set.kind.word()));
        ProgramFailure::new(format!(
            "is declared \"{key}\", but gives other results for {what} when it is given half of them, first at {}, {}: it looks \
             at other units{halo}; raise \"halo\", or remove \"{key}\"",
            at.left, at.top
        ))
        .into_error(program.task())
    }
}

impl UnitSet<'_> {
    /// Refuses outputs that are not 0 outside the objects that a program was given.
    pub(super) fn check_inside(
        &self,
        program: &dyn Program,
        outputs: &[&Dense],
        units: &[usize],
    ) -> Result<(), OperationError> {
        if !matches!(self.kind, UnitKind::Objects(_)) {
            return Ok(());
        }
        let mut inside = vec![false; self.width * self.height];
        for run in units.iter().flat_map(|unit| &self.units[*unit].runs) {
            let row = run.y as usize * self.width;
            inside[row + run.start as usize..row + run.end as usize].fill(true);
        }
        for (output, region) in outputs.iter().zip(&program.task().spec.outputs) {
            let pixels = output.pixels().as_bytes().chunks_exact(pixel_bytes(output));
            let outside = pixels
                .zip(&inside)
                .position(|(pixel, inside)| !inside && pixel.iter().any(|byte| *byte != 0));
            if let Some(at) = outside {
                let (x, y) = (at % self.width, at / self.width);
                let why = format!(
                    "is declared \"per_object\", but its `{}` is not 0 at {x}, {y}, outside the objects it was given; \
                     remove \"per_object\"",
                    region.name
                );
                return Err(ProgramFailure::new(why).into_error(program.task()));
            }
        }
        Ok(())
    }
}
