//! How slides differ from each other, as those of different patients and laboratories do: in stain, and in the density and
//! the size of their nuclei.

use crate::hash::{HashKey, HashPurpose};

/// What a slide's nuclei and colours are multiplied by; 1 for tissue of no slide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SlideLook {
    /// Absorption by haematoxylin.
    pub(crate) haematoxylin: f64,
    /// Absorption by eosin.
    pub(crate) eosin: f64,
    /// Chance of a place to have a nucleus.
    pub(crate) density: f64,
    /// Radius of nuclei.
    pub(crate) size: f64,
}

impl SlideLook {
    /// Tissue of no slide.
    pub(crate) const NONE: Self = Self { haematoxylin: 1.0, eosin: 1.0, density: 1.0, size: 1.0 };

    /// The look of a slide: each factor is evenly spread over its range.
    pub(crate) fn of_slide(slide: u64) -> Self {
        let mut draws = HashKey::new(slide, HashPurpose::Slide).draws(0, 0);
        Self {
            haematoxylin: draws.between(0.75, 1.25),
            eosin: draws.between(0.7, 1.3),
            density: draws.between(0.6, 1.1),
            size: draws.between(0.8, 1.1),
        }
    }
}
