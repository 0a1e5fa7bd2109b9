//! The forms in which features are written, by the ending of the file.

use std::path::Path;

use onceflow_engine::{features_csv, features_geojson};
use onceflow_kernels::features::Features;
use onceflow_study::Diagnostic;

use crate::failure::Failure;

/// The form of a file of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Csv,
    GeoJson,
}

impl Form {
    /// From the ending; standard output gets a table.
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        match ending.as_deref() {
            _ if path == Path::new("-") => Ok(Self::Csv),
            Some("csv") => Ok(Self::Csv),
            Some("geojson" | "json") => Ok(Self::GeoJson),
            _ => Err(unknown(path)),
        }
    }

    /// The whole file.
    pub(super) fn write(self, features: &Features) -> String {
        match self {
            Self::Csv => features_csv(features),
            Self::GeoJson => features_geojson(features),
        }
    }
}

fn unknown(path: &Path) -> Failure {
    let message = Diagnostic::error(format!("{} has an ending that says no form", path.display()));
    let message =
        message.expected_found("a file that ends with .csv or .geojson", path.display().to_string());
    Failure::bad_input(message.with_hint("name it nuclei.csv for a table, nuclei.geojson for QuPath"))
}
