//! The tree-structured Parzen estimator (Bergstra et al. 2011), joint over parameters: good rows make one density, all
//! others a second one, and of points drawn from the first that with the largest ratio of the two is proposed.

use super::AskPoints;
use super::grid::{GridPoint, TuneAxis, TuneGrid};
use super::history::{TuneBoard, TuneState};
use super::scalar::Direction;
use crate::analyser::elementary::exp;
use crate::quantile::{normal_quantile, normal_share_below};
use crate::random::RandomStream;

/// Rows sorted into good and bad.
#[derive(Debug, Default)]
pub(super) struct Parzen {
    /// Told rows by their losses.
    order: Vec<(f64, usize)>,
    bad: Option<Density>,
}

/// Good rows are the best tenth, at most so many.
const MOST_GOOD: usize = 25;
/// Points drawn from the good density.
const CANDIDATES: usize = 24;
/// The newest rows count in full, older ones less.
const FULL_WEIGHT: usize = 25;
/// Components of a density; of more rows the older ones are thinned out.
const MOST_COMPONENTS: usize = 128;

impl AskPoints for Parzen {
    fn told(&mut self, board: &TuneBoard, row: usize) {
        if board.objectives == 1 {
            let loss = board.history.rows()[row].loss().unwrap_or(f64::INFINITY);
            let place = self.order.partition_point(|(other, _)| *other <= loss);
            self.order.insert(place, (loss, row));
        }
    }

    fn ask(&mut self, board: &TuneBoard, stream: &mut RandomStream) -> Option<GridPoint> {
        let direction = Direction::next(board, stream);
        let sorted = direction.map(|direction| sorted(board, &direction));
        let order = sorted.as_ref().unwrap_or(&self.order);
        let good = order.len().div_ceil(10).min(MOST_GOOD);
        let mut rows: Vec<usize> = order[..good].iter().map(|(_, row)| *row).collect();
        rows.sort_unstable();
        let best = Density::new(board, &rows, None);
        let bad = bad_rows(board, &order[good..], good + order.len());
        let others = Density::new(board, &bad, self.bad.take());
        let mut found: Option<(f64, GridPoint)> = None;
        for _ in 0..CANDIDATES {
            let Some(point) = best.draw(board, stream) else { continue };
            let ratio = best.log(&point) - others.log(&point);
            if found.as_ref().is_none_or(|(most, _)| ratio > *most) {
                found = Some((ratio, point));
            }
        }
        self.bad = Some(others);
        found.map(|(_, point)| point).or_else(|| {
            let (_, row) = order.first()?;
            board.near(board.history.rows()[*row].point.as_ref()?, stream)
        })
    }
}

fn sorted(board: &TuneBoard, direction: &Direction) -> Vec<(f64, usize)> {
    let mut order: Vec<(f64, usize)> =
        board.history.told().iter().map(|row| (direction.loss(board, *row), *row)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    order
}

/// Rows that are not good, with those that are pending; the newest, and of the older ones some, evenly spread.
fn bad_rows(board: &TuneBoard, order: &[(f64, usize)], _all: usize) -> Vec<usize> {
    let pending = pending(board);
    let mut rows: Vec<usize> = order.iter().map(|(_, row)| *row).chain(pending).collect();
    if rows.len() > MOST_COMPONENTS {
        let newest = rows.len() - FULL_WEIGHT;
        rows.select_nth_unstable(newest);
        let mut older = rows[..newest].to_vec();
        let every = older.len() / (MOST_COMPONENTS - FULL_WEIGHT) + 1;
        older.retain(|row| row % every == 0);
        rows = older.into_iter().chain(rows[newest..].iter().copied()).collect();
    }
    rows.sort_unstable();
    rows
}

/// Rows that were proposed and not told.
pub(super) fn pending(board: &TuneBoard) -> Vec<usize> {
    let rows = board.history.rows();
    let told = board.history.told().len();
    // As many rows are pending as are not told; they are the last ones, as a rule.
    let missing = rows.len() - told.min(rows.len());
    let places = (0..rows.len()).rev().filter(|row| rows[*row].outcome == TuneState::Pending);
    places.take(missing).collect()
}

/// A mixture of one component for each row and a wide one.
#[derive(Debug)]
struct Density {
    centres: Vec<GridPoint>,
    /// Logarithm of the share of each component, the wide one last.
    shares: Vec<f64>,
    axes: Vec<AxisKernel>,
    /// Rows that its widths were made for.
    size: usize,
}

/// How likely one value is from the component of another.
#[derive(Debug)]
struct AxisKernel {
    /// Width, in places.
    width: f64,
    /// Logarithm of the mass at each distance; of a category, at 0 and elsewhere.
    masses: Vec<f64>,
    /// Logarithm of the mass inside the list, by the centre's place.
    inside: Vec<f64>,
    /// The same of the wide component.
    wide: Vec<f64>,
}

impl Density {
    fn new(board: &TuneBoard, rows: &[usize], old: Option<Self>) -> Self {
        let grid = &board.grid;
        let centres: Vec<GridPoint> =
            rows.iter().map(|row| grid.nearest(&board.history.rows()[*row].at)).collect();
        // Widths change slowly with many rows: tables are made again only when they do.
        let size = centres.len() - centres.len() % (centres.len() / 16).max(1);
        let axes = match old {
            Some(old) if old.size == size => old.axes,
            _ => axis_kernels(grid, size),
        };
        let mut weights: Vec<f64> =
            (0..centres.len()).map(|place| age_weight(place, centres.len())).collect();
        weights.push(1.0);
        let sum: f64 = weights.iter().sum();
        let shares = weights.iter().map(|weight| libm::log(weight / sum)).collect();
        Self { centres, shares, axes, size }
    }

    /// A free point of the density.
    fn draw(&self, board: &TuneBoard, stream: &mut RandomStream) -> Option<GridPoint> {
        const TRIES: usize = 20;
        (0..TRIES).map(|_| self.draw_any(&board.grid, stream)).find(|point| board.is_free(point))
    }

    fn draw_any(&self, grid: &TuneGrid, stream: &mut RandomStream) -> GridPoint {
        let mut rest = stream.unit();
        let component = self.shares.iter().position(|share| {
            rest -= exp(*share);
            rest < 0.0
        });
        let centre = component.and_then(|component| self.centres.get(component));
        let draw = |(place, axis): (usize, &TuneAxis)| match centre {
            None => stream.below(axis.count() as u64) as u32,
            Some(centre) => self.axes[place].draw(axis, centre[place], stream),
        };
        grid.axes().iter().enumerate().map(draw).collect()
    }

    /// The logarithm of the density at a point.
    fn log(&self, point: &[u32]) -> f64 {
        let mut logs = Vec::with_capacity(self.shares.len());
        for (centre, share) in self.centres.iter().zip(&self.shares) {
            let mut log = *share;
            for (axis, (x, c)) in self.axes.iter().zip(point.iter().zip(centre)) {
                log += axis.log(*x, *c);
            }
            logs.push(log);
        }
        let wide: f64 = self.axes.iter().zip(point).map(|(axis, x)| axis.wide[*x as usize]).sum();
        logs.push(wide + self.shares[self.centres.len()]);
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most + libm::log(logs.iter().map(|log| exp(log - most)).sum())
    }
}

/// The weight of the row at a place among the rows by age.
fn age_weight(place: usize, rows: usize) -> f64 {
    if place + FULL_WEIGHT >= rows {
        return 1.0;
    }
    let older = (rows - FULL_WEIGHT) as f64;
    1.0 / rows as f64 + (1.0 - 1.0 / rows as f64) * place as f64 / older
}

fn axis_kernels(grid: &TuneGrid, rows: usize) -> Vec<AxisKernel> {
    let dimensions = grid.axes().len() as f64;
    let share = 0.2 * libm::pow(rows.max(1) as f64, -1.0 / (dimensions + 4.0));
    let share = share.max(1.0 / (1.0 + rows as f64).min(100.0));
    grid.axes().iter().map(|axis| AxisKernel::new(axis, share, rows)).collect()
}

impl AxisKernel {
    fn new(axis: &TuneAxis, share: f64, rows: usize) -> Self {
        let count = axis.count();
        if !axis.ordered {
            let smooth = 1.0 / (rows as f64 + 1.0);
            let sum = 1.0 + smooth * count as f64;
            let masses = vec![libm::log((1.0 + smooth) / sum), libm::log(smooth / sum)];
            let wide = vec![-libm::log(count as f64); count];
            return Self { width: 0.0, masses, inside: vec![0.0; count], wide };
        }
        let width = (share * count as f64).max(0.3);
        let mass = |from: f64, to: f64, width: f64| {
            (normal_share_below(to / width) - normal_share_below(from / width)).max(1e-300)
        };
        let masses = (0..count).map(|d| libm::log(mass(d as f64 - 0.5, d as f64 + 0.5, width))).collect();
        let end = count as f64 - 0.5;
        let inside = (0..count).map(|c| libm::log(mass(-0.5 - c as f64, end - c as f64, width))).collect();
        let (middle, range) = ((count as f64 - 1.0) / 2.0, count as f64);
        let all = libm::log(mass(-0.5 - middle, end - middle, range));
        let at = |x: usize| libm::log(mass(x as f64 - 0.5 - middle, x as f64 + 0.5 - middle, range)) - all;
        Self { width, masses, inside, wide: (0..count).map(at).collect() }
    }

    #[inline]
    fn log(&self, x: u32, centre: u32) -> f64 {
        let distance = x.abs_diff(centre) as usize;
        self.masses[distance.min(self.masses.len() - 1)] - self.inside[centre as usize]
    }

    fn draw(&self, axis: &TuneAxis, centre: u32, stream: &mut RandomStream) -> u32 {
        const TRIES: usize = 20;
        if !axis.ordered {
            let stays = stream.unit() < exp(self.masses[0]) || axis.count() < 2;
            let other = stream.below(axis.count().max(2) as u64 - 1) as u32;
            return if stays { centre } else { other + u32::from(other >= centre) };
        }
        let draw = |stream: &mut RandomStream| {
            let unit = stream.unit().max(f64::MIN_POSITIVE);
            (f64::from(centre) + self.width * normal_quantile(unit)).round()
        };
        let inside = |place: &f64| (0.0..=f64::from(axis.last())).contains(place);
        let found = (0..TRIES).map(|_| draw(stream)).find(inside);
        found.map_or(centre, |place| place as u32)
    }
}
