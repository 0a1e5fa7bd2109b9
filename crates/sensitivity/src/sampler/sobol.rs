//! Sobol' sequences of 64 bits in Gray-code order, from the direction numbers of Joe and Kuo (2008).

use super::SampleError;
use super::owen::Scramble;
use crate::random::unit_from_bits;

/// Most dimensions there are direction numbers for.
pub(crate) const MOST_DIMENSIONS: usize = 4096;

/// Direction numbers of the leading dimensions: for each of the 64 digits of a point's number one entry per dimension.
#[derive(Debug)]
pub(crate) struct Directions {
    dimensions: usize,
    numbers: Vec<u64>,
}

/// A walk along the sequence, point by point.
#[derive(Clone, Debug)]
pub(crate) struct Sequence<'a> {
    directions: &'a Directions,
    scrambles: Vec<Scramble>,
    point: Vec<u64>,
    index: u64,
}

impl Directions {
    /// The numbers of the first `dimensions` dimensions.
    pub(crate) fn new(dimensions: usize) -> Result<Self, SampleError> {
        let table = include_str!("../data/joe-kuo-d6.txt").lines().filter(|line| !line.starts_with('#'));
        let columns = std::iter::once(Some(first_dimension())).chain(table.map(dimension_from_line));
        let columns: Option<Vec<[u64; 64]>> = columns.take(dimensions).collect();
        let columns = columns.filter(|columns| columns.len() == dimensions);
        let columns = columns.ok_or_else(|| too_many(dimensions))?;
        let digits = 0..64;
        let numbers = digits.flat_map(|digit| columns.iter().map(move |column| column[digit])).collect();
        Ok(Self { dimensions, numbers })
    }

    /// One entry per dimension.
    fn digit(&self, digit: usize) -> &[u64] {
        &self.numbers[digit * self.dimensions..][..self.dimensions]
    }

    /// The sequence as it is, or scrambled by a seed.
    pub(crate) fn sequence(&self, seed: Option<u64>, replicate: u64) -> Sequence<'_> {
        let scramble = |seed| {
            (0..self.dimensions as u64).map(move |dimension| Scramble::new(seed, dimension, replicate))
        };
        let scrambles = seed.map_or_else(Vec::new, |seed| scramble(seed).collect());
        Sequence { directions: self, scrambles, point: vec![0; self.dimensions], index: 0 }
    }
}

impl Sequence<'_> {
    /// Writes the coordinates of the next point, each in [0, 1); the first point is 0 unless scrambled.
    pub(crate) fn next_into(&mut self, units: &mut [f64]) {
        if self.scrambles.is_empty() {
            units.iter_mut().zip(&self.point).for_each(|(unit, x)| *unit = unit_from_bits(*x));
        } else {
            let scrambled = self.point.iter().zip(&self.scrambles);
            units.iter_mut().zip(scrambled).for_each(|(unit, (x, s))| *unit = unit_from_bits(s.apply(*x)));
        }
        self.advance();
    }

    /// Goes to a point by its number: the XOR of the directions of its Gray code's digits.
    pub(super) fn seek(&mut self, index: u64) {
        self.index = index;
        self.point.fill(0);
        let gray = index ^ (index >> 1);
        let digits = (0..64).filter(|digit| gray >> digit & 1 == 1);
        for numbers in digits.map(|digit| self.directions.digit(digit)) {
            self.point.iter_mut().zip(numbers).for_each(|(x, v)| *x ^= v);
        }
    }

    /// Consecutive Gray codes differ in the digit that counting on by one carries into.
    fn advance(&mut self) {
        self.index += 1;
        let digit = self.index.trailing_zeros() as usize;
        self.point.iter_mut().zip(self.directions.digit(digit)).for_each(|(x, v)| *x ^= v);
    }
}

fn too_many(dimensions: usize) -> SampleError {
    SampleError::TooMany {
        what: "dimensions of a Sobol' sequence (saltelli and radial morris take two per parameter)",
        found: dimensions as u128,
        most: MOST_DIMENSIONS as u128,
        to_do: "use mc or lhs",
    }
}

/// Van der Corput's sequence: the digits of a number mirrored.
fn first_dimension() -> [u64; 64] {
    std::array::from_fn(|digit| 1 << (63 - digit))
}

/// Reads `d s a m_1 .. m_s` and carries the recurrence on to 64 digits.
fn dimension_from_line(line: &str) -> Option<[u64; 64]> {
    let mut numbers = line.split_ascii_whitespace().skip(1).map(str::parse::<u64>);
    let degree = numbers.next()?.ok()? as usize;
    let inner = numbers.next()?.ok()?;
    let mut v = [0; 64];
    for (digit, number) in v.iter_mut().enumerate().take(degree) {
        *number = numbers.next()?.ok()? << (63 - digit);
    }
    for digit in degree..64 {
        v[digit] = v[digit - degree] ^ (v[digit - degree] >> degree);
        for back in 1..degree {
            v[digit] ^= (inner >> (degree - 1 - back) & 1) * v[digit - back];
        }
    }
    Some(v)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(dimensions: usize, count: usize) -> Vec<Vec<f64>> {
        let directions = Directions::new(dimensions).unwrap();
        let mut sequence = directions.sequence(None, 0);
        (0..count)
            .map(|_| {
                let mut point = vec![0.0; dimensions];
                sequence.next_into(&mut point);
                point
            })
            .collect()
    }

    /// Sixteenths of the points 0, 1, .. 15 of scipy.stats.qmc.Sobol(12, scramble=False), SciPy 1.17.
    const SCIPY: [[u8; 12]; 16] = [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8],
        [12, 4, 4, 4, 12, 12, 4, 12, 12, 12, 12, 12],
        [4, 12, 12, 12, 4, 4, 12, 4, 4, 4, 4, 4],
        [6, 6, 10, 14, 6, 2, 6, 14, 14, 10, 14, 6],
        [14, 14, 2, 6, 14, 10, 14, 6, 6, 2, 6, 14],
        [10, 2, 14, 10, 10, 14, 2, 2, 2, 6, 2, 10],
        [2, 10, 6, 2, 2, 6, 10, 10, 10, 14, 10, 2],
        [3, 5, 15, 7, 9, 5, 7, 15, 15, 5, 11, 1],
        [11, 13, 7, 15, 1, 13, 15, 7, 7, 13, 3, 9],
        [15, 1, 11, 3, 5, 9, 3, 3, 3, 9, 7, 13],
        [7, 9, 3, 11, 13, 1, 11, 11, 11, 1, 15, 5],
        [5, 3, 5, 9, 15, 7, 1, 1, 1, 15, 5, 7],
        [13, 11, 13, 1, 7, 15, 9, 9, 9, 7, 13, 15],
        [9, 7, 1, 13, 3, 11, 5, 13, 13, 3, 9, 11],
        [1, 15, 9, 5, 11, 3, 13, 5, 5, 11, 1, 3],
    ];

    #[test]
    fn points_are_those_of_scipy() {
        for (point, expected) in points(12, 16).iter().zip(SCIPY) {
            assert_eq!(*point, expected.map(|x| f64::from(x) / 16.0));
        }
        let far = points(MOST_DIMENSIONS, 1024);
        let at = |dimension: usize| [500, 1023].map(|row: usize| far[row][dimension]);
        assert_eq!(at(2), [0.345_703_125, 0.612_304_687_5]);
        assert_eq!(at(100), [0.599_609_375, 0.237_304_687_5]);
        assert_eq!(at(1000), [0.205_078_125, 0.159_179_687_5]);
        assert_eq!(at(4095), [0.294_921_875, 0.782_226_562_5]);
    }

    #[test]
    fn any_point_can_be_sought() {
        let directions = Directions::new(5).unwrap();
        let mut walk = directions.sequence(Some(3), 1);
        let mut seek = walk.clone();
        let (mut walked, mut sought) = ([0.0; 5], [0.0; 5]);
        for index in 0..300 {
            walk.next_into(&mut walked);
            seek.seek(index);
            seek.next_into(&mut sought);
            assert_eq!(walked, sought);
        }
    }

    #[test]
    fn the_table_is_as_extracted() {
        let text = include_str!("../data/joe-kuo-d6.txt");
        let numbers = text.lines().filter(|l| !l.starts_with('#')).flat_map(|l| l.split(' '));
        let fnv = numbers.fold(0xCBF2_9CE4_8422_2325_u64, |hash, number| {
            (hash ^ number.parse::<u64>().unwrap()).wrapping_mul(0x0100_0000_01B3)
        });
        assert_eq!(fnv, 0xB9D6_E2B9_4DF1_894C, "the direction numbers changed");
    }

    #[test]
    fn every_dimension_is_a_net_and_all_are_different() {
        let directions = Directions::new(MOST_DIMENSIONS).unwrap();
        let mut seen = std::collections::HashSet::new();
        for dimension in 0..MOST_DIMENSIONS {
            let column: Vec<u64> =
                directions.numbers.iter().skip(dimension).step_by(MOST_DIMENSIONS).copied().collect();
            // Upper triangular with ones on the diagonal: every 2^m points hit each of 2^m strata.
            assert!(column.iter().enumerate().all(|(digit, v)| v.trailing_zeros() as usize == 63 - digit));
            assert!(seen.insert(column), "dimension {dimension} repeats another");
        }
    }

    #[test]
    fn more_dimensions_than_the_table_has_are_refused() {
        assert!(Directions::new(MOST_DIMENSIONS + 1).is_err());
    }
}
