//! Equal tasks and equal objects of two phases are computed once.

use onceflow_engine::{Level, Run};

use crate::asked::{Answered, Asked, IMAGES, LEVELS, METRICS, PARAMETERS, QUICK};

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

/// A call of a task that looked objects up: phase, task, row, number of objects and of known ones, rows that made these.
struct Call {
    phase: String,
    task: String,
    row: usize,
    objects: u64,
    known: u64,
    from: Vec<(usize, u64)>,
}

fn calls(run: &Run) -> Vec<Call> {
    let call = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let origin = |text: &str| {
            let (row, count) = text.split_once(':').unwrap();
            (row.parse().unwrap(), count.parse().unwrap())
        };
        Call {
            phase: fields[0].into(),
            task: fields[1].into(),
            row: fields[3].parse().unwrap(),
            objects: fields[4].parse().unwrap(),
            known: fields[5].parse().unwrap(),
            from: fields[6].split_whitespace().map(origin).collect(),
        }
    };
    run.objects.lines().skip(1).map(call).collect()
}

/// Objects that rows of the second phase took from rows of the first, task by task.
fn carried(run: &Run) -> std::collections::BTreeMap<String, u64> {
    let first = run.answer.phases[1].rows.start;
    let mut carried = std::collections::BTreeMap::new();
    for call in calls(run) {
        assert!(call.known <= call.objects);
        let of_phase = if call.phase == run.answer.phases[0].name { 0..first } else { first..usize::MAX };
        assert!(of_phase.contains(&call.row), "row {} of {}", call.row, call.phase);
        let earlier = call.from.iter().filter(|(row, _)| *row < first).map(|(_, count)| count).sum::<u64>();
        if call.row >= first && earlier > 0 {
            *carried.entry(call.task).or_insert(0) += earlier;
        }
    }
    carried
}

#[test]
fn objects_of_the_first_phase_are_known_in_the_second() {
    let asked = study();
    let none = asked.run(Level::None, 2);
    for workers in [1, 2] {
        let run = asked.run(Level::Object, workers);
        assert_eq!(Answered::of(&run), Answered::of(&none));
        let carried = carried(&run);
        assert!(carried.get("t6_flood").is_some_and(|objects| *objects > 0), "{carried:?}");
        let counts: u64 = run.answer.work.objects.values().map(|counts| counts.found).sum();
        let listed: u64 = calls(&run).iter().map(|call| call.known).sum();
        assert!(counts >= listed, "{counts} {listed}: groups of objects are counted and not listed");
    }
}

/// The second phase asks for the rows of the first once more.
fn repeated(parts: &str) -> Asked {
    let head = "name = \"repeated\"\nworkflow = \"nuclei\"\nseed = 5\n";
    let parameters = "[parameters]\nG1 = [20, 50, 80]\nG2 = [10, 30]\nminSizeSeg = [2, 20]\n";
    let phase = |name: &str| format!("[[phase]]\nname = \"{name}\"\nmethod = \"grid\"\n");
    let phases = format!("{}{}", phase("screen"), phase("decompose"));
    Asked::new(&format!("{head}{IMAGES}{parts}{parameters}{METRICS}{phases}"))
}

#[test]
fn rows_of_the_first_phase_are_not_computed_again() {
    for parts in ["", "[parts]\nsize = 48\nseams = \"independent\"\n"] {
        let asked = repeated(parts);
        let none = asked.run(Level::None, 2);
        for level in LEVELS {
            let run = asked.run(level, 2);
            assert_eq!(Answered::of(&run), Answered::of(&none), "{level}");
            let again = run.trace.iter().filter(|entry| entry.phase == "decompose");
            let again: std::collections::BTreeSet<&str> = again.map(|entry| entry.task.as_str()).collect();
            match level {
                // Results with a status are not kept: the task that finds no candidates runs again.
                Level::Convergent | Level::Object => assert!(again.iter().all(|t| *t == "t4"), "{again:?}"),
                // The reference row is a task of the first phase and a file of the second: comparisons run again.
                Level::Dataflow => assert!(again.iter().all(|t| ["t4", "compare"].contains(t)), "{again:?}"),
                _ => assert!(again.len() > 5, "{level}"),
            }
        }
    }
}

#[test]
fn every_bound_of_memory_holds_over_phases_and_changes_nothing() {
    let parts = "[parts]\nsize = 32\nseams = \"independent\"\n";
    for asked in [repeated(parts), study()] {
        let none = Answered::of(&asked.run(Level::None, 2));
        let needed = match asked.run_in(1000, Level::Object, 2) {
            Err(onceflow_engine::EngineError::Memory { needed, .. }) => needed,
            other => panic!("{other:?}"),
        };
        for memory in [needed, needed * 5 / 4, needed * 2, needed * 8] {
            let run = asked.run_in(memory, Level::Object, 2).unwrap();
            assert_eq!(Answered::of(&run), none, "{memory}");
            assert!(run.answer.work.peak_reserved <= memory, "{} {memory}", run.answer.work.peak_reserved);
            carried(&run);
        }
    }
}
