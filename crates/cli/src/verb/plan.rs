//! `onceflow plan`: what a run would compute, and what it reuses.

mod alternatives;
mod attributes;
mod files;
mod looks;
mod rules;
mod stored;
mod tasks;

use std::path::Path;
use std::time::Instant;

use onceflow_engine::{
    BucketFigures, Foreseen, LaterFigures, LaterPhase, LeftPhase, LeftWork, OpenStudy, PhaseBasis, Planned,
    WorkEngine, grain_json, left_to_compute, plan_study, read_profile, stored_phases,
};
use onceflow_study::{Size, counted, with_commas};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::{Value, json};

use crate::args::{PlanArgs, SettingsArgs};
use crate::run_folder::NamedStudy;

/// Plans and prints.
pub(crate) fn run(args: &PlanArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let began = Instant::now();
    if args.attributes && attributes::print_described(args, terminal)? {
        return Ok(Exit::Ok);
    }
    let settings = SettingsArgs::new(&args.machine, Some(&args.merge));
    let settings =
        SettingsArgs { growth: Some(&args.growth), registration: Some(&args.registration), ..settings };
    let NamedStudy { study, .. } = NamedStudy::open(&args.study, None, &settings, terminal)?;
    tell_assumptions(&study, args, terminal);
    if args.attributes {
        return attributes::print(&study, args, terminal);
    }
    if args.compare {
        return alternatives::print(&study, args, began, terminal);
    }
    files::write(&study, args, terminal)?;
    if args.tasks {
        return tasks::print(&study, args, terminal);
    }
    if args.rules {
        return rules::print(&study, args, terminal);
    }
    let profile = args.machine.profile.as_deref();
    let workers = args.on.as_ref().map(|on| workers_at_site(on, profile)).transpose()?;
    print(&study, None, workers, args.json, began, terminal)
}

/// Says what the files of later phases rest on, where no run tells which parameters they keep.
fn tell_assumptions(study: &OpenStudy, args: &PlanArgs, terminal: &Terminal) {
    let phases: Vec<&str> = match args.export {
        Some(_) => study.assumed_phases(),
        None => Vec::new(),
    };
    for phase in phases {
        terminal.say(&format!(
            "note: {phase} is written as if all parameters were kept; give the folder of a run to know them"
        ));
    }
}

/// The plan of a study that is ready, what of it a run in a folder has left, and what cutting it for workers elsewhere costs, for
/// a command that began then.
pub(crate) fn print(
    study: &OpenStudy,
    folder: Option<&Path>,
    workers: Option<usize>,
    json: bool,
    began: Instant,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let settings = study.settings();
    let left = folder.map(|folder| left_to_compute(study, folder)).transpose().map_err(engine_failure)?;
    let left = left.flatten();
    let planned = {
        let progress = terminal.progress("planning");
        plan_study(study, settings, &progress.steps()).map_err(engine_failure)?
    };
    let stored = {
        let progress = terminal.progress("looking into the store of results");
        stored_phases(study, settings, &progress.steps()).map_err(engine_failure)?
    };
    let split = workers.map(|workers| study.split_cost(settings, workers)).transpose();
    let split = split.map_err(engine_failure)?.flatten();
    if json {
        let mut json = to_json(&planned);
        if let Some(stored) = &stored {
            json["stored"] = stored::to_json(stored);
        }
        json["workers"] = settings.workers.into();
        json["memory_bytes"] = settings.memory.into();
        json["resampled"] = study.resampling().into();
        looks::add_to_json(study, &planned, &mut json)?;
        if let Some(split) = &split {
            let (whole, cut) = split.seconds;
            json["split"] = json!({
                "workers": split.workers, "buckets": split.buckets, "whole_s": whole, "split_s": cut,
                "more": split.more(),
            });
        }
        if let Some(left) = &left {
            json["left"] = left_json(left);
        }
        json["wall_s"] = began.elapsed().as_secs_f64().into();
        terminal.json(&json)?;
    } else {
        let mut text = text(&planned, settings.workers, settings.memory);
        study.resampling().iter().for_each(|how| text.push_str(&format!("images     {how}\n")));
        split.iter().for_each(|split| text.push_str(&format!("split      {}\n", split.words())));
        stored.iter().for_each(|stored| text.push_str(&stored::text(stored)));
        text.push_str(&looks::text(study, &planned)?);
        left.iter().flat_map(LeftWork::lines).for_each(|line| text.push_str(&format!("{line}\n")));
        terminal.text(&text)?;
        // The time differs between runs, so it is not part of the result.
        terminal.say(&format!("planned in {:.2} s, nothing computed", began.elapsed().as_secs_f64()));
    }
    Ok(Exit::Ok)
}

/// How many workers there are expected to be.
fn workers_at_site(on: &WorkEngine, profile: Option<&Path>) -> Result<usize, Failure> {
    let site = read_profile(profile).map_err(engine_failure)?.and_then(|(_, options)| options.site);
    Ok(on.workers_at(&site.unwrap_or_default()))
}

fn left_json(left: &LeftWork) -> Value {
    let phase = |phase: &LeftPhase| {
        let (left, all) = phase.instances.unzip();
        json!({ "phase": phase.name, "instances": left, "of": all })
    };
    let phases: Vec<_> = left.phases.iter().map(phase).collect();
    json!({ "change": left.change, "phases": phases })
}

fn text(planned: &Planned, workers: usize, memory: u64) -> String {
    let mut text = format!(
        "{}: 1 reference row + {}, {}, {}\n\n{}\n",
        planned.phase,
        counted(planned.rows as usize, "row"),
        counted(planned.parts as usize, "part"),
        counted(planned.instances() as usize, "instance"),
        planned.levels,
    );
    planned.later.iter().for_each(|phase| text.push_str(&later_text(phase, workers)));
    if planned.halo > 0 {
        let (seams, halo) = (planned.seams.word(), with_commas(planned.halo.into()));
        text.push_str(&format!("seams      {seams}: parts see {halo} px around themselves\n"));
    }
    planned.grain.changes.iter().for_each(|change| text.push_str(&format!("grain      {change}\n")));
    planned.buckets.iter().for_each(|stage| text.push_str(&buckets_text(stage)));
    let time = planned.likely().ceil();
    let balance = if planned.buckets.is_empty() {
        String::new()
    } else {
        format!(", balance {:.2}", planned.balance(workers))
    };
    let workers = counted(workers, "worker");
    text.push_str(&format!(
        "time       about {time} s for {} on {workers}{balance} ({})\n",
        planned.phase, planned.costs
    ));
    text.push_str(&expected_text(planned));
    let (peak, least) = (mebibytes(planned.peak), mebibytes(planned.least));
    let all = match planned.unbounded > memory {
        true => format!(" ({} would hold all results)", mebibytes(planned.unbounded)),
        false => String::new(),
    };
    text.push_str(&format!("memory     peak {peak} of {}{all}, runs from {least} on\n", rounded(memory)));
    text
}

/// A later phase: its rows by the parameters it keeps, and what it takes.
fn later_text(phase: &LaterPhase, workers: usize) -> String {
    let rows = phase.rows.iter().map(|(kept, rows)| format!("   {kept}: {}", with_commas(*rows)));
    let rows: String = rows.collect();
    let by = if rows.is_empty() { String::new() } else { format!(", rows by parameters kept{rows}") };
    let mut text = format!("{}: {}{by}\n", phase.name, phase.size);
    if let Some(LaterFigures { basis, parameters, rows, asked, tasks, makespan }) = phase.planned {
        let (most, why) = match basis {
            PhaseBasis::Study => ("", String::new()),
            PhaseBasis::Run => {
                ("", format!(" with the {} that the run kept", counted(parameters, "parameter")))
            }
            PhaseBasis::All => ("at most ", format!(" if all {} are kept", counted(parameters, "parameter"))),
        };
        let (tasks, asked) = (with_commas(tasks.into()), with_commas(asked.into()));
        let (rows, workers) = (counted(rows as usize, "row"), counted(workers, "worker"));
        let time = makespan.ceil();
        text.push_str(&format!(
            "{:11}{most}{rows}{why}: {tasks} of {asked} tasks, about {time} s on {workers}\n",
            ""
        ));
    }
    text
}

/// What earlier runs let expect; nothing where there were none.
fn expected_text(planned: &Planned) -> String {
    let Foreseen { same, objects, findings } = planned.expected;
    let work = planned.levels.levels.last().map_or(0.0, |level| level.seconds);
    if findings == 0 || work <= 0.0 {
        return String::new();
    }
    format!(
        "{:11}of {} s at most, equal results are to spare {:.0} % and known objects {:.0} %, as in {}\n",
        "",
        planned.makespan.ceil(),
        100.0 * same / work,
        100.0 * objects / work,
        counted(findings as usize, "earlier phase"),
    )
}

fn buckets_text(stage: &BucketFigures) -> String {
    let BucketFigures { stage: name, how, instances, buckets, sizes, seconds, .. } = stage;
    let range = |low: String, high: String| if low == high { low } else { format!("{low} to {high}") };
    let sizes = range(sizes.0.to_string(), sizes.1.to_string());
    let seconds = range(format!("{:.2}", seconds.0), format!("{:.2}", seconds.1));
    let peaks = stage.peaks.iter().map(|(order, bytes)| format!("{} {order}", mebibytes(*bytes)));
    format!(
        "buckets    {name}, {how}: {} in {} of {sizes}, {seconds} s each, {:.1} % saved\n\
         {:11}the largest takes {}\n",
        counted(*instances, "instance"),
        counted(*buckets, "bucket"),
        stage.reuse() * 100.0,
        "",
        peaks.collect::<Vec<_>>().join(", "),
    )
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", with_commas(u128::from(bytes.div_ceil(1 << 20))))
}

/// A bound that the machine gives has no round number of bytes.
fn rounded(bytes: u64) -> String {
    if bytes.is_multiple_of(1 << 20) { Size(bytes).to_string() } else { mebibytes(bytes) }
}

fn to_json(planned: &Planned) -> serde_json::Value {
    let levels = &planned.levels.levels;
    let (first, last) = (levels.first(), levels.last());
    let tasks = |level: Option<&onceflow_engine::LevelFigures>| level.map(|l| l.tasks);
    let cost = |level: Option<&onceflow_engine::LevelFigures>| level.map(|l| l.seconds);
    json!({
        "version": 1,
        "phase": planned.phase,
        "rows": planned.rows,
        "parts": planned.parts,
        "instances": planned.instances(),
        "seams": planned.seams.word(),
        "halo": planned.halo,
        "tasks": { "asked": tasks(first), "planned": tasks(last) },
        "cost": { "asked": cost(first), "planned": cost(last) },
        "costs": { "records": planned.costs.records, "measured": planned.costs.measured, "declared": planned.costs.declared, "unknown": planned.costs.unknown },
        "levels": levels.iter().map(|l| json!({ "level": l.level.word(), "tasks": l.tasks, "cost": l.seconds, "because": l.because })).collect::<Vec<_>>(),
        "later": planned.later.iter().map(|phase| json!({
            "phase": phase.name,
            "rows": phase.rows.iter().map(|(kept, rows)| json!({ "kept": kept, "rows": crate::design::rows_json(*rows) })).collect::<Vec<_>>(),
            "planned": phase.planned.map(|figures| json!({
                "parameters": figures.parameters,
                "assumes": basis_word(figures.basis),
                "rows": figures.rows,
                "tasks": { "asked": figures.asked, "planned": figures.tasks },
                "makespan_s": figures.makespan,
            })),
        })).collect::<Vec<_>>(),
        "buckets": planned.bucket_count(),
        "granularity": grain_json(std::slice::from_ref(&planned.grain))["phases"][0],
        "stages": planned.buckets.iter().map(stage_json).collect::<Vec<_>>(),
        "makespan_s": planned.makespan,
        "expected": {
            "makespan_s": planned.likely(),
            "same_s": planned.expected.same,
            "objects_s": planned.expected.objects,
            "findings": planned.expected.findings,
        },
        "by_task": planned.tasks.iter().map(tasks::to_json).collect::<Vec<_>>(),
        "rules": planned.rules.iter().map(rules::to_json).collect::<Vec<_>>(),
        "peak_bytes": planned.peak,
        "unbounded_bytes": planned.unbounded,
        "least_bytes": planned.least,
        "planning_s": planned.seconds,
    })
}

/// What the parameters of a later phase are: the study's, those of a run, or all, which is an upper bound.
fn basis_word(basis: PhaseBasis) -> &'static str {
    match basis {
        PhaseBasis::Study => "study",
        PhaseBasis::Run => "run",
        PhaseBasis::All => "all",
    }
}

fn stage_json(stage: &BucketFigures) -> serde_json::Value {
    json!({
        "stage": stage.stage,
        "merging": stage.how,
        "instances": stage.instances,
        "buckets": stage.buckets,
        "smallest": stage.sizes.0,
        "largest": stage.sizes.1,
        "cheapest_s": stage.seconds.0,
        "dearest_s": stage.seconds.1,
        "imbalance": stage.imbalance(),
        "cost": { "asked": stage.cost.1, "planned": stage.cost.0 },
        "makespan_s": stage.makespan,
        "peak_bytes": stage.peaks.iter().map(|(order, bytes)| (order.clone(), json!(bytes))).collect::<serde_json::Map<_, _>>(),
    })
}
