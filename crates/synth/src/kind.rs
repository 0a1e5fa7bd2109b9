//! Which kind of nucleus, if any, lives at a place.

use crate::ground::GroundFields;
use crate::hash::RandomDraws;
use crate::look::SlideLook;

/// The kinds of nuclei, which differ in size, shape and chromatin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NucleusKind {
    /// Large and round to oval, in nests; often vesicular with nucleoli.
    Epithelial,
    /// Small, round and dark, in the stroma.
    Lymphocyte,
    /// Long and thin, along the fibres.
    Spindle,
}

impl NucleusKind {
    /// Draws the occupant of a cell of the grid.
    pub(crate) fn draw(ground: &GroundFields, look: SlideLook, draws: &mut RandomDraws) -> Option<Self> {
        let bare = ground.section < 0.02 || ground.vessel > -0.02;
        if bare {
            None
        } else if ground.nest > 0.02 {
            draws.chance(nest_crowding(ground) * look.density).then_some(Self::Epithelial)
        } else if ground.nest > -0.06 {
            draws.chance(0.08 * look.density).then_some(Self::Spindle)
        } else {
            Self::draw_in_stroma(ground, look, draws)
        }
    }

    fn draw_in_stroma(ground: &GroundFields, look: SlideLook, draws: &mut RandomDraws) -> Option<Self> {
        let lymphocytes = 0.012 + 0.45 * f64::from(crate::soft::ramp(0.2, 1.8, ground.infiltrate));
        let wall_of_vessel = ground.vessel > -0.35;
        let spindles = if wall_of_vessel { 0.4 } else { 0.07 };
        // Fewer nuclei leave more places empty, whatever would live there.
        let place = draws.unit() / look.density;
        if place < lymphocytes {
            Some(Self::Lymphocyte)
        } else {
            (place < lymphocytes + spindles).then_some(Self::Spindle)
        }
    }
}

/// Glands carry their nuclei in a row along the wall; solid nests are full of them.
fn nest_crowding(ground: &GroundFields) -> f64 {
    let glandular = ground.lumen < 1.2;
    if ground.nest > ground.lumen - 0.08 {
        0.0
    } else if !glandular {
        0.52
    } else if ground.nest < 0.34 {
        0.92
    } else {
        0.05
    }
}
