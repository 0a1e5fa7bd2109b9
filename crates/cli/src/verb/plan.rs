//! `onceflow plan`: what a run would compute, and why not more.

use onceflow_engine::{Planned, Prepared};
use onceflow_study::{Size, counted, with_commas};
use serde_json::json;

use crate::args::{MachineArgs, PlanArgs};
use crate::costs::with_costs;
use crate::engine::{engine_failure, options};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::study::LoadedStudy;
use crate::terminal::Terminal;

/// Plans and prints.
pub(crate) fn run(args: &PlanArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let loaded = LoadedStudy::open(&args.study, terminal)?;
    let prepared = with_costs(loaded.prepare()?, &args.machine, terminal);
    print(&prepared, &args.machine, args.json, terminal)
}

/// The plan of a study that is ready.
pub(crate) fn print(
    prepared: &Prepared<'_>,
    args: &MachineArgs,
    json: bool,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let options = options(args, prepared.study());
    let planned = prepared.plan(options.level, options.workers).map_err(engine_failure)?;
    if json {
        terminal.json(&to_json(&planned))?;
    } else {
        terminal.result(&text(&planned, options.workers, options.memory))?;
        // The time differs from run to run, so it is no part of the result.
        terminal.say(&format!("planned in {:.2} s, nothing computed", planned.seconds));
    }
    Ok(Exit::Ok)
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
    for phase in &planned.later {
        let rows = phase.rows.iter().map(|(kept, rows)| format!("   {kept}: {}", with_commas(*rows)));
        let rows: String = rows.collect();
        text.push_str(&format!("{}: {}, rows by parameters kept{rows}\n", phase.name, phase.size));
    }
    let seconds = planned.levels.levels.last().map_or(0.0, |level| level.seconds);
    let time = (seconds / workers as f64).ceil();
    let workers = counted(workers, "worker");
    text.push_str(&format!(
        "time       about {time} s for {} on {workers} ({})\n",
        planned.phase, planned.costs
    ));
    text.push_str(&format!("memory     peak {} of {}\n", mebibytes(planned.peak), rounded(memory)));
    text
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
        "instances": planned.instances(),
        "tasks": { "asked": tasks(first), "planned": tasks(last) },
        "cost": { "asked": cost(first), "planned": cost(last) },
        "costs": { "records": planned.costs.records, "measured": planned.costs.measured, "declared": planned.costs.declared },
        "levels": levels.iter().map(|l| json!({ "level": l.level.word(), "tasks": l.tasks, "cost": l.seconds, "because": l.because })).collect::<Vec<_>>(),
        "later": planned.later.iter().map(|phase| json!({
            "phase": phase.name,
            "rows": phase.rows.iter().map(|(kept, rows)| json!({ "kept": kept, "rows": crate::design::rows_json(*rows) })).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "buckets": 1,
        "peak_bytes": planned.peak,
        "planning_s": planned.seconds,
    })
}
