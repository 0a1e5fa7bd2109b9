//! What a real Slurm does: it looks at its queue a moment after something happened, and backfills at intervals.

use super::graph::{JobGraph, JobRequest};
use super::policy::BatchPolicy;
use super::schedule::Schedule;
use super::state::BatchState;
use super::workload::{BatchJob, RunningLoad, Workload, WorkloadError};

/// The habits of a Slurm, in milliseconds. The defaults were measured on Slurm 22.05 with backfilling every second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlurmModel {
    /// Between two submissions of one program.
    pub submission: u64,
    /// From a submission or an end to the look at the queue, in order.
    pub delay: u64,
    /// Between two looks of the backfilling, `bf_interval`; 0 for none.
    pub interval: u64,
    /// A job holds its nodes for so much longer than it works.
    pub completing: u64,
    /// Limits are rounded up to multiples of this: whole minutes.
    pub limits: u64,
}

/// Milliseconds of a second.
const SECOND: u64 = 1000;

impl Default for SlurmModel {
    fn default() -> Self {
        Self { submission: 30, delay: 100, interval: 1000, completing: 60, limits: 60_000 }
    }
}

/// Simulates a workload, whose times are seconds, as Slurm runs it. Times of the schedule are milliseconds.
///
/// # Errors
/// When times in milliseconds become too large.
pub fn simulate_slurm(workload: &Workload, model: &SlurmModel) -> Result<Schedule, WorkloadError> {
    let workload = in_milliseconds(workload, model)?;
    let graph = JobGraph::new(&workload);
    let requests: Vec<JobRequest> = workload.jobs().iter().map(JobRequest::from).collect();
    let mut state = BatchState::new(&graph, &requests, BatchPolicy::Replan);
    state.run_with(model);
    Ok(Schedule::of(&graph, &requests, &state))
}

fn in_milliseconds(workload: &Workload, model: &SlurmModel) -> Result<Workload, WorkloadError> {
    let mut last = 0;
    let others = workload.others();
    let job = |(place, job): (usize, &BatchJob)| {
        let submit = job.submit.saturating_mul(SECOND);
        // Jobs of others were there before.
        let submit = if place <= others { submit } else { submit.max(last + model.submission) };
        last = submit;
        let limit = job
            .limit
            .saturating_mul(SECOND)
            .div_ceil(model.limits.max(1))
            .saturating_mul(model.limits.max(1));
        let start = workload.overhead().saturating_mul(SECOND).saturating_add(model.completing);
        let run =
            if job.run > job.limit { limit.saturating_add(SECOND) } else { job.run.saturating_mul(SECOND) };
        BatchJob { run: run.saturating_add(start), limit: limit.saturating_add(start), submit, ..job.clone() }
    };
    let jobs = workload.jobs().iter().enumerate().map(job).collect();
    let load = |load: &RunningLoad| RunningLoad {
        left: load.left.saturating_mul(SECOND),
        limit_left: load.limit_left.saturating_mul(SECOND),
        ..*load
    };
    let running = workload.running().iter().map(load).collect();
    Ok(Workload::new(workload.nodes(), jobs)?.with_load(running, others)?.with_depth(workload.depth()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: &str, nodes: u64, run: u64) -> BatchJob {
        BatchJob { id: id.into(), nodes, run, limit: run, after: Vec::new(), submit: 0 }
    }

    /// A job whose limit is just what is left of another's fits in theory, and not when the queue is looked at a moment later.
    #[test]
    fn limits_in_whole_minutes_and_moments_decide_who_passes() {
        let model = SlurmModel::default();
        let jobs = vec![job("long", 3, 60), job("wide", 4, 60), job("fits", 1, 60)];
        let schedule = simulate_slurm(&Workload::new(4, jobs).unwrap(), &model).unwrap();
        let starts: Vec<u64> = schedule.jobs.iter().filter_map(|job| job.start).collect();
        assert_eq!(starts[0], model.delay);
        assert!(starts[1] > 60_000 && starts[2] > 120_000, "{starts:?}");
        let jobs = vec![job("long", 3, 120), job("wide", 4, 60), job("fits", 1, 60)];
        let schedule = simulate_slurm(&Workload::new(4, jobs).unwrap(), &model).unwrap();
        assert!(schedule.jobs[2].start < Some(2 * model.interval), "backfilled at the next interval");
        let one = simulate_slurm(&Workload::new(4, vec![job("a", 1, 10)]).unwrap(), &model).unwrap();
        assert_eq!(one.makespan, model.delay + 10_000 + model.completing);
    }

    #[test]
    fn without_backfilling_nobody_passes() {
        let model = SlurmModel { interval: 0, ..SlurmModel::default() };
        let jobs = vec![job("long", 3, 300), job("wide", 4, 60), job("fits", 1, 60)];
        let schedule = simulate_slurm(&Workload::new(4, jobs).unwrap(), &model).unwrap();
        assert!(schedule.jobs[2].start > schedule.jobs[1].start);
    }

    /// Submissions in the instants at which backfilling is due do not put it off again and again.
    #[test]
    fn submissions_every_second_do_not_starve_backfilling() {
        let model = SlurmModel::default();
        let late = |at: u64| BatchJob { submit: at, ..job(&format!("late {at}"), 4, 60) };
        let first = [job("long", 3, 300), job("wide", 4, 60), job("fits", 1, 60)];
        let jobs = first.into_iter().chain((1..=30).map(late)).collect();
        let schedule = simulate_slurm(&Workload::new(4, jobs).unwrap(), &model).unwrap();
        assert_eq!(schedule.jobs[2].start, Some(model.interval));
    }
}
