//! Samples and outputs from numbers in memory, with the same rules as from texts.

use std::collections::HashMap;

use onceflow_study::Space;

use super::TableError;
use super::cell::check_number;
use super::layout::TableLayout;
use super::outputs::take_over;
use super::sample::{SampleOptions, finish};
use crate::{OutputStatus, Outputs, Sample, SampleRow};

/// A sample of a matrix that another program made: rows without roles get those of the layout, and values must fit the
/// space. A word stands as its place in its domain.
pub fn sample_from_values(
    space: &Space,
    values: Vec<f64>,
    layout: TableLayout,
) -> Result<Sample, TableError> {
    let parameters = space.parameters().len();
    if values.is_empty() || !values.len().is_multiple_of(parameters) {
        let expected = format!("{parameters} values in each row, and a row at least");
        let found = format!("{} values", values.len());
        return Err(TableError::new("the matrix has the wrong width", expected, found));
    }
    for (place, value) in values.iter().enumerate() {
        let (row, parameter) = (place / parameters, &space.parameters()[place % parameters]);
        check_number(parameter, *value).map_err(|error| of_row(error.at(row)))?;
    }
    let rows: Vec<SampleRow> = (0..(values.len() / parameters) as u64).map(SampleRow::point).collect();
    let lines: Vec<usize> = (0..rows.len()).collect();
    let sample = Sample { design: None, rows, values, parameters };
    finish(space, sample, &lines, false, false, &SampleOptions { layout, extra_columns: false })
        .map_err(of_row)
}

/// What stands on a line of a text is a row here, counted from 0.
fn of_row(error: TableError) -> TableError {
    match error.line {
        Some(row) => TableError { line: None, message: format!("row {row}: {}", error.message), ..error },
        None => error,
    }
}

/// Outputs that a model gave as numbers: those of the rows named in `ids`, in any order and with rows missing, or without it
/// one for each row of the sample in its order. A row in which no output is finite has failed; a missing row that repeats an
/// answered one takes its answer.
pub fn outputs_from_values(
    sample: &Sample,
    ids: Option<&[u64]>,
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
) -> Result<Outputs, TableError> {
    let places = match ids {
        Some(ids) => by_number(sample, ids)?,
        None => (0..sample.len()).collect(),
    };
    if let Some((name, column)) = names.iter().zip(&columns).find(|(_, c)| c.len() != places.len()) {
        let hint = "give the numbers of the rows too when rows are missing or in another order";
        let title = format!("`{name}` does not fit the sample");
        let expected = format!("{} values, one for each row in its order", places.len());
        return Err(TableError::new(title, expected, column.len().to_string()).with_hint(hint));
    }
    let mut outputs = Outputs {
        columns: vec![vec![f64::NAN; sample.len()]; names.len()],
        status: vec![OutputStatus::Missing; sample.len()],
        names,
    };
    for (at, place) in places.iter().enumerate() {
        let mut answered = false;
        for (column, given) in outputs.columns.iter_mut().zip(&columns) {
            column[*place] = given[at];
            answered |= given[at].is_finite();
        }
        outputs.status[*place] = if answered { OutputStatus::Ok } else { OutputStatus::Failed };
    }
    take_over(sample, &mut outputs);
    Ok(outputs)
}

fn by_number(sample: &Sample, ids: &[u64]) -> Result<Vec<usize>, TableError> {
    let known: HashMap<u64, usize> = sample.rows.iter().enumerate().map(|(i, row)| (row.id, i)).collect();
    let mut seen = vec![false; sample.len()];
    let mut places = Vec::with_capacity(ids.len());
    for id in ids {
        let place = *known.get(id).ok_or_else(|| {
            let error =
                TableError::new("this row is not in the sample", "row numbers of the sample", id.to_string());
            error.with_hint("give the sample that was run")
        })?;
        if std::mem::replace(&mut seen[place], true) {
            return Err(TableError::new(
                "a row is answered twice",
                "one answer for each row",
                id.to_string(),
            )
            .with_hint("remove one of both"));
        }
        places.push(place);
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use onceflow_study::{Design, Domain, Method, Parameter, SaltelliDesign};

    use super::*;
    use crate::sample;

    fn space() -> Space {
        let unit = |name: &str| Parameter::new(name, Domain::Continuous { from: 0.0, to: 1.0 });
        let word = Parameter::new("mode", Domain::Categories(vec!["fast".into(), "fine".into()]));
        Space::new(vec![unit("a"), unit("b"), word], Vec::new()).unwrap()
    }

    fn designed() -> Sample {
        let method = Method::Saltelli(SaltelliDesign { base: 8, second_order: true, replicates: 1 });
        sample(&space(), &Design { method, seed: 3 }).unwrap()
    }

    #[test]
    fn a_matrix_gets_the_roles_of_its_layout() {
        let made = designed();
        let read =
            sample_from_values(&space(), made.values.clone(), TableLayout::Saltelli { second_order: true });
        let read = read.unwrap();
        let roles = |sample: &Sample| sample.rows.iter().map(|r| (r.base, r.role)).collect::<Vec<_>>();
        assert_eq!(roles(&read), roles(&made));
        assert_eq!(read.duplicates(), made.duplicates());
    }

    #[test]
    fn matrices_that_fit_no_layout_are_refused() {
        let refused = |values: Vec<f64>| {
            let layout = TableLayout::Saltelli { second_order: false };
            sample_from_values(&space(), values, layout).unwrap_err().to_string()
        };
        let values = designed().values;
        assert!(refused(values[..7].to_vec()).contains("3 values in each row"));
        assert!(refused(Vec::new()).contains("a row at least"));
        assert!(refused(values[..12].to_vec()).contains("multiple of 5"));
        let mut strange = values.clone();
        strange[4] = f64::NAN;
        assert!(refused(strange).contains("row 1: this value of `b`"));
        let mut strange = values.clone();
        strange[2] = 2.0;
        assert!(refused(strange).contains("row 0: this value of `mode`"));
        let mut mixed = values;
        mixed.swap(3, 30);
        mixed.swap(4, 31);
        assert!(refused(mixed[..75].to_vec()).contains("mixed-up design"));
    }

    #[test]
    fn outputs_are_matched_by_number() {
        let sample = sample_from_values(
            &space(),
            vec![0.1, 0.2, 0.0, 0.1, 0.2, 0.0, 0.3, 0.2, 1.0, 0.5, 0.5, 1.0],
            TableLayout::Points,
        );
        let sample = sample.unwrap();
        let names = || vec!["y".to_owned()];
        let outputs =
            outputs_from_values(&sample, Some(&[2, 0]), names(), vec![vec![f64::NAN, 7.0]]).unwrap();
        use OutputStatus::{Failed, Missing, Ok as Done};
        assert_eq!(outputs.status, [Done, Done, Failed, Missing]);
        assert_eq!(outputs.columns[0][..2], [7.0, 7.0]);
        let whole = outputs_from_values(&sample, None, names(), vec![vec![1.0, 2.0, 3.0, 4.0]]).unwrap();
        assert_eq!(whole.columns[0], [1.0, 2.0, 3.0, 4.0]);
        let refused = |ids: Option<&[u64]>, column: Vec<f64>| {
            outputs_from_values(&sample, ids, names(), vec![column]).unwrap_err().to_string()
        };
        assert!(refused(None, vec![1.0]).contains("4 values"));
        assert!(refused(Some(&[9]), vec![1.0]).contains("not in the sample"));
        assert!(refused(Some(&[1, 1]), vec![1.0, 1.0]).contains("twice"));
    }
}
