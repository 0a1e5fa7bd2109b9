//! How far a run is, in numbers: what is done of each stage, what memory is reserved, and how long the rest will take.

use std::time::Instant;

use onceflow_study::{Size, counted, with_commas};

use super::{BucketOver, PhaseBegun, RowOver, TaskAhead, TaskOver};
use crate::{duration_words, memory_words};

/// What is known of a run.
#[derive(Clone, Debug)]
pub struct ProgressTracker {
    /// The phase it is in.
    pub phase: PhaseBegun,
    /// When the run began.
    pub began: Instant,
    phase_began: Instant,
    /// Rows that are over on a part.
    pub instances: u64,
    /// Those of them that failed.
    pub failed: u64,
    /// Per task: how many are over, and how many seconds they took.
    over: Vec<(u64, f64)>,
    /// Bytes that are reserved.
    pub reserved: u64,
    /// Processes that compute buckets now, where others than this one do.
    pub processes: Option<usize>,
    /// Tasks of each stage that these computed.
    worked: Vec<u64>,
    /// Most bytes that one of them had.
    pub peak: u64,
    /// Expected seconds of the work that they did in the phase, and of all that was left when it began.
    pub cost: Option<(f64, f64)>,
}

/// What is done of a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageProgress {
    /// Tasks that were computed.
    pub computed: u64,
    /// Tasks that are computed at most.
    pub planned: u64,
    /// Tasks that the rows ask for.
    pub asked: u64,
}

/// What was expected of a task counts as much as so many that ran.
const EXPECTED: f64 = 4.0;

impl ProgressTracker {
    /// Before the first phase.
    pub fn new(now: Instant) -> Self {
        let phase = PhaseBegun {
            name: String::new(),
            instances: 0,
            stages: Vec::new(),
            tasks: Vec::new(),
            workers: 1,
            memory: 0,
        };
        Self {
            phase,
            began: now,
            phase_began: now,
            instances: 0,
            failed: 0,
            over: Vec::new(),
            reserved: 0,
            processes: None,
            worked: Vec::new(),
            peak: 0,
            cost: None,
        }
    }

    /// A phase begins.
    pub fn begin(&mut self, phase: &PhaseBegun) {
        self.phase = phase.clone();
        self.phase_began = Instant::now();
        (self.instances, self.failed, self.cost) = (0, 0, None);
        self.worked = vec![0; phase.stages.len()];
        self.over = vec![(0, 0.0); phase.tasks.len()];
    }

    /// So many processes compute buckets now.
    pub fn workers(&mut self, running: usize) {
        self.processes = Some(running);
    }

    /// Workers did a bucket.
    pub fn bucket(&mut self, bucket: &BucketOver<'_>) {
        for (name, computed) in bucket.computed {
            if let Some(stage) = self.phase.stages.iter().position(|stage| stage == name) {
                self.worked[stage] += computed;
            }
        }
        self.peak = self.peak.max(bucket.peak);
        self.cost = Some(bucket.cost);
    }

    /// A task is over: it was computed, unless it failed or all its objects were cached.
    pub fn task(&mut self, task: &TaskOver<'_>) {
        self.reserved = task.reserved;
        if task.known || task.failed.is_some() {
            return self.duplicate(task.task);
        }
        let (count, seconds) = &mut self.over[task.task];
        *count += 1;
        *seconds += task.seconds;
    }

    /// One of a task turned out to be what another had made, or gave nothing: one less is to be computed.
    pub fn duplicate(&mut self, task: usize) {
        let planned = &mut self.phase.tasks[task].planned;
        *planned = planned.saturating_sub(1);
    }

    /// A row is over on a part.
    pub fn row(&mut self, row: &RowOver<'_>) {
        self.instances += 1;
        self.failed += u64::from(row.status == "failed");
    }

    /// What is done of each stage, in their order.
    pub fn stages(&self) -> Vec<StageProgress> {
        let mut stages = vec![StageProgress::default(); self.phase.stages.len()];
        for (ahead, (count, _)) in self.phase.tasks.iter().zip(&self.over) {
            let stage = &mut stages[ahead.stage];
            stage.computed += count;
            stage.planned += ahead.planned;
            stage.asked += ahead.asked;
        }
        stages.iter_mut().zip(&self.worked).for_each(|(stage, worked)| stage.computed += worked);
        stages
    }

    /// Seconds until the phase is over at most: what is left of each task, as long as it takes on average.
    pub fn seconds_left(&self) -> f64 {
        if self.processes.is_some() {
            let (done, of) = self.cost.unwrap_or_default();
            let left = if done > 0.0 { (of - done).max(0.0) / done } else { 0.0 };
            return self.phase_began.elapsed().as_secs_f64() * left;
        }
        let left = |(ahead, (count, seconds)): (&TaskAhead, &(u64, f64))| {
            let mean = (ahead.seconds * EXPECTED + seconds) / (EXPECTED + *count as f64);
            self.tasks_left(ahead, *count) * mean
        };
        self.phase.tasks.iter().zip(&self.over).map(left).sum::<f64>() / self.phase.workers.max(1) as f64
    }

    /// No more of a task is left than was planned, and no more than the rows that are not over ask for.
    fn tasks_left(&self, ahead: &TaskAhead, count: u64) -> f64 {
        let rows_left = self.phase.instances.saturating_sub(self.instances) as f64;
        let asked = ahead.asked as f64 * rows_left / self.phase.instances.max(1) as f64;
        (ahead.planned.saturating_sub(count) as f64).min(asked)
    }

    /// Whether enough is done to say how long the rest will take.
    pub fn can_tell(&self) -> bool {
        if self.processes.is_some() {
            return self.cost.is_some_and(|(done, of)| done * 50.0 > of);
        }
        let total = self.total();
        total.computed * 50 > total.planned
    }

    fn total(&self) -> StageProgress {
        self.stages().into_iter().fold(StageProgress::default(), |sum, stage| StageProgress {
            computed: sum.computed + stage.computed,
            planned: sum.planned + stage.planned,
            asked: sum.asked + stage.asked,
        })
    }

    /// `screen  123 of 321 instances  1,024 of at most 2,351 tasks  96 MiB  12 s, at most 20 s more`.
    pub fn line(&self) -> String {
        let total = self.total();
        let (name, all) = (&self.phase.name, number(self.phase.instances));
        let rows = format!("{name}  {} of {all} instances{}", number(self.instances), self.failures());
        if let Some(processes) = self.processes {
            let share = self.cost.filter(|(_, of)| *of > 0.0).map(|(done, of)| 100.0 * done / of);
            let share = share.map_or_else(String::new, |share| format!("  {share:.0} % of the work"));
            let peak = if self.peak > 0 {
                format!(" of up to {}", Size(self.peak.next_multiple_of(1 << 20)))
            } else {
                String::new()
            };
            return format!("{rows}{share}  {}{peak}  {}", counted(processes, "worker"), self.times());
        }
        let tasks = format!("{} of at most {} tasks", number(total.computed), number(total.planned));
        format!("{rows}  {tasks}  {}  {}", memory_words(self.reserved, 0), self.times())
    }

    /// `123 of 321 instances, 2 failed  96 MiB of 2 GiB  12 s, at most 20 s more`.
    pub fn summary(&self) -> String {
        let rows = format!("{} of {} instances", number(self.instances), number(self.phase.instances));
        let memory = memory_words(self.reserved, self.phase.memory);
        format!("{rows}{}  {memory}  {}", self.failures(), self.times())
    }

    /// `going on: 12 of 97 instances are done`.
    pub fn going_on(&self, instances: u64) -> String {
        format!("going on: {} of {} instances are done", number(instances), number(self.phase.instances))
    }

    fn failures(&self) -> String {
        if self.failed == 0 { String::new() } else { format!(", {} failed", number(self.failed)) }
    }

    fn times(&self) -> String {
        let more = if self.can_tell() {
            format!(", at most {} more", rough(self.seconds_left()))
        } else {
            String::new()
        };
        format!("{}{more}", rough(self.phase_began.elapsed().as_secs_f64()))
    }
}

/// Without tenths of a second, which change too fast to be read.
fn rough(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.0} s") } else { duration_words(seconds) }
}

/// With a comma after each thousand.
fn number(n: u64) -> String {
    with_commas(n.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn far() -> ProgressTracker {
        let task = |name: &str, stage, planned, seconds| TaskAhead {
            name: name.into(),
            stage,
            asked: 100,
            planned,
            seconds,
        };
        let mut far = ProgressTracker::new(Instant::now());
        far.begin(&PhaseBegun {
            name: "screen".into(),
            instances: 100,
            stages: vec!["normalize".into(), "segment".into()],
            tasks: vec![task("normalize", 0, 1, 2.0), task("t1", 1, 10, 1.0), task("t2", 1, 50, 1.0)],
            workers: 2,
            memory: 1 << 30,
        });
        far
    }

    fn over(task: usize, seconds: f64) -> TaskOver<'static> {
        TaskOver {
            task,
            row: 0,
            image: None,
            site: 0,
            seconds,
            reserved: 3 << 20,
            known: false,
            failed: None,
        }
    }

    #[test]
    fn what_is_left_takes_what_was_expected_until_tasks_tell_otherwise() {
        let mut far = far();
        assert!((far.seconds_left() - (2.0 + 10.0 + 50.0) / 2.0).abs() < 1e-9);
        (0..10).for_each(|_| far.task(&over(1, 3.0)));
        assert!((far.seconds_left() - (2.0 + 50.0) / 2.0).abs() < 1e-9, "t1 is over");
        (0..12).for_each(|_| far.task(&over(2, 3.0)));
        assert!((far.seconds_left() - (2.0 + 38.0 * 40.0 / 16.0) / 2.0).abs() < 1e-9);
    }

    #[test]
    fn what_workers_do_is_counted_by_stage_and_by_cost() {
        let mut far = far();
        far.workers(3);
        assert!(!far.can_tell(), "nothing is known yet");
        let computed = [("segment".to_owned(), 4), ("unknown".to_owned(), 9)];
        far.bucket(&BucketOver { computed: &computed, peak: 5 << 20, cost: (10.0, 40.0) });
        far.bucket(&BucketOver { computed: &computed, peak: 3 << 20, cost: (20.0, 40.0) });
        assert_eq!(far.stages()[1], StageProgress { computed: 8, planned: 60, asked: 200 });
        assert!(far.can_tell() && (far.seconds_left() - far.phase_began.elapsed().as_secs_f64()).abs() < 0.5);
        let line = far.line();
        assert!(line.contains("  50 % of the work  3 workers of up to 5 MiB  "), "{line}");
        far.begin(&far.phase.clone());
        assert_eq!((far.cost, far.stages()[1].computed), (None, 0), "another phase");
    }

    #[test]
    fn rows_that_are_over_ask_for_nothing_more() {
        let mut far = far();
        let row = RowOver { row: 0, image: "a", part: 0, status: "ok", resumed: true };
        (0..99).for_each(|_| far.row(&row));
        assert!((far.seconds_left() - (2.0 + 1.0 + 1.0) / 2.0).abs() < 1e-9);
        far.row(&RowOver { status: "failed", ..row });
        assert!(far.seconds_left().abs() < 1e-9);
        assert_eq!(far.summary(), "100 of 100 instances, 1 failed  0 B of 1 GiB  0 s");
    }

    #[test]
    fn stages_add_up_their_tasks() {
        let mut far = far();
        far.task(&over(1, 1.0));
        far.task(&over(2, 1.0));
        let stages = far.stages();
        assert_eq!(stages[0], StageProgress { computed: 0, planned: 1, asked: 100 });
        assert_eq!(stages[1], StageProgress { computed: 2, planned: 60, asked: 200 });
        let line = far.line();
        assert!(
            line.starts_with("screen  0 of 100 instances  2 of at most 61 tasks  3 MiB  0 s, at"),
            "{line}"
        );
    }
}
