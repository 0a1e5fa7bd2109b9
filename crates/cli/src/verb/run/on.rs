//! Runs by other processes: what workers of this command get.

use onceflow_engine::{OpenStudy, WorkEngine, WorkersOn, read_profile};
use onceflow_study::Diagnostic;
use onceflow_terminal::{Failure, engine_failure};

use crate::args::{InterruptWord, RunArgs};

/// The workers that a command asks for.
pub(super) fn workers(args: &RunArgs, study: &OpenStudy) -> Result<Option<WorkersOn>, Failure> {
    let Some(engine) = args.on.on.clone() else { return Ok(None) };
    let program = crate::started::program().map_err(|error| {
        Failure::environment(
            Diagnostic::error(format!("cannot find this program to start workers: {error}"))
                .with_hint("start onceflow by its path"),
        )
    })?;
    let machine = &args.machine;
    let path = |name: &str, path: &Option<std::path::PathBuf>| {
        let path = path.as_ref().map(|path| path.display().to_string());
        path.map_or_else(Vec::new, |path| vec![name.to_owned(), path])
    };
    let mut arguments = [
        path("--scratch", &machine.scratch),
        path("--costs", &machine.costs),
        path("--store", &machine.store),
        path("--profile", &machine.profile),
    ]
    .concat();
    if let Some(staging) = &machine.staging {
        arguments.extend(["--staging".to_owned(), staging.to_string()]);
    }
    if study.settings().allow_commands {
        arguments.push("--allow-commands".to_owned());
    }
    let cores = machine.workers.map_or(1, |workers| usize::try_from(workers).unwrap_or(1));
    let memory = match (machine.memory, &engine) {
        (Some(size), _) => size.0,
        (None, WorkEngine::Batch { .. }) => study.job_memory(cores).map_err(engine_failure)?,
        (None, _) => study.settings().memory,
    };
    let site = read_profile(machine.profile.as_deref()).map_err(engine_failure)?;
    Ok(Some(WorkersOn {
        engine,
        program,
        arguments,
        lease: args.on.lease as f64,
        target: args.on.bucket_time as f64,
        cores,
        memory,
        site: site.and_then(|(_, options)| options.site).unwrap_or_default(),
        leaves: args.on.on_interrupt == InterruptWord::Leave,
    }))
}
