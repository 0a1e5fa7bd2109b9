//! The design of Saltelli (2002, 2010) on independently scrambled Sobol' sequences, rows in SALib's order.
//!
//! One sequence of two dimensions per parameter gives base rows A (first half) and B (second half). Base row `i` is point
//! `i / R` of sequence `i % R` of `R`, so that a larger sample begins with the smaller one.

use onceflow_study::{Factor, Method, SaltelliDesign, Space};

use super::feasible::Feasible;
use super::sequences::to_values;
use super::sobol::{Directions, Sequence};
use super::{SampleError, SampledRows};
use crate::RowRole;
use crate::quantile::Quantile;

/// More replicates than this only waste the sequences.
const MOST_REPLICATES: u64 = 1024;

/// The rows A, AB for each factor, BA for each factor when second order is wanted, and B, of every base row.
pub(super) fn rows(
    space: &Space,
    quantiles: &[Quantile],
    design: &SaltelliDesign,
    seed: u64,
) -> Result<SampledRows, SampleError> {
    let replicates = design.replicates;
    check(replicates)?;
    let mut feasible = Feasible::for_pairs(space);
    feasible.refuse_coupled("saltelli")?;
    let parameters = quantiles.len();
    let directions = Directions::new(2 * parameters)?;
    let mut sequences: Vec<Sequence<'_>> =
        (0..replicates).map(|replicate| directions.sequence(Some(seed), replicate)).collect();
    let per_base = space.factors().len() * if design.second_order { 2 } else { 1 } + 2;
    let mut rows = SampledRows::with_capacity(parameters, design.base as usize * per_base);
    let mut pair = BasePair::new(parameters);
    for base in 0..design.base {
        let replicate = base % replicates;
        pair.draw(quantiles, &mut sequences[replicate as usize], &mut feasible)?;
        pair.push_rows(space.factors(), design.second_order, base, replicate, &mut rows);
    }
    Ok(rows)
}

fn check(replicates: u64) -> Result<(), SampleError> {
    let (found, most) = (u128::from(replicates), u128::from(MOST_REPLICATES));
    match replicates {
        0 => Err(SampleError::Zero { what: "replicates" }),
        1..=MOST_REPLICATES => Ok(()),
        _ => Err(SampleError::TooMany { what: "replicates", found, most, to_do: "use 4 to 16" }),
    }
}

/// Warnings about a design.
pub(super) fn warnings(space: &Space, design: &SaltelliDesign) -> Vec<String> {
    let Some(better) = design.balanced_base().filter(|_| !design.is_balanced()) else { return Vec::new() };
    let (base, replicates) = (design.base, design.replicates.max(1));
    let rows = space.rows(&Method::Saltelli(SaltelliDesign { base: better, ..*design }));
    vec![format!(
        "{base} base rows on {replicates} replicates are not a power of two for each: the estimates are sound, but {better} \
         base rows ({rows} rows) would be balanced and more exact for their cost"
    )]
}

/// Base rows A and B.
struct BasePair {
    units: Vec<f64>,
    a: Vec<f64>,
    b: Vec<f64>,
    mixed: Vec<f64>,
}

impl BasePair {
    fn new(parameters: usize) -> Self {
        let row = vec![0.0; parameters];
        Self { units: vec![0.0; 2 * parameters], a: row.clone(), b: row.clone(), mixed: row }
    }

    /// Takes the next point whose A and B the constraints leave: factors are not coupled, so every mixture is left too.
    fn draw(
        &mut self,
        quantiles: &[Quantile],
        sequence: &mut Sequence<'_>,
        feasible: &mut Feasible<'_>,
    ) -> Result<(), SampleError> {
        let Self { units, a, b, .. } = self;
        feasible.draw(|feasible| {
            sequence.next_into(units);
            let (first, second) = units.split_at(quantiles.len());
            to_values(quantiles, first, a);
            to_values(quantiles, second, b);
            feasible.holds(a) && feasible.holds(b)
        })
    }

    fn push_rows(
        &mut self,
        factors: &[Factor],
        second_order: bool,
        base: u64,
        replicate: u64,
        rows: &mut SampledRows,
    ) {
        rows.push(RowRole::A, base, replicate, &self.a);
        for (place, factor) in factors.iter().enumerate() {
            mix(&mut self.mixed, &self.a, &self.b, factor);
            rows.push(RowRole::Ab(place), base, replicate, &self.mixed);
        }
        for (place, factor) in factors.iter().enumerate().filter(|_| second_order) {
            mix(&mut self.mixed, &self.b, &self.a, factor);
            rows.push(RowRole::Ba(place), base, replicate, &self.mixed);
        }
        rows.push(RowRole::B, base, replicate, &self.b);
    }
}

/// One row with a factor's columns from another.
fn mix(mixed: &mut [f64], row: &[f64], other: &[f64], factor: &Factor) {
    mixed.copy_from_slice(row);
    factor.members.iter().for_each(|member| mixed[*member] = other[*member]);
}
