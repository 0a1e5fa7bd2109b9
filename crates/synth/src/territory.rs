//! The nuclei around a pixel: cell borders lie halfway between two, halos close to one.

use crate::frame::Frame;
use crate::kind::NucleusKind;
use crate::nucleus::Nucleus;

/// Nuclei farther than this from a pixel do not matter to it, in pixels.
pub(crate) const FARTHEST: f32 = 56.0;

/// A pixel's place among the nuclei around it.
#[derive(Clone, Copy)]
pub(crate) struct Territory {
    /// Distance to the centre of the nearest epithelial nucleus, at most [`FARTHEST`].
    pub(crate) nearest: f32,
    /// Distance to the second nearest, at most [`FARTHEST`].
    pub(crate) second: f32,
    /// How white the gap around a nucleus makes this pixel.
    pub(crate) halo: f32,
}

const EMPTY: Territory = Territory { nearest: FARTHEST, second: FARTHEST, halo: 0.0 };

/// The territories of all pixels of a block; the order of the nuclei does not matter.
pub(crate) fn territories(frame: &Frame, nuclei: &[Nucleus]) -> Vec<Territory> {
    let mut all = vec![EMPTY; frame.pixels()];
    for nucleus in nuclei {
        if nucleus.kind == NucleusKind::Epithelial {
            let reach = f64::from(FARTHEST);
            frame.around(nucleus.x, nucleus.y, reach, |index, right, down| all[index].settle(right, down));
        }
        if nucleus.has_halo() {
            frame.around(nucleus.x, nucleus.y, nucleus.reach, |index, right, down| {
                let white = nucleus.halo(right, down);
                all[index].halo = all[index].halo.max(white);
            });
        }
    }
    all
}

impl Territory {
    #[inline]
    fn settle(&mut self, right: f32, down: f32) {
        let distance = (right * right + down * down).sqrt();
        if distance < self.nearest {
            self.second = self.nearest;
            self.nearest = distance;
        } else if distance < self.second {
            self.second = distance;
        }
    }
}
