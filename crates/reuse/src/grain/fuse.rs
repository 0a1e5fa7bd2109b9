//! Tasks that follow each other become one.

use onceflow_study::{Halo, OpParameter, OpRegion, OpSpec, Repeats};

use crate::{Flow, FlowInput, FlowRead, FlowStage, FlowTask, FusedInput, FusedStep, TaskOrigin};

impl Flow {
    /// The stretches of tasks that may be fused, each task alone at least: a task that follows another in its stage's chain and is
    /// the only one to take what it makes. No other task then waits for it, and a row ends or fails where it would.
    ///
    /// `alone` names tasks that stay by themselves, and `seen` regions that are to be kept.
    pub(super) fn stretches(&self, alone: &dyn Fn(&FlowTask) -> bool, seen: &[String]) -> Vec<Vec<usize>> {
        let mut stretches: Vec<Vec<usize>> = Vec::new();
        for chain in self.stages.iter().map(|stage| &stage.tasks) {
            let mut before = None;
            for task in chain.iter().copied() {
                let joins = |before: usize| self.may_fuse(before, task, alone, seen);
                match stretches.last_mut().filter(|_| before.is_some_and(joins)) {
                    Some(stretch) => stretch.push(task),
                    None => stretches.push(vec![task]),
                }
                before = Some(task);
            }
        }
        stretches
    }

    fn may_fuse(
        &self,
        task: usize,
        reader: usize,
        alone: &dyn Fn(&FlowTask) -> bool,
        seen: &[String],
    ) -> bool {
        let own = &self.tasks[task];
        let stays = |task: &FlowTask| alone(task) || task.spec.repeats == Repeats::Never;
        let shown = own.outputs.iter().any(|region| seen.contains(&region.name));
        let waited = self.tasks.iter().enumerate().any(|(at, t)| at != reader && t.after.contains(&task));
        let wanted = shown || waited || self.results.contains(&task);
        !wanted && !stays(own) && !stays(&self.tasks[reader]) && self.reader(task) == Some(reader)
    }

    /// The same flow with each group of tasks in one; of each group the last one reads the others.
    pub(super) fn fuse(&self, groups: &[Vec<usize>]) -> Self {
        let group_of = |task: usize| groups.iter().position(|group| group.contains(&task));
        let is_root = |task: &usize| group_of(*task).is_none_or(|group| groups[group].last() == Some(task));
        let roots: Vec<usize> = (0..self.tasks.len()).filter(is_root).collect();
        let root =
            |task: usize| group_of(task).and_then(|group| groups[group].last()).copied().unwrap_or(task);
        // Every task has its root. The number after the last one would be refused as a task that is made later.
        let place = |task: usize| roots.iter().position(|other| *other == root(task)).unwrap_or(roots.len());
        let moved = |input: &FlowInput| match *input {
            FlowInput::Source(source) => FlowInput::Source(source),
            FlowInput::Task { task, output } => FlowInput::Task { task: place(task), output },
            FlowInput::Reference { task, output } => FlowInput::Reference { task: place(task), output },
        };
        let task = |at: &usize| {
            let fused = group_of(*at).map(|group| self.fused(&groups[group]));
            let mut task = fused.unwrap_or_else(|| self.tasks[*at].clone());
            task.inputs = task.inputs.iter().map(moved).collect();
            task.after = task.after.iter().map(|other| place(*other)).collect();
            task.after.sort_unstable();
            task.after.dedup();
            task
        };
        let stage = |stage: &FlowStage| {
            let tasks = stage.tasks.iter().filter(|task| is_root(task)).map(|task| place(*task)).collect();
            FlowStage { tasks, ..stage.clone() }
        };
        Self {
            stages: self.stages.iter().map(stage).collect(),
            tasks: roots.iter().map(task).collect(),
            sources: self.sources.clone(),
            results: self.results.iter().map(|task| place(*task)).collect(),
        }
    }

    /// The only task that takes what a task makes, when it is of the same row and stage.
    fn reader(&self, task: usize) -> Option<usize> {
        let takes = |other: &FlowTask| other.inputs.iter().any(|input| input.maker() == Some(task));
        let mut readers = (0..self.tasks.len()).filter(|other| takes(&self.tasks[*other]));
        let reader = readers.next().filter(|_| readers.next().is_none())?;
        let own = |input: &FlowInput| !matches!(input, FlowInput::Reference { task: of, .. } if *of == task);
        let same = self.tasks[reader].stage == self.tasks[task].stage;
        (same && self.tasks[reader].inputs.iter().all(own)).then_some(reader)
    }

    /// One task that does what these do one after another; its inputs and waits are still those of this flow.
    fn fused(&self, group: &[usize]) -> FlowTask {
        let tasks: Vec<&FlowTask> = group.iter().map(|task| &self.tasks[*task]).collect();
        let (mut inputs, mut reads, mut steps) = (Vec::new(), Vec::<FlowRead>::new(), Vec::new());
        for task in &tasks {
            let step_inputs = task.inputs.iter().map(|input| placed(*input, group, &mut inputs)).collect();
            let step_reads = task.reads.iter().map(|read| read_at(read, &task.name, &mut reads)).collect();
            let own = FlowTask { inputs: Vec::new(), after: Vec::new(), ..(*task).clone() };
            steps.push(FusedStep { task: own, inputs: step_inputs, reads: step_reads });
        }
        let mut ends: Vec<String> = tasks.iter().flat_map(|task| task.ends.clone()).collect();
        ends.sort_unstable();
        ends.dedup();
        let after = tasks.iter().flat_map(|task| &task.after).filter(|task| !group.contains(task)).copied();
        let last = tasks.last().copied();
        FlowTask {
            name: tasks.iter().map(|task| task.name.as_str()).collect::<Vec<_>>().join("+"),
            stage: last.map_or(0, |task| task.stage),
            spec: composed(&steps, &reads, &ends),
            outputs: last.map(|task| task.outputs.clone()).unwrap_or_default(),
            after: after.collect(),
            reads,
            inputs,
            ends,
            made: TaskOrigin::Fused(steps),
        }
    }
}

/// Where a step of a group takes an input from; what comes from outside is listed once.
fn placed(input: FlowInput, group: &[usize], outer: &mut Vec<FlowInput>) -> FusedInput {
    if let FlowInput::Task { task, output } = input
        && let Some(step) = group.iter().position(|member| *member == task)
    {
        return FusedInput::Inner { step, output };
    }
    let place = outer.iter().position(|known| *known == input).unwrap_or_else(|| {
        outer.push(input);
        outer.len() - 1
    });
    FusedInput::Outer(place)
}

/// The place of a read: what two steps read in the same way is read once.
fn read_at(read: &FlowRead, task: &str, all: &mut Vec<FlowRead>) -> usize {
    let same = |known: &FlowRead| known.kind == read.kind && known.from == read.from;
    all.iter().position(same).unwrap_or_else(|| {
        let taken = all.iter().any(|known| known.name == read.name);
        let name = if taken { format!("{task}.{}", read.name) } else { read.name.clone() };
        all.push(FlowRead { name, ..read.clone() });
        all.len() - 1
    })
}

/// What is known of several operations as one.
fn composed(steps: &[FusedStep], reads: &[FlowRead], ends: &[String]) -> OpSpec {
    let specs = || steps.iter().map(|step| &step.task.spec);
    let id = specs().map(|spec| spec.id.as_str()).collect::<Vec<_>>().join("+");
    let about = specs().map(|spec| spec.about.as_str()).collect::<Vec<_>>().join("; then ");
    let mut spec = OpSpec::new(id, about, specs().map(|spec| spec.cost_ns_per_pixel).sum());
    spec.version = version(steps);
    let parameter = |read: &FlowRead| OpParameter { name: read.name.clone(), kind: read.kind };
    spec.parameters = reads.iter().map(parameter).collect();
    spec.inputs = outer_inputs(steps);
    spec.outputs = specs().next_back().map(|last| last.outputs.clone()).unwrap_or_default();
    spec.output_bytes_per_pixel = specs().next_back().map_or(0, |last| last.output_bytes_per_pixel);
    spec.scratch_bytes_per_pixel = (0..steps.len()).map(|step| scratch_at(steps, step)).max().unwrap_or(0);
    spec.scratch_bytes = specs().map(|spec| spec.scratch_bytes).max().unwrap_or(0);
    spec.halo = halo(steps);
    let close = specs().any(|spec| spec.repeats == Repeats::Close);
    spec.repeats = if close { Repeats::Close } else { Repeats::Exact };
    spec.statuses = ends.to_vec();
    spec
}

/// What comes from outside, as the first step that takes it calls it.
fn outer_inputs(steps: &[FusedStep]) -> Vec<OpRegion> {
    let mut inputs = Vec::new();
    for step in steps {
        for (input, region) in step.inputs.iter().zip(&step.task.spec.inputs) {
            if matches!(input, FusedInput::Outer(place) if *place == inputs.len()) {
                inputs.push(region.clone());
            }
        }
    }
    inputs
}

/// Other operations, versions or connections are another version.
fn version(steps: &[FusedStep]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for FusedStep { task, inputs, reads } in steps {
        let text = format!("{:?} {} {inputs:?} {reads:?} {:?};", task.spec.id, task.spec.version, task.ends);
        hasher.update(text.as_bytes());
    }
    let mut first = [0; 8];
    hasher.finalize_xof().fill(&mut first);
    u64::from_le_bytes(first)
}

/// Bytes per pixel that a step works with: its own scratch, and what steps made that is still read.
fn scratch_at(steps: &[FusedStep], at: usize) -> u32 {
    let reads = |step: &FusedStep, of: usize| {
        step.inputs.iter().any(|input| matches!(input, FusedInput::Inner { step, .. } if *step == of))
    };
    let alive = |of: &usize| steps[at..].iter().any(|step| reads(step, *of));
    let bytes = |of: usize| steps[of].task.spec.output_bytes_per_pixel;
    let own = steps[at].task.spec.scratch_bytes_per_pixel;
    let made = if at + 1 == steps.len() { 0 } else { bytes(at) };
    (0..at).filter(alive).map(bytes).fold(own.saturating_add(made), u32::saturating_add)
}

/// Fixed distances add up along the longest way through the steps.
fn halo(steps: &[FusedStep]) -> Halo {
    let (mut reached, mut objects) = (Vec::new(), false);
    for step in steps {
        let inner = step.inputs.iter().filter_map(|input| match input {
            FusedInput::Inner { step, .. } => reached.get(*step).copied(),
            FusedInput::Outer(_) => None,
        });
        let before: u32 = inner.max().unwrap_or(0);
        let own = match step.task.spec.halo {
            Halo::Whole => return Halo::Whole,
            Halo::None => 0,
            Halo::Pixels(pixels) => pixels,
            Halo::Objects(pixels) => {
                objects = true;
                pixels
            }
        };
        reached.push(before.saturating_add(own));
    }
    match (objects, reached.into_iter().max().unwrap_or(0)) {
        (true, pixels) => Halo::Objects(pixels),
        (false, 0) => Halo::None,
        (false, pixels) => Halo::Pixels(pixels),
    }
}
