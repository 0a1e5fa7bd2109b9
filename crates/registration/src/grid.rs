//! The voxels of a volume and where they lie: from files, in JSON, and compared.

use onceflow_kernels::registration::{Grid, GridError};
use onceflow_region::{VolumeGeometry, VolumeInfo};
use onceflow_study::Diagnostic;
use serde_json::{Value, json};

use crate::RegistrationError;

/// The grid of a file.
pub(crate) fn grid_of(name: &str, info: &VolumeInfo) -> Result<Grid, RegistrationError> {
    let side = |side: u64| usize::try_from(side).unwrap_or(usize::MAX);
    let size = [side(info.bounds.width()), side(info.bounds.height()), side(info.bounds.z().length())];
    Grid::new(size, info.geometry).map_err(|error| refused(name, error))
}

fn refused(name: &str, error: GridError) -> RegistrationError {
    let words = error.to_string();
    let (expected, found) = words.split_once(", found ").unwrap_or((&words, "another"));
    let expected = expected.strip_prefix("expected ").unwrap_or(expected);
    let hint = match error {
        GridError::Side { .. } => "registration is for volumes with three dimensions",
        GridError::Size { .. } => "halve its resolution first",
        GridError::Geometry { .. } => "write the file again with the geometry that the scanner gave",
    };
    let message = Diagnostic::error(format!("the volume {name} cannot be registered"));
    message.expected_found(expected, found).with_hint(hint).into()
}

/// Shares of a voxel by which two grids may differ: numbers in files are rounded.
const ROUNDING: f64 = 1e-3;

/// Whether two grids are the same, but for what a file's numbers are rounded to.
pub(crate) fn is_like(one: &Grid, other: &Grid) -> bool {
    let last = one.size().map(|side| (side - 1) as f64);
    let corners = [[0.0; 3], [last[0], 0.0, 0.0], [0.0, last[1], 0.0], [0.0, 0.0, last[2]]];
    let near = |corner: [f64; 3]| {
        let found = other.index(one.place(corner));
        (0..3).all(|axis| (found[axis] - corner[axis]).abs() <= ROUNDING * last[axis].max(10.0))
    };
    one.size() == other.size() && corners.into_iter().all(near)
}

/// In words: its sides and spacing.
pub(crate) fn words(grid: &Grid) -> String {
    let ([x, y, z], [a, b, c]) = (grid.size(), grid.spacing());
    let [o, p, q] = grid.geometry().origin;
    format!("{x} x {y} x {z} voxels of {a} x {b} x {c} mm at {o} {p} {q}")
}

/// As JSON.
pub(crate) fn to_json(grid: &Grid) -> Value {
    let VolumeGeometry { spacing, origin, directions } = grid.geometry();
    json!({ "size": grid.size(), "spacing_mm": spacing, "origin_mm": origin, "directions": directions })
}

/// From JSON; none where it is another object.
pub(crate) fn from_json(value: &Value) -> Option<Grid> {
    let numbers = |key: &str| three(value.get(key)?, Value::as_f64);
    let size = three(value.get("size")?, |side| usize::try_from(side.as_u64()?).ok())?;
    let directions = three(value.get("directions")?, |axis| three(axis, Value::as_f64))?;
    let geometry =
        VolumeGeometry { spacing: numbers("spacing_mm")?, origin: numbers("origin_mm")?, directions };
    Grid::new(size, geometry).ok()
}

/// Three elements of a list of three.
pub(crate) fn three<T>(list: &Value, read: impl Fn(&Value) -> Option<T>) -> Option<[T; 3]> {
    let read: Vec<T> = list.as_array()?.iter().map(read).collect::<Option<_>>()?;
    read.try_into().ok()
}
