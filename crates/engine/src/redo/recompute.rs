//! Rows computed again on one part, for pictures and single regions.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_region::{Bounds, Dense, Region};
use onceflow_reuse::{Flow, Level, NodeId, ParameterRows, Plan, plan};
use onceflow_runtime::{
    ExecuteOptions, ExecutionContext, FinishedTask, InputProvider as _, NoResultCache, NoSpillStore,
    Observer, Operation, RowOutcome, SpillStore, TaskOutcome, execute,
};
use onceflow_store::staging::Staging;
use onceflow_study::{RegionKind, Scope, Value};

use crate::clips::PictureClips;
use crate::open::command::KeptFolders;
use crate::open::inputs::StudyInputs;
use crate::open::sources::{References, Sources};
use crate::run::operations::{ProgramFolder, Steps};
use crate::run::scratch::Scratch;
use crate::{EngineError, OpenStudy};

/// Rows that are to be made again; the first one is what others compare with.
pub(crate) struct RecomputeRequest<'a> {
    pub(crate) study: &'a OpenStudy,
    /// One part of one image.
    pub(crate) inputs: &'a StudyInputs,
    /// Names of the parameters.
    pub(crate) names: &'a [String],
    /// Their values, one list per row.
    pub(crate) rows: &'a [&'a [Value]],
    pub(crate) memory: u64,
    /// Some of the study's tasks; all without it.
    pub(crate) flow: Option<&'a Flow>,
    /// Where programs run.
    pub(crate) place: ProgramFolder<'a>,
    /// Where results go that memory has no room for; without it they must fit.
    pub(crate) scratch: Option<&'a Path>,
    /// What of each region is kept; all of it without one.
    pub(crate) within: Option<Bounds>,
    /// Keeps the piece of the part that is shown; of each region what lies in it is kept then.
    pub(crate) clips: Option<&'a PictureClips>,
}

/// What the tasks of a row made.
pub(crate) struct RecomputedRow {
    /// Regions in the order of their tasks; one that was not made, because its stage ended early, is empty.
    pub(crate) regions: Vec<(String, Arc<Region>)>,
    /// The task that failed, and what it said.
    pub(crate) failure: Option<(String, String)>,
    /// Folders of tasks that were kept.
    pub(crate) folders: Vec<PathBuf>,
}

impl RecomputedRow {
    /// The pixels of a region.
    pub(crate) fn dense(&self, name: &str) -> Result<Dense, EngineError> {
        let region = self.regions.iter().find(|(found, _)| found == name);
        let dense = region.and_then(|(_, region)| region.as_dense().cloned());
        dense.ok_or_else(|| EngineError::Internal(format!("the region {name} has no pixels")))
    }

    /// The one region that was asked for.
    pub(crate) fn only_region(self) -> Result<Arc<Region>, EngineError> {
        let region = self.regions.into_iter().next().map(|(_, region)| region);
        region.ok_or_else(|| EngineError::Internal("no region was computed".into()))
    }
}

/// Runs the rows, each equal task once, and keeps what they make: one region, or all of them.
pub(crate) fn recompute(
    asked: &RecomputeRequest<'_>,
    only: Option<&str>,
) -> Result<Vec<RecomputedRow>, EngineError> {
    let mut rows = ParameterRows::new(asked.names.to_vec());
    for row in asked.rows {
        rows.push(row)?;
    }
    rows.reference = Some(0);
    let flow = asked.flow.cloned().unwrap_or_else(|| asked.study.flow.clone());
    let mut plan = plan(flow, &rows, Level::Dataflow)?;
    let flow = plan.flow().clone();
    let operations = asked.study.operations(&flow, asked.inputs, &asked.place, None, &Steps::default())?;
    let operations: Vec<&dyn Operation> = operations.iter().map(AsRef::as_ref).collect();
    let budget = asked.study.budget(asked.memory);
    // Several tasks read the image: it is kept where there is room beside them.
    let spare = asked.study.spare(&mut plan, 1, asked.memory).unwrap_or(0);
    let sources = Sources::new(asked.inputs, flow.sources.clone(), References::new(), budget.clone(), spare);
    let (sources, within) = shown(sources, asked)?;
    let scratch = asked.scratch.map(|folder| Scratch::new(vec![folder.into()], Staging::default(), None));
    let spill: &dyn SpillStore = scratch.as_ref().map_or(&NoSpillStore, |scratch| scratch);
    let (results, meter, digests) = (&NoResultCache, None, None);
    let work =
        ExecutionContext { operations: &operations, provider: &sources, results, spill, meter, digests };
    let mut keeper = OutputRecorder { outputs: outputs(&plan, only), within, ..OutputRecorder::default() };
    let options = ExecuteOptions { spilling: scratch.is_some(), ..ExecuteOptions::new(1, budget) };
    execute(&mut plan, &asked.inputs.layout(), &work, &options, &mut keeper)?;
    let empty = |kind| Arc::new(sources.empty(kind, Scope::Part, 0));
    let mut made: Vec<RecomputedRow> = (0..plan.rows()).map(|row| keeper.made(&plan, row, &empty)).collect();
    if let (ProgramFolder::Kept(folder), Some(last)) = (&asked.place, made.last_mut()) {
        last.folders =
            folders(&plan, folder).map_err(|error| EngineError::Write { path: folder.into(), error })?;
    }
    Ok(made)
}

/// The sources with what is kept of them, and the box of which results are kept.
fn shown<'a>(
    sources: Sources<'a>,
    asked: &RecomputeRequest<'a>,
) -> Result<(Sources<'a>, Option<Bounds>), EngineError> {
    let Some(clips) = asked.clips else { return Ok((sources, asked.within)) };
    let sources = sources.keeping(clips);
    if clips.unread(0).is_some() {
        sources.read_piece(0).map_err(|error| EngineError::Internal(error.to_string()))?;
    }
    Ok((sources, clips.piece(0).map(|piece| piece.window)))
}

/// Folders of the last row's tasks get the names of the tasks.
fn folders(plan: &Plan, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let last = plan.rows().saturating_sub(1);
    let chosen = plan.flow().tasks.iter().enumerate().map(|(task, named)| {
        let row = plan.first_row(plan.node(last, task));
        KeptFolders(folder).choose(&named.name, row, plan.rows() as u32)
    });
    let chosen = chosen.collect::<io::Result<Vec<_>>>()?;
    Ok(chosen.into_iter().flatten().collect())
}

/// Task, output and kind of each region that is wanted.
fn outputs(plan: &Plan, only: Option<&str>) -> Vec<(usize, usize, RegionKind)> {
    let tasks = plan.flow().tasks.iter().enumerate();
    tasks
        .flat_map(|(task, made)| made.outputs.iter().enumerate().map(move |(place, o)| (task, place, o)))
        .filter(|(_, _, output)| only.is_none_or(|name| output.name == name))
        .map(|(task, place, output)| (task, place, output.kind))
        .collect()
}

/// Keeps what nodes make.
#[derive(Default)]
struct OutputRecorder {
    outputs: Vec<(usize, usize, RegionKind)>,
    within: Option<Bounds>,
    kept: HashMap<(NodeId, usize), Arc<Region>>,
    failures: HashMap<NodeId, String>,
}

impl OutputRecorder {
    fn made(&self, plan: &Plan, row: usize, empty: &dyn Fn(RegionKind) -> Arc<Region>) -> RecomputedRow {
        let flow = plan.flow();
        let region = |(task, output, kind): &(usize, usize, RegionKind)| {
            let kept = self.kept.get(&(plan.node(row, *task), *output)).cloned();
            (
                flow.tasks[*task].outputs[*output].name.clone(),
                kept.unwrap_or_else(|| piece(&empty(*kind), self.within)),
            )
        };
        let failure = |task: usize| {
            let message = self.failures.get(&plan.node(row, task))?;
            Some((flow.tasks[task].name.clone(), message.clone()))
        };
        RecomputedRow {
            regions: self.outputs.iter().map(region).collect(),
            failure: (0..flow.tasks.len()).find_map(failure),
            folders: Vec::new(),
        }
    }
}

/// What is kept of a region: the box that is asked for, of pixels.
fn piece(region: &Arc<Region>, within: Option<Bounds>) -> Arc<Region> {
    let cropped = within.zip(region.as_dense()).and_then(|(within, dense)| dense.crop(within).ok());
    cropped.map_or_else(|| Arc::clone(region), |piece| Arc::new(Region::Dense(piece)))
}

impl Observer for OutputRecorder {
    fn finished(&mut self, finished: &FinishedTask<'_>) {
        let (node, task) = (finished.entry.instance.node, finished.entry.task);
        if let TaskOutcome::Failed { message, .. } = finished.outcome {
            self.failures.insert(node, message.to_string());
        }
        let wanted =
            self.outputs.iter().filter(|(wanted, _, _)| *wanted == task).map(|(_, output, _)| *output);
        for output in wanted.collect::<Vec<usize>>() {
            if let Some(region) = finished.outputs.get(output) {
                self.kept.insert((node, output), piece(region, self.within));
            }
        }
    }

    fn row(&mut self, _row: usize, _part: usize, _outcome: &RowOutcome, _results: &[Vec<Arc<Region>>]) {}
}
