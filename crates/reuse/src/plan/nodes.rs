//! The planned nodes, spelled out.

use super::reads::ReadColumns;
use super::table::Table;
use super::{Node, NodeId, NodeInput};
use crate::{Flow, Input};

/// All planned nodes, each as its first row asks for it.
pub(super) fn planned(
    flow: &Flow,
    reads: &ReadColumns,
    table: &Table,
    reference: Option<usize>,
) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(table.total as usize);
    for (task, value) in flow.tasks.iter().enumerate() {
        for row in table.classes[task].first_rows() {
            let resolve = |input: &Input| resolve(flow, table, reference, row as usize, *input);
            nodes.push(Node {
                task,
                row,
                parameters: reads.values(value, task, row as usize),
                inputs: value.inputs.iter().map(resolve).collect(),
            });
        }
    }
    nodes
}

fn resolve(flow: &Flow, table: &Table, reference: Option<usize>, row: usize, input: Input) -> NodeInput {
    let made = |row, task, output| NodeInput::Node { node: NodeId(table.id(row, task)), output };
    match (input, reference) {
        (Input::Source(source), _) => NodeInput::Source(source),
        (Input::Task { task, output }, _) => made(row, task, output),
        (Input::Reference { task, output }, Some(reference)) => made(reference, task, output),
        (Input::Reference { task, output }, None) => {
            // The flow was checked: the source is there.
            NodeInput::Source(flow.reference_source(task, output).unwrap_or_default())
        }
    }
}
