//! What a row needs instead when stages of it ended early.

use std::collections::HashMap;

use onceflow_study::RegionKind;

use super::ingredients::{Ingredient, ingredients};
use super::reads::ReadColumns;
use super::table::Table;
use super::{Node, NodeId, NodeInput, Plan};
use crate::{Flow, Input, Level};

impl Plan {
    /// The nodes a row needs instead, when these stages ended early for it and these for the reference row: one for
    /// every task of a stage that did not end which depends on a region of a stage that did.
    ///
    /// Such a region is [`NodeInput::Empty`]. Equal ones are one node under the plan's level; asking again gives the
    /// same nodes.
    pub fn divert(&mut self, row: usize, ended: &[usize], reference_ended: &[usize]) -> Vec<(usize, NodeId)> {
        let ends = Ends::new(row, ended, reference_ended);
        if let Some(done) = self.diverted.done.get(&ends) {
            return done.clone();
        }
        let mut keys = std::mem::take(&mut self.diverted.keys);
        let rekeyed = self.rekey(&self.table, &mut keys, &ends);
        self.diverted.keys = keys;
        if let Some(of_reference) = &rekeyed.of_reference {
            // Nodes of the reference row come first: others take from them.
            self.add_nodes(of_reference);
        }
        let moved = self.add_nodes(&rekeyed);
        for (_, node) in &moved {
            self.diverted.origin.entry((row, *node)).or_insert_with(|| ends.clone());
        }
        self.diverted.done.insert(ends, moved.clone());
        moved
    }

    /// The stages that had ended when a row was given a diverted node.
    pub(super) fn origin(&self, row: usize, node: NodeId) -> Option<&Ends> {
        self.diverted.origin.get(&(row, node))
    }

    /// The keys of a row under one level, given what ended.
    pub(super) fn rekey(&self, table: &Table, keys: &mut Keyring, ends: &Ends) -> Rekeyed {
        let others_reference = self.reference.filter(|row| *row != ends.row);
        let of_reference = others_reference.map(|row| {
            let ends = Ends::new(row, &ends.of_reference, &ends.of_reference);
            Box::new(self.rekey(table, keys, &ends))
        });
        let mut rekeyed = Rekeyed { ends: ends.clone(), moved: Vec::new(), ids: Vec::new(), of_reference };
        let scene = Scene { flow: &self.flow, reads: &self.reads, table, reference: self.reference };
        rekeyed.moved = scene.moved(&rekeyed);
        let touched: Vec<bool> = scene.touched(&rekeyed.moved);
        for task in 0..self.flow.tasks.len() {
            let stage = self.flow.tasks[task].stage;
            let id = if touched[stage] { keys.id(&scene, &rekeyed, task) } else { table.id(ends.row, task) };
            rekeyed.ids.push(id);
        }
        rekeyed
    }

    /// Adds the nodes of the tasks that moved, unless they are there; those of stages that ended are not needed.
    fn add_nodes(&mut self, rekeyed: &Rekeyed) -> Vec<(usize, NodeId)> {
        let mut added = Vec::new();
        for task in (0..self.flow.tasks.len()).filter(|task| rekeyed.moved[*task]) {
            if rekeyed.ends.own.contains(&self.flow.tasks[task].stage) {
                continue;
            }
            let known = self.diverted.nodes.get(&rekeyed.ids[task]).copied();
            let node = known.unwrap_or_else(|| self.add_node(rekeyed, task));
            added.push((task, node));
        }
        added
    }

    fn add_node(&mut self, rekeyed: &Rekeyed, task: usize) -> NodeId {
        let scene =
            Scene { flow: &self.flow, reads: &self.reads, table: &self.table, reference: self.reference };
        let value = &self.flow.tasks[task];
        let input = |input: &Input| match scene.resolve(rekeyed, task, *input) {
            Resolved::Source(source) => NodeInput::Source(source),
            Resolved::Empty(kind) => NodeInput::Empty { kind },
            Resolved::Made(id, output) => {
                let node = self.diverted.nodes.get(&id).copied().unwrap_or(NodeId(id));
                NodeInput::Node { node, output }
            }
        };
        let node = Node {
            task,
            row: rekeyed.ends.row as u32,
            parameters: self.reads.values(value, task, rekeyed.ends.row),
            inputs: value.inputs.iter().map(input).collect(),
        };
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.diverted.nodes.insert(rekeyed.ids[task], id);
        id
    }
}

/// What has been diverted so far.
#[derive(Clone, Debug)]
pub(super) struct Diverted {
    keys: Keyring,
    /// The node of a key, for keys that are not planned ones.
    nodes: HashMap<u32, NodeId>,
    done: HashMap<Ends, Vec<(usize, NodeId)>>,
    origin: HashMap<(usize, NodeId), Ends>,
}

impl Diverted {
    pub(super) fn new(level: Level) -> Self {
        Self {
            keys: Keyring::new(level),
            nodes: HashMap::new(),
            done: HashMap::new(),
            origin: HashMap::new(),
        }
    }
}

/// A row and the stages that ended, for it and for the reference row; ascending and each once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ends {
    pub(super) row: usize,
    own: Vec<usize>,
    of_reference: Vec<usize>,
}

impl Ends {
    fn new(row: usize, own: &[usize], of_reference: &[usize]) -> Self {
        Self { row, own: each_once(own), of_reference: each_once(of_reference) }
    }
}

fn each_once(stages: &[usize]) -> Vec<usize> {
    let mut stages = stages.to_vec();
    stages.sort_unstable();
    stages.dedup();
    stages
}

/// A row's keys when stages ended early.
#[derive(Clone, Debug)]
pub(super) struct Rekeyed {
    ends: Ends,
    /// Whether a task depends on a region of a stage that ended.
    moved: Vec<bool>,
    /// The key of each task: a planned node's number, or a number beyond them.
    pub(super) ids: Vec<u32>,
    /// The same of the reference row, unless this is it.
    of_reference: Option<Box<Rekeyed>>,
}

/// Numbers for keys that are not planned ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Keyring {
    level: Level,
    known: HashMap<Vec<Word>, u32>,
}

/// What a key is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Word {
    Task(usize),
    Row(usize),
    Read(usize, u32),
    Previous(u32),
    Input(Resolved),
}

/// Where a region comes from, by keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Resolved {
    Source(usize),
    Made(u32, usize),
    Empty(RegionKind),
}

impl Keyring {
    pub(super) fn new(level: Level) -> Self {
        Self { level, known: HashMap::new() }
    }

    fn id(&mut self, scene: &Scene<'_>, rekeyed: &Rekeyed, task: usize) -> u32 {
        let row = rekeyed.ends.row;
        let word = |ingredient: Ingredient| match ingredient {
            Ingredient::Row => Word::Row(row),
            Ingredient::Read(column) => Word::Read(column, scene.reads.classes(column).of[row]),
            Ingredient::Previous(previous) => Word::Previous(rekeyed.ids[previous]),
            Ingredient::Input(input) => Word::Input(scene.resolve(rekeyed, task, input)),
        };
        let made_of = ingredients(scene.flow, scene.reads, self.level, task);
        let words = std::iter::once(Word::Task(task)).chain(made_of.into_iter().map(word)).collect();
        let next = scene.table.total + self.known.len() as u32;
        *self.known.entry(words).or_insert(next)
    }
}

/// What keys are looked up in.
struct Scene<'p> {
    flow: &'p Flow,
    reads: &'p ReadColumns,
    table: &'p Table,
    reference: Option<usize>,
}

impl Scene<'_> {
    /// Which tasks depend on a region of a stage that ended.
    fn moved(&self, rekeyed: &Rekeyed) -> Vec<bool> {
        let mut moved: Vec<bool> = Vec::with_capacity(self.flow.tasks.len());
        for (at, task) in self.flow.tasks.iter().enumerate() {
            let depends = |input: &Input| match self.owner(rekeyed, *input) {
                Owner::Nobody => false,
                Owner::Row(maker) => moved[maker] || self.ended(&rekeyed.ends.own, at, maker),
                Owner::Reference(of, maker) => of.moved[maker] || self.is_in(&of.ends.own, maker),
            };
            let depends = task.inputs.iter().any(depends);
            moved.push(depends);
        }
        moved
    }

    /// Which stages hold a task that moved.
    fn touched(&self, moved: &[bool]) -> Vec<bool> {
        self.flow.stages.iter().map(|stage| stage.tasks.iter().any(|task| moved[*task])).collect()
    }

    fn resolve(&self, rekeyed: &Rekeyed, at: usize, input: Input) -> Resolved {
        let (Input::Task { task, output } | Input::Reference { task, output }) = input else {
            let Input::Source(source) = input else { return Resolved::Source(0) };
            return Resolved::Source(source);
        };
        let kind = self.flow.tasks[task].outputs[output].kind;
        match self.owner(rekeyed, input) {
            Owner::Nobody => Resolved::Source(self.flow.reference_source(task, output).unwrap_or_default()),
            Owner::Row(_) if self.ended(&rekeyed.ends.own, at, task) => Resolved::Empty(kind),
            Owner::Row(_) => Resolved::Made(self.made(rekeyed, task), output),
            Owner::Reference(of, _) if self.is_in(&of.ends.own, task) => Resolved::Empty(kind),
            Owner::Reference(of, _) => Resolved::Made(self.made(of, task), output),
        }
    }

    /// The key of what a task makes. A task that did not move is the planned one even where its stage has other keys.
    fn made(&self, rekeyed: &Rekeyed, task: usize) -> u32 {
        if rekeyed.moved[task] { rekeyed.ids[task] } else { self.table.id(rekeyed.ends.row, task) }
    }

    fn owner<'r>(&self, rekeyed: &'r Rekeyed, input: Input) -> Owner<'r> {
        match (input, &rekeyed.of_reference) {
            (Input::Task { task, .. }, _) => Owner::Row(task),
            (Input::Reference { task, .. }, Some(of)) => Owner::Reference(of, task),
            // The reference row takes from itself.
            (Input::Reference { task, .. }, None) if self.reference.is_some() => Owner::Row(task),
            (Input::Reference { .. } | Input::Source(_), _) => Owner::Nobody,
        }
    }

    /// Whether a stage ended whose region a task of another stage takes; inside a stage what was made is there.
    fn ended(&self, ended: &[usize], at: usize, maker: usize) -> bool {
        self.flow.tasks[at].stage != self.flow.tasks[maker].stage && self.is_in(ended, maker)
    }

    fn is_in(&self, stages: &[usize], task: usize) -> bool {
        stages.contains(&self.flow.tasks[task].stage)
    }
}

/// Whose region an input is.
enum Owner<'r> {
    Nobody,
    Row(usize),
    Reference(&'r Rekeyed, usize),
}
