//! Who works at a node, as far as the scheduler must know: devices by kind, and what tasks gain on them.

/// What a worker computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Device {
    /// A core of a processor.
    Cpu,
    /// A graphics card with memory of its own.
    Gpu,
}

/// The device of one worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorkerDevice {
    /// Its kind.
    pub kind: Device,
    /// Its number among the devices of its kind at this node.
    pub number: usize,
}

/// The workers of a node: first the CPUs, then the GPUs.
#[derive(Clone, Debug, PartialEq)]
pub struct Crew {
    /// Cores that run tasks.
    pub cpus: usize,
    /// Graphics cards that run tasks.
    pub gpus: usize,
    /// What is expected of each task; where nothing is said, no task runs on a GPU.
    pub expected: Vec<Expected>,
}

/// What is expected of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// Times faster on a GPU than on a CPU; none where it has no form for GPUs.
    pub speedup: Option<f64>,
    /// The share of its time on a GPU that copying what it reads takes.
    pub transfer_share: f64,
    /// Seconds for each pixel on a CPU.
    pub seconds_per_pixel: f64,
}

impl Device {
    /// Its name, as records of costs have it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        }
    }
}

impl Crew {
    /// So many cores, and nothing expected.
    pub fn of_cpus(cpus: usize) -> Self {
        Self { cpus, gpus: 0, expected: Vec::new() }
    }

    /// How many workers there are.
    pub fn len(&self) -> usize {
        self.cpus + self.gpus
    }

    /// Whether there are no workers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a worker computes with.
    pub fn device(&self, worker: u32) -> Device {
        if (worker as usize) < self.cpus { Device::Cpu } else { Device::Gpu }
    }

    /// The device of a worker.
    pub fn worker_device(&self, worker: u32) -> WorkerDevice {
        let (kind, worker) = (self.device(worker), worker as usize);
        WorkerDevice { kind, number: worker.checked_sub(self.cpus).unwrap_or(worker) }
    }

    /// What is expected of a task.
    pub fn expects(&self, task: usize) -> Expected {
        self.expected.get(task).copied().unwrap_or_default()
    }
}

/// The first core.
impl Default for WorkerDevice {
    fn default() -> Self {
        Self { kind: Device::Cpu, number: 0 }
    }
}
