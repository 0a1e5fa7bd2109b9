//! Samples of a phase in which only some parameters vary: the model still needs a value for each of the others.

pub(crate) mod looks;

use onceflow_study::{Space, SpaceError, Value};

use crate::{RowRole, Sample, SampleError, reference_row};

/// The sample of a smaller space as one of the whole space, with every other parameter at its default.
pub fn widen(space: &Space, varied: &Space, sample: &Sample) -> Result<Sample, SampleError> {
    let constants = constants(space, varied)?;
    let mut values = Vec::with_capacity(sample.len() * constants.len());
    for row in 0..sample.len() {
        let numbers = sample.numbers(row);
        values.extend(constants.iter().map(|c| match c {
            ColumnOrigin::Constant(x) => *x,
            ColumnOrigin::Varied(place) => numbers[*place],
        }));
    }
    let factors: Vec<Option<usize>> = varied.factors().iter().map(|f| factor_of(space, &f.name)).collect();
    Ok(Sample { parameters: constants.len(), values, ..with_factors(sample, &factors) })
}

/// Where a column of the whole space comes from.
enum ColumnOrigin {
    Constant(f64),
    Varied(usize),
}

fn constants(space: &Space, varied: &Space) -> Result<Vec<ColumnOrigin>, SampleError> {
    let column = |parameter: &onceflow_study::Parameter| {
        if let Some(place) = varied.index_of(&parameter.name) {
            return Ok(ColumnOrigin::Varied(place));
        }
        let alone = Space::new(vec![parameter.clone()], Vec::new());
        let alone = alone.map_err(|_| SampleError::NoDefault(parameter.name.clone()))?;
        Ok(ColumnOrigin::Constant(reference_row(&alone)?[0]))
    };
    space.parameters().iter().map(column).collect()
}

fn factor_of(space: &Space, name: &str) -> Option<usize> {
    space.factors().iter().position(|f| f.name == name)
}

/// The same rows with their factors renumbered; a factor without a new number makes a plain point of its row.
fn with_factors(sample: &Sample, factors: &[Option<usize>]) -> Sample {
    let renumber = |role: RowRole| {
        let new = |make: fn(usize) -> RowRole, old: usize| factors.get(old).copied().flatten().map(make);
        match role {
            RowRole::Step(old) => new(RowRole::Step, old).unwrap_or(RowRole::Point),
            RowRole::Ab(old) => new(RowRole::Ab, old).unwrap_or(RowRole::Point),
            RowRole::Ba(old) => new(RowRole::Ba, old).unwrap_or(RowRole::Point),
            other => other,
        }
    };
    let mut sample = sample.clone();
    for row in &mut sample.rows {
        row.role = renumber(row.role);
    }
    sample
}

/// A sample with the space in which its rows vary.
#[derive(Clone, Debug, PartialEq)]
pub struct Narrowed {
    /// The parameters that vary.
    pub space: Space,
    /// The rows, with values of those parameters only.
    pub sample: Sample,
    /// Names of the parameters that stand at one value in every row.
    pub constant: Vec<String>,
}

/// Removes constant factors: those that no row moves and whose columns contain one value. A sample that varies everything,
/// or nothing, comes back as it is.
pub fn narrow(space: &Space, sample: &Sample) -> Result<Narrowed, SpaceError> {
    let is_kept: Vec<bool> = kept(space, sample);
    if is_kept.iter().all(|k| *k) || !is_kept.contains(&true) {
        return Ok(Narrowed { space: space.clone(), sample: sample.clone(), constant: Vec::new() });
    }
    let factors = space.factors().iter().zip(&is_kept);
    let mut places: Vec<usize> = factors.filter(|(_, k)| **k).flat_map(|(f, _)| f.members.clone()).collect();
    places.sort_unstable();
    let names: Vec<String> = places.iter().map(|p| space.parameters()[*p].name.clone()).collect();
    let narrow = at_constants(space, sample, &places)?.keep(&names)?;
    let values = (0..sample.len()).flat_map(|row| {
        let numbers = sample.numbers(row);
        places.iter().map(|place| numbers[*place])
    });
    let (values, parameters) = (values.collect(), places.len());
    let factors: Vec<Option<usize>> = space.factors().iter().map(|f| factor_of(&narrow, &f.name)).collect();
    let constant = (0..space.parameters().len()).filter(|p| !places.contains(p));
    let constant = constant.map(|p| space.parameters()[p].name.clone()).collect();
    Ok(Narrowed {
        space: narrow,
        sample: Sample { values, parameters, ..with_factors(sample, &factors) },
        constant,
    })
}

/// Per factor: whether a row moves it, or one of its columns holds two values.
fn kept(space: &Space, sample: &Sample) -> Vec<bool> {
    let mut kept: Vec<bool> =
        space.factors().iter().map(|f| f.members.iter().any(|column| varies(sample, *column))).collect();
    for row in &sample.rows {
        if let RowRole::Step(f) | RowRole::Ab(f) | RowRole::Ba(f) = row.role
            && let Some(kept) = kept.get_mut(f)
        {
            *kept = true;
        }
    }
    kept
}

/// The reference row takes part in no analysis: its values do not count.
fn varies(sample: &Sample, column: usize) -> bool {
    let rows = (0..sample.len()).filter(|row| sample.rows[*row].role != RowRole::Reference);
    let mut values = rows.map(|row| sample.numbers(row)[column]);
    values.next().is_some_and(|first| values.any(|x| x != first))
}

/// The space with its constant parameters' values as their defaults, which is where constraints look.
fn at_constants(space: &Space, sample: &Sample, varied: &[usize]) -> Result<Space, SpaceError> {
    let row = sample.rows.iter().position(|r| r.role != RowRole::Reference);
    let mut parameters = space.parameters().to_vec();
    for (place, parameter) in parameters.iter_mut().enumerate().filter(|(p, _)| !varied.contains(p)) {
        if let Some(row) = row.filter(|_| !parameter.domain.is_categorical()) {
            parameter.default = Some(Value::Real(sample.numbers(row)[place]));
        }
    }
    Space::new(parameters, space.constraints().to_vec())
}

#[cfg(test)]
mod tests {
    use onceflow_study::{Design, Domain, Method, MorrisDesign, Parameter, SaltelliDesign, Trajectories};

    use super::*;
    use crate::sample;

    fn space() -> Space {
        let mut parameters = Vec::new();
        for (name, group, default) in
            [("a", None, 0.25), ("b", Some("g"), 0.5), ("c", None, 9.0), ("d", Some("g"), 0.75)]
        {
            let mut parameter = Parameter::new(name, Domain::Continuous { from: 0.0, to: 1.0 });
            parameter.group = group.map(str::to_owned);
            parameter.default = Some(Value::Real(default));
            parameters.push(parameter);
        }
        Space::new(parameters, Vec::new()).unwrap()
    }

    fn designs() -> [Method; 3] {
        [
            Method::Saltelli(SaltelliDesign { base: 4, second_order: true, replicates: 1 }),
            Method::Morris(MorrisDesign { trajectories: 3, values: 4, kind: Trajectories::Plain }),
            Method::MonteCarlo { rows: 5 },
        ]
    }

    #[test]
    fn what_was_widened_narrows_to_itself() {
        for method in designs() {
            for names in [vec!["b", "d"], vec!["c"], vec!["a", "b", "d"]] {
                let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
                let varied = space().keep(&names).unwrap();
                let asked = sample(&varied, &Design { method: method.clone(), seed: 1 }).unwrap();
                let wide = widen(&space(), &varied, &asked).unwrap();
                assert_eq!(wide.parameters, 4);
                let narrowed = narrow(&space(), &wide).unwrap();
                assert_eq!(narrowed.sample, asked, "{method:?} {names:?}");
                assert_eq!(narrowed.space, varied);
                assert_eq!(narrowed.constant.len(), 4 - names.len());
            }
        }
    }

    #[test]
    fn constants_stand_at_their_defaults_even_outside_the_range() {
        let varied = space().keep(&["a".into()]).unwrap();
        let asked = sample(&varied, &Design { method: Method::MonteCarlo { rows: 2 }, seed: 1 }).unwrap();
        let wide = widen(&space(), &varied, &asked).unwrap();
        assert_eq!(wide.numbers(1)[1..], [0.5, 9.0, 0.75]);
    }

    #[test]
    fn a_whole_sample_stays_whole() {
        let asked = sample(&space(), &Design { method: designs()[0].clone(), seed: 1 }).unwrap();
        let narrowed = narrow(&space(), &asked).unwrap();
        assert_eq!((narrowed.sample, narrowed.space, narrowed.constant), (asked, space(), vec![]));
    }

    #[test]
    fn a_factor_that_varies_is_never_left_out_though_its_rows_are_missing() {
        let mut asked = sample(&space(), &Design { method: designs()[0].clone(), seed: 1 }).unwrap();
        let keep = |role: RowRole| !matches!(role, RowRole::Ab(0) | RowRole::Ba(0));
        let places: Vec<usize> = (0..asked.len()).filter(|i| keep(asked.rows[*i].role)).collect();
        asked.values = places.iter().flat_map(|i| asked.numbers(*i).to_vec()).collect();
        asked.rows = places.iter().map(|i| asked.rows[*i]).collect();
        assert!(narrow(&space(), &asked).unwrap().constant.is_empty());
    }
}
