//! What a run keeps from phase to phase: results of tasks and objects in memory that no task needs, regions of the
//! reference row, and the keys of digests. Equal tasks and equal objects of two phases are computed once.

use std::collections::HashMap;
use std::sync::Arc;

use onceflow_kernels::object_cache::ObjectCache;
use onceflow_region::Budget;
use onceflow_reuse::{ContentDigest, Flow, Level};
use onceflow_study::Method;

use crate::open::sources::References;
use crate::run::digests::{DigestKeys, Digests};
use crate::run::results::PhaseResults;
use crate::{Merge, OpenStudy, RunSettings};

/// What the phases of a run share.
pub(crate) struct RunContext {
    /// All memory of the run.
    pub(crate) budget: Budget,
    /// The bytes of it that no task of the phase needs: all that is kept only to save time is reserved in both.
    pub(crate) spare: Budget,
    /// Results of tasks.
    pub(crate) results: PhaseResults,
    /// Results of objects, at the level that looks for them.
    pub(crate) objects: Option<Arc<ObjectCache>>,
    /// Regions of the reference row.
    pub(crate) references: References,
    /// The number of the phase.
    pub(crate) phase: u32,
    keys: DigestKeys,
    /// Whether phases share results and objects.
    shares: bool,
}

impl RunContext {
    /// For a run of a study, in a budget.
    pub(crate) fn new(study: &OpenStudy, settings: &RunSettings, budget: Budget) -> Self {
        let spare = Budget::new(0);
        let shares = is_shared(settings);
        let objects = (settings.level >= Level::Object).then(|| ObjectCache::new(&budget, spare.clone()));
        Self {
            results: PhaseResults::new(shares && has_later_rows(study), [&budget, &spare]),
            objects: objects.map(Arc::new),
            references: References::new(),
            phase: 0,
            keys: DigestKeys::random(),
            shares,
            budget,
            spare,
        }
    }

    /// A phase begins, of whose tasks so many bytes are never needed, and whose first row has this number in the run. What
    /// does not fit into these bytes any more is dropped.
    pub(crate) fn begin_phase(&mut self, spare: u64, first_row: usize, is_followed: bool) {
        self.phase += 1;
        self.spare.set_limit(spare);
        self.results.begin_phase(is_followed);
        if let Some(objects) = &self.objects {
            if !self.shares {
                objects.clear();
            }
            objects.begin_phase(first_row as u32, self.shares && is_followed);
        }
    }

    /// The digests of the results of those tasks of a phase that are worth it.
    pub(crate) fn digests(&self, worth: Vec<bool>) -> Arc<Digests> {
        Arc::new(self.keys.digests(worth))
    }

    /// The contents of the sources of a flow that an earlier phase made, by source and part.
    pub(crate) fn source_contents(&self, flow: &Flow) -> HashMap<(usize, usize), ContentDigest> {
        let content = |((name, part), saved): (&(String, usize), &crate::open::sources::SavedReference)| {
            let source = flow.sources.iter().position(|source| source == name)?;
            Some(((source, *part), saved.content(*part)?))
        };
        self.references.iter().filter_map(content).collect()
    }
}

/// Whether rows come that are not known yet: of another phase, or of another batch.
fn has_later_rows(study: &OpenStudy) -> bool {
    let phases = &study.study.phases;
    phases.len() > 1 || phases.iter().any(|phase| matches!(phase.design.method, Method::Tune(_)))
}

/// Whether one phase may serve the next: levels below dataflow and buckets are the published ways, which share nothing
/// between phases.
fn is_shared(settings: &RunSettings) -> bool {
    settings.level >= Level::Dataflow && settings.merge == Merge::Nothing
}
