//! Files of features, written object by object.

use std::io::{self, Write};

use onceflow_kernels::features::{Measured, names};
use serde_json::{Map, Value, json};

use super::csv::{header, line};
use super::geojson::GeoJson;
use super::table::Rows;

/// The form of a file of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureForm {
    /// A table as a text.
    Csv,
    /// Outlines and measurements for QuPath.
    GeoJson,
    /// A table by columns, compressed.
    Parquet,
}

/// A file of features.
#[derive(Debug)]
pub struct FeatureFile<W: Write + Send> {
    names: Vec<String>,
    file: Form<W>,
}

#[derive(Debug)]
enum Form<W: Write + Send> {
    Csv(W),
    GeoJson(GeoJson<W>),
    Parquet(Box<Rows<W>>),
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
                Form::Csv(to)
            }
            FeatureForm::GeoJson => Form::GeoJson(GeoJson::new(to)?),
            FeatureForm::Parquet => Form::Parquet(Box::new(Rows::new(to, &names)?)),
        };
        Ok(Self { names, file })
    }

    /// The names of the features.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Adds an object.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add(&mut self, object: &Measured) -> io::Result<()> {
        match &mut self.file {
            Form::Csv(to) => to.write_all(line(object).as_bytes()),
            Form::GeoJson(file) => {
                let measurements = measurements(&self.names, &object.values);
                file.add(object.extent.label, object.at_border, &object.polygons, Some(measurements))
            }
            Form::Parquet(rows) => rows.add(object),
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> io::Result<()> {
        match self.file {
            Form::Csv(mut to) => to.flush(),
            Form::GeoJson(file) => file.finish(),
            Form::Parquet(rows) => rows.finish(),
        }
    }
}

/// Whether all of an object is in the image.
pub(super) fn status(at_border: bool) -> &'static str {
    if at_border { "at_border" } else { "whole" }
}

/// Values that are no numbers are left out.
fn measurements(names: &[String], values: &[f64]) -> Map<String, Value> {
    let values = names.iter().zip(values).filter(|(_, value)| value.is_finite());
    values.map(|(name, value)| (name.clone(), json!(value))).collect()
}
