//! Borgonovo's delta: how far the output's density moves when a parameter is known, and the first-order index beside it.
//!
//! The estimate itself uses exact kernel densities. Resamples and shuffles use densities of outputs binned on the same
//! grid, and only their differences from the binned estimate count.
//!
//! Before bias is reduced and without ties the estimate is SALib's, with three differences: SALib 1.6 takes it from a
//! resample in place of the rows, leaves out classes whose outputs are all equal, which here are points, and lets
//! kernels be narrower than its grid. First-order indices are RBD-FAST's: means of so few classes miss part of them.

use super::density::{Bins, DensityGrid, bandwidth, distance, exact};
use super::given::{AnsweredColumns, Recipe, tell_dummies};
use super::partition::Partition;
use super::ranks::RankOrder;
use super::rbd_fast;
use super::resample::{bootstrap, shuffled};
use super::spread;
use crate::sums::{mean, variance};
use crate::{AnalysisOptions, Delta, IndexEstimate, Indices};

pub(super) const RECIPE: Recipe = Recipe {
    estimator: "delta (Borgonovo 2007) from given data, bias-reduced (Plischke, Borgonovo and Smith 2013, equations 26 \
                and 30); first-order indices by RBD-FAST (Tarantola, Gatelli and Mara 2006; Tissot and Prieur 2012)",
    interval: spread::DISTANCE,
    least_rows: |_| rbd_fast::LEAST_ROWS,
    indices: |table, options, warnings| Indices::Delta(analyse(table, options, warnings)),
    blank: |table| {
        let blank = IndexEstimate::bare(f64::NAN);
        Indices::Delta(entries(table, |_| (blank, blank, f64::NAN)))
    },
};

/// The output on its grid, and the classes of each parameter.
struct Setting {
    /// Places of the outputs on the grid.
    places: Vec<f64>,
    classes: Vec<Partition>,
}

fn analyse(table: &AnsweredColumns, options: &AnalysisOptions, warnings: &mut Vec<String>) -> Vec<Delta> {
    let (setting, rows) = (Setting::new(table), table.rows());
    let AnalysisOptions { resamples, seed, confidence, .. } = *options;
    let draws = bootstrap(rows, resamples, seed, |weights| setting.resampled(weights));
    let dummies = shuffled(rows, resamples, seed, |order| setting.shuffled(order));
    let quick = setting.resampled(&vec![1.0; rows]);
    let interval = |p: usize| {
        let bias = mean(&draws[p]) - quick[p];
        spread::distance(setting.delta(p) - bias, quick[p], &draws[p], &dummies[p], confidence)
    };
    let deltas: Vec<(IndexEstimate, f64)> = (0..table.names.len()).map(interval).collect();
    tell_dummies(table, &deltas, warnings);
    let first_order = rbd_fast::first_order(table, options);
    entries(table, |p| (deltas[p].0, first_order[p], deltas[p].1))
}

fn entries(table: &AnsweredColumns, of: impl Fn(usize) -> (IndexEstimate, IndexEstimate, f64)) -> Vec<Delta> {
    let entry = |(p, name): (usize, &String)| {
        let (delta, s1, dummy) = of(p);
        Delta { name: name.clone(), delta, s1, dummy }
    };
    table.names.iter().enumerate().map(entry).collect()
}

impl Setting {
    fn new(table: &AnsweredColumns) -> Self {
        let grid = DensityGrid::over(&table.output);
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
    // The C library's powers differ in the last bit between processors, which the whole number above does not show.
    let count = rows.powf(exponent).ceil().min(48.0);
    let size = rows / count;
    // Class j holds the ranks above j * size, up to (j + 1) * size.
    let place = |rank: f64| (0..count as usize).rev().find(|j| rank > *j as f64 * size).unwrap_or(0);
    Partition::new(&RankOrder::of(column), count as usize, categorical, place)
}

fn density_of(places: &[f64]) -> Vec<f64> {
    exact(places, bandwidth(variance(places), places.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::super::example::{analysed, assert_close, kronecker, random_rows};
    use super::*;
    use crate::{Oracle, Technique};

    fn found(table: &AnsweredColumns) -> (Vec<Delta>, Vec<String>) {
        match analysed(table, &RECIPE, Technique::Delta) {
            (Indices::Delta(found), warnings) => (found, warnings),
            other => panic!("{other:?}"),
        }
    }

    /// Expected: SALib 1.6.0 `delta.calc_delta` on all rows.
    #[test]
    fn raw_deltas_agree_with_salib() {
        let raw = |rows| {
            let setting = Setting::new(&kronecker(rows));
            (0..3).map(|p| setting.delta(p)).collect::<Vec<_>>()
        };
        assert_close(&raw(137), &[0.41579666495545153, 0.0951374201025889, 0.048355484023587594]);
        assert_close(&raw(500), &[0.46688454596011253, 0.1103016434459051, 0.0726255013793746]);
    }

    #[test]
    fn binned_deltas_are_near_the_exact_ones() {
        let setting = Setting::new(&kronecker(500));
        let quick = setting.resampled(&[1.0; 500]);
        (0..4).for_each(|p| assert!((quick[p] - setting.delta(p)).abs() < 0.003, "{p}: {quick:?}"));
    }

    /// Histograms of ten million rows in a hundred classes give about 0.25, 0.42 and 0.20; the kernels and classes of
    /// 2,000 rows smooth some of it away.
    #[test]
    fn parameters_of_ishigami_are_ranked_and_told_from_a_dummy() {
        let mut table = random_rows(Oracle::Ishigami, 2_000, 1);
        table.names.push("idle".into());
        table.categorical.push(false);
        table.columns.push(random_rows(Oracle::Ishigami, 2_000, 2).columns[0].clone());
        let (deltas, warnings) = found(&table);
        for (delta, range) in deltas.iter().zip([0.17..0.24, 0.29..0.40, 0.13..0.20, 0.0..0.05]) {
            assert!(range.contains(&delta.delta.value), "{delta:?}");
            assert!(delta.delta.low <= delta.delta.value && delta.delta.value <= delta.delta.high);
            assert_eq!(delta.delta.value > delta.dummy, delta.name != "idle");
        }
        assert_eq!(deltas[3].delta.low, 0.0);
        assert_eq!(warnings, ["not distinguishable from a parameter without effect in 2000 rows: `idle`"]);
    }

    #[test]
    fn equal_outputs_of_a_class_are_a_point() {
        let mut table = kronecker(200);
        // Half the rows give 0, and which half is told by a switch.
        table.columns[3].iter_mut().for_each(|d| *d = f64::from(*d > 2.0));
        for row in 0..200 {
            table.output[row] = if table.columns[3][row] > 0.0 { 0.0 } else { 1.0 + table.columns[0][row] };
        }
        let (deltas, _) = found(&table);
        let raw = Setting::new(&table).delta(3);
        let zeros = table.output.iter().filter(|y| **y == 0.0).count() as f64 / 200.0;
        assert!(raw > zeros * (1.0 - zeros) && raw <= 1.0, "{raw}");
        assert!(deltas.iter().all(|d| d.delta.value.is_finite() && d.delta.high <= 1.0), "{deltas:?}");
    }

    #[test]
    fn a_column_that_does_not_vary_moves_nothing() {
        let mut table = kronecker(100);
        table.columns[1] = vec![4.2; 100];
        let (deltas, _) = found(&table);
        assert_eq!((deltas[1].delta.value, deltas[1].delta.low, deltas[1].s1.value), (0.0, 0.0, 0.0));
    }
}
