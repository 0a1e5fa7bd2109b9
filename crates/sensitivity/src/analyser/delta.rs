//! Borgonovo's delta: how far the output's density moves when a parameter is known, and the first-order index beside it.
//!
//! The estimate itself uses exact kernel densities. Resamples and shuffles use densities of outputs binned on the same
//! grid, and only their differences from the binned estimate count.

use super::density::{Bins, Grid, bandwidth, distance, exact};
use super::given::{Recipe, Table, tell_dummies};
use super::partition::Partition;
use super::ranks::Order;
use super::rbd_fast;
use super::resample::{bootstrap, shuffled};
use super::spread::{self, quantile};
use super::sums::{centred, dot, mean};
use crate::{Delta, Estimate, Indices, Options};

pub(super) const RECIPE: Recipe = Recipe {
    estimator: "delta (Borgonovo 2007) from given data, bias-reduced (Plischke, Borgonovo and Smith 2013, equations 26 \
                and 30); first-order indices by RBD-FAST (Tarantola, Gatelli and Mara 2006; Tissot and Prieur 2012)",
    interval: spread::DISTANCE,
    least_rows: |_| rbd_fast::LEAST_ROWS,
    indices: |table, options, warnings| Indices::Delta(analyse(table, options, warnings)),
    blank: |table| {
        let blank = Estimate::bare(f64::NAN);
        Indices::Delta(entries(table, |_| (blank, blank, f64::NAN)))
    },
};

/// The output on its grid, and the classes of each parameter.
struct Setting {
    /// Places of the outputs on the grid.
    places: Vec<f64>,
    classes: Vec<Partition>,
}

fn analyse(table: &Table, options: &Options, warnings: &mut Vec<String>) -> Vec<Delta> {
    let (setting, rows) = (Setting::new(table), table.rows());
    let Options { resamples, seed, confidence, .. } = *options;
    let draws = bootstrap(rows, resamples, seed, |weights| setting.resampled(weights));
    let dummies = shuffled(rows, resamples, seed, |order| setting.shuffled(order));
    let quick = setting.resampled(&vec![1.0; rows]);
    let (mut deltas, mut dummy) = (Vec::new(), Vec::new());
    for p in 0..table.names.len() {
        // The quick estimate differs from the exact one by binning; the draws are moved by as much.
        let raw = setting.delta(p);
        let moved: Vec<f64> = draws[p].iter().map(|d| d + (raw - quick[p])).collect();
        let value = 2.0 * raw - mean(&moved);
        dummy.push(value - (quick[p] - quantile(&dummies[p], confidence)));
        deltas.push(spread::distance(value, raw, &moved, dummy[p], confidence));
    }
    tell_dummies(table, &deltas, &dummy, warnings);
    let first_order = rbd_fast::first_order(table, options);
    entries(table, |p| (deltas[p], first_order[p], dummy[p]))
}

fn entries(table: &Table, of: impl Fn(usize) -> (Estimate, Estimate, f64)) -> Vec<Delta> {
    let entry = |(p, name): (usize, &String)| {
        let (delta, s1, dummy) = of(p);
        Delta { name: name.clone(), delta, s1, dummy }
    };
    table.names.iter().enumerate().map(entry).collect()
}

impl Setting {
    fn new(table: &Table) -> Self {
        let grid = Grid::over(&table.output);
        let columns = table.columns.iter().zip(&table.categorical);
        Self {
            places: table.output.iter().map(|y| grid.place(*y)).collect(),
            classes: columns.map(|(column, words)| classes(column, *words)).collect(),
        }
    }

    /// Delta of a parameter from exact densities, before bias is reduced.
    fn delta(&self, parameter: usize) -> f64 {
        let whole = density_of(&self.places);
        let rows = self.places.len() as f64;
        let members = self.classes[parameter].members();
        let of = |class: &Vec<usize>| {
            let places: Vec<f64> = class.iter().map(|row| self.places[*row]).collect();
            class.len() as f64 / rows * self.distance(&whole, &places)
        };
        members.iter().map(of).sum()
    }

    /// Between the density of all rows and that of a class. One row alone shows no density; equal outputs are a point,
    /// which shares with the whole only the rows that have this output too.
    fn distance(&self, whole: &[f64], class: &[f64]) -> f64 {
        match class {
            [] | [_] => 0.0,
            [first, rest @ ..] if rest.iter().all(|p| p == first) => {
                let equal = self.places.iter().filter(|p| *p == first).count();
                1.0 - equal as f64 / self.places.len() as f64
            }
            _ => distance(whole, &density_of(class)),
        }
    }

    /// Quick deltas of rows that stand as often as they weigh.
    fn resampled(&self, weights: &[f64]) -> Vec<f64> {
        let whole = Bins::of_all(&self.places, weights);
        self.classes.iter().map(|classes| whole.delta(&self.places, weights, classes)).collect()
    }

    /// Quick deltas of parameters that have lost all connection with the output.
    fn shuffled(&self, order: &[u32]) -> Vec<f64> {
        let ones = vec![1.0; self.places.len()];
        let whole = Bins::of_all(&self.places, &ones);
        self.classes
            .iter()
            .map(|classes| whole.delta(&self.places, &ones, &classes.shuffled(order)))
            .collect()
    }
}

/// Classes of equally many rows, as many as Plischke et al. (2013) take.
fn classes(column: &[f64], categorical: bool) -> Partition {
    let rows = column.len() as f64;
    let exponent = 2.0 / (7.0 + ((1500.0 - rows) / 500.0).tanh());
    let count = rows.powf(exponent).ceil().min(48.0);
    let size = rows / count;
    // Class j holds the ranks above j * size, up to (j + 1) * size.
    let place = |rank: f64| (0..count as usize).rev().find(|j| rank > *j as f64 * size).unwrap_or(0);
    Partition::new(&Order::of(column), count as usize, categorical, place)
}

fn density_of(places: &[f64]) -> Vec<f64> {
    let centred = centred(places);
    let variance = dot(&centred, &centred) / (places.len() - 1) as f64;
    exact(places, bandwidth(variance, places.len() as f64))
}
