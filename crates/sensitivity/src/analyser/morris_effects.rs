//! Which two rows make each elementary effect, and how far apart they stand.

use std::collections::BTreeMap;

use onceflow_study::Factor;

use super::Inputs;
use super::error::AnalyzeError;
use super::position::position;
use crate::{RowRole, Technique};

/// Two rows that differ in one factor.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementaryEffect {
    before: usize,
    after: usize,
    /// Distance in positions; signed where the factor has a direction.
    step: f64,
}

impl ElementaryEffect {
    /// Difference of the outputs per whole range of the factor; NaN when a row failed.
    pub(super) fn size(&self, y: &[f64]) -> f64 {
        (y[self.after] - y[self.before]) / self.step
    }
}

/// The effects of one factor, one per trajectory.
#[derive(Clone, Debug)]
pub(super) struct FactorEffects {
    pub(super) name: String,
    /// Whether its steps have a direction: a single ordered parameter.
    pub(super) directed: bool,
    pub(super) effects: Vec<ElementaryEffect>,
}

/// Reads the roles: each trajectory or star holds one start and one step of each factor, told apart by the values
/// (a step starts from the row before it, or from the centre). The second value lists the rows that take part.
pub(super) fn effects(inputs: Inputs<'_>) -> Result<(Vec<FactorEffects>, Vec<usize>), AnalyzeError> {
    let factors = inputs.space.factors();
    let empty = |f: &Factor| FactorEffects {
        name: f.name.clone(),
        directed: is_directed(inputs, f),
        effects: Vec::new(),
    };
    let mut found: Vec<FactorEffects> = factors.iter().map(empty).collect();
    let mut rows = Vec::new();
    for (number, trajectory) in trajectories(inputs)? {
        check_complete(inputs, number, &trajectory)?;
        for step in 1..trajectory.len() {
            let (factor, effect) = effect_at(inputs, &trajectory, step)?;
            found[factor].effects.push(effect);
        }
        rows.extend(trajectory);
    }
    rows.sort_unstable();
    Ok((found, rows))
}

fn is_directed(inputs: Inputs<'_>, factor: &Factor) -> bool {
    let domain = |m: &usize| &inputs.space.parameters()[*m].domain;
    factor.members.len() == 1 && !factor.members.iter().any(|m| domain(m).is_categorical())
}

/// Places of the rows of each trajectory, in the order of their numbers.
fn trajectories(inputs: Inputs<'_>) -> Result<BTreeMap<(u64, u64), Vec<usize>>, AnalyzeError> {
    let mut order: Vec<usize> = (0..inputs.sample.len()).collect();
    order.sort_by_key(|row| inputs.sample.rows[*row].id);
    let mut trajectories = BTreeMap::<_, Vec<usize>>::new();
    for place in order {
        let row = inputs.sample.rows[place];
        match row.role {
            RowRole::Reference => {}
            RowRole::Start | RowRole::Step(_) => {
                trajectories.entry((row.replicate, row.base)).or_default().push(place)
            }
            other => return Err(wrong(inputs, other)),
        }
    }
    if trajectories.is_empty() { Err(wrong(inputs, RowRole::Reference)) } else { Ok(trajectories) }
}

fn wrong(inputs: Inputs<'_>, found: RowRole) -> AnalyzeError {
    let to_do = match found {
        RowRole::A | RowRole::B | RowRole::Ab(_) | RowRole::Ba(_) => "analyse this sample with vbd",
        RowRole::Point => {
            "analyse this sample with correlation, rbd-fast, delta or pawn, or sample with morris"
        }
        RowRole::Reference | RowRole::Start | RowRole::Step(_) => "sample with morris",
    };
    AnalyzeError::Roles {
        technique: Technique::Morris,
        expected: "morris",
        found: format!("a row with the role `{}`", found.text(inputs.space)),
        to_do: to_do.into(),
    }
}

/// One start, before all else, and each factor once.
fn check_complete(inputs: Inputs<'_>, number: (u64, u64), rows: &[usize]) -> Result<(), AnalyzeError> {
    let roles = || rows.iter().map(|row| inputs.sample.rows[*row].role);
    let steps = (0..inputs.space.factors().len()).map(RowRole::Step);
    for role in std::iter::once(RowRole::Start).chain(steps) {
        let count = roles().filter(|r| *r == role).count();
        if count != 1 {
            return Err(AnalyzeError::Incomplete {
                place: format!("trajectory {}", number.1),
                expected: format!("one row `{}`", role.text(inputs.space)),
                found: count.to_string(),
            });
        }
    }
    if roles().next() == Some(RowRole::Start) {
        return Ok(());
    }
    Err(AnalyzeError::Incomplete {
        place: format!("trajectory {}", number.1),
        expected: "its row `start` before the others".into(),
        found: "another first".into(),
    })
}

/// The effect of one step. In a trajectory the row differs from the one before it, in a star from the centre.
fn effect_at(
    inputs: Inputs<'_>,
    trajectory: &[usize],
    step: usize,
) -> Result<(usize, ElementaryEffect), AnalyzeError> {
    let (after, previous, centre) = (trajectory[step], trajectory[step - 1], trajectory[0]);
    let RowRole::Step(place) = inputs.sample.rows[after].role else {
        return Err(wrong(inputs, inputs.sample.rows[after].role));
    };
    let factor = &inputs.space.factors()[place];
    let fits = |before: &usize| {
        let moved = moved(inputs, *before, after);
        !moved.is_empty() && moved.iter().all(|m| factor.members.contains(m))
    };
    let before = [previous, centre].into_iter().find(fits);
    let before = before.ok_or_else(|| contradiction(inputs, factor, previous, after))?;
    Ok((place, ElementaryEffect { before, after, step: distance(inputs, factor, before, after) }))
}

fn moved(inputs: Inputs<'_>, before: usize, after: usize) -> Vec<usize> {
    let (x, z) = (inputs.sample.numbers(before), inputs.sample.numbers(after));
    (0..x.len()).filter(|m| x[*m] != z[*m]).collect()
}

fn contradiction(inputs: Inputs<'_>, factor: &Factor, before: usize, after: usize) -> AnalyzeError {
    let name = |m: &usize| inputs.space.parameters()[*m].name.as_str();
    let moved = moved(inputs, before, after);
    let names: Vec<&str> = moved.iter().map(name).collect();
    let row = inputs.sample.rows[after];
    AnalyzeError::Step {
        row: row.id,
        role: row.role.text(inputs.space),
        before: inputs.sample.rows[before].id,
        factor: factor.name.clone(),
        found: if names.is_empty() { "no difference".into() } else { format!("{} differ", names.join(", ")) },
    }
}

/// How far the factor moved, as a share of its range. A change of word counts as the whole range, for words have no
/// distance; a group moved as far as its members did on average.
fn distance(inputs: Inputs<'_>, factor: &Factor, before: usize, after: usize) -> f64 {
    let (x, z) = (inputs.sample.numbers(before), inputs.sample.numbers(after));
    let member = |m: &usize| {
        let parameter = &inputs.space.parameters()[*m];
        if parameter.domain.is_categorical() {
            f64::from(u8::from(x[*m] != z[*m]))
        } else {
            position(parameter, z[*m]) - position(parameter, x[*m])
        }
    };
    match factor.members.as_slice() {
        [single] => member(single),
        members => members.iter().map(|m| member(m).abs()).sum::<f64>() / members.len() as f64,
    }
}
