//! What must happen, worked out slowly: every row by itself, task after task, with nothing shared.

use std::collections::{BTreeMap, BTreeSet};

use onceflow_reuse::{FlowInput, ReadFrom};
use onceflow_runtime::{RowOutcome, TaskOutcome};
use onceflow_study::{Canonical, Scope};

use super::{World, empty_content, source_content};

/// What becomes of a task of a row at a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It runs and gives this.
    Runs(u64),
    /// Its stage had ended.
    Ended,
    /// The row had failed before it came to it.
    NotReached,
}

/// What becomes of a row at a part.
#[derive(Clone, Debug)]
pub struct RowFate {
    pub tasks: Vec<Fate>,
    pub outcome: RowOutcome,
    /// Whether each stage ended.
    pub ended: Vec<bool>,
    /// The task at which it failed.
    pub failed: Option<usize>,
    outcomes: Vec<Option<TaskOutcome>>,
}

/// Everything that must run, with what it gives: (scope, site, task, content).
pub type Needed = BTreeSet<(Scope, usize, usize, u64)>;

pub struct Oracle<'w> {
    pub world: &'w World,
    /// Per (part, row).
    pub fates: BTreeMap<(usize, usize), RowFate>,
    /// What has to run for at least one row, wide tasks once for all their parts.
    pub needed: Needed,
    /// What may run besides: work of rows that fail, begun before they do.
    pub allowed: Needed,
}

impl<'w> Oracle<'w> {
    pub fn new(world: &'w World) -> Self {
        let mut oracle =
            Self { world, fates: BTreeMap::new(), needed: Needed::new(), allowed: Needed::new() };
        for part in 0..world.layout.parts.len() {
            let strict = Walk { world, part, goes_on: false };
            let loose = Walk { goes_on: true, ..strict };
            for row in 0..world.values.len() {
                let fate = strict.row(row);
                oracle.needed.extend(oracle.runs(part, &fate));
                oracle.allowed.extend(oracle.runs(part, &loose.row(row)));
                oracle.fates.insert((part, row), fate);
            }
            for (task, row) in referred(world) {
                oracle.needed.extend(oracle.runs(part, &strict.provide(row, task)));
                oracle.allowed.extend(oracle.runs(part, &loose.provide(row, task)));
            }
        }
        oracle
    }

    fn runs(&self, part: usize, fate: &RowFate) -> Vec<(Scope, usize, usize, u64)> {
        let run = |(task, fate): (usize, &Fate)| match fate {
            Fate::Runs(content) => Some(self.place(part, task, *content)),
            _ => None,
        };
        fate.tasks.iter().enumerate().filter_map(run).collect()
    }

    pub fn place(&self, part: usize, task: usize, content: u64) -> (Scope, usize, usize, u64) {
        let scope = self.world.flow.scope(task);
        (scope, self.world.layout.site(scope, part), task, content)
    }

    /// The tasks that must be over for a row before this one may start for it.
    pub fn before(&self, task: usize) -> Vec<usize> {
        before(self.world, task)
    }
}

#[derive(Clone, Copy)]
struct Walk<'w> {
    world: &'w World,
    part: usize,
    /// Whether a row that failed goes on with what does not hang on it, as far as the scope reaches.
    goes_on: bool,
}

/// The task at which a row failed, and what is said of it.
type Failed = (usize, RowOutcome);

impl Walk<'_> {
    fn row(&self, row: usize) -> RowFate {
        self.walk(row, &|_| true)
    }

    /// Walks through the tasks that `asked` names: wide scopes first, then stage by stage.
    fn walk(&self, row: usize, asked: &dyn Fn(usize) -> bool) -> RowFate {
        let flow = &self.world.flow;
        let mut fate = RowFate {
            tasks: vec![Fate::NotReached; flow.tasks.len()],
            outcome: RowOutcome::Done { status: None },
            ended: vec![false; flow.stages.len()],
            failed: None,
            outcomes: vec![None; flow.tasks.len()],
        };
        for scope in Scope::ALL.into_iter().rev() {
            let failed_wider = fate.failed.is_some();
            for stage in (0..flow.stages.len()).filter(|stage| flow.stages[*stage].scope == scope) {
                for task in flow.stages[stage].tasks.iter().copied().filter(|task| asked(*task)) {
                    if !failed_wider {
                        self.step(row, task, &mut fate);
                    }
                }
            }
        }
        fate.outcome = self.outcome(&fate, fate.outcome.clone());
        fate
    }

    fn step(&self, row: usize, task: usize, fate: &mut RowFate) {
        let stage = self.world.flow.tasks[task].stage;
        if fate.failed.is_some() && !self.goes_on {
            return;
        }
        if fate.ended[stage] {
            fate.tasks[task] = Fate::Ended;
            return;
        }
        if !self.is_free(task, fate) {
            return;
        }
        match self.inputs(task, fate) {
            Ok(inputs) => self.run(row, task, &inputs, fate),
            Err((_, outcome)) => (fate.failed, fate.outcome) = (Some(task), outcome),
        }
    }

    fn run(&self, row: usize, task: usize, inputs: &[u64], fate: &mut RowFate) {
        let content = self.world.content(task, row as u32, &self.parameters(row, task), inputs);
        let outcome = self.world.outcome(task, content);
        fate.tasks[task] = Fate::Runs(content);
        fate.ended[self.world.flow.tasks[task].stage] = self.world.ends(task, &outcome).is_some();
        if let TaskOutcome::Failed { message, .. } = &outcome {
            fate.failed = Some(task);
            fate.outcome = RowOutcome::Failed { task, message: message.clone() };
        }
        fate.outcomes[task] = Some(outcome);
    }

    /// Whether nothing that a task waits for failed or was not reached.
    fn is_free(&self, task: usize, fate: &RowFate) -> bool {
        before(self.world, task).into_iter().all(|other| match &fate.tasks[other] {
            Fate::Runs(_) => !matches!(fate.outcomes[other], Some(TaskOutcome::Failed { .. })),
            Fate::Ended => true,
            Fate::NotReached => false,
        })
    }

    fn parameters(&self, row: usize, task: usize) -> Vec<Canonical> {
        let read = |from: &ReadFrom| match from {
            ReadFrom::Constant(value) => value.clone(),
            ReadFrom::Parameter(name) => {
                let at: usize = name[1..].parse().unwrap();
                Canonical::Integer(self.world.values[row][at])
            }
        };
        self.world.flow.tasks[task].reads.iter().map(|r| read(&r.from)).collect()
    }

    fn inputs(&self, task: usize, fate: &RowFate) -> Result<Vec<u64>, Failed> {
        let inputs = self.world.flow.tasks[task].inputs.iter();
        let found: Vec<_> = inputs.map(|input| self.input(task, *input, fate)).collect();
        let first = found.iter().filter_map(|input| input.as_ref().err()).min_by_key(|failed| failed.0);
        if let Some(failed) = first { Err(failed.clone()) } else { found.into_iter().collect() }
    }

    fn input(&self, taker: usize, input: FlowInput, fate: &RowFate) -> Result<u64, Failed> {
        let flow = &self.world.flow;
        let scope = flow.scope(taker);
        let site = self.world.layout.site(scope, self.part);
        match (input, self.world.reference) {
            (FlowInput::Source(source), _) => Ok(source_content(source, scope, site)),
            (FlowInput::Task { task, output }, _) => Ok(made(self.world, taker, task, output, fate)),
            (FlowInput::Reference { task, output }, None) => {
                let source = flow.reference_source(task, output).unwrap();
                Ok(source_content(source, scope, site))
            }
            (FlowInput::Reference { task, output }, Some(reference)) => {
                let fate = Walk { goes_on: false, ..*self }.provide(reference, task);
                match fate.failed {
                    Some(at) => Err((at, fate.outcome)),
                    None => Ok(made(self.world, taker, task, output, &fate)),
                }
            }
        }
    }

    /// The reference row walks through all that a region hangs on, and through nothing else.
    fn provide(&self, row: usize, task: usize) -> RowFate {
        let mut hangs_on = BTreeSet::new();
        let ends = enders(self.world, self.world.flow.tasks[task].stage);
        ends.into_iter().chain([task]).for_each(|task| collect(self.world, task, &mut hangs_on));
        self.walk(row, &|task| hangs_on.contains(&task))
    }

    fn outcome(&self, fate: &RowFate, found: RowOutcome) -> RowOutcome {
        if fate.failed.is_some() {
            return found;
        }
        // The first stage that ended, as the stages stand, says how.
        let status = |stage: usize| {
            let tasks = &self.world.flow.stages[stage].tasks;
            tasks.iter().find_map(|task| self.world.ends(*task, fate.outcomes[*task].as_ref()?))
        };
        RowOutcome::Done { status: (0..fate.ended.len()).find_map(status) }
    }
}

fn made(world: &World, taker: usize, task: usize, output: usize, fate: &RowFate) -> u64 {
    let (own, other) = (world.flow.tasks[taker].stage, world.flow.tasks[task].stage);
    match &fate.tasks[task] {
        _ if own != other && fate.ended[other] => empty_content(world.flow.tasks[task].outputs[output].kind),
        Fate::Runs(content) => world.output(*content, output),
        fate => panic!("task {taker} takes from task {task}, which is {fate:?}"),
    }
}

/// The tasks that others take from the reference row.
fn referred(world: &World) -> Vec<(usize, usize)> {
    let inputs = world.flow.tasks.iter().flat_map(|task| &task.inputs);
    let referred = |input: &FlowInput| match (input, world.reference) {
        (FlowInput::Reference { task, .. }, Some(row)) => Some((*task, row)),
        _ => None,
    };
    inputs.filter_map(referred).collect()
}

fn enders(world: &World, stage: usize) -> Vec<usize> {
    let tasks = world.flow.stages[stage].tasks.iter().copied();
    tasks.filter(|task| !world.flow.tasks[*task].ends.is_empty()).collect()
}

fn before(world: &World, task: usize) -> Vec<usize> {
    let own = &world.flow.tasks[task];
    let mut all: Vec<usize> = enders(world, own.stage).into_iter().filter(|other| *other < task).collect();
    all.extend(&own.after);
    all.extend(own.inputs.iter().filter_map(|input| input.maker()));
    let mut stages = BTreeSet::new();
    upstream(world, own.stage, &mut stages);
    all.extend(stages.into_iter().filter(|stage| *stage != own.stage).flat_map(|stage| enders(world, stage)));
    all
}

/// The stage and every stage that its regions come from, however far back.
fn upstream(world: &World, stage: usize, found: &mut BTreeSet<usize>) {
    if found.insert(stage) {
        let inputs = world.flow.stages[stage].tasks.iter().flat_map(|task| &world.flow.tasks[*task].inputs);
        let makers = inputs.filter_map(|input| input.maker());
        makers.for_each(|maker| upstream(world, world.flow.tasks[maker].stage, found));
    }
}

fn collect(world: &World, task: usize, found: &mut BTreeSet<usize>) {
    if found.insert(task) {
        before(world, task).into_iter().for_each(|task| collect(world, task, found));
    }
}
