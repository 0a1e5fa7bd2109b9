//! Where the costs of tasks are remembered, as the command line says it.

use std::ffi::OsStr;

use onceflow_engine::{CostsFile, Prepared, Run};

use crate::args::MachineArgs;
use crate::terminal::Terminal;

/// A study whose predictions rest on what earlier runs measured.
pub(crate) fn with_costs<'s>(
    prepared: Prepared<'s>,
    args: &MachineArgs,
    terminal: &Terminal,
) -> Prepared<'s> {
    let Some(file) = file(args) else { return prepared };
    let loaded = file.load();
    warn(loaded.warning, terminal);
    prepared.with_costs(loaded.costs)
}

/// Remembers what the tasks of a run cost.
pub(crate) fn remember(run: &Run, args: &MachineArgs, terminal: &Terminal) {
    if let Some(file) = file(args) {
        warn(file.add(&run.records, &run.findings), terminal);
    }
}

/// The file that was named, or the user's own; `none` is none.
fn file(args: &MachineArgs) -> Option<CostsFile> {
    match &args.costs {
        Some(path) if path.as_os_str() == OsStr::new("none") => None,
        Some(path) => Some(CostsFile::new(path)),
        None => CostsFile::of_user(),
    }
}

fn warn(warning: Option<String>, terminal: &Terminal) {
    if let Some(warning) = warning {
        terminal.say(&format!("warning: {warning}"));
    }
}
