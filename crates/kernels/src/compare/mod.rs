//! How far two results agree: counts of pixels, objects and boundaries that add up over parts, and measures taken from the
//! sums last.
//!
//! A result comes as a plane of labels: 0 is background, every other value an object, so that objects that touch stay
//! apart. A mask's objects are its 8-connected components: [`crate::label`] it first.

mod boundary;
mod counts;
mod exact;
mod labelled;
mod metric;
mod overlap;

pub use boundary::Boundary;
pub use counts::ComparisonCounts;
pub use exact::ExactSum;
pub use labelled::LabelledRuns;
pub use metric::MetricKind;

use crate::{View, Window};

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
pub fn count(result: View<'_, u32>) -> ComparisonCounts {
    count_owned(result, Window::whole(result))
}

/// Pixels and objects of a result, and how they agree with those of a reference.
pub fn compare(result: View<'_, u32>, reference: View<'_, u32>) -> Result<ComparisonCounts, SizesDiffer> {
    compare_owned(result, reference, Window::whole(result))
}

/// [`compare`] with the distances between boundaries, which cost several times as much.
pub fn compare_boundaries(
    result: View<'_, u32>,
    reference: View<'_, u32>,
) -> Result<ComparisonCounts, SizesDiffer> {
    compare_boundaries_owned(result, reference, Window::whole(result))
}

/// Counts what belongs to the core of a part. The planes show the part with a halo around it; the core lies inside them.
///
/// Pixels belong to the core they lie in; an object, with all its pixels, to the core that holds its first pixel in
/// reading order; two partners to the core that holds the first pixel of the result's object; a boundary pixel, with
/// its distance to the nearest boundary in the plane, to the core it lies in. Added over the cores of an image the
/// counts are those of the whole image, except of what is counted in parts ([`ComparisonCounts::parts`], [`ComparisonCounts::compared`], the
/// mean distance), if every plane shows all of the objects that belong to its core and of what lies on them; the largest
/// distance is that of the whole image if it is no longer than the halo.
pub fn count_owned(result: View<'_, u32>, core: Window) -> ComparisonCounts {
    count_runs(&LabelledRuns::of_labels(result), core)
}

/// [`compare`] for the pixels and objects that belong to a core, as [`count_owned`] defines.
pub fn compare_owned(
    result: View<'_, u32>,
    reference: View<'_, u32>,
    core: Window,
) -> Result<ComparisonCounts, SizesDiffer> {
    let reference = LabelledRuns::of_labels(reference);
    compare_runs(&LabelledRuns::of_labels(result), &reference, core)
}

/// [`compare_owned`] with the distances between boundaries.
pub fn compare_boundaries_owned(
    result: View<'_, u32>,
    reference: View<'_, u32>,
    core: Window,
) -> Result<ComparisonCounts, SizesDiffer> {
    let counts = compare_owned(result, reference, core)?;
    Ok(ComparisonCounts { boundary: Boundary::between(result, reference, core), ..counts })
}

/// [`count_owned`] for objects found before.
pub fn count_runs(result: &LabelledRuns, core: Window) -> ComparisonCounts {
    overlap::count(result, core)
}

/// [`compare_owned`] for objects found before.
pub fn compare_runs(
    result: &LabelledRuns,
    reference: &LabelledRuns,
    core: Window,
) -> Result<ComparisonCounts, SizesDiffer> {
    let (one, other) = (result.size(), reference.size());
    if one != other {
        return Err(SizesDiffer { result: one, reference: other });
    }
    Ok(overlap::compare(result, reference, core))
}
