//! A task is replaced by the steps that its operation is made of.

use onceflow_study::{BoundValue, Catalogue, OpSpec, OpStep, Repeats};

use crate::{Flow, FlowInput, FlowRead, FlowRegion, FlowStage, FlowTask, ReadFrom, TaskOrigin};

impl Flow {
    /// The tasks that can be split: their operations say of which others they are made, and these are in the catalogue.
    pub(super) fn splittable(&self, catalogue: &Catalogue) -> Vec<usize> {
        (0..self.tasks.len()).filter(|task| self.is_splittable(*task, catalogue)).collect()
    }

    /// The same flow with these tasks split.
    pub(super) fn split(&self, tasks: &[usize], catalogue: &Catalogue) -> Self {
        let mut splitter = Splitter { flow: self, catalogue, places: Vec::new(), tasks: Vec::new() };
        for at in 0..self.tasks.len() {
            if tasks.contains(&at) { splitter.split(at) } else { splitter.copy(at) }
        }
        splitter.finish()
    }

    fn is_splittable(&self, task: usize, catalogue: &Catalogue) -> bool {
        let spec = &self.tasks[task].spec;
        let exact =
            |step: &OpStep| catalogue.get(&step.operation).is_some_and(|o| o.repeats == Repeats::Exact);
        // What a row gives is one task's: the step that makes all of it.
        let one_maker = || {
            let names: Vec<&str> = spec.outputs.iter().map(|region| region.name.as_str()).collect();
            spec.steps.iter().any(|step| step.outputs.iter().map(String::as_str).eq(names.iter().copied()))
        };
        !spec.steps.is_empty()
            && spec.repeats == Repeats::Exact
            && spec.steps.iter().all(exact)
            && catalogue.check_steps(spec).is_ok()
            && (!self.results.contains(&task) || one_maker())
    }
}

struct Splitter<'f> {
    flow: &'f Flow,
    catalogue: &'f Catalogue,
    /// For each old task, where what it makes comes from now, and who must be waited for in its place.
    places: Vec<SplitPlace>,
    tasks: Vec<FlowTask>,
}

struct SplitPlace {
    outputs: Vec<(usize, usize)>,
    last: Vec<usize>,
    all: Vec<usize>,
}

impl Splitter<'_> {
    fn copy(&mut self, at: usize) {
        let (task, place) = (&self.flow.tasks[at], self.tasks.len());
        let inputs = task.inputs.iter().map(|input| self.moved(*input)).collect();
        let after = self.waits(&task.after);
        let outputs = (0..task.outputs.len()).map(|output| (place, output)).collect();
        self.tasks.push(FlowTask { inputs, after, ..task.clone() });
        self.places.push(SplitPlace { outputs, last: vec![place], all: vec![place] });
    }

    fn split(&mut self, at: usize) {
        let (whole, first) = (&self.flow.tasks[at], self.tasks.len());
        let steps = &whole.spec.steps;
        for (number, step) in steps.iter().enumerate() {
            // The flow was asked whether it can be split: the operation is there.
            let Some(spec) = self.catalogue.get(&step.operation) else { continue };
            let inputs: Vec<FlowInput> =
                step.inputs.iter().filter_map(|name| self.step_input(whole, name, first)).collect();
            let begins = !inputs.iter().any(|input| input.maker().is_some_and(|maker| maker >= first));
            let after = if begins { self.waits(&whole.after) } else { Vec::new() };
            self.tasks.push(FlowTask {
                name: format!("{}.{}", whole.name, step.name),
                stage: whole.stage,
                reads: step_reads(whole, step, spec),
                inputs,
                outputs: step_outputs(whole, &steps[number], spec),
                ends: whole.ends.iter().filter(|status| spec.statuses.contains(status)).cloned().collect(),
                after,
                made: TaskOrigin::Step { of: whole.name.clone() },
                spec: spec.clone(),
            });
        }
        self.places.push(self.place_of(whole, first));
    }

    fn place_of(&self, whole: &FlowTask, first: usize) -> SplitPlace {
        let all: Vec<usize> = (first..self.tasks.len()).collect();
        let made =
            |name: &str| find(&self.tasks[first..], whole, name).map(|(s, output)| (first + s, output));
        let outputs = whole.spec.outputs.iter().filter_map(|region| made(&region.name)).collect();
        let taken = |step: &usize| {
            self.tasks[first..]
                .iter()
                .any(|task| task.inputs.iter().any(|input| input.maker() == Some(*step)))
        };
        let last = all.iter().copied().filter(|step| !taken(step)).collect();
        SplitPlace { outputs, last, all }
    }

    /// A region of a step: an input of the whole, or what a step before it makes.
    fn step_input(&self, whole: &FlowTask, name: &str, first: usize) -> Option<FlowInput> {
        if let Some(place) = whole.spec.inputs.iter().position(|region| region.name == name) {
            return whole.inputs.get(place).map(|input| self.moved(*input));
        }
        let (step, output) = find(&self.tasks[first..], whole, name)?;
        Some(FlowInput::Task { task: first + step, output })
    }

    fn moved(&self, input: FlowInput) -> FlowInput {
        let place = |task: usize, output: usize| self.places[task].outputs[output];
        match input {
            FlowInput::Source(source) => FlowInput::Source(source),
            FlowInput::Task { task, output } => {
                let (task, output) = place(task, output);
                FlowInput::Task { task, output }
            }
            FlowInput::Reference { task, output } => {
                let (task, output) = place(task, output);
                FlowInput::Reference { task, output }
            }
        }
    }

    /// Tasks that a task waits for come before it, save in flows that cannot be run.
    fn waits(&self, after: &[usize]) -> Vec<usize> {
        after
            .iter()
            .filter_map(|task| self.places.get(*task))
            .flat_map(|place| &place.last)
            .copied()
            .collect()
    }

    fn finish(self) -> Flow {
        let stage = |stage: &FlowStage| {
            let tasks = stage.tasks.iter().flat_map(|task| &self.places[*task].all).copied().collect();
            FlowStage { tasks, ..stage.clone() }
        };
        let result = |task: &usize| {
            let place = &self.places[*task];
            place.outputs.first().map_or(place.all[0], |(task, _)| *task)
        };
        Flow {
            stages: self.flow.stages.iter().map(stage).collect(),
            sources: self.flow.sources.clone(),
            results: self.flow.results.iter().map(result).collect(),
            tasks: self.tasks,
        }
    }
}

/// The step, among those made so far, and the output that has this name among the whole's regions.
fn find(made: &[FlowTask], whole: &FlowTask, name: &str) -> Option<(usize, usize)> {
    let steps = whole.spec.steps.iter().take(made.len()).enumerate();
    steps.rev().find_map(|(at, step)| Some((at, step.outputs.iter().position(|output| output == name)?)))
}

/// What only steps see has the task's name before its own; the rest is called as it was.
fn step_outputs(whole: &FlowTask, step: &OpStep, spec: &OpSpec) -> Vec<FlowRegion> {
    let region = |(name, made): (&String, &onceflow_study::OpRegion)| {
        let place = whole.spec.outputs.iter().position(|region| region.name == *name);
        let inner = || FlowRegion { name: format!("{}.{name}", whole.name), kind: made.kind };
        place.and_then(|place| whole.outputs.get(place).cloned()).unwrap_or_else(inner)
    };
    step.outputs.iter().zip(&spec.outputs).map(region).collect()
}

fn step_reads(whole: &FlowTask, step: &OpStep, spec: &OpSpec) -> Vec<FlowRead> {
    let read = |parameter: &onceflow_study::OpParameter| {
        let binding = step.reads.iter().find(|read| read.operation_parameter == parameter.name)?;
        let from = match &binding.bound {
            BoundValue::Parameter(of) => whole.reads.iter().find(|read| read.name == *of)?.from.clone(),
            BoundValue::Constant(value) => ReadFrom::Constant(parameter.kind.canonical(value)?),
        };
        Some(FlowRead { name: parameter.name.clone(), kind: parameter.kind, from })
    };
    spec.parameters.iter().filter_map(read).collect()
}
