//! How far two results agree: counts of pixels, objects and boundaries that add up over parts, and measures taken from the
//! sums last.
//!
//! A result comes as a plane of labels: 0 is background, every other value an object, so that objects that touch stay
//! apart. A mask's objects are its 8-connected components: [`crate::label`] it first.

mod boundary;
mod counts;
mod exact;
mod measure;
mod overlap;

pub use boundary::Boundary;
pub use counts::Counts;
pub use exact::ExactSum;
pub use measure::Measure;

use crate::View;

/// Two results that do not cover the same pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected two results of the same size, found {} x {} and {} x {} pixels: compare results of the same image",
    .result.0, .result.1, .reference.0, .reference.1
)]
pub struct SizesDiffer {
    /// Width and height of the result.
    pub result: (usize, usize),
    /// Width and height of the reference.
    pub reference: (usize, usize),
}

/// Pixels and objects of one result.
pub fn count(result: View<'_, u32>) -> Counts {
    overlap::count(result)
}

/// Pixels and objects of a result, and how they agree with those of a reference.
pub fn compare(result: View<'_, u32>, reference: View<'_, u32>) -> Result<Counts, SizesDiffer> {
    check_sizes(result, reference)?;
    Ok(overlap::compare(result, reference))
}

/// The same, with the distances between boundaries, which cost several times as much.
pub fn compare_boundaries(result: View<'_, u32>, reference: View<'_, u32>) -> Result<Counts, SizesDiffer> {
    check_sizes(result, reference)?;
    let boundary = Boundary::between(result, reference);
    Ok(Counts { boundary, ..overlap::compare(result, reference) })
}

fn check_sizes(result: View<'_, u32>, reference: View<'_, u32>) -> Result<(), SizesDiffer> {
    let result = (result.width(), result.height());
    let reference = (reference.width(), reference.height());
    if result == reference { Ok(()) } else { Err(SizesDiffer { result, reference }) }
}
