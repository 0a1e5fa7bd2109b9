//! Results of expensive tasks in the store, found by their static key, or by their content key once their inputs are there.

use std::sync::Arc;

use onceflow_products::{NewProduct, ProductKey, ProductStore};
use onceflow_region::{Budget, Digester, Lease, Region};
use onceflow_reuse::{Digest32, Flow, Level, TaskKey};
use onceflow_runtime::{CachedResult, InputProvider, LastingResults, NewResult, OperationError, ResultCache};
use onceflow_study::{RegionKind, Scope};

use super::outputs::region_key;
use super::publisher::PublishOrder;
use super::region_bytes::encoded;
use super::{ProductReader, RunProducts};
use crate::OpenStudy;
use crate::open::supply::{References, Sources};
use crate::run::results::PhaseResults;

/// A task is looked up only if it takes longer than this: a lookup takes less than a hundredth of it.
const LEAST_SECONDS: f64 = 0.02;

/// The chance that a later run needs a result. A result is kept if what it took times this is more than its bytes take.
const CHANCE: f64 = 0.2;

/// Bytes per second that are encoded, compressed, written and read again.
const BYTES_PER_SECOND: f64 = 100e6;

/// The results of a phase: those of the run, and behind them those that outlive it.
pub(crate) struct RunResults<'a> {
    of_run: &'a PhaseResults,
    stored: Option<StoredTasks<'a>>,
}

/// Results of tasks in the store.
struct StoredTasks<'a> {
    run: &'a RunProducts,
    sources: LastingSources<'a>,
    /// Which tasks take long enough.
    wanted: Vec<bool>,
    budgets: [Budget; 2],
}

/// Sources by digests that hold in all runs.
struct LastingSources<'a> {
    study: &'a OpenStudy,
    reader: &'a ProductReader,
    references: &'a References,
    sources: &'a Sources<'a>,
    names: Vec<String>,
}

/// An output of a stored task: the digest of its content, and that of its encoded bytes.
type StoredOutput = ([u8; 32], [u8; 32]);

impl<'a> RunResults<'a> {
    /// The results of a run, and of others where there is a store.
    pub(crate) fn new(
        of_run: &'a PhaseResults,
        run: Option<&'a RunProducts>,
        (study, flow): (&'a OpenStudy, &Flow),
        (sources, references): (&'a Sources<'a>, &'a References),
        budgets: [Budget; 2],
    ) -> Self {
        let wanted = wanted(study, flow);
        let stored = run.filter(|_| wanted.contains(&true)).map(|run| {
            let names = flow.sources.clone();
            let sources = LastingSources { study, reader: &run.reader, references, sources, names };
            StoredTasks { run, sources, wanted, budgets }
        });
        Self { of_run, stored }
    }
}

/// The tasks that are expected to take long enough. What a program takes that never ran is not known: it is looked up.
fn wanted(study: &OpenStudy, flow: &Flow) -> Vec<bool> {
    let seconds = study.seconds(flow, Level::None);
    let is_program = |task: usize| study.own.iter().any(|own| own.spec.id == flow.tasks[task].spec.id);
    (0..flow.tasks.len()).map(|task| is_program(task) || seconds[task] >= LEAST_SECONDS).collect()
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
    fn found(&self, keys: &[TaskKey]) -> Result<Vec<Option<Vec<StoredOutput>>>, OperationError> {
        let keys: Vec<ProductKey> = keys.iter().map(task_key).collect();
        let found = self.products().fetch(&keys).map_err(|error| OperationError::new(error.to_string()))?;
        let read = |(key, product): (&ProductKey, Option<onceflow_products::Product>)| {
            product.filter(|_| !self.run.audit.chooses(key)).and_then(|product| outputs(&product.payload))
        };
        Ok(keys.iter().zip(found).map(read).collect())
    }

    fn reserve(&self, bytes: u64) -> Option<Vec<Lease>> {
        self.budgets.iter().map(|budget| budget.try_reserve(bytes)).collect()
    }
}

impl ResultCache for StoredTasks<'_> {
    fn wants(&self, task: usize) -> bool {
        self.wanted.get(task).copied().unwrap_or(false)
    }

    fn lookup(&self, keys: &[TaskKey]) -> Result<Vec<Option<CachedResult>>, OperationError> {
        let described = |outputs: Vec<StoredOutput>| CachedResult {
            digests: outputs.into_iter().map(|(content, _)| content).collect(),
            contents: Vec::new(),
            bytes: 0,
        };
        Ok(self.found(keys)?.into_iter().map(|found| found.map(described)).collect())
    }

    fn fetch(&self, key: &TaskKey) -> Result<Vec<Arc<Region>>, OperationError> {
        let found = self.found(std::slice::from_ref(key))?.pop().flatten();
        let outputs = found.ok_or_else(|| OperationError::new("the store has lost a result"))?;
        outputs.iter().map(|(_, bytes)| self.run.reader.region(bytes).map(Arc::new)).collect()
    }

    fn store(
        &self,
        keys: &[TaskKey],
        result: &NewResult<'_>,
    ) -> Result<Option<CachedResult>, OperationError> {
        let bytes: u64 = result.outputs.iter().map(|region| region.bytes()).sum();
        if result.seconds * CHANCE < bytes as f64 / BYTES_PER_SECOND {
            return Ok(None);
        }
        let Some(leases) = self.reserve(bytes) else { return Ok(None) };
        let (mut products, mut payload, mut digests) = (Vec::new(), Vec::new(), Vec::new());
        for output in result.outputs {
            let Some((content, (encoded, digest))) = output.digest().zip(encoded(output)) else {
                return Ok(None);
            };
            payload.extend([content.0, digest].concat());
            digests.push(content.0);
            let key = region_key(&digest);
            products.push(NewProduct { key, payload: encoded, seconds: result.seconds });
        }
        products.extend(keys.iter().map(|key| NewProduct {
            key: task_key(key),
            payload: payload.clone(),
            seconds: result.seconds,
        }));
        self.run.publisher.add(PublishOrder::Task { products, leases });
        Ok(Some(CachedResult { digests, contents: Vec::new(), bytes }))
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
fn task_key(key: &TaskKey) -> ProductKey {
    let mut digester = Digester::new("onceflow task v1");
    digester.text(env!("CARGO_PKG_VERSION"));
    digester.bytes(&key.0);
    ProductKey(digester.finish().0)
}

/// The outputs that a record names; none where it is not what was written.
fn outputs(payload: &[u8]) -> Option<Vec<StoredOutput>> {
    let both = payload.chunks(64).map(|both| both.split_at_checked(32));
    both.map(|both| {
        let (content, bytes) = both?;
        Some((content.try_into().ok()?, bytes.try_into().ok()?))
    })
    .collect()
}
