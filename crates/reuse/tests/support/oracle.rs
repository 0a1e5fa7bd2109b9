//! The levels by their definitions, recursively and in strings: slow, and hard to get wrong.

use onceflow_reuse::{Flow, FlowInput, Level, NodeId, NodeInput, ParameterRows, Plan, ReadFrom};
use onceflow_study::Value;

/// What ended, for a row and for the reference row.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    pub own: Vec<usize>,
    pub reference: Vec<usize>,
}

pub struct Oracle<'c> {
    pub flow: &'c Flow,
    pub rows: &'c ParameterRows,
    pub values: &'c [Vec<Value>],
}

impl Oracle<'_> {
    /// All that a task's result depends on, without any reuse.
    pub fn content(&self, row: usize, task: usize, ended: &Ended) -> String {
        let inputs: Vec<_> = (0..self.flow.tasks[task].inputs.len())
            .map(|at| self.input_content(row, task, at, ended))
            .collect();
        format!("{}{}({})", self.own(row, task), self.mark(row, task), inputs.join(","))
    }

    /// The key of a task under a level.
    pub fn key(&self, level: Level, row: usize, task: usize, ended: &Ended) -> String {
        if level != Level::None && !self.moved(row, task, ended) {
            return self.level_key(level, row, task, &Ended::default());
        }
        self.level_key(level, row, task, ended)
    }

    /// Whether a task depends on a region of a stage that ended.
    pub fn moved(&self, row: usize, task: usize, ended: &Ended) -> bool {
        self.content(row, task, ended).contains("EMPTY")
    }

    fn level_key(&self, level: Level, row: usize, task: usize, ended: &Ended) -> String {
        let stage = self.flow.tasks[task].stage;
        let chain = &self.flow.stages[stage].tasks;
        match level {
            Level::None => format!("row {row} task {task} {}", self.content(row, task, ended)),
            Level::Stage => {
                let tasks: Vec<_> =
                    chain.iter().map(|at| self.own(row, *at) + &self.mark(row, *at)).collect();
                let outside = self.outside(level, row, stage, ended);
                format!(
                    "task {task} of [{}]({outside}) {}",
                    tasks.join(";"),
                    self.stayed(level, row, chain, ended)
                )
            }
            Level::Task => {
                let place = chain.iter().position(|at| *at == task).unwrap();
                let before = match place {
                    0 => self.outside(level, row, stage, ended),
                    _ => self.level_key(level, row, chain[place - 1], ended),
                };
                let stayed = self.stayed(level, row, &[task], ended);
                format!("{}{}({stayed})<-{before}", self.own(row, task), self.mark(row, task))
            }
            Level::Dataflow | Level::Convergent | Level::Object => {
                let input = |input: &FlowInput| self.input_key(level, row, task, *input, ended);
                let inputs: Vec<_> = self.flow.tasks[task].inputs.iter().map(input).collect();
                format!("{}{}({})", self.own(row, task), self.mark(row, task), inputs.join(","))
            }
        }
    }

    /// Keys of what tasks take from tasks of their own stage that are as planned although the stage is not.
    fn stayed(&self, level: Level, row: usize, tasks: &[usize], ended: &Ended) -> String {
        let mut keys = Vec::new();
        let as_planned = ended.own.is_empty() && ended.reference.is_empty();
        for at in tasks.iter().filter(|_| !as_planned) {
            for input in &self.flow.tasks[*at].inputs {
                let stage = |task: usize| self.flow.tasks[task].stage;
                if let FlowInput::Task { task, .. } = *input
                    && stage(task) == stage(*at)
                    && !self.moved(row, task, ended)
                {
                    keys.push(self.key(level, row, task, ended));
                }
            }
        }
        keys.join(",")
    }

    /// Keys of everything the tasks of a stage take from outside it.
    fn outside(&self, level: Level, row: usize, stage: usize, ended: &Ended) -> String {
        let chain = &self.flow.stages[stage].tasks;
        let mut keys = Vec::new();
        for at in chain {
            for input in &self.flow.tasks[*at].inputs {
                if !matches!(input, FlowInput::Task { task, .. } if chain.contains(task)) {
                    keys.push(self.input_key(level, row, *at, *input, ended));
                }
            }
        }
        keys.join(",")
    }

    fn input_key(&self, level: Level, row: usize, at: usize, input: FlowInput, ended: &Ended) -> String {
        match self.whose(row, at, input, ended) {
            Whose::Source(name) => format!("source {name}"),
            Whose::Empty => "EMPTY".into(),
            Whose::Made(row, task, output, ended) => {
                format!("{{{}}}.{output}", self.key(level, row, task, &ended))
            }
        }
    }

    fn input_content(&self, row: usize, task: usize, place: usize, ended: &Ended) -> String {
        match self.whose(row, task, self.flow.tasks[task].inputs[place], ended) {
            Whose::Source(name) => format!("source {name}"),
            Whose::Empty => "EMPTY".into(),
            Whose::Made(row, task, output, ended) => {
                format!("{{{}}}.{output}", self.content(row, task, &ended))
            }
        }
    }

    fn whose(&self, row: usize, at: usize, input: FlowInput, ended: &Ended) -> Whose {
        let stage = |task: usize| self.flow.tasks[task].stage;
        match input {
            FlowInput::Source(source) => Whose::Source(self.flow.sources[source].clone()),
            FlowInput::Reference { task, output } if self.rows.reference.is_none() => {
                Whose::Source(format!("{}@reference", self.flow.tasks[task].outputs[output].name))
            }
            FlowInput::Reference { task, output } if self.rows.reference != Some(row) => {
                if ended.reference.contains(&stage(task)) {
                    return Whose::Empty;
                }
                let of = Ended { own: ended.reference.clone(), reference: ended.reference.clone() };
                Whose::Made(self.rows.reference.unwrap(), task, output, of)
            }
            FlowInput::Task { task, output } | FlowInput::Reference { task, output } => {
                if stage(task) != stage(at) && ended.own.contains(&stage(task)) {
                    return Whose::Empty;
                }
                Whose::Made(row, task, output, ended.clone())
            }
        }
    }

    /// The operation and what it reads, in canonical form.
    fn own(&self, row: usize, task: usize) -> String {
        let task = &self.flow.tasks[task];
        let read = |read: &onceflow_reuse::FlowRead| match &read.from {
            ReadFrom::Constant(value) => format!("{value:?}"),
            ReadFrom::Parameter(name) => {
                let place = self.rows.parameters().iter().position(|p| p == name).unwrap();
                format!("{:?}", read.kind.canonical(&self.values[row][place]).unwrap())
            }
        };
        format!("{}{:?}", task.spec.id, task.reads.iter().map(read).collect::<Vec<_>>())
    }

    /// The row, for a task that never repeats.
    fn mark(&self, row: usize, task: usize) -> String {
        if self.flow.repeats(task) { String::new() } else { format!("@row {row}") }
    }
}

enum Whose {
    Source(String),
    Empty,
    Made(usize, usize, usize, Ended),
}

/// All that a node's result depends on, by the nodes of the plan.
pub fn node_content(plan: &Plan, id: NodeId) -> String {
    let node = plan.spelled(id);
    let task = &plan.flow().tasks[node.task];
    let own: Vec<_> = node.parameters.iter().map(|value| format!("{value:?}")).collect();
    let mark = if plan.flow().repeats(node.task) { String::new() } else { format!("@row {}", node.row) };
    let input = |input: &NodeInput| match input {
        NodeInput::Source(source) => format!("source {}", plan.flow().sources[*source]),
        NodeInput::Empty { .. } => "EMPTY".into(),
        NodeInput::Node { node, output } => format!("{{{}}}.{output}", node_content(plan, *node)),
    };
    let inputs: Vec<_> = node.inputs.iter().map(input).collect();
    format!("{}{own:?}{mark}({})", task.spec.id, inputs.join(","))
}
