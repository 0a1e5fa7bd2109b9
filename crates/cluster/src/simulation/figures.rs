//! What a simulation gives.

use onceflow_runtime::{Cause, Device, Instance};

/// What would happen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Simulated {
    /// Seconds until the last bucket is done.
    pub makespan: f64,
    /// Each node.
    pub nodes: Vec<NodeFigures>,
    /// Every task in the order in which they began at their nodes, where they were to be kept.
    pub log: Vec<SimulatedTask>,
    /// Buckets.
    pub buckets: usize,
    /// How often a bucket was handed out again because its node was lost.
    pub reissued: usize,
}

/// What a node did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeFigures {
    /// Its cores and graphics cards.
    pub workers: (usize, usize),
    /// Seconds that its cores computed, all together.
    pub cpu_seconds: f64,
    /// Seconds that its graphics cards computed, all together.
    pub gpu_seconds: f64,
    /// Tasks that it ran.
    pub tasks: u64,
    /// Of these, how many on graphics cards, by task of the flow.
    pub on_gpus: Vec<u64>,
    /// How many it ran on cores, by task of the flow.
    pub on_cpus: Vec<u64>,
    /// Of its tasks, how many were tried again.
    pub retried: u64,
    /// Tasks that were run again because their outputs had been let go to make room.
    pub recomputed: u64,
    /// Buckets that it was given.
    pub buckets: u64,
    /// Most bytes that were reserved at once.
    pub peak: u64,
    /// What moved between its memories.
    pub transfers: Transfers,
    /// Outputs that went to disk.
    pub spilled: u64,
    /// Whether it was lost.
    pub lost: bool,
}

/// What moved between the memories of nodes and graphics cards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Transfers {
    /// Bytes to graphics cards.
    pub uploaded: f64,
    /// Bytes from them.
    pub downloaded: f64,
    /// Seconds of both.
    pub seconds: f64,
}

/// A task that ran.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulatedTask {
    /// Its node in the plan, and its part, image or the study.
    pub instance: Instance,
    /// Its task.
    pub task: usize,
    /// The first row that asked for it.
    pub row: u32,
    /// The node of the machine.
    pub node: usize,
    /// The worker of that node: first cores, then graphics cards.
    pub worker: u32,
    /// What the worker is.
    pub device: Device,
    /// When it began to compute.
    pub start: f64,
    /// Seconds it computed.
    pub seconds: f64,
    /// Why it was its turn.
    pub cause: Cause,
}

impl Simulated {
    pub(super) fn new(
        makespan: f64,
        nodes: Vec<NodeFigures>,
        logs: Vec<Vec<SimulatedTask>>,
        reissued: usize,
        buckets: usize,
    ) -> Self {
        Self { makespan, nodes, log: logs.into_iter().flatten().collect(), buckets, reissued }
    }

    /// Tasks that ran.
    pub fn tasks(&self) -> u64 {
        self.nodes.iter().map(|node| node.tasks).sum()
    }

    /// The share of the makespan that cores and graphics cards computed, all nodes together; none where there are none.
    pub fn busy(&self) -> (Option<f64>, Option<f64>) {
        let share = |seconds: fn(&NodeFigures) -> f64, workers: fn(&NodeFigures) -> usize| {
            let all = self.nodes.iter().map(workers).sum::<usize>() as f64 * self.makespan;
            (all > 0.0).then(|| self.nodes.iter().map(seconds).sum::<f64>() / all)
        };
        (share(|node| node.cpu_seconds, |n| n.workers.0), share(|node| node.gpu_seconds, |n| n.workers.1))
    }

    /// Most bytes that were reserved at once at any node.
    pub fn peak(&self) -> u64 {
        self.nodes.iter().map(|node| node.peak).max().unwrap_or(0)
    }

    /// What moved, all nodes together.
    pub fn transfers(&self) -> Transfers {
        let add = |sum: Transfers, node: &NodeFigures| Transfers {
            uploaded: sum.uploaded + node.transfers.uploaded,
            downloaded: sum.downloaded + node.transfers.downloaded,
            seconds: sum.seconds + node.transfers.seconds,
        };
        self.nodes.iter().fold(Transfers::default(), add)
    }
}
