//! SALib's problems: the dictionary as JSON, and the parameter file.

mod entry;
mod file;
mod problem;

pub(crate) use entry::peak_at;
pub use file::read_salib_parameters;
pub use problem::read_salib_problem;
