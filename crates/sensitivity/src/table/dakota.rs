//! Dakota's tabular data: fields separated by spaces, strings by value.

use onceflow_study::Space;

use super::TableError;
use super::cell::{shown, value_text};
use super::sample::has_all_names;
use crate::Sample;

/// Dakota's three forms of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DakotaTable {
    /// `annotated`: a header that starts with `%eval_id interface`.
    #[default]
    Annotated,
    /// `custom_annotated header eval_id`: without the interface.
    Custom,
    /// `freeform`: values only.
    Freeform,
}

/// The sample in one of the forms; names and words with spaces cannot be written.
pub(super) fn write(space: &Space, sample: &Sample, form: DakotaTable) -> Result<String, TableError> {
    let names: Vec<&str> = space.parameters().iter().map(|p| p.name.as_str()).collect();
    names.iter().try_for_each(|name| check(name))?;
    let mut text = match form {
        DakotaTable::Annotated => format!("%eval_id interface {}\n", names.join(" ")),
        DakotaTable::Custom => format!("%eval_id {}\n", names.join(" ")),
        DakotaTable::Freeform => String::new(),
    };
    for row in 0..sample.len() {
        let id = sample.rows[row].id;
        text += &match form {
            DakotaTable::Annotated => format!("{id} NO_ID"),
            DakotaTable::Custom => id.to_string(),
            DakotaTable::Freeform => String::new(),
        };
        for parameter in 0..sample.parameters {
            let value = value_text(&sample.value(space, row, parameter));
            check(&value)?;
            text += if text.is_empty() || text.ends_with('\n') { "" } else { " " };
            text += &value;
        }
        text += "\n";
    }
    check_first_line(space, form, text.lines().next().unwrap_or_default())?;
    Ok(text)
}

/// Where no header stands, a first row of words that are all names would be taken for one.
fn check_first_line(space: &Space, form: DakotaTable, first: &str) -> Result<(), TableError> {
    if form == DakotaTable::Freeform && has_all_names(space, first.split(' ')) {
        let message = "the first row looks like a header, which this form does not have";
        return Err(TableError::new(message, "a value that is not a parameter's name", shown(first))
            .with_hint("write the annotated form"));
    }
    Ok(())
}

fn check(text: &str) -> Result<(), TableError> {
    if text.is_empty() || text.contains(char::is_whitespace) || text.contains([',', ';', '"']) {
        let message = "a name or word cannot stand in Dakota's tables";
        return Err(TableError::new(message, "one without spaces, quotes and commas", shown(text))
            .with_hint("rename it"));
    }
    Ok(())
}
