//! Who may still read a node's outputs. A read is a walker's step that is not over and takes from another of its steps,
//! a row that gives the outputs as its result, or a step that takes them from the reference row.

use onceflow_study::Scope;

use super::{NodeProgress, Site, SiteEffect, Surroundings, WalkStep};
use crate::scheduler::shape::FlowShape;

impl Site {
    /// How many reads of a walker's task may still come, at this site.
    pub(super) fn reads(&self, walker: usize, task: usize, shape: &FlowShape) -> u32 {
        self.reads_inside(walker, task, shape) + self.reads_outside(walker, task, shape)
    }

    /// A step is over: it reads its inputs no more.
    pub(super) fn let_go(&mut self, walker: usize, task: usize, around: &mut Surroundings<'_, '_>) {
        let shape = around.shape;
        for maker in &shape.makers[task] {
            let across = shape.stage[*maker] != shape.stage[task];
            if !(across && self.has_ended(walker, shape.stage[*maker])) {
                self.drop_own(walker, *maker, 1, around);
            }
        }
        for provider in &shape.references[task] {
            let (walker, maker) = (self.rows + provider, shape.providers[*provider].task);
            if !self.has_ended(walker, shape.stage[maker]) {
                self.drop_own(walker, maker, 1, around);
            }
        }
    }

    /// A stage ends for a walker: other stages and the row's result have stand-ins for its outputs.
    pub(super) fn let_go_of_stage(&mut self, walker: usize, stage: usize, around: &mut Surroundings<'_, '_>) {
        let shape = around.shape;
        for task in &shape.chains[stage] {
            let reads = self.reads_outside(walker, *task, shape);
            self.drop_own(walker, *task, reads, around);
        }
    }

    /// A row is through: it is told, and its results are read.
    pub(super) fn report(&mut self, row: usize, around: &mut Surroundings<'_, '_>) {
        if self.scope != Scope::Part {
            return;
        }
        if self.walks[row].known.is_none() {
            around.effects.push(SiteEffect::Row { row: row as u32 });
        }
        let shape = around.shape;
        for task in &shape.results {
            if !self.has_ended(row, shape.stage[*task]) {
                self.drop_own(row, *task, 1, around);
            }
        }
    }

    /// Lets diverted nodes go, once no row can be diverted to them any more.
    pub(super) fn unguard(&mut self, around: &mut Surroundings<'_, '_>) {
        if self.undecided > 0 || !std::mem::replace(&mut self.guarded, false) {
            return;
        }
        let diverted: Vec<u32> = self.diverted.keys().copied().collect();
        diverted.into_iter().for_each(|node| self.drop_holds(node, 1, around.effects));
    }

    /// Everything below it is closed: what it kept for narrower scopes goes.
    pub(in crate::scheduler) fn close(&mut self, effects: &mut Vec<SiteEffect>) {
        for node in std::mem::take(&mut self.same).into_keys() {
            // What it held goes with the others.
            self.nodes[node as usize].released = true;
        }
        for node in 0..self.nodes.len() as u32 {
            self.nodes[node as usize].holds = 0;
            self.release_if_unread(node, effects);
        }
    }

    pub(super) fn drop_holds(&mut self, node: u32, reads: u32, effects: &mut Vec<SiteEffect>) {
        self.nodes[node as usize].holds -= reads;
        self.release_if_unread(node, effects);
    }

    pub(super) fn release_if_unread(&mut self, node: u32, effects: &mut Vec<SiteEffect>) {
        let state = &mut self.nodes[node as usize];
        let made = matches!(state.progress, NodeProgress::Done | NodeProgress::Ended);
        if made && state.holds == 0 && !std::mem::replace(&mut state.released, true) {
            match self.same_as(node) {
                Some(leader) => self.drop_holds(leader, 1, effects),
                None => effects.push(SiteEffect::Release { node }),
            }
        }
    }

    /// What a wider scope made is kept by that scope until it closes.
    fn drop_own(&mut self, walker: usize, task: usize, reads: u32, around: &mut Surroundings<'_, '_>) {
        if around.shape.scope[task] == self.scope {
            self.drop_holds(self.node(walker, task), reads, around.effects);
        }
    }

    fn reads_inside(&self, walker: usize, task: usize, shape: &FlowShape) -> u32 {
        let inside = |taker: &&usize| shape.stage[**taker] == shape.stage[task];
        shape.takers[task].iter().filter(inside).map(|taker| self.waiting(walker, *taker)).sum()
    }

    fn reads_outside(&self, walker: usize, task: usize, shape: &FlowShape) -> u32 {
        if self.has_ended(walker, shape.stage[task]) {
            return 0;
        }
        let outside = |taker: &&usize| shape.stage[**taker] != shape.stage[task];
        let taken: u32 =
            shape.takers[task].iter().filter(outside).map(|taker| self.waiting(walker, *taker)).sum();
        let given = shape.result[task] && self.scope == Scope::Part && walker < self.rows;
        taken + u32::from(given && !self.walks[walker].through) + self.reads_by_all(walker, task, shape)
    }

    /// The steps, of whatever walker, that take from a provider.
    fn reads_by_all(&self, walker: usize, task: usize, shape: &FlowShape) -> u32 {
        let provider = walker.checked_sub(self.rows).map(|at| &shape.providers[at]);
        let takers = provider.filter(|provider| provider.task == task).into_iter().flat_map(|p| &p.takers);
        takers.flat_map(|taker| (0..self.walkers()).map(|walker| self.waiting(walker, *taker))).sum()
    }

    fn waiting(&self, walker: usize, task: usize) -> u32 {
        u32::from(self.step[self.at(walker, task)] == WalkStep::Waiting)
    }
}
