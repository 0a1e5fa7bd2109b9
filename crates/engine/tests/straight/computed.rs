//! One meaning of "computed": phase lines, the account, the trace and the progress count the same tasks, and the account
//! balances, whatever becomes of a run.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use onceflow_engine::{
    Amounts, Level, PhaseBegun, Progress, Run, RunEnding, RunFolder, RunResult, RunSettings, Silent,
    TaskOver, TraceOutcome, run_study,
};

use crate::asked::{Answered, Asked, IMAGES, LEVELS, METRICS, PARAMETERS, QUICK, half_glass};

/// Counts computed tasks per phase as they are told of, and stops a run after so many tasks.
struct Counting<'o> {
    options: &'o RunSettings,
    tasks: usize,
    phase: String,
    computed: BTreeMap<String, u64>,
}

impl<'o> Counting<'o> {
    fn new(options: &'o RunSettings, tasks: usize) -> Self {
        Self { options, tasks, phase: String::new(), computed: BTreeMap::new() }
    }
}

impl Progress for Counting<'_> {
    fn phase(&mut self, phase: &PhaseBegun) {
        self.phase.clone_from(&phase.name);
    }

    fn task(&mut self, task: &TaskOver<'_>) {
        if task.failed.is_none() && !task.known {
            *self.computed.entry(self.phase.clone()).or_default() += 1;
        }
        self.tasks = self.tasks.saturating_sub(1);
        if self.tasks == 0 {
            self.options.stop.store(true, Ordering::Relaxed);
        }
    }
}

fn sum(amounts: &Amounts) -> f64 {
    let Amounts { asked: _, stage, task, dataflow, convergent, object, .. } = *amounts;
    let Amounts { products, ended_early, failed, resumed, computed, .. } = *amounts;
    stage + task + dataflow + convergent + object + products + ended_early + failed + resumed + computed
}

/// All that speaks of computed tasks says the same; gives their number.
fn agree(run: &Run, told: &BTreeMap<String, u64>, what: &str) -> u64 {
    let work = &run.answer.work;
    assert_eq!(sum(&work.tasks), work.tasks.asked, "{what}: {:?}", work.tasks);
    let seconds = (sum(&work.seconds) - work.seconds.asked).abs();
    assert!(seconds <= 1e-9 * work.seconds.asked.max(1.0), "{what}: {:?}", work.seconds);
    let mut traced = BTreeMap::<String, u64>::new();
    for entry in run.trace.iter().filter(|entry| entry.outcome == TraceOutcome::Computed) {
        *traced.entry(entry.phase.clone()).or_default() += 1;
    }
    assert_eq!(traced, *told, "{what}: the trace and the progress");
    for phase in &run.answer.phases {
        assert_eq!(phase.computed, traced.get(&phase.name).copied().unwrap_or(0), "{what}: {}", phase.name);
    }
    // The row that is proposed is in no phase and has amounts of its own.
    let proposed = traced.remove("proposed").unwrap_or(0);
    assert_eq!(sum(&work.proposed.tasks), work.proposed.tasks.asked, "{what}: {:?}", work.proposed);
    assert_eq!(
        work.proposed.tasks.computed, proposed as f64,
        "{what}: the proposed row: {:?}",
        work.proposed
    );
    assert!(work.proposed.wall <= work.wall, "{what}: {:?}", work.proposed);
    let all: u64 = traced.values().sum();
    assert_eq!(work.tasks.computed, all as f64, "{what}: the account and the trace: {:?}", work.tasks);
    let known = |is_proposed| {
        let entries = run.trace.iter().filter(|entry| entry.outcome == TraceOutcome::Known);
        entries.filter(|entry| (entry.phase == "proposed") == is_proposed).count() as f64
    };
    assert_eq!([work.tasks.object, work.proposed.tasks.object], [known(false), known(true)], "{what}");
    all + proposed
}

const PHASES: &str = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 2\n\
    [[phase]]\nname = \"decompose\"\nmethod = \"vbd\"\nbase = 4\nkeep = [\"G1\", \"minSize\"]\n";

fn study() -> Asked {
    let glass = "[[image]]\nname = \"glass\"\nfile = \"glass.png\"\num_per_pixel = 0.5\n";
    let head = "name = \"computed\"\nworkflow = \"nuclei\"\n";
    let parts = "[parts]\nsize = 48\nseams = \"independent\"\nbackground = \"keep\"\n";
    let asked = Asked::new(&format!("{head}{IMAGES}{glass}{parts}{PARAMETERS}{METRICS}{PHASES}{QUICK}"));
    half_glass(&asked.path().join("glass.png"), 96, 48);
    asked
}

/// Runs in a folder until it is over or so many tasks are.
fn run_until(asked: &Asked, name: &str, level: Level, tasks: usize) -> (Run, BTreeMap<String, u64>) {
    let options = Asked::options(1 << 30, level, 2);
    let mut counting = Counting::new(&options, tasks);
    let run = asked.run_into(name, &options, &mut counting).unwrap();
    (run, counting.computed)
}

#[test]
fn a_plain_run_counts_the_same_everywhere() {
    let asked = study();
    for level in LEVELS {
        let (run, told) = run_until(&asked, &format!("plain-{level}"), level, usize::MAX);
        agree(&run, &told, &format!("{level}"));
        assert_eq!(run.answer.work.tasks.resumed, 0.0);
    }
}

#[test]
fn a_stopped_run_and_the_one_that_resumes_it_count_what_each_computed() {
    let asked = study();
    for level in LEVELS {
        let name = format!("stopped-{level}");
        let (mut computed, mut stops) = (0, 0);
        loop {
            let (run, told) = run_until(&asked, &name, level, 300);
            computed += agree(&run, &told, &format!("{level} after {stops} stops"));
            if run.ending == RunEnding::Complete {
                assert!(run.answer.work.tasks.resumed > 0.0 && computed > 0, "{level}");
                assert_eq!(Answered::of(&run), Answered::of(&asked.run(Level::Dataflow, 2)), "{level}");
                break;
            }
            assert_eq!(run.ending, RunEnding::Stopped);
            assert!(told.values().sum::<u64>() > 0, "{level}: what a stopped run computed counts");
            stops += 1;
        }
        assert!(stops > 0, "{level}");
    }
}

#[test]
fn failed_tasks_are_not_computed() {
    let mut asked = Asked::new(&format!(
        "name = \"failing\"\nworkflow = \"nuclei\"\n[[image]]\nname = \"one\"\nfile = \"synth:96x80?seed=3\"\n\
         [[image]]\nname = \"two\"\nfile = \"synth:64x64?seed=8\"\ntruth = \"broken.png\"\n\
         [parts]\nsize = 32\nseams = \"independent\"\n\
         [parameters]\nG1 = [20, 80]\nG2 = [10, 45]\n{METRICS}[[phase]]\nname = \"sweep\"\nmethod = \"grid\"\n\
         [run]\nstop_above = 1.0\n"
    ));
    crate::failures::write_truth(&asked.path().join("broken.png"));
    asked.breaking = Some("broken.png");
    for level in LEVELS {
        let (run, told) = run_until(&asked, &format!("failing-{level}"), level, usize::MAX);
        agree(&run, &told, &format!("{level}"));
        assert!(run.trace.iter().any(|entry| entry.outcome == TraceOutcome::Failed));
        assert!(run.answer.work.tasks.failed > 0.0 && run.answer.phases[0].failed > 0);
        // The rows that failed are tried again, the others are resumed.
        let (again, told) = run_until(&asked, &format!("failing-{level}"), level, usize::MAX);
        agree(&again, &told, &format!("{level}, once more"));
        assert!(again.answer.work.tasks.resumed > 0.0);
    }
}

#[test]
fn a_run_of_which_all_is_known_computes_nothing() {
    let asked = study();
    asked.run_into("known", &Asked::options(1 << 30, Level::Object, 2), &mut Silent).unwrap();
    let (run, told) = run_until(&asked, "known", Level::Object, usize::MAX);
    assert_eq!(agree(&run, &told, "all is known"), 0);
    assert_eq!(run.answer.work.tasks.resumed, run.answer.work.tasks.asked);
}

/// The time of a run is that of its command, until all is written.
#[test]
fn the_time_of_a_run_is_that_of_its_command() {
    let (asked, before) = (study(), Duration::from_secs(1000));
    let began = Instant::now().checked_sub(before);
    let settings = RunSettings { began, ..Asked::options(1 << 30, Level::Object, 2) };
    let folder = RunFolder::create(&asked.path().join("timed")).unwrap();
    let start = Instant::now();
    let RunResult::Ran(run) = run_study(&asked.open(), &settings, &folder, &mut Silent).unwrap() else {
        panic!("the folder was empty")
    };
    let json = std::fs::read_to_string(folder.path().join("run.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["wall_s"].as_f64(), Some(run.answer.work.wall));
    let most = start.elapsed() + before;
    let last = run.trace.iter().map(|entry| entry.start + entry.seconds).fold(0.0, f64::max);
    assert!((1000.0 + last..=most.as_secs_f64()).contains(&run.answer.work.wall), "{}", run.answer.work.wall);
}
