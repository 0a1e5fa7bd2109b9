//! A bucket that makes the results of tasks of whole images or of the study, for the buckets that come after it.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use onceflow_region::Region;
use onceflow_reuse::{Flow, FlowInput, Level, plan};
use onceflow_runtime::{ExecuteOptions, ExecutionContext, Observer, Operation, RowOutcome, execute};
use onceflow_study::Scope;

use super::{
    BucketAids, BucketCost, BucketInput, BucketResult, BucketResults, PublishedResults, computed_stages,
    terms,
};
use crate::open::sources::{References, Sources};
use crate::plan::grain::Grained;
use crate::run::account::Ledger;
use crate::run::context::RunContext;
use crate::run::operations::{ProgramFolder, Steps};
use crate::run::scratch::Scratch;
use crate::{EngineError, OpenStudy, RunSettings};

/// Is told nothing that it keeps: what fails here fails in the buckets that need it.
struct Unwatched;

impl Observer for Unwatched {
    fn row(&mut self, _: usize, _: usize, _: &RowOutcome, _: &[Vec<Arc<Region>>]) {}
}

/// Computes the shared results of a bucket into the folder where they are published.
pub(super) fn publish(
    study: &OpenStudy,
    settings: &RunSettings,
    (bucket, folder): (&BucketInput, &Path),
    aids: &BucketAids<'_>,
    began: Instant,
) -> Result<BucketResult, EngineError> {
    let (rows, _) = bucket.plan_rows(study)?;
    let granularity = study.granularity(settings.level, &settings.merge);
    let Grained { flow, .. } = study.grained(&bucket.phase.name, &rows, settings.level, &granularity)?;
    let (mut ledger, mut stages) = (Ledger::default(), Vec::new());
    for task in last_wide(&flow) {
        let mut plan = plan(flow.up_to(task), &rows, settings.level)?;
        let spare = study.spare(&mut plan, settings.workers, settings.memory)?;
        let context = RunContext::new(study, settings, study.budget(settings.memory));
        let flow = plan.flow().clone();
        let steps = Steps::default();
        let operations = study.operations(&flow, &study.inputs, &ProgramFolder::Passing, None, &steps)?;
        let operations: Vec<&dyn Operation> = operations.iter().map(AsRef::as_ref).collect();
        let sources = Sources::new(
            &study.inputs,
            flow.sources.clone(),
            References::new(),
            context.budget.clone(),
            spare,
        );
        context.spare.set_limit(spare);
        let sources = sources.of_run(&context.spare);
        let published = PublishedResults::new(folder, &flow);
        let results = BucketResults { of_run: &context.results, published: &published, sources: &sources };
        let scratch: Vec<_> = settings.scratch.iter().cloned().chain(aids.scratch.clone()).collect();
        let spill = Scratch::new(scratch, settings.staging, None);
        let work = ExecutionContext {
            operations: &operations,
            provider: &sources,
            results: &results,
            spill: &spill,
            meter: settings.meter,
            digests: None,
        };
        let options = ExecuteOptions {
            spilling: true,
            stop: Some(&settings.stop),
            known: bucket.elsewhere(study, &plan),
            ..ExecuteOptions::new(settings.workers, context.budget.clone())
        };
        let execution = execute(&mut plan, &study.inputs.layout(), &work, &options, &mut Unwatched)?;
        computed_stages(plan.flow(), &execution.account, &mut stages);
        let expected = study.seconds(plan.flow(), Level::None);
        ledger.add(&execution, &plan, &std::collections::BTreeMap::new(), &expected);
    }
    let work = ledger.work();
    let mut rows = bucket.results(Vec::new())?;
    rows.complete = !settings.stop.load(std::sync::atomic::Ordering::Relaxed);
    let cost = BucketCost {
        worker: aids.worker.clone(),
        seconds: began.elapsed().as_secs_f64(),
        account: [terms(&work.tasks), terms(&work.seconds)],
        stages,
        peak_bytes: crate::peak_resident().unwrap_or(0),
        ..BucketCost::default()
    };
    Ok(BucketResult { rows, cost })
}

/// The tasks of an image or the study that no other such task needs: with them all of them are made.
fn last_wide(flow: &Flow) -> Vec<usize> {
    let wide = |task: &usize| flow.scope(*task) != Scope::Part && !takes_reference(flow, *task);
    let tasks: Vec<usize> = (0..flow.tasks.len()).filter(wide).collect();
    let is_needed =
        |task: usize| tasks.iter().any(|other| *other != task && flow.makers(*other).contains(&task));
    tasks.iter().copied().filter(|task| !is_needed(*task)).collect()
}

/// Whether a task, or one that it needs, compares with the reference row.
fn takes_reference(flow: &Flow, task: usize) -> bool {
    let takes = |task: usize| {
        flow.tasks[task].inputs.iter().any(|input| matches!(input, FlowInput::Reference { .. }))
    };
    flow.makers(task).into_iter().any(takes)
}
