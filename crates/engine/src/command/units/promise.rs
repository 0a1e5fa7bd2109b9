//! Whether a program keeps the promise to work unit by unit: its first call is made whole and in two halves.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Instant;

use onceflow_region::{Dense, Region};
use onceflow_runtime::{Call, Done, OperationError};

use super::super::external::Failure;
use super::cut::{Cut, Over, pixel_bytes};
use super::given::{Given, Program, whole as all_of};
use super::known::{Asked, Units, outputs};
use super::product::product;
use super::tiles::halves;

impl Units {
    /// Takes over the first call, which was made whole in so many seconds, when its promise is kept.
    pub(in super::super) fn first(
        &self,
        program: &dyn Program,
        call: &Call<'_>,
        whole: Done,
        seconds: f64,
    ) -> Result<Done, OperationError> {
        let Some(asked) = self.asked(program, call) else { return Ok(whole) };
        if let Some(done) = self.checked(program, call, &asked, Some((whole.clone(), seconds)))? {
            return Ok(done);
        }
        self.take_over(program, call, &asked, &whole, seconds)?;
        Ok(whole)
    }

    /// Makes a call whole and in halves and compares, when nobody has yet and it has two units; whoever asks meanwhile waits,
    /// so that nothing of a wrong promise is believed. Where last bits may differ nobody can tell.
    pub(super) fn checked(
        &self,
        program: &dyn Program,
        call: &Call<'_>,
        asked: &Asked<'_>,
        whole: Option<(Done, f64)>,
    ) -> Result<Option<Done>, OperationError> {
        if !program.task().is_exact() {
            return Ok(None);
        }
        let mut promise = self.promise.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = promise.as_ref() {
            return known.clone().map(|()| None);
        }
        if asked.cut.units.len() < 2 {
            return Ok(None);
        }
        let (whole, seconds) = match whole {
            Some(made) => made,
            None => {
                let start = Instant::now();
                (program.once(&all_of(program, call))?, start.elapsed().as_secs_f64())
            }
        };
        let all: Vec<usize> = (0..asked.cut.units.len()).collect();
        if let Err(error) = outputs(program, &whole, &asked.cut, &all) {
            *promise = Some(Err(error.clone()));
            return Err(error);
        }
        // A program that fails says nothing about its promise: the next call is the first.
        let parts = self.in_halves(program, call, asked)?;
        let found = self.compared(program, asked, &whole, &parts);
        *promise = Some(found.clone());
        found?;
        self.take_over(program, call, asked, &whole, seconds)?;
        Ok(Some(whole))
    }

    /// Makes a call whole as well that took over known units and gave these outputs, and compares: the first such call, the
    /// second, the fourth, and so on, since a promise that holds once may be broken with other values.
    pub(super) fn look_again(
        &self,
        program: &dyn Program,
        call: &Call<'_>,
        made: &[Region],
    ) -> Result<(), OperationError> {
        let number = self.painted.fetch_add(1, Ordering::Relaxed) + 1;
        if !number.is_power_of_two() || !program.task().is_exact() {
            return Ok(());
        }
        let whole = program.once(&Given { again: true, ..all_of(program, call) })?;
        let same = whole.outputs.len() == made.len()
            && whole.outputs.iter().zip(made).all(|(one, other)| one.is_same(other));
        if same {
            return Ok(());
        }
        let error = self.broken_later(program);
        *self.promise.lock().unwrap_or_else(PoisonError::into_inner) = Some(Err(error.clone()));
        Err(error)
    }

    fn take_over(
        &self,
        program: &dyn Program,
        call: &Call<'_>,
        asked: &Asked<'_>,
        whole: &Done,
        seconds: f64,
    ) -> Result<(), OperationError> {
        let all: Vec<usize> = (0..asked.cut.units.len()).collect();
        let made = outputs(program, whole, &asked.cut, &all)?;
        self.admit(call, asked, &made, seconds);
        Ok(())
    }

    /// The product of each unit, made in two runs: every other object, or one side of the tiles.
    fn in_halves(
        &self,
        program: &dyn Program,
        call: &Call<'_>,
        asked: &Asked<'_>,
    ) -> Result<Vec<Vec<u32>>, OperationError> {
        let cut = &asked.cut;
        let halves = match cut.over {
            Over::Objects(_) => {
                let (one, other) = (0..cut.units.len()).partition(|unit| unit % 2 == 0);
                [one, other]
            }
            Over::Tiles(side) => halves(cut, *side),
        };
        let mut products = vec![Vec::new(); cut.units.len()];
        for half in halves {
            let shares = cut.blind_shares(call, &half, self.keys.reach);
            let shares = shares.ok_or_else(|| OperationError::new("a part could not be cut into halves"))?;
            for share in &shares {
                let done = program.once(&share.given(call, true))?;
                let made = outputs(program, &done, cut, &share.units)?;
                for unit in &share.units {
                    let corner = (share.window.left, share.window.top);
                    products[*unit] = product(&made, &cut.units[*unit], corner);
                }
            }
        }
        Ok(products)
    }

    fn compared(
        &self,
        program: &dyn Program,
        asked: &Asked<'_>,
        whole: &Done,
        parts: &[Vec<u32>],
    ) -> Result<(), OperationError> {
        let all: Vec<usize> = (0..asked.cut.units.len()).collect();
        let made = outputs(program, whole, &asked.cut, &all)?;
        let differs = |unit: &&usize| product(&made, &asked.cut.units[**unit], (0, 0)) != parts[**unit];
        let others = all.iter().filter(differs).collect::<Vec<_>>();
        match others.first() {
            None => Ok(()),
            Some(first) => Err(self.broken(program, &asked.cut, **first, others.len())),
        }
    }

    fn broken_later(&self, program: &dyn Program) -> OperationError {
        let key = self.over.key();
        Failure::new(format!(
            "is declared \"{key}\", but with all of a task it gives other results than it gave piecemeal; rows before this one \
             may be wrong: raise \"halo\" or remove \"{key}\", and run again with --force"
        ))
        .into_error(program.task())
    }

    fn broken(&self, program: &dyn Program, cut: &Cut<'_>, first: usize, count: usize) -> OperationError {
        let all = cut.units.len();
        let at = cut.units[first].bounds;
        let halo = self
            .keys
            .reach
            .map_or_else(String::new, |reach| format!(", or further than its halo of {reach} pixels"));
        let (key, what) = (cut.over.key(), format!("{count} of {all} {}", cut.over.word()));
        Failure::new(format!(
            "is declared \"{key}\", but gives other results for {what} when it is given half of them, first at {}, {}: it looks \
             at others{halo}; raise \"halo\", or remove \"{key}\"",
            at.left, at.top
        ))
        .into_error(program.task())
    }
}

impl Cut<'_> {
    /// Refuses pixels outside the objects that a program was given.
    pub(super) fn check_inside(
        &self,
        program: &dyn Program,
        outputs: &[&Dense],
        units: &[usize],
    ) -> Result<(), OperationError> {
        if !matches!(self.over, Over::Objects(_)) {
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
                return Err(Failure::new(why).into_error(program.task()));
            }
        }
        Ok(())
    }
}
