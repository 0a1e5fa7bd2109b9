//! Samples and outputs as texts: CSV, JSON, SALib's matrices and Dakota's tables, recognised by their content.

mod assumed;
mod cell;
mod columns;
mod csv;
mod dakota;
mod design;
mod json;
mod layout;
mod outputs;
mod raw;
mod repeated;
mod salib;
mod sample;
mod values;

pub use assumed::assume_rows;
pub use cell::number_text;
pub use csv::lines as csv_lines;
pub use dakota::DakotaTable;
pub use design::{design_from_json, design_to_json};
pub use layout::TableLayout;
pub use outputs::read_outputs;
pub use sample::{SampleOptions, read_sample};
pub use values::{outputs_from_values, sample_from_values};

use std::fmt;

use onceflow_study::{Diagnostic, Space};

use crate::Sample;

/// Why a table cannot be used: where, what was expected, what was found, what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct TableError {
    /// Line of the text, from 1; `None` when the error is about the whole.
    pub line: Option<usize>,
    /// One sentence without a full stop.
    pub message: String,
    /// What the text should have held.
    pub expected: String,
    /// What it held.
    pub found: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl TableError {
    fn new(message: impl Into<String>, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            line: None,
            message: message.into(),
            expected: expected.into(),
            found: found.into(),
            hint: None,
        }
    }

    fn at(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    fn with_hint_if(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

/// `line 3: message; expected …, found …; to do: …`.
impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{}; expected {}, found {}", self.message, self.expected, self.found)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "; to do: {hint}"))
    }
}

impl From<Diagnostic> for TableError {
    fn from(diagnostic: Diagnostic) -> Self {
        let line = diagnostic.labels.first().map(|label| label.source.position(label.span.start).line);
        let (expected, found) = (diagnostic.expected, diagnostic.found);
        Self {
            line,
            message: diagnostic.message,
            expected: expected.unwrap_or_else(|| "a table".into()),
            found: found.unwrap_or_else(|| "something else".into()),
            hint: diagnostic.hint,
        }
    }
}

/// How a sample is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SampleFormat {
    /// Comma-separated with a header; roles and row numbers stand in it.
    #[default]
    Csv,
    /// JSON with the design.
    Json,
    /// A matrix without a header, in SALib's order of rows; words stand as their places.
    Salib,
    /// Dakota's tabular forms.
    Dakota(DakotaTable),
}

/// The text of a sample.
pub fn write_sample(space: &Space, sample: &Sample, format: SampleFormat) -> Result<String, TableError> {
    match format {
        SampleFormat::Csv => Ok(csv::write(space, sample)),
        SampleFormat::Json => Ok(json::write(space, sample)),
        SampleFormat::Salib => Ok(salib::write(sample)),
        SampleFormat::Dakota(form) => dakota::write(space, sample, form),
    }
}
