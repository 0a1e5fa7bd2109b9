//! The bounding boxes of the objects of an image, found strip by strip.

use onceflow_kernels::features::{Extents, ObjectExtent};
use onceflow_kernels::seams::{Numbering, SeamGrid};
use onceflow_kernels::{Component, Connectivity};
use onceflow_region::Lease;

use crate::NucleiError;
use crate::pixels::ImageLayers;
use crate::workspace::{Workspace, resize, strips};

/// Bytes per pixel of a strip: a mask and runs, or labels in two forms.
const STRIP: u64 = 24;

const TASK: &str = "objects";

/// The 8-connected components of a mask, numbered from 1 in raster order of their first pixels, and their memory.
pub(crate) fn components(
    layers: &mut ImageLayers,
    workspace: &Workspace<'_>,
) -> Result<(Vec<ObjectExtent>, Lease), NucleiError> {
    let image = layers.image();
    let cuts: Vec<usize> = (0..image.height).step_by(workspace.strip(image.width, STRIP)).collect();
    let grid = SeamGrid::with_cuts(image.width, image.height, &[], &cuts);
    let mut known = workspace.reserve(TASK, 0)?;
    let mut numbering = Numbering::new(&grid, Connectivity::Eight);
    for window in (0..grid.len()).map(|tile| grid.window(tile)) {
        workspace.at(TASK, window.top as u64, image.height as u64);
        numbering.visit(layers.mask(window)?.view());
        // Twice for what vectors may grow to, and once more for the components in order.
        resize(&mut known, &workspace.budget, TASK, 3 * numbering.bytes() as u64)?;
    }
    let components = numbering.components();
    let extents: Vec<ObjectExtent> =
        components.iter().zip(1..).map(|(component, label)| extent(component, label)).collect();
    drop(components);
    known.shrink((extents.capacity() * size_of::<ObjectExtent>()) as u64);
    Ok((extents, known))
}

fn extent(component: &Component, label: u32) -> ObjectExtent {
    let Component { left, top, right, bottom, .. } = *component;
    ObjectExtent { label, left, top, right, bottom }
}

/// The objects of a label image, and their memory.
pub(crate) fn numbers(
    layers: &mut ImageLayers,
    workspace: &Workspace<'_>,
) -> Result<(Vec<ObjectExtent>, Lease), NucleiError> {
    let image = layers.image();
    let mut known = workspace.reserve(TASK, 0)?;
    let mut extents = Extents::default();
    for window in strips(image, workspace.strip(image.width, STRIP)) {
        workspace.at(TASK, window.top as u64, image.height as u64);
        extents.add(layers.numbers(window)?.view(), window.top);
        resize(&mut known, &workspace.budget, TASK, 2 * extents.bytes() as u64)?;
    }
    let extents = extents.finish();
    known.shrink((extents.capacity() * size_of::<ObjectExtent>()) as u64);
    Ok((extents, known))
}
