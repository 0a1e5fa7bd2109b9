//! Workloads as they are on a real cluster: other numbers of nodes, limits in whole minutes, run times that vary.

use super::workload::{BatchJob, RunningLoad, Workload, WorkloadError};
use crate::Chance;

impl Workload {
    /// The same jobs on another number of nodes.
    ///
    /// # Errors
    /// When a job is wider.
    pub fn with_nodes(self, nodes: u64) -> Result<Self, WorkloadError> {
        let (overhead, depth, others) = (self.overhead(), self.depth(), self.others());
        let running = self.running().to_vec();
        let workload = Self::new(nodes, self.into_jobs())?.with_overhead(overhead)?;
        Ok(workload.with_load(running, others)?.with_depth(depth))
    }

    /// The same with limits rounded up to multiples of a unit: Slurm's are whole minutes.
    ///
    /// # Errors
    /// When times become too large.
    pub fn with_rounded_limits(self, unit: u64) -> Result<Self, WorkloadError> {
        self.with_changed(|_, job| BatchJob {
            limit: job.limit.div_ceil(unit.max(1)).saturating_mul(unit.max(1)),
            ..job
        })
    }

    /// The same with run times that vary by chance: by the seed and the place of the job.
    ///
    /// # Errors
    /// When times become too large.
    pub fn with_noise(self, chance: &Chance) -> Result<Self, WorkloadError> {
        self.with_changed(|place, job| {
            let factor = chance.factor([0, place as u64, 0]);
            BatchJob { run: (job.run as f64 * factor).round() as u64, ..job }
        })
    }

    /// The same behind jobs of others: some that run at the beginning and some that wait.
    ///
    /// # Errors
    /// When those of others do not fit.
    pub fn with_others(
        self,
        running: Vec<RunningLoad>,
        queued: Vec<BatchJob>,
    ) -> Result<Self, WorkloadError> {
        let (nodes, overhead, depth) = (self.nodes(), self.overhead(), self.depth());
        let before = queued.len();
        let (all_running, others) = ([self.running().to_vec(), running].concat(), before + self.others());
        let rename = |job: BatchJob| BatchJob { id: format!("load {}", job.id), ..job };
        let move_on = |job: BatchJob| {
            let after = job.after.iter().map(|after| before + after).collect();
            BatchJob { after, ..job }
        };
        let jobs = queued.into_iter().map(rename).chain(self.into_jobs().into_iter().map(move_on)).collect();
        let workload = Self::new(nodes, jobs)?.with_overhead(overhead)?;
        Ok(workload.with_load(all_running, others)?.with_depth(depth))
    }

    fn with_changed(self, change: impl Fn(usize, BatchJob) -> BatchJob) -> Result<Self, WorkloadError> {
        let (nodes, overhead, depth, others) = (self.nodes(), self.overhead(), self.depth(), self.others());
        let running = self.running().to_vec();
        let jobs = self.into_jobs().into_iter().enumerate().map(|(place, job)| change(place, job)).collect();
        let workload = Self::new(nodes, jobs)?.with_overhead(overhead)?;
        Ok(workload.with_load(running, others)?.with_depth(depth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: &str, limit: u64, after: Vec<usize>) -> BatchJob {
        BatchJob { id: id.into(), nodes: 2, run: 100, limit, after, submit: 0 }
    }

    #[test]
    fn limits_are_whole_minutes_and_noise_hangs_on_the_place() {
        let workload = Workload::new(4, vec![job("a", 100, vec![]), job("b", 120, vec![0])]).unwrap();
        let limits = |workload: &Workload| workload.jobs().iter().map(|job| job.limit).collect::<Vec<_>>();
        assert_eq!(limits(&workload.clone().with_rounded_limits(60).unwrap()), [120, 120]);
        let chance = Chance { seed: 1, noise: 0.1, ..Chance::default() };
        let noisy = workload.clone().with_noise(&chance).unwrap();
        assert_eq!(noisy, workload.clone().with_noise(&chance).unwrap());
        assert!(noisy.jobs().iter().all(|job| (90..=110).contains(&job.run)));
        assert!(workload.with_nodes(1).is_err());
    }

    #[test]
    fn jobs_of_others_come_first() {
        let ours = Workload::new(4, vec![job("a", 100, vec![]), job("b", 100, vec![0])]).unwrap();
        let load = RunningLoad { nodes: 3, left: 5, limit_left: 9 };
        let loaded = ours.with_others(vec![load], vec![job("a", 100, vec![])]).unwrap();
        assert_eq!(loaded.jobs().iter().map(|job| job.id.as_str()).collect::<Vec<_>>(), ["load a", "a", "b"]);
        assert_eq!((loaded.jobs()[2].after.as_slice(), loaded.others()), ([1].as_slice(), 1));
    }
}
