//! Variance-based indices as functions of weighted sums, so that points, replicates and resamples share one formula.

use std::collections::HashMap;

use super::columns::PackedColumns;
use super::variance_layout::VarianceLayout;
use super::variance_terms::{MaskedColumn, Terms, VarianceTerm};
use crate::{Estimator, RowRole};

/// Columns of products, and how indices follow from their sums.
pub(super) struct Formula {
    pub(super) columns: PackedColumns,
    factors: Vec<FactorFormula>,
    pairs: Vec<PairFormula>,
    variance: [MaskedColumn; 4],
}

/// Variances of an output: of everything, and the parts of it that indices are shares of.
pub(super) struct Variances {
    pub(super) whole: f64,
    pub(super) first: Vec<f64>,
    pub(super) total: Vec<f64>,
    pub(super) closed: Vec<f64>,
}

impl Variances {
    /// In the order of [`Formula::indices`].
    pub(super) fn parts(&self) -> Vec<f64> {
        [&self.first[..], &self.total[..], &self.closed[..]].concat()
    }
}

/// What rounding may leave of a difference of two equal means of squares.
const ROUNDING: f64 = 1e-12;

enum FactorFormula {
    /// Saltelli's product and Jansen's squared difference.
    Direct { product: MaskedColumn, difference: MaskedColumn },
    /// First order and total as likeness of two vectors of outputs.
    Likeness { first: ProductMoments, total: ProductMoments, kind: Likeness },
}

struct PairFormula {
    first: usize,
    second: usize,
    closed: Closed,
}

/// The index of two factors together, their own indices included.
enum Closed {
    Direct(MaskedColumn),
    Likeness(ProductMoments, Likeness),
}

/// Mean products of two vectors of outputs over the rows where both are there.
#[derive(Clone, Copy, Debug)]
struct ProductMoments {
    x: MaskedColumn,
    y: MaskedColumn,
    xx: MaskedColumn,
    yy: MaskedColumn,
    xy: MaskedColumn,
}

#[derive(Clone, Copy, Debug)]
enum Likeness {
    Janon,
    Martinez,
}

impl Formula {
    /// Prepares the columns for outputs that are already centred.
    pub(super) fn new(
        layout: &VarianceLayout,
        centred: HashMap<RowRole, Vec<f64>>,
        estimator: Estimator,
        second: bool,
    ) -> Self {
        let mut terms = Terms::new(layout.len(), centred);
        let variance = terms.variance();
        let factors = (0..layout.factors).map(|f| terms.factor(f, estimator)).collect();
        let pairs = layout.pairs(second).into_iter().map(|(f, g)| terms.pair(f, g, estimator)).collect();
        Self { columns: terms.columns, factors, pairs, variance }
    }

    /// Indices from the sums of the columns: first order of all factors, then total, then pairs.
    pub(super) fn indices(&self, sums: &[f64]) -> Vec<f64> {
        let variance = self.variance(sums);
        let (s1, st): (Vec<f64>, Vec<f64>) = self.factors.iter().map(|f| f.indices(sums, variance)).unzip();
        let pair = |p: &PairFormula| p.closed.index(sums, variance) - s1[p.first] - s1[p.second];
        let pairs: Vec<f64> = self.pairs.iter().map(pair).collect();
        [s1, st, pairs].concat()
    }

    /// The variances behind the indices. Only Saltelli's and Jansen's estimators are ratios of variances.
    pub(super) fn variances(&self, sums: &[f64]) -> Variances {
        let (first, total) = self.factors.iter().map(|f| f.indices(sums, 1.0)).unzip();
        let closed = self.pairs.iter().map(|p| p.closed.index(sums, 1.0)).collect();
        Variances { whole: self.variance(sums), first, total, closed }
    }

    /// Places of both factors of each pair.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.pairs.iter().map(|p| (p.first, p.second))
    }

    /// Variance of A and B together, divided by their number; NaN when only rounding differs.
    fn variance(&self, sums: &[f64]) -> f64 {
        let [a, b, aa, bb] = self.variance.map(|m| sums[m.sum]);
        let count = sums[self.variance[0].count] + sums[self.variance[1].count];
        let square = (aa + bb) / count;
        let variance = square - ((a + b) / count).powi(2);
        if variance > ROUNDING * square { variance } else { f64::NAN }
    }
}

impl FactorFormula {
    fn indices(&self, sums: &[f64], variance: f64) -> (f64, f64) {
        match self {
            Self::Direct { product, difference } => {
                (product.of(sums) / variance, 0.5 * difference.of(sums) / variance)
            }
            Self::Likeness { first, total, kind } => {
                (first.likeness(sums, *kind), 1.0 - total.likeness(sums, *kind))
            }
        }
    }
}

impl Closed {
    fn index(&self, sums: &[f64], variance: f64) -> f64 {
        match self {
            Self::Direct(mean) => mean.of(sums) / variance,
            Self::Likeness(moments, kind) => moments.likeness(sums, *kind),
        }
    }
}

impl ProductMoments {
    /// Janon's ratio uses the mean and variance of both vectors together; Martinez's is their correlation.
    fn likeness(&self, sums: &[f64], kind: Likeness) -> f64 {
        let [x, y, xx, yy, xy] = [self.x, self.y, self.xx, self.yy, self.xy].map(|m| m.of(sums));
        match kind {
            Likeness::Janon => {
                let square = ((x + y) / 2.0).powi(2);
                (xy - square) / ((xx + yy) / 2.0 - square)
            }
            Likeness::Martinez => (xy - x * y) / ((xx - x * x) * (yy - y * y)).sqrt(),
        }
    }
}

/// Which terms each estimator takes.
impl Terms {
    fn variance(&mut self) -> [MaskedColumn; 4] {
        let terms = [RowRole::A, RowRole::B].map(VarianceTerm::Value);
        let squares = [RowRole::A, RowRole::B].map(|r| VarianceTerm::Product(r, r));
        [terms[0], terms[1], squares[0], squares[1]].map(|term| self.mean(term))
    }

    fn factor(&mut self, f: usize, estimator: Estimator) -> FactorFormula {
        match likeness(estimator) {
            None => FactorFormula::Direct {
                product: self.mean(VarianceTerm::Saltelli(f)),
                difference: self.mean(VarianceTerm::Jansen(f)),
            },
            Some(kind) => FactorFormula::Likeness {
                first: self.moments(RowRole::B, RowRole::Ab(f)),
                total: self.moments(RowRole::A, RowRole::Ab(f)),
                kind,
            },
        }
    }

    /// BA of one factor and AB of the other share exactly these two factors.
    fn pair(&mut self, first: usize, second: usize, estimator: Estimator) -> PairFormula {
        let closed = match likeness(estimator) {
            None => Closed::Direct(self.mean(VarianceTerm::Closed(first, second))),
            Some(kind) => Closed::Likeness(self.moments(RowRole::Ba(first), RowRole::Ab(second)), kind),
        };
        PairFormula { first, second, closed }
    }

    fn moments(&mut self, x: RowRole, y: RowRole) -> ProductMoments {
        let both = self.mask(&[x, y]);
        ProductMoments {
            x: self.mean_over(VarianceTerm::Value(x), both),
            y: self.mean_over(VarianceTerm::Value(y), both),
            xx: self.mean_over(VarianceTerm::Product(x, x), both),
            yy: self.mean_over(VarianceTerm::Product(y, y), both),
            xy: self.mean_over(VarianceTerm::Product(x, y), both),
        }
    }
}

fn likeness(estimator: Estimator) -> Option<Likeness> {
    match estimator {
        Estimator::Controlled | Estimator::Saltelli => None,
        Estimator::Janon => Some(Likeness::Janon),
        Estimator::Martinez => Some(Likeness::Martinez),
    }
}
