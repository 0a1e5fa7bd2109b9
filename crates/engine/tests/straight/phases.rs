//! Equal tasks of two phases run once.

use onceflow_engine::{Level, Run};

use crate::asked::{Answered, Asked, METRICS, PARAMETERS, QUICK};

fn study() -> Asked {
    let image =
        "[[image]]\nname = \"tile\"\nfile = \"synth:200x150?seed=4\"\ntruth = \"synth:200x150?seed=4\"\n";
    let screen = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 2\n";
    let decompose = "[[phase]]\nname = \"decompose\"\nmethod = \"vbd\"\nbase = 4\nkeep = { phase = \"screen\", metric = \"dice\", share = 0.1 }\n";
    let head = "name = \"phases\"\nworkflow = \"nuclei\"\nseed = 5\n";
    Asked::new(&format!("{head}{image}{PARAMETERS}{METRICS}{screen}{decompose}{QUICK}"))
}

/// How often a task ran in each phase.
fn runs(run: &Run, task: &str) -> [usize; 2] {
    let count = |phase: &str| run.trace.iter().filter(|e| e.phase == phase && e.task == task).count();
    ["screen", "decompose"].map(count)
}

#[test]
fn a_task_without_parameters_runs_once_in_all_phases() {
    let asked = study();
    let none = asked.run(Level::None, 2);
    for level in [Level::Dataflow, Level::Convergent, Level::Object] {
        let run = asked.run(level, 2);
        assert_eq!(runs(&run, "normalize"), [1, 0], "{level}");
        assert_eq!(Answered::of(&run), Answered::of(&none), "{level}");
        let tasks = &run.answer.work.tasks;
        let merged = tasks.stage + tasks.task + tasks.dataflow + tasks.convergent + tasks.object;
        let rest = tasks.products + tasks.ended_early + tasks.failed + tasks.resumed + tasks.computed;
        assert_eq!(tasks.asked, merged + rest, "{level}: the account balances");
        assert_eq!(tasks.products, 0.0, "{level}: no earlier run served anything");
    }
    for level in [Level::Stage, Level::Task] {
        assert_eq!(runs(&asked.run(level, 2), "normalize"), [1, 1], "{level}: as published");
    }
}

#[test]
fn little_memory_drops_results_and_changes_nothing() {
    let asked = study();
    let none = asked.run(Level::None, 1);
    for memory in [6 << 20, 12 << 20, 40 << 20] {
        let run = asked.run_in(memory, Level::Object, 2).unwrap();
        assert_eq!(Answered::of(&run), Answered::of(&none), "{memory}");
        assert!(run.answer.work.peak_reserved <= memory);
    }
}
