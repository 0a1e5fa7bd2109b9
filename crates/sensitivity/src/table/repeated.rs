//! Parameters that stand beside the outputs: they must be those of the sample, or the outputs are another sample's.

use onceflow_study::Space;

use super::TableError;
use super::cell::{CellRules, number_text, read_value};
use super::raw::RawRow;
use crate::Sample;

/// Refuses the first line whose parameters differ from the row of the sample it answers. `columns` holds the place of
/// each parameter that is there. Fields that are no value (empty, another notation) are passed over.
pub(super) fn check(
    space: &Space,
    sample: &Sample,
    columns: &[Option<usize>],
    lines: &[Option<&RawRow>],
) -> Result<(), TableError> {
    let rules = CellRules { bare: false, anywhere: true };
    for (place, line) in lines.iter().enumerate().filter_map(|(place, line)| line.map(|l| (place, l))) {
        let parameters = space.parameters().iter().zip(columns).zip(sample.numbers(place));
        for ((parameter, column), expected) in parameters {
            let text = column.and_then(|at| line.cells.get(at));
            let found = text.and_then(|text| read_value(parameter, text, rules).ok());
            if let (Some(text), false) = (text, found.is_none_or(|found| alike(found, *expected))) {
                let id = sample.rows[place].id;
                let expected = match parameter.domain.is_categorical() {
                    true => "the word of the sample".into(),
                    false => format!("{} as in the sample", number_text(*expected)),
                };
                return Err(TableError::new(
                    format!("row {id} was run with another `{}` than the sample has", parameter.name),
                    expected,
                    text.trim(),
                )
                .at(line.line)
                .with_hint("give the sample that was run; or, if the model rounds its parameters, leave their columns out"));
            }
        }
    }
    Ok(())
}

/// Equal but for what printing with four digits, or six decimals, changes.
fn alike(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-3 * a.abs().max(b.abs()) + 1e-6
}
