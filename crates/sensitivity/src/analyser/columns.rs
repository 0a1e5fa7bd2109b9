//! Weighted sums of many columns at once: a matrix product in fixed order, so that no bit depends on the threads.

/// Columns of equal length, laid out for the product: four columns side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct PackedColumns {
    rows: usize,
    count: usize,
    /// Panel after panel, each with one entry of four columns per row.
    panels: Vec<[f64; LANES]>,
}

/// Columns, and vectors of weights, that are worked on together: what fits into the registers of any processor.
pub(super) const LANES: usize = 4;

/// Rows worked on at a time: a panel's share of them stays in the nearest cache.
const BLOCK: usize = 512;

impl PackedColumns {
    /// No column yet.
    pub(super) fn new(rows: usize) -> Self {
        Self { rows, ..Self::default() }
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Adds a column and says its place.
    pub(super) fn push(&mut self, values: impl Iterator<Item = f64>) -> usize {
        let (place, lane) = (self.count, self.count % LANES);
        if lane == 0 {
            self.panels.resize(self.panels.len() + self.rows, [0.0; LANES]);
        }
        let start = place / LANES * self.rows;
        for (entry, value) in self.panels[start..].iter_mut().zip(values) {
            entry[lane] = value;
        }
        self.count += 1;
        place
    }

    /// Sums of every column under each vector of weights (columns of `weights`); one list of sums per vector.
    pub(super) fn weighted_sums(&self, weights: &Self) -> Vec<Vec<f64>> {
        let mut sums =
            vec![vec![0.0; self.count.next_multiple_of(LANES)]; weights.count.next_multiple_of(LANES)];
        for start in (0..self.rows).step_by(BLOCK) {
            let rows = start..(start + BLOCK).min(self.rows);
            for panel in 0..self.count.div_ceil(LANES) {
                let values = self.block(panel, rows.clone());
                for (group, sums) in sums.chunks_exact_mut(LANES).enumerate() {
                    let tile = multiply(weights.block(group, rows.clone()), values);
                    add(sums, panel * LANES, &tile);
                }
            }
        }
        sums.truncate(weights.count);
        sums.iter_mut().for_each(|s| s.truncate(self.count));
        sums
    }

    fn block(&self, panel: usize, rows: std::ops::Range<usize>) -> &[[f64; LANES]] {
        let start = panel * self.rows;
        &self.panels[start + rows.start..start + rows.end]
    }
}

type ProductTile = [[f64; LANES]; LANES];

/// Products of four weights and four columns, summed over the rows one after the other.
fn multiply(weights: &[[f64; LANES]], values: &[[f64; LANES]]) -> ProductTile {
    let mut tile = ProductTile::default();
    for (w, v) in weights.iter().zip(values) {
        for i in 0..LANES {
            for j in 0..LANES {
                tile[i][j] += w[i] * v[j];
            }
        }
    }
    tile
}

fn add(sums: &mut [Vec<f64>], start: usize, tile: &ProductTile) {
    for (sums, tile) in sums.iter_mut().zip(tile) {
        for (sum, part) in sums[start..start + LANES].iter_mut().zip(tile) {
            *sum += part;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(seed: usize, rows: usize) -> Vec<f64> {
        (0..rows).map(|i| ((i * 7 + seed * 13) % 11) as f64 - 5.0).collect()
    }

    #[test]
    fn the_product_is_that_of_plain_loops() {
        for (rows, count, vectors) in [(1, 1, 1), (7, 5, 3), (512, 4, 4), (1300, 9, 6)] {
            let fill = |seed: usize, n: usize| {
                let mut columns = PackedColumns::new(rows);
                let places: Vec<usize> =
                    (0..n).map(|c| columns.push(column(seed + c, rows).into_iter())).collect();
                assert_eq!(places, (0..n).collect::<Vec<_>>());
                columns
            };
            let sums = fill(0, count).weighted_sums(&fill(50, vectors));
            assert_eq!((sums.len(), sums[0].len()), (vectors, count));
            for (v, sums) in sums.iter().enumerate() {
                for (c, sum) in sums.iter().enumerate() {
                    let plain: f64 =
                        column(50 + v, rows).iter().zip(column(c, rows)).map(|(w, x)| w * x).sum();
                    assert_eq!(*sum, plain, "whole numbers are summed exactly");
                }
            }
        }
    }
}
