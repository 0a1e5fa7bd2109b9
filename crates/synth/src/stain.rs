//! Colours from stain densities, by the law of Beer and Lambert, and the noise of the scanner.

use crate::hash::{HashKey, HashPurpose};
use crate::look::SlideLook;
use crate::soft::blend;

/// How haematoxylin, eosin and the rest absorb red, green and blue (Ruifrok and Johnston).
const HAEMATOXYLIN: [f32; 3] = [0.650, 0.704, 0.286];
const EOSIN: [f32; 3] = [0.072, 0.990, 0.105];
const RESIDUE: [f32; 3] = [0.268, 0.570, 0.776];

/// The optical densities of one pixel. The residue is what slides absorb in blue beyond both stains.
#[derive(Clone, Copy, Default)]
pub(crate) struct Density {
    pub(crate) haematoxylin: f32,
    pub(crate) eosin: f32,
    pub(crate) residue: f32,
}

impl Density {
    pub(crate) const fn new(haematoxylin: f32, eosin: f32, residue: f32) -> Self {
        Self { haematoxylin, eosin, residue }
    }

    /// This density covered by `other` to the degree `cover`.
    #[inline]
    pub(crate) fn under(self, other: Self, cover: f32) -> Self {
        Self {
            haematoxylin: blend(self.haematoxylin, other.haematoxylin, cover),
            eosin: blend(self.eosin, other.eosin, cover),
            residue: blend(self.residue, other.residue, cover),
        }
    }
}

/// The staining and scanning of one image: strengths vary from seed to seed as between laboratories.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stain {
    haematoxylin: f32,
    eosin: f32,
    residue: f32,
    light: [f32; 3],
    scanner: HashKey,
}

impl Stain {
    pub(crate) fn new(seed: u64) -> Self {
        let mut draws = HashKey::new(seed, HashPurpose::Stain).draws(0, 0);
        let mut around = |centre: f64, spread: f64| draws.between(centre - spread, centre + spread) as f32;
        Self {
            haematoxylin: around(1.0, 0.1),
            eosin: around(1.0, 0.15),
            residue: around(1.0, 0.12),
            light: [around(244.0, 3.0), around(242.0, 3.0), around(245.0, 3.0)],
            scanner: HashKey::new(seed, HashPurpose::Scanner),
        }
    }

    /// The same with what a slide adds.
    pub(crate) fn of_slide(self, look: SlideLook) -> Self {
        Self {
            haematoxylin: self.haematoxylin * look.haematoxylin as f32,
            eosin: self.eosin * look.eosin as f32,
            ..self
        }
    }

    /// The colour of the pixel at `(x, y)`.
    #[inline]
    pub(crate) fn colour(&self, density: Density, x: i64, y: i64) -> [u8; 3] {
        let haematoxylin = density.haematoxylin * self.haematoxylin;
        let eosin = density.eosin * self.eosin;
        let residue = density.residue * self.residue;
        let noise = self.scanner.at(x, y);
        let channel = |c: usize| {
            let absorbed = haematoxylin * HAEMATOXYLIN[c] + eosin * EOSIN[c] + residue * RESIDUE[c];
            let exact = self.light[c] * libm::expf(-absorbed) + grain(noise >> (16 * c));
            // The cast saturates, so that noise cannot wrap around at black or white.
            (exact + 0.5) as u8
        };
        [channel(0), channel(1), channel(2)]
    }
}

/// Triangular noise within ±4 grey levels, from 16 bits.
#[inline]
fn grain(bits: u64) -> f32 {
    ((bits & 0xff) as f32 + ((bits >> 8) & 0xff) as f32 - 255.0) * (4.0 / 255.0)
}
