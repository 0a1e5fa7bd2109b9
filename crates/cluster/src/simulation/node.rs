//! One node: the scheduler as everywhere, what it holds, and how long things take there.

use std::collections::BTreeMap;

use onceflow_region::Budget;
use onceflow_reuse::{NodeId, NodeInput, Plan};
use onceflow_runtime::{
    Cause, Crew, Device, Event, Instance, Instruction, PartLayout, RowOutcome, Scheduler, SchedulerError,
    TaskOutcome,
};
use onceflow_study::Scope;

use super::Simulation;
use super::clock::{Happening, VirtualClock};
use super::data::{DataItem, Memories};
use super::figures::{NodeFigures, SimulatedTask};
use crate::{Bucket, BucketId, NodeKind};

/// A node of the machine.
pub(super) struct SimulatedNode<'p> {
    scheduler: Scheduler<'p>,
    budget: Budget,
    memories: Memories,
    ahead: usize,
    disk: f64,
    /// Buckets that were asked for and are not there.
    asked: usize,
    /// What each part of the scheduler is: the bucket, and the part of the study.
    parts: Vec<(BucketId, usize)>,
    held: BTreeMap<BucketId, HeldBucket>,
    done: Vec<BucketId>,
    figures: NodeFigures,
    log: Vec<SimulatedTask>,
    crew: Crew,
}

/// A bucket at work.
#[derive(Debug)]
struct HeldBucket {
    /// Rows that are not through.
    left: usize,
    rows: Vec<(usize, usize, RowOutcome)>,
}

impl<'p> SimulatedNode<'p> {
    pub(super) fn new(
        plan: &'p mut Plan,
        layout: &PartLayout,
        kind: &NodeKind,
        simulation: &Simulation<'_>,
    ) -> Result<Self, SchedulerError> {
        let tasks = plan.flow().tasks.len();
        let crew = Crew { expected: simulation.expected.to_vec(), ..kind.crew() };
        let budget = Budget::new(kind.memory);
        let empty = PartLayout { images: layout.images.clone(), parts: Vec::new() };
        let scheduler = Scheduler::new(plan, &empty, crew.len(), budget.clone())?;
        let scheduler =
            scheduler.with_crew(crew.clone()).following(simulation.policy).retrying(simulation.retries);
        let scheduler = if simulation.spilling { scheduler.spilling() } else { scheduler };
        let scheduler =
            if simulation.recompute { scheduler.recompute(simulation.machine.disk) } else { scheduler };
        let figures = NodeFigures {
            workers: (kind.cpus, kind.gpus),
            on_gpus: vec![0; tasks],
            on_cpus: vec![0; tasks],
            ..NodeFigures::default()
        };
        Ok(Self {
            scheduler: scheduler.growing(),
            budget,
            memories: Memories::new(simulation.policy, simulation.machine.gpu_link, kind.gpus),
            ahead: kind.ahead,
            disk: simulation.machine.disk,
            asked: 0,
            parts: Vec::new(),
            held: BTreeMap::new(),
            done: Vec::new(),
            figures,
            log: Vec::new(),
            crew,
        })
    }

    /// A bucket is there, with its image.
    pub(super) fn arrives(
        &mut self,
        id: BucketId,
        bucket: &Bucket,
        layout: &PartLayout,
    ) -> Result<(), SchedulerError> {
        if self.figures.lost {
            return Ok(());
        }
        self.asked -= 1;
        self.figures.buckets += 1;
        let all = self.scheduler.plan().rows();
        let rows = bucket.rows.as_ref().map(|rows| {
            let mut asked = vec![false; all];
            rows.iter().filter(|row| **row < all).for_each(|row| asked[*row] = true);
            asked
        });
        let left = rows.as_ref().map_or(all, |rows| rows.iter().filter(|asked| **asked).count());
        let part = layout.parts[bucket.part];
        self.scheduler.grow(part, |row| rows.as_ref().is_none_or(|rows| rows[row]))?;
        self.parts.push((id, bucket.part));
        self.held.insert(id, HeldBucket { left, rows: Vec::new() });
        if left == 0 {
            self.done.push(id);
        }
        Ok(())
    }

    /// Something that ran or moved here is over; what a lost node would have done is not.
    pub(super) fn event(&mut self, event: Event) {
        if !self.figures.lost {
            self.scheduler.handle(event);
        }
    }

    pub(super) fn lose(&mut self) {
        self.figures.lost = true;
    }

    /// Starts all that can be started now.
    pub(super) fn go_on(
        &mut self,
        now: f64,
        number: usize,
        layout: &PartLayout,
        simulation: &Simulation<'_>,
        clock: &mut VirtualClock,
    ) -> Result<(), SchedulerError> {
        if self.figures.lost {
            return Ok(());
        }
        while let Some(instruction) = self.scheduler.next()? {
            let moves = |event: Event, seconds: f64, clock: &mut VirtualClock| {
                clock.at(now + seconds, Happening::Event { node: number, event });
            };
            match instruction {
                Instruction::Run { instance, worker, attempt, cause } => {
                    let (end, event) =
                        self.run(now, (number, worker), instance, (attempt, cause), layout, simulation);
                    clock.at(end, Happening::Event { node: number, event });
                }
                Instruction::Spill(instance) | Instruction::Restore(instance) => {
                    self.figures.spilled += u64::from(matches!(instruction, Instruction::Spill(_)));
                    let seconds = self.bytes(instance, layout) / self.disk;
                    moves(Event::Moved { instance, moved: true }, seconds, clock);
                }
                Instruction::Release(instance) => self.memories.forget(instance),
                Instruction::Drop(_) | Instruction::Same { .. } => {}
                Instruction::Row { row, part, outcome, .. } => self.row(row, part, outcome),
            }
        }
        Ok(())
    }

    /// What is left to say when nothing runs any more.
    pub(super) fn drain(&mut self) -> Result<(), SchedulerError> {
        while !self.figures.lost && self.scheduler.next()?.is_some() {}
        Ok(())
    }

    /// Buckets whose rows are all through.
    pub(super) fn take_done(&mut self) -> Vec<BucketId> {
        std::mem::take(&mut self.done)
    }

    /// The rows of a bucket that is taken from here.
    pub(super) fn take_rows(&mut self, bucket: BucketId) -> Vec<(usize, usize, RowOutcome)> {
        self.held.remove(&bucket).map_or_else(Vec::new, |held| held.rows)
    }

    /// How many more buckets it asks for now.
    pub(super) fn asks(&mut self) -> usize {
        if self.figures.lost {
            return 0;
        }
        let wants = self.scheduler.appetite() + self.ahead;
        let more = wants.saturating_sub(self.scheduler.unopened() + self.asked);
        self.asked += more;
        more
    }

    pub(super) fn finish(mut self) -> (NodeFigures, Vec<SimulatedTask>) {
        self.figures.peak = self.budget.peak();
        self.figures.transfers = self.memories.transfers;
        (self.figures, self.log)
    }

    /// Starts an instance; gives when it is over, and how.
    fn run(
        &mut self,
        now: f64,
        (number, worker): (usize, u32),
        instance: Instance,
        (attempt, cause): (u32, Cause),
        layout: &PartLayout,
        simulation: &Simulation<'_>,
    ) -> (f64, Event) {
        let plan = self.scheduler.plan();
        let (task, row) = (plan.task_of(instance.node), plan.first_row(instance.node));
        let abroad = self.abroad(instance);
        let device = self.crew.device(worker);
        let pixels = layout.pixels(plan.flow().scope(task), abroad.site);
        let key = [task as u64, identity(plan, instance.node), abroad.site as u64];
        let failure = simulation.chance.failure(key, attempt);
        let outcome = failure.map_or_else(
            || (simulation.outcome)(plan, abroad),
            |(message, transient)| TaskOutcome::Failed { message: message.into(), transient },
        );
        let share = (simulation.share)(plan, abroad) * simulation.chance.factor(key);
        let seconds = (simulation.seconds)(task, device, pixels).unwrap_or(0.0) * share;
        let reads = self.reads(instance, layout, simulation);
        let made = (instance, self.bytes(instance, layout));
        let times = match device {
            Device::Cpu => self.memories.on_cpu(now, instance, &reads, seconds),
            Device::Gpu => self.memories.on_gpu(now, worker as usize - self.crew.cpus, made, &reads, seconds),
        };
        self.note(task, device, seconds, attempt, cause);
        if simulation.logged {
            let start = times.start;
            let done = SimulatedTask {
                instance: abroad,
                task,
                row,
                node: number,
                worker,
                device,
                start,
                seconds,
                cause,
            };
            self.log.push(done);
        }
        (times.end, Event::Finished { instance, outcome })
    }

    fn note(&mut self, task: usize, device: Device, seconds: f64, attempt: u32, cause: Cause) {
        let figures = &mut self.figures;
        figures.tasks += 1;
        figures.retried += u64::from(attempt > 0);
        figures.recomputed += u64::from(cause == Cause::MadeAgain);
        match device {
            Device::Cpu => {
                figures.cpu_seconds += seconds;
                figures.on_cpus[task] += 1;
            }
            Device::Gpu => {
                figures.gpu_seconds += seconds;
                figures.on_gpus[task] += 1;
            }
        }
    }

    /// What an instance reads, with bytes; only where there are several memories does it matter.
    fn reads(
        &self,
        instance: Instance,
        layout: &PartLayout,
        simulation: &Simulation<'_>,
    ) -> Vec<(DataItem, f64)> {
        if self.crew.gpus == 0 {
            return Vec::new();
        }
        let plan = self.scheduler.plan();
        let scope = |node: NodeId| plan.flow().scope(plan.task_of(node));
        let own = scope(instance.node);
        let mut reads: Vec<(DataItem, f64)> = Vec::new();
        for input in plan.inputs_of(instance.node) {
            let read = match input {
                NodeInput::Empty { .. } => continue,
                NodeInput::Source(source) => {
                    let pixels = layout.pixels(own, self.abroad(instance).site) as f64;
                    let bytes = pixels * simulation.machine.files.bytes_per_pixel;
                    (DataItem::Source { source, site: instance.site }, bytes)
                }
                NodeInput::Node { node, .. } => {
                    let site = match (own, scope(node)) {
                        (own, other) if own == other => instance.site,
                        (Scope::Part, Scope::Image) => layout.parts[self.parts[instance.site].1].image,
                        _ => 0,
                    };
                    let made = Instance { node, site };
                    (DataItem::Made(made), self.bytes(made, layout))
                }
            };
            if reads.iter().all(|(item, _)| *item != read.0) {
                reads.push(read);
            }
        }
        reads
    }

    /// Bytes of what an instance makes.
    fn bytes(&self, instance: Instance, layout: &PartLayout) -> f64 {
        let plan = self.scheduler.plan();
        let task = plan.task_of(instance.node);
        let pixels = layout.pixels(plan.flow().scope(task), self.abroad(instance).site);
        f64::from(plan.flow().tasks[task].spec.output_bytes_per_pixel) * pixels as f64
    }

    /// The instance as the study counts its parts.
    fn abroad(&self, instance: Instance) -> Instance {
        let plan = self.scheduler.plan();
        let part = plan.flow().scope(plan.task_of(instance.node)) == Scope::Part;
        let site = if part { self.parts[instance.site].1 } else { instance.site };
        Instance { site, ..instance }
    }

    fn row(&mut self, row: usize, part: usize, outcome: RowOutcome) {
        let (bucket, part) = self.parts[part];
        if let Some(held) = self.held.get_mut(&bucket) {
            held.rows.push((row, part, outcome));
            held.left -= 1;
            if held.left == 0 {
                self.done.push(bucket);
            }
        }
    }
}

/// What a node is, at whatever machine's node. Numbers of nodes that came by diversion are given as they come, so those
/// are known by their keys.
fn identity(plan: &Plan, node: NodeId) -> u64 {
    if (node.0 as usize) < plan.planned() {
        return u64::from(node.0);
    }
    let key = plan.key(node, &|source, _| [source as u8; 32]);
    key.0.iter().fold(1, |sum: u64, byte| sum.wrapping_mul(257).wrapping_add(u64::from(*byte)))
}
