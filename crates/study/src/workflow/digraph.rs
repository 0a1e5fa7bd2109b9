//! A plain directed graph with names, and its topological order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Cycle;

/// Nodes with names and edges between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Digraph {
    names: Vec<String>,
    successors: Vec<Vec<usize>>,
}

impl Digraph {
    /// Adds a node and gives its number.
    pub(super) fn add(&mut self, name: impl Into<String>) -> usize {
        self.names.push(name.into());
        self.successors.push(Vec::new());
        self.names.len() - 1
    }

    /// `from` comes before `to`.
    pub(super) fn link(&mut self, from: usize, to: usize) {
        if !self.successors[from].contains(&to) {
            self.successors[from].push(to);
        }
    }

    pub(super) fn successors(&self, node: usize) -> &[usize] {
        &self.successors[node]
    }

    /// All nodes, each after its predecessors and otherwise in the order they were added.
    pub(super) fn order(&self) -> Result<Vec<usize>, Cycle> {
        let mut waiting = self.predecessor_counts();
        let free = (0..self.names.len()).filter(|node| waiting[*node] == 0);
        let mut ready: BinaryHeap<_> = free.map(Reverse).collect();
        let mut order = Vec::with_capacity(self.names.len());
        while let Some(Reverse(node)) = ready.pop() {
            order.push(node);
            for next in &self.successors[node] {
                waiting[*next] -= 1;
                if waiting[*next] == 0 {
                    ready.push(Reverse(*next));
                }
            }
        }
        if order.len() == self.names.len() { Ok(order) } else { Err(self.cycle_among(&waiting)) }
    }

    fn predecessor_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.names.len()];
        for next in self.successors.iter().flatten() {
            counts[*next] += 1;
        }
        counts
    }

    /// Every node that still waits has a predecessor that still waits, so walking back must meet itself.
    fn cycle_among(&self, waiting: &[usize]) -> Cycle {
        let mut before = vec![usize::MAX; self.names.len()];
        for node in (0..self.names.len()).filter(|node| waiting[*node] > 0) {
            for next in &self.successors[node] {
                before[*next] = before[*next].min(node);
            }
        }
        let Some(mut at) = waiting.iter().position(|count| *count > 0) else {
            return Cycle { path: Vec::new() };
        };
        let mut met = vec![false; self.names.len()];
        while !met[at] {
            met[at] = true;
            at = before[at];
        }
        self.walk_back(at, &before)
    }

    fn walk_back(&self, start: usize, before: &[usize]) -> Cycle {
        let mut path = vec![self.names[start].clone()];
        let mut at = before[start];
        while at != start {
            path.push(self.names[at].clone());
            at = before[at];
        }
        path.push(self.names[start].clone());
        path.reverse();
        if path.len() > 2 {
            // The two ends of a stage bear one name.
            path.dedup();
        }
        Cycle { path }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph(count: usize, edges: &[(usize, usize)]) -> Digraph {
        let mut graph = Digraph::default();
        for node in 0..count {
            graph.add(node.to_string());
        }
        for (from, to) in edges {
            graph.link(*from, *to);
        }
        graph
    }

    #[test]
    fn a_cycle_is_told_in_its_direction() {
        let cycle = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)]).order().unwrap_err();
        assert_eq!(cycle.to_string(), "1 -> 2 -> 3 -> 1");
        assert_eq!(graph(1, &[(0, 0)]).order().unwrap_err().to_string(), "0 -> 0");
    }

    proptest! {
        #[test]
        fn the_order_respects_every_edge_or_a_real_cycle_is_shown(
            edges in proptest::collection::vec((0usize..9, 0usize..9), 0..16),
        ) {
            let graph = graph(9, &edges);
            match graph.order() {
                Ok(order) => {
                    let place = |node| order.iter().position(|n| *n == node);
                    prop_assert_eq!(order.len(), 9);
                    for (from, to) in edges {
                        prop_assert!(place(from) < place(to));
                    }
                }
                Err(Cycle { path }) => {
                    prop_assert_eq!(path.first(), path.last());
                    for pair in path.windows(2) {
                        let edge = (pair[0].parse().unwrap(), pair[1].parse().unwrap());
                        prop_assert!(edges.contains(&edge), "{:?} is no edge", edge);
                    }
                }
            }
        }
    }
}
