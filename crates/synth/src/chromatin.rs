//! The inside of a nucleus: how dark, how coarse, how vesicular, and its nucleoli.

use crate::hash::{HashKey, RandomDraws};
use crate::kind::NucleusKind;
use crate::noise::value;
use crate::soft::{bump, ramp};
use crate::stain::Density;

/// How the chromatin of one nucleus is laid out.
pub(crate) struct Chromatin {
    fine: HashKey,
    broad: HashKey,
    density: f32,
    rim: f32,
    paleness: f32,
    coarseness: f32,
    /// Distance between granules in pixels.
    grain: f64,
    nucleoli: [Nucleolus; 2],
    eosin: f32,
}

#[derive(Default)]
struct Nucleolus {
    right: f32,
    down: f32,
    radius: f32,
    density: f32,
}

impl Chromatin {
    /// `radius` is the lesser half-axis, within which nucleoli lie.
    pub(crate) fn draw(kind: NucleusKind, radius: f32, draws: &mut RandomDraws) -> Self {
        let pale = match kind {
            NucleusKind::Epithelial => draws.unit() * draws.between(0.4, 1.0),
            NucleusKind::Lymphocyte => draws.between(0.0, 0.15),
            NucleusKind::Spindle => draws.between(0.0, 0.5),
        };
        let darkest = match kind {
            NucleusKind::Epithelial => draws.between(0.97, 1.9),
            NucleusKind::Lymphocyte => draws.between(1.35, 2.5),
            NucleusKind::Spindle => draws.between(0.9, 1.8),
        };
        let vesicular = kind == NucleusKind::Epithelial && pale > 0.25;
        Self {
            fine: draws.key(),
            broad: draws.key(),
            density: (darkest * (1.0 - 0.25 * pale)) as f32,
            rim: (0.6 * draws.unit() * draws.unit()) as f32,
            paleness: (0.75 * pale) as f32,
            coarseness: draws.between(0.7, 1.5) as f32,
            grain: draws.between(2.6, 4.6),
            nucleoli: [
                nucleolus(vesicular, radius, draws),
                nucleolus(vesicular && draws.chance(0.4), radius, draws),
            ],
            eosin: draws.between(0.15, 0.4) as f32,
        }
    }

    /// The density at a point `depth` pixels inside, at `(right, down)` from the centre.
    #[inline]
    pub(crate) fn at(&self, depth: f32, right: f32, down: f32) -> Density {
        let (x, y) = (f64::from(right), f64::from(down));
        let fine = value(self.fine, x / self.grain, y / self.grain);
        let broad = value(self.broad, x / 8.0, y / 8.0);
        let texture = 1.0 + self.coarseness * (fine - 0.5) + 0.9 * (broad - 0.5);
        let inside = 1.0 - self.paleness * ramp(1.5, 4.5, depth);
        let rim = self.rim * bump(1.6, 2.4, depth);
        let spots: f32 = self.nucleoli.iter().map(|spot| spot.at(right, down)).sum();
        let haematoxylin = self.density * inside * texture + rim + spots;
        Density::new(haematoxylin, self.eosin + 0.3 * spots, 0.2 + 0.26 * haematoxylin)
    }
}

impl Nucleolus {
    #[inline]
    fn at(&self, right: f32, down: f32) -> f32 {
        let (x, y) = (right - self.right, down - self.down);
        self.density * bump(0.0, self.radius, (x * x + y * y).sqrt())
    }
}

fn nucleolus(present: bool, radius: f32, draws: &mut RandomDraws) -> Nucleolus {
    let mut place = || (draws.between(-0.5, 0.5) as f32) * radius;
    let (right, down) = (place(), place());
    let radius = draws.between(2.4, 4.2) as f32;
    let density = if present { draws.between(0.5, 1.1) as f32 } else { 0.0 };
    Nucleolus { right, down, radius, density }
}
