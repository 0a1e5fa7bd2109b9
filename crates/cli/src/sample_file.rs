//! A sample as a file, with its design beside it: `X.csv` and `X.csv.design.json`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use onceflow_sensitivity::{
    DakotaTable, Sample, SampleFormat, SampleOptions, TableError, TableLayout, design_from_json,
    design_to_json, read_sample, sample as make_sample, write_sample,
};
use onceflow_study::{Diagnostic, SourceText, Space};

use crate::args::SampleFormatWord;
use crate::file::{OutputTarget, Overwrite, read_text};
use onceflow_engine::TextLimit;
use onceflow_terminal::{Failure, Terminal};

/// Refuses a sample, or a design beside it, that would replace a file of the user.
pub(crate) fn refuse_foreign(target: &OutputTarget, force: bool) -> Result<(), Failure> {
    target.refuse_foreign(force)?;
    target.path().map_or(Ok(()), |path| crate::file::refuse_foreign(&design_path(path), force))
}

/// Writes a sample, and its design beside a file that does not hold it.
pub(crate) fn write(
    space: &Space,
    sample: &Sample,
    format: SampleFormat,
    target: &OutputTarget,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let text = write_sample(space, sample, format)
        .map_err(|error| Failure::from(without_place("cannot write the sample", &error)))?;
    target.write(&text, Overwrite::Replace, terminal)?;
    match (target.path(), &sample.design) {
        (Some(path), Some(design)) if format != SampleFormat::Json => {
            let beside = OutputTarget::File(design_path(path));
            beside.write(&design_to_json(space, design), Overwrite::Replace, terminal)
        }
        _ => Ok(()),
    }
}

/// A sample that was read.
pub(crate) struct SampleFile {
    /// The rows.
    pub(crate) sample: Sample,
    /// Whether the file has no roles, like a matrix of SALib.
    pub(crate) rows_are_bare: bool,
}

/// Reads a sample, and its design from the file beside it when there is one.
pub(crate) fn read(space: &Space, path: &Path, options: &SampleOptions) -> Result<SampleFile, Failure> {
    let source = read_text(path, TextLimit::Table)?;
    let mut sample = read_sample(space, &source.text, options).map_err(|error| placed(&source, &error))?;
    let beside = design_path(path);
    if sample.design.is_none() && beside.is_file() {
        let source = read_text(&beside, TextLimit::Description)?;
        sample.design = Some(design_from_json(space, &source.text).map_err(|error| placed(&source, &error))?);
    }
    let rows_are_bare = !has_roles(&source.text);
    let sample = if rows_are_bare { remade(space, sample) } else { sample };
    Ok(SampleFile { sample, rows_are_bare })
}

fn has_roles(text: &str) -> bool {
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(|header| header.contains("role"))
}

/// Restores roles and replicates of a matrix from its design, if the design gives the same values.
fn remade(space: &Space, matrix: Sample) -> Sample {
    let made = matrix.design.as_ref().and_then(|design| make_sample(space, design).ok());
    made.filter(|made| made.values == matrix.values).unwrap_or(matrix)
}

/// The file of the design of a table.
pub(crate) fn design_path(path: &Path) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(".design.json");
    PathBuf::from(name)
}

/// The format that was asked for, or that the file's name suggests.
pub(crate) fn format(asked: Option<SampleFormatWord>, target: &OutputTarget) -> SampleFormat {
    let is_json = target.path().and_then(Path::extension).is_some_and(|e| e.eq_ignore_ascii_case("json"));
    match asked {
        Some(SampleFormatWord::Json) => SampleFormat::Json,
        Some(SampleFormatWord::Salib) => SampleFormat::Salib,
        Some(SampleFormatWord::Dakota) => SampleFormat::Dakota(DakotaTable::Annotated),
        None if is_json => SampleFormat::Json,
        Some(SampleFormatWord::Csv) | None => SampleFormat::Csv,
    }
}

/// The options to read a table of the rows' own design with.
pub(crate) fn options(layout: TableLayout, extra_columns: bool) -> SampleOptions {
    SampleOptions { layout, extra_columns }
}

/// A table's error with its line.
pub(crate) fn placed(source: &std::sync::Arc<SourceText>, error: &TableError) -> Failure {
    let Some(line) = error.line else {
        return without_place(&source.name, error).into();
    };
    let start: usize = source.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let length = source.text[start..].lines().next().map_or(0, str::len);
    complete(Diagnostic::error(&error.message).at(source, start..start + length, ""), error).into()
}

fn without_place(title: &str, error: &TableError) -> Diagnostic {
    complete(Diagnostic::error(format!("{title}: {}", error.message)), error)
}

fn complete(message: Diagnostic, error: &TableError) -> Diagnostic {
    let message = message.expected_found(&error.expected, &error.found);
    match &error.hint {
        Some(hint) => message.with_hint(hint),
        None => message,
    }
}
