//! The postorder that keeps least: below every task the hungriest branch goes last, when the task's own output is no longer
//! needed by others.

use super::OrderGraph;

/// The tasks, each after those it takes from, depth first.
///
/// Each task hangs below the last of those it waits for. In the tree that this makes, no depth-first order has a smaller
/// peak (Liu's postorder, read backwards); where tasks take from others besides, it is a heuristic.
pub(super) fn postorder(graph: &OrderGraph) -> Vec<u32> {
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); graph.len()];
    let mut roots = Vec::new();
    for task in 0..graph.len() as u32 {
        match graph.waits[task as usize].last() {
            Some(parent) => children[*parent as usize].push(task),
            None => roots.push(task),
        }
    }
    let peaks = peaks(graph, &mut children);
    roots.sort_by_key(|task| peaks[*task as usize]);
    let mut walk =
        PostorderWalk { graph, children: &children, done: vec![false; graph.len()], order: Vec::new() };
    roots.into_iter().for_each(|root| walk.visit(root));
    walk.order
}

/// The peak of each task's subtree; sorts children so that the one with the highest comes last.
fn peaks(graph: &OrderGraph, children: &mut [Vec<u32>]) -> Vec<u64> {
    let mut peaks = vec![0; graph.len()];
    for task in (0..graph.len()).rev() {
        let own = graph.outputs[task];
        let run = |task: usize| graph.outputs[task] + graph.scratch[task];
        children[task].sort_by_key(|child| peaks[*child as usize]);
        let mut peak = run(task);
        for (at, child) in children[task].iter().enumerate() {
            let child = *child as usize;
            let last = at + 1 == children[task].len();
            // The output is gone once the last child has run.
            peak = peak.max(own + if last { run(child) } else { peaks[child] }).max(peaks[child]);
        }
        peaks[task] = peak;
    }
    peaks
}

struct PostorderWalk<'a> {
    graph: &'a OrderGraph,
    children: &'a [Vec<u32>],
    done: Vec<bool>,
    order: Vec<u32>,
}

impl PostorderWalk<'_> {
    /// Without recursion: a bucket may be a chain of any length.
    fn visit(&mut self, root: u32) {
        let mut stack = vec![root];
        while let Some(task) = stack.pop() {
            if self.done[task as usize] {
                continue;
            }
            let missing: Vec<u32> = self.graph.inputs[task as usize]
                .iter()
                .copied()
                .filter(|input| !self.done[*input as usize])
                .collect();
            if !missing.is_empty() {
                stack.push(task);
                stack.extend(missing);
                continue;
            }
            self.done[task as usize] = true;
            self.order.push(task);
            stack.extend(
                self.children[task as usize].iter().rev().filter(|child| !self.done[**child as usize]),
            );
        }
    }
}
