//! The measures a study may ask for, taken from counts.

use super::ComparisonCounts;

/// A metric of a result, alone or against a reference.
///
/// F1 of objects, 2 · matched / (objects + objects of the reference), is also the Dice coefficient of the two sets of
/// objects, so there is one word for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MetricKind {
    /// Twice the common pixels over the pixels of both.
    Dice,
    /// The common pixels over the pixels of either.
    Jaccard,
    /// Pixels where only one of the two has an object.
    PixelDifference,
    /// Twice the matched objects over the objects of both.
    ObjectF1,
    /// The overlap of matched objects, summed, over half the objects of both.
    PanopticQuality,
    /// The mean distance between boundaries, in pixels.
    MeanBoundaryDistance,
    /// The largest distance between boundaries, in pixels.
    HausdorffDistance,
    /// Number of objects.
    Objects,
    /// Pixels in objects.
    Foreground,
    /// Pixels in objects over all pixels.
    AreaFraction,
    /// Objects on a square millimetre.
    ObjectsPerMm2,
    /// Pixels in objects over objects.
    MeanObjectArea,
}

impl MetricKind {
    /// All of them, those that compare first.
    pub const ALL: [Self; 12] = [
        Self::Dice,
        Self::Jaccard,
        Self::PixelDifference,
        Self::ObjectF1,
        Self::PanopticQuality,
        Self::MeanBoundaryDistance,
        Self::HausdorffDistance,
        Self::Objects,
        Self::Foreground,
        Self::AreaFraction,
        Self::ObjectsPerMm2,
        Self::MeanObjectArea,
    ];

    /// Its name in a study.
    pub fn word(self) -> &'static str {
        match self {
            Self::Dice => "dice",
            Self::Jaccard => "jaccard",
            Self::PixelDifference => "pixel_difference",
            Self::ObjectF1 => "object_f1",
            Self::PanopticQuality => "panoptic_quality",
            Self::MeanBoundaryDistance => "mean_boundary_distance",
            Self::HausdorffDistance => "hausdorff_distance",
            Self::Objects => "objects",
            Self::Foreground => "foreground",
            Self::AreaFraction => "area_fraction",
            Self::ObjectsPerMm2 => "objects_per_mm2",
            Self::MeanObjectArea => "mean_object_area",
        }
    }

    /// The measure with this name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|measure| measure.word() == word)
    }

    /// Whether it compares the result with a reference.
    pub fn needs_reference(self) -> bool {
        match self {
            Self::Dice | Self::Jaccard | Self::PixelDifference | Self::ObjectF1 | Self::PanopticQuality => {
                true
            }
            Self::MeanBoundaryDistance | Self::HausdorffDistance => true,
            Self::Objects | Self::Foreground | Self::AreaFraction => false,
            Self::ObjectsPerMm2 | Self::MeanObjectArea => false,
        }
    }

    /// Whether it needs the distances of [`super::compare_boundaries`].
    pub fn needs_boundaries(self) -> bool {
        matches!(self, Self::MeanBoundaryDistance | Self::HausdorffDistance)
    }

    /// Whether it needs the size of a pixel.
    pub fn needs_resolution(self) -> bool {
        self == Self::ObjectsPerMm2
    }

    /// Whether it matches objects with those of a reference.
    pub fn matches_objects(self) -> bool {
        matches!(self, Self::ObjectF1 | Self::PanopticQuality)
    }

    /// Its value, or `None` where it is undefined: a comparison when not every part was compared, a distance when no part
    /// has one, a density without a size of pixels (in micrometres), a mean over no objects.
    ///
    /// Two results without objects agree perfectly.
    pub fn value(self, counts: &ComparisonCounts, um_per_pixel: Option<f64>) -> Option<f64> {
        let compared = counts.parts > 0 && counts.compared == counts.parts;
        if self.needs_reference() && !compared {
            return None;
        }
        match self {
            Self::Dice => Some(agreement(2.0 * counts.common as f64, counts.both_foregrounds() as f64)),
            Self::Jaccard => Some(agreement(counts.common as f64, counts.either() as f64)),
            Self::PixelDifference => Some(counts.different() as f64),
            Self::ObjectF1 => Some(agreement(2.0 * counts.matched as f64, counts.all_objects() as f64)),
            Self::PanopticQuality => {
                Some(agreement(2.0 * counts.matched_overlap.value(), counts.all_objects() as f64))
            }
            Self::MeanBoundaryDistance => counts.boundary.mean(),
            Self::HausdorffDistance => counts.boundary.largest(),
            Self::Objects => Some(counts.objects as f64),
            Self::Foreground => Some(counts.foreground as f64),
            Self::AreaFraction => ratio(counts.foreground as f64, counts.pixels as f64),
            Self::ObjectsPerMm2 => ratio(counts.objects as f64, square_millimetres(counts, um_per_pixel?)),
            Self::MeanObjectArea => ratio(counts.foreground as f64, counts.objects as f64),
        }
    }
}

fn square_millimetres(counts: &ComparisonCounts, um_per_pixel: f64) -> f64 {
    counts.pixels as f64 * (um_per_pixel * um_per_pixel) / 1e6
}

fn ratio(numerator: f64, denominator: f64) -> Option<f64> {
    (denominator > 0.0).then(|| numerator / denominator)
}

/// A ratio that is 1 when there is nothing to agree on.
fn agreement(numerator: f64, denominator: f64) -> f64 {
    ratio(numerator, denominator).unwrap_or(1.0)
}
