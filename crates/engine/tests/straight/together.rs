//! Two runs in one process do not disturb each other.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use onceflow_engine::{
    Amounts, ImageWatch, OpenStudy, PhaseBegun, PictureChoice, Progress, RowOver, RunEnding, RunFolder,
    RunResult, RunSettings, SettingsLayers, Silent, StopFlag, StoreFolder, StudyInput, TaskOver, open_study,
    run_study, stored_phases,
};

use crate::asked::{METRICS, PARAMETERS, QUICK};

fn study(seed: u64) -> OpenStudy {
    study_with(seed, METRICS)
}

/// The same with other metrics.
fn study_with(seed: u64, metrics: &str) -> OpenStudy {
    let image = format!(
        "[[image]]\nname = \"tile\"\nfile = \"synth:160x120?seed={seed}\"\ntruth = \"synth:160x120?seed={seed}\"\n"
    );
    let phase = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 3\n";
    let text =
        format!("name = \"t\"\nworkflow = \"nuclei\"\nseed = 5\n{image}{PARAMETERS}{metrics}{phase}{QUICK}");
    let input = StudyInput::Text { text, folder: std::env::temp_dir() };
    open_study(input, &SettingsLayers::default()).unwrap()
}

fn settings(memory: u64) -> RunSettings {
    RunSettings { memory, workers: 2, pictures: PictureChoice::None, ..RunSettings::default() }
}

fn rows(study: &OpenStudy, settings: &RunSettings, progress: &mut dyn Progress) -> (String, RunEnding) {
    let folder = tempfile::tempdir().unwrap();
    let result = run_study(study, settings, &RunFolder::new(folder.path()), progress).unwrap();
    let RunResult::Ran(run) = result else { panic!("the folder was empty") };
    (std::fs::read_to_string(folder.path().join("rows.csv")).unwrap(), run.ending)
}

/// Stops a run after its first row.
struct StopAfterOne(StopFlag);

impl Progress for StopAfterOne {
    fn phase(&mut self, _: &PhaseBegun) {}

    fn row(&mut self, _: &RowOver<'_>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn images_are_counted_while_a_study_is_opened() {
    let image = |n: u64| {
        format!(
            "[[image]]\nname = \"i{n}\"\nfile = \"synth:40x30?seed={n}\"\ntruth = \"synth:40x30?seed={n}\"\n"
        )
    };
    let images: String = (0..5).map(image).collect();
    let phase = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 3\n";
    let text =
        format!("name = \"t\"\nworkflow = \"nuclei\"\nseed = 5\n{images}{PARAMETERS}{METRICS}{phase}{QUICK}");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&seen);
    let watch = ImageWatch::new(move |step| told.lock().unwrap().push((step.task, step.done, step.of)));
    let layers = SettingsLayers { watch_images: watch, ..SettingsLayers::default() };
    open_study(StudyInput::Text { text, folder: std::env::temp_dir() }, &layers).unwrap();
    let mut seen = seen.lock().unwrap().clone();
    seen.sort_unstable();
    let each = |task| (1..=5).map(move |done| (task, done, 5));
    assert_eq!(seen, each("image").chain(each("tissue of image")).collect::<Vec<_>>());
}

#[test]
fn runs_side_by_side_give_what_each_gives_alone() {
    let (one, other) = (study(1), study(2));
    let (little, ample) = (settings(64 << 20), settings(1 << 30));
    let alone = [rows(&one, &little, &mut Silent), rows(&other, &ample, &mut Silent)];
    let together = std::thread::scope(|scope| {
        let first = scope.spawn(|| rows(&one, &little, &mut Silent));
        let second = scope.spawn(|| rows(&other, &ample, &mut Silent));
        [first.join().unwrap(), second.join().unwrap()]
    });
    assert_eq!(alone, together);
    assert_ne!(together[0].0, together[1].0, "they are of two images");
}

#[test]
fn stopping_one_run_leaves_the_other() {
    let (one, other) = (study(3), study(3));
    let (stopped, whole) = (settings(1 << 30), settings(1 << 30));
    let (first, second) = std::thread::scope(|scope| {
        let stop = StopAfterOne(StopFlag::clone(&stopped.stop));
        let first = scope.spawn(|| rows(&one, &stopped, &mut { stop }));
        let second = scope.spawn(|| rows(&other, &whole, &mut Silent));
        (first.join().unwrap(), second.join().unwrap())
    });
    assert_eq!((first.1, second.1), (RunEnding::Stopped, RunEnding::Complete));
    assert_eq!(second.0, rows(&other, &settings(1 << 30), &mut Silent).0);
}

/// Stops the run with the fourth task that it computes, and notes which tasks these are.
struct StopWhileComparing {
    stop: StopFlag,
    tasks: Vec<usize>,
}

impl Progress for StopWhileComparing {
    fn phase(&mut self, _: &PhaseBegun) {}

    fn task(&mut self, over: &TaskOver<'_>) {
        self.tasks.push(over.task);
        // The reference row is compared first; rows after it count as taken.
        self.stop.store(self.tasks.len() >= 4, Ordering::Relaxed);
    }
}

fn balanced(tasks: &Amounts) {
    let saved = tasks.stage + tasks.task + tasks.dataflow + tasks.convergent + tasks.object + tasks.products;
    let all = saved + tasks.ended_early + tasks.failed + tasks.resumed + tasks.computed;
    assert_eq!(tasks.asked, all, "{tasks:?}");
}

#[test]
fn a_run_that_is_stopped_while_stored_rows_are_compared_has_a_balanced_account_and_goes_on() {
    const CHANGE: &str = "[[metric]]\nname = \"change\"\nof = \"nuclei\"\nmeasure = \"pixel_difference\"\nagainst = \"default\"\n";
    let store = tempfile::tempdir().unwrap();
    let settings = |store: Option<StoreFolder>| RunSettings { store, ..settings(1 << 30) };
    let with_store = || settings(Some(StoreFolder::new(store.path())));
    assert_eq!(rows(&study_with(3, CHANGE), &with_store(), &mut Silent).1, RunEnding::Complete);
    let (added, folder) = (study(3), tempfile::tempdir().unwrap());
    let run_into = |settings: &RunSettings, progress: &mut dyn Progress| match run_study(
        &added,
        settings,
        &RunFolder::new(folder.path()),
        progress,
    )
    .unwrap()
    {
        RunResult::Ran(run) => run,
        RunResult::AlreadyComplete(_) => panic!("it was stopped"),
    };
    let stopped = RunSettings { workers: 1, ..with_store() };
    let mut stop = StopWhileComparing { stop: StopFlag::clone(&stopped.stop), tasks: Vec::new() };
    let run = run_into(&stopped, &mut stop);
    assert_eq!(run.ending, RunEnding::Stopped);
    assert!(!stop.tasks.is_empty(), "something was compared");
    let done = run.answer.table.rows.len();
    assert!(done > 0 && done < 13, "{done} rows were compared until then");
    balanced(&run.answer.work.tasks);
    let computed = run.answer.work.tasks.computed;
    assert_eq!(
        run.trace.len() as f64,
        computed,
        "all that was computed is in the trace, and is a comparison"
    );
    assert!(run.trace.iter().all(|entry| entry.task.starts_with("compare")), "{:?}", run.trace);
    assert!(run.answer.work.tasks.products > 0.0, "what made the outputs is taken");
    let whole = run_into(&with_store(), &mut Silent);
    assert_eq!(whole.ending, RunEnding::Complete);
    balanced(&whole.answer.work.tasks);
    let rows_csv = std::fs::read_to_string(folder.path().join("rows.csv")).unwrap();
    assert_eq!(rows_csv, rows(&added, &settings(None), &mut Silent).0);
}

/// When a row is over, waits until the store has what was published, and runs the same study beside.
struct RunBeside<'a> {
    study: &'a OpenStudy,
    settings: &'a RunSettings,
    rows: usize,
    taken: Option<f64>,
}

impl Progress for RunBeside<'_> {
    fn phase(&mut self, _: &PhaseBegun) {}

    fn row(&mut self, _: &RowOver<'_>) {
        self.rows += 1;
        if self.rows != 3 {
            return;
        }
        let end = Instant::now() + Duration::from_secs(60);
        let stored = || stored_phases(self.study, self.settings, &|_| ()).unwrap().unwrap()[0].found.unwrap();
        while stored().taken == 0 {
            assert!(Instant::now() < end, "nothing was published in a minute");
            std::thread::sleep(Duration::from_millis(20));
        }
        let folder = tempfile::tempdir().unwrap();
        let run = run_study(self.study, self.settings, &RunFolder::new(folder.path()), &mut Silent).unwrap();
        let RunResult::Ran(run) = run else { panic!("the folder was empty") };
        self.taken = Some(run.answer.work.tasks.products);
    }
}

#[test]
fn results_of_a_study_that_runs_are_there_for_another_run() {
    let (study, store) = (study(3), tempfile::tempdir().unwrap());
    let settings = RunSettings { store: Some(StoreFolder::new(store.path())), ..settings(1 << 30) };
    let mut beside = RunBeside { study: &study, settings: &settings, rows: 0, taken: None };
    let (first, ending) = rows(&study, &settings, &mut beside);
    assert_eq!(ending, RunEnding::Complete);
    assert!(beside.taken.unwrap() > 0.0, "{:?}", beside.taken);
    assert_eq!(first, rows(&study, &RunSettings { store: None, ..settings.clone() }, &mut Silent).0);
}
