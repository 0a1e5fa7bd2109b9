//! PAWN: how far the output's distribution moves when a parameter is held in a slice of its range.
//!
//! Slices hold about equally many rows; a parameter with few values, or with words for values, has one slice per value.
//! SALib leaves the rows of the largest value out, which here belong to the last slice.

use super::given::{AnsweredColumns, Recipe, tell_dummies};
use super::partition::Partition;
use super::ranks::RankOrder;
use super::resample::{bootstrap, shuffled};
use super::spread::{self, quantile};
use crate::{AnalysisOptions, IndexEstimate, Indices, Pawn};

/// Slices of a parameter with many values.
const SLICES: usize = 10;

pub(super) const RECIPE: Recipe = Recipe {
    estimator: "PAWN: Kolmogorov-Smirnov distances between the output in a slice and over all rows, 10 slices (Pianosi \
                and Wagener 2015, 2018)",
    interval: spread::DISTANCE,
    least_rows: |_| 2 * SLICES,
    indices: |table, options, warnings| Indices::Pawn(analyse(table, options, warnings)),
    blank: |table| {
        Indices::Pawn(entries(table, |_| (SliceSummary::BLANK, IndexEstimate::bare(f64::NAN), f64::NAN)))
    },
};

/// Distances over the slices of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SliceSummary {
    median: f64,
    maximum: f64,
    mean: f64,
}

/// The rows in ascending order of the output.
struct OutputOrder {
    /// Where each group of equal outputs ends.
    ends: Vec<usize>,
    /// The slice of each row, by parameter.
    slices: Vec<Partition>,
}

fn analyse(table: &AnsweredColumns, options: &AnalysisOptions, warnings: &mut Vec<String>) -> Vec<Pawn> {
    let (sorted, rows) = (OutputOrder::new(table), table.rows());
    let AnalysisOptions { resamples, seed, confidence, .. } = *options;
    let ones = vec![1.0; rows];
    let found = sorted.summaries(&ones);
    let medians = |weights: &[f64]| sorted.summaries(weights).iter().map(|s| s.median).collect();
    let draws = bootstrap(rows, resamples, seed, medians);
    let dummies = shuffled(rows, resamples, seed, |order| sorted.shuffled(order, &ones));
    let interval =
        |p: usize| spread::distance(found[p].median, found[p].median, &draws[p], &dummies[p], confidence);
    let medians: Vec<(IndexEstimate, f64)> = (0..found.len()).map(interval).collect();
    tell_dummies(table, &medians, warnings);
    entries(table, |p| (found[p], medians[p].0, medians[p].1))
}

fn entries(table: &AnsweredColumns, of: impl Fn(usize) -> (SliceSummary, IndexEstimate, f64)) -> Vec<Pawn> {
    let entry = |(p, name): (usize, &String)| {
        let (SliceSummary { maximum, mean, .. }, median, dummy) = of(p);
        Pawn { name: name.clone(), median, maximum, mean, dummy }
    };
    table.names.iter().enumerate().map(entry).collect()
}

impl OutputOrder {
    fn new(table: &AnsweredColumns) -> Self {
        let order = RankOrder::of(&table.output);
        let sort = |column: &[f64]| order.rows().iter().map(|row| column[*row as usize]).collect::<Vec<_>>();
        let ends = order.groups().scan(0, |end, group| {
            *end += group.len();
            Some(*end)
        });
        let columns = table.columns.iter().zip(&table.categorical);
        Self {
            ends: ends.collect(),
            slices: columns.map(|(column, words)| slices(&sort(column), *words)).collect(),
        }
    }

    fn summaries(&self, weights: &[f64]) -> Vec<SliceSummary> {
        let of = |slices: &Partition| SliceSummary::of(distances(&self.ends, slices, weights));
        self.slices.iter().map(of).collect()
    }

    /// Medians of parameters that have lost all connection with the output.
    fn shuffled(&self, order: &[u32], ones: &[f64]) -> Vec<f64> {
        let of = |slices: &Partition| {
            SliceSummary::of(distances(&self.ends, &slices.shuffled(order), ones)).median
        };
        self.slices.iter().map(of).collect()
    }
}

impl SliceSummary {
    const BLANK: Self = Self { median: f64::NAN, maximum: f64::NAN, mean: f64::NAN };

    /// Over the slices that hold rows.
    fn of(distances: Vec<f64>) -> Self {
        let filled: Vec<f64> = distances.into_iter().filter(|d| d.is_finite()).collect();
        Self {
            median: quantile(&filled, 0.5),
            maximum: filled.iter().copied().fold(f64::NAN, f64::max),
            mean: filled.iter().sum::<f64>() / filled.len() as f64,
        }
    }
}

/// Cut at the deciles, which belong to the slice above them; the largest value belongs to the last slice.
fn slices(column: &[f64], categorical: bool) -> Partition {
    let steps = (column.len() - 1) as f64;
    let place = |rank: f64| ((rank - 1.0) * SLICES as f64 / steps).floor() as usize;
    Partition::new(&RankOrder::of(column), SLICES, categorical, place)
}

/// The largest distance between each slice's distribution function and that of all rows; NaN for an empty slice.
///
/// Rows ascend by the output, and stand as often as they weigh. Between two rows of a slice only the function of all
/// rows grows, so it is enough to look just before and just after each of the slice's rows.
fn distances(ends: &[usize], slices: &Partition, weights: &[f64]) -> Vec<f64> {
    let sizes = slices.sizes(weights);
    let per_row: Vec<f64> = sizes.iter().map(|size| 1.0 / size).collect();
    let (per_all, mut all) = (1.0 / weights.len() as f64, 0.0);
    let (mut below, mut largest) = (vec![0.0; slices.classes], vec![0.0_f64; slices.classes]);
    let mut start = 0;
    for end in ends {
        let (class, weights) = (&slices.class[start..*end], &weights[start..*end]);
        let mut look = |below: &[f64], all: f64| {
            for class in class {
                let class = *class as usize;
                largest[class] = largest[class].max((below[class] * per_row[class] - all * per_all).abs());
            }
        };
        look(&below, all);
        for (class, weight) in class.iter().zip(weights) {
            below[*class as usize] += weight;
            all += weight;
        }
        look(&below, all);
        start = *end;
    }
    largest.iter().zip(sizes).map(|(d, size)| if size > 0.0 { *d } else { f64::NAN }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::example::{analysed, assert_close, kronecker, random_rows};
    use super::*;
    use crate::{Oracle, Technique};

    fn found(table: &AnsweredColumns) -> (Vec<Pawn>, Vec<String>) {
        match analysed(table, &RECIPE, Technique::Pawn) {
            (Indices::Pawn(found), warnings) => (found, warnings),
            other => panic!("{other:?}"),
        }
    }

    /// Expected: scipy's `ks_2samp` in slices between numpy's quantiles, the last one with its largest value, and by
    /// value for `d`. SALib 1.6.0 leaves the row with the largest value out, so that its last slice differs.
    #[test]
    fn distances_agree_with_scipy() {
        let (pawn, _) = found(&kronecker(137));
        let values = |of: fn(&Pawn) -> f64| pawn.iter().map(of).collect::<Vec<_>>();
        let medians = [0.5218978102189781, 0.2273201251303441, 0.15488890671372424, 0.15300393037619314];
        assert_close(&values(|p| p.median.value), &medians);
        let largest = [0.7095933263816475, 0.4572471324296142, 0.2116788321167883, 0.27094890510948905];
        assert_close(&values(|p| p.maximum), &largest);
        let means = [0.5114181438998957, 0.229056709713644, 0.15920028876233255, 0.17758838091181406];
        assert_close(&values(|p| p.mean), &means);
    }

    /// Expected: SALib 1.6.0 `pawn.analyze`, where the last slice is not the median one.
    #[test]
    fn medians_agree_with_salib() {
        let (pawn, _) = found(&kronecker(500));
        let medians: Vec<f64> = pawn[..3].iter().map(|p| p.median.value).collect();
        assert_close(&medians, &[0.497, 0.166, 0.096]);
    }

    #[test]
    fn parameters_without_effect_are_told() {
        let (pawn, warnings) = found(&random_rows(Oracle::SobolG, 1_000, 5));
        assert!(pawn[..2].iter().all(|p| p.median.value > p.dummy && p.median.low > 0.05), "{pawn:?}");
        assert!(pawn[4..].iter().all(|p| p.median.value < 1.2 * p.dummy), "{pawn:?}");
        assert!(pawn.iter().all(|p| p.median.low <= p.median.value && p.median.value <= p.median.high));
        assert!(
            warnings[0].starts_with("not distinguishable") && warnings[0].contains("`x8`"),
            "{warnings:?}"
        );
    }

    #[test]
    fn tied_outputs_are_looked_at_together() {
        let mut table = kronecker(100);
        table.output.iter_mut().for_each(|y| *y = f64::from(*y > 0.5));
        let (pawn, _) = found(&table);
        // With two outputs, the distance is the difference of their shares.
        let share = |rows: Vec<usize>| rows.iter().map(|r| table.output[*r]).sum::<f64>() / rows.len() as f64;
        let all = share((0..100).collect());
        let by_value =
            (0..5).map(|d| share((0..100).filter(|r| table.columns[3][*r] == f64::from(d)).collect()));
        let largest = by_value.map(|s| (s - all).abs()).fold(0.0, f64::max);
        assert!((pawn[3].maximum - largest).abs() < 1e-12);
    }

    #[test]
    fn a_column_that_does_not_vary_moves_nothing() {
        let mut table = kronecker(100);
        table.columns[1] = vec![4.2; 100];
        let pawn = &found(&table).0[1];
        assert_eq!((pawn.median.value, pawn.median.low, pawn.maximum), (0.0, 0.0, 0.0));
    }
}
