//! How far the jobs of a workflow are. Every step is a [`JobChange`]: a journal of them gives the same state again.

/// A job of a plan, in the order of submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedJob {
    /// The name of its task.
    pub task: String,
    /// Nodes that it takes.
    pub nodes: u64,
    /// Seconds that it may take.
    pub limit: u64,
    /// Places of earlier jobs that must end well before it starts.
    pub after: Vec<usize>,
}

/// How far a job is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobStage {
    /// It was not submitted, or is to be submitted again.
    Open,
    /// It was given to the batch system, whose number for it is not known.
    Sent,
    /// It waits under a number.
    Queued(String),
    /// It runs under a number.
    Running(String),
    /// It ended well.
    Done,
    /// It ended otherwise, for good.
    Failed(String),
    /// It never starts, since the job of this place failed.
    Skipped(usize),
}

/// One step of one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobChange {
    /// Its script is about to be given to the batch system.
    Sent(usize),
    /// The batch system has it under a number.
    Queued(usize, String),
    /// It runs.
    Running(usize),
    /// It ended well.
    Done(usize),
    /// It ended otherwise, for good.
    Failed(usize, String),
    /// It never starts, since another failed.
    Skipped(usize, usize),
    /// It is submitted again with this limit, for a reason.
    Again(usize, u64, AgainReason),
}

/// Why a job is submitted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgainReason {
    /// It reached its limit.
    Limit,
    /// It was lost with its node, or is not known any more.
    Lost,
    /// One that it waits for is submitted again.
    Earlier,
}

/// What is submitted next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextJob {
    /// Its place.
    pub job: usize,
    /// The number of this attempt, from 1.
    pub attempt: u32,
    /// Seconds that it may take.
    pub limit: u64,
    /// Numbers of the jobs that must end well before.
    pub after: Vec<String>,
}

/// All jobs of a workflow.
#[derive(Clone, Debug)]
pub struct WorkflowProgress {
    pub(super) jobs: Vec<PlannedJob>,
    pub(super) states: Vec<JobState>,
    /// Jobs that may be in the queue at once.
    most: usize,
    /// Numbers of jobs that are not wanted any more.
    unwanted: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) struct JobState {
    pub(super) stage: JobStage,
    attempt: u32,
    pub(super) limit: u64,
    pub(super) limits_reached: u32,
    pub(super) losses: u32,
    /// Answers in a row that do not fit its record, or do not have it.
    pub(super) odd_answers: u32,
}

impl WorkflowProgress {
    /// Jobs of which none was submitted; at most so many are in the queue at once.
    pub fn new(jobs: Vec<PlannedJob>, most: usize) -> Self {
        let state = |job: &PlannedJob| JobState {
            stage: JobStage::Open,
            attempt: 1,
            limit: job.limit,
            limits_reached: 0,
            losses: 0,
            odd_answers: 0,
        };
        let states = jobs.iter().map(state).collect();
        Self { jobs, states, most: most.max(1), unwanted: Vec::new() }
    }

    /// The jobs.
    pub fn jobs(&self) -> &[PlannedJob] {
        &self.jobs
    }

    /// How far a job is.
    pub fn stage(&self, job: usize) -> &JobStage {
        &self.states[job].stage
    }

    /// The number of its attempt, from 1.
    pub fn attempt(&self, job: usize) -> u32 {
        self.states[job].attempt
    }

    /// Seconds that it may take now.
    pub fn limit(&self, job: usize) -> u64 {
        self.states[job].limit
    }

    /// Whether no job can change any more.
    pub fn is_over(&self) -> bool {
        self.states.iter().all(|state| state.stage.is_final())
    }

    /// Whether every job ended well.
    pub fn is_done(&self) -> bool {
        self.states.iter().all(|state| state.stage == JobStage::Done)
    }

    /// Places of jobs that were given to the batch system, whose numbers are not known.
    pub fn sent(&self) -> Vec<usize> {
        (0..self.jobs.len()).filter(|job| self.states[*job].stage == JobStage::Sent).collect()
    }

    /// Numbers of the jobs that are in the queue.
    pub fn numbers(&self) -> Vec<String> {
        self.states.iter().filter_map(|state| state.stage.number().map(str::to_owned)).collect()
    }

    /// Numbers of jobs to cancel, said once.
    pub fn take_unwanted(&mut self) -> Vec<String> {
        std::mem::take(&mut self.unwanted)
    }

    /// The first job that can be submitted: all that it waits for are done or have numbers.
    pub fn next(&self) -> Option<NextJob> {
        if self.numbers().len() >= self.most {
            return None;
        }
        let can = |job: &usize| {
            let known = |before: &usize| {
                let stage = &self.states[*before].stage;
                *stage == JobStage::Done || stage.number().is_some()
            };
            self.states[*job].stage == JobStage::Open && self.jobs[*job].after.iter().all(known)
        };
        let job = (0..self.jobs.len()).find(can)?;
        let numbers = self.jobs[job].after.iter().filter_map(|before| self.states[*before].stage.number());
        let after = numbers.map(str::to_owned).collect();
        Some(NextJob { job, attempt: self.states[job].attempt, limit: self.states[job].limit, after })
    }

    /// Takes one step: live, or from a journal. A step of a place that is not there is left out.
    pub fn apply(&mut self, change: &JobChange) {
        let Some(state) = self.states.get_mut(change.job()) else { return };
        state.odd_answers = 0;
        match change {
            JobChange::Sent(_) => state.stage = JobStage::Sent,
            JobChange::Queued(_, number) => state.stage = JobStage::Queued(number.clone()),
            JobChange::Running(_) => {
                if let JobStage::Queued(number) = &state.stage {
                    state.stage = JobStage::Running(number.clone());
                }
            }
            JobChange::Done(_) => state.stage = JobStage::Done,
            JobChange::Failed(_, why) => state.stage = JobStage::Failed(why.clone()),
            JobChange::Skipped(_, failed) => state.stage = JobStage::Skipped(*failed),
            JobChange::Again(_, limit, reason) => {
                state.stage = JobStage::Open;
                state.attempt += 1;
                state.limit = *limit;
                state.limits_reached += u32::from(*reason == AgainReason::Limit);
                state.losses += u32::from(*reason == AgainReason::Lost);
            }
        }
    }

    /// Ends all that is not over, since the user wants no more of it.
    pub fn cancel(&mut self) -> Vec<JobChange> {
        let mut changes = Vec::new();
        for job in 0..self.jobs.len() {
            if !self.states[job].stage.is_final() {
                self.take(JobChange::Failed(job, "cancelled".into()), &mut changes);
            }
        }
        changes
    }

    /// Takes a step, and those that follow from it for the jobs that wait for this one.
    pub(super) fn take(&mut self, change: JobChange, changes: &mut Vec<JobChange>) {
        let job = change.job();
        let is_again = matches!(change, JobChange::Again(..));
        let is_failure = matches!(change, JobChange::Failed(..));
        self.unwanted
            .extend(self.states[job].stage.number().filter(|_| is_again || is_failure).map(str::to_owned));
        self.apply(&change);
        changes.push(change);
        if !is_again && !is_failure {
            return;
        }
        for follower in self.all_behind(job) {
            let state = &self.states[follower];
            self.unwanted.extend(state.stage.number().map(str::to_owned));
            let next = if is_failure {
                JobChange::Skipped(follower, job)
            } else if state.stage == JobStage::Open {
                continue;
            } else {
                JobChange::Again(follower, state.limit, AgainReason::Earlier)
            };
            self.apply(&next);
            changes.push(next);
        }
    }

    /// Jobs that wait for one, directly or through others, and are not over.
    fn all_behind(&self, job: usize) -> Vec<usize> {
        let mut behind = vec![false; self.jobs.len()];
        behind[job] = true;
        let mut found = Vec::new();
        // Jobs wait for earlier ones only.
        for later in job + 1..self.jobs.len() {
            behind[later] = self.jobs[later].after.iter().any(|before| behind[*before]);
            if behind[later] && !self.states[later].stage.is_final() {
                found.push(later);
            }
        }
        found
    }
}

impl JobStage {
    /// Its number in the queue.
    pub fn number(&self) -> Option<&str> {
        match self {
            Self::Queued(number) | Self::Running(number) => Some(number),
            _ => None,
        }
    }

    /// Whether nothing changes it any more.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Done | Self::Failed(_) | Self::Skipped(_))
    }

    /// Its word in files and messages.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Sent => "sent",
            Self::Queued(_) => "queued",
            Self::Running(_) => "running",
            Self::Done => "ok",
            Self::Failed(_) => "failed",
            Self::Skipped(_) => "cancelled",
        }
    }
}

impl JobChange {
    /// The place of its job.
    pub fn job(&self) -> usize {
        match self {
            Self::Sent(job)
            | Self::Queued(job, _)
            | Self::Running(job)
            | Self::Done(job)
            | Self::Failed(job, _)
            | Self::Skipped(job, _)
            | Self::Again(job, ..) => *job,
        }
    }
}

impl AgainReason {
    /// All reasons with their words.
    pub const WORDS: [(&'static str, Self); 3] =
        [("limit", Self::Limit), ("lost", Self::Lost), ("earlier", Self::Earlier)];

    /// Its word in files.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, reason)| *reason == self).map_or("", |(word, _)| word)
    }
}
