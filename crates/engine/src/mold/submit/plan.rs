//! A workflow is planned, and its jobs are given to a batch system.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use onceflow_cluster::moldable::{PlanEvaluator, WorkflowCommands, read_commands};
use onceflow_cluster::{JobSystem, SiteProfile, job_system};
use onceflow_study::Diagnostic;
use serde_json::json;

use super::folder::{SubmittedPlan, SubmittedTask, make_folder, site_keys};
use super::follow::Follower;
use super::programs::{check_programs, copy_programs};
use super::site_shell::{RemoteSite, SiteShell};
use crate::mold::MoldAnswer;
use crate::mold::optimize::{ChosenPlan, OptimizeRequest, chosen_plan};
use crate::{EngineError, TextLimit, read_text, write_whole};

/// What is submitted.
#[derive(Clone, Debug, PartialEq)]
pub struct SubmitRequest {
    /// The workflow and what a good plan of it is.
    pub plan: OptimizeRequest,
    /// A plan as `mold optimize --json` prints it, in place of a search.
    pub counts: Option<PathBuf>,
    /// The folder of the submission.
    pub folder: PathBuf,
    /// The batch system: `slurm` or `pbs`.
    pub system: String,
    /// What the site wants of jobs.
    pub site: SiteProfile,
    /// The machine that has the commands, if it is another.
    pub remote: Option<RemoteSite>,
    /// The name of the machine in measurements; that of the measurements of the plan when it is not given.
    pub machine: Option<String>,
    /// Whether the jobs that are on the cluster now are the load of the plan.
    pub live_load: bool,
    /// Whether the workflow may run its commands.
    pub allow_commands: bool,
    /// Whether scripts are shown in place of being submitted.
    pub dry_run: bool,
}

/// Plans a workflow and submits its jobs. `say` gets a line for each step.
///
/// # Errors
/// When the workflow cannot be planned, may not run its commands, or the batch system does not take its jobs.
pub fn mold_submit(request: &SubmitRequest, say: &dyn Fn(&str)) -> Result<MoldAnswer, EngineError> {
    let unknown = || EngineError::Internal(format!("no batch system `{}`", request.system));
    let system = job_system(&request.system).ok_or_else(unknown)?;
    let source = read_text(&request.plan.file, TextLimit::Description)?;
    let commands = read_commands(&source).map_err(EngineError::Invalid)?;
    check_programs(&commands.programs, &request.plan.file)?;
    let shell = SiteShell::new(request.remote.clone(), &request.folder);
    let load_is_wanted = request.live_load && !request.dry_run;
    if !request.dry_run {
        allowed(request, &commands)?;
        shell.check(system.as_ref())?;
    }
    let load = load_is_wanted.then(|| crate::mold::load::live_load(&shell, system.as_ref())).transpose()?;
    let chosen = chosen_plan(&request.plan, request.counts.as_deref(), load.as_ref())?;
    let plan = submitted_plan(request, &chosen, &commands)?;
    if request.dry_run {
        return scripts(&plan, &shell, system.as_ref(), &request.site);
    }
    make_folder(&request.folder)?;
    let copy = request.folder.join("workflow.json");
    write_whole(&copy, source.text.as_bytes()).map_err(|error| EngineError::Write { path: copy, error })?;
    copy_programs(&commands.programs, &request.plan.file, &request.folder)?;
    plan.write(&request.folder)?;
    let mut follower = Follower::open(&request.folder)?;
    follower.submit(say)?;
    Ok(submitted(&plan, &request.folder, follower.in_queue()))
}

/// The gate: commands of a workflow can do whatever its user can.
fn allowed(request: &SubmitRequest, commands: &WorkflowCommands) -> Result<(), EngineError> {
    if request.allow_commands {
        return Ok(());
    }
    let mut lines: Vec<&str> = commands.tasks.values().map(|task| task.command.as_str()).collect();
    lines.sort_unstable();
    lines.dedup();
    let shown = lines.iter().take(8).map(|line| format!("`{line}`")).collect::<Vec<_>>().join("; ");
    let message = Diagnostic::error("the workflow runs commands without permission");
    Err(EngineError::bad_input(
        message
            .expected_found("--allow-commands", shown)
            .with_why("a workflow of someone else can do with them whatever you can")
            .with_hint("read them, then add --allow-commands, or set ONCEFLOW_ALLOW_COMMANDS=1"),
    ))
}

/// Seconds since 1970.
pub(super) fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

fn submitted_plan(
    request: &SubmitRequest,
    chosen: &ChosenPlan,
    commands: &WorkflowCommands,
) -> Result<SubmittedPlan, EngineError> {
    let workflow = &chosen.workflow;
    let evaluator = PlanEvaluator::new(workflow).map_err(|error| EngineError::Internal(error.to_string()))?;
    let (value, schedule) = (evaluator.value(&chosen.plan), evaluator.schedule(&chosen.plan));
    let others = workflow.cluster().jobs().len();
    let counts = workflow.counts(&chosen.plan);
    let task = |at: usize| {
        let task = &workflow.tasks()[at];
        let seconds = task.seconds[usize::from(chosen.plan[at])].1;
        let known = commands.tasks.get(&task.id);
        SubmittedTask {
            id: task.id.clone(),
            after: workflow.after()[at].clone(),
            nodes: counts[at],
            command: known.map(|known| known.command.clone()).unwrap_or_default(),
            kind: known.and_then(|known| known.kind.clone()),
            size: known.and_then(|known| known.size),
            limit: workflow.margin().limit(seconds),
            seconds,
            start: schedule.jobs[others + at].start,
        }
    };
    let folder = std::path::absolute(&request.folder).unwrap_or_else(|_| request.folder.clone());
    let submitted = now();
    let seed = format!("{} {submitted} {}", folder.display(), std::process::id());
    let source = request.plan.performance.as_ref();
    Ok(SubmittedPlan {
        version: 1,
        name: format!("of{}", &blake3::hash(seed.as_bytes()).to_hex().as_str()[..6]),
        system: request.system.clone(),
        machine: machine(request)?,
        device: source.map_or_else(|| "cpu".to_owned(), |source| source.device.clone()),
        nodes: workflow.cluster().nodes(),
        remote: request.remote.clone().map(|remote| (remote.host, remote.folder)),
        site: site_keys(&request.site),
        submitted,
        makespan: value.makespan,
        cost: value.cost as u64,
        programs: commands.programs.iter().map(|one| (one.name.clone(), one.digest.clone())).collect(),
        tasks: (0..counts.len()).map(task).collect(),
    })
}

/// The machine of new measurements.
fn machine(request: &SubmitRequest) -> Result<String, EngineError> {
    match (&request.machine, &request.plan.performance) {
        (Some(machine), _) => Ok(machine.clone()),
        (None, Some(source)) => Ok(source.read()?.machine().to_owned()),
        (None, None) => Ok(String::new()),
    }
}

/// The scripts of a plan as they would be submitted; numbers of jobs are not known before.
fn scripts(
    plan: &SubmittedPlan,
    shell: &SiteShell,
    system: &dyn JobSystem,
    site: &SiteProfile,
) -> Result<MoldAnswer, EngineError> {
    let mut text = String::new();
    let mut list = Vec::new();
    for (at, task) in plan.tasks.iter().enumerate() {
        let after = task.after.iter().map(|before| format!("NUMBER-OF-{}", plan.tasks[*before].id)).collect();
        let script = system.script(&super::give::job_script(plan, shell, at, 1, task.limit, after), site);
        // Writing to a string does not fail.
        let _ = writeln!(text, "# {}: {}\n{script}", task.id, system.submit("SCRIPT").join(" "));
        list.push(json!({ "task": task.id, "script": script }));
    }
    let _ = writeln!(text, "# predicted: {} s, {} node-seconds", plan.makespan, plan.cost);
    let json = json!({ "version": 1, "dry_run": true, "scripts": list, "makespan": plan.makespan, "cost": plan.cost });
    Ok(MoldAnswer { json, text, svg: None, html: None })
}

fn submitted(plan: &SubmittedPlan, folder: &Path, in_queue: usize) -> MoldAnswer {
    let (all, shown) = (plan.tasks.len(), folder.display());
    let text = format!(
        "submitted  {in_queue} of {all} tasks to {}\npredicted  {} s, {} node-seconds\nnext       onceflow mold follow {shown}\n",
        plan.system, plan.makespan, plan.cost,
    );
    let json = json!({
        "version": 1, "folder": folder, "system": plan.system, "tasks": all, "submitted": in_queue,
        "makespan": plan.makespan, "cost": plan.cost,
    });
    MoldAnswer { json, text, svg: None, html: None }
}
