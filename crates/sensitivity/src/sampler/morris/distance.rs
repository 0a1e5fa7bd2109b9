//! Distances between trajectories (Campolongo 2007): the sum over all pairs of their rows of the Euclidean distance.
//!
//! Rows are compared in the unit cube: a place as its share of the way through the range, two different words at a
//! distance of 1. Consecutive rows differ in one factor only, so that squared distances are carried on from row to row.

use rayon::prelude::*;

use super::{FactorScale, Trajectory};

/// Squared distances of all pairs, as a full matrix.
pub(super) fn squares(scale: &FactorScale<'_>, trajectories: &[Trajectory]) -> Vec<f64> {
    let paths: Vec<Path> = trajectories.iter().map(|trajectory| Path::new(scale, trajectory)).collect();
    let count = paths.len();
    let below: Vec<Vec<f64>> = (0..count)
        .into_par_iter()
        .map_init(DistanceScratchRow::default, |scratch, a| {
            paths[..a].iter().map(|path| scratch.between(&paths[a], path)).map(|d| d * d).collect()
        })
        .collect();
    let mut matrix = vec![0.0; count * count];
    for (a, row) in below.iter().enumerate() {
        for (b, distance) in row.iter().enumerate() {
            matrix[a * count + b] = *distance;
            matrix[b * count + a] = *distance;
        }
    }
    matrix
}

/// A trajectory's rows as points.
struct Path {
    rows: usize,
    /// One column after the other, each with one coordinate per row.
    columns: Vec<f64>,
    /// The first row, as moves from nowhere.
    first: Vec<Move>,
    /// What changes from each row to the next.
    moves: Vec<Vec<Move>>,
}

/// A coordinate that goes from one number to another.
#[derive(Clone, Copy)]
struct Move {
    column: usize,
    from: f64,
    to: f64,
    unordered: bool,
}

impl Path {
    fn new(scale: &FactorScale<'_>, trajectory: &Trajectory) -> Self {
        let (parameters, rows) = (scale.counts.len(), trajectory.order.len() + 1);
        let mut path =
            Self { rows, columns: vec![0.0; parameters * rows], first: Vec::new(), moves: Vec::new() };
        for factor in &trajectory.order {
            let moves: Vec<Move> = scale.factors[*factor]
                .members
                .iter()
                .map(|member| Move::new(scale, trajectory, *member))
                .collect();
            for Move { column, from, to, .. } in &moves {
                let (before, after) =
                    path.columns[column * rows..(column + 1) * rows].split_at_mut(path.moves.len() + 1);
                before.fill(*from);
                after.fill(*to);
            }
            path.first.extend(&moves);
            path.moves.push(moves);
        }
        path
    }
}

impl Move {
    fn new(scale: &FactorScale<'_>, trajectory: &Trajectory, column: usize) -> Self {
        let unordered = scale.unordered[column];
        let whole = if unordered { 1.0 } else { (scale.counts[column] - 1) as f64 };
        let [from, to] = [&trajectory.start, &trajectory.end].map(|places| places[column] as f64 / whole);
        Self { column, from, to, unordered }
    }

    /// Adds the squared distances of one end from the other path's rows, for the first row.
    fn add_start(&self, other: &[f64], squares: &mut [f64]) {
        for (square, y) in squares.iter_mut().zip(other) {
            *square +=
                if self.unordered { f64::from(*y != self.from) } else { (self.from - y) * (self.from - y) };
        }
    }

    /// Changes squared distances as the move does.
    #[inline]
    fn apply(&self, other: &[f64], squares: &mut [f64]) {
        if self.unordered {
            for (square, y) in squares.iter_mut().zip(other) {
                *square += f64::from(*y == self.from) - f64::from(*y == self.to);
            }
        } else {
            // (to - y)^2 - (from - y)^2
            let (by, sum) = (self.to - self.from, self.to + self.from);
            squares.iter_mut().zip(other).for_each(|(square, y)| *square += by * (sum - (y + y)));
        }
    }
}

/// Room for the distances of one row from all rows of another path, kept from pair to pair.
#[derive(Default)]
struct DistanceScratchRow {
    squares: Vec<f64>,
    /// Sums of distances for each row of the other path: added up at the end, so that their order is fixed.
    sums: Vec<f64>,
}

impl DistanceScratchRow {
    fn between(&mut self, a: &Path, b: &Path) -> f64 {
        for numbers in [&mut self.squares, &mut self.sums] {
            numbers.clear();
            numbers.resize(b.rows, 0.0);
        }
        let column = |moved: &Move| &b.columns[moved.column * b.rows..(moved.column + 1) * b.rows];
        a.first.iter().for_each(|moved| moved.add_start(column(moved), &mut self.squares));
        self.add_roots();
        for moves in &a.moves {
            moves.iter().for_each(|moved| moved.apply(column(moved), &mut self.squares));
            self.add_roots();
        }
        self.sums.iter().sum()
    }

    #[inline]
    fn add_roots(&mut self) {
        for (sum, square) in self.sums.iter_mut().zip(&self.squares) {
            // Rounding may leave a little less than nothing.
            *sum += if *square > 0.0 { *square } else { 0.0 }.sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FactorScale, Feasible};
    use super::*;
    use crate::quantile::Quantile;
    use onceflow_study::{Domain, MorrisDesign, Parameter, Space, Trajectories};

    #[test]
    fn carried_on_distances_are_those_of_the_definition() {
        let grouped =
            |name: &str, domain| Parameter { group: Some("g".into()), ..Parameter::new(name, domain) };
        let words = Domain::Categories(["a", "b", "c"].map(String::from).to_vec());
        let parameters = vec![
            Parameter::new("x", Domain::Continuous { from: 0.0, to: 1.0 }),
            grouped("y", Domain::Integers { from: 1, to: 7 }),
            Parameter::new("w", words),
            grouped("z", Domain::Values(vec![4.0, 8.0])),
        ];
        let space = Space::new(parameters, Vec::new()).unwrap();
        let quantiles = Quantile::of_space(&space).unwrap();
        let design = MorrisDesign { trajectories: 6, values: 4, kind: Trajectories::Plain };
        let scale = FactorScale::new(&space, &quantiles, &design).unwrap();
        let mut feasible = Feasible::new(&space);
        let drawn: Vec<Trajectory> =
            (0..6).map(|index| scale.trajectory(&mut feasible, 3, index).unwrap()).collect();
        let rows = |t: &Trajectory| {
            let mut row = t.start.clone();
            let mut rows = vec![row.clone()];
            for factor in &t.order {
                space.factors()[*factor].members.iter().for_each(|m| row[*m] = t.end[*m]);
                rows.push(row.clone());
            }
            rows
        };
        let between = |a: &[u64], b: &[u64]| -> f64 {
            let part = |i: usize| match i {
                2 => f64::from(a[i] != b[i]),
                _ => ((a[i] as f64 - b[i] as f64) / (scale.counts[i] - 1) as f64).powi(2),
            };
            (0..4).map(part).sum::<f64>().sqrt()
        };
        let matrix = squares(&scale, &drawn);
        for (a, b) in (0..6).flat_map(|a| (0..6).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            let (first, second) = (rows(&drawn[a]), rows(&drawn[b]));
            let sum: f64 = first.iter().flat_map(|x| second.iter().map(|y| between(x, y))).sum();
            assert!((matrix[a * 6 + b] - sum * sum).abs() < 1e-9, "{a} {b}");
        }
    }
}
