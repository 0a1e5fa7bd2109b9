//! An image that a program has in memory, as a source like those of files.

use onceflow_region::source::check_read;
use onceflow_region::{Bounds, Dense, Details, Digest, Digester, ImageInfo, ImageScale, Source, SourceError};

/// An image in memory.
#[derive(Debug)]
pub struct MemoryImage {
    pixels: Dense,
    info: ImageInfo,
}

impl MemoryImage {
    /// Of pixels whose resolution may be known.
    pub fn new(pixels: Dense, um_per_pixel: Option<f64>) -> Self {
        let (width, height) = (pixels.width() as u64, pixels.height() as u64);
        let info = ImageInfo {
            format: "memory".into(),
            width,
            height,
            channels: u32::try_from(pixels.channels()).unwrap_or(u32::MAX),
            element: pixels.element(),
            um_per_pixel,
            scales: vec![ImageScale::whole(width, height)],
            details: Details::default(),
        };
        Self { pixels, info }
    }
}

impl Source for MemoryImage {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        check_read("memory", &self.info, 0, &bounds)?;
        self.pixels.crop(bounds).map_err(|error| SourceError::Content {
            file: "memory".into(),
            expected: "pixels in the box".into(),
            found: error.to_string(),
            todo: "check the box",
        })
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        let mut digester = Digester::new("onceflow image in memory v1");
        digester.number(self.info.width);
        digester.number(self.info.height);
        digester.number(u64::from(self.info.channels));
        digester.pixels(self.pixels.pixels());
        Ok(digester.finish())
    }
}

#[cfg(test)]
mod tests {
    use onceflow_region::Pixels;

    use super::*;

    #[test]
    fn boxes_are_read_and_what_lies_outside_is_refused() {
        let pixels = Dense::new(3, 2, 1, Pixels::U32(vec![1, 2, 3, 4, 5, 6])).unwrap();
        let image = MemoryImage::new(pixels.clone(), Some(0.5));
        assert_eq!(image.info().um_per_pixel, Some(0.5));
        assert_eq!(image.read(Bounds::plane(0, 0, 3, 2).unwrap()).unwrap(), pixels);
        let part = image.read(Bounds::plane(1, 1, 2, 1).unwrap()).unwrap();
        assert_eq!(part.pixels(), &Pixels::U32(vec![5, 6]));
        assert!(image.read(Bounds::plane(1, 1, 3, 1).unwrap()).is_err());
        let other = Dense::new(2, 3, 1, Pixels::U32(vec![1, 2, 3, 4, 5, 6])).unwrap();
        assert_ne!(image.digest().unwrap(), MemoryImage::new(other, None).digest().unwrap());
    }
}
