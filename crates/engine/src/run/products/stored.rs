//! Rows whose outputs the store has: they are only compared, and none of the tasks before is run.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use onceflow_products::{ProductError, ProductKey, ProductStore};
use onceflow_region::Region;
use onceflow_reuse::{ContentDigest, FlowInput, Level, NodeId, ParameterRows, Plan};
use onceflow_runtime::{
    Call, Done, DuplicateOptions, ExecuteOptions, Execution, ExecutionContext, FinishedTask, KnownFrom,
    KnownRows, NoResultCache, Observer, Operation, OperationError, OutputDigests, RowOutcome, TaskLogEntry,
    execute,
};
use onceflow_study::Scope;

use super::outputs::{RowOutput, region_key};
use super::stored_flow::{TAKE, stored_flow};
use super::{PhaseProducts, ProductReader};
use crate::EngineError;
use crate::plan::earlier::TakenKind;
use crate::run::recorder::RunRecorder;

/// What rows are compared with.
pub(crate) struct Comparing<'a> {
    /// The rows of the phase.
    pub(crate) rows: &'a ParameterRows,
    /// What tasks of the phase are carried out with.
    pub(crate) context: ExecutionContext<'a>,
    /// How they are.
    pub(crate) options: ExecuteOptions<'a>,
}

/// What the store has of rows at parts.
#[derive(Debug, Default)]
struct StoredRows {
    /// Per part, per row.
    parts: Vec<HashMap<usize, StoredRow>>,
}

/// What the store has of a row at a part.
#[derive(Debug)]
struct StoredRow {
    outputs: Vec<RowOutput>,
    /// The run that made the first of them, and the seconds that it needed.
    run: String,
    seconds: f64,
}

/// Rows that were compared, and what that took.
pub(crate) struct ComparedRows {
    execution: Execution,
    /// The task of the phase for each task of the comparison but the first.
    tasks: Vec<usize>,
    seconds: f64,
}

impl PhaseProducts<'_> {
    /// What the store has of these rows, with what they are compared with.
    fn stored(&self, plan: &Plan, known: &KnownRows) -> Result<StoredRows, ProductError> {
        let outputs = self.outputs.as_ref().map_or(0, |outputs| outputs.regions.len());
        let reference = plan.reference().filter(|_| needs_reference(plan));
        let mut stored = StoredRows::default();
        for (part, keys) in self.output_keys.iter().enumerate() {
            let is_asked = |row: &usize| !known.knows(*row, part) || reference == Some(*row);
            let rows: Vec<usize> = (0..plan.rows()).filter(is_asked).collect();
            let asked = keys.as_ref().filter(|_| rows.iter().any(|row| !known.knows(*row, part)));
            let found = match asked {
                Some(keys) => self.found(keys, &rows, outputs)?,
                None => HashMap::new(),
            };
            let whole = reference.is_none_or(|reference| found.contains_key(&reference));
            stored.parts.push(if whole { found } else { HashMap::new() });
        }
        Ok(stored)
    }

    /// The rows all of whose outputs are in the store.
    fn found(
        &self,
        keys: &[ProductKey],
        rows: &[usize],
        outputs: usize,
    ) -> Result<HashMap<usize, StoredRow>, ProductError> {
        let of_row = |row: &usize| keys[row * outputs..(row + 1) * outputs].iter().copied();
        let asked: Vec<ProductKey> = rows.iter().flat_map(of_row).collect();
        let products = self.look_up(rows, asked)?;
        let read =
            |product: &Option<onceflow_products::Product>| RowOutput::from_bytes(&product.as_ref()?.payload);
        let mut given: Vec<(usize, StoredRow)> = Vec::new();
        for (row, products) in rows.iter().zip(products.chunks(outputs.max(1))) {
            let found = products.iter().map(read).collect::<Option<Vec<_>>>();
            if let (Some(outputs), Some(Some(first))) = (found, products.first()) {
                let (run, seconds) = (first.maker.run.clone(), first.seconds);
                given.push((*row, StoredRow { outputs, run, seconds }));
            }
        }
        let missing = missing(&self.run.reader.store, given.iter().flat_map(|(_, row)| &row.outputs))?;
        let is_there = |output: &RowOutput| match output {
            RowOutput::Region(digest) => !missing.contains(digest),
            RowOutput::Ended(_) => true,
        };
        given.retain(|(_, row)| row.outputs.iter().all(is_there));
        Ok(given.into_iter().collect())
    }

    /// Compares the rows whose outputs the store has. Rows that fail are left to be computed.
    pub(crate) fn compare(
        &self,
        plan: &Plan,
        known: &mut KnownRows,
        work: &Comparing<'_>,
        recorder: &mut RunRecorder<'_>,
    ) -> Result<Option<ComparedRows>, EngineError> {
        let Some(flow) = self.outputs.as_ref().and_then(|outputs| stored_flow(plan.flow(), outputs)) else {
            return Ok(None);
        };
        let stored = match self.stored(plan, known) {
            Ok(stored) => stored,
            Err(error) => {
                recorder.progress.note(&format!("note: outputs of earlier runs are not used: {error}"));
                return Ok(None);
            }
        };
        let others =
            stored.others(plan.rows(), |row, part| known.knows(row, part) || self.is_audited(row, part));
        if others.len() == plan.rows() * stored.parts.len() {
            return Ok(None);
        }
        let take = TakeStored { reader: &self.run.reader, rows: &stored };
        let compared = plan.flow().results.iter().map(|task| work.context.operations[*task]);
        let operations: Vec<&dyn Operation> =
            std::iter::once(&take as &dyn Operation).chain(compared).collect();
        let context = ExecutionContext {
            operations: &operations,
            results: &NoResultCache,
            digests: work.context.digests.map(|_| &ToldDigests as &dyn OutputDigests),
            ..work.context
        };
        let duplicates = work.options.duplicates.clone();
        let duplicates =
            duplicates.map(|all| DuplicateOptions { tasks: Vec::new(), nodes: Vec::new(), ..all });
        let options = ExecuteOptions { known: others, recompute: None, duplicates, ..work.options.clone() };
        let mut stored_plan = onceflow_reuse::plan(flow, work.rows, Level::Dataflow)?;
        let began = Instant::now();
        let mut observer =
            ComparedObserver { recorder, plan, known, stored: &stored, tasks: plan.flow().results.clone() };
        let layout = observer.recorder.layout;
        let execution = execute(&mut stored_plan, layout, &context, &options, &mut observer)?;
        let tasks = observer.tasks;
        Ok(Some(ComparedRows { execution, tasks, seconds: began.elapsed().as_secs_f64() }))
    }
}

/// Whether rows are compared with the reference row of the plan.
fn needs_reference(plan: &Plan) -> bool {
    let mut inputs = plan.flow().tasks.iter().flat_map(|task| &task.inputs);
    inputs.any(|input| matches!(input, FlowInput::Reference { .. }))
}

/// The digests of regions that the store does not have.
fn missing<'a>(
    store: &ProductStore,
    outputs: impl Iterator<Item = &'a RowOutput>,
) -> Result<HashSet<[u8; 32]>, ProductError> {
    let digest = |output: &RowOutput| match output {
        RowOutput::Region(digest) => Some(*digest),
        RowOutput::Ended(_) => None,
    };
    let digests: HashSet<[u8; 32]> = outputs.filter_map(digest).collect();
    let digests: Vec<[u8; 32]> = digests.into_iter().collect();
    let there = store.has(&digests.iter().map(region_key).collect::<Vec<_>>())?;
    Ok(digests.into_iter().zip(there).filter(|(_, there)| !there).map(|(digest, _)| digest).collect())
}

impl StoredRows {
    /// The rows that are not to be compared: those that are left out, and those that the store does not have.
    fn others(&self, rows: usize, is_left_out: impl Fn(usize, usize) -> bool) -> KnownRows {
        let mut others = KnownRows::nothing();
        for (part, stored) in self.parts.iter().enumerate() {
            for row in (0..rows).filter(|row| !stored.contains_key(row) || is_left_out(*row, part)) {
                others.note(row, part, KnownFrom::Journal);
            }
        }
        others
    }
}

/// Takes the outputs of a row from the store.
struct TakeStored<'a> {
    reader: &'a ProductReader,
    rows: &'a StoredRows,
}

impl Operation for TakeStored<'_> {
    fn run(&self, call: &Call<'_>) -> Result<Done, OperationError> {
        let stored = self.rows.parts.get(call.site).and_then(|rows| rows.get(&(call.row as usize)));
        let stored = stored.ok_or_else(|| OperationError::new("the store does not have this row"))?;
        let outputs = &stored.outputs;
        let mut regions = Vec::with_capacity(outputs.len());
        for output in outputs {
            match output {
                RowOutput::Region(digest) => regions.push(self.reader.region(digest, None)?),
                RowOutput::Ended(status) => {
                    return Ok(Done { ended: Some(status.clone()), ..Done::default() });
                }
            }
        }
        Ok(Done { digests: outputs.iter().filter_map(RowOutput::content).collect(), ..Done::with(regions) })
    }
}

/// Outputs from the store are known by their digests, so that equal ones are compared once.
struct ToldDigests;

impl OutputDigests for ToldDigests {
    fn content(&self, _: usize, _: &Region) -> Option<ContentDigest> {
        None
    }

    fn is_wanted(&self, task: usize) -> bool {
        task == TAKE
    }
}

/// Passes what was compared on to the recorder of the phase, in the numbers of its plan.
struct ComparedObserver<'o, 'r, 'p> {
    recorder: &'o mut RunRecorder<'r>,
    plan: &'p Plan,
    known: &'o mut KnownRows,
    stored: &'p StoredRows,
    tasks: Vec<usize>,
}

impl Observer for ComparedObserver<'_, '_, '_> {
    fn finished(&mut self, finished: &FinishedTask<'_>) {
        let (row, part) = (finished.entry.row as usize, finished.entry.instance.site);
        if finished.entry.task == TAKE {
            self.recorder.keep_stored(self.plan, row, part, finished.outputs);
        } else if !finished.entry.failed {
            let task = self.tasks[finished.entry.task - 1];
            self.recorder.tell_of_compared(task, row, part, finished.entry.seconds);
        }
    }

    fn row(&mut self, row: usize, part: usize, outcome: &RowOutcome, results: &[Vec<Arc<Region>>]) {
        if matches!(outcome, RowOutcome::Done { .. }) {
            self.recorder.row(row, part, outcome, results);
            self.known.note(row, part, KnownFrom::Products);
            if let Some(StoredRow { run, seconds, .. }) =
                self.stored.parts.get(part).and_then(|rows| rows.get(&row))
            {
                self.recorder.earlier.note_row(TakenKind::Outputs, row, part, run, *seconds);
            }
        }
    }
}

/// A run that is stopped counts only parts that it has begun. Rows that were taken at the others were asked for as well: so many
/// are taken in all, the reference row aside, for which others may have run tasks.
pub(crate) fn count_taken(plan: &Plan, taken: u64, execution: &mut Execution) {
    for (task, account) in execution.account.tasks.iter_mut().enumerate() {
        if plan.flow().scope(task) == Scope::Part {
            let missing = taken.saturating_sub(account.products);
            account.asked += missing;
            account.products += missing;
        }
    }
}

impl ComparedRows {
    /// Whether the run was stopped while rows were compared.
    pub(crate) fn is_stopped(&self) -> bool {
        self.execution.stopped
    }

    /// Adds what was compared to the execution of the phase, for which these rows were known.
    pub(crate) fn add_to(self, plan: &Plan, execution: &mut Execution) {
        let Self { execution: compared, tasks, seconds } = self;
        for (at, task) in tasks.iter().enumerate() {
            let (from, to) = (&compared.account.tasks[at + 1], &mut execution.account.tasks[*task]);
            // When a run is stopped, tasks of rows that are not complete were not asked for by the phase.
            let compared = from.asked - from.resumed - from.failed;
            let of_rows = compared.min(to.products);
            to.products -= of_rows;
            to.asked += compared - of_rows;
            to.by.iter_mut().zip(from.by).for_each(|(to, from)| *to += from);
            to.convergent += from.convergent;
            to.ended_early += from.ended_early;
            to.planned += from.planned;
        }
        execution.log.iter_mut().for_each(|entry| entry.start += seconds);
        let is_compared = |entry: &TaskLogEntry| entry.task != TAKE && !entry.failed;
        let of_phase = |mut entry: TaskLogEntry| {
            entry.task = tasks[entry.task - 1];
            entry.instance.node = plan.node(entry.row as usize, entry.task);
            entry
        };
        let log = compared.log.into_iter().filter(is_compared).map(of_phase);
        execution.log.splice(0..0, log.collect::<Vec<_>>());
        execution.executed += compared.executed;
        execution.stopped |= compared.stopped;
    }
}

impl RunRecorder<'_> {
    /// Keeps what later phases and pictures need of outputs that came from the store.
    fn keep_stored(&mut self, plan: &Plan, row: usize, part: usize, outputs: &[Arc<Region>]) {
        let named = |name: &str| self.products?.place(name).and_then(|place| outputs.get(place)).cloned();
        let is_wanted = |(node, _, name): &(NodeId, usize, String)| {
            let region = named(name).filter(|_| self.reference == Some(row) && rows_of(plan, *node, row))?;
            Some((name.clone(), region))
        };
        let wanted: Vec<(String, Arc<Region>)> = self.wanted.iter().filter_map(is_wanted).collect();
        for (name, region) in wanted {
            self.save(part, &name, &region, None);
        }
    }
}

fn rows_of(plan: &Plan, node: NodeId, row: usize) -> bool {
    plan.rows_of(node).contains(&(row as u32))
}

#[cfg(test)]
mod tests {
    use onceflow_reuse::{Account, Flow, FlowRegion, FlowStage, FlowTask, TaskAccount, TaskOrigin};
    use onceflow_runtime::{CacheCounts, Moves};
    use onceflow_study::RegionKind;

    use super::*;

    fn task(name: &str, stage: usize, inputs: Vec<FlowInput>) -> FlowTask {
        FlowTask {
            name: name.into(),
            stage,
            spec: onceflow_study::Catalogue::nuclei().specs().next().unwrap().clone(),
            reads: Vec::new(),
            inputs,
            outputs: vec![FlowRegion { name: format!("{name}_out"), kind: RegionKind::Mask }],
            ends: Vec::new(),
            after: Vec::new(),
            made: TaskOrigin::Written,
        }
    }

    /// A task of the image, one of a part, and the comparison of what it makes, for ten rows.
    fn plan_of_ten() -> Plan {
        let from = |task| FlowInput::Task { task, output: 0 };
        let tasks = vec![
            task("statistics", 0, vec![FlowInput::Source(0)]),
            task("segment", 1, vec![from(0)]),
            task("compare", 2, vec![from(1)]),
        ];
        let stage = |at: usize| {
            let scope = if at == 0 { Scope::Image } else { Scope::Part };
            FlowStage { name: at.to_string(), scope, tasks: vec![at] }
        };
        let stages = (0..3).map(stage).collect();
        let flow = Flow { stages, tasks, sources: vec!["image".into()], results: vec![2] };
        let mut rows = ParameterRows::new(Vec::new());
        (0..10).for_each(|_| rows.push(&[]).unwrap());
        onceflow_reuse::plan(flow, &rows, Level::Dataflow).unwrap()
    }

    fn execution(tasks: Vec<TaskAccount>, stopped: bool) -> Execution {
        let (account, log) = (Account { tasks }, Vec::new());
        let (moves, cache) = (Moves::default(), CacheCounts::default());
        Execution { account, executed: 0, log, moves, digesting: 0.0, cache, stopped }
    }

    /// Of ten rows four were compared when the run was stopped: two with a task of their own, two merged with these.
    fn compared(stopped: bool) -> ComparedRows {
        let take = TaskAccount { asked: 10, planned: 4, resumed: 6, ..TaskAccount::default() };
        let compare =
            TaskAccount { asked: 10, planned: 2, convergent: 2, resumed: 6, ..TaskAccount::default() };
        ComparedRows { execution: execution(vec![take, compare], stopped), tasks: vec![2], seconds: 1.0 }
    }

    fn added(stopped: bool, phase: Vec<TaskAccount>, taken: u64) -> Vec<TaskAccount> {
        let plan = plan_of_ten();
        let mut execution = execution(phase, stopped);
        if stopped {
            count_taken(&plan, taken, &mut execution);
        }
        compared(stopped).add_to(&plan, &mut execution);
        assert!(execution.account.is_balanced(), "{:?}", execution.account);
        assert_eq!(execution.stopped, stopped);
        execution.account.tasks
    }

    #[test]
    fn a_run_that_is_stopped_while_rows_are_compared_counts_these_rows_as_asked() {
        // The phase itself has not begun any part. One more row was taken whole.
        let [statistics, segment, compare] = added(true, vec![TaskAccount::default(); 3], 5)[..] else {
            unreachable!()
        };
        assert_eq!(statistics, TaskAccount::default(), "no part of the image was begun");
        assert_eq!(segment, TaskAccount { asked: 5, products: 5, ..TaskAccount::default() });
        let expected =
            TaskAccount { asked: 5, products: 1, planned: 2, convergent: 2, ..TaskAccount::default() };
        assert_eq!(compare, expected);
    }

    #[test]
    fn a_run_that_is_stopped_later_counts_no_row_twice() {
        // One part was begun, at which the five rows stand as products, and a sixth was computed.
        let begun = TaskAccount { asked: 6, products: 5, planned: 1, ..TaskAccount::default() };
        let [_, segment, compare] = added(true, vec![TaskAccount::default(), begun, begun], 5)[..] else {
            unreachable!()
        };
        assert_eq!(segment, begun);
        let expected =
            TaskAccount { asked: 6, products: 1, planned: 3, convergent: 2, ..TaskAccount::default() };
        assert_eq!(compare, expected);
    }

    #[test]
    fn in_a_whole_run_rows_that_were_compared_are_no_products_of_the_comparison() {
        let whole = TaskAccount { asked: 10, products: 4, planned: 6, ..TaskAccount::default() };
        let [_, segment, compare] = added(false, vec![whole; 3], 4)[..] else { unreachable!() };
        assert_eq!(segment, whole);
        let expected = TaskAccount { asked: 10, planned: 8, convergent: 2, ..TaskAccount::default() };
        assert_eq!(compare, expected);
    }
}
