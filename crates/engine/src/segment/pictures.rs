//! What was found as pictures that are given out from the top, some rows at a time: mask, labels, and an overlay.

use std::io;

use onceflow_kernels::seams::{Grid, Numbering};
use onceflow_kernels::{Connectivity, Window};
use onceflow_region::{Dense, Picture, PictureKind, Pixels, Source, TakeRows, labels};

use super::{Segmented, as_colour};
use crate::EngineError;
use crate::agreement::no_objects;
use crate::overlay::{Drawn, draw};
use crate::view;
use crate::whole::desk::{Desk, resize, strips};
use crate::whole::read_rows;

/// Bytes that a pixel of a strip takes: colours in the file's form and as they are drawn, masks, labels.
const STRIP: u64 = 40;

/// What an overlay is drawn on and with.
#[derive(Clone, Copy, Debug)]
pub struct Overlay<'a> {
    /// The image.
    pub image: &'a dyn Source,
    /// The truth with its name, to show where the two agree.
    pub truth: Option<(&'a str, &'a dyn Source)>,
    /// How many pixels of the image one of the overlay is wide.
    pub scale: u32,
}

impl Segmented {
    /// Size and kind of the mask: 255 where a nucleus is.
    pub fn mask(&self) -> Picture {
        self.picture(PictureKind::Grey, 1)
    }

    /// Gives out the mask.
    ///
    /// # Errors
    /// When a pixel cannot be read, or `take` fails.
    pub fn give_mask(&mut self, desk: &Desk<'_>, take: &mut TakeRows<'_>) -> io::Result<()> {
        for rows in self.strips(desk, 1) {
            self.at(desk, "mask", rows);
            take(&Pixels::U8(self.sheet.mask(rows)?.into_vec()))?;
        }
        Ok(())
    }

    /// Size and kind of the label image: the number of the nucleus at each pixel, from 1 on in raster order of their
    /// first pixels, 0 where there is none.
    pub fn labels(&self) -> Picture {
        self.picture(PictureKind::Labels, 1)
    }

    /// Gives out the label image.
    ///
    /// # Errors
    /// When a pixel cannot be read, there is too little memory, or `take` fails.
    pub fn give_labels(&mut self, desk: &Desk<'_>, take: &mut TakeRows<'_>) -> io::Result<()> {
        let image = self.sheet.image();
        let rows = desk.strip(image.width, STRIP);
        let cuts: Vec<usize> = (0..image.height).step_by(rows).collect();
        let grid = Grid::with_cuts(image.width, image.height, &[], &cuts);
        let mut known = desk.reserve("labels", 0)?;
        let mut numbering = Numbering::new(&grid, Connectivity::Eight);
        for tile in 0..grid.len() {
            self.at(desk, "numbering", grid.window(tile));
            numbering.visit(self.sheet.mask(grid.window(tile))?.view());
            // Twice for what vectors may grow to, and once more for the components in order.
            resize(&mut known, &desk.budget, "labels", 3 * numbering.bytes() as u64)?;
        }
        let numbered = numbering.merged();
        for tile in 0..grid.len() {
            self.at(desk, "labels", grid.window(tile));
            let mask = self.sheet.mask(grid.window(tile))?;
            take(&Pixels::U32(numbered.labels(tile, mask.view()).into_vec()))?;
        }
        Ok(())
    }

    /// Size and kind of the overlay.
    pub fn overlay(&self, overlay: &Overlay<'_>) -> Picture {
        self.picture(PictureKind::Colour, overlay.scale as usize)
    }

    /// Gives out the image with the outlines of the nuclei; with a truth, as [`crate::overlay()`] draws it. A pixel of a
    /// smaller overlay is the mean of those it stands for, or an outline where one of them is.
    ///
    /// # Errors
    /// When a pixel cannot be read, or `take` fails.
    pub fn give_overlay(
        &mut self,
        overlay: &Overlay<'_>,
        desk: &Desk<'_>,
        take: &mut TakeRows<'_>,
    ) -> io::Result<()> {
        let scale = overlay.scale.max(1) as usize;
        for rows in self.strips(desk, scale) {
            self.at(desk, "overlay", rows);
            let (width, drawn) = (rows.width, self.drawn(overlay, rows)?);
            let pixels = if scale == 1 { drawn.pixels } else { drawn.reduced(width, scale) };
            take(&Pixels::U8(pixels.into_flattened()))?;
        }
        Ok(())
    }

    fn picture(&self, kind: PictureKind, scale: usize) -> Picture {
        let Window { width, height, .. } = self.sheet.image();
        let side = |side: usize| side.div_ceil(scale.max(1)) as u64;
        Picture { width: side(width), height: side(height), kind }
    }

    /// Strips of a multiple of so many rows.
    fn strips(&self, desk: &Desk<'_>, multiple: usize) -> impl Iterator<Item = Window> + use<> {
        let image = self.sheet.image();
        let rows = desk.strip(image.width, STRIP).next_multiple_of(multiple);
        strips(image, rows)
    }

    fn at(&self, desk: &Desk<'_>, task: &'static str, rows: Window) {
        desk.at(task, rows.top as u64, self.sheet.image().height as u64);
    }

    fn drawn(&mut self, overlay: &Overlay<'_>, rows: Window) -> Result<Marked, EngineError> {
        let picture = as_colour(overlay.image, read_rows(overlay.image, rows)?)?;
        let mut pixels = match picture.into_pixels() {
            Pixels::U8(values) => values.as_chunks().0.to_vec(),
            _ => return Err(EngineError::Internal("colours that are none".into())),
        };
        let around = around(rows, self.sheet.image());
        // Neighbours that are both in nuclei are in the same one: a mask has the outlines of its labels.
        let mask = self.sheet.mask(around)?;
        let truth = overlay.truth.map(|truth| read_truth(truth, around)).transpose()?;
        let truth = truth.as_ref().and_then(view::labels);
        let drawn = Drawn { found: mask.view(), truth, first: rows.top - around.top };
        let outlines = draw(&mut pixels, drawn);
        Ok(Marked { pixels, outlines })
    }
}

/// The rows with one above and below, as far as the image goes.
fn around(rows: Window, image: Window) -> Window {
    let top = rows.top.saturating_sub(1);
    let bottom = (rows.top + rows.height + 1).min(image.height);
    Window { top, height: bottom - top, ..rows }
}

fn read_truth((name, source): (&str, &dyn Source), rows: Window) -> Result<Dense, EngineError> {
    let found = labels(&read_rows(source, rows)?).map_err(|error| no_objects(name, &error))?;
    Ok(found.plane)
}

/// Pixels that were drawn on.
struct Marked {
    pixels: Vec<[u8; 3]>,
    outlines: Vec<bool>,
}

impl Marked {
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

/// Refuses a truth that is neither a mask nor labels, before the work.
///
/// # Errors
/// When it is neither, or cannot be read.
pub fn check_truth((name, source): (&str, &dyn Source), desk: &Desk<'_>) -> Result<(), EngineError> {
    let image = crate::whole::window(source)?;
    strips(image, desk.strip(image.width, STRIP))
        .try_for_each(|rows| read_truth((name, source), rows).map(|_| ()))
}

/// A mask or labels as the whole of them: what tests look at.
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
    use crate::test_desk::{desk, tiled};
    use crate::{open_image, open_labels, overlay, segment};

    #[test]
    fn pictures_are_those_of_the_whole_image() {
        let name = "synth:150x110?seed=7";
        let (image, truth) =
            (open_image(name, "".as_ref()).unwrap(), open_labels(name, "".as_ref()).unwrap());
        for desk in [desk(1 << 30), tiled(40, 64 << 20)] {
            let mut found = segment(&*image, &Parameters::default(), true, &desk).unwrap();
            let Pixels::U8(mask) = gathered(|take| found.give_mask(&desk, take)) else { panic!() };
            let view = View::new(&mask, 150, 110).unwrap();
            let labels = onceflow_kernels::label(view, Connectivity::Eight);
            assert_eq!(labels.components.len() as u64, found.objects);
            let expected = Pixels::U32(labels.plane.into_vec());
            assert_eq!(gathered(|take| found.give_labels(&desk, take)), expected);
            let dense =
                |source: &dyn Source| read_rows(source, crate::whole::window(source).unwrap()).unwrap();
            let found_dense = Dense::new(150, 110, 1, Pixels::U8(mask)).unwrap();
            for truth in [None, Some(("truth", &*truth))] {
                let drawn = truth.map(|(_, truth)| dense(truth));
                let expected = overlay(&dense(&*image), &found_dense, drawn.as_ref()).unwrap();
                let asked = Overlay { image: &*image, truth, scale: 1 };
                let given = gathered(|take| found.give_overlay(&asked, &desk, take));
                assert_eq!(&given, expected.pixels());
            }
        }
    }

    #[test]
    fn a_smaller_overlay_keeps_outlines() {
        let pixels = vec![[10; 3], [20; 3], [255; 3], [30; 3], [41; 3], [0; 3]];
        let outlines = vec![false, false, true, false, false, false];
        let marked = Marked { pixels, outlines };
        assert_eq!(marked.reduced(3, 2), [[25; 3], [255; 3]]);
        assert_eq!(marked.reduced(2, 5), [[255; 3]]);
    }

    #[test]
    fn an_overlay_can_be_smaller() {
        let image = open_image("synth:150x110?seed=7", "".as_ref()).unwrap();
        let mut files = Vec::new();
        for desk in [desk(1 << 30), tiled(40, 17 << 20)] {
            let mut found = segment(&*image, &Parameters::default(), true, &desk).unwrap();
            let asked = Overlay { image: &*image, truth: None, scale: 7 };
            let picture = found.overlay(&asked);
            assert_eq!((picture.width, picture.height), (22, 16));
            files.push(gathered(|take| found.give_overlay(&asked, &desk, take)));
        }
        assert_eq!(files[0].len(), 22 * 16 * 3);
        assert!(files[0] == files[1]);
    }

    #[test]
    fn a_plane_of_the_mask_is_a_mask() {
        let image = open_image("synth:60x40?seed=7", "".as_ref()).unwrap();
        let desk = desk(1 << 30);
        let mut found = segment(&*image, &Parameters::default(), true, &desk).unwrap();
        let mask: Plane<u8> = found.sheet.mask(found.sheet.image()).unwrap();
        let on = mask.pixels().iter().filter(|pixel| **pixel == 255).count() as u64;
        assert_eq!(
            (on, mask.pixels().iter().any(|pixel| ![0, 255].contains(pixel))),
            (found.foreground, false)
        );
    }
}
