//! Who wants to know how far a run is.

/// Told while a study runs, on the coordinating thread.
pub trait Progress {
    /// A phase begins: so many rows on all parts, so many tasks to compute at most.
    fn phase(&mut self, name: &str, rows: u64, tasks: u64);
    /// Of the rows of the phase, so many are done on a part as the journal says.
    fn resumed(&mut self, _rows: u64) {}
    /// One more task is done.
    fn task(&mut self) {}
    /// One more row is done on one part.
    fn row(&mut self) {}
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn phase(&mut self, _name: &str, _rows: u64, _tasks: u64) {}
}
