//! Rows of a variance-based design that nobody wrote down: SALib analyses outputs by their order alone.

use onceflow_study::Space;

use super::cell::read_output;
use super::layout::{Layout, deal};
use super::{TableError, json, raw};
use crate::{Role, Row, Sample};

/// As many rows as there are outputs, with the roles of SALib's order and no values (all are 0). Only a Saltelli layout
/// can be assumed: every other analysis looks at the values.
pub fn assume_rows(space: &Space, outputs: &str, layout: Layout) -> Result<Sample, TableError> {
    if !matches!(layout, Layout::Saltelli { .. }) {
        let (expected, found) = ("the sample beside its outputs", "outputs only");
        return Err(TableError::new("this analysis needs the values of the rows", expected, found)
            .with_hint("give the sample with -X"));
    }
    let is_value = |field: &str| read_output(field).is_some();
    let table =
        if raw::is_json(outputs) { json::read_rows(outputs)? } else { raw::read(outputs, &is_value)? };
    let row = |id: usize| Row { id: id as u64, role: Role::Point, base: 0, replicate: 0, duplicate_of: None };
    let rows: Vec<Row> = (0..table.rows.len()).map(row).collect();
    let lines: Vec<usize> = table.rows.iter().map(|r| r.line).collect();
    let parameters = space.parameters().len();
    let mut sample = Sample { design: None, values: vec![0.0; rows.len() * parameters], rows, parameters };
    deal(space, &mut sample, layout, &lines)?;
    Ok(sample)
}

#[cfg(test)]
mod tests {
    use onceflow_study::{Domain, Parameter};

    use super::*;

    fn space() -> Space {
        let unit = |name: &str| Parameter::new(name, Domain::Continuous { from: 0.0, to: 1.0 });
        Space::new(vec![unit("a"), unit("b")], Vec::new()).unwrap()
    }

    #[test]
    fn rows_are_dealt_in_order() {
        let sample =
            assume_rows(&space(), "1\n2\n3\n4\n5\n6\n7\n8\n", Layout::Saltelli { second_order: false });
        let roles: Vec<_> = sample.unwrap().rows.iter().map(|r| (r.base, r.role)).collect();
        assert_eq!(
            roles[..5],
            [(0, Role::A), (0, Role::Ab(0)), (0, Role::Ab(1)), (0, Role::B), (1, Role::A)]
        );
    }

    #[test]
    fn a_wrong_number_and_other_layouts_are_refused() {
        let error = |text: &str, layout| assume_rows(&space(), text, layout).unwrap_err().to_string();
        assert!(error("1\n2\n3\n", Layout::Saltelli { second_order: false }).contains("multiple of 4"));
        assert!(error("1\n2\n3\n4\n", Layout::Saltelli { second_order: true }).contains("multiple of 6"));
        assert!(error("1\n2\n3\n", Layout::Morris).contains("-X"));
    }
}
