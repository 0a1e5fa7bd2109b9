//! Whether a plan keeps its promises: what it gives back is what was asked, and it can be run in the order of its numbers.

use super::{NodeId, NodeInput, Plan};
use crate::FlowInput;

/// A promise that a plan breaks: our mistake, or that of who made its buckets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Broken {
    #[error("row {row}, task `{task}`: expected a node of that task, found one of `{found}`")]
    OtherTask { row: usize, task: String, found: String },
    #[error(
        "row {row}, task `{task}`: expected the node to take what the row's own tasks make, found another input"
    )]
    OtherInput { row: usize, task: String },
    #[error("node {node}: expected it after the nodes it takes from, found it before {input}")]
    TooEarly { node: u32, input: u32 },
    #[error("the account does not balance: expected asked = merged + planned for every task")]
    Unbalanced,
    #[error("rule `{rule}`: expected at most the {before} tasks it found, found {after} left")]
    Grew { rule: &'static str, before: u64, after: u64 },
    #[error("the rules leave {left} tasks: expected the {planned} of the plan")]
    Lost { left: u64, planned: u64 },
}

impl Plan {
    /// Checks that expanding the plan gives back every row's tasks, each once and after what it needs, and that the account
    /// balances. It looks at every row and task.
    ///
    /// # Errors
    /// The first promise that is broken.
    pub fn verify(&self) -> Result<(), Broken> {
        for id in 0..self.planned() as u32 {
            let early = |input: NodeInput| match input {
                NodeInput::Node { node, .. } if node.0 >= id => Some(node.0),
                _ => None,
            };
            if let Some(input) = self.inputs_of(NodeId(id)).find_map(early) {
                return Err(Broken::TooEarly { node: id, input });
            }
        }
        for (row, task, node) in self.expand() {
            self.verify_one(row, task, node)?;
        }
        if self.account().is_balanced() { Ok(()) } else { Err(Broken::Unbalanced) }
    }

    fn verify_one(&self, row: usize, task: usize, node: NodeId) -> Result<(), Broken> {
        let name = || self.flow.tasks[task].name.clone();
        let found = self.task_of(node);
        if found != task {
            let found = self.flow.tasks[found].name.clone();
            return Err(Broken::OtherTask { row, task: name(), found });
        }
        let own = |(input, taken): (&FlowInput, NodeInput)| match (*input, taken) {
            (FlowInput::Task { task, output }, NodeInput::Node { node, output: of }) => {
                node == self.node(row, task) && of == output
            }
            (FlowInput::Reference { task, output }, NodeInput::Node { node, output: of }) => {
                self.reference.is_some_and(|row| node == self.node(row, task)) && of == output
            }
            (FlowInput::Source(source), NodeInput::Source(of)) => source == of,
            (FlowInput::Reference { task, output }, NodeInput::Source(of)) => {
                self.flow.reference_source(task, output) == Some(of)
            }
            _ => false,
        };
        if self.flow.tasks[task].inputs.iter().zip(self.inputs_of(node)).all(own) {
            return Ok(());
        }
        Err(Broken::OtherInput { row, task: name() })
    }
}
