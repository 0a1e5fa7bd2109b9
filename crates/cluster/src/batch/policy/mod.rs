//! Who starts at an instant: one pass of a scheduler's rule.

mod backfill;
mod order;
mod places;

pub(super) use places::Places;

use super::state::BatchState;

/// The rule by which a batch system starts jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchPolicy {
    /// Jobs start in the order of submission; one that is not ready blocks all behind it. The paper without backfilling.
    Strict,
    /// The same, and ready jobs behind the first that ends within its window may pass it. The paper's rule of width 1.
    Paper,
    /// Ready jobs start in order. What Slurm and PBS do without backfilling.
    Fcfs,
    /// A ready job may pass if it does not delay the first that waits (Lifka 1995).
    Easy,
    /// Every ready job has a place; a job passes only if it delays none of them.
    Conservative,
    /// The same with places given anew in every pass. What Slurm's backfilling does in each cycle.
    Replan,
}

impl BatchPolicy {
    /// All policies with their words.
    pub const WORDS: [(&'static str, Self); 6] = [
        ("strict", Self::Strict),
        ("paper", Self::Paper),
        ("fcfs", Self::Fcfs),
        ("easy", Self::Easy),
        ("conservative", Self::Conservative),
        ("replan", Self::Replan),
    ];

    /// Its word on the command line and in files.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, policy)| *policy == self).map_or("", |(word, _)| word)
    }

    /// Whether jobs that are not ready stand in its queue too.
    pub(super) fn keeps_queue(self) -> bool {
        matches!(self, Self::Strict | Self::Paper)
    }
}

/// Starts what the policy starts now. `ended`: whether nodes became free at this instant.
pub(super) fn pass(state: &mut BatchState<'_>, ended: bool) {
    match state.policy {
        BatchPolicy::Strict => {
            order::strict(state);
        }
        BatchPolicy::Paper => backfill::paper(state),
        BatchPolicy::Fcfs => {
            order::fcfs(state);
        }
        BatchPolicy::Easy => backfill::easy(state),
        BatchPolicy::Conservative => places::conservative(state, ended),
        BatchPolicy::Replan => places::replan(state),
    }
}
