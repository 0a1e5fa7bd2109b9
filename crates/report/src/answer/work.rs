//! The account of the work: requested, saved and computed.

use std::collections::BTreeMap;

use onceflow_reuse::{ChosenGrain, GrainChange, ObjectCounts};

/// The account of a run: two amounts, each of which balances.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkAccount {
    /// In tasks.
    pub tasks: Amounts,
    /// In seconds of one worker: tasks times the mean time of a task in this run.
    pub seconds: Amounts,
    /// Wall-clock seconds.
    pub wall: f64,
    /// Workers.
    pub workers: usize,
    /// Peak of reserved bytes.
    pub peak_reserved: u64,
    /// Peak of resident bytes, when the system reports it.
    pub peak_resident: Option<u64>,
    /// The memory bound, in bytes.
    pub memory: u64,
    /// Regions that were spilled to disk for lack of memory.
    pub spilled: u64,
    /// Their bytes.
    pub spilled_bytes: u64,
    /// Tasks that were recomputed, because that took less time than a spill.
    pub recomputed: u64,
    /// Objects of tasks that work object by object, by task, and how many of them were known.
    pub objects: BTreeMap<String, ObjectCounts>,
    /// Seconds of workers spent on digests of results.
    pub digesting: f64,
    /// Split and fused tasks, phase by phase.
    pub grain: Vec<PhaseGrain>,
    /// Rows, the reference included.
    pub rows: u64,
    /// Rows times parts.
    pub instances: u64,
    /// What was taken from each earlier run.
    pub earlier: Vec<EarlierRun>,
    /// The row that is proposed, which is in no table; its tasks are in no other amount.
    pub proposed: ProposedWork,
}

/// The work for the row that a run proposes, and for the reference row with it where they are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProposedWork {
    /// In tasks.
    pub tasks: Amounts,
    /// In seconds of one worker.
    pub seconds: Amounts,
    /// Wall-clock seconds, which the account's contain.
    pub wall: f64,
}

impl std::ops::AddAssign<&Self> for ProposedWork {
    fn add_assign(&mut self, more: &Self) {
        self.tasks.add(&more.tasks);
        self.seconds.add(&more.seconds);
        self.wall += more.wall;
    }
}

/// What a run took from an earlier run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EarlierRun {
    /// The run, as its user named it.
    pub run: String,
    /// Instances that were taken whole: rows at parts.
    pub rows: u64,
    /// Instances whose outputs were taken, and which were only compared.
    pub compared: u64,
    /// Tasks whose results were taken.
    pub tasks: u64,
    /// Seconds that all of this took to compute.
    pub seconds: f64,
    /// The same, phase by phase and task by task.
    pub of: Vec<TakenSum>,
}

/// What a phase took from an earlier run: rows, or results of a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TakenSum {
    /// The phase.
    pub phase: String,
    /// The task; none for rows, also those that were only compared.
    pub task: Option<String>,
    /// Results that were taken.
    pub results: u64,
    /// Seconds that they took to compute.
    pub seconds: f64,
}

impl EarlierRun {
    /// Adds results of a phase, or of one of its tasks.
    pub fn add_of(&mut self, more: &TakenSum) {
        match self.of.iter_mut().find(|sum| (&sum.phase, &sum.task) == (&more.phase, &more.task)) {
            Some(sum) => {
                (sum.results, sum.seconds) = (sum.results + more.results, sum.seconds + more.seconds)
            }
            None => self.of.push(more.clone()),
        }
    }
}

impl std::ops::AddAssign<&Self> for EarlierRun {
    fn add_assign(&mut self, more: &Self) {
        self.rows += more.rows;
        self.compared += more.compared;
        self.tasks += more.tasks;
        self.seconds += more.seconds;
        more.of.iter().for_each(|of| self.add_of(of));
    }
}

/// `asked = stage + task + dataflow + convergent + object + products + ended_early + failed + resumed + computed`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amounts {
    /// The work of all rows without any reuse.
    pub asked: f64,
    /// Saved because whole stages were equal.
    pub stage: f64,
    /// Saved because a task and all tasks before it were equal.
    pub task: f64,
    /// Saved because tasks had equal inputs and parameters.
    pub dataflow: f64,
    /// Saved because inputs turned out to have equal contents.
    pub convergent: f64,
    /// Saved because all objects, or most of what they cost, were known.
    pub object: f64,
    /// Taken from earlier results.
    pub products: f64,
    /// Not run because their part had ended early.
    pub ended_early: f64,
    /// Failed, or dependent on a task that failed.
    pub failed: f64,
    /// Done before the run was interrupted, as the journal says.
    pub resumed: f64,
    /// Computed.
    pub computed: f64,
}

impl Amounts {
    /// Adds other amounts, term by term.
    pub fn add(&mut self, more: &Self) {
        self.asked += more.asked;
        self.stage += more.stage;
        self.task += more.task;
        self.dataflow += more.dataflow;
        self.convergent += more.convergent;
        self.object += more.object;
        self.products += more.products;
        self.ended_early += more.ended_early;
        self.failed += more.failed;
        self.resumed += more.resumed;
        self.computed += more.computed;
    }
}

/// The task granularity of a phase: which tasks of the workflow were split or fused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhaseGrain {
    /// The phase.
    pub phase: String,
    /// The split and fused tasks.
    pub chosen: ChosenGrain,
    /// The same with reasons.
    pub changes: Vec<GrainChange>,
    /// Expected seconds of all tasks with their bookkeeping: as written, and as chosen.
    pub seconds: (f64, f64),
}
