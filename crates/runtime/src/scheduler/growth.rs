//! What comes while a plan is carried out: parts that a manager hands out, with the rows that are asked for at them.

use super::{Scheduler, SchedulerError};
use crate::{KnownFrom, PartSite, TaskOrder};

/// Tasks to choose among, for each worker.
const CHOICE: usize = 2;

impl Scheduler<'_> {
    /// Lets parts come later. Work of wide scopes stays until [`Event::NoMore`](super::Event::NoMore): more parts may
    /// need it.
    #[must_use]
    pub fn growing(mut self) -> Self {
        self.growing = true;
        self
    }

    /// Adds a part, of which only the rows that `asked` names are run, and gives its number.
    ///
    /// # Errors
    /// When nothing may be added, there is no such image, or a task can never fit the budget there.
    pub fn grow(&mut self, part: PartSite, asked: impl Fn(usize) -> bool) -> Result<usize, SchedulerError> {
        if !self.growing {
            return Err(SchedulerError::Fixed);
        }
        let (number, images) = (self.layout.parts.len(), self.layout.images.len());
        if part.image >= images {
            return Err(SchedulerError::NoSuchImage { part: number, image: part.image, images });
        }
        self.layout.parts.push(part);
        self.memory.check(self.diversions.plan.flow(), &self.shape, &self.layout, number..number + 1)?;
        let rows = self.plan().rows();
        (0..rows).filter(|row| !asked(*row)).for_each(|row| self.known.note(row, number, KnownFrom::Journal));
        self.sites.add_part(number, part.image);
        Ok(number)
    }

    /// How many parts more would be welcome, if each gave one task: those for workers who find nothing to do, and those
    /// among which the policy wants to choose.
    pub fn appetite(&self) -> usize {
        (self.workers.free() + self.choice_wanted()).saturating_sub(self.ready.len())
    }

    /// How many parts were added and not begun.
    pub fn unopened(&self) -> usize {
        self.sites.unopened()
    }

    /// Tasks that should be ready beyond those for which there is a worker: to choose by speedup there must be a choice.
    pub(super) fn choice_wanted(&self) -> usize {
        match self.policy.order {
            TaskOrder::Speedup => CHOICE * self.workers.crew.len(),
            _ => 0,
        }
    }

    /// Work of wide scopes can go now.
    pub(super) fn no_more(&mut self) {
        if std::mem::take(&mut self.growing) {
            self.sites.wide().into_iter().for_each(|sequence| self.apply(sequence));
        }
    }
}
