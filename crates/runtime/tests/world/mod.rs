//! Random studies to run: a flow with scopes, ends, failures and reference inputs, rows, a layout, and what every task
//! gives, which depends on nothing but what it reads and takes.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

pub mod driver;
pub mod oracle;
pub mod strategies;

use std::hash::{DefaultHasher, Hash, Hasher};

use onceflow_reuse::{
    Flow, FlowInput, FlowRead, FlowRegion, FlowStage, FlowTask, Level, ParameterRows, Plan, ReadFrom, plan,
};
use onceflow_runtime::{PartLayout, PartSite, TaskOutcome};
use onceflow_study::{Canonical, OpSpec, ParameterKind, RegionKind, Repeats, Scope, Value};

pub const PARAMETERS: usize = 4;

#[derive(Clone, Debug)]
pub struct World {
    pub flow: Flow,
    pub values: Vec<Vec<i64>>,
    pub reference: Option<usize>,
    pub layout: PartLayout,
    /// Whether a task may fail.
    pub fails: Vec<bool>,
    /// How many different things outputs may hold; nothing bounds it when it is 0.
    pub variety: u64,
}

/// How large and how nasty a world is.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub stages: usize,
    pub rows: usize,
    pub parts: usize,
    pub failures: bool,
    pub never: bool,
}

/// A small generator of our own, so that a seed says everything.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.roll(100) < percent
    }
}

impl World {
    pub fn new(seed: u64, bounds: Bounds) -> Self {
        let mut dice = Dice(seed);
        let flow = flow(&mut dice, bounds);
        let values =
            (0..bounds.rows).map(|_| (0..PARAMETERS).map(|_| dice.roll(3) as i64).collect()).collect();
        let reference = (bounds.rows > 0 && dice.chance(70)).then(|| dice.roll(bounds.rows));
        let images: Vec<u64> = (0..1 + dice.roll(3)).map(|_| 5 + dice.roll(20) as u64).collect();
        let part =
            |dice: &mut Dice| PartSite { image: dice.roll(images.len()), pixels: 1 + dice.roll(9) as u64 };
        let parts = (0..bounds.parts).map(|_| part(&mut dice)).collect();
        let fails = flow.tasks.iter().map(|_| bounds.failures && dice.chance(30)).collect();
        Self { flow, values, reference, layout: PartLayout { images, parts }, fails, variety: 0 }
    }

    pub fn plan(&self, level: Level) -> Plan {
        let mut rows = ParameterRows::new((0..PARAMETERS).map(|at| format!("p{at}")).collect());
        for values in &self.values {
            let values: Vec<Value> = values.iter().map(|value| Value::Integer(*value)).collect();
            rows.push(&values).unwrap();
        }
        rows.reference = self.reference;
        plan(self.flow.clone(), &rows, level).unwrap()
    }

    /// What a task gives when it reads and takes this; the row counts only where nothing is ever equal.
    pub fn content(&self, task: usize, row: u32, parameters: &[Canonical], inputs: &[u64]) -> u64 {
        let never = self.flow.tasks[task].spec.repeats == Repeats::Never;
        digest(&(task, never.then_some(row), parameters, inputs))
    }

    /// What an output of a task holds, by what the task gives: different work may give the same.
    pub fn output(&self, content: u64, output: usize) -> u64 {
        digest(&("output", content.checked_rem(self.variety).unwrap_or(content), output))
    }

    /// How a task goes, by what it gives.
    pub fn outcome(&self, task: usize, content: u64) -> TaskOutcome {
        let ends = !self.flow.tasks[task].ends.is_empty();
        match content % 60 {
            0..=6 if self.fails[task] => TaskOutcome::failed(format!("content {content}")),
            10..=29 if ends => TaskOutcome::Ended("a".into()),
            30..=34 if ends => TaskOutcome::Ended("b".into()),
            35..=37 if ends => TaskOutcome::Ended("not listed".into()),
            _ => TaskOutcome::Done,
        }
    }

    pub fn ends(&self, task: usize, outcome: &TaskOutcome) -> Option<String> {
        match outcome {
            TaskOutcome::Ended(status) if self.flow.tasks[task].ends.contains(status) => Some(status.clone()),
            _ => None,
        }
    }
}

pub fn digest(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    // Half of it, so that it is a whole number that tables can hold.
    hasher.finish() >> 1
}

pub fn source_content(source: usize, scope: Scope, site: usize) -> u64 {
    digest(&("source", source, scope.word(), site))
}

pub fn empty_content(kind: RegionKind) -> u64 {
    digest(&("empty", kind.word()))
}

fn flow(dice: &mut Dice, bounds: Bounds) -> Flow {
    let mut flow = Flow { sources: vec!["s0".into(), "s1".into()], ..Flow::default() };
    for stage in 0..1 + dice.roll(bounds.stages) {
        let scope = if dice.chance(25) { Scope::ALL[dice.roll(3)] } else { Scope::Part };
        flow.stages.push(FlowStage { name: format!("stage{stage}"), scope, tasks: Vec::new() });
        let may_end = dice.chance(70);
        for _ in 0..1 + dice.roll(4) {
            let task = task(dice, &flow, stage, may_end, bounds.never);
            flow.stages[stage].tasks.push(flow.tasks.len());
            flow.tasks.push(task);
        }
    }
    name_references(&mut flow);
    let last = flow.stages.len() - 1;
    flow.results = flow.stages[last].tasks.clone();
    if dice.chance(30) {
        flow.results = vec![dice.roll(flow.tasks.len())];
    }
    flow
}

fn task(dice: &mut Dice, flow: &Flow, stage: usize, may_end: bool, never: bool) -> FlowTask {
    let at = flow.tasks.len();
    let kinds = [RegionKind::Mask, RegionKind::Table, RegionKind::U8];
    let mut spec = OpSpec::new(format!("op{at}"), "", 1.0).with_scratch(dice.roll(3) as u32);
    spec.output_bytes_per_pixel = dice.roll(4) as u32;
    if never && dice.chance(8) {
        spec.repeats = Repeats::Never;
    }
    let output = |dice: &mut Dice, output: usize| FlowRegion {
        name: format!("t{at}o{output}"),
        kind: kinds[dice.roll(3)],
    };
    let statuses = if dice.chance(50) { vec!["a".into()] } else { vec!["a".into(), "b".into()] };
    let parameter = |dice: &mut Dice| ReadFrom::Parameter(format!("p{}", dice.roll(PARAMETERS)));
    let read = |dice: &mut Dice, read: usize| FlowRead {
        name: format!("r{read}"),
        kind: ParameterKind::Integer,
        from: if dice.chance(15) { ReadFrom::Constant(Canonical::Integer(7)) } else { parameter(dice) },
    };
    FlowTask {
        name: format!("t{at}"),
        stage,
        spec,
        reads: (0..dice.roll(3)).map(|at| read(dice, at)).collect(),
        inputs: (0..dice.roll(4)).map(|_| input(dice, flow, stage)).collect(),
        outputs: (0..1 + dice.roll(2)).map(|at| output(dice, at)).collect(),
        ends: if may_end && dice.chance(40) { statuses } else { Vec::new() },
        after: if dice.chance(15) { visible(flow, stage, dice).into_iter().collect() } else { Vec::new() },
        made: onceflow_reuse::TaskOrigin::Written,
    }
}

fn input(dice: &mut Dice, flow: &Flow, stage: usize) -> FlowInput {
    let Some(task) = visible(flow, stage, dice).filter(|_| dice.chance(80)) else {
        return FlowInput::Source(dice.roll(2));
    };
    let output = dice.roll(flow.tasks[task].outputs.len());
    // Inside a stage, regions of the reference row are refused.
    if flow.tasks[task].stage != stage && dice.chance(25) {
        FlowInput::Reference { task, output }
    } else {
        FlowInput::Task { task, output }
    }
}

/// An earlier task of equal or wider scope.
fn visible(flow: &Flow, stage: usize, dice: &mut Dice) -> Option<usize> {
    let scope = flow.stages[stage].scope;
    let seen: Vec<usize> = (0..flow.tasks.len()).filter(|task| flow.scope(*task) >= scope).collect();
    let recent = &seen[seen.len().saturating_sub(6)..];
    (!recent.is_empty()).then(|| recent[dice.roll(recent.len())])
}

fn name_references(flow: &mut Flow) {
    let inputs = flow.tasks.iter().flat_map(|task| &task.inputs);
    let referred = |input: &FlowInput| match input {
        FlowInput::Reference { task, output } => {
            Some(format!("{}@reference", flow.tasks[*task].outputs[*output].name))
        }
        _ => None,
    };
    let mut names: Vec<String> = inputs.filter_map(referred).collect();
    names.sort();
    names.dedup();
    flow.sources.extend(names);
}
