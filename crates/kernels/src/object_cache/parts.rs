//! The parts whose objects are cached, and which of them goes when there is no room.
//!
//! Results of one part are of no use in another. A part is *active* while it is among those used last, *done* when it was
//! used in this phase and is not active any more, and *waiting* when only an earlier phase used it. Phases use parts in the
//! same order, so of the parts that are done or waiting the one used last is needed last.

use std::collections::VecDeque;
use std::sync::Arc;

use super::PartCache;
use super::table::CacheBudgets;

/// Active parts: more than workers process at once.
const MOST_ACTIVE: usize = 16;
/// Parts that are done or waiting are kept while so much of the spare bytes is free: one in so many.
const FREE: u64 = 2;

/// The cached parts, the last used at the end.
#[derive(Debug, Default)]
pub(super) struct CachedParts {
    parts: VecDeque<KnownPart>,
    phase: u32,
    /// Whether parts that are done are kept: a phase follows that may need them.
    keeping: bool,
}

#[derive(Debug)]
struct KnownPart {
    site: usize,
    /// The last phase that used it.
    phase: u32,
    cache: Arc<PartCache>,
}

impl CachedParts {
    /// A phase begins: of all parts those stay that leave room for the active ones.
    pub(super) fn begin_phase(&mut self, budgets: &CacheBudgets, keeping: bool) {
        self.phase += 1;
        self.keeping = keeping;
        self.parts.iter().for_each(|part| part.cache.forget_claims());
        self.leave_room(budgets);
    }

    /// Forgets all parts.
    pub(super) fn clear(&mut self) {
        self.parts.clear();
    }

    /// The cache of a part, which is active from now on.
    pub(super) fn use_part(&mut self, site: usize, budgets: &CacheBudgets) -> Arc<PartCache> {
        if let Some(last) = self.parts.back().filter(|part| (part.site, part.phase) == (site, self.phase)) {
            return Arc::clone(&last.cache);
        }
        let known = self.parts.iter().position(|part| part.site == site).and_then(|at| self.parts.remove(at));
        let is_new = known.as_ref().is_none_or(|part| part.phase != self.phase);
        let cache = known.map_or_else(|| Arc::new(PartCache::new(budgets)), |part| part.cache);
        self.parts.push_back(KnownPart { site, phase: self.phase, cache: Arc::clone(&cache) });
        if is_new {
            self.leave_room(budgets);
        }
        cache
    }

    /// Drops the part other than this one that is needed last; returns whether there was one.
    pub(super) fn drop_one_but(&mut self, site: usize) -> bool {
        let active = || self.parts.iter().position(|part| part.site != site);
        let place = self.inactive(|part| part.site != site).or_else(active);
        place.and_then(|at| self.parts.remove(at)).is_some()
    }

    /// Drops parts that are done or waiting: those of no more use, and those that take the room of active ones.
    fn leave_room(&mut self, budgets: &CacheBudgets) {
        let phase = self.phase;
        while let Some(at) = self.inactive(|part| part.phase == phase).filter(|_| !self.keeping) {
            self.parts.remove(at);
        }
        while budgets.spare.used() > budgets.spare.limit() / FREE {
            let Some(at) = self.inactive(|_| true) else { break };
            self.parts.remove(at);
        }
    }

    /// The part that is done or, if there is none, waiting, and was used last.
    fn inactive(&self, is_candidate: impl Fn(&KnownPart) -> bool) -> Option<usize> {
        let used = self.parts.iter().filter(|part| part.phase == self.phase).count();
        let waiting = self.parts.len() - used;
        let inactive = waiting + used.saturating_sub(MOST_ACTIVE);
        (0..inactive).rev().find(|at| is_candidate(&self.parts[*at]))
    }
}
