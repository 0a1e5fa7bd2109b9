//! Runs by other processes: what workers of this command get.

use onceflow_engine::{OpenStudy, WorkersOn};
use onceflow_study::Diagnostic;
use onceflow_terminal::Failure;

use crate::args::RunArgs;

/// The workers that a command asks for.
pub(super) fn workers(args: &RunArgs, study: &OpenStudy) -> Result<Option<WorkersOn>, Failure> {
    let Some(engine) = args.on.on.clone() else { return Ok(None) };
    let program = std::env::current_exe().map_err(|error| {
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
    Ok(Some(WorkersOn { engine, program, arguments, lease: args.on.lease as f64 }))
}
