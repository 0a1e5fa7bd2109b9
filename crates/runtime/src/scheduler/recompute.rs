//! Outputs that are let go to make room and made again when they are needed, where that is cheaper than to write and read
//! them: the cost of making them, and of all above them that is not there either, against their bytes over the bandwidth
//! of what lies below memory.
//!
//! One thing is made again at a time, with all it needs, before another is begun. What is needed only for that is
//! temporary, and goes when it is done. What was made again once is written the next time: so it comes to an end.

use std::collections::BTreeSet;

use onceflow_study::{Repeats, Scope};

use super::ready::Candidate;
use super::residence::{OutputPlace, SiteNode};
use super::site::Surroundings;
use super::{Instruction, Scheduler};
use crate::Cause;

/// What hangs on more than so many others is written.
const MOST_STEPS: usize = 64;

impl Scheduler<'_> {
    /// Lets outputs go where making them again is cheaper than writing them to, and reading them from, what takes so many
    /// bytes per second. What tasks cost is what the crew expects.
    #[must_use]
    pub fn recompute(mut self, bandwidth: f64) -> Self {
        self.bandwidth = (bandwidth > 0.0).then_some(bandwidth);
        self
    }

    /// Whether outputs that must leave memory had better be made again.
    pub(super) fn recompute_is_cheaper(&self, home: SiteNode) -> bool {
        let Some(bandwidth) = self.bandwidth.filter(|_| self.residence.may_go(home)) else { return false };
        // Written once, read once.
        let moved = 2.0 * self.residence.bytes(home) as f64 / bandwidth;
        self.repeats_exactly(home) && self.cost_of_recompute(home, bandwidth).is_some_and(|cost| cost < moved)
    }

    /// An input of a candidate that was let go.
    pub(super) fn gone_input(&self, candidate: Candidate) -> Option<SiteNode> {
        self.inputs(candidate).find(|home| self.residence.place(*home) == OutputPlace::Gone)
    }

    /// One step towards outputs that were let go and that a candidate reads; what was begun before is ended first.
    pub(super) fn make_again(
        &mut self,
        candidate: Candidate,
        gone: SiteNode,
        worker: u32,
    ) -> Option<Instruction> {
        if self.recompute.is_some() {
            return None;
        }
        let (candidate, target) = *self.chain.get_or_insert((candidate, gone));
        let (step, soon) = self.first_step(candidate, target);
        let below = self.inputs(step).find(|home| self.residence.place(*home) == OutputPlace::Below);
        let wanted = below.map_or_else(|| self.own_bytes(step), |home| self.residence.bytes(home));
        let ready = below.is_some() || self.has_inputs(step);
        if ready && self.memory.reserve(wanted) {
            return Some(match below {
                Some(home) => {
                    self.residence.come(home);
                    Instruction::Restore(self.moving(home))
                }
                None => self.start_again(step, worker),
            });
        }
        if !ready || wanted <= self.memory.free().saturating_add(self.residence.leaving()) {
            return None;
        }
        self.make_room_for(step, &soon)
    }

    /// Bytes that the next step towards what a candidate reads needs, when something of it was let go.
    pub(super) fn bytes_of_next_step(&self, candidate: Candidate) -> Option<u64> {
        let gone = self.gone_input(candidate)?;
        let (candidate, target) = self.chain.unwrap_or((candidate, gone));
        let (step, _) = self.first_step(candidate, target);
        Some(self.own_bytes(step) + self.bytes_below(step))
    }

    /// Outputs leave memory without being written.
    pub(super) fn drop_for_now(&mut self, home: SiteNode) -> Instruction {
        self.memory.give_back(self.residence.bytes(home));
        if self.residence.is_temporary(home) {
            self.residence.remove(home);
        } else {
            self.residence.let_go(home);
        }
        Instruction::Drop(self.instance(home.0, home.1))
    }

    /// Outputs were recomputed, or could not be: the executor tells the tasks that read them.
    pub(super) fn finish_recompute(&mut self, home: SiteNode) {
        self.recompute = None;
        self.recomputed += 1;
        self.workers.end(home);
        let task = self.diversions.task(home.1);
        self.memory.finished(task, self.pixels(home.0, task), true);
        self.note_readers(home.0, home.1, false);
        if self.residence.arrived(home, true).is_some_and(|arrival| arrival.unread) {
            self.memory.released(task, self.pixels(home.0, task));
            self.instructions.push_back(Instruction::Release(self.instance(home.0, home.1)));
        }
        let Self { shape, diversions, effects, sites, .. } = self;
        if let Some(site) = sites.site_mut(home.0) {
            site.end_again(home.1, &mut Surroundings { shape, diversions, effects });
        }
        if self.chain.is_some_and(|(_, target)| target == home) {
            self.end_chain(home.0);
        }
        self.apply(home.0);
    }

    /// What was to be recomputed at a site is there, or is not needed any more: what was needed for it goes.
    pub(super) fn end_chain(&mut self, sequence: u32) {
        self.chain = self.chain.filter(|(candidate, _)| candidate.sequence != sequence);
        for home in self.residence.temporaries(sequence) {
            self.let_go(home);
        }
    }

    fn start_again(&mut self, step: Candidate, worker: u32) -> Instruction {
        let home = step.home();
        let task = self.diversions.task(step.node);
        self.residence.come_again(home, self.memory.outputs(task, self.pixels(home.0, task)));
        self.revive_inputs(home);
        self.note_readers(home.0, home.1, true);
        if let Some(site) = self.sites.site_mut(home.0) {
            site.begin_again(home.1, &self.shape, &self.diversions);
        }
        self.workers.begin(worker, step);
        self.recompute = Some(home);
        let instance = self.instance(home.0, home.1);
        Instruction::Run { instance, worker, attempt: 0, cause: Cause::MadeAgain }
    }

    /// Something leaves memory for a step. What is needed soon is not let go: it would be made again and again.
    fn make_room_for(&mut self, step: Candidate, soon: &BTreeSet<SiteNode>) -> Option<Instruction> {
        match self.victims(step, soon) {
            (Some(spare), _) => Some(self.leave(spare)),
            (None, first) => first.map(|victim| self.write_or_drop(victim)),
        }
    }

    /// What a step does not read: the first that is not needed soon, and the first of all.
    fn victims(&self, step: Candidate, soon: &BTreeSet<SiteNode>) -> (Option<SiteNode>, Option<SiteNode>) {
        let read: BTreeSet<SiteNode> = self.inputs(step).collect();
        let others = || self.residence.idle().filter(|home| !read.contains(home));
        (others().find(|home| !soon.contains(home)), others().next())
    }

    /// The first that must be made so that a target can be, all that it reads being there or below; and what is read on
    /// the way from there to the candidate.
    fn first_step(&self, candidate: Candidate, target: SiteNode) -> (Candidate, BTreeSet<SiteNode>) {
        let mut soon: BTreeSet<SiteNode> = self.inputs(candidate).collect();
        let mut step = target;
        loop {
            soon.extend(self.own_inputs(step));
            match self.own_inputs(step).find(|input| self.is_missing(*input)) {
                Some(missing) => step = missing,
                None => return (Candidate { node: step.1, ..candidate }, soon),
            }
        }
    }

    /// Whether outputs, and all that they hang on at their site, would be made with the same bytes: what is there now may
    /// be released before they are needed.
    fn repeats_exactly(&self, home: SiteNode) -> bool {
        let exact = |home: &SiteNode| {
            self.plan().flow().tasks[self.diversions.task(home.1)].spec.repeats == Repeats::Exact
        };
        let above = self.above(home, &|_| true);
        above.is_some_and(|above| above.iter().all(exact))
    }

    /// Seconds of recomputing outputs, with all their missing inputs; none where the cost of a task is unknown.
    fn cost_of_recompute(&self, home: SiteNode, bandwidth: f64) -> Option<f64> {
        let missing = self.above(home, &|input| self.is_missing(input))?;
        let seconds = |home: &SiteNode| {
            let task = self.diversions.task(home.1);
            self.workers.crew.expects(task).seconds_per_pixel * self.pixels(home.0, task) as f64
        };
        let read: BTreeSet<SiteNode> = missing.iter().flat_map(|home| self.own_inputs(*home)).collect();
        let below = read.iter().filter(|home| self.residence.place(**home) == OutputPlace::Below);
        let restored: f64 = below.map(|home| self.residence.bytes(*home) as f64 / bandwidth).sum();
        let made: f64 = missing.iter().map(seconds).sum();
        (made > 0.0).then_some(made + restored)
    }

    /// A node and what it hangs on at its site, as far as `which` says; none when that is too much to look at.
    fn above(&self, home: SiteNode, which: &dyn Fn(SiteNode) -> bool) -> Option<BTreeSet<SiteNode>> {
        let (mut open, mut seen) = (vec![home], BTreeSet::new());
        while let Some(home) = open.pop() {
            if seen.insert(home) {
                open.extend(self.own_inputs(home).filter(|input| which(*input)));
            }
            if seen.len() > MOST_STEPS {
                return None;
            }
        }
        Some(seen)
    }

    /// What a node reads of its own site.
    pub(super) fn own_inputs(&self, home: SiteNode) -> impl Iterator<Item = SiteNode> {
        let own = |input: &u32| self.shape.scope[self.diversions.task(*input)] == Scope::Part;
        self.diversions.inputs(home.1).filter(own).map(move |input| self.maker((home.0, input)))
    }

    /// Whether outputs are neither in memory nor below, nor on their way.
    fn is_missing(&self, home: SiteNode) -> bool {
        match self.residence.known_place(home) {
            Some(place) => place == OutputPlace::Gone,
            None => {
                let released = self.sites.site(home.0).is_none_or(|site| site.is_released(home.1));
                released && !self.is_retained(home)
            }
        }
    }
}
