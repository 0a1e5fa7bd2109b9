//! The second half of the distance where the outside is near: a strip of neighbouring pixels looks one step farther to
//! both sides at a time.

/// How far a strip looks.
pub(super) const REACH: usize = 128;

/// Pixels in a strip: as many numbers of 16 bits as the widest registers hold.
const LANES: usize = 32;

/// Not the height of a pixel within reach, and its square still fits.
const CLIP: u16 = 255;

/// Pixels before and after a row.
const MARGIN: usize = REACH + LANES;

/// One row of squared heights with margins at both ends.
#[derive(Clone, Debug, Default)]
pub(super) struct PaddedRow {
    squares: Vec<u16>,
}

impl PaddedRow {
    /// Makes room for rows of this width; the margins hold nothing outside.
    #[inline(always)]
    pub(super) fn fit(&mut self, width: usize) {
        self.squares.clear();
        self.squares.resize(width + 2 * MARGIN, u16::MAX);
    }

    /// The roots of a row's squared distances, or false when some are beyond reach.
    #[inline(always)]
    pub(super) fn row(&mut self, heights: &[u16], target: &mut [f32]) -> bool {
        for (square, &height) in self.squares[MARGIN..].iter_mut().zip(heights) {
            let height = height.min(CLIP);
            *square = height * height;
        }
        let mut largest = 0;
        for (strip, target) in target.chunks_mut(LANES).enumerate() {
            let squared = self.strip(MARGIN + strip * LANES, target.len());
            roots(&squared, target);
            largest = most(&squared).max(largest);
        }
        usize::from(largest) <= REACH * REACH
    }

    /// The squared distances of `count` pixels from `start` on, as far as they are within reach; 0 after them.
    #[inline(always)]
    fn strip(&self, start: usize, count: usize) -> [u16; LANES] {
        let mut best = self.lanes(start);
        // Each lane decides for itself: a range of them that only running tells would keep all of them out of registers.
        for (lane, best) in best.iter_mut().enumerate() {
            *best = if lane < count { *best } else { 0 };
        }
        for step in 1..=REACH {
            let square = (step * step) as u16;
            if most(&best) <= square {
                break;
            }
            let (left, right) = (self.lanes(start - step), self.lanes(start + step));
            for ((best, left), right) in best.iter_mut().zip(left).zip(right) {
                *best = (*best).min(left.min(right).saturating_add(square));
            }
        }
        best
    }

    #[inline(always)]
    fn lanes(&self, start: usize) -> [u16; LANES] {
        let mut lanes = [0; LANES];
        lanes.copy_from_slice(&self.squares[start..start + LANES]);
        lanes
    }
}

/// Correctly rounded: the squares are exact in 24 bits.
#[inline(always)]
fn roots(squares: &[u16; LANES], target: &mut [f32]) {
    // All of them, then a copy: roots of a number of lanes that only running tells would be taken one by one.
    let mut roots = [0.0; LANES];
    for (root, &square) in roots.iter_mut().zip(squares) {
        *root = f32::from(square).sqrt();
    }
    match target.as_chunks_mut::<LANES>().0 {
        [target] => *target = roots,
        _ => target.copy_from_slice(&roots[..target.len()]),
    }
}

#[inline(always)]
fn most(squares: &[u16; LANES]) -> u16 {
    squares.iter().fold(0, |most, &square| most.max(square))
}
