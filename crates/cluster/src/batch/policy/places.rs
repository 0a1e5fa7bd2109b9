//! Places in time for every ready job, beside running jobs and each other.

use std::collections::BTreeMap;

use crate::batch::profile::Profile;
use crate::batch::state::BatchState;

/// The places of a conservative scheduler.
#[derive(Clone, Debug, Default)]
pub(in crate::batch) struct Places {
    /// Ready jobs and their places; one that became ready since the last pass has none.
    jobs: BTreeMap<u32, Option<u64>>,
    /// What running jobs, by their planned ends, and places leave free.
    profile: Option<Profile>,
    /// Whether a place could become earlier: a job ended before its planned end, or places moved in the last pass.
    could_move: bool,
}

impl Places {
    /// None for policies that keep no places.
    pub(in crate::batch) fn new(state: &BatchState<'_>) -> Self {
        let keeps = state.policy == super::BatchPolicy::Conservative;
        Self { profile: keeps.then(|| running(state)), ..Self::default() }
    }

    /// A job became ready.
    pub(in crate::batch) fn add(&mut self, job: u32) {
        if self.profile.is_some() {
            self.jobs.insert(job, None);
        }
    }

    /// A running job ended.
    pub(in crate::batch) fn ended(&mut self, now: u64, planned: u64, nodes: u64) {
        if let Some(profile) = self.profile.as_mut().filter(|_| planned > now) {
            profile.give_back(now, planned, nodes);
            self.could_move = true;
        }
    }

    /// Puts each job that has a place at the earliest one now.
    fn compress(&mut self, now: u64, shape: impl Fn(u32) -> (u64, u64)) {
        let Some(profile) = &mut self.profile else { return };
        let mut moved = false;
        for (job, place) in &mut self.jobs {
            let Some(place) = place else { continue };
            let (nodes, length) = shape(*job);
            profile.give_back(*place, *place + length, nodes);
            let earliest = profile.earliest(now, nodes, length);
            profile.take(earliest, earliest + length, nodes);
            moved |= earliest != *place;
            *place = earliest;
        }
        self.could_move = moved;
    }

    /// Gives a place to each job that has none.
    fn complete(&mut self, now: u64, shape: impl Fn(u32) -> (u64, u64)) {
        let Some(profile) = &mut self.profile else { return };
        for (job, place) in self.jobs.iter_mut().filter(|(_, place)| place.is_none()) {
            let (nodes, length) = shape(*job);
            let earliest = profile.earliest(now, nodes, length);
            profile.take(earliest, earliest + length, nodes);
            *place = Some(earliest);
        }
    }

    /// Takes out the jobs whose place is now.
    fn due(&mut self, now: u64) -> Vec<u32> {
        let due = |(job, place): (&u32, &Option<u64>)| (*place == Some(now)).then_some(*job);
        let due: Vec<u32> = self.jobs.iter().filter_map(due).collect();
        for job in &due {
            self.jobs.remove(job);
        }
        due
    }
}

/// Conservative backfilling: places are kept, and become earlier when something ends.
pub(super) fn conservative(state: &mut BatchState<'_>, ended: bool) {
    let mut places = std::mem::take(&mut state.places);
    if let Some(profile) = &mut places.profile {
        profile.forget(state.now);
    }
    let shape = |job| state.shape(job);
    if ended && places.could_move {
        places.compress(state.now, shape);
    }
    places.complete(state.now, shape);
    let due = places.due(state.now);
    for job in due {
        // A job of no length has a place that holds nothing, so that another may have taken its nodes.
        if state.shape(job).0 <= state.free {
            state.start(job);
        } else {
            places.jobs.insert(job, None);
        }
    }
    state.places = places;
}

/// Places given anew, in order; jobs start whose place is now.
pub(super) fn replan(state: &mut BatchState<'_>) {
    if state.free < state.ready.least_nodes() {
        return;
    }
    let mut profile = running(state);
    let mut from = 0;
    while let Some(job) = state.ready.next(from) {
        from = job + 1;
        let (nodes, length) = state.shape(job);
        let place = profile.earliest(state.now, nodes, length);
        profile.take(place, place + length, nodes);
        if place == state.now && nodes <= state.free {
            state.start(job);
        }
        if profile.free_at(state.now) < state.ready.least_nodes() {
            return;
        }
    }
}

/// What running jobs leave free, by their planned ends.
fn running(state: &BatchState<'_>) -> Profile {
    Profile::new(state.now, state.free, &state.planned)
}
