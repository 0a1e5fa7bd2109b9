//! Paints one block of pixels: ground, then blood, then nuclei, then colour.

use super::Tissue;
use crate::blood::red_cells;
use crate::frame::Frame;
use crate::lattice::Lattice;
use crate::nucleus::{self, Nucleus};
use crate::soft::ramp;
use crate::stain::Density;
use crate::territory::{self, territories};

/// The densities and labels of a block, row by row.
pub(crate) struct PaintedBlock {
    pub(crate) densities: Vec<Density>,
    pub(crate) labels: Vec<u32>,
}

impl PaintedBlock {
    pub(crate) fn paint(tissue: &Tissue, frame: &Frame) -> Self {
        let reach = f64::max(nucleus::FARTHEST, f64::from(territory::FARTHEST));
        let nuclei = tissue.cells.nuclei(&tissue.survey, frame, reach);
        let mut block = Self { densities: ground(tissue, frame, &nuclei), labels: vec![0; frame.pixels()] };
        block.add_blood(tissue, frame);
        for nucleus in &nuclei {
            block.add(nucleus, frame);
        }
        block
    }

    fn add_blood(&mut self, tissue: &Tissue, frame: &Frame) {
        for cell in red_cells(&tissue.survey, tissue.seed(), frame) {
            frame.around(cell.x, cell.y, cell.reach(), |index, right, down| {
                let (cover, density) = cell.at(right, down);
                self.densities[index] = self.densities[index].under(density, cover);
            });
        }
    }

    fn add(&mut self, nucleus: &Nucleus, frame: &Frame) {
        frame.around(nucleus.x, nucleus.y, nucleus.reach, |index, right, down| {
            let depth = nucleus.depth(right, down);
            if depth > -nucleus.blur {
                let cover = ramp(-nucleus.blur, nucleus.blur, depth);
                let chromatin = nucleus.chromatin.at(depth, right, down);
                self.densities[index] = self.densities[index].under(chromatin, cover);
            }
            if depth > 0.0 {
                self.labels[index] = nucleus.label;
            }
        });
    }
}

fn ground(tissue: &Tissue, frame: &Frame, nuclei: &[Nucleus]) -> Vec<Density> {
    let lattice = Lattice::new(&tissue.survey, frame);
    let territories = territories(frame, nuclei);
    let mut densities = Vec::with_capacity(frame.pixels());
    for (y, territories) in (frame.y..).zip(territories.chunks_exact(frame.width)) {
        let row = lattice.row(y);
        for (x, territory) in (frame.x..).zip(territories) {
            let point = lattice.pixel(&row, x);
            densities.push(tissue.matter.at(&point, territory, x as f64 + 0.5, y as f64 + 0.5));
        }
    }
    densities
}
