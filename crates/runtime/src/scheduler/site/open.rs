//! How a site begins: a copy of what all sites of its scope begin with, changed by what wider scopes have found out.

use std::collections::{BTreeMap, HashMap};

use onceflow_reuse::{NodeId, Plan};
use onceflow_study::Scope;

use super::{NodeState, RowWalk, Site, Surroundings, WalkStep};
use crate::KnownFrom;
use crate::scheduler::shape::FlowShape;

impl Site {
    /// What every site of a scope begins with.
    pub(in crate::scheduler) fn template(plan: &Plan, shape: &FlowShape, scope: Scope) -> Self {
        let (tasks, rows) = (shape.tasks(), plan.rows());
        let walkers = rows + shape.providers.len();
        let reference = plan.reference().unwrap_or_default();
        let row = |walker: usize| if walker < rows { walker } else { reference };
        let both = || (0..walkers).flat_map(|walker| (0..tasks).map(move |task| (walker, task)));
        let mut site = Self {
            scope,
            tasks,
            rows,
            reference: plan.reference(),
            node_of: both().map(|(walker, task)| plan.node(row(walker), task).0).collect(),
            waits: both().map(|(_, task)| shape.waits[task]).collect(),
            step: both()
                .map(|(walker, task)| first_step(shape, scope, walker.checked_sub(rows), task))
                .collect(),
            walks: vec![RowWalk::default(); walkers],
            nodes: vec![NodeState::default(); plan.planned()],
            reasons: HashMap::new(),
            same: HashMap::new(),
            diverted: BTreeMap::new(),
            reference_ended: Vec::new(),
            undecided: 0,
            guarded: true,
            walking: walkers,
            running: 0,
            eventful: false,
            any_served: false,
            due: Vec::new(),
        };
        site.count(plan, shape);
        site
    }

    /// A site of the template's scope, inside a wider one, where some rows are known from before.
    pub(in crate::scheduler) fn open(
        &self,
        wider: Option<&Self>,
        known: &[(usize, KnownFrom)],
        around: &mut Surroundings<'_, '_>,
    ) -> Self {
        let mut site = self.clone();
        if let Some(wider) = wider {
            site.inherit(wider, around);
        }
        site.skip(known, around);
        for walker in (0..site.walkers()).rev() {
            // Providers first: a task that takes from a provider with nothing left to do need not wait for it.
            site.arrive(walker, around);
        }
        site.unguard(around);
        site.due.clear();
        site.begin(around);
        site.walk_on(around);
        site
    }

    /// Counts the steps of each walker, the steps that may end a stage, and the reads of each node.
    fn count(&mut self, plan: &Plan, shape: &FlowShape) {
        for walker in 0..self.walkers() {
            for task in 0..self.tasks {
                let (at, waiting) =
                    (self.at(walker, task), self.step[self.at(walker, task)] == WalkStep::Waiting);
                self.walks[walker].pending += u32::from(waiting);
                self.undecided += usize::from(waiting && shape.ender[task]);
                if shape.scope[task] == self.scope {
                    self.nodes[self.node_of[at] as usize].holds += self.reads(walker, task, shape);
                }
            }
        }
        let ids = (0..plan.node_count() as u32).map(NodeId);
        for (state, task) in self.nodes.iter_mut().zip(ids.map(|node| plan.task_of(node))) {
            state.holds += u32::from(shape.read_below[task] && shape.scope[task] == self.scope);
        }
    }

    /// Rows that failed in the wider scope have nothing to do here; those for which a stage ended are diverted.
    fn inherit(&mut self, wider: &Self, around: &mut Surroundings<'_, '_>) {
        self.eventful = wider.eventful;
        self.reference_ended.clone_from(&wider.reference_ended);
        if !wider.eventful {
            return;
        }
        for walker in 0..self.walkers() {
            self.walks[walker].ended.clone_from(&wider.walks[walker].ended);
            self.walks[walker].failure.clone_from(&wider.walks[walker].failure);
        }
        for walker in 0..self.walkers() {
            self.divert(walker, around);
            if self.walks[walker].failure.is_some() {
                self.abandon(walker, |_, _| true, around);
            }
        }
    }

    /// Rows that are known have nothing to do; when there are no others, the reference row is not needed either.
    fn skip(&mut self, known: &[(usize, KnownFrom)], around: &mut Surroundings<'_, '_>) {
        self.eventful |= !known.is_empty();
        let providers = if known.len() == self.rows { self.rows..self.walkers() } else { 0..0 };
        let providers = providers.map(|walker| (walker, KnownFrom::Journal));
        for (walker, from) in known.iter().copied().chain(providers) {
            self.walks[walker].known = Some(from);
            self.abandon(walker, |_, _| true, around);
        }
    }

    fn begin(&mut self, around: &Surroundings<'_, '_>) {
        for task in (0..self.tasks).filter(|task| around.shape.scope[*task] == self.scope) {
            for walker in 0..self.walkers() {
                let at = self.at(walker, task);
                if self.waits[at] == 0 && self.step[at] == WalkStep::Waiting {
                    self.due.push((walker as u32, task as u32));
                }
            }
        }
    }
}

fn first_step(shape: &FlowShape, scope: Scope, provider: Option<usize>, task: usize) -> WalkStep {
    let walks = provider.is_none_or(|provider| shape.providers[provider].walks[task]);
    if walks && shape.scope[task] == scope { WalkStep::Waiting } else { WalkStep::Elsewhere }
}
