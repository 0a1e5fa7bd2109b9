//! The reference row, which stands before the rows of a design and takes part in no analysis.

use onceflow_study::Space;

use crate::{RowRole, Sample, SampleError, SampleRow, reference_row};

/// The sample with a row 0 in which every parameter has its default; the rows of the design count from 1.
pub fn with_reference(space: &Space, sample: &Sample) -> Result<Sample, SampleError> {
    let mut values = reference_row(space)?;
    values.extend(&sample.values);
    let reference = SampleRow { role: RowRole::Reference, ..SampleRow::point(0) };
    let moved = sample.rows.iter().map(|row| moved(*row, |id| id + 1));
    let rows = std::iter::once(reference).chain(moved).collect();
    Ok(Sample { rows, values, ..sample.clone() })
}

/// The sample without the reference row that [`with_reference`] put before it, and whether there was one.
pub fn without_reference(sample: &Sample) -> (Sample, bool) {
    if sample.rows.first().is_none_or(|row| row.role != RowRole::Reference || row.id != 0) {
        return (sample.clone(), false);
    }
    let rows = sample.rows[1..].iter().map(|row| moved(*row, |id| id.saturating_sub(1))).collect();
    let values = sample.values[sample.parameters..].to_vec();
    (Sample { rows, values, ..sample.clone() }, true)
}

fn moved(row: SampleRow, by: impl Fn(u64) -> u64) -> SampleRow {
    SampleRow { id: by(row.id), duplicate_of: row.duplicate_of.map(&by), ..row }
}

#[cfg(test)]
mod tests {
    use onceflow_study::{Design, Domain, Method, MorrisDesign, Parameter, Trajectories, Value};

    use super::*;
    use crate::sample;

    #[test]
    fn the_reference_row_comes_and_goes() {
        let mut parameter = Parameter::new("x", Domain::Integers { from: 0, to: 1 });
        parameter.default = Some(Value::Integer(7));
        let space = Space::new(vec![parameter], Vec::new()).unwrap();
        let morris = MorrisDesign { trajectories: 4, values: 4, kind: Trajectories::Plain };
        let asked = sample(&space, &Design { method: Method::Morris(morris), seed: 3 }).unwrap();
        assert!(asked.duplicates() > 0, "the test needs some");
        assert_eq!(without_reference(&asked), (asked.clone(), false));
        let with = with_reference(&space, &asked).unwrap();
        assert_eq!(
            (with.len(), with.numbers(0), with.rows[0].role),
            (9, [7.0].as_slice(), RowRole::Reference)
        );
        assert!(with.rows.iter().enumerate().all(|(i, row)| row.id == i as u64));
        assert_eq!(without_reference(&with), (asked, true));
    }
}
