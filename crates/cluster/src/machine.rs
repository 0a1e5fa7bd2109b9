//! Machines that are described, not assumed: nodes with their devices and memory, and the links between them.

mod read;

use onceflow_runtime::Crew;

/// A machine of one or many nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Its nodes, kind by kind.
    pub nodes: Vec<NodeKind>,
    /// What connects nodes.
    pub network: Network,
    /// Where images are read from.
    pub files: SharedFiles,
    /// Bytes per second between the memories of a node and of one of its GPUs, each way.
    pub gpu_link: f64,
    /// Bytes per second to what takes outputs that memory has no room for, one for each node.
    pub disk: f64,
}

/// Nodes that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeKind {
    /// How many of them.
    pub count: usize,
    /// Cores that run tasks.
    pub cpus: usize,
    /// Graphics cards that run tasks.
    pub gpus: usize,
    /// Bytes of memory for what tasks read, make and need.
    pub memory: u64,
    /// Buckets that a node asks for before it needs them.
    pub ahead: usize,
}

/// What connects nodes with the manager.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Seconds until a message arrives.
    pub latency: f64,
    /// Seconds that the manager takes for a message; it takes one after the other.
    pub service: f64,
    /// Seconds until the manager knows that a node is lost.
    pub detection: f64,
}

/// A file system that all nodes share.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedFiles {
    /// Bytes per second for all nodes together.
    pub bandwidth: f64,
    /// Bytes per second for one node.
    pub node_bandwidth: f64,
    /// Bytes of an image for each pixel.
    pub bytes_per_pixel: f64,
}

impl Machine {
    /// So many nodes alike, with links like those of a cluster of these days.
    pub fn of(nodes: NodeKind) -> Self {
        Self {
            nodes: vec![nodes],
            network: Network::default(),
            files: SharedFiles::default(),
            gpu_link: 12e9,
            disk: 500e6,
        }
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.nodes.iter().map(|kind| kind.count).sum()
    }

    /// Every node by its kind.
    pub fn each(&self) -> impl Iterator<Item = &NodeKind> {
        self.nodes.iter().flat_map(|kind| std::iter::repeat_n(kind, kind.count))
    }

    /// Workers of all nodes: cores and graphics cards.
    pub fn workers(&self) -> (usize, usize) {
        let sum = |of: fn(&NodeKind) -> usize| self.nodes.iter().map(|kind| kind.count * of(kind)).sum();
        (sum(|kind| kind.cpus), sum(|kind| kind.gpus))
    }
}

impl NodeKind {
    /// One node of cores alone.
    pub fn of_cpus(cpus: usize, memory: u64) -> Self {
        Self { count: 1, cpus, gpus: 0, memory, ahead: 1 }
    }

    /// Who works there; nothing is expected of tasks.
    pub fn crew(&self) -> Crew {
        Crew { cpus: self.cpus, gpus: self.gpus, expected: Vec::new() }
    }
}

impl Default for Network {
    fn default() -> Self {
        Self { latency: 20e-6, service: 20e-6, detection: 10.0 }
    }
}

impl Default for SharedFiles {
    fn default() -> Self {
        Self { bandwidth: 20e9, node_bandwidth: 1e9, bytes_per_pixel: 3.0 }
    }
}
