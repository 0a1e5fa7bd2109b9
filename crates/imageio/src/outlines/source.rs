//! Outlines as an image of labels, drawn box by box when it is read.

use onceflow_region::source::{check_read, dense};
use onceflow_region::{
    Bounds, Dense, Details, Digest, Digester, Element, ImageInfo, ImageScale, Pixels, Source, SourceError,
};

use super::builder::hull;
use super::raster::{RasterWindow, runs};
use super::{FillRule, OutlineShape, Outlines};
use crate::Working;

/// Shapes that are looked at together.
const BLOCK: usize = 64;

/// The labels of outlines over an image: 0 outside all, otherwise the number of the last object that covers the pixel's
/// centre.
#[derive(Debug)]
pub struct OutlineSource {
    outlines: Outlines,
    /// Pixels of the whole image per pixel.
    ratio: f64,
    /// The box around each shape, and around each block of shapes.
    hulls: Vec<[f64; 4]>,
    blocks: Vec<[f64; 4]>,
    info: ImageInfo,
}

impl OutlineSource {
    pub(super) fn new(outlines: Outlines, of: &ImageInfo, working: &Working) -> OutlineSource {
        let ratio = working.ratio();
        let hulls: Vec<_> = outlines.shapes.iter().map(|shape| shape_hull(&outlines, shape, ratio)).collect();
        let blocks = hulls.chunks(BLOCK).map(around).collect();
        let info = ImageInfo {
            format: "outlines".into(),
            width: working.width,
            height: working.height,
            channels: 1,
            element: Element::U32,
            um_per_pixel: of.um_per_pixel.map(|um| um * ratio),
            scales: vec![ImageScale::whole(working.width, working.height)],
            details: Details::default(),
        };
        OutlineSource { outlines, ratio, hulls, blocks, info }
    }

    /// The outlines.
    pub fn outlines(&self) -> &Outlines {
        &self.outlines
    }

    /// Shapes whose boxes meet a box, in the order of the file.
    fn near(&self, bounds: &Bounds) -> impl Iterator<Item = usize> + '_ {
        let bounds = [bounds.x(), bounds.y(), bounds.right(), bounds.bottom()].map(|edge| edge as f64);
        let blocks = self.blocks.iter().enumerate().filter(move |(_, block)| meet(block, &bounds));
        let shapes = blocks.flat_map(|(block, _)| {
            let start = block * BLOCK;
            start..(start + BLOCK).min(self.hulls.len())
        });
        shapes.filter(move |shape| meet(&self.hulls[*shape], &bounds))
    }

    /// Writes the number of a shape's object into the labels of a box.
    fn draw(&self, place: usize, bounds: &Bounds, labels: &mut [u32]) {
        let (shape, window) =
            (&self.outlines.shapes[place], RasterWindow::new(bounds).cut(&self.hulls[place]));
        let width = bounds.width() as usize;
        let start = |row: i64| (row - bounds.y()) as usize * width;
        let span = |row: i64, first: i64, end: i64| {
            start(row) + (first - bounds.x()) as usize..start(row) + (end - bounds.x()) as usize
        };
        let holes = &self.outlines.holes[shape.holes.start as usize..shape.holes.end as usize];
        if holes.is_empty() {
            let mut fill = |row, first, end| labels[span(row, first, end)].fill(shape.label);
            return runs(&self.outlines, shape, self.ratio, window, &mut fill);
        }
        let inside = self.inside(shape, holes, window);
        let rows = inside.chunks(window.width().max(1)).zip(window.top..);
        for (inside, row) in rows {
            let labels = &mut labels[span(row, window.left, window.right)];
            let drawn = labels.iter_mut().zip(inside).filter(|(_, inside)| **inside);
            drawn.for_each(|(label, _)| *label = shape.label);
        }
    }

    /// Which pixels of a window lie in a shape and in none of its holes.
    fn inside(&self, shape: &OutlineShape, holes: &[u32], window: RasterWindow) -> Vec<bool> {
        let width = window.width();
        let mut inside = vec![false; width * window.height()];
        let mut mark = |shape: &OutlineShape, is_inside: bool| {
            runs(&self.outlines, shape, self.ratio, window, &mut |row, first, end| {
                let start = (row - window.top) as usize * width;
                let column = |at: i64| start + (at - window.left) as usize;
                inside[column(first)..column(end)].fill(is_inside);
            });
        };
        mark(shape, true);
        holes.iter().for_each(|hole| mark(&self.outlines.shapes[*hole as usize], false));
        inside
    }
}

impl Source for OutlineSource {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        let [_, _, width, height] = check_read(&self.outlines.file, &self.info, 0, &bounds)?;
        let mut labels = vec![0u32; width * height];
        for place in self.near(&bounds) {
            if self.outlines.shapes[place].label > 0 {
                self.draw(place, &bounds, &mut labels);
            }
        }
        dense(&self.outlines.file, [width, height], 1, Pixels::U32(labels))
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        let mut digester = Digester::new("onceflow image 2026-11 outlines v1");
        [self.info.width, self.info.height, self.ratio.to_bits()].iter().for_each(|n| digester.number(*n));
        for shape in &self.outlines.shapes {
            let rule = u64::from(shape.rule == FillRule::NonZero);
            [u64::from(shape.label), rule].iter().for_each(|number| digester.number(*number));
            let holes = &self.outlines.holes[shape.holes.start as usize..shape.holes.end as usize];
            digester.number(holes.len() as u64);
            holes.iter().for_each(|hole| digester.number(u64::from(*hole)));
            digester.number(shape.rings.len() as u64);
            for ring in shape.rings.clone() {
                let points = self.outlines.ring(ring);
                digester.number(points.len() as u64);
                points.iter().flatten().for_each(|number| digester.number(number.to_bits()));
            }
        }
        Ok(digester.finish())
    }
}

fn shape_hull(outlines: &Outlines, shape: &OutlineShape, ratio: f64) -> [f64; 4] {
    let rings: Vec<_> = shape.rings.clone().map(|ring| hull(outlines.ring(ring))).collect();
    around(&rings).map(|edge| edge / ratio)
}

/// The box around boxes.
fn around(hulls: &[[f64; 4]]) -> [f64; 4] {
    let corners: Vec<_> = hulls.iter().flat_map(|hull| [[hull[0], hull[1]], [hull[2], hull[3]]]).collect();
    hull(&corners)
}

fn meet(a: &[f64; 4], b: &[f64; 4]) -> bool {
    a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]
}
