//! The slow fields under an image: where there is tissue, which kind, and where its fibres run.

use crate::hash::{HashKey, HashPurpose};
use crate::noise::fractal;

/// The fields at one point; those without a unit have mean 0 and deviation about 0.7 over the plane.
#[derive(Clone, Copy)]
pub(crate) struct GroundFields {
    /// Above 0 in tissue, below on bare glass.
    pub(crate) section: f32,
    /// Above 0 inside an epithelial nest: how deep.
    pub(crate) nest: f32,
    /// The depth of a nest at which its lumen begins.
    pub(crate) lumen: f32,
    /// How clear the cytoplasm is.
    pub(crate) clearing: f32,
    /// How loose the stroma is.
    pub(crate) looseness: f32,
    /// How many lymphocytes the stroma holds.
    pub(crate) infiltrate: f32,
    /// Above 0 inside a vessel.
    pub(crate) vessel: f32,
    /// Local strength of haematoxylin, around 1.
    pub(crate) haematoxylin: f32,
    /// Local strength of eosin, around 1.
    pub(crate) eosin: f32,
    /// Coordinate across the fibres in pixels: a fibre is a line of equal flow.
    pub(crate) flow: f64,
    /// Coordinate roughly along the fibres in pixels.
    pub(crate) along: f64,
}

impl GroundFields {
    /// The point at `t` on the way to `other`.
    #[inline]
    pub(crate) fn towards(&self, other: &Self, t: f32) -> Self {
        let mix = |from: f32, to: f32| from + (to - from) * t;
        let far = |from: f64, to: f64| from + (to - from) * f64::from(t);
        Self {
            section: mix(self.section, other.section),
            nest: mix(self.nest, other.nest),
            lumen: mix(self.lumen, other.lumen),
            clearing: mix(self.clearing, other.clearing),
            looseness: mix(self.looseness, other.looseness),
            infiltrate: mix(self.infiltrate, other.infiltrate),
            vessel: mix(self.vessel, other.vessel),
            haematoxylin: mix(self.haematoxylin, other.haematoxylin),
            eosin: mix(self.eosin, other.eosin),
            flow: far(self.flow, other.flow),
            along: far(self.along, other.along),
        }
    }
}

/// Computes the fields of one image.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GroundSurvey {
    seed: u64,
    centre: (f64, f64),
    /// The direction across the fibres that prevails in the image.
    across: (f64, f64),
}

impl GroundSurvey {
    pub(crate) fn new(width: u64, height: u64, seed: u64) -> Self {
        let angle = HashKey::new(seed, HashPurpose::Flow).draws(0, 0).between(0.0, core::f64::consts::PI);
        let centre = (width as f64 / 2.0, height as f64 / 2.0);
        Self { seed, centre, across: (libm::cos(angle), libm::sin(angle)) }
    }

    pub(crate) fn at(&self, x: f64, y: f64) -> GroundFields {
        let field = |purpose, length: f64, octaves| self.field(purpose, length, octaves, x, y);
        let nest = field(HashPurpose::Nest, 420.0, 4) - 0.2;
        let gland = field(HashPurpose::Gland, 1500.0, 2);
        GroundFields {
            section: self.section(x, y) as f32,
            nest: nest as f32,
            lumen: (0.8 + 4.0 * f64::max(0.0, 0.3 - gland)) as f32,
            clearing: field(HashPurpose::Clearing, 700.0, 2) as f32,
            looseness: field(HashPurpose::Looseness, 500.0, 3) as f32,
            infiltrate: field(HashPurpose::Infiltrate, 420.0, 3) as f32,
            vessel: (field(HashPurpose::Vessel, 240.0, 2) - 1.15 - 1.5 * f64::max(0.0, nest + 0.5)) as f32,
            haematoxylin: (1.0 + 0.05 * field(HashPurpose::Haematoxylin, 900.0, 2)) as f32,
            eosin: (1.0 + 0.08 * field(HashPurpose::Eosin, 700.0, 2)) as f32,
            flow: self.flow(x, y),
            along: x * self.across.1 - y * self.across.0,
        }
    }

    /// The unit vector along the fibres.
    pub(crate) fn fibre_direction(&self, x: f64, y: f64) -> (f64, f64) {
        let (east, south) = slope(|x, y| self.flow(x, y), x, y);
        (south, -east)
    }

    /// The unit vector along the wall of the nest.
    pub(crate) fn wall_direction(&self, x: f64, y: f64) -> (f64, f64) {
        let (east, south) = slope(|x, y| self.field(HashPurpose::Nest, 420.0, 4, x, y), x, y);
        (south, -east)
    }

    /// How large epithelial nuclei are, around 1: much the same all over a nest.
    pub(crate) fn grade(&self, x: f64, y: f64) -> f64 {
        (1.0 + 0.12 * self.field(HashPurpose::Grade, 700.0, 2, x, y)).clamp(0.8, 1.35)
    }

    /// Tissue covers the middle of an image, so that small images are never bare, and about
    /// two thirds of what lies farther out.
    fn section(&self, x: f64, y: f64) -> f64 {
        let (right, down) = (x - self.centre.0, y - self.centre.1);
        let distance = f64::sqrt(right * right + down * down);
        self.field(HashPurpose::Section, 3600.0, 5, x, y) + 0.4 + 4.0 * f64::max(0.0, 1.0 - distance / 2500.0)
    }

    fn flow(&self, x: f64, y: f64) -> f64 {
        x * self.across.0
            + y * self.across.1
            + 900.0 * self.field(HashPurpose::SlowFlow, 4000.0, 1, x, y)
            + 70.0 * self.field(HashPurpose::Flow, 600.0, 1, x, y)
            + 7.0 * self.field(HashPurpose::QuickFlow, 110.0, 1, x, y)
    }

    fn field(&self, purpose: HashPurpose, length: f64, octaves: u64, x: f64, y: f64) -> f64 {
        fractal(HashKey::new(self.seed, purpose), x / length, y / length, octaves)
    }
}

/// The direction in which `field` rises, as a unit vector.
fn slope(field: impl Fn(f64, f64) -> f64, x: f64, y: f64) -> (f64, f64) {
    let east = field(x + 4.0, y) - field(x - 4.0, y);
    let south = field(x, y + 4.0) - field(x, y - 4.0);
    let length = f64::sqrt(east * east + south * south);
    if length > 0.0 { (east / length, south / length) } else { (1.0, 0.0) }
}
