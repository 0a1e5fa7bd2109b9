//! The results of a segmentation as pictures, written strip by strip: mask, labels, and an overlay.

use std::io;

use onceflow_imageio::{Picture, PictureKind, TakeRows};
use onceflow_kernels::dense;
use onceflow_kernels::seams::{Numbering, SeamGrid};
use onceflow_kernels::{Connectivity, Window};
use onceflow_region::{Dense, Pixels, Source, labels};

use super::Segmented;
use crate::NucleiError;
use crate::labels::no_objects;
use crate::overlay::{OverlayRows, draw};
use crate::pixels::{as_colour, read_rows, window};
use crate::workspace::{Workspace, resize, strips};

/// Bytes per pixel of a strip: colours of the file and of the drawing, masks, labels.
const STRIP: u64 = 40;

/// The inputs of an overlay.
#[derive(Clone, Copy, Debug)]
pub struct Overlay<'a> {
    /// The image.
    pub image: &'a dyn Source,
    /// The truth with its name, for the agreement of both.
    pub truth: Option<(&'a str, &'a dyn Source)>,
    /// The width in pixels of the image of one pixel of the overlay.
    pub scale: u32,
}

impl Segmented {
    /// Size and kind of the mask: 255 in nuclei, 0 outside.
    pub fn mask(&self) -> Picture {
        self.picture(PictureKind::Grey, 1)
    }

    /// Passes the mask to `take`, strip by strip.
    ///
    /// # Errors
    /// When a pixel cannot be read, or `take` fails.
    pub fn give_mask(&mut self, workspace: &Workspace<'_>, take: &mut TakeRows<'_>) -> io::Result<()> {
        for rows in self.strips(workspace, 1) {
            self.at(workspace, "mask", rows);
            take(&Pixels::U8(self.layers.mask(rows)?.into_vec()))?;
        }
        Ok(())
    }

    /// Size and kind of the label image: nuclei are numbered from 1 in raster order of their first pixels; 0 outside.
    pub fn labels(&self) -> Picture {
        self.picture(PictureKind::Labels, 1)
    }

    /// Passes the label image to `take`, strip by strip.
    ///
    /// # Errors
    /// When a pixel cannot be read, there is too little memory, or `take` fails.
    pub fn give_labels(&mut self, workspace: &Workspace<'_>, take: &mut TakeRows<'_>) -> io::Result<()> {
        let image = self.layers.image();
        let rows = workspace.strip(image.width, STRIP);
        let cuts: Vec<usize> = (0..image.height).step_by(rows).collect();
        let grid = SeamGrid::with_cuts(image.width, image.height, &[], &cuts);
        let mut known = workspace.reserve("labels", 0)?;
        let mut numbering = Numbering::new(&grid, Connectivity::Eight);
        for tile in 0..grid.len() {
            self.at(workspace, "numbering", grid.window(tile));
            numbering.visit(self.layers.mask(grid.window(tile))?.view());
            // Twice for what vectors may grow to, and once more for the components in order.
            resize(&mut known, &workspace.budget, "labels", 3 * numbering.bytes() as u64)?;
        }
        let numbered = numbering.merged();
        for tile in 0..grid.len() {
            self.at(workspace, "labels", grid.window(tile));
            let mask = self.layers.mask(grid.window(tile))?;
            take(&Pixels::U32(numbered.labels(tile, mask.view()).into_vec()))?;
        }
        Ok(())
    }

    /// Size and kind of the overlay.
    pub fn overlay(&self, overlay: &Overlay<'_>) -> Picture {
        self.picture(PictureKind::Colour, overlay.scale as usize)
    }

    /// Passes the image with the outlines of the nuclei to `take`, strip by strip; with a truth as [`crate::overlay()`]
    /// draws it. A pixel of a reduced overlay is the mean of its pixels, or an outline if one of them is.
    ///
    /// # Errors
    /// When a pixel cannot be read, or `take` fails.
    pub fn give_overlay(
        &mut self,
        overlay: &Overlay<'_>,
        workspace: &Workspace<'_>,
        take: &mut TakeRows<'_>,
    ) -> io::Result<()> {
        let scale = overlay.scale.max(1) as usize;
        for rows in self.strips(workspace, scale) {
            self.at(workspace, "overlay", rows);
            let (width, drawn) = (rows.width, self.drawn(overlay, rows)?);
            let pixels = if scale == 1 { drawn.pixels } else { drawn.reduced(width, scale) };
            take(&Pixels::U8(pixels.into_flattened()))?;
        }
        Ok(())
    }

    fn picture(&self, kind: PictureKind, scale: usize) -> Picture {
        let Window { width, height, .. } = self.layers.image();
        let side = |side: usize| side.div_ceil(scale.max(1)) as u64;
        Picture { width: side(width), height: side(height), kind }
    }

    /// Strips whose number of rows is a multiple of `multiple`.
    fn strips(&self, workspace: &Workspace<'_>, multiple: usize) -> impl Iterator<Item = Window> + use<> {
        let image = self.layers.image();
        let rows = workspace.strip(image.width, STRIP).next_multiple_of(multiple);
        strips(image, rows)
    }

    fn at(&self, workspace: &Workspace<'_>, task: &'static str, rows: Window) {
        workspace.at(task, rows.top as u64, self.layers.image().height as u64);
    }

    fn drawn(&mut self, overlay: &Overlay<'_>, rows: Window) -> Result<DrawnRows, NucleiError> {
        let picture = as_colour(overlay.image, read_rows(overlay.image, rows)?)?;
        let mut pixels = match picture.into_pixels() {
            Pixels::U8(values) => values.as_chunks().0.to_vec(),
            _ => return Err(NucleiError::internal("a colour image without 8-bit pixels")),
        };
        let around = around(rows, self.layers.image());
        // Neighbouring pixels of the mask belong to the same nucleus: its outlines are those of its labels.
        let mask = self.layers.mask(around)?;
        let truth = overlay.truth.map(|truth| read_truth(truth, around)).transpose()?;
        let truth = truth.as_ref().and_then(dense::labels);
        let drawn = OverlayRows { found: mask.view(), truth, first: rows.top - around.top };
        let outlines = draw(&mut pixels, drawn);
        Ok(DrawnRows { pixels, outlines })
    }
}

/// The rows with one row above and below, inside the image.
fn around(rows: Window, image: Window) -> Window {
    let top = rows.top.saturating_sub(1);
    let bottom = (rows.top + rows.height + 1).min(image.height);
    Window { top, height: bottom - top, ..rows }
}

fn read_truth((name, source): (&str, &dyn Source), rows: Window) -> Result<Dense, NucleiError> {
    let found = labels(&read_rows(source, rows)?).map_err(|error| no_objects(name, &error))?;
    Ok(found.plane)
}

/// Pixels with the drawing on them.
struct DrawnRows {
    pixels: Vec<[u8; 3]>,
    outlines: Vec<bool>,
}

impl DrawnRows {
    /// One pixel for each square of `scale`.
    fn reduced(&self, width: usize, scale: usize) -> Vec<[u8; 3]> {
        let height = self.pixels.len() / width.max(1);
        let squares =
            (0..height).step_by(scale).flat_map(|top| (0..width).step_by(scale).map(move |x| (x, top)));
        squares.map(|(left, top)| self.square((left, top), (width, height), scale)).collect()
    }

    fn square(&self, (left, top): (usize, usize), (width, height): (usize, usize), scale: usize) -> [u8; 3] {
        let (right, bottom) = ((left + scale).min(width), (top + scale).min(height));
        let (mut sums, mut number) = ([0u64; 3], 0);
        for position in (top..bottom).flat_map(|y| (left..right).map(move |x| y * width + x)) {
            if self.outlines[position] {
                return self.pixels[position];
            }
            sums.iter_mut().zip(self.pixels[position]).for_each(|(sum, value)| *sum += u64::from(value));
            number += 1;
        }
        sums.map(|sum| ((sum + number / 2) / number.max(1)) as u8)
    }
}

/// Refuses a truth that is neither a mask nor a label image, before the segmentation.
///
/// # Errors
/// When it is neither, or cannot be read.
pub fn check_truth(
    (name, source): (&str, &dyn Source),
    workspace: &Workspace<'_>,
) -> Result<(), NucleiError> {
    let image = window(source)?;
    strips(image, workspace.strip(image.width, STRIP))
        .try_for_each(|rows| read_truth((name, source), rows).map(|_| ()))
}

/// All strips of a mask or label image.
#[cfg(test)]
pub(crate) fn gathered(give: impl FnOnce(&mut TakeRows<'_>) -> io::Result<()>) -> Pixels {
    let mut all: Option<Pixels> = None;
    give(&mut |rows| {
        match (&mut all, rows) {
            (Some(Pixels::U8(all)), Pixels::U8(rows)) => all.extend(rows),
            (Some(Pixels::U32(all)), Pixels::U32(rows)) => all.extend(rows),
            (all, rows) => *all = Some(rows.clone()),
        }
        Ok(())
    })
    .unwrap();
    all.unwrap()
}

#[cfg(test)]
mod tests {
    use onceflow_kernels::nuclei::Parameters;
    use onceflow_kernels::{Plane, View};

    use super::*;
    use crate::overlay::overlay;
    use crate::segment::segment;
    use crate::test_images::{open_image, open_labels};
    use crate::workspace::test_workspace::{tiled, workspace};

    #[test]
    fn pictures_are_those_of_the_whole_image() {
        let name = "synth:150x110?seed=7";
        let (image, truth) = (open_image(name), open_labels(name));
        for workspace in [workspace(1 << 30), tiled(40, 64 << 20)] {
            let mut found = segment(&*image, &Parameters::default(), true, &workspace).unwrap();
            let Pixels::U8(mask) = gathered(|take| found.give_mask(&workspace, take)) else { panic!() };
            let view = View::new(&mask, 150, 110).unwrap();
            let labels = onceflow_kernels::label(view, Connectivity::Eight);
            assert_eq!(labels.components.len() as u64, found.objects);
            let expected = Pixels::U32(labels.plane.into_vec());
            assert_eq!(gathered(|take| found.give_labels(&workspace, take)), expected);
            let dense = |source: &dyn Source| read_rows(source, window(source).unwrap()).unwrap();
            let found_dense = Dense::new(150, 110, 1, Pixels::U8(mask)).unwrap();
            for truth in [None, Some(("truth", &*truth))] {
                let drawn = truth.map(|(_, truth)| dense(truth));
                let expected = overlay(&dense(&*image), &found_dense, drawn.as_ref()).unwrap();
                let asked = Overlay { image: &*image, truth, scale: 1 };
                let given = gathered(|take| found.give_overlay(&asked, &workspace, take));
                assert_eq!(&given, expected.pixels());
            }
        }
    }

    #[test]
    fn a_smaller_overlay_keeps_outlines() {
        let pixels = vec![[10; 3], [20; 3], [255; 3], [30; 3], [41; 3], [0; 3]];
        let outlines = vec![false, false, true, false, false, false];
        let marked = DrawnRows { pixels, outlines };
        assert_eq!(marked.reduced(3, 2), [[25; 3], [255; 3]]);
        assert_eq!(marked.reduced(2, 5), [[255; 3]]);
    }

    #[test]
    fn an_overlay_can_be_smaller() {
        let image = open_image("synth:150x110?seed=7");
        let mut files = Vec::new();
        for workspace in [workspace(1 << 30), tiled(40, 17 << 20)] {
            let mut found = segment(&*image, &Parameters::default(), true, &workspace).unwrap();
            let asked = Overlay { image: &*image, truth: None, scale: 7 };
            let picture = found.overlay(&asked);
            assert_eq!((picture.width, picture.height), (22, 16));
            files.push(gathered(|take| found.give_overlay(&asked, &workspace, take)));
        }
        assert_eq!(files[0].len(), 22 * 16 * 3);
        assert!(files[0] == files[1]);
    }

    #[test]
    fn a_plane_of_the_mask_is_a_mask() {
        let image = open_image("synth:60x40?seed=7");
        let workspace = workspace(1 << 30);
        let mut found = segment(&*image, &Parameters::default(), true, &workspace).unwrap();
        let mask: Plane<u8> = found.layers.mask(found.layers.image()).unwrap();
        let on = mask.pixels().iter().filter(|pixel| **pixel == 255).count() as u64;
        assert_eq!(
            (on, mask.pixels().iter().any(|pixel| ![0, 255].contains(pixel))),
            (found.foreground, false)
        );
    }
}
