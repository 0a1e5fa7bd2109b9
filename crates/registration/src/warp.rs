//! Another volume, its labels, or landmarks taken through a transform that was found before.

use std::path::Path;

use onceflow_imageio::open_volume;
use onceflow_kernels::Cpu;
use onceflow_kernels::registration::{Transform, warp_bytes, warped, warped_labels};
use onceflow_region::Volume;

use crate::grid::grid_of;
use crate::output::on_grid;
use crate::pair::{of_time, whole_numbers};
use crate::{PointFile, PointKind, RegistrationError};

/// How a volume is warped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WarpOptions {
    /// Whether its values are labels: each voxel takes that of the nearest one.
    pub labels: bool,
    /// What places outside get; the least value without it.
    pub fill: Option<f64>,
    /// Which time of a series.
    pub time: u64,
}

/// Pulls a volume of the moving world onto the fixed grid.
///
/// # Errors
/// When it cannot be read, or is no volume that can be warped.
pub fn warp_volume(
    transform: &Transform,
    path: &Path,
    options: WarpOptions,
    cpu: Cpu,
) -> Result<Volume, RegistrationError> {
    let name = path.display().to_string();
    let source = open_volume(path)?;
    let (grid, at) = (grid_of(&name, source.info())?, of_time(source.info(), &name, options.time)?);
    let values = source.read(at)?.into_values();
    let pulled = if options.labels {
        warped_labels(transform, &grid, &whole_numbers(&name, values)?, cpu)
    } else {
        warped(transform, &grid, &values, None, options.fill, cpu)
    };
    on_grid(transform, pulled.ok_or_else(|| RegistrationError::internal("values of another size"))?)
}

/// Takes places of the fixed world to the moving world; also gives how many lie outside the fixed volume, where only the
/// affine part moves them.
///
/// # Errors
/// When the file cannot be read, or is no point file.
pub fn warp_points(transform: &Transform, path: &Path) -> Result<(PointFile, usize), RegistrationError> {
    let file = PointFile::read(path)?;
    let mapped = file.in_world(transform.fixed.geometry()).into_iter().map(|place| transform.map(place));
    let mapped: Vec<_> = mapped.collect();
    let outside = mapped.iter().filter(|place| !place.inside).count();
    let places = mapped.into_iter().map(|mapped| mapped.place).collect();
    Ok((PointFile { kind: PointKind::Point, places }, outside))
}

/// Bytes that warping a volume takes: its values, those of the result, and what it works with.
///
/// # Errors
/// When it cannot be opened.
pub fn bytes_to_warp(transform: &Transform, path: &Path, cpu: Cpu) -> Result<u64, RegistrationError> {
    let source = open_volume(path)?;
    let info = source.info();
    let grid = grid_of(&path.display().to_string(), info)?;
    let values = (grid.voxels() + transform.fixed.voxels()) as u64 * info.element.bytes();
    Ok(values + warp_bytes(&transform.fixed, transform, cpu))
}
