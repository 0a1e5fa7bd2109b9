//! SALib's problems: the dictionary as JSON, and the parameter file.

mod entry;
mod file;
mod problem;

pub use file::read_salib_parameters;
pub use problem::read_salib_problem;
