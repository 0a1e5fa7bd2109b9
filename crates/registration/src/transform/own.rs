//! Our own form: JSON that says what the transform is, and a raw file with the coefficients.

use std::path::Path;

use onceflow_kernels::registration::{Affine, Lattice, Transform};
use onceflow_study::Diagnostic;
use serde_json::{Value, json};

use crate::RegistrationError;
use crate::grid::{self, three};

/// The word by which a file is known.
const KIND: &str = "onceflow transform";

/// The text of a transform, which names a raw file beside it.
pub fn to_json(transform: &Transform, raw: &str) -> String {
    let digest = blake3::hash(&to_raw(transform)).to_hex().to_string();
    let value = json!({
        "version": 1,
        "kind": KIND,
        "about": "maps places of the fixed world to places of the moving world, in millimetres (LPS): A x + u(x)",
        "fixed": grid::to_json(&transform.fixed),
        "affine": transform.affine.0,
        "lattice": {
            "points": transform.lattice.counts, "spacing_mm": transform.lattice.delta,
            "coefficients": {
                "file": raw, "type": "f64, little-endian", "order": "x fastest, then y, z, then the component",
                "blake3": digest,
            },
        },
    });
    format!("{value:#}\n")
}

/// The bytes of the raw file: little-endian numbers of 64 bits.
pub fn to_raw(transform: &Transform) -> Vec<u8> {
    transform.coefficients.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Reads a transform: JSON of ours with its raw file.
///
/// # Errors
/// When a file cannot be read, or is no transform of ours.
pub fn read_transform(path: &Path) -> Result<Transform, RegistrationError> {
    let bytes = std::fs::read(path).map_err(|error| RegistrationError::unreadable(path, &error))?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| {
        let found = format!("something else ({error})");
        wrong(path, "a transform of onceflow (transform.json)", &found)
    })?;
    if value.get("kind").and_then(Value::as_str) != Some(KIND) {
        return Err(wrong(path, &format!("an object of the kind `{KIND}`"), "another object"));
    }
    if value.get("version").and_then(Value::as_u64) != Some(1) {
        return Err(wrong(path, "version 1", "another version"));
    }
    let (transform, file, digest) =
        fields(&value).ok_or_else(|| wrong(path, "a transform with all its fields", "one without some"))?;
    let coefficients = coefficients(path, &file, &digest, &transform.lattice)?;
    Ok(Transform { coefficients, ..transform })
}

/// The transform without its coefficients, the name of their file, and their digest.
fn fields(value: &Value) -> Option<(Transform, String, String)> {
    let lattice = value.get("lattice")?;
    let row = |row: &Value| -> Option<[f64; 4]> {
        row.as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<_>>>()?.try_into().ok()
    };
    let affine = Affine(three(value.get("affine")?, row)?);
    let fixed = grid::from_json(value.get("fixed")?)?;
    let counts = three(lattice.get("points")?, |side| usize::try_from(side.as_u64()?).ok())?;
    let stored = lattice.get("coefficients")?;
    let text = |key: &str| Some(stored.get(key)?.as_str()?.to_owned());
    // The points follow from the spacing: other numbers are those of another lattice.
    let lattice = Lattice::new(&fixed, lattice.get("spacing_mm")?.as_f64()?).ok();
    let lattice = lattice.filter(|lattice| lattice.counts == counts)?;
    Some((Transform { fixed, affine, lattice, coefficients: Vec::new() }, text("file")?, text("blake3")?))
}

fn coefficients(
    path: &Path,
    file: &str,
    digest: &str,
    lattice: &Lattice,
) -> Result<Vec<f64>, RegistrationError> {
    if file.contains(['/', '\\']) || file == ".." {
        return Err(wrong(path, "the name of a file beside it", file));
    }
    let raw = path.with_file_name(file);
    let unreadable = |error| RegistrationError::unreadable(&raw, &error);
    let (expected, found) = (lattice.bytes(), std::fs::metadata(&raw).map_err(unreadable)?.len());
    if expected != found {
        return Err(wrong(&raw, &format!("{expected} bytes"), &format!("{found} bytes")));
    }
    let bytes = std::fs::read(&raw).map_err(unreadable)?;
    if blake3::hash(&bytes).to_hex().as_str() != digest {
        return Err(wrong(&raw, &format!("the bytes that {} names", path.display()), "others"));
    }
    let numbers: Vec<f64> =
        bytes.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap_or_default())).collect();
    if numbers.iter().all(|number| number.is_finite()) {
        Ok(numbers)
    } else {
        Err(wrong(&raw, "finite numbers", "others"))
    }
}

fn wrong(path: &Path, expected: &str, found: &str) -> RegistrationError {
    let message = Diagnostic::error(format!("cannot read the transform {}", path.display()));
    let message = message.expected_found(expected, found);
    message.with_hint("take transform.json of the folder that onceflow register wrote").into()
}
