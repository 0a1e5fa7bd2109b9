//! How far the boundaries of two results lie apart.

use std::ops::AddAssign;

use super::ExactSum;
use crate::distance::each_inside;
use crate::{ON, Plane, View, Window};

/// Distances, in pixels, from each boundary pixel of one result to the nearest boundary pixel of the other, both ways;
/// over several parts the mean of the parts' means and the largest of all.
///
/// A boundary pixel belongs to an object and has one of its four neighbours outside that object; beyond the image is
/// outside. A part without objects in either result has distance 0; where only one has objects there is no distance,
/// and the part is counted as undefined and left out of mean and maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Boundary {
    /// Parts that have a distance.
    pub parts: u64,
    /// Parts that have none, because only one of the two results has objects there.
    pub undefined: u64,
    /// The sum of the parts' mean distances.
    pub means: ExactSum,
    /// The square of the largest distance.
    pub largest_squared: u64,
}

impl Boundary {
    /// Distances from the boundary pixels in a core; both planes of labels have the same size.
    pub(super) fn between(result: View<'_, u32>, reference: View<'_, u32>, core: Window) -> Self {
        let (result, reference) = (beyond_boundary(result), beyond_boundary(reference));
        let there = BoundaryDistances::from_to(&result, &reference, core);
        let back = BoundaryDistances::from_to(&reference, &result, core);
        if there.unreachable || back.unreachable {
            return Self { undefined: 1, ..Self::default() };
        }
        let number = (there.number + back.number).max(1);
        let means = ExactSum::from_value((there.sum + back.sum) / number as f64);
        let largest_squared = there.largest_squared.max(back.largest_squared);
        Self { parts: 1, undefined: 0, means, largest_squared }
    }

    /// The mean over parts of their mean distances; `None` without a part that has one.
    pub fn mean(&self) -> Option<f64> {
        (self.parts > 0).then(|| self.means.value() / self.parts as f64)
    }

    /// The largest distance of all parts; `None` without a part that has one.
    pub fn largest(&self) -> Option<f64> {
        (self.parts > 0).then(|| (self.largest_squared as f64).sqrt())
    }
}

impl AddAssign for Boundary {
    fn add_assign(&mut self, other: Self) {
        self.parts = self.parts.saturating_add(other.parts);
        self.undefined = self.undefined.saturating_add(other.undefined);
        self.means += other.means;
        self.largest_squared = self.largest_squared.max(other.largest_squared);
    }
}

/// A mask of everything but the boundary pixels, so that its outside is the boundary.
fn beyond_boundary(labels: View<'_, u32>) -> Plane<u8> {
    let mut beyond = Plane::filled(ON, labels.width(), labels.height());
    let nothing = vec![0; labels.width()];
    for y in 0..labels.height() {
        let here = labels.row(y);
        let above = if y == 0 { nothing.as_slice() } else { labels.row(y - 1) };
        let below = if y + 1 == labels.height() { nothing.as_slice() } else { labels.row(y + 1) };
        for (x, pixel) in beyond.view_mut().row_mut(y).iter_mut().enumerate() {
            let sides = [x.wrapping_sub(1), x + 1].map(|side| here.get(side).copied().unwrap_or(0));
            let around = [above[x], below[x], sides[0], sides[1]];
            if here[x] != 0 && around.iter().any(|&label| label != here[x]) {
                *pixel = 0;
            }
        }
    }
    beyond
}

#[derive(Default)]
struct BoundaryDistances {
    sum: f64,
    number: u64,
    largest_squared: u64,
    unreachable: bool,
}

impl BoundaryDistances {
    /// From each boundary pixel of one in the core to the boundary of the other.
    fn from_to(from: &Plane<u8>, to: &Plane<u8>, core: Window) -> Self {
        let view = core.of(from.view());
        let number = view.rows().flatten().filter(|&&beyond| beyond == 0).count() as u64;
        let mut distances = Self { number, ..Self::default() };
        let width = from.width().max(1);
        each_inside(to.view(), |position, squared| {
            if from.pixels()[position] == 0 && core.holds(position % width, position / width) {
                distances.unreachable |= squared.is_none();
                distances.sum += (squared.unwrap_or(0) as f64).sqrt();
                distances.largest_squared = distances.largest_squared.max(squared.unwrap_or(0));
            }
        });
        distances
    }
}
