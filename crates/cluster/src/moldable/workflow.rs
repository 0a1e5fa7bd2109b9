//! Tasks with a table of durations each, in the order in which they are submitted.

use std::collections::{HashMap, VecDeque};

use crate::batch::{BatchJob, BatchPolicy, RunningLoad, Workload, WorkloadError};

/// A task that can run on several numbers of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoldableTask {
    /// Its name, once in a workflow.
    pub id: String,
    /// Names of the tasks that it waits for.
    pub after: Vec<String>,
    /// Its duration by number of nodes, from few to many.
    pub seconds: Vec<(u64, u64)>,
}

/// A share that limits are above durations, as a decimal number: limits are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Margin {
    numerator: u64,
    denominator: u64,
}

/// Tasks on a cluster, in the order of submission: breadth-first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoldableWorkflow {
    tasks: Vec<MoldableTask>,
    /// Places of the tasks that each waits for.
    after: Vec<Vec<usize>>,
    cluster: Workload,
    policy: BatchPolicy,
    margin: Margin,
}

/// Why a workflow cannot be planned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkflowError {
    /// A task that is not there.
    #[error("task `{id}` waits for `{found}`; no task has that name")]
    Unknown {
        /// The task.
        id: String,
        /// What it waits for.
        found: String,
    },
    /// A name that stands twice.
    #[error("task `{0}`: the name stands twice; each task needs its own")]
    Twice(String),
    /// Tasks that wait for each other.
    #[error("the workflow has a cycle: {0}; no task of it could ever start")]
    Cycle(String),
    /// A task that no allocation can hold.
    #[error(
        "task `{id}`: no number of nodes with a duration fits the cluster of {nodes} nodes (it has {known})"
    )]
    NoCount {
        /// The task.
        id: String,
        /// Nodes of the cluster.
        nodes: u64,
        /// The numbers of nodes in its table.
        known: String,
    },
    /// The cluster or its load cannot be.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
}

impl Margin {
    /// A tenth.
    pub const TENTH: Self = Self { numerator: 1, denominator: 10 };

    /// From a number as people write it, with at most nine decimals; none for a negative or an immense one.
    pub fn new(share: f64) -> Option<Self> {
        if !(0.0..=1000.0).contains(&share) {
            return None;
        }
        let text = format!("{share}");
        let decimals = text.split_once('.').map_or("", |(_, decimals)| decimals);
        if decimals.len() > 9 || text.contains('e') {
            return Some(Self { numerator: (share * 1e9).round() as u64, denominator: 1_000_000_000 });
        }
        let denominator = 10u64.pow(decimals.len() as u32);
        let numerator = text.replace('.', "").parse().ok()?;
        Some(Self { numerator, denominator })
    }

    /// The limit for a duration: the next whole number.
    ///
    /// ```
    /// # use onceflow_cluster::moldable::Margin;
    /// assert_eq!([30, 31].map(|seconds| Margin::TENTH.limit(seconds)), [33, 35]);
    /// ```
    pub fn limit(self, seconds: u64) -> u64 {
        let factor = u128::from(self.denominator) + u128::from(self.numerator);
        (u128::from(seconds) * factor).div_ceil(u128::from(self.denominator)) as u64
    }
}

impl MoldableWorkflow {
    /// Tasks in any order, on a cluster whose jobs are those of others.
    ///
    /// # Errors
    /// When tasks wait for each other or for others that are not there, or no number of nodes fits.
    pub fn new(
        tasks: Vec<MoldableTask>,
        cluster: Workload,
        policy: BatchPolicy,
        margin: Margin,
    ) -> Result<Self, WorkflowError> {
        let after = places(&tasks)?;
        let order = breadth_first(&tasks, &after)?;
        let mut new_places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, old)| new_places[*old] = new);
        let moved = |old: &usize| after[*old].iter().map(|before| new_places[*before]).collect();
        let after: Vec<Vec<usize>> = order.iter().map(moved).collect();
        let fitting = |old: &usize| fitting(&tasks[*old], cluster.nodes());
        let tasks = order.iter().map(fitting).collect::<Result<_, _>>()?;
        let workflow = Self { tasks, after, cluster, policy, margin };
        // The slowest request of each task: if its times can be summed, those of all plans can.
        let longest = workflow.tasks.iter().map(|task| {
            let longest = task.seconds.iter().enumerate().max_by_key(|(_, (_, seconds))| *seconds);
            longest.map_or(0, |(at, _)| at as u16)
        });
        workflow.workload(&longest.collect::<Vec<_>>())?;
        Ok(workflow)
    }

    /// The tasks in the order of submission, with the numbers of nodes that fit.
    pub fn tasks(&self) -> &[MoldableTask] {
        &self.tasks
    }

    /// Places of the tasks that each waits for.
    pub fn after(&self) -> &[Vec<usize>] {
        &self.after
    }

    /// The cluster with the jobs of others.
    pub fn cluster(&self) -> &Workload {
        &self.cluster
    }

    /// The rule of its scheduler.
    pub fn policy(&self) -> BatchPolicy {
        self.policy
    }

    /// The same under another rule.
    #[must_use]
    pub fn with_policy(self, policy: BatchPolicy) -> Self {
        Self { policy, ..self }
    }

    /// The same behind jobs of others, in place of those of the file.
    ///
    /// # Errors
    /// When those of others do not fit.
    pub fn behind(self, running: Vec<RunningLoad>, queued: Vec<BatchJob>) -> Result<Self, WorkloadError> {
        let empty =
            Workload::new(self.cluster.nodes(), Vec::new())?.with_overhead(self.cluster.overhead())?;
        let cluster = empty.with_depth(self.cluster.depth()).with_others(running, queued)?;
        Ok(Self { cluster, ..self })
    }

    /// How far limits are above durations.
    pub fn margin(&self) -> Margin {
        self.margin
    }

    /// How many plans there are; none when they are more than a number holds.
    pub fn plan_count(&self) -> Option<u64> {
        self.tasks.iter().try_fold(1u64, |plans, task| plans.checked_mul(task.seconds.len() as u64))
    }

    /// The numbers of nodes of a plan.
    pub fn counts(&self, plan: &[u16]) -> Vec<u64> {
        self.tasks.iter().zip(plan).map(|(task, choice)| task.seconds[usize::from(*choice)].0).collect()
    }

    /// The jobs of a plan behind those of others.
    ///
    /// # Errors
    /// When its times are too large to be summed.
    pub fn workload(&self, plan: &[u16]) -> Result<Workload, WorkloadError> {
        let others = self.cluster.jobs().len();
        let taken: std::collections::HashSet<&str> =
            self.cluster.jobs().iter().map(|job| job.id.as_str()).collect();
        let job = |(task, choice): (usize, &u16)| {
            let (nodes, seconds) = self.tasks[task].seconds[usize::from(*choice)];
            let id = &self.tasks[task].id;
            BatchJob {
                id: if taken.contains(id.as_str()) { format!("{id} (ours)") } else { id.clone() },
                nodes,
                run: seconds,
                limit: self.margin.limit(seconds),
                after: self.after[task].iter().map(|before| others + before).collect(),
                submit: 0,
            }
        };
        let ours = plan.iter().enumerate().map(job);
        let jobs = self.cluster.jobs().iter().cloned().chain(ours).collect();
        let workload = Workload::new(self.cluster.nodes(), jobs)?.with_overhead(self.cluster.overhead())?;
        Ok(workload.with_load(self.cluster.running().to_vec(), others)?.with_depth(self.cluster.depth()))
    }
}

fn places(tasks: &[MoldableTask]) -> Result<Vec<Vec<usize>>, WorkflowError> {
    let mut by_name = HashMap::new();
    for (place, task) in tasks.iter().enumerate() {
        if by_name.insert(task.id.as_str(), place).is_some() {
            return Err(WorkflowError::Twice(task.id.clone()));
        }
    }
    let place = |task: &MoldableTask, name: &String| {
        let unknown = || WorkflowError::Unknown { id: task.id.clone(), found: name.clone() };
        by_name.get(name.as_str()).copied().ok_or_else(unknown)
    };
    let of = |task: &MoldableTask| {
        let mut after = task.after.iter().map(|name| place(task, name)).collect::<Result<Vec<_>, _>>()?;
        after.sort_unstable();
        after.dedup();
        Ok(after)
    };
    tasks.iter().map(of).collect()
}

/// The front of a queue is taken; tasks whose last dependency that was join its back in the order of the file.
fn breadth_first(tasks: &[MoldableTask], after: &[Vec<usize>]) -> Result<Vec<usize>, WorkflowError> {
    let mut followers = vec![Vec::new(); tasks.len()];
    for (task, after) in after.iter().enumerate() {
        after.iter().for_each(|before| followers[*before].push(task));
    }
    let mut waits: Vec<usize> = after.iter().map(Vec::len).collect();
    let mut queue: VecDeque<usize> = (0..tasks.len()).filter(|task| waits[*task] == 0).collect();
    let mut order = Vec::with_capacity(tasks.len());
    while let Some(task) = queue.pop_front() {
        order.push(task);
        for follower in &followers[task] {
            waits[*follower] -= 1;
            if waits[*follower] == 0 {
                queue.push_back(*follower);
            }
        }
    }
    if order.len() < tasks.len() {
        return Err(WorkflowError::Cycle(cycle(tasks, after, &waits)));
    }
    Ok(order)
}

/// One cycle, as names: from a task that waits along what it waits for until a task comes again.
fn cycle(tasks: &[MoldableTask], after: &[Vec<usize>], waits: &[usize]) -> String {
    let mut path: Vec<usize> = waits.iter().position(|waits| *waits > 0).into_iter().collect();
    while let Some(last) = path.last().copied() {
        let Some(next) = after[last].iter().copied().find(|before| waits[*before] > 0) else { break };
        let again = path.iter().position(|task| *task == next);
        path.push(next);
        if let Some(first) = again {
            path.drain(..first);
            break;
        }
    }
    let names: Vec<String> = path.iter().map(|task| format!("`{}`", tasks[*task].id)).collect();
    names.join(" waits for ")
}

fn fitting(task: &MoldableTask, nodes: u64) -> Result<MoldableTask, WorkflowError> {
    let mut seconds: Vec<(u64, u64)> =
        task.seconds.iter().copied().filter(|(count, _)| (1..=nodes).contains(count)).collect();
    seconds.sort_unstable();
    seconds.dedup_by_key(|(count, _)| *count);
    // Choices are numbered by 16 bits.
    seconds.truncate(usize::from(u16::MAX));
    if seconds.is_empty() {
        let known: Vec<String> = task.seconds.iter().take(8).map(|(count, _)| count.to_string()).collect();
        let known = if known.is_empty() { "no durations at all".into() } else { known.join(", ") };
        return Err(WorkflowError::NoCount { id: task.id.clone(), nodes, known });
    }
    Ok(MoldableTask { seconds, ..task.clone() })
}
