//! What a study's first phase would take on another machine: the scheduler of real runs in virtual time, no pixel
//! computed.

use onceflow_cluster::{Bucket, Chance, Machine, Simulated, Simulation, simulate};
use onceflow_costs::{CostModel, EstimateOrigin};
use onceflow_reuse::{Flow, FlowTask, Level, Plan};
use onceflow_runtime::{Device, Expected, Instance, Policy, RowOutcome, TaskOrder};
use onceflow_study::Diagnostic;
use serde_json::{Value, json};

use crate::costs::device;
use crate::plan::{PhasePlan, PlanNumbers};
use crate::{EngineError, Merge, OpenStudy, Replay};

/// What is to be simulated.
#[derive(Clone, Debug)]
pub struct SimulationOptions {
    /// What makes two tasks one.
    pub level: Level,
    /// Whether equal work is done once in each bucket rather than once in the run.
    pub merge: Merge,
    /// The machine.
    pub machine: Machine,
    /// How nodes choose.
    pub policy: Policy,
    /// What is left to chance.
    pub chance: Chance,
    /// What a run of the study found: what it did not do takes no time.
    pub replay: Option<Replay>,
    /// Whether every task is kept for a trace.
    pub logged: bool,
}

/// What a study would take.
#[derive(Clone, Debug)]
pub struct SimulatedStudy {
    /// Name of the phase.
    pub phase: String,
    /// Its rows, the reference row included where it is the first phase.
    pub rows: usize,
    /// Parts of all images.
    pub parts: usize,
    /// Rows at parts that fail.
    pub failed: u64,
    /// Tasks that are asked for.
    pub asked: u64,
    /// The names of tasks, in the order of the flow.
    pub tasks: Vec<String>,
    /// Operations whose costs were measured, and those whose declared costs count.
    pub costs: (usize, usize),
    /// What would happen.
    pub simulated: Simulated,
    /// The numbers of its rows in the table of a run.
    pub(crate) numbers: PlanNumbers,
}

/// Buckets for each node that there should be, so that the last ones are small beside the whole.
const BUCKETS_PER_NODE: usize = 8;
/// How often a simulated task that failed is tried again.
const RETRIES: u32 = 2;

impl OpenStudy {
    /// Simulates the phase at a place. Where there are few parts, the rows of a part become several buckets, each of rows that
    /// share most; what they would share across buckets is done in each.
    ///
    /// # Errors
    /// When it cannot be planned, or not be run within the memory of a node.
    pub fn simulate(&self, place: usize, options: &SimulationOptions) -> Result<SimulatedStudy, EngineError> {
        let PhasePlan { phase, plan, numbers, .. } =
            self.grouped_plan(place, options.level, &options.merge)?;
        let layout = self.inputs.layout();
        let costs = DeviceCosts::new(self, plan.flow(), options.level);
        let seconds = |task: usize, device: Device, pixels: u64| costs.seconds(task, device, pixels);
        let pixels =
            layout.parts.iter().map(|part| part.pixels).sum::<u64>() / layout.parts.len().max(1) as u64;
        let expected = expected(&plan, &options.machine, pixels.max(1), &seconds);
        let share = |plan: &Plan, instance: Instance| match &options.replay {
            Some(replay) => {
                let task = &plan.flow().tasks[plan.task_of(instance.node)].name;
                let row = numbers.of(plan.first_row(instance.node) as usize);
                replay.share(task, row as u64, instance.site as u64)
            }
            None => 1.0,
        };
        let simulation = Simulation {
            share: &share,
            policy: options.policy,
            expected: &expected,
            chance: options.chance,
            retries: RETRIES,
            logged: options.logged,
            ..Simulation::new(&options.machine, &seconds)
        };
        let mut failed = 0;
        let buckets = buckets(&plan, layout.parts.len(), options.machine.node_count());
        let simulated = simulate(&plan, &layout, buckets, &simulation, &mut |_, _, outcome| {
            failed += u64::from(matches!(outcome, RowOutcome::Failed { .. }));
        })?;
        let asked = plan.account().times(plan.flow(), self.multiplicity()).total().asked;
        Ok(SimulatedStudy {
            phase,
            rows: plan.rows(),
            parts: layout.parts.len(),
            failed,
            asked,
            tasks: plan.flow().tasks.iter().map(|task| task.name.clone()).collect(),
            costs: costs.origin(),
            simulated,
            numbers,
        })
    }
}

impl SimulatedStudy {
    /// The schedules of phases that follow each other, in the form that chrome://tracing and Perfetto open: a process for each node, times in microseconds.
    pub fn traces(phases: &[Self]) -> Value {
        let mut events = Vec::new();
        let mut start = 0.0;
        for phase in phases {
            events.extend(phase.events(start));
            start += phase.simulated.makespan;
        }
        json!({ "displayTimeUnit": "ms", "traceEvents": events })
    }

    fn events(&self, start: f64) -> impl Iterator<Item = Value> {
        let micros = |seconds: f64| (seconds * 1e6).round();
        self.simulated.log.iter().map(move |task| {
            json!({
                "name": self.tasks[task.task], "cat": task.device.word(), "ph": "X",
                "ts": micros(start + task.start), "dur": micros(task.seconds), "pid": task.node, "tid": task.worker,
                "args": { "row": self.numbers.of(task.row as usize), "site": task.instance.site, "cause": task.cause.words() },
            })
        })
    }
}

/// What tasks cost on the devices of a machine, in the order of the flow: the operations of each, of which most have one.
struct DeviceCosts {
    cpu: Vec<Vec<CostModel>>,
    /// Only what was measured on a graphics card is known to run there.
    gpu: Vec<Option<Vec<CostModel>>>,
}

impl DeviceCosts {
    /// Records may call a core `cpu`, or as the machine that measured them calls itself; this machine's own come first.
    fn new(study: &OpenStudy, flow: &Flow, level: Level) -> Self {
        let devices = study.costs.devices();
        let named = |word: &str| devices.get(word).copied();
        let cpus = || devices.iter().find(|name| name.starts_with("cpu ")).copied();
        let cpu = named(Device::Cpu.word()).or_else(|| named(device())).or_else(cpus).unwrap_or(device());
        let gpu = devices.iter().find(|name| name.starts_with(Device::Gpu.word())).copied();
        let model = |device: &str| {
            let device = device.to_owned();
            flow.tasks.iter().map(move |task| {
                let model = |part: &FlowTask| study.model(&part.spec, &device, level);
                task.parts().into_iter().map(model).collect::<Vec<_>>()
            })
        };
        let gpu = gpu.unwrap_or(Device::Gpu.word());
        Self {
            cpu: model(cpu).collect(),
            gpu: model(gpu).map(|model| are_measured(&model).then_some(model)).collect(),
        }
    }

    fn seconds(&self, task: usize, device: Device, pixels: u64) -> Option<f64> {
        let model = match device {
            Device::Cpu => Some(&self.cpu[task]),
            Device::Gpu => self.gpu[task].as_ref(),
        };
        model.map(|models| models.iter().map(|model| model.seconds(pixels).seconds).sum())
    }

    /// How many tasks have costs that were measured, and how many have not.
    fn origin(&self) -> (usize, usize) {
        let measured = self.cpu.iter().filter(|models| are_measured(models)).count();
        (measured, self.cpu.len() - measured)
    }
}

fn are_measured(models: &[CostModel]) -> bool {
    models.iter().all(|model| matches!(model.seconds(1).origin, EstimateOrigin::Measured { .. }))
}

/// What schedulers expect of tasks on a part of average size.
fn expected(
    plan: &Plan,
    machine: &Machine,
    pixels: u64,
    seconds: &dyn Fn(usize, Device, u64) -> Option<f64>,
) -> Vec<Expected> {
    let of = |task: usize| {
        let (cpu, gpu) =
            (seconds(task, Device::Cpu, pixels).unwrap_or(0.0), seconds(task, Device::Gpu, pixels));
        let spec = &plan.flow().tasks[task].spec;
        let copies = f64::from(spec.output_bytes_per_pixel) * pixels as f64 / machine.gpu_link;
        Expected {
            speedup: gpu.filter(|gpu| *gpu > 0.0).map(|gpu| cpu / gpu),
            transfer_share: gpu.map_or(0.0, |gpu| copies / (copies + gpu)),
            seconds_per_pixel: cpu / pixels as f64,
        }
    };
    (0..plan.flow().tasks.len()).map(of).collect()
}

/// A bucket for each part; where these are too few for the nodes, some for each part.
fn buckets(plan: &Plan, parts: usize, nodes: usize) -> Vec<Bucket> {
    let wanted = if nodes == 1 { 1 } else { (BUCKETS_PER_NODE * nodes).div_ceil(parts.max(1)) };
    let size = plan.rows().div_ceil(wanted.clamp(1, plan.rows().max(1))).max(1);
    let whole = size >= plan.rows();
    let groups: Vec<Option<Vec<usize>>> = if whole {
        vec![None]
    } else {
        plan.order().chunks(size).map(|rows| Some(rows.iter().map(|row| *row as usize).collect())).collect()
    };
    let of_part =
        |part: usize| groups.iter().cloned().map(move |rows| Bucket { part, rows, after: Vec::new() });
    (0..parts).flat_map(of_part).collect()
}

/// Refuses policies of machines with GPUs, which threads cannot follow.
pub(crate) fn check_threads_policy(policy: &Policy) -> Result<(), EngineError> {
    if policy.order != TaskOrder::Speedup && !policy.locality && !policy.prefetch {
        return Ok(());
    }
    Err(Diagnostic::error(format!("policy `{policy}` needs a machine with GPUs"))
        .expected_found("reservation, fcfs or rmsr:K", policy.to_string())
        .with_hint("add --executor simulated --machine FILE to simulate such a machine")
        .into())
}
