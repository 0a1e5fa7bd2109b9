//! Units that a program has made before are painted; it is given the others, and is not started when there are none.

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use onceflow_kernels::Shape;
use onceflow_region::{Dense, Region};
use onceflow_runtime::{Call, Done, OperationError};
use onceflow_study::Repeats;

use super::super::external::Failure;
use super::super::own::OwnTask;
use super::busy::Busy;
use super::canvas::Canvas;
use super::cut::{Cut, Over, reach};
use super::given::{Program, Share, whole};
use super::keys::Keys;
use super::product::product;
use crate::objects_seen::origins::{Origins, most};
use crate::objects_seen::{Kept, ObjectCounts, ObjectsSeen, Place, Tally, Words};

/// What is known of the units of a program.
#[derive(Debug)]
pub(in super::super) struct Units {
    pub(super) over: Over,
    pub(super) keys: Keys,
    seen: Arc<ObjectsSeen>,
    tally: Arc<Tally>,
    busy: Busy,
    /// Calls that took over known units.
    pub(super) painted: AtomicU64,
    /// Whether the program keeps its promise, once that is known.
    pub(super) promise: Mutex<Option<Result<(), OperationError>>>,
}

impl Units {
    /// Of a program that is declared to work unit by unit, and whose results may stand for others.
    pub(in super::super) fn of(task: &OwnTask, seen: Option<&Arc<ObjectsSeen>>) -> Option<Self> {
        let over = Over::of(task).filter(|_| task.spec.repeats != Repeats::Never)?;
        let keys = Keys::new(task, reach(task.spec.halo));
        let seen = Arc::clone(seen?);
        let tally = seen.tally(&task.name);
        Some(Self {
            over,
            keys,
            seen,
            tally,
            busy: Busy::default(),
            painted: AtomicU64::new(0),
            promise: Mutex::default(),
        })
    }

    /// Does a call: only its new units are given to the program.
    pub(in super::super) fn run(
        &self,
        program: &dyn Program,
        call: &Call<'_>,
    ) -> Result<Done, OperationError> {
        let start = Instant::now();
        let Some(asked) = self.asked(program, call) else { return program.once(&whole(program, call)) };
        if let Some(done) = self.checked(program, call, &asked, None)? {
            return Ok(done);
        }
        let Some(canvas) = Canvas::new(&program.task().spec.outputs, &asked.cut) else {
            return program.once(&whole(program, call));
        };
        let place = self.seen.place(call.site);
        let mut work = Work {
            units: self,
            asked: &asked,
            place,
            at: (call.site, call.row),
            canvas,
            counts: ObjectCounts::default(),
            rows: Vec::new(),
        };
        let all = (0..asked.cut.units.len()).collect::<Vec<_>>();
        let new = work.paint_known(&all);
        work.counts.seconds_looking = start.elapsed().as_secs_f64();
        work.make_shared(program, call, new)?;
        let ObjectCounts { asked, found, .. } = work.counts;
        work.counts.whole = u64::from(asked > 0 && asked == found);
        self.tally.add(&work.counts);
        let (task, from) = (program.task().name.clone(), most(std::mem::take(&mut work.rows)));
        let (site, row) = work.at;
        self.seen.note(Origins { task, site, row, objects: asked, known: found, from });
        let made = work.canvas.regions().map_err(OperationError::new)?;
        if found > 0 {
            self.look_again(program, call, &made)?;
        }
        Ok(Done::with(made))
    }

    /// Takes over a call that was made whole.
    pub(super) fn admit(&self, call: &Call<'_>, asked: &Asked<'_>, whole: &[&Dense], seconds: f64) {
        let place = self.seen.place(call.site);
        let mut counts = ObjectCounts { seconds_spent: seconds, ..ObjectCounts::default() };
        let all: usize = asked.cut.units.iter().map(super::cut::Unit::pixels).sum();
        for (unit, key) in asked.cut.units.iter().zip(&asked.keys) {
            counts.ask(unit.pixels(), false);
            let share = seconds * unit.pixels() as f64 / all.max(1) as f64;
            self.keep(&place, (call.site, call.row), *key, product(whole, unit, (0, 0)), share);
        }
        self.tally.add(&counts);
    }

    /// The units of a call with their keys; none when it cannot be cut.
    pub(super) fn asked(&self, program: &dyn Program, call: &Call<'_>) -> Option<Asked<'_>> {
        let cut = Cut::new(&self.over, call, program.size(call))?;
        let keys = self.keys.of(call, &cut)?;
        Some(Asked { cut, keys })
    }

    fn keep(&self, place: &Place, (site, row): At, key: Shape, product: Vec<u32>, seconds: f64) {
        let product = Words::new(product, row);
        let kept = Kept { bytes: product.bytes(), value: product, seconds };
        self.seen.keep(site, &place.results, key, kept);
    }
}

/// The units of a call.
pub(super) struct Asked<'a> {
    pub(super) cut: Cut<'a>,
    pub(super) keys: Vec<Shape>,
}

/// Units that are not known, by their keys: equal ones are made once.
type New = HashMap<Shape, Vec<usize>>;

/// A call that is put together.
struct Work<'a> {
    units: &'a Units,
    asked: &'a Asked<'a>,
    place: Arc<Place>,
    at: At,
    canvas: Canvas,
    counts: ObjectCounts,
    /// Those for which the known ones were made.
    rows: Vec<u32>,
}

/// A site, and the first row that asked.
type At = (usize, u32);

impl Work<'_> {
    /// Paints those of some units that are known; the others, by their keys.
    fn paint_known(&mut self, numbers: &[usize]) -> New {
        let mut new = New::new();
        for number in numbers {
            let (unit, key) = (&self.asked.cut.units[*number], self.asked.keys[*number]);
            let paint = |product: &Words| {
                self.canvas.paint(unit, product.as_slice());
                product.row()
            };
            match self.place.results.get(key, paint) {
                Some(row) => {
                    self.rows.push(row);
                    self.counts.ask(unit.pixels(), true);
                }
                None => new.entry(key).or_default().push(*number),
            }
        }
        new
    }

    /// Has the others made, and waits for those that another worker makes at the moment. What was not kept then is made as
    /// well: where there is no room for results, to wait for each other again would be slower than to work side by side.
    fn make_shared(
        &mut self,
        program: &dyn Program,
        call: &Call<'_>,
        new: New,
    ) -> Result<(), OperationError> {
        let units = self.units;
        let claim = units.busy.claim(self.at.0, new.keys().copied());
        let (mine, others): (New, New) = new.into_iter().partition(|(key, _)| claim.has(*key));
        self.make(program, call, mine)?;
        drop(claim);
        if others.is_empty() {
            return Ok(());
        }
        units.busy.wait(self.at.0, &others.keys().copied().collect::<Vec<_>>());
        let mut numbers: Vec<usize> = others.into_values().flatten().collect();
        numbers.sort_unstable();
        let rest = self.paint_known(&numbers);
        self.make(program, call, rest)
    }

    /// Has the others made, one of those that are equal for all.
    fn make(&mut self, program: &dyn Program, call: &Call<'_>, new: New) -> Result<(), OperationError> {
        if new.is_empty() {
            return Ok(());
        }
        let mut leaders: Vec<usize> = new.values().filter_map(|same| same.first().copied()).collect();
        leaders.sort_unstable();
        let shares = self.asked.cut.shares(call, &leaders, self.units.keys.reach);
        let shares = shares.ok_or_else(|| OperationError::new("a unit could not be cut out of its part"))?;
        for (number, share) in shares.iter().enumerate() {
            let start = Instant::now();
            let done = program.once(&share.given(call, number > 0))?;
            let outputs = outputs(program, &done, &self.asked.cut, &share.units)?;
            self.take(&outputs, share, &new, start.elapsed().as_secs_f64());
        }
        Ok(())
    }

    fn take(&mut self, outputs: &[&Dense], share: &Share, new: &New, seconds: f64) {
        let cut = &self.asked.cut;
        let all: usize = share.units.iter().map(|unit| cut.units[*unit].pixels()).sum();
        self.counts.seconds_spent += seconds;
        for leader in &share.units {
            let unit = &cut.units[*leader];
            let key = self.asked.keys[*leader];
            let made = product(outputs, unit, (share.window.left, share.window.top));
            for number in new.get(&key).into_iter().flatten() {
                self.canvas.paint(&cut.units[*number], &made);
                self.counts.ask(unit.pixels(), number != leader);
            }
            let part = seconds * unit.pixels() as f64 / all.max(1) as f64;
            self.units.keep(&self.place, self.at, key, made, part);
        }
    }
}

/// What a program made of some units; of objects nothing may lie outside them.
pub(super) fn outputs<'a>(
    program: &dyn Program,
    done: &'a Done,
    cut: &Cut<'_>,
    units: &[usize],
) -> Result<Vec<&'a Dense>, OperationError> {
    let made: Option<Vec<&Dense>> = done.outputs.iter().map(Region::as_dense).collect();
    let made = made.filter(|made| made.len() == program.task().spec.outputs.len());
    let missing = || Failure::new("did not make pixels of all its outputs").into_error(program.task());
    let made = made.ok_or_else(missing)?;
    cut.check_inside(program, &made, units)?;
    Ok(made)
}
