//! Measured costs of tasks: the file that keeps them between runs, and the device they belong to.

mod device;
mod file;

pub(crate) use device::device;
pub use file::{CostsFile, LoadedCosts};
