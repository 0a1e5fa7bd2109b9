//! Headings of the groups of options in help. Options without a heading come first.

/// When a run ends that would not end with its last row.
pub(super) const LENGTH: &str = "Length of the run";
/// Which results are computed again, kept or replaced.
pub(super) const REUSE: &str = "Results and reuse";
/// What a run may use of the machine, and where settings come from.
pub(super) const MACHINE: &str = "Memory, disk and settings";
/// One row in place of a study.
pub(super) const ROW: &str = "One row";
/// Workers in other processes and on other machines.
pub(super) const MANY: &str = "Many machines";
/// A simulated machine in place of this one.
pub(super) const SIMULATION: &str = "Simulation";
/// How tasks are grouped, ordered and written; results do not depend on it.
pub(super) const EXPERIMENTS: &str = "For experiments (results stay the same)";
