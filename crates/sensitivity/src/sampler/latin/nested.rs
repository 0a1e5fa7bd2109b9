//! Nested Latin hypercubes, which double without moving a row.
//!
//! A sample of `r * 2^m` rows, `r` odd, begins as a plain one of `r` rows and doubles `m` times: every stratum is halved,
//! and the new rows fall into the halves still empty, in random order.

use super::{RandomStream, StreamPurpose, stratum_unit};

/// Whether doubling leads from one size to another.
pub(in crate::sampler) fn is_grown_from(size: u64, earlier: u64) -> bool {
    size.is_multiple_of(earlier) && (size / earlier).is_power_of_two()
}

/// One column of a nested Latin hypercube.
pub(super) fn column(seed: u64, column: u64, count: u64) -> Vec<f64> {
    let stream = |size| RandomStream::new(seed, StreamPurpose::Growth, column, size);
    let mut size = count >> count.trailing_zeros();
    let mut growing = NestedRows { spots: Vec::new(), units: Vec::new() };
    growing.fill((0..size).collect(), size, &mut stream(size));
    while size < count {
        size *= 2;
        let empty = growing.halve(size);
        growing.fill(empty, size, &mut stream(size));
    }
    growing.units
}

struct NestedRows {
    /// Stratum of each row, and its place inside as a fraction of 2^64: halving a stratum takes off one binary digit,
    /// so that the halves are exact.
    spots: Vec<(u64, u64)>,
    /// Coordinates, written down when the row is made.
    units: Vec<f64>,
}

impl NestedRows {
    /// Adds one row in each of the strata.
    fn fill(&mut self, mut strata: Vec<u64>, size: u64, stream: &mut RandomStream) {
        stream.shuffle(&mut strata);
        for stratum in strata {
            // Coarser than 64 binary digits, so that the coordinate below is exact enough to stay in its halves.
            let place = stream.bits() & !((1 << 24) - 1);
            self.spots.push((stratum, place));
            self.units.push(stratum_unit(stratum, place as f64 / 2.0_f64.powi(64), size));
        }
    }

    /// Halves all strata and says which halves are empty.
    fn halve(&mut self, size: u64) -> Vec<u64> {
        let mut taken = vec![false; size as usize];
        for (stratum, place) in &mut self.spots {
            *stratum = *stratum * 2 + (*place >> 63);
            *place <<= 1;
            taken[*stratum as usize] = true;
        }
        (0..size).zip(taken).filter(|(_, taken)| !taken).map(|(stratum, _)| stratum).collect()
    }
}
