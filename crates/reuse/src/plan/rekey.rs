//! The keys of a row whose stages ended early: the level's own ingredients, with nothing in place of what is missing.

use std::collections::HashMap;

use onceflow_study::RegionKind;

use super::Plan;
use super::ingredients::{Ingredient, ingredients};
use super::reads::ReadColumns;
use super::table::NodeTable;
use crate::{Flow, FlowInput, Level};

impl Plan {
    /// The keys of a row under one level, given what ended.
    pub(super) fn rekey(&self, table: &NodeTable, keys: &mut Keyring, ends: &EndedStages) -> Rekeyed {
        let others_reference = self.reference.filter(|row| *row != ends.row);
        let of_reference = others_reference.map(|row| {
            let ends = EndedStages::new(row, &ends.of_reference, &ends.of_reference);
            Box::new(self.rekey(table, keys, &ends))
        });
        let mut rekeyed = Rekeyed { ends: ends.clone(), moved: Vec::new(), ids: Vec::new(), of_reference };
        let scene = self.scene(table);
        rekeyed.moved = scene.moved(&rekeyed);
        let touched: Vec<bool> = scene.touched(&rekeyed.moved);
        for task in 0..self.flow.tasks.len() {
            let stage = self.flow.tasks[task].stage;
            let id = if touched[stage] { keys.id(&scene, &rekeyed, task) } else { table.id(ends.row, task) };
            rekeyed.ids.push(id);
        }
        rekeyed
    }

    /// Where a diverted task takes a region from, by the plan's own keys.
    pub(super) fn resolved(&self, rekeyed: &Rekeyed, task: usize, input: FlowInput) -> Resolved {
        self.scene(&self.table).resolve(rekeyed, task, input)
    }

    fn scene<'p>(&'p self, table: &'p NodeTable) -> RekeyContext<'p> {
        RekeyContext { flow: &self.flow, reads: &self.reads, table, reference: self.reference }
    }
}

/// A row and the stages that ended, for it and for the reference row; ascending and each once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct EndedStages {
    pub(super) row: usize,
    pub(super) own: Vec<usize>,
    of_reference: Vec<usize>,
}

impl EndedStages {
    pub(super) fn new(row: usize, own: &[usize], of_reference: &[usize]) -> Self {
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
    pub(super) ends: EndedStages,
    /// Whether a task depends on a region of a stage that ended.
    pub(super) moved: Vec<bool>,
    /// The key of each task: a planned node's number, or a number beyond them.
    pub(super) ids: Vec<u32>,
    /// The same of the reference row, unless this is it.
    pub(super) of_reference: Option<Box<Rekeyed>>,
}

/// Numbers for keys that are not planned ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Keyring {
    level: Level,
    known: HashMap<Vec<KeyWord>, u32>,
}

/// What a key is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum KeyWord {
    Task(usize),
    Row(usize),
    Read(usize, u32),
    Previous(u32),
    Input(Resolved),
}

/// Where a region comes from, by keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Resolved {
    Source(usize),
    Made(u32, usize),
    Empty(RegionKind),
}

impl Keyring {
    pub(super) fn new(level: Level) -> Self {
        Self { level, known: HashMap::new() }
    }

    fn id(&mut self, scene: &RekeyContext<'_>, rekeyed: &Rekeyed, task: usize) -> u32 {
        let row = rekeyed.ends.row;
        let word = |ingredient: Ingredient| match ingredient {
            Ingredient::Row => KeyWord::Row(row),
            Ingredient::Read(column) => KeyWord::Read(column, scene.reads.classes(column).of[row]),
            Ingredient::Previous(previous) => KeyWord::Previous(rekeyed.ids[previous]),
            Ingredient::Input(input) => KeyWord::Input(scene.resolve(rekeyed, task, input)),
        };
        let made_of = ingredients(scene.flow, scene.reads, self.level, task);
        let words = made_of.into_iter().map(word).chain(scene.stayed(rekeyed, self.level, task));
        let words = std::iter::once(KeyWord::Task(task)).chain(words).collect();
        let next = scene.table.total + self.known.len() as u32;
        *self.known.entry(words).or_insert(next)
    }
}

/// What keys are looked up in.
struct RekeyContext<'p> {
    flow: &'p Flow,
    reads: &'p ReadColumns,
    table: &'p NodeTable,
    reference: Option<usize>,
}

impl RekeyContext<'_> {
    /// Which tasks depend on a region of a stage that ended.
    fn moved(&self, rekeyed: &Rekeyed) -> Vec<bool> {
        let mut moved: Vec<bool> = Vec::with_capacity(self.flow.tasks.len());
        for (at, task) in self.flow.tasks.iter().enumerate() {
            let depends = |input: &FlowInput| match self.owner(rekeyed, *input) {
                Owner::Outside => false,
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

    /// What a key must say beside the level's ingredients. A task that did not move stays the planned one, and may differ
    /// where all that goes into its stage is equal: those of its stage that take from it take from different nodes.
    fn stayed(&self, rekeyed: &Rekeyed, level: Level, task: usize) -> Vec<KeyWord> {
        let stage = self.flow.tasks[task].stage;
        let tasks = match level {
            Level::None | Level::Dataflow | Level::Convergent | Level::Object => &[],
            Level::Stage => self.flow.stages[stage].tasks.as_slice(),
            Level::Task => &[task],
        };
        let word = |input: &FlowInput| match *input {
            FlowInput::Task { task, output }
                if self.flow.tasks[task].stage == stage && !rekeyed.moved[task] =>
            {
                Some(KeyWord::Input(Resolved::Made(self.table.id(rekeyed.ends.row, task), output)))
            }
            _ => None,
        };
        tasks.iter().flat_map(|task| &self.flow.tasks[*task].inputs).filter_map(word).collect()
    }

    fn resolve(&self, rekeyed: &Rekeyed, at: usize, input: FlowInput) -> Resolved {
        let (FlowInput::Task { task, output } | FlowInput::Reference { task, output }) = input else {
            let FlowInput::Source(source) = input else { return Resolved::Source(0) };
            return Resolved::Source(source);
        };
        let kind = self.flow.tasks[task].outputs[output].kind;
        match self.owner(rekeyed, input) {
            Owner::Outside => Resolved::Source(self.flow.checked_reference_source(task, output)),
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

    fn owner<'r>(&self, rekeyed: &'r Rekeyed, input: FlowInput) -> Owner<'r> {
        match (input, &rekeyed.of_reference) {
            (FlowInput::Task { task, .. }, _) => Owner::Row(task),
            (FlowInput::Reference { task, .. }, Some(of)) => Owner::Reference(of, task),
            // The reference row takes from itself.
            (FlowInput::Reference { task, .. }, None) if self.reference.is_some() => Owner::Row(task),
            (FlowInput::Reference { .. } | FlowInput::Source(_), _) => Owner::Outside,
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
    Outside,
    Row(usize),
    Reference(&'r Rekeyed, usize),
}
