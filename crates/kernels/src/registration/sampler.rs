//! The moving volume at places between its voxels: trilinear values and their exact slopes, a row of voxels at a time.

use super::ScaledVolume;
use super::real::Real;

/// The moving volume as rows read it.
pub(crate) struct Sampler<'a> {
    volume: &'a ScaledVolume,
    /// One bit for each cell of eight voxels: some value in it is not 0.
    filled: Vec<u64>,
    /// Whether places at the border count in part.
    soft: bool,
}

/// A hit in the outermost cells: it counts the less the nearer it is to the border.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// Its number among the hits of the row.
    pub(crate) hit: usize,
    /// From 0 at the border to 1 a voxel within.
    pub(crate) weight: f64,
    /// How the weight changes by voxels of the moving volume.
    pub(crate) slopes: [f64; 3],
    cell: [usize; 3],
}

/// A place of a row that lies in a cell with content.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hit {
    /// The voxel of the row.
    pub(crate) at: u32,
    /// The first voxel of the cell.
    cell: u32,
}

/// What was found at the places of a row. The first `hits.len()` numbers of the other vectors belong to the hits.
#[derive(Debug, Default)]
pub(crate) struct RowSamples<T> {
    places: [Vec<T>; 3],
    cells: [Vec<i32>; 3],
    inside: Vec<bool>,
    /// Places with content.
    pub(crate) hits: Vec<Hit>,
    /// Hits at the border, where these count in part.
    pub(crate) edges: Vec<Edge>,
    /// Voxels whose places lie within the volume and read 0 there.
    pub(crate) zeros: Vec<u32>,
    corners: [Vec<T>; 8],
    rests: [Vec<T>; 3],
    /// Values of the hits.
    pub(crate) values: Vec<T>,
    /// Slopes of the hits by voxels of the moving volume.
    pub(crate) slopes: [Vec<T>; 3],
}

impl<'a> Sampler<'a> {
    /// With a soft border, places count the less the nearer they are to it.
    pub(crate) fn new(volume: &'a ScaledVolume, soft: bool) -> Self {
        let [width, height, depth] = volume.grid().size();
        let values = volume.values();
        let mut filled = vec![0u64; values.len().div_ceil(64)];
        let mut pairs = vec![false; width * height];
        for z in 0..depth {
            let (below, above) =
                (&values[z * width * height..], &values[(z + 1).min(depth - 1) * width * height..]);
            for (at, pair) in pairs.iter_mut().enumerate() {
                *pair = below[at] != 0.0 || above[at] != 0.0;
            }
            for y in 0..height {
                let (row, next) =
                    (&pairs[y * width..][..width], &pairs[(y + 1).min(height - 1) * width..][..width]);
                for x in 0..width {
                    let right = (x + 1).min(width - 1);
                    let cell = (z * height + y) * width + x;
                    let any = row[x] | row[right] | next[x] | next[right];
                    filled[cell / 64] |= u64::from(any) << (cell % 64);
                }
            }
        }
        Sampler { volume, filled, soft }
    }

    /// Bytes of the bits for a volume of this many voxels.
    pub(crate) fn bytes(voxels: u64) -> u64 {
        voxels.div_ceil(64) * 8
    }

    /// Finds the values at a row of places: those of a line in voxels of this volume, moved by `field`.
    #[inline(always)]
    pub(crate) fn row<T: Real>(
        &self,
        [start, step]: [[f64; 3]; 2],
        field: &[T],
        mask: Option<&[u8]>,
        found: &mut RowSamples<T>,
    ) {
        let length = field.len() / 3;
        found.resize(length);
        found.inside.fill(true);
        for axis in 0..3 {
            let (line, last) = ((start[axis], step[axis]), self.volume.grid().size()[axis] - 1);
            let (places, cells) = (&mut found.places[axis][..length], &mut found.cells[axis][..length]);
            locate(line, &field[axis * length..][..length], last, places, cells, &mut found.inside[..length]);
        }
        self.sort(mask, found);
        self.fetch(found);
        interpolate(found);
        self.soften(found);
    }

    /// Sorts the places of a row into hits, zeros and the rest.
    #[inline(always)]
    fn sort<T: Real>(&self, mask: Option<&[u8]>, found: &mut RowSamples<T>) {
        let [width, height, _] = self.volume.grid().size();
        found.hits.clear();
        found.zeros.clear();
        found.edges.clear();
        for at in 0..found.inside.len() {
            if !found.inside[at] || mask.is_some_and(|mask| mask[at] == 0) {
                continue;
            }
            // Spelled out: closures over axes are not compiled along for the instruction set.
            let [across, down, deep] = &found.cells;
            let (x, y, z) = (across[at] as usize, down[at] as usize, deep[at] as usize);
            let cell = (z * height + y) * width + x;
            if let Some(moving) = self.volume.mask() {
                let up = [0, 1, 2].map(|axis| usize::from(found.places[axis][at] >= T::of(0.5)));
                if moving[cell + (up[2] * height + up[1]) * width + up[0]] == 0 {
                    continue;
                }
            }
            let edge = self.soft && self.is_outermost([x, y, z]);
            if edge {
                let hit = found.hits.len();
                found.edges.push(Edge { hit, weight: 1.0, slopes: [0.0; 3], cell: [x, y, z] });
            }
            match self.filled[cell / 64] >> (cell % 64) & 1 {
                0 if !edge => found.zeros.push(at as u32),
                _ => found.hits.push(Hit { at: at as u32, cell: cell as u32 }),
            }
        }
    }

    #[inline(always)]
    fn is_outermost(&self, cell: [usize; 3]) -> bool {
        let size = self.volume.grid().size();
        (0..3).any(|axis| cell[axis] == 0 || cell[axis] + 2 == size[axis])
    }

    /// Weighs the hits at the border, and their slopes with them.
    fn soften<T: Real>(&self, found: &mut RowSamples<T>) {
        let size = self.volume.grid().size();
        for edge in &mut found.edges {
            let [x, y, z] = [0, 1, 2].map(|axis| {
                let rest = found.rests[axis][edge.hit].wide();
                let low = if edge.cell[axis] == 0 { smooth(rest) } else { (1.0, 0.0) };
                let high = if edge.cell[axis] + 2 == size[axis] { smooth(1.0 - rest) } else { (1.0, 0.0) };
                (low.0 * high.0, low.1 * high.0 - low.0 * high.1)
            });
            edge.weight = x.0 * y.0 * z.0;
            edge.slopes = [x.1 * y.0 * z.0, x.0 * y.1 * z.0, x.0 * y.0 * z.1];
            let weight = T::of(edge.weight);
            (0..3).for_each(|axis| found.slopes[axis][edge.hit] = weight * found.slopes[axis][edge.hit]);
        }
    }

    /// Brings the corners of the hits' cells side by side.
    #[inline(always)]
    fn fetch<T: Real>(&self, found: &mut RowSamples<T>) {
        let [width, height, _] = self.volume.grid().size();
        let values = self.volume.values();
        for (to, Hit { at, cell }) in found.hits.iter().enumerate() {
            for (pair, offset) in [0, width, width * height, width * height + width].into_iter().enumerate() {
                let taken = &values[*cell as usize + offset..][..2];
                found.corners[2 * pair][to] = T::of_single(taken[0]);
                found.corners[2 * pair + 1][to] = T::of_single(taken[1]);
            }
            (0..3).for_each(|axis| found.rests[axis][to] = found.places[axis][*at as usize]);
        }
    }
}

impl<T: Real> RowSamples<T> {
    fn resize(&mut self, length: usize) {
        if self.inside.len() == length {
            return;
        }
        self.inside.resize(length, false);
        self.values.resize(length, T::default());
        let three = self.places.iter_mut().chain(&mut self.rests).chain(&mut self.slopes);
        three.chain(&mut self.corners).for_each(|values| values.resize(length, T::default()));
        self.cells.iter_mut().for_each(|cells| cells.resize(length, 0));
    }
}

/// A smooth step from 0 at 0 to 1 at 1, and its slope.
fn smooth(at: f64) -> (f64, f64) {
    (at * at * (3.0 - 2.0 * at), 6.0 * at * (1.0 - at))
}

/// Cells along one axis, and how far behind their first voxels the places lie.
#[inline(always)]
fn locate<T: Real>(
    (start, step): (f64, f64),
    field: &[T],
    last: usize,
    places: &mut [T],
    cells: &mut [i32],
    inside: &mut [bool],
) {
    let length = field.len();
    let (places, cells, inside) = (&mut places[..length], &mut cells[..length], &mut inside[..length]);
    let (low, high) = (T::of(-T::MARGIN), T::of(last as f64 + T::MARGIN));
    let (zero, top, last_cell) = (T::default(), T::of(last as f64), last as i32 - 1);
    for at in 0..length {
        let place = T::of(start + at as i32 as f64 * step) + field[at];
        inside[at] &= place >= low && place <= high;
        // A place that is not a number lies at 0, and is not inside.
        let place = place.at_least(zero).at_most(top);
        let cell = place.whole().min(last_cell);
        cells[at] = cell;
        places[at] = place - T::of_whole(cell);
    }
}

/// Values and slopes of the hits.
#[inline(always)]
fn interpolate<T: Real>(found: &mut RowSamples<T>) {
    let length = found.hits.len();
    let [a, b, c, d, e, f, g, h] = found.corners.each_ref().map(|corner| &corner[..length]);
    let [x, y, z] = found.rests.each_ref().map(|rest| &rest[..length]);
    let [by_x, by_y, by_z] = found.slopes.each_mut().map(|slopes| &mut slopes[..length]);
    let values = &mut found.values[..length];
    for at in 0..length {
        let (x, y, z) = (x[at], y[at], z[at]);
        let between = |one: T, other: T, by: T| one + by * (other - one);
        let (front, behind) = (b[at] - a[at], d[at] - c[at]);
        let (front_up, behind_up) = (f[at] - e[at], h[at] - g[at]);
        let (near, far) = (a[at] + x * front, c[at] + x * behind);
        let (near_up, far_up) = (e[at] + x * front_up, g[at] + x * behind_up);
        let (low, high) = (between(near, far, y), between(near_up, far_up, y));
        values[at] = between(low, high, z);
        by_x[at] = between(between(front, behind, y), between(front_up, behind_up, y), z);
        by_y[at] = between(far - near, far_up - near_up, z);
        by_z[at] = high - low;
    }
}
