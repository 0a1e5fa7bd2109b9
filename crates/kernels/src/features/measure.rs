//! The features of one object.

use super::ObjectExtent;
use super::cytoplasm::{CytoplasmRing, RADIUS};
use super::labelled_image::LabelledImage;
use super::names::FEATURES;
use super::relief::{Lens, MARGIN, PlacedRuns};
use super::runs::ObjectPixels;
use super::shape::ShapeFeatures;
use super::texture::Weave;
use crate::polygon::{Polygon, polygons};
use crate::{Deconvolution, View};

/// One object: where it is, its outline, and its features.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredObject {
    /// Its number and box.
    pub extent: ObjectExtent,
    /// Column and row of the mean of its pixels' centres; that of the image's first pixel is 0.5, 0.5.
    pub centroid: [f64; 2],
    /// Whether it touches the image's border, so that some of it may be missing.
    pub at_border: bool,
    /// Its outline.
    pub polygons: Vec<Polygon>,
    /// Its features in the order of [`names`](super::names()); NaN where there is nothing to measure, such as in a ring
    /// without pixels.
    pub values: [f64; FEATURES],
}

/// Measures objects, in reused memory.
#[derive(Clone, Debug)]
pub struct FeatureMeter {
    deconvolution: Deconvolution,
    haematoxylin: Vec<u8>,
    eosin: Vec<u8>,
    cut: ObjectPixels,
    ring: CytoplasmRing,
    lens: Lens,
    weave: Weave,
}

impl Default for FeatureMeter {
    fn default() -> Self {
        Self::new()
    }
}

impl FeatureMeter {
    /// How many pixels around an object it reads.
    pub const REACH: usize = RADIUS + MARGIN;

    /// Fills the tables.
    pub fn new() -> Self {
        Self {
            deconvolution: Deconvolution::new(),
            haematoxylin: Vec::new(),
            eosin: Vec::new(),
            cut: ObjectPixels::default(),
            ring: CytoplasmRing::default(),
            lens: Lens::new(),
            weave: Weave::new(),
        }
    }

    /// Measures one object of fewer than 2³⁰ pixels. `None` when the image does not contain all pixels that are read, or
    /// the box contains no pixel of the object.
    pub fn measure(&mut self, scene: LabelledImage<'_>, extent: ObjectExtent) -> Option<MeasuredObject> {
        let LabelledImage { width, height, .. } = scene;
        self.cut.take(scene.labels(&extent)?, extent.label);
        self.cut.runs.first()?;
        let shape = ShapeFeatures::of(&self.cut);
        let mut values = shape.values.to_vec();
        let window = extent.grown(Self::REACH, width, height);
        let (left, top) = (extent.left - window.left, extent.top - window.top);
        let (colours, labels) = (scene.image(&window)?, scene.labels(&window)?);
        self.part_stains(colours);
        self.ring.mark(&self.cut.runs, (left, top), labels);
        self.nucleus(colours, (left, top), &mut values)?;
        self.cytoplasm(&window, &mut values)?;
        let corner = [extent.left, extent.top];
        Some(MeasuredObject {
            extent,
            centroid: std::array::from_fn(|axis| corner[axis] as f64 + shape.centre[axis] + 0.5),
            at_border: extent.touches_border(width, height),
            polygons: polygons(&self.cut.mask, self.cut.stride(), corner.map(|place| place as u32)),
            values: values.try_into().ok()?,
        })
    }

    fn part_stains(&mut self, colours: View<'_, [u8; 3]>) {
        for stain in [&mut self.haematoxylin, &mut self.eosin] {
            stain.clear();
            stain.resize(colours.len(), 0);
        }
        let stains = self.haematoxylin.iter_mut().zip(&mut self.eosin);
        for ((haematoxylin, eosin), pixel) in stains.zip(colours.rows().flatten()) {
            [*haematoxylin, *eosin] = self.deconvolution.stains(*pixel);
        }
    }

    /// Colours and stains; gradient, edges and texture of the stain that nuclei take up.
    fn nucleus(
        &mut self,
        colours: View<'_, [u8; 3]>,
        (left, top): (usize, usize),
        values: &mut Vec<f64>,
    ) -> Option<()> {
        let nucleus = PlacedRuns { runs: &self.cut.runs, left, top };
        let stain = |pixels| View::new(pixels, colours.width(), colours.height());
        let (haematoxylin, eosin) = (stain(&self.haematoxylin)?, stain(&self.eosin)?);
        values.extend(self.lens.colours(colours, nucleus).iter().flat_map(|moments| moments.values()));
        for picture in [haematoxylin, eosin] {
            values.extend(self.lens.intensity(picture, nucleus).values());
        }
        let (width, height) = (self.cut.width, self.cut.height);
        let own = ObjectExtent { label: 0, left, top, right: left + width, bottom: top + height };
        let near = own.grown(MARGIN, colours.width(), colours.height());
        let placed = PlacedRuns { left: left - near.left, top: top - near.top, ..nucleus };
        values.extend(self.lens.relief(near.of(haematoxylin)?, placed));
        values.extend(self.weave.texture(own.of(haematoxylin)?, &self.cut, &self.lens.logarithms));
        Some(())
    }

    /// Stains; gradient and edges of the stain that cytoplasm takes up.
    fn cytoplasm(&mut self, window: &ObjectExtent, values: &mut Vec<f64>) -> Option<()> {
        let ring = PlacedRuns { runs: &self.ring.runs, left: 0, top: 0 };
        let stain = |pixels| View::new(pixels, window.width(), window.height());
        let (haematoxylin, eosin) = (stain(&self.haematoxylin)?, stain(&self.eosin)?);
        for picture in [haematoxylin, eosin] {
            values.extend(self.lens.intensity(picture, ring).values());
        }
        values.extend(self.lens.relief(eosin, ring));
        Some(())
    }
}
