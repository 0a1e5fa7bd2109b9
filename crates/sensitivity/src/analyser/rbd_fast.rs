//! RBD-FAST: how much of the output's variance the first harmonics explain when rows are sorted by a parameter.
//!
//! Rows of equal value have no order of their own, so the harmonics' power is averaged over all orders of theirs. A
//! parameter with few values, or with words for values, is projected on the means of its values instead: ten harmonics
//! miss part of a step, and words have no order to sort by. Both projections have the same correction of bias.
//!
//! Without ties the estimate is SALib's. Its intervals are not: SALib resamples half as many rows as there are.

use super::fourier::{HARMONICS, TiedGroup, Waves};
use super::given::{AnsweredColumns, Recipe};
use super::partition::Partition;
use super::ranks::RankOrder;
use super::resample::bootstrap;
use super::spread;
use crate::sums::{centred, dot};
use crate::{AnalysisOptions, IndexEstimate, Indices, RbdFast};

pub(super) const RECIPE: Recipe = Recipe {
    estimator: "first-order indices by RBD-FAST with 10 harmonics (Tarantola, Gatelli and Mara 2006; sorting by \
                Plischke 2010, bias correction by Tissot and Prieur 2012); means of values for parameters of at most 20",
    interval: "normal interval with the bootstrap's standard error (Efron and Tibshirani 1993, An Introduction to \
               the Bootstrap, chapter 6)",
    least_rows: |_| LEAST_ROWS,
    indices: |table, options, warnings| Indices::RbdFast(analyse(table, options, warnings)),
    blank: |table| Indices::RbdFast(entries(table, |_| IndexEstimate::bare(f64::NAN))),
};

/// More rows than there are functions to project on.
pub(super) const LEAST_ROWS: usize = 2 * HARMONICS + 2;

/// On what the output is projected.
enum Projection {
    /// The means of a parameter's values.
    Values(Partition),
    /// Harmonics along the sorted rows.
    Harmonics(RankOrder),
}

fn analyse(table: &AnsweredColumns, options: &AnalysisOptions, warnings: &mut Vec<String>) -> Vec<RbdFast> {
    let s1 = first_order(table, options);
    warn(table, &s1, warnings);
    entries(table, |p| s1[p])
}

/// First-order index of each parameter.
pub(super) fn first_order(table: &AnsweredColumns, options: &AnalysisOptions) -> Vec<IndexEstimate> {
    let projections: Vec<Projection> =
        table.columns.iter().zip(&table.categorical).map(|(c, words)| Projection::new(c, *words)).collect();
    let (output, waves) = (centred(&table.output), Waves::new(table.rows()));
    let statistics = |weights: &[f64]| -> Vec<f64> {
        projections.iter().map(|p| p.first_order(&output, weights, &waves)).collect()
    };
    let found = statistics(&vec![1.0; table.rows()]);
    let draws = bootstrap(table.rows(), options.resamples, options.seed, statistics);
    found.iter().zip(&draws).map(|(s1, draws)| spread::normal(*s1, draws, options.confidence)).collect()
}

fn warn(table: &AnsweredColumns, s1: &[IndexEstimate], warnings: &mut Vec<String>) {
    let wanted = 10 * HARMONICS;
    if table.rows() < wanted {
        warnings.push(format!(
            "{} rows are few for {HARMONICS} harmonics: expected at least {wanted}",
            table.rows()
        ));
    }
    let alone: f64 = s1.iter().map(|e| e.value).sum();
    if alone < 0.9 {
        warnings.push(format!(
            "the parameters explain {:.0} % of the variance alone: the rest comes from interactions or noise, and a parameter that is not influential alone may take part in it; to do: decompose with vbd, or \
             look at delta or pawn",
            100.0 * alone.max(0.0)
        ));
    }
}

fn entries(table: &AnsweredColumns, s1: impl Fn(usize) -> IndexEstimate) -> Vec<RbdFast> {
    table.names.iter().enumerate().map(|(p, name)| RbdFast { name: name.clone(), s1: s1(p) }).collect()
}

impl Projection {
    fn new(column: &[f64], categorical: bool) -> Self {
        let order = RankOrder::of(column);
        if categorical || order.has_few_values(2 * HARMONICS) {
            return Self::Values(Partition::by_value(&order));
        }
        Self::Harmonics(order)
    }

    fn first_order(&self, output: &[f64], weights: &[f64], waves: &Waves) -> f64 {
        match self {
            Self::Values(partition) => partition.first_order(output, weights),
            Self::Harmonics(order) => {
                let (sequence, ties) = sequence(order, output, weights);
                let share = waves.share(&sequence, &ties);
                unbiased(share, 2.0 * HARMONICS as f64 / output.len() as f64)
            }
        }
    }
}

/// A share explained by functions that would explain the part `by_chance` of mere noise (Tissot and Prieur 2012).
pub(super) fn unbiased(share: f64, by_chance: f64) -> f64 {
    share - by_chance / (1.0 - by_chance) * (1.0 - share)
}

/// The output along the sorted rows, each as often as it weighs, less its mean; tied rows hold their mean.
fn sequence(order: &RankOrder, output: &[f64], weights: &[f64]) -> (Vec<f64>, Vec<TiedGroup>) {
    let mean = dot(output, weights) / output.len() as f64;
    // A row is written twice before it is known how often it stands: most stand at most twice, and guessing is slow.
    let mut sequence = vec![0.0; output.len() + 2];
    let (mut place, mut ties) = (0, Vec::new());
    for group in order.groups() {
        let (level, count, squares) = level_of(group, output, weights);
        sequence[place] = level - mean;
        sequence[place + 1] = level - mean;
        (2..count).for_each(|copy| sequence[place + copy] = level - mean);
        if squares > 0.0 {
            ties.push(TiedGroup { start: place, end: place + count, squares });
        }
        place += count;
    }
    sequence.truncate(output.len());
    (sequence, ties)
}

/// Mean of a group's outputs, how many rows it stands for, and its squared deviations.
fn level_of(group: &[u32], output: &[f64], weights: &[f64]) -> (f64, usize, f64) {
    if let [row] = group {
        return (output[*row as usize], weights[*row as usize] as usize, 0.0);
    }
    let rows = || group.iter().map(|row| (output[*row as usize], weights[*row as usize]));
    let count: f64 = rows().map(|(_, w)| w).sum();
    let level = rows().map(|(y, w)| w * y).sum::<f64>() / count.max(1.0);
    let squares = rows().map(|(y, w)| w * (y - level) * (y - level)).sum();
    (level, count as usize, squares)
}

#[cfg(test)]
mod tests {
    use super::super::example::{analysed, assert_close, kronecker, random_rows};
    use super::*;
    use crate::{Oracle, Technique};

    fn s1(table: &AnsweredColumns) -> Vec<IndexEstimate> {
        match analysed(table, &RECIPE, Technique::RbdFast).0 {
            Indices::RbdFast(found) => found.iter().map(|r| r.s1).collect(),
            other => panic!("{other:?}"),
        }
    }

    fn values(table: &AnsweredColumns) -> Vec<f64> {
        s1(table).iter().map(|e| e.value).collect()
    }

    /// Expected: SALib 1.6.0 `rbd_fast.analyze` for the continuous parameters; the correlation ratio, corrected for
    /// four degrees of freedom, by numpy for the one of five values.
    #[test]
    fn indices_agree_with_salib() {
        let odd = [0.7532403415997891, 0.15050610989056523, -0.11841480480578293, 0.018556583689228856];
        assert_close(&values(&kronecker(137)), &odd);
        let even = [0.7648965759465027, 0.13818436299638764, 0.005655824561275849, 0.012215083452342679];
        assert_close(&values(&kronecker(500)), &even);
    }

    /// Expected: the mean of SALib's formula over 40,000 random orders of the tied rows, and its standard error.
    #[test]
    fn tied_rows_count_as_the_mean_over_their_orders() {
        let mut table = kronecker(200);
        table.columns[0].iter_mut().for_each(|a| *a = (*a * 40.0).floor());
        let found = values(&table)[0];
        assert!((found - 0.762_451_07).abs() < 4.0 * 2.75e-5, "{found}");
        // Any order of the rows gives the same.
        table.columns.iter_mut().for_each(|c| c.reverse());
        table.output.reverse();
        assert!((values(&table)[0] - found).abs() < 1e-12);
    }

    #[test]
    fn known_first_order_indices_lie_in_the_intervals() {
        for oracle in [Oracle::Ishigami, Oracle::SobolG, Oracle::RoughDiscrete] {
            let (table, truth) = (random_rows(oracle, 1_000, 3), oracle.truth().s1);
            for (found, truth) in s1(&table).iter().zip(truth) {
                // Twice the interval: about one in twenty lies outside the interval itself.
                assert!(
                    (found.value - truth).abs() < 2.0 * found.half_width(),
                    "{oracle:?} {found:?} {truth}"
                );
                assert!(found.half_width() < 0.07, "{found:?}");
            }
        }
    }

    #[test]
    fn a_column_that_does_not_vary_explains_nothing() {
        let mut table = kronecker(100);
        table.columns[1] = vec![4.2; 100];
        assert_eq!(s1(&table)[1], IndexEstimate { value: 0.0, low: 0.0, high: 0.0 });
    }

    #[test]
    fn a_step_is_seen_whole_whatever_words_stand_for_it() {
        let mut table = kronecker(400);
        // Twenty-five words in no order, of which every other one lifts the output.
        table.columns[1] = (0..400).map(|i| f64::from(i * 7 % 25)).collect();
        table.categorical[1] = true;
        table.output = table.columns[1].iter().map(|word| word % 2.0).collect();
        assert!((values(&table)[1] - 1.0).abs() < 1e-12);
    }
}
