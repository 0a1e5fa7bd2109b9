//! A flow graph without loops: blocks, the variables between them, and the target.

use std::collections::{HashMap, HashSet};

use super::{AttributeError, order};

/// The name of the vertex that gives what a program is given. It computes nothing, so it never joins a target.
pub const SOURCE: &str = "source";

/// More bytes than this in all variables together are refused: sums must not overflow.
const MOST_BYTES: u64 = 1 << 60;

/// A value that goes from one block to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphVariable {
    /// Its name; one value has one name.
    pub name: String,
    /// The name in the program; copies of a loop have it in common.
    pub origin: String,
    /// Its size.
    pub bytes: u64,
    /// The block that makes it; none for the source.
    pub from: Option<usize>,
    /// The blocks that read it.
    pub to: Vec<usize>,
    /// Whether a branch decides its value: it is never replaced by what it was computed from.
    pub barrier: bool,
}

/// A flow graph without cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeGraph {
    pub(super) blocks: Vec<String>,
    pub(super) variables: Vec<GraphVariable>,
    pub(super) target: Vec<usize>,
}

/// Blocks and variables are added by name; `finish` checks them.
#[derive(Default)]
pub(super) struct GraphBuilder {
    blocks: Vec<String>,
    numbers: HashMap<String, usize>,
    variables: Vec<GraphVariable>,
}

impl GraphBuilder {
    /// The number of a block; none for the source.
    pub(super) fn block(&mut self, name: &str) -> Option<usize> {
        if name == SOURCE {
            return None;
        }
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        self.numbers.insert(name.to_owned(), self.blocks.len());
        self.blocks.push(name.to_owned());
        Some(self.blocks.len() - 1)
    }

    pub(super) fn add(&mut self, variable: GraphVariable) {
        self.variables.push(variable);
    }

    pub(super) fn finish(self, target: &[String]) -> Result<AttributeGraph, AttributeError> {
        let Self { blocks, numbers, variables } = self;
        let number = |name: &String| match numbers.get(name) {
            Some(number) => Ok(*number),
            None if name == SOURCE => Err(AttributeError::SourceIsTarget),
            None => Err(AttributeError::UnknownTarget { name: name.clone() }),
        };
        let mut target = target.iter().map(number).collect::<Result<Vec<_>, _>>()?;
        target.sort_unstable();
        target.dedup();
        let graph = AttributeGraph { blocks, variables, target };
        graph.check()?;
        Ok(graph)
    }
}

impl AttributeGraph {
    /// The names of the blocks, in the order of their numbers.
    pub fn blocks(&self) -> &[String] {
        &self.blocks
    }

    /// The variables.
    pub fn variables(&self) -> &[GraphVariable] {
        &self.variables
    }

    /// The numbers of the blocks whose result is kept, in order.
    pub fn target(&self) -> &[usize] {
        &self.target
    }

    fn check(&self) -> Result<(), AttributeError> {
        if self.target.is_empty() {
            return Err(AttributeError::NoTarget);
        }
        let mut names = HashSet::new();
        if let Some(twice) = self.variables.iter().find(|variable| !names.insert(&variable.name)) {
            return Err(AttributeError::VariableTwice { name: twice.name.clone() });
        }
        let sum = self.variables.iter().map(|variable| u128::from(variable.bytes)).sum::<u128>();
        if sum > u128::from(MOST_BYTES) {
            return Err(AttributeError::TooManyBytes { most: MOST_BYTES });
        }
        match order::cycle(self) {
            Some(cycle) => Err(AttributeError::Cycle { cycle }),
            None => Ok(()),
        }
    }

    /// The blocks that the target depends on, and its own.
    pub(super) fn above(&self) -> Vec<bool> {
        let mut makers = vec![Vec::new(); self.blocks.len()];
        for variable in &self.variables {
            variable.to.iter().for_each(|to| makers[*to].extend(variable.from));
        }
        let mut above = vec![false; self.blocks.len()];
        let mut left = self.target.clone();
        while let Some(block) = left.pop() {
            if !std::mem::replace(&mut above[block], true) {
                left.extend(&makers[block]);
            }
        }
        above
    }

    /// Which blocks are the target.
    pub(super) fn is_target(&self) -> Vec<bool> {
        let mut is = vec![false; self.blocks.len()];
        self.target.iter().for_each(|block| is[*block] = true);
        is
    }
}
