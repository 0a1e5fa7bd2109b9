//! A study that is asked of the engine, and what it answers.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use onceflow_engine::{
    EngineError, Level, Merge, OpenStudy, Progress, Run, RunFolder, RunSettings, Silent, indices_json,
    metrics_csv, rows_csv, run,
};
use onceflow_imageio::png_bytes;
use onceflow_region::{Bounds, Dense, Pixels};
use onceflow_study::{
    SourceText, Study, Workflow, WorkflowReference, parse_study, read_workflow, shipped_workflow,
};

pub const LEVELS: [Level; 6] = Level::ALL;

/// A study in a folder of its own.
pub struct Asked {
    pub folder: tempfile::TempDir,
    pub study: Study,
    pub workflow: Workflow,
    /// A file that is cut off after the study was opened, and whole again after the run.
    pub breaking: Option<&'static str>,
}

/// The tables and indices of a run, as they stand in its folder.
#[derive(Debug, PartialEq, Eq)]
pub struct Answered {
    pub rows: String,
    pub metrics: String,
    pub indices: String,
}

impl Asked {
    pub fn new(text: &str) -> Self {
        let file = parse_study(&SourceText::new("study.toml", text)).unwrap_or_else(|d| panic!("{d}"));
        let name = match file.workflow() {
            Some((WorkflowReference::Shipped(name), _)) => name.clone(),
            other => panic!("not shipped: {other:?}"),
        };
        let workflow = read_workflow(&shipped_workflow(&name).unwrap()).unwrap_or_else(|d| panic!("{d}"));
        let (study, said) = file.resolve(Some(&workflow), None);
        let study = study.unwrap_or_else(|| panic!("{said}"));
        Self { folder: tempfile::tempdir().unwrap(), study, workflow, breaking: None }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn open(&self) -> OpenStudy {
        OpenStudy::new(&self.study, &self.workflow, self.path()).unwrap()
    }

    pub fn run(&self, level: Level, workers: usize) -> Run {
        self.run_in(1 << 30, level, workers).unwrap()
    }

    pub fn run_in(&self, memory: u64, level: Level, workers: usize) -> Result<Run, EngineError> {
        self.run_with(Self::options(memory, level, workers))
    }

    pub fn options(memory: u64, level: Level, workers: usize) -> RunSettings {
        RunSettings { level, workers, memory, ..RunSettings::default() }
    }

    /// Runs with buckets.
    pub fn run_merged(&self, level: Level, merge: Merge) -> Run {
        let options = RunSettings { level, merge, workers: 2, memory: 1 << 30, ..RunSettings::default() };
        self.run_with(options).unwrap()
    }

    /// Runs in a folder that nobody has used: in any other a run would go on where it was interrupted.
    pub fn run_with(&self, options: RunSettings) -> Result<Run, EngineError> {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let name = format!("run-{}", RUNS.fetch_add(1, Ordering::Relaxed));
        self.run_into(&name, &options, &mut Silent)
    }

    pub fn run_into(
        &self,
        name: &str,
        options: &RunSettings,
        progress: &mut dyn Progress,
    ) -> Result<Run, EngineError> {
        let folder = RunFolder::create(&self.path().join(name)).unwrap();
        let study = self.open();
        let broken = self.breaking.as_ref().map(|file| {
            let path = self.path().join(file);
            let whole = std::fs::read(&path).unwrap();
            std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
            (path, whole)
        });
        let ran = run(&study, options, &folder, progress);
        broken.into_iter().for_each(|(path, whole)| std::fs::write(path, whole).unwrap());
        ran
    }

    /// Runs at every level on 1, 2 and 8 workers, and expects the same bytes each time.
    pub fn same_everywhere(&self) -> Run {
        let first = self.run(Level::None, 1);
        let expected = Answered::of(&first);
        for level in LEVELS {
            for workers in [1, 2, 8] {
                let found = Answered::of(&self.run(level, workers));
                assert!(
                    found == expected,
                    "{level:?} on {workers}\n{}\n\n{}",
                    expected.differing(&found),
                    expected.rows
                );
            }
        }
        first
    }
}

impl Answered {
    pub fn of(run: &Run) -> Self {
        let answer = &run.answer;
        let indices = format!("{:#}", indices_json(answer));
        Self { rows: rows_csv(answer), metrics: metrics_csv(answer), indices }
    }

    /// The first lines that differ.
    fn differing(&self, other: &Self) -> String {
        let texts =
            [(&self.rows, &other.rows), (&self.metrics, &other.metrics), (&self.indices, &other.indices)];
        let pairs = texts.iter().flat_map(|(a, b)| a.lines().zip(b.lines()));
        let lines =
            pairs.filter(|(a, b)| a != b).take(6).map(|(a, b)| format!("expected {a}\nfound    {b}\n"));
        lines.collect()
    }
}

/// How many rows and images ended with each status, in order of the status.
pub fn statuses(csv: &str, column: usize) -> Vec<(String, usize)> {
    let mut counts = std::collections::BTreeMap::new();
    for line in csv.lines().skip(1) {
        *counts.entry(line.split(',').nth(column).unwrap().to_owned()).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

/// Writes a colour image.
pub fn write_png(path: &Path, width: usize, height: usize, colour: impl Fn(usize, usize) -> [u8; 3]) {
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| colour(x, y));
    let dense = Dense::new(width, height, 3, Pixels::U8(pixels.collect())).unwrap();
    std::fs::write(path, png_bytes(&dense).unwrap()).unwrap();
}

/// Synthetic tissue on the left and clean glass on the right.
pub fn half_glass(path: &Path, width: usize, height: usize) {
    let tissue =
        onceflow_engine::open_image(&format!("synth:{width}x{height}?seed=3"), Path::new("")).unwrap();
    let pixels = tissue.read(Bounds::plane(0, 0, width as u64, height as u64).unwrap()).unwrap();
    let pixels = pixels.as_u8().unwrap();
    write_png(path, width, height, |x, y| {
        if x >= width / 2 { [250, 250, 250] } else { pixels[3 * (y * width + x)..][..3].try_into().unwrap() }
    });
}

/// Some parameters of every kind, from every task.
pub const PARAMETERS: &str = r#"
[parameters]
blue  = { from = 210, to = 240, step = 10 }
T1    = { from = 2.5, to = 7.5, step = 0.5 }
reconConnectivity = [4, 8]
fillHolesConnectivity = [4, 8]
G1    = { from = 5, to = 80, step = 5 }
minSize = { from = 2, to = 40, step = 2 }
G2    = { from = 2, to = 40, step = 2 }
minSizePl = { from = 5, to = 80, step = 5 }
watershedConnectivity = [4, 8]
minSizeSeg = { from = 2, to = 40, step = 2 }
"#;

/// Intervals come from few resamples: what is compared is bytes, not widths.
pub const QUICK: &str = "[run]\nresamples = 20\n";

/// Metrics against everything.
pub const METRICS: &str = r#"
[[metric]]
name = "dice"
of = "nuclei"
measure = "dice"
against = "truth"
[[metric]]
name = "change"
of = "nuclei"
measure = "pixel_difference"
against = "default"
[[metric]]
name = "apart"
of = "nuclei"
measure = "hausdorff_distance"
against = "truth"
[[metric]]
name = "density"
of = "nuclei"
measure = "objects_per_mm2"
"#;

/// Two images of which one has a truth.
pub const IMAGES: &str = r#"
[[image]]
name = "one"
file = "synth:96x80?seed=3"
truth = "synth:96x80?seed=3"
[[image]]
name = "two"
file = "synth:150x70?seed=11"
box = [10, 3, 110, 60]
"#;
