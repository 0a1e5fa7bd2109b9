//! An image that is one part and whose pixels are in memory for that part's tasks: it is read, and decoded, once.

use std::sync::Arc;

use onceflow_region::{Access, Bounds, Dense, Digest, Element, ImageInfo, Region, Source, SourceError};

use crate::open::inputs::{OpenedImage, StudyInputs};

/// A source with all of its pixels, in the form that the file has.
#[derive(Debug)]
pub(super) struct Held {
    source: Arc<dyn Source>,
    pixels: Arc<Region>,
}

impl Held {
    /// Of pixels that the source gave.
    pub(super) fn new(source: &Arc<dyn Source>, pixels: Arc<Region>) -> Self {
        Self { source: Arc::clone(source), pixels }
    }
}

impl Source for Held {
    fn info(&self) -> &ImageInfo {
        self.source.info()
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        let cropped = self.pixels.as_dense().and_then(|dense| dense.crop(bounds).ok());
        // What is not there is the source's to refuse.
        cropped.map_or_else(|| self.source.read(bounds), Ok)
    }

    fn read_scale(&self, scale: usize, bounds: Bounds) -> Result<Dense, SourceError> {
        if scale == 0 { self.read(bounds) } else { self.source.read_scale(scale, bounds) }
    }

    fn access(&self) -> Access {
        self.source.access()
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        self.source.digest()
    }
}

/// The only part of an image that shows all of it, and its bytes, where tasks see the pixels as the file has them.
pub(super) fn only_part(inputs: &StudyInputs, image: usize) -> Option<(usize, u64)> {
    let mut own = inputs.parts.iter().enumerate().filter(|(_, part)| part.image == image);
    let (place, part) = own.next()?;
    let OpenedImage { source, .. } = inputs.images.get(image)?;
    let info = source.info();
    let as_it_is = info.element == Element::U8 && info.channels == 3;
    let all = Bounds::plane(0, 0, info.width, info.height) == Some(part.part.read);
    (own.next().is_none() && as_it_is && all).then(|| (place, info.bytes_of(&part.part.read)))
}

#[cfg(test)]
mod tests {
    use onceflow_region::{Budget, MeteredSource, Part};
    use onceflow_runtime::InputProvider as _;
    use onceflow_study::Scope;

    use super::*;
    use crate::open::inputs::ImagePart;
    use crate::open::sources::{References, Sources};

    const SIDE: u64 = 60;
    const BYTES: u64 = 3 * SIDE * SIDE;

    fn inputs(parts: u64) -> (Arc<MeteredSource>, StudyInputs) {
        let tissue = crate::open_image(&format!("synth:{SIDE}x{SIDE}?seed=3"), "".as_ref()).unwrap();
        let source = Arc::new(MeteredSource::new(tissue));
        let bounds = source.info().bounds().unwrap();
        let image = OpenedImage {
            name: "a".into(),
            source: Arc::clone(&source) as Arc<dyn Source>,
            truth: None,
            bounds,
            um_per_pixel: None,
            resampled: None,
            left_out: 0,
            pair: None,
        };
        let part = |index: u64| {
            let strip = SIDE / parts;
            let core = Bounds::plane(0, (index * strip) as i64, SIDE, strip).unwrap();
            ImagePart { image: 0, part: Part { index: index as usize, core, read: core } }
        };
        let parts = (0..parts).map(part).collect();
        (source, StudyInputs { halo: 0, images: vec![image], parts, left_out: Vec::new() })
    }

    /// Reads the image as a task of images does, in two strips, then its first part.
    fn read(inputs: &StudyInputs, spare: u64) -> (Vec<u8>, Vec<u8>) {
        let sources =
            Sources::new(inputs, vec!["image".into()], References::new(), Budget::new(u64::MAX), spare);
        let image = sources.source(0, Scope::Image, 0).unwrap();
        let Region::Image(image) = image.as_ref() else { panic!("expected an image") };
        let strips = [0, SIDE as i64 / 2].map(|y| image.read(Bounds::plane(0, y, SIDE, SIDE / 2).unwrap()));
        let strips = strips.map(|strip| strip.unwrap().as_u8().unwrap().to_vec()).concat();
        let part = sources.source(0, Scope::Part, 0).unwrap();
        (strips, part.as_dense().unwrap().as_u8().unwrap().to_vec())
    }

    #[test]
    fn an_image_of_one_part_is_read_once_where_it_has_room_and_gives_the_same_pixels() {
        let (source, inputs) = inputs(1);
        let (strips, part) = read(&inputs, BYTES);
        assert_eq!(source.meter().bytes(), BYTES);
        assert_eq!(strips, part);
        assert_eq!(read(&inputs, BYTES - 1), (strips, part));
        assert_eq!(source.meter().bytes(), 3 * BYTES);
    }

    #[test]
    fn an_image_of_several_parts_is_read_as_it_is_asked_for() {
        let (source, inputs) = inputs(2);
        let (strips, part) = read(&inputs, u64::MAX);
        assert_eq!(strips[..part.len()], part);
        assert_eq!(source.meter().bytes(), BYTES + BYTES / 2);
    }

    #[test]
    fn what_lies_outside_is_the_sources_to_refuse() {
        let (_, inputs) = inputs(1);
        let sources =
            Sources::new(&inputs, vec!["image".into()], References::new(), Budget::new(u64::MAX), BYTES);
        let image = sources.source(0, Scope::Image, 0).unwrap();
        let Region::Image(image) = image.as_ref() else { panic!("expected an image") };
        let outside = Bounds::plane(0, 0, SIDE + 1, 1).unwrap();
        let expected = inputs.images[0].source.read(outside).unwrap_err().to_string();
        assert_eq!(image.read(outside).unwrap_err().to_string(), expected);
        assert_eq!(image.digest().unwrap(), inputs.images[0].source.digest().unwrap());
    }
}
