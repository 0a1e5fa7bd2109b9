//! One nucleus: where it lies, the outline that is its truth, and how its chromatin looks.

use crate::chromatin::Chromatin;
use crate::ground::{GroundFields, GroundSurvey};
use crate::hash::{HashKey, RandomDraws};
use crate::kind::NucleusKind;
use crate::noise::value;
use crate::soft::bump;

/// No nucleus changes pixels farther from its centre, in pixels.
pub(crate) const FARTHEST: f64 = 44.0;

/// Halos are whitest this far outside the outline and fade over [`HALO_WIDTH`], in pixels.
const HALO_DISTANCE: f32 = 2.5;
const HALO_WIDTH: f32 = 4.0;

/// No nucleus keeps others farther away than twice this, in pixels.
const WIDEST_BERTH: f64 = 24.0;

/// A nucleus.
pub(crate) struct Nucleus {
    /// Its number in the image.
    pub(crate) label: u32,
    /// Of two nuclei that overlap the one with the greater priority lies in front.
    pub(crate) priority: u64,
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// How much room it claims: a lesser nucleus closer than the sum of both is left out.
    pub(crate) berth: f64,
    /// How far its blurred edge and its halo reach in pixels.
    pub(crate) reach: f64,
    pub(crate) kind: NucleusKind,
    /// Half the width of its blurred edge in pixels.
    pub(crate) blur: f32,
    /// Whiteness of the gap around it.
    halo: f32,
    pub(crate) chromatin: Chromatin,
    outline: Outline,
    wobble: HashKey,
}

impl Nucleus {
    pub(crate) fn draw(
        label: u32,
        (x, y): (f64, f64),
        ground: &GroundFields,
        (kind, larger): (NucleusKind, f64),
        survey: &GroundSurvey,
        draws: &mut RandomDraws,
    ) -> Self {
        let priority = draws.number();
        let outline = Outline::draw((kind, larger), (x, y), survey, draws);
        let closeness = draws.between(0.72, 1.05);
        let reach = f64::min(f64::from(outline.long) * 1.3 + 10.0, FARTHEST);
        let size = f64::from((outline.long + 2.0 * outline.short) / 3.0);
        Self {
            label,
            priority,
            x,
            y,
            berth: f64::min(size * closeness, WIDEST_BERTH),
            reach,
            kind,
            blur: (0.9 + 2.2 * draws.unit() * draws.unit() * draws.unit()) as f32,
            halo: halo(kind, ground, draws),
            chromatin: Chromatin::draw(kind, outline.long.min(outline.short), draws),
            outline,
            wobble: draws.key(),
        }
    }

    /// How deep inside the outline a point lies, in pixels; below 0 outside.
    #[inline]
    pub(crate) fn depth(&self, right: f32, down: f32) -> f32 {
        let smooth = self.outline.depth(right, down);
        // Farther out the exact depth does not matter.
        if smooth < -8.0 { smooth } else { smooth + self.wobble(right, down) }
    }

    pub(crate) fn has_halo(&self) -> bool {
        self.halo > 0.0
    }

    /// How white the gap around the nucleus is at a point.
    pub(crate) fn halo(&self, right: f32, down: f32) -> f32 {
        self.halo * bump(-HALO_DISTANCE, HALO_WIDTH, self.depth(right, down))
    }

    /// Moves the outline in or out by up to a pixel and a half, since no nucleus is quite smooth.
    #[inline]
    fn wobble(&self, right: f32, down: f32) -> f32 {
        3.0 * (value(self.wobble, f64::from(right) / 6.0, f64::from(down) / 6.0) - 0.5)
    }

    /// Of nuclei with the same priority, which does not happen in practice, the greater label lies in front.
    pub(crate) fn rank(&self) -> (u64, u32) {
        (self.priority, self.label)
    }

    /// Whether this nucleus must give way to `other`.
    pub(crate) fn yields_to(&self, other: &Self) -> bool {
        let (right, down) = (self.x - other.x, self.y - other.y);
        let room = self.berth + other.berth;
        self.rank() < other.rank() && right * right + down * down < room * room
    }
}

fn halo(kind: NucleusKind, ground: &GroundFields, draws: &mut RandomDraws) -> f32 {
    let often = match kind {
        NucleusKind::Epithelial => 0.12 + 0.25 * f64::from(ground.clearing.clamp(-0.4, 1.0)),
        NucleusKind::Lymphocyte => 0.25,
        // Clefts between fibres do the same for them.
        NucleusKind::Spindle => 0.0,
    };
    if draws.chance(often) { draws.between(0.2, 0.8) as f32 } else { 0.0 }
}

/// A bent ellipse whose radius carries low harmonics.
struct Outline {
    cosine: f32,
    sine: f32,
    long: f32,
    short: f32,
    bend: f32,
    /// Cosine and sine of twice, then of three times the angle.
    harmonics: [f32; 4],
}

impl Outline {
    fn draw(
        (kind, larger): (NucleusKind, f64),
        (x, y): (f64, f64),
        survey: &GroundSurvey,
        draws: &mut RandomDraws,
    ) -> Self {
        let (radius, aspect) = size(kind, (x, y), survey, draws);
        let radius = radius * larger;
        let root = f64::sqrt(aspect);
        let (cosine, sine) = orientation(kind, (x, y), survey, draws);
        let bend = if kind == NucleusKind::Spindle { draws.between(-0.014, 0.014) } else { 0.0 };
        let mut harmonic = |strength: f64| (draws.between(-1.0, 1.0) * strength) as f32;
        Self {
            cosine: cosine as f32,
            sine: sine as f32,
            long: f64::min(radius * root, 25.0) as f32,
            short: (radius / root) as f32,
            bend: bend as f32,
            harmonics: [harmonic(0.06), harmonic(0.06), harmonic(0.07), harmonic(0.07)],
        }
    }

    #[inline]
    fn depth(&self, right: f32, down: f32) -> f32 {
        let along = right * self.cosine + down * self.sine;
        let across = down * self.cosine - right * self.sine + self.bend * along * along;
        let (p, q) = (along / self.long, across / self.short);
        let distance = (p * p + q * q).sqrt().max(1e-3);
        let (c, s) = (p / distance, q / distance);
        let (c2, s2) = (c * c - s * s, 2.0 * c * s);
        let (c3, s3) = (c2 * c - s2 * s, s2 * c + c2 * s);
        let [a, b, d, e] = self.harmonics;
        let edge = 1.0 + a * c2 + b * s2 + d * c3 + e * s3;
        // Dividing by the slope turns the ratio of radii into pixels.
        let (east, south) = (c / self.long, s / self.short);
        (edge - distance) / (east * east + south * south).sqrt()
    }
}

/// Mean radius in pixels and ratio of the axes.
fn size(kind: NucleusKind, (x, y): (f64, f64), survey: &GroundSurvey, draws: &mut RandomDraws) -> (f64, f64) {
    let (radius, spread, aspect) = match kind {
        NucleusKind::Epithelial => (12.3 * survey.grade(x, y), 0.2, draws.between(1.0, 1.55)),
        NucleusKind::Lymphocyte => (8.6, 0.14, draws.between(1.0, 1.3)),
        NucleusKind::Spindle => (8.2, 0.2, draws.between(1.8, 4.5)),
    };
    (radius * libm::exp(spread * draws.bell()), aspect)
}

/// Spindles follow the fibres and epithelium leans against its wall; lymphocytes lie anyhow.
fn orientation(
    kind: NucleusKind,
    (x, y): (f64, f64),
    survey: &GroundSurvey,
    draws: &mut RandomDraws,
) -> (f64, f64) {
    let (guide, spread) = match kind {
        NucleusKind::Epithelial => (survey.wall_direction(x, y), 0.7),
        NucleusKind::Spindle => (survey.fibre_direction(x, y), 0.22),
        NucleusKind::Lymphocyte => ((1.0, 0.0), 3.0),
    };
    let turn = spread * draws.bell();
    let (cosine, sine) = (libm::cos(turn), libm::sin(turn));
    (guide.0 * cosine - guide.1 * sine, guide.0 * sine + guide.1 * cosine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::HashPurpose;

    fn nuclei() -> impl Iterator<Item = Nucleus> {
        let survey = GroundSurvey::new(4000, 4000, 5);
        (0..900).map(move |i| {
            let place = (f64::from(i) * 5.3, f64::from(i % 77) * 40.1);
            let kind =
                [NucleusKind::Epithelial, NucleusKind::Lymphocyte, NucleusKind::Spindle][i as usize % 3];
            let mut draws = HashKey::new(5, HashPurpose::Nucleus).draws(i64::from(i), 0);
            // The smallest and the largest of a slide, and those of no slide.
            let larger = [0.8, 1.0, 1.1][i as usize / 300];
            Nucleus::draw(1, place, &survey.at(place.0, place.1), (kind, larger), &survey, &mut draws)
        })
    }

    #[test]
    fn nothing_is_left_at_the_reach_of_a_nucleus() {
        for nucleus in nuclei() {
            let reach = nucleus.reach as f32;
            for step in -20_i16..=20 {
                let side = f32::from(step) / 20.0 * reach;
                for (right, down) in [(side, reach), (side, -reach), (reach, side), (-reach, side)] {
                    assert!(
                        nucleus.depth(right, down) < -nucleus.blur,
                        "{:?} ({right}, {down})",
                        nucleus.kind
                    );
                    assert!(nucleus.halo(right, down) == 0.0, "{:?} ({right}, {down})", nucleus.kind);
                }
            }
        }
    }

    #[test]
    fn nuclei_claim_room_that_neighbouring_cells_can_see() {
        assert!(nuclei().all(|nucleus| nucleus.berth <= WIDEST_BERTH && nucleus.depth(0.0, 0.0) > 0.0));
    }
}
