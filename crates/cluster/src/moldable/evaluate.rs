//! What a plan costs: simulated on the cluster.

use super::workflow::MoldableWorkflow;
use crate::batch::{JobGraph, JobRequest, Schedule, WorkloadError};

/// Makespan and cost of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlanValue {
    /// From the submission to the last end.
    pub makespan: u64,
    /// Nodes times the time they are held.
    pub cost: u128,
}

/// Simulates the plans of one workflow.
#[derive(Clone, Debug)]
pub struct PlanEvaluator<'w> {
    workflow: &'w MoldableWorkflow,
    graph: JobGraph,
    /// Requests of others, then the first choice of each task.
    requests: Vec<JobRequest>,
    /// The requests of each task by choice.
    choices: Vec<Vec<JobRequest>>,
    reference: PlanValue,
}

impl PlanValue {
    /// Whether it is nowhere worse, and somewhere better.
    pub fn dominates(&self, other: &Self) -> bool {
        self.makespan <= other.makespan && self.cost <= other.cost && self != other
    }
}

impl<'w> PlanEvaluator<'w> {
    /// An evaluator, with the reference plan simulated.
    ///
    /// # Errors
    /// When times are too large to be summed.
    pub fn new(workflow: &'w MoldableWorkflow) -> Result<Self, WorkloadError> {
        let first = vec![0; workflow.tasks().len()];
        let workload = workflow.workload(&first)?;
        let request = |(nodes, run): &(u64, u64)| JobRequest {
            nodes: *nodes,
            run: *run,
            limit: workflow.margin().limit(*run),
        };
        let choices =
            workflow.tasks().iter().map(|task| task.seconds.iter().map(request).collect()).collect();
        let requests = workload.jobs().iter().map(JobRequest::from).collect();
        let reference = PlanValue { makespan: 0, cost: 0 };
        let mut evaluator = Self { workflow, graph: JobGraph::new(&workload), requests, choices, reference };
        evaluator.reference = evaluator.value(&first);
        Ok(evaluator)
    }

    /// The workflow.
    pub fn workflow(&self) -> &'w MoldableWorkflow {
        self.workflow
    }

    /// The value of the plan in which each task has its smallest number of nodes.
    pub fn reference(&self) -> PlanValue {
        self.reference
    }

    /// How many choices each task has.
    pub(super) fn choice_counts(&self) -> Vec<u16> {
        self.choices.iter().map(|choices| choices.len() as u16).collect()
    }

    /// Makespan and cost of a plan: for each task in the order of submission the place of its number of nodes.
    pub fn value(&self, plan: &[u16]) -> PlanValue {
        let schedule = self.schedule(plan);
        PlanValue { makespan: schedule.makespan, cost: schedule.cost }
    }

    /// The schedule of a plan, others' jobs first.
    pub fn schedule(&self, plan: &[u16]) -> Schedule {
        let mut requests = self.requests.clone();
        let others = requests.len() - self.choices.len();
        for ((request, choices), choice) in requests[others..].iter_mut().zip(&self.choices).zip(plan) {
            *request = choices[usize::from(*choice)];
        }
        self.graph.simulate(&requests, self.workflow.policy())
    }
}
