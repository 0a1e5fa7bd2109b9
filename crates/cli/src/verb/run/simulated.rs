//! `onceflow run --executor simulated`: what would happen on another machine.

use std::path::Path;

use onceflow_engine::{
    Chance, Machine, NodeFigures, OpenStudy, Replay, RunFolder, SimulatedStudy, SimulationOptions,
};
use onceflow_study::{Diagnostic, Size, counted, with_commas};
use serde_json::{Value, json};

use crate::args::RunArgs;
use crate::file::{read_text, refuse_foreign, write_bytes};
use onceflow_engine::TextLimit;
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};

/// Simulates the phases of a study that is ready, one after the other, and prints what would happen.
pub(crate) fn run(
    args: &RunArgs,
    file: &Path,
    study: &OpenStudy,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let machine = Machine::parse(&read_text(file, TextLimit::Description)?)?;
    let asked = study.settings();
    let executor = &args.executor;
    let chance = Chance {
        seed: study.study().seed,
        noise: executor.noise,
        transient: executor.task_failures,
        losses_per_hour: executor.node_losses,
        ..Chance::default()
    };
    let mut simulation = SimulationOptions {
        level: asked.level,
        merge: asked.merge.clone(),
        machine,
        policy: executor.policy.unwrap_or_default(),
        chance,
        replay: None,
        logged: args.o.is_some(),
    };
    let mut phases = Vec::new();
    {
        let _progress = terminal.progress("simulating");
        for (place, phase) in study.study().phases.iter().enumerate() {
            let replayed = executor.replay.as_deref().map(|run| replay(run, &phase.name));
            simulation.replay = replayed.transpose()?;
            phases.push(study.simulate(place, &simulation).map_err(engine_failure)?);
        }
    }
    for phase in study.assumed_phases() {
        terminal.say(&format!(
            "note: {phase} is simulated as if all parameters were kept, which is an upper bound"
        ));
    }
    if args.json {
        terminal.json(&all_json(&phases, &simulation))?;
    } else {
        let texts: Vec<String> = phases.iter().map(|phase| text(phase, &simulation)).collect();
        terminal.result(&texts.join("\n"))?;
    }
    if let Some(path) = &args.o {
        RunFolder::create(path).map_err(engine_failure)?;
        let trace = path.join("trace.json");
        refuse_foreign(&trace, args.force)?;
        write_bytes(&trace, SimulatedStudy::traces(&phases).to_string().as_bytes())?;
        terminal.say(&format!("Trace     {}", trace.display()));
    }
    Ok(Exit::Ok)
}

/// The first phase, with all phases beside it.
fn all_json(phases: &[SimulatedStudy], options: &SimulationOptions) -> Value {
    let mut first = phases.first().map_or(Value::Null, |phase| to_json(phase, options));
    first["phases"] = phases.iter().map(|phase| to_json(phase, options)).collect();
    first["makespan_of_all"] = json!(phases.iter().map(|phase| phase.simulated.makespan).sum::<f64>());
    first
}

/// What an earlier run did, from its folder.
fn replay(run: &Path, phase: &str) -> Result<Replay, Failure> {
    let read = |name: &str| -> Result<Value, Failure> {
        let path = run.join(name);
        let text = read_text(&path, TextLimit::Table)?;
        serde_json::from_str(&text.text)
            .map_err(|error| foreign(&path, "JSON as a run writes it", &error.to_string()))
    };
    let (trace, summary) = (read("trace.json")?, read("run.json")?);
    Replay::read(&trace, &summary, phase)
        .map_err(|why| foreign(run, "the folder of a run of this study", &why))
}

fn foreign(path: &Path, expected: &str, found: &str) -> Failure {
    let message = format!("`--replay`: {} cannot be replayed", path.display());
    Diagnostic::error(message)
        .expected_found(expected, found)
        .with_hint("run the study with -o RUN first, and name that folder")
        .into()
}

fn text(study: &SimulatedStudy, options: &SimulationOptions) -> String {
    let simulated = &study.simulated;
    let (cpus, gpus) = options.machine.workers();
    let commas = |n: u64| with_commas(u128::from(n));
    let nodes = counted(options.machine.node_count(), "node");
    let gpus = if gpus > 0 { format!(" and {}", counted(gpus, "gpu")) } else { String::new() };
    let mut lines = vec![
        format!(
            "simulated  phase {}: {} rows x {}, no pixel computed",
            study.phase,
            study.rows,
            counted(study.parts, "part")
        ),
        format!(
            "machine    {nodes} with {}{gpus}; policy {}, --reuse {}",
            counted(cpus, "cpu"),
            options.policy,
            options.level.word()
        ),
        format!(
            "costs      measured for {}, declared for {}",
            counted(study.costs.0, "task"),
            counted(study.costs.1, "task")
        ),
        format!("makespan   {:.3} s in {}", simulated.makespan, counted(simulated.buckets, "bucket")),
        format!("tasks      {} asked, {} computed", commas(study.asked), commas(simulated.tasks())),
        format!("busy       {}", busy(simulated.busy())),
        format!("memory     {} on the node that needs most", Size(simulated.peak()).rounded_up()),
    ];
    let transfers = simulated.transfers();
    if transfers.seconds > 0.0 {
        let bytes = Size((transfers.uploaded + transfers.downloaded) as u64).rounded_up();
        lines.push(format!("transfers  {bytes} between nodes and gpus, {:.3} s", transfers.seconds));
    }
    let mishaps = mishaps(study);
    if !mishaps.is_empty() {
        lines.push(format!("mishaps    {}", mishaps.join(", ")));
    }
    lines.push(String::new());
    lines.push(table(study));
    lines.join("\n")
}

fn busy((cpu, gpu): (Option<f64>, Option<f64>)) -> String {
    let share = |word: &str, share: Option<f64>| share.map(|share| format!("{word} {:.1} %", 100.0 * share));
    let shares: Vec<String> = [share("cpus", cpu), share("gpus", gpu)].into_iter().flatten().collect();
    shares.join(", ")
}

fn mishaps(study: &SimulatedStudy) -> Vec<String> {
    let nodes = &study.simulated.nodes;
    let sum = |of: fn(&NodeFigures) -> u64| nodes.iter().map(of).sum::<u64>() as usize;
    let all = [
        (sum(|node| u64::from(node.lost)), "node lost", "nodes lost"),
        (study.simulated.reissued, "bucket handed out again", "buckets handed out again"),
        (sum(|node| node.retried), "task tried again", "tasks tried again"),
        (sum(|node| node.recomputed), "task made again", "tasks made again"),
        (sum(|node| node.spilled), "output written to disk", "outputs written to disk"),
        (study.failed as usize, "row failed at a part", "rows failed at parts"),
    ];
    let said = |(count, one, many): &(usize, &str, &str)| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{} {many}", with_commas(*count as u128))),
    };
    all.iter().filter_map(said).collect()
}

/// Nodes beyond these are not listed: `--json` has all.
const MOST_NODES: usize = 16;

fn table(study: &SimulatedStudy) -> String {
    let mut text = format!(
        "{:>6} {:>8} {:>9} {:>7} {:>7} {:>12}\n",
        "node", "buckets", "tasks", "cpus", "gpus", "memory"
    );
    let makespan = study.simulated.makespan;
    for (number, node) in study.simulated.nodes.iter().enumerate().take(MOST_NODES) {
        let share = |seconds: f64, workers: usize| {
            let all = makespan * workers as f64;
            if all > 0.0 { format!("{:.1} %", 100.0 * seconds / all) } else { "-".to_owned() }
        };
        let (cpus, gpus) = (share(node.cpu_seconds, node.workers.0), share(node.gpu_seconds, node.workers.1));
        let (peak, lost) = (Size(node.peak).rounded_up().to_string(), if node.lost { "  lost" } else { "" });
        text.push_str(&format!(
            "{number:>6} {:>8} {:>9} {cpus:>7} {gpus:>7} {peak:>12}{lost}\n",
            node.buckets, node.tasks
        ));
    }
    let more = study.simulated.nodes.len().saturating_sub(MOST_NODES);
    if more > 0 {
        text.push_str(&format!("   and {} more: --json lists them all\n", counted(more, "node")));
    }
    text
}

fn to_json(study: &SimulatedStudy, options: &SimulationOptions) -> Value {
    let simulated = &study.simulated;
    let (cpu, gpu) = simulated.busy();
    let transfers = simulated.transfers();
    let nodes: Vec<Value> = simulated.nodes.iter().map(|node| of_node(node, &study.tasks)).collect();
    json!({
        "version": 1, "phase": study.phase, "rows": study.rows, "parts": study.parts,
        "policy": options.policy.to_string(), "reuse": options.level.word(), "makespan": simulated.makespan,
        "asked": study.asked, "computed": simulated.tasks(), "buckets": simulated.buckets,
        "busy": { "cpus": cpu, "gpus": gpu }, "peak_bytes": simulated.peak(),
        "transfers": { "uploaded": transfers.uploaded, "downloaded": transfers.downloaded, "seconds": transfers.seconds },
        "reissued": simulated.reissued, "failed": study.failed,
        "costs": { "measured": study.costs.0, "declared": study.costs.1 }, "nodes": nodes,
    })
}

fn of_node(node: &NodeFigures, tasks: &[String]) -> Value {
    let by_task = |counts: &[u64]| -> Value {
        tasks
            .iter()
            .zip(counts)
            .map(|(task, count)| (task.clone(), json!(count)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    json!({
        "cpus": node.workers.0, "gpus": node.workers.1, "cpu_seconds": node.cpu_seconds, "gpu_seconds": node.gpu_seconds,
        "buckets": node.buckets, "tasks": node.tasks, "on_cpus": by_task(&node.on_cpus), "on_gpus": by_task(&node.on_gpus),
        "retried": node.retried, "recomputed": node.recomputed, "spilled": node.spilled, "peak_bytes": node.peak,
        "lost": node.lost,
    })
}
