//! The tile and what the workflow makes of it, which is what the operations are given.

use std::path::Path;

use onceflow_engine::open_image;
use onceflow_kernels::colour::{ColourSums, transfer};
use onceflow_kernels::nuclei::{self, Candidates, Parameters, Reconstructed};
use onceflow_kernels::{Connectivity, ON, Plane, StructuringElement, distance, level_peaks, open};
use onceflow_region::{Bounds, Dense, Source, SourceError, rgb8};
use onceflow_study::Diagnostic;
use onceflow_terminal::{Failure, check_memory, engine_failure};

/// Inputs of the operations.
#[derive(Debug)]
pub(super) struct BenchTile {
    pub(super) rgb: Plane<[u8; 3]>,
    pub(super) normalized: Plane<[u8; 3]>,
    /// 255 − red.
    pub(super) darkness: Plane<u8>,
    pub(super) opened: Plane<u8>,
    /// Much darker than its surroundings, with holes.
    pub(super) candidates: Plane<u8>,
    /// Somewhat darker than them.
    pub(super) dark: Plane<u8>,
    /// Nuclei and clumps of them.
    pub(super) big: Plane<u8>,
    /// How far inside they are.
    pub(super) far: Plane<f32>,
    pub(super) levelled: Plane<f32>,
    /// Their colours, and black elsewhere.
    pub(super) basins: Plane<[u8; 3]>,
    pub(super) markers: Plane<u32>,
}

/// Bytes for each pixel that the inputs, the results and what is needed meanwhile take at most.
const BYTES: u64 = 120;

/// Reads the first rows and columns of an image, or paints tissue, and runs the workflow on it.
pub(super) fn read(image: Option<&str>, size: u64) -> Result<BenchTile, Failure> {
    Ok(BenchTile::new(read_colours(image, size)?))
}

/// The first rows and columns of an image, or painted tissue.
pub(crate) fn read_colours(image: Option<&str>, size: u64) -> Result<Plane<[u8; 3]>, Failure> {
    let name = image.map_or_else(|| format!("synth:{size}x{size}?seed=7"), str::to_owned);
    let source = open_image(&name, Path::new("")).map_err(engine_failure)?;
    let (width, height) = (source.info().width.min(size), source.info().height.min(size));
    check_memory("measure operations on this tile", width * height * BYTES, None)?;
    colours(source.as_ref(), &name, width, height)
}

fn colours(source: &dyn Source, name: &str, width: u64, height: u64) -> Result<Plane<[u8; 3]>, Failure> {
    let bounds =
        Bounds::plane(0, 0, width, height).ok_or_else(|| Failure::internal("a tile without bounds"))?;
    let unreadable = |error: SourceError| {
        let error = Diagnostic::error(format!("cannot read the image {name}")).with_why(error.to_string());
        Failure::bad_input(error.with_hint("make the file again, or choose another image"))
    };
    let dense = source.read(bounds).map_err(unreadable)?;
    let colours = rgb8(&dense).ok().and_then(|dense| plane_of(&dense));
    // Images of other than 8 bits were refused when this one was opened.
    colours.ok_or_else(|| Failure::internal("colours that are none"))
}

/// The colours of an image of three channels.
pub(crate) fn plane_of(dense: &Dense) -> Option<Plane<[u8; 3]>> {
    let pixels = dense.as_u8()?.as_chunks().0.to_vec();
    Plane::from_vec(pixels, dense.width(), dense.height())
}

impl BenchTile {
    pub(super) fn new(rgb: Plane<[u8; 3]>) -> Self {
        let p = Parameters::default();
        let normalized = normalize(&rgb);
        let view = normalized.view();
        let Reconstructed { rc: darkness, rc_recon } = nuclei::reconstruct(view, Connectivity::Eight);
        let fill = p.fill_holes_connectivity;
        let Candidates { diff, bw1 } = nuclei::candidates(darkness.view(), rc_recon.view(), fill, p.g1);
        let sized = nuclei::sized_candidates(bw1.view(), p.min_size, p.max_size);
        let cells = nuclei::red_blood_cells(view, p.t1, p.t2);
        let grown = nuclei::grow(diff.view(), sized.view(), cells.view(), p.g2);
        let big = nuclei::clumps(grown.view(), p.min_size_pl);
        let far = distance(big.view());
        Self {
            opened: open(darkness.view(), StructuringElement::Disk19),
            candidates: above(&diff, p.g1),
            dark: above(&diff, p.g2),
            levelled: level_peaks(far.view(), big.view()),
            basins: inside(&normalized, &big),
            markers: nuclei::markers(big.view(), Connectivity::Eight),
            rgb,
            normalized,
            darkness,
            big,
            far,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.big.pixels().len()
    }
}

/// Colours moved to the target's.
pub(crate) fn normalize(rgb: &Plane<[u8; 3]>) -> Plane<[u8; 3]> {
    let mut statistics = ColourSums::new();
    statistics.add(rgb.view());
    transfer(rgb.view(), &statistics.finish())
}

fn above(image: &Plane<u8>, threshold: i64) -> Plane<u8> {
    let mut mask = image.clone();
    mask.pixels_mut().iter_mut().for_each(|p| *p = if i64::from(*p) > threshold { ON } else { 0 });
    mask
}

fn inside(image: &Plane<[u8; 3]>, mask: &Plane<u8>) -> Plane<[u8; 3]> {
    let mut result = image.clone();
    let outside = result.pixels_mut().iter_mut().zip(mask.pixels()).filter(|(_, inside)| **inside == 0);
    outside.for_each(|(pixel, _)| *pixel = [0; 3]);
    result
}
