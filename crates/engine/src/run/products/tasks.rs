//! Results of expensive tasks in the store, found by their static key, or by their content key once their inputs are there.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use onceflow_products::{Product, ProductKey, ProductRegion, ProductStore};
use onceflow_region::{Budget, Digester, Lease, Region};
use onceflow_reuse::{Digest32, Flow, Level, TaskKey};
use onceflow_runtime::{
    CachedResult, InputProvider, LastingResults, NewResult, OperationError, ResultCache, TaskLogEntry,
};
use onceflow_study::{RegionKind, Scope};

use super::described::DescribedParts;
use super::publisher::PublishOrder;
use super::region_bytes::encoded;
use super::{ProductReader, RunProducts};
use crate::OpenStudy;
use crate::open::sources::{References, Sources};
use crate::plan::earlier::TakenResults;
use crate::run::results::PhaseResults;

/// A task is looked up only if it takes longer than this: a lookup takes less than a hundredth of it.
const LEAST_SECONDS: f64 = 0.02;

/// The chance that a later run needs what a program gave. A result is kept if what it took times this is more than its bytes
/// take.
const OF_PROGRAM: f64 = 0.2;

/// The same for operations of ours: they take hardly longer than their bytes take, and what they take depends on the values of
/// few parameters. So results are kept that take less than a hundredth of the time to keep.
const OF_OURS: f64 = 0.01;

/// So few bytes of a whole image or of the study are always kept.
const FEW: u64 = 1 << 16;

/// Bytes per second that are encoded, compressed, written and read again.
const BYTES_PER_SECOND: f64 = 100e6;

/// Bytes per second that are encoded and digested, and the share of a task's time that this may take before the task is looked
/// for.
const DIGESTED_PER_SECOND: f64 = 500e6;
const LOOKUP_SHARE: f64 = 0.01;

/// The results of a phase: those of the run, and behind them those that outlive it.
pub(crate) struct RunResults<'a> {
    of_run: &'a PhaseResults,
    stored: Option<StoredTasks<'a>>,
}

/// Results of tasks in the store.
struct StoredTasks<'a> {
    run: &'a RunProducts,
    sources: LastingSources<'a>,
    tasks: Vec<StoredTask>,
    described: DescribedParts,
    budgets: [Budget; 2],
    /// Who made what was found, and the seconds that it took.
    origins: Mutex<Vec<(String, f64)>>,
}

/// What is known of a task before it runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredTask {
    /// Whether it is a program of the user. What one takes that never ran is not known.
    is_program: bool,
    /// Whether it is of a whole image or of the study: there are few of these, and many tasks wait for them.
    is_wide: bool,
    /// What it is a task of.
    scope: Scope,
    /// Seconds that it is expected to take.
    seconds: f64,
}

/// A result of a task in the store.
struct FoundTask {
    /// The digests of its outputs.
    outputs: Vec<[u8; 32]>,
    run: String,
    seconds: f64,
}

/// Sources by digests that hold in all runs.
struct LastingSources<'a> {
    study: &'a OpenStudy,
    reader: &'a ProductReader,
    references: &'a References,
    sources: &'a Sources<'a>,
    names: Vec<String>,
    /// The names of the tasks.
    tasks: Vec<String>,
}

impl<'a> RunResults<'a> {
    /// The results of a run, and of others where there is a store.
    pub(crate) fn new(
        of_run: &'a PhaseResults,
        run: Option<&'a RunProducts>,
        (study, flow): (&'a OpenStudy, &Flow),
        (sources, references): (&'a Sources<'a>, &'a References),
        budgets: [Budget; 2],
    ) -> Self {
        let tasks = StoredTask::all(study, flow);
        let stored = run.filter(|_| tasks.iter().any(StoredTask::is_wanted)).map(|run| {
            let names = flow.sources.clone();
            let of_tasks = flow.tasks.iter().map(|task| task.name.clone()).collect();
            let sources =
                LastingSources { study, reader: &run.reader, references, sources, names, tasks: of_tasks };
            let described = DescribedParts::new(&study.inputs);
            StoredTasks { run, sources, tasks, described, budgets, origins: Mutex::default() }
        });
        Self { of_run, stored }
    }

    /// Notes which results of tasks came from which earlier run.
    pub(crate) fn note_taken(&self, log: &[TaskLogEntry], taken: &mut TakenResults) {
        let Some(stored) = &self.stored else { return };
        let origins = stored.origins.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |entry: &TaskLogEntry| Some((entry.instance, origins.get(entry.origin? as usize)?));
        for (instance, (run, seconds)) in log.iter().filter_map(known) {
            taken.note_task(instance, run, *seconds);
        }
    }
}

impl StoredTask {
    pub(super) fn all(study: &OpenStudy, flow: &Flow) -> Vec<Self> {
        let seconds = study.seconds(flow, Level::None);
        let is_program = |task: usize| study.own.iter().any(|own| own.spec.id == flow.tasks[task].spec.id);
        let task = |(task, seconds)| {
            let scope = flow.scope(task);
            Self { is_program: is_program(task), is_wide: scope != Scope::Part, scope, seconds }
        };
        seconds.into_iter().enumerate().map(task).collect()
    }

    /// Whether it takes long enough to be looked up.
    pub(super) fn is_wanted(&self) -> bool {
        self.is_program || self.is_wide || self.seconds >= LEAST_SECONDS
    }

    /// Whether it takes long enough to digest so many bytes of its inputs.
    fn wants_contents(&self, bytes: u64) -> bool {
        self.is_program || self.seconds * LOOKUP_SHARE >= bytes as f64 / DIGESTED_PER_SECOND
    }

    /// Whether a result that took so many seconds is worth its bytes.
    fn admits(&self, seconds: f64, bytes: u64) -> bool {
        if self.is_wide && bytes <= FEW {
            return true;
        }
        let share = if self.is_program { OF_PROGRAM } else { OF_OURS };
        seconds * share >= bytes as f64 / BYTES_PER_SECOND
    }
}

impl ResultCache for RunResults<'_> {
    fn is_enabled(&self) -> bool {
        self.of_run.is_enabled()
    }

    fn is_of_run(&self) -> bool {
        true
    }

    fn lasting(&self) -> Option<LastingResults<'_>> {
        let stored = self.stored.as_ref()?;
        Some(LastingResults { cache: stored, provider: &stored.sources })
    }

    fn lookup(&self, keys: &[TaskKey]) -> Result<Vec<Option<CachedResult>>, OperationError> {
        self.of_run.lookup(keys)
    }

    fn fetch(&self, key: &TaskKey) -> Result<Vec<Arc<Region>>, OperationError> {
        self.of_run.fetch(key)
    }

    fn store(
        &self,
        keys: &[TaskKey],
        result: &NewResult<'_>,
    ) -> Result<Option<CachedResult>, OperationError> {
        self.of_run.store(keys, result)
    }

    fn bytes(&self) -> u64 {
        self.of_run.bytes()
    }
}

impl StoredTasks<'_> {
    fn products(&self) -> &ProductStore {
        &self.run.reader.store
    }

    /// What the store has under each key; what it has under a key that is audited is computed again.
    fn found(&self, keys: &[TaskKey]) -> Result<Vec<Option<FoundTask>>, OperationError> {
        let (keys, lookups): (Vec<ProductKey>, _) =
            (keys.iter().map(task_key).collect(), &self.run.reader.lookups);
        if lookups.left().is_none() {
            lookups.leave_out(keys.len());
            return Ok(keys.iter().map(|_| None).collect());
        }
        let began = Instant::now();
        let found = self.products().fetch(&keys).map_err(|error| OperationError::new(error.to_string()))?;
        lookups.spend(began.elapsed());
        lookups.found(&found);
        let read = |product: Option<Product>| {
            let product = product.filter(|product| !self.run.audit.chooses(&result_key(product)))?;
            let outputs = outputs(&product.payload)?;
            Some(FoundTask { outputs, run: product.maker.run, seconds: product.seconds })
        };
        Ok(found.into_iter().map(read).collect())
    }

    /// Which region a result is: it has the kind of the first output.
    fn region(&self, result: &NewResult<'_>) -> Option<ProductRegion> {
        let (StoredTask { scope, .. }, kind) = (self.tasks.get(result.task)?, result.outputs.first()?.kind());
        let name = self.sources.tasks.get(result.task)?;
        self.described.task(*scope, result.site, name, kind)
    }

    fn reserve(&self, bytes: u64) -> Option<Vec<Lease>> {
        self.budgets.iter().map(|budget| budget.try_reserve(bytes)).collect()
    }
}

impl ResultCache for StoredTasks<'_> {
    fn wants(&self, task: usize) -> bool {
        self.tasks.get(task).is_some_and(StoredTask::is_wanted)
    }

    fn wants_contents(&self, task: usize, bytes: u64) -> bool {
        self.tasks.get(task).is_some_and(|task| task.wants_contents(bytes))
    }

    /// That of its bytes in the store: what is found there again need not be digested.
    fn digest(&self, region: &Region) -> Option<Digest32> {
        encoded(region).map(|encoded| encoded.digest)
    }

    fn lookup(&self, keys: &[TaskKey]) -> Result<Vec<Option<CachedResult>>, OperationError> {
        let found = self.found(keys)?;
        let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        let mut described = |found: FoundTask| {
            origins.push((found.run, found.seconds));
            let origin = u32::try_from(origins.len() - 1).ok();
            CachedResult { digests: found.outputs, contents: Vec::new(), bytes: 0, origin }
        };
        Ok(found.into_iter().map(|found| found.map(&mut described)).collect())
    }

    fn fetch(&self, key: &TaskKey) -> Result<Vec<Arc<Region>>, OperationError> {
        let found = self.found(std::slice::from_ref(key))?.pop().flatten();
        let found = found.ok_or_else(|| OperationError::new("the store has lost a result"))?;
        found.outputs.iter().map(|bytes| self.run.reader.region(bytes, None).map(Arc::new)).collect()
    }

    fn store(
        &self,
        keys: &[TaskKey],
        result: &NewResult<'_>,
    ) -> Result<Option<CachedResult>, OperationError> {
        self.run.reader.lookups.computed(result.seconds);
        let bytes: u64 = result.outputs.iter().map(|region| region.bytes()).sum();
        let admits = |task: &StoredTask| task.admits(result.seconds, bytes);
        let Some(leases) = self.tasks.get(result.task).filter(|task| admits(task)).and(self.reserve(bytes))
        else {
            return Ok(None);
        };
        let (keys, outputs) = (keys.iter().map(task_key).collect(), result.outputs.to_vec());
        let (seconds, region) = (result.seconds, self.region(result));
        self.run.publisher.add(PublishOrder::Task { keys, outputs, seconds, region, leases });
        // It is not there yet.
        Ok(None)
    }

    fn bytes(&self) -> u64 {
        0
    }
}

impl InputProvider for LastingSources<'_> {
    fn source(&self, source: usize, scope: Scope, site: usize) -> Result<Arc<Region>, OperationError> {
        self.sources.source(source, scope, site)
    }

    fn digest(&self, source: usize, scope: Scope, site: usize) -> Result<Digest32, OperationError> {
        let inputs = &self.study.inputs;
        let part = match scope {
            Scope::Part => Some(site),
            Scope::Image => inputs.parts.iter().position(|part| part.image == site),
            Scope::Study => Some(0),
        };
        let digest = part.and_then(|part| {
            self.reader.source(self.study, self.references, &self.names[source], scope, part)
        });
        digest.ok_or_else(|| OperationError::new("the source has no digest"))
    }

    fn empty(&self, kind: RegionKind, scope: Scope, site: usize) -> Region {
        self.sources.empty(kind, scope, site)
    }
}

/// The key of a task's result in the store.
pub(super) fn task_key(key: &TaskKey) -> ProductKey {
    let mut digester = Digester::new("onceflow task v2");
    digester.text(env!("CARGO_PKG_VERSION"));
    digester.bytes(&key.0);
    ProductKey(digester.finish().0)
}

/// What a result is known by in an audit: it is under two keys, and is computed again whichever of them is looked up.
fn result_key(product: &Product) -> ProductKey {
    let mut digester = Digester::new("onceflow audited result v1");
    digester.bytes(&product.payload);
    ProductKey(digester.finish().0)
}

/// The digests of the outputs that a record names; none where it is not what was written.
fn outputs(payload: &[u8]) -> Option<Vec<[u8; 32]>> {
    payload.chunks(32).map(|digest| digest.try_into().ok()).collect()
}
