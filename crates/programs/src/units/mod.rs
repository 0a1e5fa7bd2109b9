//! Programs that are declared to work unit by unit, on objects or on tiles: they are given only the units that are new.
//!
//! The declaration is a promise. For an object: its pixels in the outputs follow from the object itself and from what the
//! other inputs hold in its box grown by the halo, and the outputs are 0 outside objects. For a tile: its pixels follow from
//! what all inputs hold in the tile grown by the halo. The first call with two units or more is run whole and in two halves
//! and compared, so that a broken promise is found before any result relies on it. Some later calls are run whole as well, at
//! growing distances.

mod assembly;
mod batch;
mod in_progress;
mod keys;
mod objects;
mod packed;
mod program;
mod promise;
mod rasters;
mod reuse;
mod set;
mod tiles;

#[cfg(test)]
mod tests;

pub(crate) use program::{Program, ProgramRun, whole};
pub(crate) use reuse::UnitReuse;
