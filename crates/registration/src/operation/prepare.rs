//! The operation that scales both volumes, halves them level by level, and finds where to start.

use onceflow_kernels::registration::{Grid, Scaled, ScaledVolume};
use onceflow_region::{Column, Region, Table};
use onceflow_runtime::{Done, OperationError};

use super::frame::{Frame, cpu, to_regions};
use super::{Arguments, failed, marks};
use crate::register::prepare;
use crate::{Initial, RegistrationParameters};

/// Values that are digested at once.
const BLOCK: usize = 1 << 14;

/// The names of its parameters, in their order.
const NAMES: [&str; 7] = ["similarity", "bins", "spacing", "initial", "optimiser", "tolerance", "levels"];

pub(super) fn prepare_pair(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let mut parameters = RegistrationParameters::default();
    for (place, name) in NAMES.into_iter().enumerate() {
        let set = parameters.set(name, &arguments.value(place)?);
        set.map_err(|refused| failed(refused.to_string()))?;
    }
    if let Initial::File(path) = &parameters.initial {
        let words = "expected `identity`, `centres`, `moments` or `affine` as the start of a study, found";
        return Err(failed(format!("{words} `{}`", path.display())));
    }
    let [fixed, moving] = [scaled(arguments, 0)?, scaled(arguments, 1)?];
    let mut digest = blake3::Hasher::new();
    for volume in [&fixed, &moving] {
        for block in volume.values().chunks(BLOCK) {
            digest.update(&block.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
        }
        digest.update(volume.mask().unwrap_or_default());
    }
    let grids = [*fixed.grid(), *moving.grid()];
    let prepared = prepare(fixed, moving, &parameters, cpu())?;
    let frame = Frame {
        grids,
        affine: prepared.affine,
        spacing: parameters.final_spacing(&grids[0]),
        similarity: parameters.similarity,
        bins: parameters.bins(),
        optimiser: parameters.optimiser,
        tolerance: parameters.tolerance,
        steps: parameters.levels(),
        content: digest.finalize().to_hex().to_string(),
    };
    let mut regions = to_regions(prepared, &frame)?;
    regions.push(Region::Table(super::level::vec_table(Vec::new())?));
    regions.push(Region::Table(super::level::log_table(&[])?));
    Ok(Done::with(regions))
}

/// A volume with its mask.
fn scaled(arguments: &Arguments<'_>, which: usize) -> Result<ScaledVolume, OperationError> {
    let name = ["fixed", "moving"][which];
    let volume = arguments.volume(which)?.ok_or_else(|| failed(format!("there is no {name} volume")))?;
    let [x, y, z, _] = volume.size().map(|side| usize::try_from(side).unwrap_or(usize::MAX));
    let refused = |error: &dyn std::fmt::Display| failed(format!("the {name} volume: {error}"));
    let grid = Grid::new([x, y, z], *volume.geometry()).map_err(|error| refused(&error))?;
    let mask = marks(arguments.volume(which + 2)?)?;
    let scaled = ScaledVolume::scale(grid, volume.values(), mask.as_deref(), None);
    let Scaled { volume, .. } = scaled.map_err(|error| refused(&error))?;
    Ok(volume)
}

/// A table of one column of numbers.
pub(super) fn numbers(name: &str, numbers: Vec<f64>) -> Result<Table, OperationError> {
    Table::new(vec![(name.to_owned(), Column::Real(numbers))]).map_err(|error| failed(error.to_string()))
}
