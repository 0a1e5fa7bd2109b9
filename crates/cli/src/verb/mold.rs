//! `onceflow mold`: estimates, schedules and plans of moldable workflows.

mod submit;
mod workflow;

use std::path::{Path, PathBuf};

use onceflow_engine::{
    BatchPolicy, Chance, ClusterLoad, Complexity, EstimateOptions, EstimateRequest, MoldAnswer, OptimizeGoal,
    OptimizeRequest, Outside, PerformanceSource, PlanGoal, SimulateRequest, SimulatedRule, mold_estimate,
    mold_optimize, mold_simulate,
};
use onceflow_study::Diagnostic;
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};

use crate::args::{
    ComplexityWord, EstimateArgs, MoldArgs, MoldVerb, OptimizeArgs, OutsideWord, PerformanceArgs, PolicyWord,
    SimulateArgs,
};
use crate::file::{OutputTarget, Overwrite};

/// Carries out a verb of `mold`.
pub(crate) fn run(args: &MoldArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    match &args.verb {
        MoldVerb::Estimate(args) => {
            let answer = mold_estimate(&estimate_request(args)).map_err(engine_failure)?;
            print(&answer, args.json, terminal)
        }
        MoldVerb::Simulate(args) => simulate(args, terminal),
        MoldVerb::Optimize(args) => optimize(args, terminal),
        MoldVerb::Workflow(args) => workflow::run(args, terminal),
        MoldVerb::Submit(args) => submit::submit(args, terminal),
        MoldVerb::Follow(args) => submit::follow(args, terminal),
    }
}

fn print(answer: &MoldAnswer, json: bool, terminal: &Terminal) -> Result<Exit, Failure> {
    if json {
        terminal.json(&answer.json)?
    } else {
        terminal.text(&answer.text)?
    }
    Ok(Exit::Ok)
}

fn estimate_request(args: &EstimateArgs) -> EstimateRequest {
    // Questions are JSON without records; a table of measurements is read where a task is asked for.
    let asks = args.task.is_some() || args.size.is_some() || args.nodes.is_some();
    let is_json = args.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if is_json && !asks {
        return EstimateRequest::Questions(args.file.clone());
    }
    EstimateRequest::Task {
        performance: performance(&args.file, &args.performance),
        task: args.task.clone(),
        size: args.size,
        nodes: args.nodes.as_ref().map(|counts| counts.0.clone()).unwrap_or_default(),
        margin: args.margin,
    }
}

fn performance(file: &Path, args: &PerformanceArgs) -> PerformanceSource {
    let options = EstimateOptions {
        outside: match args.outside {
            OutsideWord::Refuse => Outside::Refuse,
            OutsideWord::Extrapolate => Outside::Extrapolate,
            OutsideWord::Hold => Outside::Hold,
        },
        complexity: match args.complexity {
            ComplexityWord::N => Complexity::Linear,
            ComplexityWord::NLogN => Complexity::NLogN,
        },
        slab_cores: args.slab_cores,
        monotone: args.monotone,
        quantile: args.quantile,
        method: None,
    };
    PerformanceSource {
        file: file.to_owned(),
        machine: args.machine.clone(),
        device: args.device.clone(),
        options,
    }
}

/// A rule at the instants at which something happens; none for the model of a real Slurm.
fn policy(word: PolicyWord) -> Option<BatchPolicy> {
    Some(match word {
        PolicyWord::Strict => BatchPolicy::Strict,
        PolicyWord::Paper => BatchPolicy::Paper,
        PolicyWord::Fcfs => BatchPolicy::Fcfs,
        PolicyWord::Easy => BatchPolicy::Easy,
        PolicyWord::Conservative => BatchPolicy::Conservative,
        PolicyWord::Replan => BatchPolicy::Replan,
        PolicyWord::Slurm => return None,
    })
}

fn simulate(args: &SimulateArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let outputs = Outputs::new(args.gantt.as_ref(), args.html.as_ref(), args.force, &args.file)?;
    if args.habits.any() && args.policy != PolicyWord::Slurm {
        return Err(habits_of_others());
    }
    let load = args.load.clone().zip(args.at).map(|(file, at)| ClusterLoad { file, at });
    let noise = args.noise.map(|noise| Chance { seed: args.seed, noise, ..Chance::default() });
    let answer = mold_simulate(&SimulateRequest {
        file: args.file.clone(),
        rule: policy(args.policy)
            .map_or_else(|| SimulatedRule::Slurm(args.habits.model()), SimulatedRule::Policy),
        nodes: args.nodes,
        most_jobs: args.jobs,
        load,
        overhead: args.overhead,
        rounding: args.round_limits,
        noise,
    });
    let answer = answer.map_err(engine_failure)?;
    outputs.write(&answer, terminal)?;
    print(&answer, args.json, terminal)
}

fn optimize(args: &OptimizeArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let outputs = Outputs::new(args.gantt.as_ref(), args.html.as_ref(), args.force, &args.file)?;
    let goal = match (args.front, args.gosa) {
        (true, _) => OptimizeGoal::Front,
        (_, true) => OptimizeGoal::Best(PlanGoal::Static),
        _ => OptimizeGoal::Best(PlanGoal::OnDemand { alpha: args.alpha.unwrap_or(0.5) }),
    };
    let answer = mold_optimize(&OptimizeRequest {
        file: args.file.clone(),
        goal,
        performance: args.performance.as_ref().map(|file| performance(file, &args.known)),
        policy: args.policy.map(|word| policy(word).ok_or_else(no_search)).transpose()?,
        seed: args.seed,
        at_most: args.at_most,
        with_page: args.html.is_some(),
    });
    let answer = answer.map_err(engine_failure)?;
    outputs.write(&answer, terminal)?;
    print(&answer, args.json, terminal)
}

fn habits_of_others() -> Failure {
    let message = Diagnostic::error("--submission, --delay, --interval and --completing are habits of Slurm");
    Failure::bad_input(message.expected_found("--policy slurm", "another rule"))
}

fn no_search() -> Failure {
    let message = Diagnostic::error("plans are not searched under the rule `slurm`");
    let message = message.expected_found("a rule of whole seconds", "slurm");
    Failure::bad_input(
        message
            .with_hint("search with --policy replan, and check the plan with mold simulate --policy slurm"),
    )
}

/// Files beside the answer; refused before anything is computed.
struct Outputs {
    gantt: Option<OutputTarget>,
    html: Option<OutputTarget>,
}

impl Outputs {
    fn new(
        gantt: Option<&PathBuf>,
        html: Option<&PathBuf>,
        force: bool,
        input: &Path,
    ) -> Result<Self, Failure> {
        let target = |path: Option<&PathBuf>| -> Result<Option<OutputTarget>, Failure> {
            let Some(path) = path else { return Ok(None) };
            let target = OutputTarget::new(Some(path));
            target.refuse_inputs(&[input])?;
            target.refuse_foreign(force)?;
            Ok(Some(target))
        };
        Ok(Self { gantt: target(gantt)?, html: target(html)? })
    }

    fn write(&self, answer: &MoldAnswer, terminal: &Terminal) -> Result<(), Failure> {
        for (target, text) in [(&self.gantt, &answer.svg), (&self.html, &answer.html)] {
            if let (Some(target), Some(text)) = (target, text) {
                target.write(text, Overwrite::Replace, terminal)?;
            }
        }
        Ok(())
    }
}
