//! JPEG files. They have no place to begin in the middle: every read decodes the whole image and keeps the box.

use std::io::Read;

use onceflow_region::source::{check_read, dense};
use onceflow_region::{
    Access, Bounds, Dense, Details, Digest, Element, ImageInfo, ImageScale, Pixels, READ_LIMIT, Source,
    SourceError, two_sizes,
};

use super::{Colours, Frame, Refused, decode};
use crate::origin::ByteOrigin;
use crate::resolution::{CENTIMETRE, INCH, um_per_pixel};

/// The most bytes of a file: with its pixels it must fit in memory.
const FILE_LIMIT: u64 = READ_LIMIT;

/// An open JPEG file.
#[derive(Debug)]
pub(in crate::source) struct JpegSource {
    origin: ByteOrigin,
    info: ImageInfo,
    frame: Frame,
}

impl JpegSource {
    pub(in crate::source) fn open(origin: ByteOrigin) -> Result<JpegSource, SourceError> {
        let stream = stream(&origin)?;
        let frame = Frame::of(&stream).map_err(|refused| broken(&origin, refused))?;
        if frame.bytes() as u64 > READ_LIMIT {
            let (most, found) = two_sizes(READ_LIMIT, frame.bytes() as u64);
            let expected = format!("a JPEG image of at most {most} of pixels");
            return Err(origin.content(&expected, found, "save it as TIFF in tiles"));
        }
        let (width, height) = (frame.width as u64, frame.height as u64);
        let compression = if frame.progressive { "progressive JPEG" } else { "JPEG" };
        let info = ImageInfo {
            format: "jpeg".into(),
            width,
            height,
            channels: frame.components as u32,
            element: Element::U8,
            um_per_pixel: resolution(&stream),
            scales: vec![ImageScale::whole(width, height)],
            details: Details { compression: Some(compression.into()), ..Details::default() },
        };
        Ok(JpegSource { origin, info, frame })
    }
}

impl Source for JpegSource {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        let [x, y, width, height] = check_read(self.origin.name(), &self.info, 0, &bounds)?;
        let pixels = decode(&stream(&self.origin)?, &self.frame, Colours::AsStated);
        let whole = Pixels::U8(pixels.map_err(|refused| broken(&self.origin, refused))?);
        let channels = self.frame.components;
        let (pitch, first) = (self.frame.width * channels, (y * self.frame.width + x) * channels);
        let kept = whole.cut(first, pitch, height, width * channels);
        dense(self.origin.name(), [width, height], channels, kept)
    }

    fn access(&self) -> Access {
        Access::Whole
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        self.origin.digest()
    }
}

fn stream(origin: &ByteOrigin) -> Result<Vec<u8>, SourceError> {
    if origin.length() > FILE_LIMIT {
        let (most, found) = two_sizes(FILE_LIMIT, origin.length());
        let expected = format!("a JPEG file of at most {most}");
        return Err(origin.content(&expected, found, "save it as TIFF in tiles"));
    }
    let mut stream = Vec::new();
    origin.reader()?.read_to_end(&mut stream).map_err(|error| origin.unreadable(&error))?;
    Ok(stream)
}

fn broken(origin: &ByteOrigin, Refused { expected, found }: Refused) -> SourceError {
    origin.content(&expected, found, "copy or export the file again")
}

/// The resolution that a JFIF segment states right after the start.
fn resolution(stream: &[u8]) -> Option<f64> {
    let [0xff, 0xd8, 0xff, 0xe0, _, _, b'J', b'F', b'I', b'F', 0, _, _, unit, rest @ ..] = stream else {
        return None;
    };
    let [x_high, x_low, y_high, y_low, ..] = *rest else { return None };
    let number = |high, low| f64::from(u16::from_be_bytes([high, low]));
    let unit = match unit {
        1 => INCH,
        2 => CENTIMETRE,
        _ => return None,
    };
    um_per_pixel(unit, number(x_high, x_low), number(y_high, y_low))
}
