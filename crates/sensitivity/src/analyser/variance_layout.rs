//! The base rows of a Saltelli design, found by the roles of the rows.

use std::collections::BTreeMap;

use super::Inputs;
use super::error::AnalyzeError;
use crate::{RowRole, Technique};

/// Which row plays which part: for each role one place of the sample per base row.
#[derive(Clone, Debug)]
pub(super) struct VarianceLayout {
    /// Number of factors.
    pub(super) factors: usize,
    /// Whether there are rows BA.
    pub(super) second_order: bool,
    /// Replicate of each base row.
    pub(super) replicates: Vec<u64>,
    /// Rows that take part, ascending.
    pub(super) rows: Vec<usize>,
    places: BTreeMap<usize, Vec<usize>>,
}

impl VarianceLayout {
    /// Reads the roles; base rows in the order they were dealt to the replicates.
    pub(super) fn new(inputs: Inputs<'_>) -> Result<Self, AnalyzeError> {
        let bases = base_rows(inputs)?;
        let factors = inputs.space.factors().len();
        let second_order = bases.values().flatten().any(|(role, _)| matches!(role, RowRole::Ba(_)));
        let roles = roles(factors, second_order);
        let mut places = BTreeMap::<usize, Vec<usize>>::new();
        for ((base, _), rows) in &bases {
            for role in &roles {
                places.entry(number(*role)).or_default().push(only(inputs, *base, rows, *role)?);
            }
        }
        let replicates = bases.keys().map(|(_, replicate)| *replicate).collect();
        let mut rows: Vec<usize> = bases.values().flatten().map(|(_, place)| *place).collect();
        rows.sort_unstable();
        Ok(Self { factors, second_order, replicates, rows, places })
    }

    /// Number of base rows.
    pub(super) fn len(&self) -> usize {
        self.replicates.len()
    }

    /// The rows of one role, one per base row.
    pub(super) fn places(&self, role: RowRole) -> &[usize] {
        self.places.get(&number(role)).map_or(&[][..], Vec::as_slice)
    }

    /// The outputs of one role, one per base row.
    pub(super) fn outputs(&self, role: RowRole, y: &[f64]) -> impl Iterator<Item = f64> {
        self.places(role).iter().map(|place| y[*place])
    }

    /// Every pair of factors, first below second; none unless second order is wanted.
    pub(super) fn pairs(&self, second_order: bool) -> Vec<(usize, usize)> {
        let factors = if second_order { self.factors } else { 0 };
        (0..factors).flat_map(|first| (first + 1..factors).map(move |second| (first, second))).collect()
    }

    /// The outputs of the independent rows A and B that did not fail.
    pub(super) fn independent(&self, y: &[f64]) -> Vec<f64> {
        let both = [RowRole::A, RowRole::B].into_iter().flat_map(|role| self.outputs(role, y));
        both.filter(|y| y.is_finite()).collect()
    }

    /// Every role of this design.
    pub(super) fn roles(&self) -> Vec<RowRole> {
        roles(self.factors, self.second_order)
    }
}

type BaseRows = BTreeMap<(u64, u64), Vec<(RowRole, usize)>>;

/// Rows of each base row, by its number and then its replicate.
fn base_rows(inputs: Inputs<'_>) -> Result<BaseRows, AnalyzeError> {
    let mut bases = BaseRows::new();
    for (place, row) in inputs.sample.rows.iter().enumerate() {
        match row.role {
            RowRole::Reference => {}
            RowRole::A | RowRole::B | RowRole::Ab(_) | RowRole::Ba(_) => {
                bases.entry((row.base, row.replicate)).or_default().push((row.role, place));
            }
            RowRole::Start | RowRole::Step(_) | RowRole::Point => return Err(wrong(inputs, row.role)),
        }
    }
    if bases.is_empty() { Err(wrong(inputs, RowRole::Reference)) } else { Ok(bases) }
}

fn wrong(inputs: Inputs<'_>, found: RowRole) -> AnalyzeError {
    let to_do = match found {
        RowRole::Start | RowRole::Step(_) => "analyse this sample with morris",
        RowRole::Point => {
            "analyse this sample with correlation, rbd-fast, delta or pawn, or sample with saltelli"
        }
        _ => "sample with saltelli",
    };
    AnalyzeError::Roles {
        technique: Technique::Vbd,
        expected: "saltelli",
        found: format!("a row with the role `{}`", found.text(inputs.space)),
        to_do: to_do.into(),
    }
}

fn roles(factors: usize, second_order: bool) -> Vec<RowRole> {
    let ba = if second_order { factors } else { 0 };
    let mixed = (0..factors).map(RowRole::Ab).chain((0..ba).map(RowRole::Ba));
    [RowRole::A, RowRole::B].into_iter().chain(mixed).collect()
}

/// A place for each role that does not depend on how many factors there are.
fn number(role: RowRole) -> usize {
    match role {
        RowRole::Ab(factor) => 2 + 2 * factor,
        RowRole::Ba(factor) => 3 + 2 * factor,
        RowRole::B => 1,
        _ => 0,
    }
}

fn only(
    inputs: Inputs<'_>,
    base: u64,
    rows: &[(RowRole, usize)],
    role: RowRole,
) -> Result<usize, AnalyzeError> {
    let mut found = rows.iter().filter(|(r, _)| *r == role).map(|(_, place)| *place);
    match (found.next(), found.count()) {
        (Some(place), 0) => Ok(place),
        (first, more) => Err(AnalyzeError::Incomplete {
            place: format!("base row {base}"),
            expected: format!("one row `{}`", role.text(inputs.space)),
            found: (usize::from(first.is_some()) + more).to_string(),
        }),
    }
}
