//! Comma-separated samples, for people and data frames.

use csv::WriterBuilder;
use onceflow_study::Space;

use super::cell::value_text;
use crate::Sample;

/// Columns before the parameters.
pub(super) const COLUMNS: [&str; 5] = ["row", "role", "base", "replicate", "duplicate_of"];

/// The sample with a header, one line for each row.
pub(super) fn write(space: &Space, sample: &Sample) -> String {
    let names = space.parameters().iter().map(|p| p.name.clone());
    let header: Vec<String> = COLUMNS.iter().map(|c| (*c).to_owned()).chain(names).collect();
    let rows = (0..sample.len()).map(|row| fields(space, sample, row));
    lines(std::iter::once(header).chain(rows))
}

fn fields(space: &Space, sample: &Sample, row: usize) -> Vec<String> {
    let place = &sample.rows[row];
    let duplicate = place.duplicate_of.map_or_else(String::new, |id| id.to_string());
    let mut fields = vec![
        place.id.to_string(),
        place.role.text(space),
        place.base.to_string(),
        place.replicate.to_string(),
        duplicate,
    ];
    fields.extend((0..sample.parameters).map(|p| value_text(&sample.value(space, row, p))));
    fields
}

/// Lines of fields, quoted where RFC 4180 asks for it.
pub fn lines(records: impl Iterator<Item = Vec<String>>) -> String {
    let mut bytes = Vec::new();
    let mut writer = WriterBuilder::new().flexible(true).from_writer(&mut bytes);
    for record in records {
        let _infallible = writer.write_record(&record);
    }
    // Dropping the writer flushes it; neither that nor writing to memory can fail.
    drop(writer);
    // Fields are text, so the bytes are text and become one without a copy.
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
