//! Python functions as tasks: what a call takes, what handing a region over takes, and studies beside the same function as a
//! program that serves.

mod calls;
mod studies;

use std::path::Path;

use onceflow_terminal::{Failure, Terminal};
use serde_json::json;

use crate::args::BenchArgs;
use crate::figure::{BenchFigure, Goal};
use crate::program::failed;
use crate::python::PythonPeer;

const PEER: &str = include_str!("peer.py");

/// Calls of a function that does nothing.
const CALLS: u32 = 1000;

/// The figures of Python functions.
pub(crate) fn figures(terminal: &Terminal, args: &BenchArgs) -> Result<Vec<BenchFigure>, Failure> {
    let asked = |name: &str| args.only.as_deref().is_none_or(|only| name.contains(only));
    let folder = tempfile::tempdir().map_err(failed)?;
    write(folder.path())?;
    let mut figures = Vec::new();
    if asked("calls") {
        terminal.say("a function that does nothing");
        let empty = calls::empty(folder.path(), CALLS)?;
        let peer = (!args.no_peer).then(|| PythonPeer::find(args.python.as_deref(), PEER)).flatten();
        match &peer {
            Some(peer) => terminal.say(&format!("the same with {}", peer.name())),
            None => terminal
                .say("no peers: no Python with joblib or Dask was found (scripts/peers installs them)"),
        }
        // A run decides after each task what comes next, so that it has no batches to send.
        for (name, goal) in [("joblib", Some(10.0)), ("Dask", Some(10.0)), ("joblib in batches", None)] {
            let seconds =
                peer.as_ref().map(|peer| peer.ask(&json!({ "do": name, "calls": CALLS }))).transpose()?;
            let figure =
                figure(&format!("calls: 1,000 of an empty function, beside {name}"), empty * 1e3, "ms");
            let peer = seconds.and_then(|answer| answer["seconds"].as_f64()).map(|seconds| seconds * 1e3);
            figures.push(BenchFigure { goal: goal.map(Goal::Ratio), peer, ..figure });
        }
    }
    if asked("handing") {
        terminal.say("16 MiB handed over");
        let handed = calls::handing(folder.path(), 16 << 20)?;
        let first = figure("handing: 16 MiB of new pixels, and the answer", handed.new * 1e3, "ms");
        figures.push(BenchFigure { goal: Some(Goal::AtMost(1.0)), ..first });
        let again = figure("handing: 16 MiB that the worker holds already", handed.again * 1e3, "ms");
        figures.push(BenchFigure { goal: Some(Goal::AtMost(1.0)), ..again });
    }
    if asked("studies") {
        for side in [64, 256, 1024] {
            terminal.say(&format!(
                "a study on parts of {side} x {side} pixels, as a function and as a program that serves"
            ));
            let (ours, served) = studies::both(folder.path(), side)?;
            let figure =
                figure(&format!("studies: parts of {side} x {side}, beside a served program"), ours, "s");
            let goal = Some(Goal::Ratio(if side == 64 { 3.0 } else { 1.0 }));
            figures.push(BenchFigure { goal, peer: Some(served), ..figure });
        }
    }
    Ok(figures)
}

fn figure(name: &str, value: f64, unit: &'static str) -> BenchFigure {
    BenchFigure { name: name.into(), value, unit, goal: None, peer: None }
}

fn write(folder: &Path) -> Result<(), Failure> {
    let files = [
        ("steps.py", include_str!("steps.py")),
        ("served.py", include_str!("served.py")),
        ("onceflow_serve.py", include_str!("../../../../examples/scikit-image/onceflow_serve.py")),
    ];
    files.iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text)).map_err(failed)
}
