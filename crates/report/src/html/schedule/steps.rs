//! The schedule of a run in steps of equal length: the main task of each worker, and the memory of operations.

use std::collections::HashMap;

use crate::TraceEntry;

/// A schedule in steps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Schedule {
    /// Seconds of all steps together.
    pub(super) seconds: f64,
    /// Names of the tasks in the order of their first start.
    pub(super) tasks: Vec<TaskTotal>,
    /// Per worker, runs of steps: first step, steps, the task that took most of them.
    pub(super) lanes: Vec<Vec<(usize, usize, usize)>>,
    /// Per step, most bytes that running operations held at once; empty where it was not measured.
    pub(super) held: Vec<u64>,
}

/// All runs of one task.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TaskTotal {
    pub(super) name: String,
    pub(super) runs: u64,
    pub(super) seconds: f64,
    /// Most bytes that one of them held.
    pub(super) bytes: u64,
}

impl Schedule {
    /// The schedule in so many steps; `None` when nothing ran.
    pub(super) fn new(trace: &[TraceEntry], steps: usize) -> Option<Self> {
        let seconds = trace.iter().map(|entry| entry.start + entry.seconds).fold(0.0, f64::max);
        if trace.is_empty() || seconds <= 0.0 || steps == 0 {
            return None;
        }
        let tasks = totals(trace);
        let step = StepGrid { length: seconds / steps as f64, steps };
        let lanes = lanes(trace, &tasks, &step);
        let counted = trace.iter().any(|entry| entry.bytes > 0);
        let held = if counted { held(trace, &step) } else { Vec::new() };
        Some(Self { seconds, tasks, lanes, held })
    }
}

struct StepGrid {
    length: f64,
    steps: usize,
}

impl StepGrid {
    fn of(&self, moment: f64) -> usize {
        ((moment / self.length) as usize).min(self.steps - 1)
    }
}

fn totals(trace: &[TraceEntry]) -> Vec<TaskTotal> {
    let mut entries: Vec<&TraceEntry> = trace.iter().collect();
    entries.sort_by(|a, b| a.start.total_cmp(&b.start));
    let mut totals: Vec<TaskTotal> = Vec::new();
    for entry in entries {
        let place = totals.iter().position(|total| total.name == entry.task).unwrap_or_else(|| {
            totals.push(TaskTotal { name: entry.task.clone(), runs: 0, seconds: 0.0, bytes: 0 });
            totals.len() - 1
        });
        let total = &mut totals[place];
        total.runs += 1;
        total.seconds += entry.seconds;
        total.bytes = total.bytes.max(entry.bytes);
    }
    totals
}

/// Per worker: a step belongs to the task that took most of it; one of which less than a quarter was used is idle.
fn lanes(trace: &[TraceEntry], tasks: &[TaskTotal], step: &StepGrid) -> Vec<Vec<(usize, usize, usize)>> {
    let workers = trace.iter().map(|entry| entry.worker).max().unwrap_or(0) + 1;
    let places: HashMap<&str, usize> =
        tasks.iter().enumerate().map(|(place, task)| (task.name.as_str(), place)).collect();
    let mut used: Vec<HashMap<usize, Vec<f64>>> = vec![HashMap::new(); workers.min(1024)];
    for entry in trace {
        let (Some(lane), Some(task)) = (used.get_mut(entry.worker), places.get(entry.task.as_str())) else {
            continue;
        };
        let end = entry.start + entry.seconds;
        for at in step.of(entry.start)..=step.of(end) {
            let (from, to) = (at as f64 * step.length, (at + 1) as f64 * step.length);
            let share = (end.min(to) - entry.start.max(from)).max(0.0);
            lane.entry(at).or_insert_with(|| vec![0.0; tasks.len()])[*task] += share;
        }
    }
    used.iter().map(|lane| runs(lane, step)).collect()
}

fn runs(lane: &HashMap<usize, Vec<f64>>, step: &StepGrid) -> Vec<(usize, usize, usize)> {
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    for at in 0..step.steps {
        let Some(shares) = lane.get(&at).filter(|s| s.iter().sum::<f64>() >= step.length / 4.0) else {
            continue;
        };
        let most = (0..shares.len()).rev().max_by(|a, b| shares[*a].total_cmp(&shares[*b])).unwrap_or(0);
        match runs.last_mut() {
            Some((first, count, task)) if *task == most && *first + *count == at => *count += 1,
            _ => runs.push((at, 1, most)),
        }
    }
    runs
}

/// What running operations held together, at its most in each step.
fn held(trace: &[TraceEntry], step: &StepGrid) -> Vec<u64> {
    let mut events: Vec<(f64, bool, u64)> = Vec::with_capacity(2 * trace.len());
    for entry in trace {
        events.push((entry.start, true, entry.bytes));
        events.push((entry.start + entry.seconds, false, entry.bytes));
    }
    // At the same moment ends come before beginnings.
    events.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut held = vec![0u64; step.steps];
    let (mut now, mut last) = (0u64, 0usize);
    for (moment, begins, bytes) in events {
        let at = step.of(moment);
        held[last..=at].iter_mut().for_each(|most| *most = (*most).max(now));
        now = if begins { now.saturating_add(bytes) } else { now.saturating_sub(bytes) };
        held[at] = held[at].max(now);
        last = at;
    }
    held
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(task: &str, worker: usize, start: f64, seconds: f64, bytes: u64) -> TraceEntry {
        TraceEntry {
            phase: "p".into(),
            task: task.into(),
            row: 0,
            site: 0,
            worker,
            start,
            seconds,
            bytes,
            cause: "",
            outcome: crate::TraceOutcome::Computed,
        }
    }

    #[test]
    fn steps_belong_to_what_took_most_of_them() {
        let trace = [entry("a", 0, 0.0, 2.0, 5), entry("b", 0, 2.0, 1.0, 7), entry("b", 1, 1.0, 3.0, 10)];
        let schedule = Schedule::new(&trace, 4).unwrap();
        assert_eq!(schedule.lanes, [vec![(0, 2, 0), (2, 1, 1)], vec![(1, 3, 1)]]);
        assert_eq!(schedule.held, [5, 15, 17, 17]);
        assert_eq!(schedule.tasks[1].runs, 2);
        assert!(Schedule::new(&[], 4).is_none());
        assert!(Schedule::new(&[entry("a", 0, 0.0, 1.0, 0)], 4).unwrap().held.is_empty());
    }

    proptest! {
        #[test]
        fn no_moment_is_drawn_twice_and_the_most_held_is_seen(
            entries in prop::collection::vec((0..3usize, 0.0..9.0f64, 0.01..2.0f64, 1..100u64), 1..40),
        ) {
            let trace: Vec<TraceEntry> =
                entries.iter().map(|(w, start, s, bytes)| entry("t", *w, *start, *s, *bytes)).collect();
            let schedule = Schedule::new(&trace, 50).unwrap();
            for lane in &schedule.lanes {
                prop_assert!(lane.iter().all(|(first, count, _)| first + count <= 50));
                prop_assert!(lane.windows(2).all(|two| two[0].0 + two[0].1 <= two[1].0));
            }
            let at = |moment: f64| -> u64 {
                let runs = trace.iter().filter(|e| e.start <= moment && moment < e.start + e.seconds);
                runs.map(|e| e.bytes).sum()
            };
            let most = trace.iter().map(|e| at(e.start)).max();
            prop_assert_eq!(schedule.held.iter().max().copied(), most);
            prop_assert_eq!(schedule.tasks.iter().map(|t| t.runs).sum::<u64>(), trace.len() as u64);
        }
    }
}
