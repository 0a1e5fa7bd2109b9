//! The format of a file of features, from its extension.

use std::path::Path;

use onceflow_engine::FeatureForm;
use onceflow_terminal::Failure;

use crate::file::{extension, unsupported_extension};

/// The format of a file of features; standard output gets CSV.
pub(super) fn of(path: &Path) -> Result<FeatureForm, Failure> {
    match extension(path).as_deref() {
        _ if path == Path::new("-") => Ok(FeatureForm::Csv),
        Some("csv") => Ok(FeatureForm::Csv),
        Some("geojson" | "json") => Ok(FeatureForm::GeoJson),
        Some("parquet") => Ok(FeatureForm::Parquet),
        _ => Err(unsupported(path)),
    }
}

fn unsupported(path: &Path) -> Failure {
    let hint = "name it nuclei.csv or nuclei.parquet for a table, nuclei.geojson for QuPath";
    unsupported_extension(path, ".csv, .parquet or .geojson", hint)
}
