//! `onceflow mold workflow`.

use std::path::Path;

use onceflow_engine::{WorkflowKind, WorkflowRequest, mold_workflow};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};

use crate::args::WorkflowArgs;
use crate::file::{OutputTarget, Overwrite};

/// Writes a workflow.
pub(super) fn run(args: &WorkflowArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let target = OutputTarget::new(args.output.as_deref());
    target.refuse_inputs(&[Path::new(&args.kind)])?;
    target.refuse_foreign(args.force)?;
    let kind = match args.kind.as_str() {
        "neurostimulation" => WorkflowKind::Neurostimulation { trains: args.trains as usize },
        "photoacoustic" => {
            WorkflowKind::Photoacoustic { waves: args.waves as usize, width: args.width as usize }
        }
        file => WorkflowKind::Trace { file: file.into(), serial: args.serial },
    };
    let answer = mold_workflow(&WorkflowRequest {
        kind,
        nodes: args.nodes,
        size: args.size,
        counts: args.counts.0.clone(),
        commands: args.commands.clone(),
    });
    target.write(&answer.map_err(engine_failure)?.text, Overwrite::Replace, terminal)?;
    Ok(Exit::Ok)
}
