//! Counts of objects looked up and found in the cache, and the time that saved.

use std::sync::{Mutex, PoisonError};

use onceflow_reuse::ObjectCounts;

use super::ObjectGroup;

/// The counts of a group of objects looked up as one.
pub fn group_counts(objects: &impl ObjectGroup, found: bool) -> ObjectCounts {
    let (asked, pixels_asked) = (objects.objects() as u64, objects.pixels());
    let known = u64::from(found);
    let (found, pixels_found) = (known * asked, known * pixels_asked);
    ObjectCounts { asked, found, pixels_asked, pixels_found, ..ObjectCounts::default() }
}

/// The counts of a task, shared by all workers.
#[derive(Debug, Default)]
pub struct TaskTally(Mutex<ObjectCounts>);

impl TaskTally {
    /// The counts so far.
    pub fn counts(&self) -> ObjectCounts {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the counts of a call.
    pub fn add(&self, counts: &ObjectCounts) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(counts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_a_task_are_added() {
        let mut counts = ObjectCounts { seconds_spent: 2.0, ..ObjectCounts::default() };
        counts.ask(100, false);
        counts.ask(150, true);
        let tally = TaskTally::default();
        tally.add(&counts);
        tally.add(&counts);
        assert_eq!(tally.counts().seconds_saved(), 6.0);
    }
}
