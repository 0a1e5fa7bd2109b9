//! How workers use the result cache: they make the keys, site by site, and look up those of a site in batches.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use onceflow_region::Region;
use onceflow_reuse::{ContentDigest, Digest32, InputDigest, NodeId, Plan, StaticKeys, TaskKey, content_key};
use onceflow_study::Scope;

use super::inputs::{JobInput, SiteRef};
use super::job::{TaskJob, guarded};
use crate::{
    CacheCounts, CachedResult, InputProvider, Instance, NewResult, OperationError, PartLayout, ResultCache,
};

/// Nodes whose keys are looked up together.
const BATCH: u32 = 512;

/// Regions whose digests are remembered before those that are gone are forgotten.
const MOST_CONTENTS: usize = 1024;

/// The result cache as workers use it, apart from all that the scheduler locks.
pub(super) struct CacheClient<'a> {
    cache: &'a dyn ResultCache,
    provider: &'a dyn InputProvider,
    layout: &'a PartLayout,
    /// The nodes as planned: those that the scheduler adds have no static key.
    plan: Plan,
    /// Whether the nodes of each task give the same bytes in every run, and the cache keeps them.
    lasting: Vec<bool>,
    sites: Mutex<HashMap<SiteRef, Arc<Mutex<SiteKeys>>>>,
    /// The digests of regions that were inputs, by their places in memory: many tasks take the same region.
    contents: Mutex<HashMap<usize, DigestedRegion>>,
}

/// A region that may be gone, and its digest where it has one.
type DigestedRegion = (Weak<Region>, Option<Digest32>);

/// The keys of one site, each made once.
#[derive(Default)]
struct SiteKeys {
    keys: StaticKeys,
    sources: RefCell<HashMap<(usize, Scope), Option<Digest32>>>,
    /// What the cache held under the static keys of nodes.
    found: HashMap<NodeId, StaticLookup>,
}

/// Outputs that the cache held, and their contents where it knows them.
type ServedOutputs = (Vec<Arc<Region>>, Vec<ContentDigest>);

/// What is known of a node's static key: nothing where it has none.
type StaticLookup = Option<(TaskKey, Option<CachedResult>)>;

/// What the cache did for one job.
#[derive(Debug, Default)]
pub(super) struct CacheUse {
    /// The keys of its result.
    keys: Vec<TaskKey>,
    /// The digest of each output, where the cache knows them.
    pub(super) digests: Vec<Digest32>,
    /// Who made what was served, where the cache outlives the run.
    pub(super) origin: Option<u32>,
    pub(super) counts: CacheCounts,
    pub(super) errors: Vec<OperationError>,
}

impl<'a> CacheClient<'a> {
    /// None where no cache is set up.
    pub(super) fn new(
        cache: &'a dyn ResultCache,
        provider: &'a dyn InputProvider,
        layout: &'a PartLayout,
        plan: &Plan,
    ) -> Option<Self> {
        if !cache.is_enabled() || plan.rows() == 0 {
            return None;
        }
        let lasts = |task: usize| cache.wants(task) && plan.lasts(plan.node(0, task));
        let lasting: Vec<bool> = (0..plan.flow().tasks.len()).map(lasts).collect();
        lasting.contains(&true).then(|| Self {
            cache,
            provider,
            layout,
            plan: plan.clone(),
            lasting,
            sites: Mutex::default(),
            contents: Mutex::default(),
        })
    }

    /// The outputs of a job, when the cache holds them under its static or its content key.
    pub(super) fn serve(&self, job: &TaskJob, used: &mut CacheUse) -> Option<ServedOutputs> {
        let found = self.found(job.instance, job.ground, used);
        if let Some((key, held)) = found {
            used.keys.push(key);
            if let Some(outputs) = held.and_then(|held| self.fetch(key, held, job.outputs, used)) {
                return Some(outputs);
            }
        }
        let key = self.content_key(job)?;
        used.keys.push(key);
        let held = self.lookup(&[key], used).pop().flatten()?;
        self.fetch(key, held, job.outputs, used)
    }

    /// Stores what was computed for a job.
    pub(super) fn store(
        &self,
        instance: Instance,
        ground: SiteRef,
        result: &NewResult<'_>,
        used: &mut CacheUse,
    ) {
        if used.keys.is_empty() {
            return;
        }
        match guarded(|| self.cache.store(&used.keys, result)) {
            Ok(Some(stored)) => {
                used.counts.stored += 1;
                used.counts.stored_bytes += stored.bytes;
                used.digests.clone_from(&stored.digests);
                if let Some(Some(found)) = lock(&self.site(ground)).found.get_mut(&instance.node) {
                    found.1 = Some(stored);
                }
            }
            Ok(None) => {}
            Err(error) => used.failed(error),
        }
    }

    /// No job of a site is left: its keys are not needed any more.
    pub(super) fn close(&self, ground: SiteRef) {
        lock(&self.sites).remove(&ground);
    }

    fn fetch(
        &self,
        key: TaskKey,
        held: CachedResult,
        expected: usize,
        used: &mut CacheUse,
    ) -> Option<ServedOutputs> {
        let fetched = guarded(|| self.cache.fetch(&key)).and_then(|outputs| {
            let found = outputs.len();
            let wrong = || OperationError::new(format!("expected {expected} cached outputs, found {found}"));
            if found == expected { Ok(outputs) } else { Err(wrong()) }
        });
        match fetched {
            Ok(outputs) => {
                used.counts.served += 1;
                used.counts.served_bytes += held.bytes;
                used.digests = held.digests;
                used.origin = held.origin;
                Some((outputs, held.contents))
            }
            Err(error) => {
                used.failed(error);
                None
            }
        }
    }

    fn lookup(&self, keys: &[TaskKey], used: &mut CacheUse) -> Vec<Option<CachedResult>> {
        if keys.is_empty() {
            return Vec::new();
        }
        guarded(|| self.cache.lookup(keys)).unwrap_or_else(|error| {
            used.failed(error);
            Vec::new()
        })
    }

    /// The static key of an instance and what the cache held under it when its batch was looked up.
    fn found(&self, instance: Instance, ground: SiteRef, used: &mut CacheUse) -> StaticLookup {
        let node = instance.node;
        if (node.0 as usize) >= self.plan.planned() || !self.lasting[self.plan.task_of(node)] {
            return None;
        }
        let site = self.site(ground);
        let mut site = lock(&site);
        if !site.found.contains_key(&node) {
            self.look_up_batch(&mut site, node, ground, used);
        }
        site.found.get(&node).cloned().flatten()
    }

    /// Looks up the keys of all nodes around one.
    fn look_up_batch(&self, site: &mut SiteKeys, node: NodeId, ground: SiteRef, used: &mut CacheUse) {
        let begin = node.0 - node.0 % BATCH;
        let end = begin.saturating_add(BATCH).min(self.plan.planned() as u32);
        let here = |node: &NodeId| {
            let task = self.plan.task_of(*node);
            self.lasting[task] && self.plan.flow().scope(task) == ground.scope
        };
        let nodes: Vec<NodeId> = (begin..end).map(NodeId).filter(here).collect();
        let SiteKeys { keys, sources, .. } = &mut *site;
        let source = |source: usize, scope: Scope| self.source(sources, source, scope, ground);
        let keyed: Vec<(NodeId, Option<TaskKey>)> =
            nodes.into_iter().map(|node| (node, keys.key(&self.plan, node, &source))).collect();
        let asked: Vec<TaskKey> = keyed.iter().filter_map(|(_, key)| *key).collect();
        let mut held = self.lookup(&asked, used).into_iter();
        for (node, key) in keyed {
            let found = key.map(|key| (key, held.next().flatten()));
            site.found.insert(node, found);
        }
    }

    /// The content key of a job; none where an input has no digest, or stands for a stage that ended.
    fn content_key(&self, job: &TaskJob) -> Option<TaskKey> {
        let flow = self.plan.flow();
        if !flow.repeats(job.task) || !self.cache.wants(job.task) {
            return None;
        }
        if self.cache.is_of_run() {
            return self.content_key_of_run(job);
        }
        if !self.cache.wants_contents(job.task, unknown_bytes(&job.inputs)) {
            return None;
        }
        let site = self.site(job.ground);
        let site = lock(&site);
        let digest = |input: &JobInput| match input {
            JobInput::Source(source) => {
                let digest = self.source(&site.sources, *source, job.ground.scope, job.ground)?;
                Some(InputDigest::Source(digest))
            }
            JobInput::Region { region, digest } => {
                digest.or_else(|| self.digest_of(region)).map(InputDigest::Made)
            }
            JobInput::Empty(_) | JobInput::Lost(_) | JobInput::Missing => None,
        };
        let inputs: Vec<InputDigest> = job.inputs.iter().map(digest).collect::<Option<_>>()?;
        Some(content_key(&flow.tasks[job.task].spec, &job.parameters, &inputs))
    }

    /// The digest of an input, made once while the region is there.
    fn digest_of(&self, region: &Arc<Region>) -> Option<Digest32> {
        let place = Arc::as_ptr(region) as usize;
        // A place is not given to another region while it is remembered here.
        if let Some((known, digest)) = lock(&self.contents).get(&place)
            && known.strong_count() > 0
        {
            return *digest;
        }
        let digest = self.cache.digest(region);
        let mut contents = lock(&self.contents);
        if contents.len() >= MOST_CONTENTS {
            contents.retain(|_, (known, _)| known.strong_count() > 0);
        }
        contents.insert(place, (Arc::downgrade(region), digest));
        digest
    }

    /// The content key of a job by contents as the run knows them; none where it does not.
    fn content_key_of_run(&self, job: &TaskJob) -> Option<TaskKey> {
        let inputs: Vec<InputDigest> = job.digests.iter().map(|of| InputDigest::Made(of.bytes())).collect();
        let spec = &self.plan.flow().tasks[job.task].spec;
        (inputs.len() == job.inputs.len()).then(|| content_key(spec, &job.parameters, &inputs))
    }

    /// The digest of what a task of a scope sees of a source, read once for each site; none when it cannot be read.
    fn source(
        &self,
        known: &RefCell<HashMap<(usize, Scope), Option<Digest32>>>,
        source: usize,
        scope: Scope,
        ground: SiteRef,
    ) -> Option<Digest32> {
        let read = || guarded(|| self.provider.digest(source, scope, ground.wider(self.layout, scope))).ok();
        *known.borrow_mut().entry((source, scope)).or_insert_with(read)
    }

    fn site(&self, ground: SiteRef) -> Arc<Mutex<SiteKeys>> {
        Arc::clone(lock(&self.sites).entry(ground).or_default())
    }
}

/// Bytes of the inputs whose digests the cache does not know.
fn unknown_bytes(inputs: &[JobInput]) -> u64 {
    let bytes = |input: &JobInput| match input {
        JobInput::Region { region, digest: None } => region.bytes(),
        _ => 0,
    };
    inputs.iter().map(bytes).sum()
}

impl CacheUse {
    fn failed(&mut self, error: OperationError) {
        self.counts.failed += 1;
        self.errors.push(error);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
