//! The matter between nuclei: glass, stroma, cytoplasm, vessels.

use crate::ground::GroundFields;
use crate::hash::{HashKey, HashPurpose};
use crate::noise::value;
use crate::soft::{bump, ramp};
use crate::stain::Density;
use crate::territory::Territory;

const GLASS: Density = Density::new(0.008, 0.012, 0.008);
const PLASMA: Density = Density::new(0.02, 0.1, 0.08);
const SECRETION: Density = Density::new(0.1, 0.35, 0.4);
const VESSEL_WALL: Density = Density::new(0.25, 0.5, 0.5);
const MEMBRANE: Density = Density::new(0.24, 0.4, 0.42);

/// The textures of one image, each a noise of its own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matter {
    long_web: HashKey,
    short_web: HashKey,
    patch: HashKey,
    smudge: HashKey,
    fine_fibre: HashKey,
    coarse_fibre: HashKey,
    speck: HashKey,
    narrow_cleft: HashKey,
    broad_cleft: HashKey,
    retraction: HashKey,
    ragged: HashKey,
    granule: HashKey,
    cloud: HashKey,
    membrane: HashKey,
}

/// A pixel: its centre, the fields and nuclei around it, and the common texture.
struct MatterSite<'a> {
    x: f64,
    y: f64,
    ground: &'a GroundFields,
    territory: &'a Territory,
    /// Noise within ±0.5.
    web: f32,
    /// How much haematoxylin comes from nuclei out of focus above or below, which are no part of the truth.
    smudge: f32,
    /// Makes the walls of nests and lumina uneven.
    ragged: f32,
}

impl Matter {
    pub(crate) fn new(seed: u64) -> Self {
        let key = |purpose| HashKey::new(seed, purpose);
        Self {
            long_web: key(HashPurpose::LongWeb),
            short_web: key(HashPurpose::ShortWeb),
            patch: key(HashPurpose::Patch),
            smudge: key(HashPurpose::Smudge),
            fine_fibre: key(HashPurpose::FineFibre),
            coarse_fibre: key(HashPurpose::CoarseFibre),
            speck: key(HashPurpose::Speck),
            narrow_cleft: key(HashPurpose::NarrowCleft),
            broad_cleft: key(HashPurpose::BroadCleft),
            retraction: key(HashPurpose::Retraction),
            ragged: key(HashPurpose::Ragged),
            granule: key(HashPurpose::Granule),
            cloud: key(HashPurpose::Cloud),
            membrane: key(HashPurpose::Membrane),
        }
    }

    /// The density of the pixel with its centre at `(x, y)`, before blood and nuclei.
    pub(crate) fn at(&self, ground: &GroundFields, territory: &Territory, x: f64, y: f64) -> Density {
        let tissue = ramp(0.0, 0.03, ground.section);
        if tissue == 0.0 {
            return GLASS;
        }
        let site = self.site(ground, territory, x, y);
        let nest = ramp(-0.02, 0.02, ground.nest + site.ragged);
        let stroma = if nest < 1.0 { self.stroma(&site) } else { GLASS };
        let filled = if nest > 0.0 { stroma.under(self.epithelium(&site), nest) } else { stroma };
        let mut density = filled.under(GLASS, territory.halo * ramp(-0.3, 0.12, site.web));
        density.haematoxylin *= ground.haematoxylin;
        density.eosin *= ground.eosin;
        GLASS.under(density, tissue)
    }

    /// Octaves stand askew to the pixels and to each other, so that no direction shows.
    fn site<'a>(&self, ground: &'a GroundFields, territory: &'a Territory, x: f64, y: f64) -> MatterSite<'a> {
        let (u, v) = (0.8 * x + 0.6 * y, 0.8 * y - 0.6 * x);
        let (p, q) = (0.28 * x - 0.96 * y, 0.96 * x + 0.28 * y);
        let web = 0.62 * value(self.long_web, u / 8.0, v / 8.0)
            + 0.38 * value(self.short_web, p / 3.6, q / 3.6)
            - 0.5;
        let spot = value(self.smudge, u / 17.0, v / 17.0) + 0.1 * ground.infiltrate.clamp(-1.0, 1.0);
        let ragged = 0.05 * (value(self.ragged, p / 9.0, q / 9.0) - 0.5);
        MatterSite { x, y, ground, territory, web, smudge: ramp(0.62, 0.95, spot), ragged }
    }

    /// Fibres run where the flow stays the same; clefts part them, and a gap often surrounds a nest.
    fn stroma(&self, site: &MatterSite<'_>) -> Density {
        let ground = site.ground;
        let patch = value(self.patch, site.x / 60.0, site.y / 60.0) - 0.5;
        let body = self.collagen(site, patch);
        let blue = 0.1 + 0.11 * ground.infiltrate.clamp(-0.6, 1.5) + 0.25 * patch.max(-0.2);
        let stroma = Density::new(blue * body + 0.55 * site.smudge, 0.35 * body, 0.41 * body);
        let wall = bump(-0.07, 0.12, ground.vessel);
        let open = self.cleft(site, patch).max(self.retraction(site)) * (1.0 - wall);
        let parted = stroma.under(VESSEL_WALL, 0.8 * wall).under(GLASS, open);
        parted.under(PLASMA, ramp(0.0, 0.06, ground.vessel))
    }

    /// How much collagen there is, around 1: in some patches plainly fibrous, in others nearly even.
    fn collagen(&self, site: &MatterSite<'_>, patch: f32) -> f32 {
        let (across, along) = (site.ground.flow + f64::from(5.0 * site.web), site.ground.along);
        let fine = value(self.fine_fibre, across / 3.4, along / 21.0) - 0.5;
        let coarse = value(self.coarse_fibre, across / 13.0, along / 70.0) - 0.5;
        let speck = value(self.speck, site.x / 2.3, site.y / 2.3) - 0.5;
        let fibrous = ramp(-0.35, 0.3, coarse + 0.7 * patch) + 0.15;
        let thin = 0.16 * site.ground.looseness.clamp(-1.5, 2.0);
        (0.95 + 1.1 * coarse + 1.15 * fibrous * fine + 0.8 * site.web + 0.4 * speck - thin).max(0.1)
    }

    fn cleft(&self, site: &MatterSite<'_>, patch: f32) -> f32 {
        let (across, along) = (site.ground.flow + f64::from(7.0 * site.web), site.ground.along);
        let narrow = value(self.narrow_cleft, across / 7.0, along / 48.0);
        let broad = value(self.broad_cleft, across / 19.0, along / 60.0);
        let level = 0.7 - 0.19 * site.ground.looseness.clamp(-1.5, 2.2) + 0.25 * patch;
        0.95 * ramp(level, level + 0.2, 0.5 * narrow + 0.5 * broad + 0.25 * site.web)
    }

    fn retraction(&self, site: &MatterSite<'_>) -> f32 {
        let place = value(self.retraction, site.x / 110.0, site.y / 110.0);
        let uneven = site.ground.nest + 0.1 * site.web;
        0.95 * ramp(0.5, 0.75, place + 0.25 * site.web) * bump(-0.1, 0.12, uneven)
    }

    /// Granular cytoplasm with cell borders, clear in places, around a lumen.
    fn epithelium(&self, site: &MatterSite<'_>) -> Density {
        let ground = site.ground;
        let granule = value(self.granule, site.x / 3.0, site.y / 3.0) - 0.5;
        let cloud = value(self.cloud, site.x / 30.0, site.y / 30.0) - 0.5;
        let texture = 1.0 + 0.6 * granule + 0.8 * site.web + 0.8 * cloud;
        let blue = 0.23 + 0.1 * ground.infiltrate.clamp(-1.2, 1.5) + 0.4 * site.smudge;
        let body = Density::new(blue * texture, 0.28 * texture, 0.38 * texture);
        let bubble = ramp(-0.12, 0.25, site.web + 0.4 * granule);
        let cytoplasm = body.under(GLASS, 0.9 * bubble * ramp(-0.5, 1.2, ground.clearing));
        let bordered = cytoplasm.under(MEMBRANE, self.border(site));
        hollow(ground.nest + 2.0 * site.ragged - ground.lumen, cloud, bordered)
    }

    fn border(&self, site: &MatterSite<'_>) -> f32 {
        let wave = 2.5 * (value(self.membrane, site.x / 7.0, site.y / 7.0) - 0.5);
        let gap = site.territory.second - site.territory.nearest + wave;
        let fading = 1.0 - ramp(32.0, 52.0, site.territory.nearest);
        0.75 * fading * (1.0 - ramp(0.5, 2.6, gap.abs()))
    }
}

/// The lumen of a gland, where `depth` is above 0: white, and pink where a secretion fills it.
fn hollow(depth: f32, cloud: f32, around: Density) -> Density {
    let content = GLASS.under(SECRETION, 0.8 * ramp(0.55, 0.8, depth + 0.4 * cloud));
    let lined = around.under(MEMBRANE, 0.4 * bump(-0.02, 0.05, depth));
    lined.under(content, ramp(0.0, 0.05, depth))
}
