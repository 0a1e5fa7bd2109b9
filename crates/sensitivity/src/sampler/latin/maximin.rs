//! Maximin Latin hypercubes: values of a column change rows while that drives the rows apart (Morris and Mitchell 1995).

use super::{Feasible, LatinSquare, RandomStream, SampleError, StreamPurpose};

/// Most rows: the distances of all pairs are kept.
const MOST_ROWS: usize = 2000;
/// Most exchanges tried, and most exchanges times rows.
const TRIES: usize = 200_000;
const WORK: usize = 50_000_000;

/// Tries random exchanges and keeps those that lower the sum over all pairs of distance to the power -20, which the
/// closest pairs dominate, and that the constraints allow.
pub(super) fn spread(
    square: &mut LatinSquare,
    feasible: &Feasible<'_>,
    seed: u64,
) -> Result<(), SampleError> {
    let rows = square.rows;
    if rows > MOST_ROWS {
        let to_do = "use plain lhs or sobol, whose rows are spread well at that size";
        let (found, most) = (rows as u128, MOST_ROWS as u128);
        return Err(SampleError::TooMany { what: "rows of a maximin lhs", found, most, to_do });
    }
    let mut distances = PairDistances::new(square);
    let mut stream = RandomStream::new(seed, StreamPurpose::Exchange, 0, 1);
    for _ in 0..TRIES.min(WORK / rows.max(1)) {
        let column = stream.below(square.parameters as u64) as usize;
        let [a, b] = [(); 2].map(|()| stream.below(rows as u64) as usize);
        if a == b || !distances.would_grow(square, column, a, b) {
            continue;
        }
        square.exchange(column, a, b);
        if feasible.holds(square.row(a)) && feasible.holds(square.row(b)) {
            distances.update(a, b);
        } else {
            square.exchange(column, a, b);
        }
    }
    Ok(())
}

/// Squared distances of all pairs of rows, and those of the two rows of the exchange last tried.
struct PairDistances {
    rows: usize,
    squares: Vec<f64>,
    tried: Vec<(f64, f64)>,
}

impl PairDistances {
    fn new(square: &LatinSquare) -> Self {
        let rows = square.rows;
        let between = |a: usize, b: usize| -> f64 {
            let differences = (0..square.parameters).map(|c| square.unit(a, c) - square.unit(b, c));
            differences.map(|d| d * d).sum()
        };
        let squares = (0..rows * rows).map(|pair| between(pair / rows, pair % rows)).collect();
        Self { rows, squares, tried: vec![(0.0, 0.0); rows] }
    }

    /// Whether exchanging two rows' values in a column drives the rows apart. Their own distance stays as it is.
    fn would_grow(&mut self, square: &LatinSquare, column: usize, a: usize, b: usize) -> bool {
        let (at_a, at_b) = (square.unit(a, column), square.unit(b, column));
        let (from_a, from_b) = (&self.squares[a * self.rows..], &self.squares[b * self.rows..]);
        let mut change = 0.0;
        for (row, tried) in self.tried.iter_mut().enumerate().filter(|(row, _)| *row != a && *row != b) {
            let unit = square.unit(row, column);
            let moved = (at_b - unit) * (at_b - unit) - (at_a - unit) * (at_a - unit);
            *tried = (from_a[row] + moved, from_b[row] - moved);
            change +=
                closeness(tried.0) + closeness(tried.1) - closeness(from_a[row]) - closeness(from_b[row]);
        }
        change < 0.0
    }

    /// Takes over what was tried last.
    fn update(&mut self, a: usize, b: usize) {
        for row in (0..self.rows).filter(|row| *row != a && *row != b) {
            let (to_a, to_b) = self.tried[row];
            for (one, distance) in [(a, to_a), (b, to_b)] {
                self.squares[one * self.rows + row] = distance;
                self.squares[row * self.rows + one] = distance;
            }
        }
    }
}

/// Distance to the power -20 from its square; multiplied out, because library powers differ between machines.
fn closeness(square: f64) -> f64 {
    let inverse = 1.0 / square.max(1e-30);
    let to_2 = inverse * inverse;
    let to_4 = to_2 * to_2;
    to_4 * to_4 * to_2
}
