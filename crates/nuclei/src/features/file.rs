//! Files of features, written object by object.

use std::io::{self, Write};

use onceflow_kernels::features::{MeasuredObject, names};
use serde_json::{Map, Value, json};

use super::csv::{header, line};
use super::table::FeatureRows;
use crate::objects::GeoJson;

/// The format of a file of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureForm {
    /// CSV.
    Csv,
    /// Outlines and measurements for QuPath.
    GeoJson,
    /// Parquet: a compressed table by columns.
    Parquet,
}

/// A file of features.
#[derive(Debug)]
pub struct FeatureFile<W: Write + Send> {
    names: Vec<String>,
    file: FeatureWriter<W>,
}

#[derive(Debug)]
enum FeatureWriter<W: Write + Send> {
    Csv(W),
    GeoJson(GeoJson<W>),
    Parquet(Box<FeatureRows<W>>),
}

impl<W: Write + Send> FeatureFile<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(form: FeatureForm, mut to: W) -> io::Result<Self> {
        let names = names();
        let file = match form {
            FeatureForm::Csv => {
                to.write_all(header(&names).as_bytes())?;
                FeatureWriter::Csv(to)
            }
            FeatureForm::GeoJson => FeatureWriter::GeoJson(GeoJson::new(to)?),
            FeatureForm::Parquet => FeatureWriter::Parquet(Box::new(FeatureRows::new(to, &names)?)),
        };
        Ok(Self { names, file })
    }

    /// Writes outlines in pixels of which those of the image have `ratio` on a side.
    #[must_use]
    pub fn scaled(self, ratio: f64) -> Self {
        let file = match self.file {
            FeatureWriter::GeoJson(file) => FeatureWriter::GeoJson(file.scaled(ratio)),
            other => other,
        };
        Self { file, ..self }
    }

    /// The names of the features.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Adds an object.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add(&mut self, object: &MeasuredObject) -> io::Result<()> {
        match &mut self.file {
            FeatureWriter::Csv(to) => to.write_all(line(object).as_bytes()),
            FeatureWriter::GeoJson(file) => {
                let measurements = measurements(&self.names, &object.values);
                file.add(object.extent.label, object.at_border, &object.polygons, Some(measurements))
            }
            FeatureWriter::Parquet(rows) => rows.add(object),
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> io::Result<()> {
        match self.file {
            FeatureWriter::Csv(mut to) => to.flush(),
            FeatureWriter::GeoJson(file) => file.finish(),
            FeatureWriter::Parquet(rows) => rows.finish(),
        }
    }
}

/// The measurements of an object without NaN and infinities.
fn measurements(names: &[String], values: &[f64]) -> Map<String, Value> {
    let values = names.iter().zip(values).filter(|(_, value)| value.is_finite());
    values.map(|(name, value)| (name.clone(), json!(value))).collect()
}
