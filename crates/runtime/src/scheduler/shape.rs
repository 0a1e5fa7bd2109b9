//! What every row has in common: which task waits for which, who takes from whom, which tasks may end their stage.
//!
//! A row walks through its tasks by these rules alone, so that its fate depends neither on other rows nor on time.

mod deciders;
mod provider;
mod rank;

use onceflow_reuse::{Flow, FlowInput};
use onceflow_study::Scope;

use super::SchedulerError;

pub(super) use provider::Provider;

/// The tasks of a flow as the scheduler sees them; the vectors run over the tasks.
#[derive(Debug)]
pub(super) struct FlowShape {
    pub(super) scope: Vec<Scope>,
    pub(super) stage: Vec<usize>,
    /// The place in an order in which each task comes after all it depends on, stage by stage.
    pub(super) rank: Vec<u32>,
    /// Tasks of the same row whose regions it takes, each once.
    pub(super) makers: Vec<Vec<usize>>,
    /// Tasks of the same row that take its regions, each once.
    pub(super) takers: Vec<Vec<usize>>,
    /// Places in `providers` of the regions it takes from the reference row.
    pub(super) references: Vec<Vec<usize>>,
    /// Tasks of its scope that wait for it, for a region or for its status.
    pub(super) followers: Vec<Vec<usize>>,
    /// For how many tasks and providers it waits at the start.
    pub(super) waits: Vec<u16>,
    /// Whether it may end its stage.
    pub(super) ender: Vec<bool>,
    /// The tasks after it in its stage.
    pub(super) later: Vec<Vec<usize>>,
    /// Whether a row gives its outputs.
    pub(super) result: Vec<bool>,
    /// Whether a narrower scope reads its outputs.
    pub(super) read_below: Vec<bool>,
    /// What tasks take from the reference row.
    pub(super) providers: Vec<Provider>,
    /// The tasks of each stage, in order.
    pub(super) chains: Vec<Vec<usize>>,
    /// The flow's results.
    pub(super) results: Vec<usize>,
}

impl FlowShape {
    /// The shape of a flow; regions of the reference row have providers where there is such a row.
    pub(super) fn new(flow: &Flow, has_reference: bool) -> Result<Self, SchedulerError> {
        let stage_order = rank::stage_order(flow)?;
        let waits_for = waits_for(flow, &stage_order);
        check(flow, &waits_for)?;
        let tasks = flow.tasks.len();
        let makers: Vec<Vec<usize>> = (0..tasks).map(|task| own_makers(flow, task)).collect();
        let providers =
            if has_reference { Provider::all(flow, &waits_for, &stage_order) } else { Vec::new() };
        let mut shape = Self {
            scope: (0..tasks).map(|task| flow.scope(task)).collect(),
            stage: flow.tasks.iter().map(|task| task.stage).collect(),
            rank: rank::ranks(flow, &stage_order, &waits_for)?,
            takers: inverse(&makers),
            makers,
            references: vec![Vec::new(); tasks],
            followers: vec![Vec::new(); tasks],
            waits: vec![0; tasks],
            ender: (0..tasks).map(|task| is_ender(flow, task)).collect(),
            later: (0..tasks).map(|task| later(flow, task).to_vec()).collect(),
            result: (0..tasks).map(|task| flow.results.contains(&task)).collect(),
            read_below: vec![false; tasks],
            providers,
            chains: flow.stages.iter().map(|stage| stage.tasks.clone()).collect(),
            results: flow.results.clone(),
        };
        shape.link(&waits_for);
        Ok(shape)
    }

    /// How many tasks a row has.
    pub(super) fn tasks(&self) -> usize {
        self.scope.len()
    }

    fn link(&mut self, waits_for: &[Vec<usize>]) {
        for (task, others) in waits_for.iter().enumerate() {
            // What a wider scope makes is there before a narrower one begins.
            for other in others.iter().filter(|other| self.scope[**other] == self.scope[task]) {
                self.followers[*other].push(task);
                self.waits[task] += 1;
            }
        }
        for (at, provider) in self.providers.iter().enumerate() {
            provider.takers.iter().for_each(|taker| self.references[*taker].push(at));
            provider.waiters.iter().for_each(|waiter| self.waits[*waiter] += 1);
        }
        for task in 0..self.tasks() {
            self.read_below[task] = self.is_read_below(task);
        }
    }

    fn is_read_below(&self, task: usize) -> bool {
        let scope = self.scope[task];
        let provided = self.providers.iter().filter(|provider| provider.task == task);
        let mut takers = provided.flat_map(|provider| &provider.takers).chain(&self.takers[task]);
        takers.any(|taker| self.scope[*taker] < scope) || (self.result[task] && scope != Scope::Part)
    }
}

/// Per task: the tasks of the same row that must be over before it is considered, each once.
///
/// Those are the makers of its regions; the last task before it in its stage that may end the stage (which in turn
/// waits for the ones before); the tasks that decide what its stage is given; and what its `after` names. What it takes
/// from the reference row counts as if its own row made it: for the reference row that is so, and the others make their
/// own in any case.
fn waits_for(flow: &Flow, stage_order: &[usize]) -> Vec<Vec<usize>> {
    let deciders = deciders::deciders(flow, stage_order);
    let of = |task: usize| {
        let makers = flow.tasks[task].inputs.iter().filter_map(|input| input.maker());
        let mut all: Vec<usize> = makers.chain(last_ender(flow, before(flow, task))).collect();
        all.extend(flow.tasks[task].after.iter().chain(&deciders[flow.tasks[task].stage]));
        all.sort_unstable();
        all.dedup();
        all
    };
    (0..flow.tasks.len()).map(of).collect()
}

fn own_makers(flow: &Flow, task: usize) -> Vec<usize> {
    let own = |input: &FlowInput| if let FlowInput::Task { task, .. } = input { Some(*task) } else { None };
    let mut makers: Vec<usize> = flow.tasks[task].inputs.iter().filter_map(own).collect();
    makers.sort_unstable();
    makers.dedup();
    makers
}

fn is_ender(flow: &Flow, task: usize) -> bool {
    !flow.tasks[task].ends.is_empty()
}

fn last_ender(flow: &Flow, tasks: &[usize]) -> Option<usize> {
    tasks.iter().rev().copied().find(|task| is_ender(flow, *task))
}

fn place(flow: &Flow, task: usize) -> usize {
    let chain = &flow.stages[flow.tasks[task].stage].tasks;
    chain.iter().position(|other| *other == task).unwrap_or(chain.len())
}

fn before(flow: &Flow, task: usize) -> &[usize] {
    &flow.stages[flow.tasks[task].stage].tasks[..place(flow, task)]
}

fn later(flow: &Flow, task: usize) -> &[usize] {
    let chain = &flow.stages[flow.tasks[task].stage].tasks;
    chain.get(place(flow, task) + 1..).unwrap_or_default()
}

fn inverse(of: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut inverse = vec![Vec::new(); of.len()];
    for (task, others) in of.iter().enumerate() {
        others.iter().for_each(|other| inverse[*other].push(task));
    }
    inverse
}

fn check(flow: &Flow, waits_for: &[Vec<usize>]) -> Result<(), SchedulerError> {
    for (task, others) in waits_for.iter().enumerate() {
        let name = || flow.tasks[task].name.clone();
        if let Some(after) = others.iter().find(|other| flow.scope(**other) < flow.scope(task)) {
            return Err(SchedulerError::WaitsForNarrower {
                task: name(),
                scope: flow.scope(task).word(),
                after: flow.tasks[*after].name.clone(),
                narrower: flow.scope(*after).word(),
            });
        }
        let stage = flow.tasks[task].stage;
        let inside = |input: &FlowInput| matches!(input, FlowInput::Reference { task, .. } if flow.tasks[*task].stage == stage);
        if flow.tasks[task].inputs.iter().any(inside) {
            return Err(SchedulerError::ReferenceInStage { task: name() });
        }
    }
    Ok(())
}
