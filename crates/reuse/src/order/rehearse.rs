//! An order carried out in thought: how much memory it takes and when it is done.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::OrderGraph;
use super::postorder::postorder;

/// In which order tasks that could run are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RehearsalOrder {
    /// Those that could run first go first: level after level, as without any memory bound.
    BreadthFirst,
    /// Those that could run last go first, and only so many at once: RMSR with its active paths.
    Rmsr {
        /// Most paths from a first task to a last one that are worked on at once.
        active_paths: usize,
    },
    /// By the postorder that keeps least.
    Postorder,
}

/// What an order takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Rehearsal {
    /// Most bytes at once: outputs that are still needed, and scratch of what runs.
    pub peak: u64,
    /// When the last task is done.
    pub makespan: f64,
    /// The names of the tasks in the order in which they begin.
    pub sequence: Vec<u32>,
}

/// Carries tasks out in thought, on so many threads of one worker.
pub fn rehearse(graph: &OrderGraph, order: RehearsalOrder, threads: usize) -> Rehearsal {
    let threads = match order {
        RehearsalOrder::Rmsr { active_paths } => threads.min(active_paths),
        RehearsalOrder::BreadthFirst | RehearsalOrder::Postorder => threads,
    };
    let mut stage = RehearsedStage::new(graph, order, threads.max(1));
    stage.begin();
    while let Some(Reverse((at, task))) = stage.running.pop() {
        stage.now = f64::from_bits(at);
        stage.finish(task);
        stage.begin();
    }
    Rehearsal { peak: stage.peak, makespan: stage.now, sequence: stage.sequence }
}

/// Tasks that could run.
enum ReadyTasks {
    Queue(VecDeque<u32>),
    Stack(Vec<u32>),
    /// By their place in an order.
    Ranked(BinaryHeap<Reverse<(u32, u32)>>, Vec<u32>),
}

impl ReadyTasks {
    fn new(graph: &OrderGraph, order: RehearsalOrder) -> Self {
        match order {
            RehearsalOrder::BreadthFirst => Self::Queue(VecDeque::new()),
            RehearsalOrder::Rmsr { .. } => Self::Stack(Vec::new()),
            RehearsalOrder::Postorder => {
                let mut ranks = vec![0; graph.len()];
                for (rank, task) in postorder(graph).into_iter().enumerate() {
                    ranks[task as usize] = rank as u32;
                }
                Self::Ranked(BinaryHeap::new(), ranks)
            }
        }
    }

    fn push(&mut self, task: u32) {
        match self {
            Self::Queue(queue) => queue.push_back(task),
            Self::Stack(stack) => stack.push(task),
            Self::Ranked(heap, ranks) => heap.push(Reverse((ranks[task as usize], task))),
        }
    }

    fn pop(&mut self) -> Option<u32> {
        match self {
            Self::Queue(queue) => queue.pop_front(),
            Self::Stack(stack) => stack.pop(),
            Self::Ranked(heap, _) => heap.pop().map(|Reverse((_, task))| task),
        }
    }
}

struct RehearsedStage<'a> {
    graph: &'a OrderGraph,
    waiters: Vec<Vec<u32>>,
    /// How many tasks each still waits for, and how many still wait for its output.
    missing: Vec<usize>,
    waiting: Vec<usize>,
    ready: ReadyTasks,
    /// When running tasks end; times are not negative, so that their bits sort as they do.
    running: BinaryHeap<Reverse<(u64, u32)>>,
    free: usize,
    now: f64,
    bytes: u64,
    peak: u64,
    sequence: Vec<u32>,
}

impl<'a> RehearsedStage<'a> {
    fn new(graph: &'a OrderGraph, order: RehearsalOrder, threads: usize) -> Self {
        let mut ready = ReadyTasks::new(graph, order);
        (0..graph.len() as u32)
            .filter(|task| graph.waits[*task as usize].is_empty())
            .for_each(|task| ready.push(task));
        Self {
            graph,
            missing: graph.waits.iter().map(Vec::len).collect(),
            waiting: graph.takers(),
            waiters: graph.waiters(),
            ready,
            running: BinaryHeap::new(),
            free: threads,
            now: 0.0,
            bytes: 0,
            peak: 0,
            sequence: Vec::with_capacity(graph.len()),
        }
    }

    fn begin(&mut self) {
        while self.free > 0 {
            let Some(task) = self.ready.pop() else { return };
            let at = task as usize;
            self.free -= 1;
            self.bytes += self.graph.outputs[at] + self.graph.scratch[at];
            self.peak = self.peak.max(self.bytes);
            self.sequence.push(self.graph.names[at]);
            self.running.push(Reverse(((self.now + self.graph.costs[at].max(0.0)).to_bits(), task)));
        }
    }

    fn finish(&mut self, task: u32) {
        let at = task as usize;
        self.free += 1;
        self.bytes -= self.graph.scratch[at];
        if self.waiting[at] == 0 {
            self.bytes -= self.graph.outputs[at];
        }
        for input in &self.graph.inputs[at] {
            let input = *input as usize;
            self.waiting[input] -= 1;
            if self.waiting[input] == 0 {
                self.bytes -= self.graph.outputs[input];
            }
        }
        for waiter in std::mem::take(&mut self.waiters[at]) {
            self.missing[waiter as usize] -= 1;
            if self.missing[waiter as usize] == 0 {
                self.ready.push(waiter);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A tree: each task but the first takes from the one whose number is given.
    fn tree(parents: &[u32], outputs: &[u64]) -> OrderGraph {
        let mut graph = OrderGraph::default();
        graph.push(0, &[], None, (outputs[0], 0), 1.0);
        for (at, parent) in parents.iter().enumerate() {
            graph.push(at as u32 + 1, &[*parent], None, (outputs[at + 1], 0), 1.0);
        }
        graph
    }

    fn peak(graph: &OrderGraph, order: RehearsalOrder, threads: usize) -> u64 {
        rehearse(graph, order, threads).peak
    }

    /// Eight chains of two below one task: breadth first keeps one output of each, depth first those of one chain.
    #[test]
    fn depth_first_keeps_one_path() {
        let graph = tree(&[0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8], &[1; 17]);
        assert_eq!(
            peak(&graph, RehearsalOrder::BreadthFirst, 1),
            9,
            "eight outputs and the one that is made"
        );
        assert_eq!(peak(&graph, RehearsalOrder::Rmsr { active_paths: 1 }, 4), 3);
        assert_eq!(peak(&graph, RehearsalOrder::Postorder, 1), 3);
        let two = rehearse(&graph, RehearsalOrder::Rmsr { active_paths: 2 }, 4);
        assert_eq!((two.peak, two.makespan), (5, 9.0), "two paths at once take half the time");
    }

    #[test]
    fn the_hungriest_branch_goes_last() {
        // The first child's branch is a leaf of 1, the second's one of 9: with the second last, its parent is gone by then.
        let graph = tree(&[0, 0, 1, 2], &[5, 1, 1, 1, 9]);
        assert_eq!(rehearse(&graph, RehearsalOrder::Postorder, 1).sequence, [0, 1, 3, 2, 4]);
        assert_eq!(peak(&graph, RehearsalOrder::Postorder, 1), 10);
        assert_eq!(peak(&graph, RehearsalOrder::Rmsr { active_paths: 1 }, 1), 15);
    }

    /// The least peak of all depth-first orders and of all orders, by trying them.
    fn least(graph: &OrderGraph, depth_first: bool) -> u64 {
        fn go(graph: &OrderGraph, takers: &[Vec<u32>], order: &mut Vec<u32>, depth_first: bool) -> u64 {
            if order.len() == graph.len() {
                return sequential(graph, takers, order);
            }
            let can = |task: &u32| {
                !order.contains(task)
                    && graph.inputs[*task as usize].iter().all(|input| order.contains(input))
            };
            let mut next: Vec<u32> = (0..graph.len() as u32).filter(can).collect();
            if depth_first {
                // Below the latest task that has something left below it.
                let open = |done: &&u32| takers[**done as usize].iter().any(|taker| next.contains(taker));
                if let Some(parent) = order.iter().rev().find(open).copied() {
                    next.retain(|task| takers[parent as usize].contains(task));
                }
            }
            let mut least = u64::MAX;
            for task in next {
                order.push(task);
                least = least.min(go(graph, takers, order, depth_first));
                order.pop();
            }
            least
        }
        go(graph, &graph.waiters(), &mut Vec::new(), depth_first)
    }

    fn sequential(graph: &OrderGraph, takers: &[Vec<u32>], order: &[u32]) -> u64 {
        let mut peak = 0;
        for (at, task) in order.iter().enumerate() {
            let kept = |done: &&u32| takers[**done as usize].iter().any(|taker| !order[..at].contains(taker));
            let held: u64 = order[..at].iter().filter(kept).map(|done| graph.outputs[*done as usize]).sum();
            peak = peak.max(held + graph.outputs[*task as usize] + graph.scratch[*task as usize]);
        }
        peak
    }

    proptest! {
        #[test]
        fn no_depth_first_order_of_a_tree_keeps_less(
            choices in proptest::collection::vec(0u32..100, 1..6), outputs in proptest::collection::vec(0u64..20, 7),
        ) {
            let parents: Vec<u32> = choices.iter().zip(1..).map(|(choice, count)| choice % count).collect();
            let graph = tree(&parents, &outputs);
            prop_assert_eq!(peak(&graph, RehearsalOrder::Postorder, 1), least(&graph, true));
            prop_assert!(least(&graph, false) <= peak(&graph, RehearsalOrder::Postorder, 1));
        }

        #[test]
        fn every_task_runs_once_after_what_it_needs(
            links in proptest::collection::vec((0u32..50, 0u32..50), 1..40), threads in 1usize..5,
        ) {
            let mut graph = OrderGraph::default();
            for (at, (one, other)) in links.iter().enumerate() {
                let inputs: Vec<u32> = [one, other].iter().filter(|n| (***n as usize) < at).map(|n| **n).collect();
                graph.push(at as u32, &inputs, None, (3, 2), f64::from(one + 1));
            }
            let once = links.iter().map(|(one, _)| f64::from(one + 1)).sum::<f64>();
            for order in [RehearsalOrder::BreadthFirst, RehearsalOrder::Rmsr { active_paths: 2 }, RehearsalOrder::Postorder] {
                let done = rehearse(&graph, order, threads);
                let place = |task: u32| done.sequence.iter().position(|other| *other == task).unwrap();
                prop_assert_eq!(done.sequence.len(), links.len());
                for (task, inputs) in graph.inputs.iter().enumerate() {
                    prop_assert!(inputs.iter().all(|input| place(*input) < place(task as u32)));
                }
                prop_assert!(done.peak >= graph.largest_task() && done.peak <= 5 * links.len() as u64);
                prop_assert!(done.makespan <= once + 1e-9 && done.makespan * threads as f64 >= once - 1e-9);
            }
        }
    }
}
