//! The executor of virtual time: many nodes, each with the scheduler that real runs have, above them the manager; only
//! the clock and the work are made up.
//!
//! What a task takes comes from costs, with noise that hangs on the seed and on the task, never on who asks first. So the
//! same simulation gives the same figures everywhere.

mod chance;
mod clock;
mod data;
mod figures;
mod node;

use onceflow_reuse::Plan;
use onceflow_runtime::{
    Device, Event, Expected, Instance, PartLayout, Policy, RowOutcome, SchedulerError, TaskOutcome,
};

use self::clock::{Happening, VirtualClock};
use self::node::SimulatedNode;
use crate::{Bucket, BucketId, Directive, Machine, Manager, Notice};

pub use chance::Chance;
pub use figures::{NodeFigures, Simulated, SimulatedTask, Transfers};

/// What is simulated.
#[derive(Clone, Copy)]
pub struct Simulation<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// How each node chooses.
    pub policy: Policy,
    /// Seconds that a task takes on a device for so many pixels; none where it cannot run there.
    pub seconds: &'a dyn Fn(usize, Device, u64) -> Option<f64>,
    /// The share of these seconds that an instance takes: none where a run found it to be equal to another.
    pub share: &'a dyn Fn(&Plan, Instance) -> f64,
    /// What schedulers expect of each task, which need not be what happens.
    pub expected: &'a [Expected],
    /// What is left to chance.
    pub chance: Chance,
    /// How often a task that failed for a reason that may pass is tried again.
    pub retries: u32,
    /// Whether outputs may leave memory for the disk of a node.
    pub spilling: bool,
    /// Whether outputs that must leave are made again where that is expected to be cheaper.
    pub recompute: bool,
    /// How a task goes that does not fail by chance, by its node in the plan at a part, an image or the study.
    pub outcome: &'a dyn Fn(&Plan, Instance) -> TaskOutcome,
    /// Buckets that come when one is done.
    pub grows: &'a dyn Fn(BucketId, &Bucket) -> Vec<Bucket>,
    /// Whether every task is kept for a trace.
    pub logged: bool,
}

impl<'a> Simulation<'a> {
    /// Everything goes well, nothing is left to chance, and nothing is expected.
    pub fn new(machine: &'a Machine, seconds: &'a dyn Fn(usize, Device, u64) -> Option<f64>) -> Self {
        Self {
            machine,
            policy: Policy::default(),
            seconds,
            share: &|_, _| 1.0,
            expected: &[],
            chance: Chance::default(),
            retries: 0,
            spilling: true,
            recompute: false,
            outcome: &|_, _| TaskOutcome::Done,
            grows: &|_, _| Vec::new(),
            logged: false,
        }
    }
}

/// Why a simulation gave no figures.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulationError {
    /// The scheduler of a node refused, or could not go on.
    #[error(transparent)]
    Scheduler(#[from] SchedulerError),
    /// The simulated run came to a halt with work left.
    #[error("internal error: {left} of {all} buckets were never done; please report this")]
    Halted {
        /// Buckets that are not done.
        left: usize,
        /// All of them.
        all: usize,
    },
}

/// Simulates a plan at the parts of a layout, handed out in buckets; `told` hears of each row at each part once.
///
/// # Errors
/// When the plan cannot be scheduled within the memory of a node.
pub fn simulate(
    plan: &Plan,
    layout: &PartLayout,
    buckets: impl IntoIterator<Item = Bucket>,
    simulation: &Simulation<'_>,
    told: &mut dyn FnMut(usize, usize, &RowOutcome),
) -> Result<Simulated, SimulationError> {
    let mut plans: Vec<Plan> = vec![plan.clone(); simulation.machine.node_count()];
    let kinds = simulation.machine.each();
    let nodes =
        plans.iter_mut().zip(kinds).map(|(plan, kind)| SimulatedNode::new(plan, layout, kind, simulation));
    let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
    let manager = Manager::new(buckets);
    let mut run = SimulationRun {
        layout,
        simulation,
        nodes,
        manager,
        clock: VirtualClock::default(),
        manager_free: 0.0,
        files_free: 0.0,
        told,
        last: 0.0,
    };
    run.begin()?;
    while let Some((now, happening)) = run.clock.next() {
        run.happens(now, happening)?;
    }
    run.end()
}

struct SimulationRun<'a, 'p> {
    layout: &'a PartLayout,
    simulation: &'a Simulation<'a>,
    nodes: Vec<SimulatedNode<'p>>,
    manager: Manager,
    clock: VirtualClock,
    /// When the manager and the file system are free for the next who wants something.
    manager_free: f64,
    files_free: f64,
    told: &'a mut dyn FnMut(usize, usize, &RowOutcome),
    /// When the last bucket was done.
    last: f64,
}

impl SimulationRun<'_, '_> {
    fn begin(&mut self) -> Result<(), SimulationError> {
        (0..self.nodes.len()).for_each(|node| self.manager.handle(&Notice::Joins { node }));
        for node in 0..self.nodes.len() {
            if let Some(when) = self.simulation.chance.loss(node) {
                self.clock.at(when, Happening::Fails { node });
            }
            self.go_on(0.0, node)?;
        }
        Ok(())
    }

    fn happens(&mut self, now: f64, happening: Happening) -> Result<(), SimulationError> {
        match happening {
            Happening::Message(notice) => self.manage(now, &notice),
            Happening::Arrives { node, bucket } => {
                let Some(content) = self.manager.bucket(bucket) else { return Ok(()) };
                self.nodes[node].arrives(bucket, content, self.layout)?;
                self.go_on(now, node)?;
            }
            Happening::Event { node, event } => {
                self.nodes[node].event(event);
                self.go_on(now, node)?;
            }
            Happening::Fails { node } if !self.manager.is_finished() => {
                self.nodes[node].lose();
                let noticed = now + self.simulation.machine.network.detection;
                self.clock.at(noticed, Happening::Message(Notice::Lost { node }));
            }
            Happening::Fails { .. } => {}
        }
        Ok(())
    }

    /// A message reaches the manager, which takes one after the other.
    fn manage(&mut self, now: f64, notice: &Notice) {
        let network = &self.simulation.machine.network;
        self.manager_free = self.manager_free.max(now) + network.service;
        let answered = self.manager_free + network.latency;
        self.manager.handle(notice);
        while let Some(directive) = self.manager.next() {
            match directive {
                Directive::Give { node, bucket, .. } => {
                    let there = self.read(answered, bucket);
                    self.clock.at(there, Happening::Arrives { node, bucket });
                }
                Directive::Publish { node, bucket } => self.publish(now, node, bucket),
            }
        }
    }

    /// When the image of a bucket is read: the file system serves one after the other, a node no faster than its link.
    fn read(&mut self, now: f64, bucket: BucketId) -> f64 {
        let files = &self.simulation.machine.files;
        let pixels = self.manager.bucket(bucket).map_or(0, |bucket| self.layout.parts[bucket.part].pixels);
        let bytes = pixels as f64 * files.bytes_per_pixel;
        self.files_free = self.files_free.max(now) + bytes / files.bandwidth;
        self.files_free.max(now + bytes / files.node_bandwidth)
    }

    fn publish(&mut self, now: f64, node: usize, bucket: BucketId) {
        for (row, part, outcome) in self.nodes[node].take_rows(bucket) {
            (self.told)(row, part, &outcome);
        }
        self.last = self.last.max(now);
        if let Some(content) = self.manager.bucket(bucket) {
            let grown = (self.simulation.grows)(bucket, content);
            grown.into_iter().for_each(|bucket| {
                self.manager.add(bucket);
            });
        }
    }

    /// Lets a node do all it can, and ask for more.
    fn go_on(&mut self, now: f64, node: usize) -> Result<(), SimulationError> {
        let latency = self.simulation.machine.network.latency;
        let at = &mut self.nodes[node];
        at.go_on(now, node, self.layout, self.simulation, &mut self.clock)?;
        for bucket in at.take_done() {
            self.clock.at(now + latency, Happening::Message(Notice::Done { node, bucket }));
        }
        for _ in 0..at.asks() {
            self.clock.at(now + latency, Happening::Message(Notice::Asks { node }));
        }
        Ok(())
    }

    /// Wide work is let go, and the books are closed.
    fn end(mut self) -> Result<Simulated, SimulationError> {
        if !self.manager.is_finished() {
            let all = self.manager.len();
            return Err(SimulationError::Halted { left: self.manager.unfinished(), all });
        }
        for node in &mut self.nodes {
            node.event(Event::NoMore);
            node.drain()?;
        }
        let (nodes, tasks) = self.nodes.into_iter().map(SimulatedNode::finish).unzip();
        Ok(Simulated::new(self.last, nodes, tasks, self.manager.reissued(), self.manager.len()))
    }
}
