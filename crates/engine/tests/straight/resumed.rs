//! A run that was interrupted goes on where it was, whatever interrupted it, and ends with the same bytes.

use onceflow_engine::{Level, PhaseBegun, Progress, Run, RunEnding, RunSettings, TaskOver};
use std::sync::atomic::Ordering;

use crate::asked::{Answered, Asked, IMAGES, METRICS, PARAMETERS, QUICK, half_glass};

/// Stops a run after so many tasks.
struct Interrupt<'o> {
    options: &'o RunSettings,
    tasks: usize,
}

impl Progress for Interrupt<'_> {
    fn phase(&mut self, _: &PhaseBegun) {}

    fn task(&mut self, _: &TaskOver<'_>) {
        self.tasks = self.tasks.saturating_sub(1);
        if self.tasks == 0 {
            self.options.stop.store(true, Ordering::Relaxed);
        }
    }
}

const PHASES: &str = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 2\n\
    [[phase]]\nname = \"decompose\"\nmethod = \"vbd\"\nbase = 4\nkeep = [\"G1\", \"minSize\"]\n";

fn asked(run: &str) -> Asked {
    let glass = "[[image]]\nname = \"glass\"\nfile = \"glass.png\"\num_per_pixel = 0.5\n";
    let head = "name = \"resumed\"\nworkflow = \"nuclei\"\n";
    let parts = "[parts]\nsize = 48\nseams = \"independent\"\nbackground = \"keep\"\n";
    let asked = Asked::new(&format!("{head}{IMAGES}{glass}{parts}{PARAMETERS}{METRICS}{PHASES}{QUICK}{run}"));
    half_glass(&asked.path().join("glass.png"), 96, 48);
    asked
}

/// Runs to the end with an interruption after every so many tasks; says how often it was interrupted.
fn with_interruptions(asked: &Asked, name: &str, tasks: usize, levels: &[Level]) -> (Run, Vec<Run>) {
    let mut before = Vec::new();
    loop {
        let options = Asked::options(1 << 30, levels[before.len() % levels.len()], 2);
        let run = asked.run_into(name, &options, &mut Interrupt { options: &options, tasks }).unwrap();
        if run.ending == RunEnding::Complete {
            return (run, before);
        }
        assert_eq!(run.ending, RunEnding::Stopped);
        assert!(before.len() < 1000, "it never ends");
        before.push(run);
    }
}

#[test]
fn interrupted_again_and_again_it_ends_with_the_same_bytes() {
    let asked = asked("");
    let whole = asked.run(Level::Dataflow, 2);
    let expected = Answered::of(&whole);
    for (tasks, levels) in [
        (1000, vec![Level::Dataflow]),
        (400, vec![Level::Dataflow]),
        (700, vec![Level::None, Level::Task, Level::Dataflow]),
    ] {
        let (last, before) = with_interruptions(&asked, &format!("after-{tasks}"), tasks, &levels);
        assert!(!before.is_empty(), "it was never interrupted");
        assert!(Answered::of(&last) == expected, "after {} interruptions of {tasks} tasks", before.len());
        let work = &last.answer.work.tasks;
        assert!(work.resumed > 0.0 && work.computed < whole.answer.work.tasks.computed, "{work:?}");
    }
}

#[test]
fn regions_that_were_kept_stay_listed() {
    let asked = asked("keep_regions = [\"nuclei\", \"bw1\"]\n");
    let whole = asked.run(Level::Dataflow, 2);
    let (last, before) = with_interruptions(&asked, "kept", 700, &[Level::Dataflow]);
    assert!(!before.is_empty());
    assert_eq!(last.kept, whole.kept);
    for line in last.kept.unwrap().lines().skip(1) {
        let file = line.rsplit(',').next().unwrap();
        assert!(asked.path().join("kept").join(file).is_file(), "{file}");
    }
}

#[test]
fn a_region_of_the_reference_row_that_is_gone_is_made_again() {
    let asked = asked("");
    let expected = Answered::of(&asked.run(Level::Dataflow, 2));
    let options = Asked::options(1 << 30, Level::Dataflow, 2);
    asked.run_into("gone", &options, &mut Interrupt { options: &options, tasks: 600 }).unwrap();
    let saved = asked.path().join("gone/regions/reference");
    let files: Vec<_> = std::fs::read_dir(&saved).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!files.is_empty());
    std::fs::remove_file(&files[0]).unwrap();
    let options = Asked::options(1 << 30, Level::Dataflow, 2);
    let run = asked.run_into("gone", &options, &mut onceflow_engine::Silent).unwrap();
    assert!(Answered::of(&run) == expected);
}

#[test]
fn an_image_whose_file_changed_is_computed_again_and_another_study_takes_nothing_over() {
    let first = asked("");
    let options = Asked::options(1 << 30, Level::Dataflow, 2);
    first.run_into("shared", &options, &mut onceflow_engine::Silent).unwrap();
    half_glass(&first.path().join("glass.png"), 90, 48);
    let run = first.run_into("shared", &options, &mut onceflow_engine::Silent).unwrap();
    let fresh = first.run(Level::Dataflow, 2);
    assert_eq!(Answered::of(&run), Answered::of(&fresh), "the image is another one");
    assert!(run.answer.work.tasks.resumed > 0.0, "the others are the same");
    assert!(run.trace.len() < fresh.trace.len());
    let other = Asked { study: onceflow_study::Study { seed: 99, ..first.study.clone() }, ..first };
    let run = other.run_into("shared", &options, &mut onceflow_engine::Silent).unwrap();
    assert_eq!(run.answer.work.tasks.resumed, 0.0, "the study is another one");
}

const MORE: &str =
    "[[image]]\nname = \"more\"\nfile = \"synth:80x64?seed=6\"\ntruth = \"synth:80x64?seed=6\"\n";

/// A study of some images, in the given order.
fn of_images(images: &str, run: &str) -> Asked {
    let head = "name = \"images\"\nworkflow = \"nuclei\"\n";
    let parts = "[parts]\nsize = 48\nseams = \"independent\"\n";
    Asked::new(&format!("{head}{images}{parts}{PARAMETERS}{METRICS}{PHASES}{QUICK}{run}"))
}

/// How many tasks ran for the rows of the table; which row is proposed depends on the images.
fn ran(run: &onceflow_engine::Run) -> usize {
    run.trace.iter().filter(|entry| entry.phase != "proposed").count()
}

/// An image that is added, wherever it stands, is computed; what is known of the others is taken over, in all phases.
#[test]
fn an_added_image_is_computed_alone() {
    for run in ["", "keep_regions = [\"nuclei\"]\n"] {
        for (images, is_last) in [(format!("{IMAGES}{MORE}"), true), (format!("{MORE}{IMAGES}"), false)] {
            let (before, now) = (of_images(IMAGES, run), of_images(&images, run));
            let folder = onceflow_engine::RunFolder::create(&now.path().join("continued")).unwrap();
            let options = Asked::options(1 << 30, Level::Dataflow, 2);
            let study = before.open();
            onceflow_engine::run(&study, &options, &folder, &mut onceflow_engine::Silent).unwrap();
            let continued = now.run_into("continued", &options, &mut onceflow_engine::Silent).unwrap();
            let whole = now.run(Level::Dataflow, 2);
            assert_eq!(Answered::of(&continued), Answered::of(&whole));
            assert_eq!(continued.kept.is_some(), whole.kept.is_some());
            let alone = of_images(MORE, run).run(Level::Dataflow, 2);
            let [continued, alone, whole] = [&continued, &alone, &whole].map(ran);
            // Files of the others have other numbers when it comes first: the reference row, or all rows, are run again.
            if is_last {
                assert_eq!(continued, alone, "{run:?}");
            } else {
                assert!(continued >= alone && continued < whole, "{continued} {alone} {whole}");
            }
        }
    }
}
