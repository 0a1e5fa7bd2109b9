//! Calls of functions as a run makes them, one after another.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use onceflow_programs::{ExternalOperation, ImageExtent, PartExtent, ProgramWorkspace, bind_programs};
use onceflow_region::{Dense, Pixels, Region};
use onceflow_runtime::{Call, Operation as _};
use onceflow_study::{Catalogue, Scope, SourceText, read_workflow};
use onceflow_terminal::Failure;

use crate::program::failed;

/// Seconds of a call whose input is new to the worker, and of one whose input it holds already.
pub(super) struct Handed {
    pub(super) new: f64,
    pub(super) again: f64,
}

/// How often a region is handed over; the quickest counts.
const ROUNDS: usize = 20;

/// Seconds of so many calls of a function that does nothing, in a worker that is started.
pub(super) fn empty(folder: &Path, calls: u32) -> Result<f64, Failure> {
    let operation = operation(folder, "empty", "mask", (16, 16))?;
    let mask = [grey(16, 16, 0)?];
    call(&operation, &mask)?;
    let start = Instant::now();
    (0..calls).try_for_each(|_| call(&operation, &mask).map(drop))?;
    Ok(start.elapsed().as_secs_f64())
}

/// What handing over so many bytes takes, with the answer of a function that looks at one of them.
pub(super) fn handing(folder: &Path, bytes: usize) -> Result<Handed, Failure> {
    let side = bytes.isqrt();
    let operation = operation(folder, "seen", "u8", (side as u64, side as u64))?;
    // Two images in turn: none of them is what the worker holds.
    let images = [[grey(side, side, 7)?], [grey(side, side, 9)?]];
    let timed = |image| -> Result<f64, Failure> {
        let start = Instant::now();
        call(&operation, image)?;
        Ok(start.elapsed().as_secs_f64())
    };
    let mut best = Handed { new: f64::INFINITY, again: f64::INFINITY };
    for round in 0..ROUNDS {
        let image = &images[round % 2];
        best.new = best.new.min(timed(image)?);
        best.again = best.again.min(timed(image)?);
    }
    Ok(best)
}

fn grey(width: usize, height: usize, value: u8) -> Result<Arc<Region>, Failure> {
    let dense = Dense::new(width, height, 1, Pixels::U8(vec![value; width * height]));
    Ok(Arc::new(Region::Dense(dense.map_err(failed)?)))
}

fn call(operation: &ExternalOperation, inputs: &[Arc<Region>]) -> Result<Vec<Region>, Failure> {
    Ok(operation.run(&Call { inputs, ..Call::default() }).map_err(failed)?.outputs)
}

/// A function of the folder that takes one region and makes a table.
fn operation(folder: &Path, name: &str, kind: &str, size: (u64, u64)) -> Result<ExternalOperation, Failure> {
    let text = format!(
        r#"{{ "workflow": "calls", "version": 1, "regions": {{ "given": "{kind}", "made": "table" }},
  "stages": [ {{ "stage": "s", "in": ["given"], "out": ["made"], "tasks": [
    {{ "task": "t", "op": {{ "python": "steps.py:{name}" }}, "in": ["given"], "out": ["made"] }} ] }} ], "outputs": ["made"] }}"#
    );
    let source = SourceText::new("workflow.json", text);
    let workflow = read_workflow(&source).map_err(|diagnostics| failed(format!("{diagnostics:?}")))?;
    let (_, _, tasks) = bind_programs(&workflow, Catalogue::new([]), folder).map_err(failed)?;
    let task = tasks.into_iter().next().ok_or_else(|| failed("no task"))?;
    let (image, part) = (ImageExtent { name: "one", size }, PartExtent { image: 0, corner: None, size });
    let workspace = Arc::new(ProgramWorkspace::temporary(&[image], &[part]).map_err(failed)?);
    ExternalOperation::new(task, Scope::Part, workspace, None).map_err(failed)
}
