//! Which objects an image has and where they lie, found strip by strip.

use onceflow_kernels::features::{Extent, Extents};
use onceflow_kernels::seams::{Grid, Numbering};
use onceflow_kernels::{Component, Connectivity};
use onceflow_region::Lease;

use crate::EngineError;
use crate::whole::desk::{Desk, resize, strips};
use crate::whole::sheet::Sheet;

/// Bytes that a pixel of a strip takes: a mask and runs, or numbers in two forms.
const STRIP: u64 = 24;

const TASK: &str = "objects";

/// The 8-connected components of a mask, numbered from 1 on in raster order of their first pixels, and their memory.
pub(crate) fn components(sheet: &mut Sheet, desk: &Desk<'_>) -> Result<(Vec<Extent>, Lease), EngineError> {
    let image = sheet.image();
    let cuts: Vec<usize> = (0..image.height).step_by(desk.strip(image.width, STRIP)).collect();
    let grid = Grid::with_cuts(image.width, image.height, &[], &cuts);
    let mut known = desk.reserve(TASK, 0)?;
    let mut numbering = Numbering::new(&grid, Connectivity::Eight);
    for window in (0..grid.len()).map(|tile| grid.window(tile)) {
        desk.at(TASK, window.top as u64, image.height as u64);
        numbering.visit(sheet.mask(window)?.view());
        // Twice for what vectors may grow to, and once more for the components in order.
        resize(&mut known, &desk.budget, TASK, 3 * numbering.bytes() as u64)?;
    }
    let components = numbering.components();
    let extents: Vec<Extent> =
        components.iter().zip(1..).map(|(component, label)| extent(component, label)).collect();
    drop(components);
    known.shrink((extents.capacity() * size_of::<Extent>()) as u64);
    Ok((extents, known))
}

fn extent(component: &Component, label: u32) -> Extent {
    let Component { left, top, right, bottom, .. } = *component;
    Extent { label, left, top, right, bottom }
}

/// The numbers of a label image, and their memory.
pub(super) fn numbers(sheet: &mut Sheet, desk: &Desk<'_>) -> Result<(Vec<Extent>, Lease), EngineError> {
    let image = sheet.image();
    let mut known = desk.reserve(TASK, 0)?;
    let mut extents = Extents::default();
    for window in strips(image, desk.strip(image.width, STRIP)) {
        desk.at(TASK, window.top as u64, image.height as u64);
        extents.add(sheet.numbers(window)?.view(), window.top);
        resize(&mut known, &desk.budget, TASK, 2 * extents.bytes() as u64)?;
    }
    let extents = extents.finish();
    known.shrink((extents.capacity() * size_of::<Extent>()) as u64);
    Ok((extents, known))
}
