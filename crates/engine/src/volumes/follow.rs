//! What follows a registration: it tells how far it is, saves its state now and then, and stops it when that is asked.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use onceflow_registration::{FollowRegistration, LevelCost, LevelState, Progressed, saved};
use onceflow_store::publish::write_whole;

use crate::StopFlag;

/// Between two saved states.
const PAUSE: Duration = Duration::from_secs(5);

/// An iteration of a level, as it is told.
pub(super) type IterationTold<'a> = dyn FnMut(u32, u32, &LevelCost) + 'a;

pub(super) struct Follower<'a> {
    stop: &'a StopFlag,
    file: PathBuf,
    identity: String,
    before: Progressed,
    told: &'a mut IterationTold<'a>,
    last: Instant,
    /// Why no state can be saved; the registration goes on without.
    unsaved: Option<std::io::Error>,
}

impl<'a> Follower<'a> {
    pub(super) fn new(
        (file, identity): (PathBuf, String),
        before: Progressed,
        stop: &'a StopFlag,
        told: &'a mut IterationTold<'a>,
    ) -> Self {
        Self { stop, file, identity, before, told, last: Instant::now(), unsaved: None }
    }

    /// Why the state could not be saved, where it could not.
    pub(super) fn into_error(self) -> Option<std::io::Error> {
        self.unsaved
    }

    fn save(&mut self, progressed: &Progressed) {
        self.last = Instant::now();
        let written = write_whole(&self.file, &saved::to_bytes(progressed, &self.identity));
        self.unsaved = written.err();
    }
}

impl FollowRegistration for Follower<'_> {
    fn iteration(&mut self, level: u32, state: &LevelState) -> ControlFlow<()> {
        (self.told)(level, state.iteration(), &state.cost());
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        if self.last.elapsed() >= PAUSE {
            let progressed = Progressed { state: Some(state.clone()), ..self.before.clone() };
            self.save(&progressed);
        }
        ControlFlow::Continue(())
    }

    fn level(&mut self, progressed: &Progressed) {
        self.before = progressed.clone();
        self.save(progressed);
    }

    fn stopped(&mut self, progressed: Progressed) {
        self.save(&progressed);
    }
}
