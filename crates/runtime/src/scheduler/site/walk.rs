//! How walkers go on: a step is looked at when it waits for nothing more, and is over when its node is.
//!
//! A step whose node was finished on behalf of others still waits for its turn. So a row ends and fails exactly as if it
//! ran alone, task after task, whatever the others do.

use super::{NodeProgress, NodeState, Site, SiteEffect, StageEnd, Surroundings, WalkFailure, WalkStep};
use crate::scheduler::TaskOutcome;
use crate::scheduler::diversion::Diversions;
use crate::scheduler::shape::FlowShape;

impl Site {
    /// Marks a queued node as running. It holds what it reads by itself: those on whose behalf it runs may fail meanwhile.
    pub(in crate::scheduler) fn start(&mut self, node: u32, shape: &FlowShape, diversions: &Diversions<'_>) {
        self.nodes[node as usize].progress = NodeProgress::Running;
        self.begin_again(node, shape, diversions);
    }

    /// A node that is over runs once more: it holds what it reads, and is otherwise as it was.
    pub(in crate::scheduler) fn begin_again(
        &mut self,
        node: u32,
        shape: &FlowShape,
        diversions: &Diversions<'_>,
    ) {
        self.running += 1;
        let scope = self.scope;
        let own = |input: &u32| shape.scope[diversions.task(*input)] == scope;
        diversions.inputs(node).filter(own).for_each(|input| self.hold_input(input));
    }

    /// A running node is over.
    pub(in crate::scheduler) fn finish(
        &mut self,
        node: u32,
        outcome: &TaskOutcome,
        around: &mut Surroundings<'_, '_>,
    ) {
        let task = around.diversions.task(node);
        let progress = NodeProgress::of(outcome, |status| around.diversions.ends(task, status));
        self.running -= 1;
        self.nodes[node as usize].progress = progress;
        if let (
            NodeProgress::Ended | NodeProgress::Failed,
            TaskOutcome::Ended(reason) | TaskOutcome::Failed { message: reason, .. },
        ) = (progress, outcome)
        {
            self.reasons.insert(node, reason.as_str().into());
            self.eventful = true;
        }
        self.call(node, task, around);
        self.walk_on(around);
        self.release_if_unread(node, around.effects);
        self.hold_no_more(node, around);
    }

    /// A running node is to be run again: it is as if it had not been started.
    pub(in crate::scheduler) fn interrupt(&mut self, node: u32, around: &mut Surroundings<'_, '_>) {
        self.running -= 1;
        self.nodes[node as usize].progress = NodeProgress::Queued;
        self.hold_no_more(node, around);
    }

    /// A node that ran once more is over.
    pub(in crate::scheduler) fn end_again(&mut self, node: u32, around: &mut Surroundings<'_, '_>) {
        self.running -= 1;
        self.hold_no_more(node, around);
    }

    /// What a node that ran held by itself.
    fn hold_no_more(&mut self, node: u32, around: &mut Surroundings<'_, '_>) {
        for input in around.diversions.inputs(node) {
            if around.shape.scope[around.diversions.task(input)] == self.scope {
                self.drop_holds(input, 1, around.effects);
            }
        }
    }

    /// Looks at every step that waits for nothing more.
    pub(super) fn walk_on(&mut self, around: &mut Surroundings<'_, '_>) {
        while let Some((walker, task)) = self.due.pop() {
            let (walker, task) = (walker as usize, task as usize);
            if self.step[self.at(walker, task)] == WalkStep::Waiting {
                self.look_at(walker, task, around);
                self.unguard(around);
                self.arrive(walker, around);
            }
        }
    }

    /// Wakes the walkers whose turn it is and that waited only for this node.
    pub(super) fn call(&mut self, node: u32, task: usize, around: &Surroundings<'_, '_>) {
        let rows = around.diversions.planned_rows(node).iter().copied();
        let providers = self.rows as u32..self.walkers() as u32;
        let diverted = self.diverted.get(&node).into_iter().flatten().copied();
        for walker in rows.chain(providers).chain(diverted) {
            let at = walker as usize * self.tasks + task;
            if self.node_of[at] == node && self.step[at] == WalkStep::Waiting && self.waits[at] == 0 {
                self.due.push((walker, task as u32));
            }
        }
    }

    fn look_at(&mut self, walker: usize, task: usize, around: &mut Surroundings<'_, '_>) {
        if let Some(failure) = self.missing_reference(task, around) {
            return self.fail(walker, task, failure, around);
        }
        let node = self.node(walker, task);
        let state = &mut self.nodes[node as usize];
        match state.progress {
            NodeProgress::Idle | NodeProgress::Queued | NodeProgress::Running => {
                if open_for_one_more(state) {
                    around.effects.push(SiteEffect::Ready { node, walker: walker as u32 });
                }
            }
            NodeProgress::Done => {
                self.leave(walker, task, WalkStep::Settled, around);
                self.follow(walker, task, around);
            }
            NodeProgress::Ended => self.end_stage(walker, task, around),
            NodeProgress::Failed => {
                let message = self.reasons[&node].clone();
                self.fail(walker, task, WalkFailure { rank: around.shape.rank[task], task, message }, around);
            }
        }
    }

    /// The failure of a provider that a task takes from.
    fn missing_reference(&self, task: usize, around: &Surroundings<'_, '_>) -> Option<WalkFailure> {
        let providers = around.shape.references[task].iter();
        let failure =
            providers.filter_map(|at| self.walks[self.rows + at].failure.as_ref()).min_by_key(|f| f.rank);
        failure.map(|failure| WalkFailure { rank: around.shape.rank[task], ..failure.clone() })
    }

    /// A step is over, one way or another: what it would have read is read once less.
    pub(super) fn leave(
        &mut self,
        walker: usize,
        task: usize,
        step: WalkStep,
        around: &mut Surroundings<'_, '_>,
    ) {
        self.let_go(walker, task, around);
        let at = self.at(walker, task);
        self.step[at] = step;
        self.walks[walker].pending -= 1;
        self.undecided -= usize::from(around.shape.ender[task]);
    }

    /// Those that waited for a step wait for one less.
    fn follow(&mut self, walker: usize, task: usize, around: &Surroundings<'_, '_>) {
        for follower in &around.shape.followers[task] {
            self.wait_less(walker, *follower);
        }
    }

    fn wait_less(&mut self, walker: usize, task: usize) {
        let at = self.at(walker, task);
        if self.step[at] == WalkStep::Waiting {
            self.waits[at] -= 1;
            if self.waits[at] == 0 {
                self.due.push((walker as u32, task as u32));
            }
        }
    }

    /// The walker needs nothing after this task; what comes before it may still fail, and would be the first failure.
    fn fail(&mut self, walker: usize, task: usize, failure: WalkFailure, around: &mut Surroundings<'_, '_>) {
        let rank = failure.rank;
        self.eventful = true;
        self.walks[walker].failure = Some(failure);
        self.leave(walker, task, WalkStep::Failed, around);
        self.abandon(walker, |task, around| around.shape.rank[task] > rank, around);
    }

    /// Gives up the steps that are not over and that `which` names.
    pub(super) fn abandon(
        &mut self,
        walker: usize,
        which: impl Fn(usize, &Surroundings<'_, '_>) -> bool,
        around: &mut Surroundings<'_, '_>,
    ) {
        for task in 0..self.tasks {
            let at = self.at(walker, task);
            if self.step[at] == WalkStep::Waiting && which(task, around) {
                let state = &mut self.nodes[self.node_of[at] as usize];
                // A step that was due but not looked at yet has opened nothing.
                let looked_at = self.waits[at] == 0 && !self.due.contains(&(walker as u32, task as u32));
                if looked_at && matches!(state.progress, NodeProgress::Queued | NodeProgress::Running) {
                    state.openers -= 1;
                }
                self.leave(walker, task, WalkStep::Failed, around);
            }
        }
    }

    /// The stage of a task ends for a walker: its later tasks fall away, and those of other stages get stand-ins.
    fn end_stage(&mut self, walker: usize, task: usize, around: &mut Surroundings<'_, '_>) {
        let (shape, node) = (around.shape, self.node(walker, task));
        let (stage, rank, status) = (shape.stage[task], shape.rank[task], self.reasons[&node].clone());
        let waiting = |site: &Self, task: usize| site.step[site.at(walker, task)] == WalkStep::Waiting;
        let ended: Vec<usize> = shape.later[task].iter().copied().filter(|t| waiting(self, *t)).collect();
        ended.iter().for_each(|task| self.leave(walker, *task, WalkStep::Ended, around));
        self.leave(walker, task, WalkStep::Settled, around);
        self.let_go_of_stage(walker, stage, around);
        self.walks[walker].ended.push(StageEnd { stage, rank, status });
        self.divert(walker, around);
        ended.iter().chain([&task]).for_each(|task| self.follow(walker, *task, around));
    }

    /// Gives a walker the nodes it needs now that stages have ended.
    pub(super) fn divert(&mut self, walker: usize, around: &mut Surroundings<'_, '_>) {
        let mut ended: Vec<usize> = self.walks[walker].ended.iter().map(|ending| ending.stage).collect();
        ended.sort_unstable();
        self.redirect(walker, &ended, None, around);
        for stage in &ended {
            // Tasks that come before the end of their own stage are needed, with what other stages leave to them.
            let others: Vec<usize> = ended.iter().copied().filter(|other| other != stage).collect();
            let waits = |task: &usize| self.step[self.at(walker, *task)] == WalkStep::Waiting;
            if around.shape.chains[*stage].iter().any(waits) {
                self.redirect(walker, &others, Some(*stage), around);
            }
        }
    }

    fn redirect(
        &mut self,
        walker: usize,
        ended: &[usize],
        only: Option<usize>,
        around: &mut Surroundings<'_, '_>,
    ) {
        let row = (walker < self.rows).then_some(walker);
        for (task, node) in around.diversions.instead(row, ended, &self.reference_ended) {
            let at = self.at(walker, task);
            if only.is_some_and(|stage| around.shape.stage[task] != stage) {
                continue;
            }
            if self.step[at] == WalkStep::Waiting && self.node_of[at] != node.0 {
                self.replace(walker, task, node.0, around);
            } else if around.shape.scope[task] > self.scope {
                self.node_of[at] = node.0;
            }
        }
    }

    fn replace(&mut self, walker: usize, task: usize, node: u32, around: &mut Surroundings<'_, '_>) {
        let (reads, at) = (self.reads(walker, task, around.shape), self.at(walker, task));
        self.admit(node, around.shape.read_below[task]);
        self.diverted.entry(node).or_default().push(walker as u32);
        self.nodes[node as usize].holds += reads;
        let old = std::mem::replace(&mut self.node_of[at], node);
        self.drop_holds(old, reads, around.effects);
    }

    /// Makes room for a node that came by diversion.
    fn admit(&mut self, node: u32, read_below: bool) {
        let room = self.nodes.len().max(node as usize + 1);
        self.nodes.resize(room, NodeState::default());
        if !self.diverted.contains_key(&node) {
            self.nodes[node as usize].holds += u32::from(self.guarded) + u32::from(read_below);
        }
    }

    /// Notices that a walker is through.
    pub(super) fn arrive(&mut self, walker: usize, around: &mut Surroundings<'_, '_>) {
        if self.walks[walker].pending > 0 || std::mem::replace(&mut self.walks[walker].through, true) {
            return;
        }
        self.walking -= 1;
        if walker >= self.rows {
            self.provide(walker, around);
        } else {
            self.report(walker, around);
        }
    }

    /// What others take from the reference row is there, or known to have ended or failed.
    fn provide(&mut self, walker: usize, around: &mut Surroundings<'_, '_>) {
        let known = self.reference_ended.len();
        if self.walks[walker].failure.is_none() {
            self.reference_ended.extend(self.walks[walker].ended.iter().map(|ending| ending.stage));
        }
        self.reference_ended.sort_unstable();
        self.reference_ended.dedup();
        if self.reference_ended.len() > known {
            let walking: Vec<usize> =
                (0..self.walkers()).filter(|walker| !self.walks[*walker].through).collect();
            walking.into_iter().for_each(|walker| self.divert(walker, around));
        }
        let shape = around.shape;
        for waiter in &shape.providers[walker - self.rows].waiters {
            (0..self.walkers()).for_each(|walker| self.wait_less(walker, *waiter));
        }
    }
}

/// Counts a walker that waits for a node; true when the node becomes ready by it.
fn open_for_one_more(state: &mut NodeState) -> bool {
    state.openers += 1;
    let idle = state.progress == NodeProgress::Idle;
    if idle {
        state.progress = NodeProgress::Queued;
    }
    idle
}
