//! A workflow becomes a flow.

use std::collections::HashMap;

use onceflow_study::{
    BoundValue, Catalogue, Cycle, OpParameter, OpSpec, ParameterKind, RegionKind, Stage, StageStep, Task,
    Value, Workflow,
};

use super::{
    Flow, FlowError, FlowInput, FlowRead, FlowRegion, FlowStage, FlowTask, REFERENCE_SUFFIX, ReadFrom,
    TaskOrigin,
};

impl Flow {
    /// The tasks of a workflow, with what the catalogue says of their operations.
    ///
    /// An input `X@reference` is the region `X` of the reference row. Results are the regions that leave the last
    /// stages: a stage that compares, where there is one, else the makers of the workflow's outputs.
    pub fn new(workflow: &Workflow, catalogue: &Catalogue) -> Result<Self, FlowError> {
        let workflow = workflow.flatten();
        let builder = FlowBuilder::new(&workflow, catalogue)?;
        let tasks = builder.tasks()?;
        let mut flow =
            Self { stages: Vec::new(), tasks, sources: builder.sources.clone(), results: Vec::new() };
        flow.stages = builder.stages();
        flow.results = builder.results(&flow);
        flow.check_inputs()?;
        Ok(flow)
    }

    fn check_inputs(&self) -> Result<(), FlowError> {
        for (at, task) in self.tasks.iter().enumerate() {
            task.inputs.iter().try_for_each(|input| self.check_input(at, *input))?;
        }
        Ok(())
    }

    fn check_input(&self, at: usize, input: FlowInput) -> Result<(), FlowError> {
        let (FlowInput::Task { task: maker, output } | FlowInput::Reference { task: maker, output }) = input
        else {
            return Ok(());
        };
        let task = self.tasks[at].name.clone();
        let region = self.tasks[maker].outputs[output].name.clone();
        let (scope, narrower) = (self.scope(at), self.scope(maker));
        if narrower < scope {
            return Err(FlowError::FanIn { task, scope: scope.word(), region, narrower: narrower.word() });
        }
        if matches!(input, FlowInput::Reference { .. }) && self.tasks[at].stage == self.tasks[maker].stage {
            return Err(FlowError::OwnReference { task, region });
        }
        Ok(())
    }
}

/// A task of the descriptor and its stage.
#[derive(Clone, Copy)]
struct DeclaredTask<'w> {
    stage: usize,
    task: &'w Task,
}

struct FlowBuilder<'w> {
    workflow: &'w Workflow,
    catalogue: &'w Catalogue,
    /// The tasks in the order of the descriptor.
    declared: Vec<DeclaredTask<'w>>,
    /// Places in `declared`, in an order that can be run.
    order: Vec<usize>,
    /// The place in `order` of each declared task.
    place: Vec<usize>,
    /// Who makes a region: the place in `order` and the output.
    makers: HashMap<&'w str, (usize, usize)>,
    sources: Vec<String>,
}

impl<'w> FlowBuilder<'w> {
    fn new(workflow: &'w Workflow, catalogue: &'w Catalogue) -> Result<Self, FlowError> {
        check_makers(workflow)?;
        let stage_order = stage_order(workflow)?;
        let declared: Vec<_> = workflow.stages.iter().enumerate().flat_map(declared_in).collect();
        // Stage after stage, so that a stage's chain is one stretch of the tasks.
        let mut order = Vec::with_capacity(declared.len());
        for stage in stage_order {
            order.extend(chain(&declared, stage)?);
        }
        let mut place = vec![0; order.len()];
        for (at, declared) in order.iter().enumerate() {
            place[*declared] = at;
        }
        let makers = makers(&declared, &place);
        let sources = sources(&declared, &makers);
        Ok(Self { workflow, catalogue, declared, order, place, makers, sources })
    }

    fn tasks(&self) -> Result<Vec<FlowTask>, FlowError> {
        self.order.iter().map(|at| self.task(self.declared[*at])).collect()
    }

    fn task(&self, declared: DeclaredTask<'w>) -> Result<FlowTask, FlowError> {
        let task = declared.task;
        let spec = self.spec(task)?;
        check_count(task, spec, "inputs", spec.inputs.len(), task.inputs.len())?;
        check_count(task, spec, "outputs", spec.outputs.len(), task.outputs.len())?;
        let outputs = task.outputs.iter().zip(&spec.outputs);
        Ok(FlowTask {
            name: task.name.clone(),
            stage: declared.stage,
            spec: spec.clone(),
            reads: spec.parameters.iter().map(|p| read(task, spec, p)).collect::<Result<_, _>>()?,
            inputs: task.inputs.iter().map(|region| self.input(region)).collect(),
            outputs: outputs.map(|(name, made)| self.region(name, made.kind)).collect(),
            ends: task.ends.clone(),
            after: self.after(declared)?,
            made: TaskOrigin::Written,
        })
    }

    fn spec(&self, task: &Task) -> Result<&'w OpSpec, FlowError> {
        let Some(operation) = task.op.built_in() else {
            return Err(FlowError::NotBuiltIn { task: task.name.clone(), found: task.op.to_string() });
        };
        self.catalogue.get(operation).ok_or_else(|| FlowError::UnknownOperation {
            task: task.name.clone(),
            operation: operation.to_owned(),
        })
    }

    fn input(&self, region: &str) -> FlowInput {
        if let Some((task, output)) = self.makers.get(region) {
            return FlowInput::Task { task: *task, output: *output };
        }
        let of_reference = region.strip_suffix(REFERENCE_SUFFIX).and_then(|name| self.makers.get(name));
        match of_reference {
            Some((task, output)) => FlowInput::Reference { task: *task, output: *output },
            // Every input that no task makes is among the sources. The number after the last one would be refused.
            None => {
                let found = self.sources.iter().position(|source| source == region);
                FlowInput::Source(found.unwrap_or(self.sources.len()))
            }
        }
    }

    fn region(&self, name: &str, made: RegionKind) -> FlowRegion {
        let declared = self.workflow.region(name).map(|region| region.kind);
        let kind = declared.filter(|kind| *kind != RegionKind::Any).unwrap_or(made);
        FlowRegion { name: name.to_owned(), kind }
    }

    fn after(&self, declared: DeclaredTask<'w>) -> Result<Vec<usize>, FlowError> {
        let find = |name: &String| {
            let same = |other: &DeclaredTask<'_>| other.stage == declared.stage && other.task.name == *name;
            let at = self.declared.iter().position(same);
            at.map(|at| self.place[at]).ok_or_else(|| FlowError::UnknownAfter {
                task: declared.task.name.clone(),
                after: name.clone(),
            })
        };
        let own: Result<Vec<_>, _> = declared.task.after.iter().map(find).collect();
        // A stage that waits for another waits for all its tasks.
        let names = &self.workflow.stages[declared.stage].after;
        let waits = |other: &DeclaredTask<'_>| names.contains(&self.workflow.stages[other.stage].name);
        let whole = (0..self.declared.len()).filter(|at| waits(&self.declared[*at])).map(|at| self.place[at]);
        Ok(own?.into_iter().chain(whole).collect())
    }

    fn stages(&self) -> Vec<FlowStage> {
        let stages = self.workflow.stages.iter().enumerate();
        let stage = |(at, stage): (usize, &Stage)| FlowStage {
            name: stage.name.clone(),
            scope: stage.scope,
            tasks: self.tasks_of(at),
        };
        stages.map(stage).collect()
    }

    fn tasks_of(&self, stage: usize) -> Vec<usize> {
        (0..self.order.len()).filter(|at| self.declared[self.order[*at]].stage == stage).collect()
    }

    fn results(&self, flow: &Flow) -> Vec<usize> {
        let takers = |task: usize| {
            flow.tasks.iter().filter(move |t| t.inputs.iter().any(|input| input.maker() == Some(task)))
        };
        let left_alone = |stage: usize| {
            flow.stages[stage].tasks.iter().all(|task| takers(*task).all(|taker| taker.stage == stage))
        };
        let asked = |region: &FlowRegion| self.workflow.outputs.contains(&region.name);
        let is_result = |task: &usize| {
            let FlowTask { stage, outputs, .. } = &flow.tasks[*task];
            let unused = takers(*task).next().is_none() && !outputs.is_empty();
            left_alone(*stage) && (unused || outputs.iter().any(asked))
        };
        (0..flow.tasks.len()).filter(is_result).collect()
    }
}

fn declared_in<'w>((stage, value): (usize, &'w Stage)) -> impl Iterator<Item = DeclaredTask<'w>> {
    value.steps.iter().filter_map(move |step| match step {
        StageStep::Task(task) => Some(DeclaredTask { stage, task }),
        // Nested stages were flattened.
        StageStep::Stage(_) => None,
    })
}

/// Places of the stages, each after those it takes from, when the tasks can be ordered too. A region of the reference
/// row counts as the region itself.
fn stage_order(workflow: &Workflow) -> Result<Vec<usize>, FlowError> {
    let mut plain = workflow.clone();
    for step in plain.stages.iter_mut().flat_map(|stage| &mut stage.steps) {
        if let StageStep::Task(task) = step {
            for region in &mut task.inputs {
                *region = plain_name(region).to_owned();
            }
        }
    }
    let stages = plain.stage_order().map_err(|cycle| FlowError::Cycle { what: "stages", cycle })?;
    plain.graph().order().map_err(|cycle| FlowError::Cycle { what: "tasks", cycle })?;
    Ok(stages)
}

fn plain_name(region: &str) -> &str {
    region.strip_suffix(REFERENCE_SUFFIX).unwrap_or(region)
}

/// The stage's tasks as declared, except that each comes after those it depends on: what a chain's key left out of its
/// beginning could otherwise differ.
fn chain(declared: &[DeclaredTask<'_>], stage: usize) -> Result<Vec<usize>, FlowError> {
    let mut left: Vec<usize> = (0..declared.len()).filter(|at| declared[*at].stage == stage).collect();
    let mut chain = Vec::with_capacity(left.len());
    let free = |left: &[usize]| {
        let waits = |at: usize| left.iter().any(|other| needs(declared[at].task, declared[*other].task));
        left.iter().position(|at| !waits(*at))
    };
    while let Some(next) = free(&left) {
        chain.push(left.remove(next));
    }
    if left.is_empty() {
        return Ok(chain);
    }
    let path = left.into_iter().map(|at| declared[at].task.name.clone()).collect();
    Err(FlowError::Cycle { what: "tasks", cycle: Cycle { path } })
}

/// Whether one task takes a region of another, of this row or of the reference row, or waits for it.
fn needs(task: &Task, other: &Task) -> bool {
    let taken =
        |region: &String| other.outputs.iter().any(|output| output == region || output == plain_name(region));
    task.after.contains(&other.name) || task.inputs.iter().chain(&task.forwards).any(taken)
}

/// The regions that tasks take and none makes; those of the reference row are always among them.
fn sources(declared: &[DeclaredTask<'_>], makers: &HashMap<&str, (usize, usize)>) -> Vec<String> {
    let mut sources: Vec<String> = Vec::new();
    for region in declared.iter().flat_map(|declared| &declared.task.inputs) {
        if !makers.contains_key(region.as_str()) && !sources.contains(region) {
            sources.push(region.clone());
        }
    }
    sources
}

/// Who makes each region: the place and the output.
fn makers<'w>(declared: &[DeclaredTask<'w>], place: &[usize]) -> HashMap<&'w str, (usize, usize)> {
    let outputs = |(at, declared): (usize, &DeclaredTask<'w>)| {
        let outputs = declared.task.outputs.iter().enumerate();
        outputs.map(move |(output, region)| (region.as_str(), (place[at], output)))
    };
    declared.iter().enumerate().flat_map(outputs).collect()
}

fn check_makers(workflow: &Workflow) -> Result<(), FlowError> {
    let mut makers: HashMap<&str, &str> = HashMap::new();
    for task in workflow.tasks() {
        for region in &task.outputs {
            if let Some(first) = makers.insert(region, &task.name) {
                let (region, first, second) = (region.clone(), first.to_owned(), task.name.clone());
                return Err(FlowError::MadeTwice { region, first, second });
            }
        }
    }
    Ok(())
}

fn check_count(
    task: &Task,
    spec: &OpSpec,
    what: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), FlowError> {
    if expected == found {
        return Ok(());
    }
    Err(FlowError::Count { task: task.name.clone(), operation: spec.id.clone(), what, expected, found })
}

fn read(task: &Task, spec: &OpSpec, parameter: &OpParameter) -> Result<FlowRead, FlowError> {
    let binding = task.reads.iter().find(|binding| binding.operation_parameter == parameter.name);
    let from = match binding.map(|binding| &binding.bound) {
        Some(BoundValue::Parameter(name)) => ReadFrom::Parameter(name.clone()),
        Some(BoundValue::Constant(value)) => ReadFrom::Constant(
            parameter
                .kind
                .canonical(value)
                .ok_or_else(|| unreadable(task, &parameter.name, parameter.kind, value))?,
        ),
        None => {
            return Err(FlowError::Unbound {
                task: task.name.clone(),
                operation: spec.id.clone(),
                parameter: parameter.name.clone(),
            });
        }
    };
    Ok(FlowRead { name: parameter.name.clone(), kind: parameter.kind, from })
}

fn unreadable(task: &Task, parameter: &str, kind: ParameterKind, value: &Value) -> FlowError {
    FlowError::Constant {
        task: task.name.clone(),
        parameter: parameter.to_owned(),
        kind: kind.word(),
        found: value.to_string(),
    }
}
