//! Rows of a variance-based design without a sample file: SALib analyses outputs by their order alone.

use onceflow_study::Space;

use super::cell::read_output;
use super::layout::{TableLayout, deal};
use super::{TableError, json, raw};
use crate::sampler::MOST_VALUES;
use crate::{Sample, SampleRow};

/// As many rows as there are outputs, with the roles of SALib's order and no values (all are 0). Only a Saltelli layout
/// can be assumed: every other analysis looks at the values.
pub fn assume_rows(space: &Space, outputs: &str, layout: TableLayout) -> Result<Sample, TableError> {
    if !matches!(layout, TableLayout::Saltelli { .. }) {
        let (expected, found) = ("the sample beside its outputs", "outputs only");
        return Err(TableError::new("this analysis needs the values of the rows", expected, found)
            .with_hint("give the sample with -X"));
    }
    let is_value = |field: &str| read_output(field).is_some();
    let table =
        if raw::is_json(outputs) { json::read_rows(outputs)? } else { raw::read(outputs, &is_value)? };
    let parameters = space.parameters().len();
    let values = check_size(table.rows.len(), parameters)?;
    let rows: Vec<SampleRow> = (0..table.rows.len() as u64).map(SampleRow::point).collect();
    let lines: Vec<usize> = table.rows.iter().map(|r| r.line).collect();
    let mut sample = Sample { design: None, values: vec![0.0; values], rows, parameters };
    deal(space, &mut sample, layout, &lines)?;
    Ok(sample)
}

/// The number of values, unless it is more than a sampler would make.
fn check_size(rows: usize, parameters: usize) -> Result<usize, TableError> {
    let values = rows.checked_mul(parameters).filter(|values| *values as u128 <= MOST_VALUES);
    values.ok_or_else(|| {
        let found = format!("{rows} rows of {parameters} parameters");
        TableError::new("the sample would be too large", format!("at most {MOST_VALUES} values"), found)
            .with_hint("check that these are the outputs of this problem")
    })
}

#[cfg(test)]
mod tests {
    use onceflow_study::{Domain, Parameter};

    use super::*;
    use crate::RowRole;

    fn space() -> Space {
        let unit = |name: &str| Parameter::new(name, Domain::Continuous { from: 0.0, to: 1.0 });
        Space::new(vec![unit("a"), unit("b")], Vec::new()).unwrap()
    }

    #[test]
    fn rows_are_dealt_in_order() {
        let sample =
            assume_rows(&space(), "1\n2\n3\n4\n5\n6\n7\n8\n", TableLayout::Saltelli { second_order: false });
        let roles: Vec<_> = sample.unwrap().rows.iter().map(|r| (r.base, r.role)).collect();
        assert_eq!(
            roles[..5],
            [(0, RowRole::A), (0, RowRole::Ab(0)), (0, RowRole::Ab(1)), (0, RowRole::B), (1, RowRole::A)]
        );
    }

    #[test]
    fn a_wrong_number_and_other_layouts_are_refused() {
        let error = |text: &str, layout| assume_rows(&space(), text, layout).unwrap_err().to_string();
        assert!(error("1\n2\n3\n", TableLayout::Saltelli { second_order: false }).contains("multiple of 4"));
        assert!(
            error("1\n2\n3\n4\n", TableLayout::Saltelli { second_order: true }).contains("multiple of 6")
        );
        assert!(error("1\n2\n3\n", TableLayout::Morris).contains("-X"));
    }

    #[test]
    fn what_no_sampler_would_make_is_not_allocated() {
        assert_eq!(check_size(1000, 30), Ok(30_000));
        for (rows, parameters) in [(1 << 31, 2), (usize::MAX, 2)] {
            assert!(check_size(rows, parameters).is_err());
        }
    }
}
