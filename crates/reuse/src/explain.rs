//! Why a task is computed: with whom it is shared, and what makes it different from its nearest relative.

use onceflow_study::Canonical;

use crate::{FlowInput, FlowRead, NodeId, Plan, ReadFrom};

/// What is known of one task of one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Why {
    /// The task.
    pub task: usize,
    /// The node that serves it.
    pub node: NodeId,
    /// The rows that it serves, ascending.
    pub rows: Vec<u32>,
    /// What it reads: parameters and the values as it tells them apart.
    pub reads: Vec<(String, Canonical)>,
    /// The other node of the task that is most like it; none when there is no other.
    pub nearest: Option<Nearest>,
}

/// A node that is nearly the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// The first row that it serves.
    pub row: u32,
    /// What is different.
    pub differs: Vec<Difference>,
}

/// One thing that is different.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// The task reads another value.
    Parameter {
        /// The parameter.
        name: String,
        /// The value here.
        here: Canonical,
        /// The value there.
        there: Canonical,
    },
    /// The task takes another region.
    Input {
        /// The workflow's name of the region.
        region: String,
        /// What makes the region different, back to parameters.
        because: Vec<Difference>,
    },
    /// Nothing but the bucket, or the row of a task that never repeats.
    Apart,
}

impl Plan {
    /// Explains a planned task of a row.
    pub fn why(&self, row: usize, task: usize) -> Why {
        let node = self.node(row, task);
        let names = self.flow().tasks[task].reads.iter().map(known_as);
        let reads = names.zip(self.spelled(node).parameters).collect();
        Why { task, node, rows: self.rows_of(node).to_vec(), reads, nearest: self.nearest(node) }
    }

    /// The node of the same task with fewest differences; of several the first.
    fn nearest(&self, node: NodeId) -> Option<Nearest> {
        let task = self.task_of(node);
        let row = self.first_row(node);
        let distance = |other: NodeId| self.distance(task, row, self.first_row(other));
        let others = self.nodes_of(task).filter(|other| *other != node);
        let nearest = others.min_by_key(|other| (distance(*other), *other))?;
        let there = self.first_row(nearest);
        Some(Nearest { row: there, differs: self.differences(task, row, there) })
    }

    /// The planned nodes of a task.
    fn nodes_of(&self, task: usize) -> impl Iterator<Item = NodeId> {
        let numbers = self.numbers_of(task);
        numbers.map(NodeId)
    }

    /// In how many values and regions a task of two rows is different, with all that comes before.
    fn distance(&self, task: usize, here: u32, there: u32) -> usize {
        let mut sum = self.differing_reads(task, here, there).count();
        for input in &self.flow().tasks[task].inputs {
            if let FlowInput::Task { task, .. } = input
                && self.node(here as usize, *task) != self.node(there as usize, *task)
            {
                sum += 1 + self.distance(*task, here, there);
            }
        }
        sum
    }

    fn differences(&self, task: usize, here: u32, there: u32) -> Vec<Difference> {
        let mut found: Vec<Difference> = self.differing_reads(task, here, there).collect();
        for input in &self.flow().tasks[task].inputs {
            if let FlowInput::Task { task: maker, output } = *input
                && self.node(here as usize, maker) != self.node(there as usize, maker)
            {
                let region = self.flow().tasks[maker].outputs[output].name.clone();
                found.push(Difference::Input { region, because: self.differences(maker, here, there) });
            }
        }
        if found.is_empty() {
            found.push(Difference::Apart);
        }
        found
    }

    fn differing_reads(&self, task: usize, here: u32, there: u32) -> impl Iterator<Item = Difference> {
        let names = self.flow().tasks[task].reads.iter().map(known_as);
        let values = self.values(task, here as usize).into_iter().zip(self.values(task, there as usize));
        let differing = names.zip(values).filter(|(_, (here, there))| here != there);
        differing.map(|(name, (here, there))| Difference::Parameter { name, here, there })
    }
}

/// The rows' name of a parameter, or the operation's where it is a constant.
fn known_as(read: &FlowRead) -> String {
    match &read.from {
        ReadFrom::Parameter(name) => name.clone(),
        ReadFrom::Constant(_) => read.name.clone(),
    }
}

impl Difference {
    /// The parameters at the bottom of it, each once, in the order in which they are met.
    pub fn parameters(differences: &[Self]) -> Vec<&Self> {
        let mut found: Vec<&Self> = Vec::new();
        for difference in differences {
            let below = match difference {
                Self::Input { because, .. } => Self::parameters(because),
                Self::Parameter { .. } => vec![difference],
                Self::Apart => Vec::new(),
            };
            below.into_iter().for_each(|one| {
                if !found.contains(&one) {
                    found.push(one);
                }
            });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use onceflow_study::{Catalogue, Value, read_workflow, shipped_ranges, shipped_workflow};

    use super::*;
    use crate::{Flow, Level, ParameterRows, plan};

    /// Rows that are at the first value of every parameter but those named.
    fn rows(changes: &[&[&str]]) -> ParameterRows {
        let ranges = shipped_ranges();
        let mut rows = ParameterRows::new(ranges.iter().map(|(name, _)| (*name).to_owned()).collect());
        for changed in changes {
            let value = |(name, domain): &(&str, onceflow_study::Domain)| {
                domain.value(u64::from(changed.contains(name))).unwrap()
            };
            let values: Vec<Value> = ranges.iter().map(value).collect();
            rows.push(&values).unwrap();
        }
        rows
    }

    fn planned(changes: &[&[&str]]) -> Plan {
        let workflow = read_workflow(&shipped_workflow("nuclei").unwrap()).unwrap();
        let flow = Flow::new(&workflow, &Catalogue::nuclei()).unwrap();
        plan(flow, &rows(changes), Level::Dataflow).unwrap()
    }

    #[test]
    fn the_nearest_relative_differs_in_what_was_changed() {
        let plan = planned(&[&[], &["G1"], &["G1", "minSize"], &["T1", "G1", "G2"]]);
        let t4 = plan.flow().task("t4").unwrap();
        let why = plan.why(2, t4);
        assert_eq!(why.rows, [2]);
        let nearest = why.nearest.unwrap();
        assert_eq!(nearest.row, 1);
        let [Difference::Parameter { name, .. }] = nearest.differs.as_slice() else { panic!("{nearest:?}") };
        assert_eq!(name, "minSize");
        let t3 = plan.flow().task("t3").unwrap();
        assert_eq!(plan.why(1, t3).rows, [1, 2, 3], "the others share it");
    }

    #[test]
    fn what_an_input_brings_is_traced_to_its_parameter() {
        let plan = planned(&[&[], &["G1"]]);
        let t4 = plan.flow().task("t4").unwrap();
        let nearest = plan.why(1, t4).nearest.unwrap();
        assert!(matches!(nearest.differs.as_slice(), [Difference::Input { .. }]), "{nearest:?}");
        let [Difference::Parameter { name, .. }] = Difference::parameters(&nearest.differs)[..] else {
            panic!()
        };
        assert_eq!(name, "G1");
        let t1 = plan.flow().task("t1").unwrap();
        assert_eq!(plan.why(0, t1).nearest, None, "all rows share it");
    }
}
