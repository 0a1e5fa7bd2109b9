//! An image that is one part and whose pixels are in memory for that part's tasks: it is read, and decoded, once.

use std::sync::Arc;

use onceflow_region::{Access, Bounds, Dense, Digest, Element, ImageInfo, Region, Source, SourceError};

use crate::inputs::{Inputs, OpenedImage};

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
pub(super) fn only_part(inputs: &Inputs, image: usize) -> Option<(usize, u64)> {
    let mut own = inputs.parts.iter().enumerate().filter(|(_, part)| part.image == image);
    let (place, part) = own.next()?;
    let OpenedImage { source, .. } = inputs.images.get(image)?;
    let info = source.info();
    let as_it_is = info.element == Element::U8 && info.channels == 3;
    let all = Bounds::plane(0, 0, info.width, info.height) == Some(part.part.read);
    (own.next().is_none() && as_it_is && all).then(|| (place, info.bytes_of(&part.part.read)))
}
