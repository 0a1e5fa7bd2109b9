//! The shape of an object: sizes, axes, outline, convexity.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI, SQRT_2};

use super::hull::convex_area;
use super::runs::ObjectPixels;

/// Features that depend on an object's pixels alone, and its centre in its box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ShapeFeatures {
    /// Mean column and row of the pixels; centres of pixels are whole numbers.
    pub(crate) centre: [f64; 2],
    pub(crate) values: [f64; 12],
}

/// Names of the values.
pub(crate) const NAMES: [&str; 12] = [
    "area",
    "perimeter",
    "major_axis",
    "minor_axis",
    "eccentricity",
    "extent",
    "circularity",
    "convex_area",
    "solidity",
    "equivalent_diameter",
    "orientation",
    "euler_number",
];

impl ShapeFeatures {
    /// The shape of an object that has at least one pixel.
    pub(crate) fn of(cut: &ObjectPixels) -> Self {
        let area = cut.area() as f64;
        let quads = Quads::of(cut);
        let perimeter = quads.perimeter();
        let (centre, ellipse) = ellipse(cut);
        let convex = convex_area(&cut.runs) as f64;
        let values = [
            area,
            perimeter,
            ellipse.major,
            ellipse.minor,
            ellipse.eccentricity,
            area / (cut.width as f64 * cut.height as f64),
            4.0 * PI * area / (perimeter * perimeter),
            convex,
            area / convex,
            (4.0 * area / PI).sqrt(),
            ellipse.orientation,
            quads.euler_number() as f64,
        ];
        Self { centre, values }
    }
}

/// How many windows of 2 × 2 pixels hold one, two, three pixels of the object.
struct Quads {
    one: u64,
    adjacent: u64,
    diagonal: u64,
    three: u64,
}

impl Quads {
    fn of(cut: &ObjectPixels) -> Self {
        let mut counts = [0u64; 16];
        let rows = cut.mask.chunks_exact(cut.stride());
        for (above, below) in rows.clone().zip(rows.skip(1)) {
            let mut left = above[0] << 1 | below[0];
            for (above, below) in above[1..].iter().zip(&below[1..]) {
                let right = above << 1 | below;
                counts[usize::from(left << 2 | right) & 15] += 1;
                left = right;
            }
        }
        let sum = |codes: &[usize]| codes.iter().map(|code| counts[*code]).sum();
        Self {
            one: sum(&[1, 2, 4, 8]),
            adjacent: sum(&[3, 5, 10, 12]),
            diagonal: sum(&[6, 9]),
            three: sum(&[7, 11, 13, 14]),
        }
    }

    /// The length of the line that marching squares draws.
    fn perimeter(&self) -> f64 {
        let corners = (self.one + self.three) as f64 * FRAC_1_SQRT_2;
        corners + self.adjacent as f64 + self.diagonal as f64 * SQRT_2
    }

    /// Number of 8-connected parts minus number of holes (Gray, 1971).
    fn euler_number(&self) -> i64 {
        (self.one as i64 - self.three as i64 - 2 * self.diagonal as i64) / 4
    }
}

/// The ellipse with the object's second moments.
struct Ellipse {
    major: f64,
    minor: f64,
    eccentricity: f64,
    orientation: f64,
}

/// Centre and ellipse from integer sums, so that no result depends on where the object lies.
fn ellipse(cut: &ObjectPixels) -> ([f64; 2], Ellipse) {
    let [n, x, y, xx, xy, yy] = sums(cut);
    let count = n as f64;
    let moment = |squares: i128, a: i128, b: i128| (n * squares - a * b) as f64 / (count * count);
    let (mxx, myy) = (moment(xx, x, x) + 1.0 / 12.0, moment(yy, y, y) + 1.0 / 12.0);
    let mxy = moment(xy, x, y);
    let spread = ((mxx - myy) * (mxx - myy) + 4.0 * mxy * mxy).sqrt();
    let axis = |sum: f64| 8f64.sqrt() * sum.max(0.0).sqrt();
    let (major, minor) = (axis(mxx + myy + spread), axis(mxx + myy - spread));
    let ratio = minor / major;
    let eccentricity = (1.0 - ratio * ratio).max(0.0).sqrt();
    let centre = [x as f64 / count, y as f64 / count];
    (centre, Ellipse { major, minor, eccentricity, orientation: orientation(mxx - myy, mxy) })
}

/// The angle from the columns' axis to the major axis, in (−π/2, π/2], positive downwards; 0 when all are equal.
fn orientation(difference: f64, mxy: f64) -> f64 {
    let angle = 0.5 * libm::atan2(2.0 * mxy, difference);
    if angle <= -FRAC_PI_2 { FRAC_PI_2 } else { angle + 0.0 }
}

/// Sums over the pixels of 1, x, y, x², xy, y².
fn sums(cut: &ObjectPixels) -> [i128; 6] {
    let mut sums = [0; 6];
    for run in &cut.runs {
        let (y, start, end) = (run.y as i128, run.start as i128, run.end as i128);
        let n = end - start;
        let x = (start + end - 1) * n / 2;
        let xx = squares(end) - squares(start);
        for (sum, value) in sums.iter_mut().zip([n, x, n * y, xx, x * y, n * y * y]) {
            *sum += value;
        }
    }
    sums
}

/// Sum of the squares below an integer.
fn squares(end: i128) -> i128 {
    (end - 1) * end * (2 * end - 1) / 6
}
