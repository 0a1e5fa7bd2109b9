//! Reference cases: JSON files beside arrays of little-endian numbers.

use std::fs;
use std::path::{Path, PathBuf};

use onceflow_kernels::registration::{Affine, Grid, Lattice, Transform};
use onceflow_region::VolumeGeometry;
use serde_json::Value;

/// A folder of cases.
pub(crate) struct Cases(PathBuf);

impl Cases {
    /// The folders with cases: that of this crate, and a larger one where it is found.
    pub(crate) fn all() -> Vec<Cases> {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/registration");
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden");
        let shared = std::env::var_os("ONCEFLOW_GOLDEN").map_or(beside, PathBuf::from).join("registration");
        assert!(own.join("transform.json").exists(), "{} lacks cases", own.display());
        if !shared.join("transform.json").exists() {
            eprintln!(
                "skipped: there are no cases at {}; ONCEFLOW_GOLDEN names the folder of golden cases",
                shared.display()
            );
            return vec![Cases(own)];
        }
        vec![Cases(own), Cases(shared)]
    }

    /// A case by name.
    pub(crate) fn case(&self, name: &str) -> Value {
        let text = fs::read_to_string(self.0.join(format!("{name}.json"))).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// The numbers of a file.
    pub(crate) fn numbers(&self, file: &str) -> Vec<f64> {
        let bytes = fs::read(self.0.join(file)).unwrap();
        match file.rsplit('.').next() {
            Some("f64") => bytes.as_chunks().0.iter().map(|word| f64::from_le_bytes(*word)).collect(),
            Some("f32") => {
                bytes.as_chunks().0.iter().map(|word| f64::from(f32::from_le_bytes(*word))).collect()
            }
            _ => bytes.into_iter().map(f64::from).collect(),
        }
    }

    /// The numbers of a file that a case names.
    pub(crate) fn named(&self, case: &Value, name: &str) -> Vec<f64> {
        let file = case[name]["file"].as_str().or(case[name].as_str());
        self.numbers(file.unwrap_or_else(|| panic!("{name} is in no file")))
    }

    pub(crate) fn bytes(&self, case: &Value, name: &str) -> Vec<u8> {
        self.named(case, name).into_iter().map(|value| value as u8).collect()
    }

    pub(crate) fn singles(&self, case: &Value, name: &str) -> Vec<f32> {
        self.named(case, name).into_iter().map(|value| value as f32).collect()
    }

    /// The transform of the case `transform`.
    pub(crate) fn transform(&self) -> Transform {
        let case = self.case("transform");
        let fixed = grid(&case["fixed"]);
        let rows: Vec<[f64; 4]> = case["affine"].as_array().unwrap().iter().map(four).collect();
        let lattice = Lattice::new(&fixed, case["delta"].as_f64().unwrap()).unwrap();
        assert_eq!(lattice.counts, three(&case["grid"]));
        let coefficients = self.named(&case, "coefficients");
        Transform { fixed, affine: Affine([rows[0], rows[1], rows[2]]), lattice, coefficients }
    }
}

pub(crate) fn list(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

pub(crate) fn places(value: &Value) -> Vec<[f64; 3]> {
    value.as_array().unwrap().iter().map(|place| <[f64; 3]>::try_from(list(place)).unwrap()).collect()
}

pub(crate) fn three(value: &Value) -> [usize; 3] {
    let sizes: Vec<usize> = list(value).into_iter().map(|value| value as usize).collect();
    [sizes[0], sizes[1], sizes[2]]
}

fn four(value: &Value) -> [f64; 4] {
    <[f64; 4]>::try_from(list(value)).unwrap()
}

/// The grid that a case describes.
pub(crate) fn grid(value: &Value) -> Grid {
    let spacing = <[f64; 3]>::try_from(list(&value["spacing"])).unwrap();
    let origin = <[f64; 3]>::try_from(list(&value["origin"])).unwrap();
    let directions = <[[f64; 3]; 3]>::try_from(places(&value["directions"])).unwrap();
    Grid::new(three(&value["size"]), VolumeGeometry { spacing, origin, directions }).unwrap()
}

/// Every number is as expected, within a share of the greatest one.
pub(crate) fn close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let greatest = expected.iter().fold(0.0f64, |greatest, value| greatest.max(value.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let off = (found - expected).abs();
        assert!(off <= tolerance * greatest, "{what}, {at}: {found} is not {expected}: {:e}", off / greatest);
    }
}
