//! The forms in which features are written, by the ending of the file.

use std::path::Path;

use onceflow_engine::FeatureForm;
use onceflow_study::Diagnostic;

use crate::failure::Failure;

/// The form of a file of features, from its ending; standard output gets a table.
pub(super) fn of(path: &Path) -> Result<FeatureForm, Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    match ending.as_deref() {
        _ if path == Path::new("-") => Ok(FeatureForm::Csv),
        Some("csv") => Ok(FeatureForm::Csv),
        Some("geojson" | "json") => Ok(FeatureForm::GeoJson),
        Some("parquet") => Ok(FeatureForm::Parquet),
        _ => Err(unknown(path)),
    }
}

fn unknown(path: &Path) -> Failure {
    let name = path.display().to_string();
    let message = Diagnostic::error(format!("{name} has an ending that says no form"));
    let message = message.expected_found("a file that ends with .csv, .parquet or .geojson", name);
    Failure::bad_input(
        message.with_hint("name it nuclei.csv or nuclei.parquet for a table, nuclei.geojson for QuPath"),
    )
}
