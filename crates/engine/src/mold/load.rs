//! What runs and waits on a cluster now.

use onceflow_cluster::{JobSystem, QueueLoad};
use onceflow_study::Diagnostic;

use super::submit::SiteShell;
use crate::EngineError;

/// Asks a batch system for the jobs of everybody.
pub(super) fn live_load(shell: &SiteShell, system: &dyn JobSystem) -> Result<QueueLoad, EngineError> {
    let command = system.load();
    let load = shell.patiently(|shell| {
        let said = shell.run(&command).map_err(|error| error.to_string())?;
        system.loaded(&said).map_err(|error| error.to_string())
    });
    load.map_err(|found| {
        let message = Diagnostic::error(format!("{} does not say what runs on the cluster", system.word()));
        let message = message.expected_found("a list of jobs", found);
        EngineError::environment(
            message
                .with_hint(format!("plan without it (--no-load), or try it yourself: {}", command.join(" "))),
        )
    })
}
