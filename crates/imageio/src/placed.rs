//! An image of a box, seen as an image of all that the box was cut from.

use std::sync::Arc;

use onceflow_region::source::{check_read, dense};
use onceflow_region::{
    Bounds, ByteOrder, Dense, Digest, Digester, ImageInfo, ImageScale, Pixels, Source, SourceError,
};

/// A source that lies in a larger image; around it are zeros.
#[derive(Debug)]
pub struct PlacedImage {
    source: Arc<dyn Source>,
    /// Where it lies.
    at: Bounds,
    info: ImageInfo,
}

impl PlacedImage {
    /// Puts a source at a corner of an image of `width` x `height`; `None` when it does not fit there.
    pub fn new(source: Arc<dyn Source>, x: i64, y: i64, width: u64, height: u64) -> Option<PlacedImage> {
        let of = source.info();
        let at = Bounds::plane(x, y, of.width, of.height)?;
        let whole = Bounds::plane(0, 0, width, height)?;
        let info = ImageInfo { width, height, scales: vec![ImageScale::whole(width, height)], ..of.clone() };
        whole.contains(&at).then_some(PlacedImage { source, at, info })
    }
}

impl Source for PlacedImage {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        let [_, _, width, height] = check_read(&self.info.format, &self.info, 0, &bounds)?;
        let there = bounds.intersect(&self.at);
        if there == Some(bounds) {
            return self.source.read(bounds.relative_to(&self.at).unwrap_or(bounds));
        }
        let zeros = vec![0; self.info.bytes_of(&bounds) as usize];
        let mut pixels = Pixels::from_bytes(self.info.element, zeros, ByteOrder::Little);
        let channels = self.info.channels as usize;
        if let Some((there, inner)) = there.and_then(|there| Some((there, there.relative_to(&self.at)?))) {
            let found = self.source.read(inner)?;
            let corner = |outer: i64, inner: i64| inner.abs_diff(outer) as usize;
            let (x, y) = (corner(bounds.x(), there.x()), corner(bounds.y(), there.y()));
            let length = found.width() * channels;
            pixels.paste((y * width + x) * channels, width * channels, found.pixels(), length);
        }
        dense(&self.info.format, [width, height], channels, pixels)
    }

    fn reads_check_file(&self) -> bool {
        self.source.reads_check_file()
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        let mut digester = Digester::new("onceflow image 2026-11 placed v1");
        digester.bytes(&self.source.digest()?.0);
        [self.at.x().unsigned_abs(), self.at.y().unsigned_abs(), self.info.width, self.info.height]
            .iter()
            .for_each(|number| digester.number(*number));
        Ok(digester.finish())
    }
}
