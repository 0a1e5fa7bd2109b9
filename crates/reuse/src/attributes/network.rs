//! A flow network whose maximum flow is found by Dinic's algorithm. Capacities may grow afterwards: the flow stays valid and
//! is only augmented.

/// More than all capacities together.
pub(super) const ENDLESS: u64 = u64::MAX / 4;

/// Nodes, and edges that stand in pairs: an edge and its reverse.
#[derive(Clone, Debug, Default)]
pub(super) struct FlowNetwork {
    /// For each node the place of its first edge in `edges`; one more at the end.
    first: Vec<usize>,
    /// Edge numbers, grouped by the node they leave.
    edges: Vec<u32>,
    /// Where each edge goes.
    to: Vec<u32>,
}

/// What can still flow through each edge, and how much flows.
#[derive(Clone, Debug)]
pub(super) struct FlowState {
    left: Vec<u64>,
    flow: u64,
}

/// Edges collected before the network is laid out.
#[derive(Default)]
pub(super) struct NetworkBuilder {
    from: Vec<u32>,
    to: Vec<u32>,
    left: Vec<u64>,
}

impl NetworkBuilder {
    /// Adds an edge and gives its number.
    pub(super) fn edge(&mut self, from: usize, to: usize, capacity: u64) -> usize {
        self.from.extend([from as u32, to as u32]);
        self.to.extend([to as u32, from as u32]);
        self.left.extend([capacity, 0]);
        self.to.len() - 2
    }

    pub(super) fn finish(self, nodes: usize) -> (FlowNetwork, FlowState) {
        let mut first = vec![0; nodes + 1];
        self.from.iter().for_each(|node| first[*node as usize + 1] += 1);
        (0..nodes).for_each(|node| first[node + 1] += first[node]);
        let mut place = first.clone();
        let mut edges = vec![0; self.from.len()];
        for (edge, from) in self.from.iter().enumerate() {
            edges[place[*from as usize]] = edge as u32;
            place[*from as usize] += 1;
        }
        (FlowNetwork { first, edges, to: self.to }, FlowState { left: self.left, flow: 0 })
    }
}

impl FlowState {
    /// What flows from the start to the end.
    pub(super) fn flow(&self) -> u64 {
        self.flow
    }

    /// Lets anything pass an edge.
    pub(super) fn open(&mut self, edge: usize) {
        self.left[edge] = ENDLESS;
    }
}

/// A search through the levels of one phase.
struct FlowPhase {
    level: Vec<u32>,
    next: Vec<usize>,
    path: Vec<u32>,
}

impl FlowNetwork {
    /// A measure of the work of one search.
    pub(super) fn size(&self) -> usize {
        self.edges.len()
    }

    fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    fn leaving(&self, node: usize) -> &[u32] {
        &self.edges[self.first[node]..self.first[node + 1]]
    }

    /// Augments the flow from `start` to `end` to the greatest; false when it is endless: no cut keeps all promises.
    pub(super) fn augment(&self, state: &mut FlowState, start: usize, end: usize) -> bool {
        while let Some(mut phase) = self.levels(state, start, end) {
            while let Some(more) = self.path(state, &mut phase, start, end) {
                state.flow = state.flow.saturating_add(more);
                if state.flow >= ENDLESS / 2 {
                    return false;
                }
            }
        }
        true
    }

    /// Distances from the start; none when the end cannot be reached.
    fn levels(&self, state: &FlowState, start: usize, end: usize) -> Option<FlowPhase> {
        let mut level = vec![u32::MAX; self.nodes()];
        level[start] = 0;
        let mut queue = vec![start];
        let mut at = 0;
        while let Some(node) = queue.get(at).copied() {
            at += 1;
            for edge in self.leaving(node).iter().map(|edge| *edge as usize) {
                let to = self.to[edge] as usize;
                if state.left[edge] > 0 && level[to] == u32::MAX {
                    level[to] = level[node] + 1;
                    queue.push(to);
                }
            }
        }
        (level[end] != u32::MAX).then(|| FlowPhase { level, next: self.first.clone(), path: Vec::new() })
    }

    /// Sends what one path takes; none when the phase has no path left.
    fn path(&self, state: &mut FlowState, phase: &mut FlowPhase, start: usize, end: usize) -> Option<u64> {
        phase.path.clear();
        let mut node = start;
        while node != end {
            match self.step(state, phase, node) {
                Some(edge) => {
                    phase.path.push(edge);
                    node = self.to[edge as usize] as usize;
                }
                None => {
                    // A dead end: no other path of this phase comes here.
                    phase.level[node] = u32::MAX;
                    let edge = phase.path.pop()?;
                    node = self.to[edge as usize ^ 1] as usize;
                }
            }
        }
        let sent = phase.path.iter().map(|edge| state.left[*edge as usize]).min()?;
        for edge in phase.path.iter().map(|edge| *edge as usize) {
            state.left[edge] -= sent;
            state.left[edge ^ 1] = state.left[edge ^ 1].saturating_add(sent);
        }
        Some(sent)
    }

    /// The next edge of a node that leads one level on.
    fn step(&self, state: &FlowState, phase: &mut FlowPhase, node: usize) -> Option<u32> {
        while phase.next[node] < self.first[node + 1] {
            let edge = self.edges[phase.next[node]];
            let to = self.to[edge as usize] as usize;
            if state.left[edge as usize] > 0 && phase.level[to] == phase.level[node].wrapping_add(1) {
                return Some(edge);
            }
            phase.next[node] += 1;
        }
        None
    }

    /// The nodes from which the end can be reached: of all minimum cuts the one nearest the end.
    pub(super) fn end_side(&self, state: &FlowState, end: usize) -> Vec<bool> {
        let mut side = vec![false; self.nodes()];
        side[end] = true;
        let mut left = vec![end];
        while let Some(node) = left.pop() {
            for edge in self.leaving(node).iter().map(|edge| *edge as usize) {
                let from = self.to[edge] as usize;
                // The reverse of an edge that leaves is one that arrives.
                if state.left[edge ^ 1] > 0 && !side[from] {
                    side[from] = true;
                    left.push(from);
                }
            }
        }
        side
    }
}
