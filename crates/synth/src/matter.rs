//! What fills the space between nuclei: glass, stroma, cytoplasm, vessels.

use crate::ground::Ground;
use crate::hash::{Key, Purpose};
use crate::noise::value;
use crate::soft::{blend, bump, ramp};
use crate::stain::Density;
use crate::territory::Territory;

const GLASS: Density = Density::new(0.008, 0.012, 0.008);
const PLASMA: Density = Density::new(0.02, 0.1, 0.08);
const MEMBRANE: Density = Density::new(0.24, 0.4, 0.42);

/// The textures of one image.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matter {
    fibre: Key,
    cleft: Key,
    cytoplasm: Key,
    membrane: Key,
    retraction: Key,
}

impl Matter {
    pub(crate) fn new(seed: u64) -> Self {
        let key = |purpose| Key::new(seed, purpose);
        Self {
            fibre: key(Purpose::Fibre),
            cleft: key(Purpose::Cleft),
            cytoplasm: key(Purpose::Cytoplasm),
            membrane: key(Purpose::Membrane),
            retraction: key(Purpose::Retraction),
        }
    }

    /// The density of the pixel at `(x, y)` before nuclei and blood.
    pub(crate) fn at(&self, ground: &Ground, territory: &Territory, x: f64, y: f64) -> Density {
        let tissue = ramp(0.0, 0.03, ground.section);
        if tissue == 0.0 {
            return GLASS;
        }
        let ragged = 0.05 * (value(self.retraction, x / 9.0, y / 9.0) - 0.5);
        let nest = ramp(-0.02, 0.02, ground.nest + ragged);
        let mut density = Density::default();
        if nest < 1.0 {
            density = self.stroma(ground, x, y);
        }
        if nest > 0.0 {
            density = density.under(self.epithelium(ground, territory, ragged, x, y), nest);
        }
        density = density.under(GLASS, territory.halo * ramp(-0.3, 0.12, self.web(x, y)));
        density.haematoxylin *= ground.haematoxylin;
        density.eosin *= ground.eosin;
        GLASS.under(density, tissue)
    }

    /// Fibres run where the flow stays the same; clefts part them, and a gap often surrounds a nest.
    fn stroma(&self, ground: &Ground, x: f64, y: f64) -> Density {
        let web = self.web(x, y);
        let patch = value(self.fibre.child(2), x / 60.0, y / 60.0) - 0.5;
        let body = self.collagen(ground, web, patch, x, y);
        let blue = 0.13 + 0.1 * ground.infiltrate.clamp(-0.6, 1.5) + 0.25 * patch.max(-0.2);
        let stroma = Density::new(blue * body, 0.32 * body, 0.36 * body);
        let wall = bump(-0.07, 0.12, ground.vessel);
        let walled = stroma.under(Density::new(0.25, 0.5, 0.5), 0.8 * wall);
        let open = self.cleft(ground, web, patch).max(self.retraction(ground, web, x, y)) * (1.0 - wall);
        let parted = walled.under(GLASS, open);
        parted.under(PLASMA, ramp(0.0, 0.06, ground.vessel))
    }

    /// Noise within ±0.5, the same in all directions: its octaves stand askew to the pixels and to each other.
    fn web(&self, x: f64, y: f64) -> f32 {
        let long = value(self.fibre.child(3), (0.8 * x + 0.6 * y) / 8.0, (0.8 * y - 0.6 * x) / 8.0);
        let short = value(self.fibre.child(5), (0.28 * x - 0.96 * y) / 3.6, (0.96 * x + 0.28 * y) / 3.6);
        0.62 * long + 0.38 * short - 0.5
    }

    /// How much collagen there is, around 1: in some patches plainly fibrous, in others nearly even.
    fn collagen(&self, ground: &Ground, web: f32, patch: f32, x: f64, y: f64) -> f32 {
        let warped = ground.flow + f64::from(5.0 * web);
        let fine = value(self.fibre, warped / 3.4, ground.along / 21.0) - 0.5;
        let coarse = value(self.fibre.child(1), warped / 13.0, ground.along / 70.0) - 0.5;
        let speck = value(self.fibre.child(4), x / 2.3, y / 2.3) - 0.5;
        let fibrous = ramp(-0.35, 0.3, coarse + 0.7 * patch) + 0.15;
        let thin = 0.16 * ground.looseness.clamp(-1.5, 2.0);
        (0.98 + 1.1 * coarse + 1.0 * fibrous * fine + 0.6 * web + 0.3 * speck - thin).max(0.1)
    }

    fn cleft(&self, ground: &Ground, web: f32, patch: f32) -> f32 {
        let warped = ground.flow + f64::from(7.0 * web);
        let narrow = value(self.cleft, warped / 7.0, ground.along / 48.0);
        let broad = value(self.cleft.child(1), warped / 19.0, ground.along / 60.0);
        let level = 0.74 - 0.15 * ground.looseness.clamp(-1.5, 2.2) + 0.25 * patch;
        0.95 * ramp(level, level + 0.2, 0.5 * narrow + 0.5 * broad + 0.25 * web)
    }

    fn retraction(&self, ground: &Ground, web: f32, x: f64, y: f64) -> f32 {
        let where_loose = value(self.retraction.child(1), x / 110.0, y / 110.0);
        let uneven = ground.nest + 0.1 * web;
        0.95 * ramp(0.5, 0.75, where_loose + 0.25 * web) * bump(-0.1, 0.12, uneven)
    }

    /// Granular cytoplasm with cell borders, clear in places, around a lumen.
    fn epithelium(&self, ground: &Ground, territory: &Territory, ragged: f32, x: f64, y: f64) -> Density {
        let granule = value(self.cytoplasm, x / 3.0, y / 3.0) - 0.5;
        let foam = self.web(x, y);
        let cloud = value(self.cytoplasm.child(2), x / 30.0, y / 30.0) - 0.5;
        let texture = 1.0 + 0.6 * granule + 0.8 * foam + 0.8 * cloud;
        let blue = 0.26 + 0.08 * ground.infiltrate.clamp(-1.2, 1.5);
        let body = Density::new(blue * texture, 0.27 * texture, 0.34 * texture);
        let bubble = ramp(-0.12, 0.25, foam + 0.4 * granule);
        let clear = ramp(-0.5, 1.2, ground.clearing) * bubble * 0.9;
        let cytoplasm = body.under(GLASS, clear);
        let bordered = cytoplasm.under(MEMBRANE, self.border(territory, x, y));
        self.lumen(ground, 2.0 * ragged, bordered, cloud)
    }

    fn border(&self, territory: &Territory, x: f64, y: f64) -> f32 {
        let wave = 2.5 * (value(self.membrane, x / 7.0, y / 7.0) - 0.5);
        let line = 1.0 - ramp(0.5, 2.6, (territory.second - territory.nearest + wave).abs());
        let fading = 1.0 - ramp(32.0, 52.0, territory.nearest);
        0.75 * line * fading
    }

    /// White inside glands, at places with a pink secretion.
    fn lumen(&self, ground: &Ground, ragged: f32, around: Density, cloud: f32) -> Density {
        let depth = ground.nest + ragged - ground.lumen;
        let secretion = blend(0.0, 0.8, ramp(0.55, 0.8, depth + 0.4 * cloud));
        let content = GLASS.under(Density::new(0.1, 0.35, 0.4), secretion);
        around.under(MEMBRANE, 0.4 * bump(-0.02, 0.05, depth)).under(content, ramp(0.0, 0.05, depth))
    }
}
