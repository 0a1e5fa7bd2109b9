//! Do failures gather in a corner of the space? Each side of each cut, and each pair of sides, is tested.

use onceflow_study::{Domain, Space, Value};
use statrs::function::factorial::ln_factorial;

use crate::Sample;
use crate::number::three_digits;

/// The corner that holds at least half of the failures and far more than its share of rows, in words:
/// `G1 above 60 and minSize below 10: 38 of 41 failures, 9 % of the rows`. `answered` lists places of rows with whether
/// they failed. Were failures scattered, fewer than one output in a hundred would be said to have such a corner.
pub(super) fn cluster(space: &Space, sample: &Sample, answered: &[(usize, bool)]) -> Option<String> {
    // A row that repeats another fails with it: counted twice, it would look like a gathering.
    let distinct: Vec<(usize, bool)> =
        answered.iter().copied().filter(|(row, _)| sample.rows[*row].duplicate_of.is_none()).collect();
    let sides: Vec<Vec<ParameterSide>> =
        (0..sample.parameters).map(|p| sides(space, sample, p, &distinct)).collect();
    let test = Test::new(sample, &distinct, &sides);
    test.corner().map(|corner| in_words(space, sample, answered, &corner))
}

/// The values of a parameter on one side of a cut, or one value.
#[derive(Clone, Debug, PartialEq)]
struct ParameterSide {
    parameter: usize,
    bound: SideBound,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum SideBound {
    Below(f64),
    Above(f64),
    Only(f64),
}

impl ParameterSide {
    fn holds(&self, sample: &Sample, row: usize) -> bool {
        let x = sample.numbers(row)[self.parameter];
        match self.bound {
            SideBound::Below(bound) => x < bound,
            SideBound::Above(bound) => x > bound,
            SideBound::Only(value) => x == value,
        }
    }

    fn in_words(&self, space: &Space) -> String {
        let parameter = &space.parameters()[self.parameter];
        let shown = |x: f64| match &parameter.domain {
            words @ Domain::Categories(_) => words.value(x as u64).unwrap_or(Value::Real(x)).to_string(),
            Domain::Continuous { .. } => short(x),
            _ => Value::Real(x).to_string(),
        };
        match self.bound {
            SideBound::Below(bound) => format!("{} below {}", parameter.name, shown(bound)),
            SideBound::Above(bound) => format!("{} above {}", parameter.name, shown(bound)),
            SideBound::Only(value) => format!("{} = {}", parameter.name, shown(value)),
        }
    }
}

/// Parts into which the rows are cut along a parameter.
const PARTS: usize = 8;

fn sides(space: &Space, sample: &Sample, parameter: usize, rows: &[(usize, bool)]) -> Vec<ParameterSide> {
    let mut sorted: Vec<f64> = rows.iter().map(|(row, _)| sample.numbers(*row)[parameter]).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut values = sorted.clone();
    values.dedup();
    let side = |bound| ParameterSide { parameter, bound };
    if space.parameters()[parameter].domain.is_categorical() {
        return values.into_iter().map(|v| side(SideBound::Only(v))).collect();
    }
    let cuts = cuts(&sorted, &values);
    let last = values.len().saturating_sub(1);
    let below =
        |cut: &usize| if *cut == 1 { SideBound::Only(values[0]) } else { SideBound::Below(values[*cut]) };
    let above = |cut: &usize| {
        if *cut == last { SideBound::Only(values[last]) } else { SideBound::Above(values[cut - 1]) }
    };
    cuts.iter().flat_map(|cut| [below(cut), above(cut)]).map(side).collect()
}

/// Places among the different values where a part begins, the first excluded.
fn cuts(sorted: &[f64], values: &[f64]) -> Vec<usize> {
    if values.len() <= PARTS {
        return (1..values.len()).collect();
    }
    let place = |part: usize| values.partition_point(|v| *v < sorted[part * sorted.len() / PARTS]);
    let mut cuts: Vec<usize> = (1..PARTS).map(place).filter(|cut| *cut > 0).collect();
    cuts.dedup();
    cuts
}

/// A set of rows as bits.
type RowSet = Vec<u64>;

struct Test<'a> {
    sides: Vec<&'a ParameterSide>,
    /// Per side: which failed rows, and which rows, it holds.
    failed: Vec<RowSet>,
    all: Vec<RowSet>,
    rows: u64,
    failures: u64,
    /// How many sides and pairs of sides are tried.
    trials: f64,
}

/// One side or two, with the logarithm of the probability that scattered failures gather so.
#[derive(Clone, Debug)]
struct FailureCorner<'a> {
    sides: Vec<&'a ParameterSide>,
    chance: f64,
}

/// Probability of a false alarm over all trials together.
const ALARM: f64 = 0.01;

impl<'a> Test<'a> {
    fn new(sample: &Sample, rows: &[(usize, bool)], sides: &'a [Vec<ParameterSide>]) -> Self {
        let flat: Vec<&ParameterSide> = sides.iter().flatten().collect();
        let failing: Vec<usize> = rows.iter().filter(|(_, failed)| *failed).map(|(row, _)| *row).collect();
        let every: Vec<usize> = rows.iter().map(|(row, _)| *row).collect();
        let bits =
            |rows: &[usize]| flat.iter().map(|s| bits(rows, |row| s.holds(sample, row))).collect::<Vec<_>>();
        let singles = flat.len() as f64;
        let same: f64 = sides.iter().map(|s| (s.len() as f64).powi(2)).sum();
        Self {
            failed: bits(&failing),
            all: bits(&every),
            rows: every.len() as u64,
            failures: failing.len() as u64,
            trials: singles + (singles * singles - same) / 2.0,
            sides: flat,
        }
    }

    /// The least likely corner, when it is unlikely enough. A second side must earn its place: by chance alone one of
    /// the many would make any corner look a little sharper.
    fn corner(&self) -> Option<FailureCorner<'a>> {
        let places = 0..self.sides.len();
        let single = least_likely(places.clone().filter_map(|s| self.try_corner(&[s])));
        let pairs = places.flat_map(|s| (s + 1..self.sides.len()).map(move |t| [s, t]));
        let different = |[s, t]: &[usize; 2]| self.sides[*s].parameter != self.sides[*t].parameter;
        let pair = least_likely(pairs.filter(different).filter_map(|p| self.try_corner(&p)));
        let penalty = (self.sides.len() as f64 / ALARM).ln();
        let alone = single.as_ref().map_or(0.0, |s| s.chance);
        let best = pair.filter(|p| p.chance < alone - penalty).or(single)?;
        (best.chance + self.trials.ln() < ALARM.ln()).then_some(best)
    }

    /// `None` unless it holds half of the failures and more than its share.
    fn try_corner(&self, sides: &[usize]) -> Option<FailureCorner<'a>> {
        let failed = count(sides, &self.failed);
        if 2 * failed < self.failures {
            return None;
        }
        let rows = count(sides, &self.all);
        if u128::from(failed) * u128::from(self.rows) <= u128::from(self.failures) * u128::from(rows) {
            return None;
        }
        let chance = ln_tail(self.rows, rows, self.failures, failed);
        Some(FailureCorner { sides: sides.iter().map(|s| self.sides[*s]).collect(), chance })
    }
}

fn least_likely<'a>(corners: impl Iterator<Item = FailureCorner<'a>>) -> Option<FailureCorner<'a>> {
    corners.min_by(|a, b| a.chance.total_cmp(&b.chance))
}

fn bits(rows: &[usize], holds: impl Fn(usize) -> bool) -> RowSet {
    let word = |chunk: &[usize]| chunk.iter().rev().fold(0, |word, row| word << 1 | u64::from(holds(*row)));
    rows.chunks(64).map(word).collect()
}

/// Rows that all these sides hold.
fn count(sides: &[usize], bits: &[RowSet]) -> u64 {
    let ones = |word: usize| sides.iter().fold(u64::MAX, |all, side| all & bits[*side][word]).count_ones();
    let words = sides.first().map_or(0, |side| bits[*side].len());
    (0..words).map(|word| u64::from(ones(word))).sum()
}

/// Logarithm of the probability that at least `hits` of `marked` rows fall among `drawn` of `rows` rows
/// (hypergeometric, as in Fisher's exact test).
fn ln_tail(rows: u64, drawn: u64, marked: u64, hits: u64) -> f64 {
    let choose = |n: u64, k: u64| ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
    let first = choose(drawn, hits) + choose(rows - drawn, marked - hits) - choose(rows, marked);
    // Each further term follows from the one before; all are taken relative to the first.
    let (mut term, mut sum) = (1.0, 1.0);
    for x in hits..marked.min(drawn) {
        let (up, down) = ((drawn - x) * (marked - x), (x + 1) * (rows + x + 1 - drawn - marked));
        term *= up as f64 / down as f64;
        sum += term;
        if term < 1e-16 * sum {
            break;
        }
    }
    first + sum.ln()
}

fn in_words(
    space: &Space,
    sample: &Sample,
    answered: &[(usize, bool)],
    corner: &FailureCorner<'_>,
) -> String {
    let inside = |row: usize| corner.sides.iter().all(|s| s.holds(sample, row));
    let rows = answered.iter().filter(|(row, _)| inside(*row)).count();
    let failed = answered.iter().filter(|(row, failed)| *failed && inside(*row)).count();
    let failures = answered.iter().filter(|(_, failed)| *failed).count();
    let sides: Vec<String> = corner.sides.iter().map(|s| s.in_words(space)).collect();
    let share = 100.0 * rows as f64 / answered.len() as f64;
    format!(
        "{}: {failed} of {failures} failures, {} % of the rows",
        sides.join(" and "),
        short(share.max(0.1))
    )
}

/// About three digits: more would claim a sharper edge than the rows show.
fn short(x: f64) -> String {
    if x == 0.0 { "0".into() } else { three_digits(x, 12) }
}

#[cfg(test)]
mod tests;
