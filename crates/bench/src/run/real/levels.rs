//! The levels of reuse: the clock, the work, whether all found the same, and whether the plan had foreseen it.

use std::path::{Path, PathBuf};

use onceflow_terminal::{Failure, Terminal};
use serde_json::Value;

use super::super::{WORKERS, figure};
use super::{PaperStudy, StudyFolder, StudyRun, beyond};
use crate::figure::{BenchFigure, Goal};
use crate::kernels::{normalize, read_colours};
use crate::program::{self, failed};

/// A way to run a study: its name, and the options that say it.
struct ReuseWay {
    name: &'static str,
    options: &'static [&'static str],
}

/// The dearest first.
const WAYS: [ReuseWay; 6] = [
    ReuseWay { name: "none", options: &["--reuse", "none"] },
    ReuseWay { name: "stage", options: &["--reuse", "stage"] },
    ReuseWay { name: "rtma 7", options: &["--reuse", "task", "--merge", "rtma", "--max-bucket-size", "7"] },
    ReuseWay { name: "dataflow", options: &["--reuse", "dataflow"] },
    ReuseWay { name: "convergent", options: &["--reuse", "convergent"] },
    ReuseWay { name: "object", options: &["--reuse", "object"] },
];

/// Ways of which everything is known before anything runs.
const PLANNED: [&str; 3] = ["stage", "rtma 7", "dataflow"];

fn is_planned(way: &ReuseWay) -> bool {
    way.name == "none" || PLANNED.contains(&way.name)
}

fn is_wanted(way: &ReuseWay, only_beyond: bool) -> bool {
    !only_beyond || ["none", "rtma 7", "object"].contains(&way.name)
}

/// A study that was run in a way, and two quarters of it with other rows, by whose costs it is foreseen: a prediction from the
/// runs that it is about would be none, and who plans a large study has run a small one.
pub(super) struct MeasuredWay {
    way: &'static ReuseWay,
    /// The soonest.
    pub(super) ran: StudyRun,
    /// Seconds of each round.
    walls: Vec<f64>,
    /// The costs of each round's pilots.
    pilots: Vec<[PathBuf; 2]>,
}

/// How often each way is run, all of them in turn: the soonest counts, since machines are disturbed for a while, and what is
/// short meets a quiet moment less often by itself.
const ROUNDS: usize = 9;

/// How often what took so many seconds is run.
fn rounds(wall: f64) -> usize {
    match wall {
        wall if wall > 30.0 => 1,
        wall if wall > 15.0 => 5,
        _ => ROUNDS,
    }
}

/// Runs a study in every way, or only without reuse, as published, and with all of it.
pub(super) fn run_all(
    place: &StudyFolder,
    design: PaperStudy,
    only_beyond: bool,
    terminal: &Terminal,
) -> Result<Vec<MeasuredWay>, Failure> {
    let mut runs: Vec<MeasuredWay> = Vec::new();
    for round in 1..=ROUNDS {
        for way in WAYS.iter().filter(|way| is_wanted(way, only_beyond)) {
            let _progress = terminal.progress(format!("running {}: {}, {round}", design.name(), way.name));
            let before = runs.iter().position(|run| run.way.name == way.name);
            if before.is_some_and(|at| round > rounds(runs[at].ran.wall)) {
                continue;
            }
            let is_foreseen = !only_beyond && is_planned(way);
            let pilot = |seed| is_foreseen.then(|| run_pilot(place, design, way, round, seed)).transpose();
            let sooner = pilot(SEEDS[0])?;
            let ran = run_once(place, design, way, round, runs.first())?;
            let pilots = sooner.zip(pilot(SEEDS[1])?).map(<[PathBuf; 2]>::from);
            match before {
                Some(at) => runs[at].add(ran, pilots),
                None => {
                    runs.push(MeasuredWay { way, walls: vec![ran.wall], ran, pilots: Vec::from_iter(pilots) })
                }
            }
        }
    }
    Ok(runs)
}

impl MeasuredWay {
    fn add(&mut self, ran: StudyRun, pilots: Option<[PathBuf; 2]>) {
        self.walls.push(ran.wall);
        self.pilots.extend(pilots);
        if ran.wall < self.ran.wall {
            self.ran = ran;
        }
    }
}

/// The run without anything that shows only while it runs.
pub(super) fn dataflow(runs: Vec<MeasuredWay>) -> Option<StudyRun> {
    runs.into_iter().find(|run| run.way.name == "dataflow").map(|run| run.ran)
}

/// What digests are worth is decided by what tasks cost here without reuse: every user has run something before.
fn run_once(
    place: &StudyFolder,
    design: PaperStudy,
    way: &ReuseWay,
    round: usize,
    none: Option<&MeasuredWay>,
) -> Result<StudyRun, Failure> {
    let name = format!("{}-{round}", way.name.replace(' ', "-"));
    let known = place.path(&format!("costs-{name}.jsonl"));
    let mut options: Vec<String> = way.options.iter().map(|option| option.to_string()).collect();
    if let Some(none) = none.filter(|_| !is_planned(way)) {
        std::fs::copy(none.ran.folder.join("costs.jsonl"), &known).map_err(failed)?;
        options.extend(["--costs".to_owned(), known.display().to_string()]);
    }
    place.run(design, &name, &options.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The seeds of the pilots before and after what they are to foresee.
const SEEDS: [usize; 2] = [2, 3];

/// Runs a quarter of a study, and says where its costs are.
fn run_pilot(
    place: &StudyFolder,
    design: PaperStudy,
    way: &ReuseWay,
    round: usize,
    seed: usize,
) -> Result<PathBuf, Failure> {
    let name = format!("{design:?}-pilot-{seed}-{}-{round}", way.name.replace(' ', "-"));
    place.use_memory();
    let ran = StudyRun::of(&place.pilot(design, seed)?, &place.path(&name), way.options)?;
    Ok(ran.folder.join("costs.jsonl"))
}

/// What tasks cost in the pilots of a round, as one file.
fn pilot_costs(
    place: &StudyFolder,
    design: PaperStudy,
    runs: &[MeasuredWay],
    round: usize,
) -> Result<PathBuf, Failure> {
    let text = |costs: &PathBuf| std::fs::read_to_string(costs).map_err(failed);
    let pilots = runs.iter().filter_map(|run| run.pilots.get(round)).flatten();
    let lines: String = pilots.map(text).collect::<Result<_, _>>()?;
    let path = place.path(&format!("costs-of-{design:?}-{round}.jsonl"));
    std::fs::write(&path, &lines).map_err(failed)?;
    Ok(path)
}

/// All figures of a study.
pub(super) fn figures(
    place: &StudyFolder,
    design: PaperStudy,
    runs: &[MeasuredWay],
) -> Result<Vec<BenchFigure>, Failure> {
    let of = |name: &str| runs.iter().find(|run| run.way.name == name);
    let (Some(none), Some(baseline), Some(best)) = (of("none"), of("rtma 7"), of("object")) else {
        return Ok(Vec::new());
    };
    let mut figures: Vec<BenchFigure> = runs.iter().flat_map(|run| way(design, run, &none.ran)).collect();
    if let Some(dataflow) = of("dataflow") {
        let least = if design == PaperStudy::Moat { 1.4 } else { 1.0 };
        let ratio = baseline.ran.wall / dataflow.ran.wall;
        let name = format!("{}: rtma 7 over dataflow, wall time", design.name());
        figures.push(BenchFigure { goal: Some(Goal::AtLeast(least)), ..figure(name, ratio, "x") });
    }
    let rounds = 0..none.pilots.len();
    let costs = rounds.map(|round| pilot_costs(place, design, runs, round)).collect::<Result<Vec<_>, _>>()?;
    let plans = PilotPlans { study: place.study(design)?, costs };
    for run in runs.iter().filter(|run| PLANNED.contains(&run.way.name) && !run.pilots.is_empty()) {
        figures.push(plans.foreseen(design, run, none)?);
    }
    figures.push(equal(design, runs));
    let normalized = normalize(&read_colours(Some(&place.image), u64::from(u32::MAX))?);
    figures.extend(beyond::figures(place, design, [none, baseline, best], normalized.view())?);
    Ok(figures)
}

fn way(design: PaperStudy, run: &MeasuredWay, none: &StudyRun) -> Vec<BenchFigure> {
    let name = |what: &str| format!("{}, {}: {what}", design.name(), run.way.name);
    let floor = run.ran.busy / WORKERS as f64;
    let wall = figure(name("wall time (peer: none)"), run.ran.wall, "s");
    vec![
        BenchFigure { peer: Some(none.wall), ..wall },
        figure(name("wall time over its floor, seconds in tasks / 2"), run.ran.wall / floor, ""),
        figure(name("tasks executed"), run.ran.tasks as f64, ""),
        figure(name("share of segmentation's cost executed"), run.ran.cost / none.cost, ""),
        figure(name("resident peak"), run.ran.resident as f64 / 1e6, "MB"),
    ]
}

/// Plans of a study by what tasks cost in runs of another.
struct PilotPlans {
    study: PathBuf,
    /// Round by round.
    costs: Vec<PathBuf>,
}

impl PilotPlans {
    /// How many times sooner than without reuse it was done, over what the plans say: the mean of the middle half of the
    /// rounds, each by the costs of its own pilots. These run right before and after what they are to foresee, so that they
    /// mostly meet the same disturbances; rounds in which only one was disturbed are the first and last ones.
    fn foreseen(
        &self,
        design: PaperStudy,
        run: &MeasuredWay,
        none: &MeasuredWay,
    ) -> Result<BenchFigure, Failure> {
        let rounds = self.costs.iter().zip(none.walls.iter().zip(&run.walls));
        let value = |(costs, (none_wall, wall)): (&PathBuf, (&f64, &f64))| {
            let planned = self.makespan(none.way, costs)? / self.makespan(run.way, costs)?;
            Ok(none_wall / wall / planned)
        };
        let mut values = rounds.map(value).collect::<Result<Vec<f64>, Failure>>()?;
        values.sort_by(f64::total_cmp);
        let middle = &values[values.len() / 4..values.len() - values.len() / 4];
        let value = middle.iter().sum::<f64>() / middle.len() as f64;
        let (name, way) = (design.name(), run.way.name);
        let name =
            format!("{name}: none over {way}, measured over planned by costs of half as many other rows");
        Ok(BenchFigure { goal: Some(Goal::Between(0.95, 1.05)), ..figure(name, value, "") })
    }

    fn makespan(&self, way: &ReuseWay, costs: &Path) -> Result<f64, Failure> {
        let (study, costs) = (self.study.display().to_string(), costs.display().to_string());
        // The runs had the tasks of the papers too.
        let mut arguments = vec!["plan", &study, "--costs", &costs, "--granularity", "written"];
        arguments.extend(["--workers", "2", "--json"]);
        arguments.extend(way.options);
        let said = program::run(&arguments, std::time::Duration::from_secs(600))?.stdout;
        let json: Value = serde_json::from_str(&said).map_err(failed)?;
        json["makespan_s"].as_f64().ok_or_else(|| failed("a plan without makespan_s"))
    }
}

/// Reuse never changes a result: the tables are equal to the last digit.
fn equal(design: PaperStudy, runs: &[MeasuredWay]) -> BenchFigure {
    let equal = runs.iter().filter(|run| run.ran.rows == runs[0].ran.rows).count();
    let name = format!("{}: share of ways whose table equals that of none", design.name());
    BenchFigure { goal: Some(Goal::AtLeast(1.0)), ..figure(name, equal as f64 / runs.len() as f64, "") }
}

/// What a second worker brings.
pub(super) fn one_worker(
    place: &StudyFolder,
    two: &StudyRun,
    terminal: &Terminal,
) -> Result<Vec<BenchFigure>, Failure> {
    let _progress = terminal.progress("running MOAT 640 with one worker");
    let one = place.run(PaperStudy::Moat, "alone", &["--reuse", "dataflow", "--workers", "1"])?;
    let name = |what: &str| format!("MOAT 640, dataflow: {what}");
    let efficiency = one.wall / (2.0 * two.wall);
    // Tasks do the same beside each other as alone: what they take longer is what they wait for memory and caches.
    let bandwidth = 1.0 - one.busy / two.busy;
    let idle = 1.0 - two.busy / (2.0 * two.wall);
    Ok(vec![
        BenchFigure {
            goal: Some(Goal::AtLeast(0.92)),
            ..figure(name("efficiency of two workers"), efficiency, "")
        },
        figure(name("share of two workers' time lost to memory bandwidth and shared caches"), bandwidth, ""),
        figure(name("share of two workers' time outside tasks"), idle, ""),
    ])
}
