//! A polynomial control variate for variance-based indices: the part that a cheap fit explains is computed exactly from the
//! fit, and only the rest is estimated from the rows.
//!
//! With `f = g + r`, g a polynomial in orthonormal terms with coefficients c fitted on the *other* replicates, every
//! variance v of f (of one factor alone, of all it takes part in, of everything) is
//! `v(g) + 2 cov(g, r) + v(r)`. The first part is a sum of squared coefficients, the second a sum of products of
//! coefficients with means over all rows, the third is Saltelli's and Jansen's estimator on residuals. As g does not
//! see the replicate it is used on, nothing is biased; as r is small, the intervals are. The idea of a control for
//! Sobol' indices is that of Qian et al. (2018); the orthonormal terms are those of polynomial chaos (Sudret 2008).

mod axis;
mod basis;
mod fit;
mod linear;

use onceflow_study::{Factor, Space};

use crate::sums::dot;
use axis::AxisPolynomials;
use basis::Basis;
use fit::{FoldRows, SparseCoefficients, fit_without_each};

/// The inputs of a control: a design and one output.
pub(crate) struct ControlProblem<'a> {
    pub(crate) space: &'a Space,
    /// Row-major positions between 0 and 1, one per row and parameter.
    pub(crate) positions: &'a [f64],
    /// Centred outputs, NaN where a row failed.
    pub(crate) y: &'a [f64],
    /// Replicate of each row, counted from 0; `None` for rows that take no part.
    pub(crate) replicates: &'a [Option<usize>],
    /// Rows to fit on: independent ones (A and B).
    pub(crate) fit_on: &'a [usize],
    /// Pairs of factors whose closed variance is wanted.
    pub(crate) pairs: &'a [(usize, usize)],
}

/// A fitted control.
pub(crate) struct Control {
    /// What the control leaves of each output; NaN where a row failed.
    pub(crate) residuals: Vec<f64>,
    /// What is to be added to the variances estimated from the residuals, per replicate.
    pub(crate) shares: Vec<Shares>,
    /// Share of the outputs' variance that the control explains, in replicates that it was not fitted on.
    pub(crate) explained: f64,
}

/// Variances that a control accounts for, in one replicate.
#[derive(Clone, Debug)]
pub(crate) struct Shares {
    pub(crate) variance: f64,
    pub(crate) first: Vec<f64>,
    pub(crate) total: Vec<f64>,
    pub(crate) closed: Vec<f64>,
}

/// More terms or rows would cost more than they explain: the fit must stay a small part of the analysis.
const MOST_TERMS: usize = 400;
const MOST_ROWS: usize = 8192;

/// Replicates are gathered into at most this many folds, each of which gets its own fit.
const MOST_FOLDS: usize = 8;

/// With fewer the intervals would have no degree of freedom left.
const FEWEST_FOLDS: usize = 3;

/// Means of terms over rows as the problem describes them stay within this many standard errors of 0, even when all
/// terms are tried and rows fail at random.
const FAR: f64 = 4.0;

/// A control pays from about this share of the variance on, explained in rows that it was not fitted on. It spends a degree
/// of freedom, and its coefficients have errors of their own: where it explains less, intervals with it are a little wider
/// than without. The share is told from residuals alone and not from the widths of intervals: the narrower of two intervals
/// would hold the truth too rarely.
const LEAST_EXPLAINED: f64 = 0.5;

/// Fits a control; `None` when there are too few rows or replicates, rows that do not follow the distributions of their
/// parameters, nothing clear to fit, or a fit that explains too little to pay.
pub(crate) fn fit(problem: &ControlProblem<'_>) -> Option<Control> {
    let replicates = problem.replicates.iter().flatten().max()? + 1;
    let folds = replicates.min(MOST_FOLDS);
    let axes: Vec<AxisPolynomials> = problem.space.parameters().iter().map(AxisPolynomials::new).collect();
    let coordinates = coordinates(&axes, problem.positions);
    let rows = rows_to_fit(problem, &coordinates, folds);
    let fitted: usize = rows.iter().map(|fold| fold.rows.len()).sum();
    let terms = (fitted * (folds - 1) / folds / 3).min(MOST_TERMS);
    if folds < FEWEST_FOLDS || terms == 0 {
        return None;
    }
    let basis = Basis::new(axes, terms);
    if !as_distributed(&basis, &rows) {
        return None;
    }
    let coefficients = fit_without_each(&basis, &rows);
    if coefficients.iter().all(|fold| fold.terms.is_empty()) {
        return None;
    }
    let (basis, folds) = compact(&basis, &coefficients);
    let control = apply(problem, &basis, &folds, &coordinates, replicates);
    (control.explained >= LEAST_EXPLAINED).then_some(control)
}

fn coordinates(axes: &[AxisPolynomials], positions: &[f64]) -> Vec<f64> {
    positions
        .chunks_exact(axes.len())
        .flat_map(|row| row.iter().zip(axes).map(|(p, a)| a.coordinate(*p)))
        .collect()
}

fn rows_to_fit<'a>(problem: &ControlProblem<'_>, coordinates: &'a [f64], folds: usize) -> Vec<FoldRows<'a>> {
    let width = problem.space.parameters().len();
    let mut rows: Vec<FoldRows<'a>> = (0..folds).map(|_| FoldRows { rows: Vec::new() }).collect();
    let usable = problem.fit_on.iter().filter(|row| problem.y[**row].is_finite());
    for row in usable.take(MOST_ROWS) {
        if let Some(replicate) = problem.replicates[*row] {
            rows[replicate % folds].rows.push((&coordinates[row * width..][..width], problem.y[*row]));
        }
    }
    rows
}

/// Whether the rows follow the distributions under which terms are orthonormal. Those of other ranges than the problem's,
/// and those left by failures that gather in a corner, do not: variances taken from the terms would be those of another
/// space. Shifts and cuts show in the means of the simplest terms. (Those of pairs say less: some planes of a
/// low-discrepancy sequence are uneven while rows are few.)
fn as_distributed(basis: &Basis, folds: &[FoldRows<'_>]) -> bool {
    let simple = basis.alone(2);
    let (mut scratch, mut values) = (Vec::new(), vec![0.0; simple.terms().len()]);
    let (mut sums, mut rows) = (values.clone(), 0.0_f64);
    for (coordinates, _) in folds.iter().flat_map(|fold| &fold.rows) {
        simple.evaluate(coordinates, &mut scratch, &mut values);
        sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum += value);
        rows += 1.0;
    }
    sums.iter().all(|sum| sum.abs() <= FAR * rows.sqrt())
}

/// What is fitted for one fold: a constant, and one coefficient per term of the compacted basis.
struct FoldFit {
    constant: f64,
    coefficients: Vec<f64>,
}

/// Only the terms that some fold uses.
fn compact(basis: &Basis, folds: &[SparseCoefficients]) -> (Basis, Vec<FoldFit>) {
    let mut places: Vec<usize> = folds.iter().flat_map(|fold| &fold.terms).map(|(place, _)| *place).collect();
    places.sort_unstable();
    places.dedup();
    let dense = |fold: &SparseCoefficients| {
        let of = |place: &usize| fold.terms.iter().find(|(p, _)| p == place).map_or(0.0, |(_, c)| *c);
        FoldFit { constant: fold.constant, coefficients: places.iter().map(of).collect() }
    };
    (basis.subset(&places), folds.iter().map(dense).collect())
}

fn apply(
    problem: &ControlProblem<'_>,
    basis: &Basis,
    folds: &[FoldFit],
    coordinates: &[f64],
    replicates: usize,
) -> Control {
    let width = problem.space.parameters().len();
    let fold = |replicate: usize| &folds[replicate % folds.len()];
    let mut sums = vec![Sums::new(basis.terms().len()); replicates];
    let mut residuals = vec![f64::NAN; problem.y.len()];
    let (mut scratch, mut values) = (Vec::new(), vec![0.0; basis.terms().len()]);
    for (row, replicate) in problem.replicates.iter().enumerate() {
        let Some(replicate) = replicate.filter(|_| problem.y[row].is_finite()) else { continue };
        basis.evaluate(&coordinates[row * width..][..width], &mut scratch, &mut values);
        let FoldFit { constant, coefficients } = fold(replicate);
        residuals[row] = problem.y[row] - constant - dot(coefficients, &values);
        sums[replicate].add(problem.y[row], residuals[row], &values);
    }
    let explained = 1.0 - ratio(sums.iter().map(|s| s.residual_squares), sums.iter().map(|s| s.squares));
    let share = |(replicate, sums): (usize, &Sums)| {
        let weights = sums.weights(&fold(replicate).coefficients);
        shares(problem, basis, &weights)
    };
    Control { shares: sums.iter().enumerate().map(share).collect(), residuals, explained }
}

fn ratio(a: impl Iterator<Item = f64>, b: impl Iterator<Item = f64>) -> f64 {
    a.sum::<f64>() / b.sum::<f64>()
}

/// Sums over the rows of one replicate.
#[derive(Clone)]
struct Sums {
    rows: f64,
    squares: f64,
    residual_squares: f64,
    /// Per term, of its value times the residual.
    products: Vec<f64>,
}

impl Sums {
    fn new(terms: usize) -> Self {
        Self { rows: 0.0, squares: 0.0, residual_squares: 0.0, products: vec![0.0; terms] }
    }

    fn add(&mut self, y: f64, residual: f64, values: &[f64]) {
        self.rows += 1.0;
        self.squares += y * y;
        self.residual_squares += residual * residual;
        self.products.iter_mut().zip(values).for_each(|(sum, value)| *sum += residual * value);
    }

    /// Per term `c² + 2 c d`: its own variance and twice its covariance with the residual.
    fn weights(&self, coefficients: &[f64]) -> Vec<f64> {
        let weight = |(c, product): (&f64, &f64)| c * c + 2.0 * c * product / self.rows.max(1.0);
        coefficients.iter().zip(&self.products).map(weight).collect()
    }
}

fn shares(problem: &ControlProblem<'_>, basis: &Basis, weights: &[f64]) -> Shares {
    let factors: &[Factor] = problem.space.factors();
    let sum = |wanted: &dyn Fn(&basis::BasisTerm) -> bool| -> f64 {
        basis.terms().iter().zip(weights).filter(|(term, _)| wanted(term)).map(|(_, weight)| weight).sum()
    };
    let closed = |(first, second): &(usize, usize)| {
        let members = [&factors[*first].members[..], &factors[*second].members[..]].concat();
        sum(&|term| term.within(&members))
    };
    Shares {
        variance: weights.iter().sum(),
        first: factors.iter().map(|f| sum(&|term| term.within(&f.members))).collect(),
        total: factors.iter().map(|f| sum(&|term| term.touches(&f.members))).collect(),
        closed: problem.pairs.iter().map(closed).collect(),
    }
}
