//! PAWN: how far the output's distribution moves when a parameter is held in a slice of its range.
//!
//! Slices hold about equally many rows; a parameter with few values, or with words for values, has one slice per value.

use super::given::{Recipe, Table, tell_dummies};
use super::partition::Partition;
use super::ranks::Order;
use super::resample::{bootstrap, shuffled};
use super::spread::{self, quantile};
use crate::{Estimate, Indices, Options, Pawn};

/// Slices of a parameter with many values.
const SLICES: usize = 10;

pub(super) const RECIPE: Recipe = Recipe {
    estimator: "PAWN: Kolmogorov-Smirnov distances between the output in a slice and over all rows, 10 slices (Pianosi \
                and Wagener 2015, 2018)",
    interval: spread::DISTANCE,
    least_rows: |_| 2 * SLICES,
    indices: |table, options, warnings| Indices::Pawn(analyse(table, options, warnings)),
    blank: |table| Indices::Pawn(entries(table, |_| (Summary::BLANK, Estimate::bare(f64::NAN), f64::NAN))),
};

/// Distances over the slices of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Summary {
    median: f64,
    maximum: f64,
    mean: f64,
}

/// The rows in ascending order of the output.
struct Sorted {
    /// Where each group of equal outputs ends.
    ends: Vec<usize>,
    /// The slice of each row, by parameter.
    slices: Vec<Partition>,
}

fn analyse(table: &Table, options: &Options, warnings: &mut Vec<String>) -> Vec<Pawn> {
    let (sorted, rows) = (Sorted::new(table), table.rows());
    let Options { resamples, seed, confidence, .. } = *options;
    let ones = vec![1.0; rows];
    let found = sorted.summaries(&ones);
    let medians = |weights: &[f64]| sorted.summaries(weights).iter().map(|s| s.median).collect();
    let draws = bootstrap(rows, resamples, seed, medians);
    let dummies = shuffled(rows, resamples, seed, |order| sorted.shuffled(order, &ones));
    let dummy: Vec<f64> = dummies.iter().map(|draws| quantile(draws, confidence)).collect();
    let medians: Vec<Estimate> = (0..found.len())
        .map(|p| spread::distance(found[p].median, found[p].median, &draws[p], dummy[p], confidence))
        .collect();
    tell_dummies(table, &medians, &dummy, warnings);
    entries(table, |p| (found[p], medians[p], dummy[p]))
}

fn entries(table: &Table, of: impl Fn(usize) -> (Summary, Estimate, f64)) -> Vec<Pawn> {
    let entry = |(p, name): (usize, &String)| {
        let (Summary { maximum, mean, .. }, median, dummy) = of(p);
        Pawn { name: name.clone(), median, maximum, mean, dummy }
    };
    table.names.iter().enumerate().map(entry).collect()
}

impl Sorted {
    fn new(table: &Table) -> Self {
        let order = Order::of(&table.output);
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

    fn summaries(&self, weights: &[f64]) -> Vec<Summary> {
        let of = |slices: &Partition| Summary::of(distances(&self.ends, slices, weights));
        self.slices.iter().map(of).collect()
    }

    /// Medians of parameters that have lost all connection with the output.
    fn shuffled(&self, order: &[u32], ones: &[f64]) -> Vec<f64> {
        let of =
            |slices: &Partition| Summary::of(distances(&self.ends, &slices.shuffled(order), ones)).median;
        self.slices.iter().map(of).collect()
    }
}

impl Summary {
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
    Partition::new(&Order::of(column), SLICES, categorical, place)
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
