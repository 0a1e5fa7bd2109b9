//! Figures of moldable workflows: estimates from few points, plans beside exact ones and PyGAD, simulations of many jobs.

mod curves;
mod estimator;
mod optimiser;
mod slurm;
mod speed;

use onceflow_terminal::{Failure, Terminal};

use crate::args::BenchArgs;
use crate::figure::BenchFigure;
use crate::python::PythonPeer;

/// What the peer is asked with.
const SCRIPT: &str = include_str!("peer.py");

/// Measures them; PyGAD takes part when a Python that has it is found.
pub(crate) fn figures(terminal: &Terminal, args: &BenchArgs) -> Result<Vec<BenchFigure>, Failure> {
    let wanted = |section: &str| args.only.as_deref().is_none_or(|only| section.contains(only));
    let mut figures = Vec::new();
    if wanted("estimates") {
        let _progress = terminal.progress("measuring estimates");
        figures.extend(estimator::figures()?);
    }
    if wanted("plans") {
        let peer = if args.no_peer { None } else { PythonPeer::find(args.python.as_deref(), SCRIPT) };
        match &peer {
            Some(peer) => terminal.say(&format!("peer: {}", peer.name())),
            None if args.no_peer => {}
            None => terminal.say("no peer: no Python with PyGAD was found (scripts/peers installs one)"),
        }
        let _progress = terminal.progress("measuring plans");
        figures.extend(optimiser::figures(peer.as_ref())?);
    }
    if wanted("speed") {
        let _progress = terminal.progress("measuring speed");
        figures.extend(speed::figures()?);
    }
    // Takes half an hour, and a Slurm: only when it is asked for.
    if args.only.as_deref() == Some("slurm") {
        figures.extend(slurm::figures(terminal)?);
    }
    Ok(figures)
}

/// What cannot happen with our own inputs is our bug.
fn ours(error: impl std::fmt::Display) -> Failure {
    Failure::internal(error.to_string())
}
