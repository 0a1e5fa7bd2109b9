//! What is measured of a registration: similarity, overlap of labels, errors of landmarks, folding.

use onceflow_kernels::Cpu;
use onceflow_kernels::registration::{
    Folding, LandmarkErrors, Lattice, ScaledVolume, Similarities, Transform, overlap, similarities,
    warped_labels,
};
use onceflow_region::Pixels;

use crate::RegistrationError;
use crate::register::{LevelReport, Registered};

/// Named values; `None` where a value cannot be measured.
pub type Measures = Vec<(String, Option<f64>)>;

/// What a registration is measured with.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredPair<'a> {
    /// The fixed volume.
    pub fixed: &'a ScaledVolume,
    /// The moving volume.
    pub moving: &'a ScaledVolume,
    /// The labels of both.
    pub labels: Option<[&'a Pixels; 2]>,
    /// The landmarks of both.
    pub landmarks: Option<[&'a [[f64; 3]]; 2]>,
    /// The determinants of the derivative, one for each fixed voxel.
    pub jacobian: &'a [f32],
    /// Bins of the histograms of information.
    pub bins: u32,
}

/// The measures that are always there.
pub const MEASURES: [&str; 21] = [
    "nmi_before",
    "nmi",
    "mi_before",
    "mi",
    "ssd_before",
    "ssd",
    "bending",
    "iterations",
    "dice_before",
    "dice",
    "jaccard",
    "landmark_before",
    "landmark_mean",
    "landmark_p95",
    "landmark_max",
    "landmark_outside",
    "folding",
    "jacobian_least",
    "log_jacobian_least",
    "log_jacobian_greatest",
    "log_jacobian_deviation",
];

/// Measures of one label or level each.
const NUMBERED: [&str; 3] = ["dice_", "jaccard_", "iterations_"];

/// A measure of how alike two volumes are.
type SimilarityMeasure = (&'static str, fn(&Similarities) -> f64);

/// Each similarity by its name.
const SIMILARITIES: [SimilarityMeasure; 3] = [("nmi", |s| s.nmi), ("mi", |s| s.mi), ("ssd", |s| s.ssd)];

/// Whether a word is that of a measure.
pub fn is_measure(word: &str) -> bool {
    let numbered =
        |first: &&str| word.strip_prefix(*first).is_some_and(|number| number.parse::<i64>().is_ok());
    MEASURES.contains(&word) || NUMBERED.iter().any(numbered)
}

/// Measures a registration.
///
/// # Errors
/// When labels have another number of voxels than their volume, which is a bug.
pub fn measure(
    registered: &Registered,
    with: &MeasuredPair<'_>,
    cpu: Cpu,
) -> Result<Measures, RegistrationError> {
    let transform = &registered.transform;
    let before = affine_only(transform);
    let alike = |transform: &Transform| similarities(transform, with.fixed, with.moving, with.bins, cpu).ok();
    let (first, last) = (alike(&before), alike(transform));
    let mut found = Found::default();
    for (name, of) in SIMILARITIES {
        found.add(format!("{name}_before"), first.as_ref().map(of));
        found.add(name, last.as_ref().map(of));
    }
    levels(&registered.levels, &mut found);
    if let Some([fixed, moving]) = with.labels {
        let wrong = || RegistrationError::internal("labels of another size than their volume");
        let pulled = |transform: &Transform| {
            let pulled = warped_labels(transform, with.moving.grid(), moving, cpu)?;
            overlap(fixed, &pulled)
        };
        let (start, end) = (pulled(&before).ok_or_else(wrong)?, pulled(transform).ok_or_else(wrong)?);
        found.add("dice_before", start.dice);
        found.add("dice", end.dice);
        found.add("jaccard", end.jaccard);
        for label in &end.labels {
            found.add(format!("dice_{}", label.label), Some(label.dice));
            found.add(format!("jaccard_{}", label.label), Some(label.jaccard));
        }
    }
    if let Some([from, to]) = with.landmarks {
        let (start, end) = (LandmarkErrors::of(&before, from, to), LandmarkErrors::of(transform, from, to));
        found.add("landmark_before", start.map(|errors| errors.mean));
        found.add("landmark_mean", end.as_ref().map(|errors| errors.mean));
        found.add("landmark_p95", end.as_ref().map(|errors| errors.p95));
        found.add("landmark_max", end.as_ref().map(|errors| errors.greatest));
        found.add("landmark_outside", end.as_ref().map(|errors| errors.outside as f64));
    }
    folding(with, &mut found);
    Ok(found.0)
}

/// The transform without its spline, on a lattice with as few points as can be.
pub(crate) fn affine_only(transform: &Transform) -> Transform {
    let coarsest = Lattice::new(&transform.fixed, 2.0 * transform.fixed.diagonal());
    Transform::affine(transform.fixed, transform.affine, coarsest.unwrap_or(transform.lattice))
}

fn levels(levels: &[LevelReport], found: &mut Found) {
    let iterations = |level: &LevelReport| level.trace.last().map_or(0, |row| row.iteration);
    let bending = levels.iter().rev().find_map(|level| Some(level.trace.last()?.cost.bending));
    found.add("bending", bending);
    found.add("iterations", Some(levels.iter().map(iterations).sum::<u32>().into()));
    for level in levels {
        found.add(format!("iterations_{}", level.level), Some(iterations(level).into()));
    }
}

/// Over the voxels of the fixed mask.
fn folding(with: &MeasuredPair<'_>, found: &mut Found) {
    let mask = with.fixed.mask();
    let counts = |at: usize| mask.is_none_or(|mask| mask.get(at).is_some_and(|value| *value != 0));
    let inside = with.jacobian.iter().enumerate().filter(|(at, _)| counts(*at));
    let folding = Folding::of(inside.map(|(_, determinant)| f64::from(*determinant)));
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    found.add("folding", Some(folding.share()));
    found.add("jacobian_least", finite(folding.least));
    found.add("log_jacobian_least", finite(folding.log_least));
    found.add("log_jacobian_greatest", finite(folding.log_greatest));
    found.add("log_jacobian_deviation", finite(folding.log_deviation()));
}

#[derive(Default)]
struct Found(Measures);

impl Found {
    fn add(&mut self, name: impl Into<String>, value: Option<f64>) {
        self.0.push((name.into(), value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_measures() {
        for word in ["dice", "dice_3", "jaccard_-1", "iterations_5", "folding"] {
            assert!(is_measure(word), "{word}");
        }
        for word in ["dices", "dice_", "dice_x", "folding_1", ""] {
            assert!(!is_measure(word), "{word}");
        }
    }
}
