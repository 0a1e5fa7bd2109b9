//! Images as bytes of PNG and TIFF files; the caller opens the file.

mod rows;
mod tiff;
mod tiled;
mod whole;

use onceflow_region::{Dense, Pixels, RegionError};
use png::{BitDepth, ColorType, Compression, Encoder};

pub use rows::{PNG_LABELS, Picture, PictureKind, TakeRows, write_png};
pub use tiff::write_tiff;
pub use tiled::{TiffCompression, TiffForm, TiffScales};
pub use whole::PngScales;

/// The image as a PNG file: 8-bit grey, 16-bit grey for labels, or 8-bit colour.
///
/// # Errors
/// When there is no such form: a label above 65535, real numbers, 16-bit colour, no pixel at all.
pub fn png_bytes(image: &Dense) -> Result<Vec<u8>, RegionError> {
    packed(image, Compression::default())
}

/// The same for pictures that are looked at: packed in a fifth of the time, into some more bytes.
///
/// # Errors
/// As [`png_bytes`].
pub fn picture_bytes(image: &Dense) -> Result<Vec<u8>, RegionError> {
    packed(image, Compression::Fastest)
}

fn packed(image: &Dense, compression: Compression) -> Result<Vec<u8>, RegionError> {
    let (width, height) = (image.width(), image.height());
    let large =
        || RegionError::Size { width: width as u64, height: height as u64, channels: image.channels() };
    let (wide, high) =
        (u32::try_from(width).map_err(|_| large())?, u32::try_from(height).map_err(|_| large())?);
    let (color, depth, data) = encode(image)?;
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, wide, high);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_compression(compression);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(data.as_ref()).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

type PngData<'a> = (ColorType, BitDepth, std::borrow::Cow<'a, [u8]>);

fn encode(image: &Dense) -> Result<PngData<'_>, RegionError> {
    match (image.pixels(), image.channels()) {
        (Pixels::U8(values), 1) => Ok((ColorType::Grayscale, BitDepth::Eight, values.into())),
        (Pixels::U8(values), 3) => Ok((ColorType::Rgb, BitDepth::Eight, values.into())),
        (Pixels::U16(values), 1) => Ok(wide(values.iter().copied())),
        (Pixels::U32(values), 1) => {
            let limit = u32::from(u16::MAX);
            match values.iter().find(|&&label| label > limit) {
                Some(&found) => Err(RegionError::Label { limit, found }),
                None => Ok(wide(values.iter().map(|&label| label as u16))),
            }
        }
        _ => Err(RegionError::Kind {
            expected: "8-bit grey or colour, or labels up to 65535",
            channels: image.channels(),
            element: image.element(),
            todo: "convert it first",
        }),
    }
}

fn wide<'a>(values: impl Iterator<Item = u16>) -> PngData<'a> {
    let bytes: Vec<u8> = values.flat_map(u16::to_be_bytes).collect();
    (ColorType::Grayscale, BitDepth::Sixteen, bytes.into())
}

fn failed(error: png::EncodingError) -> RegionError {
    RegionError::Encode { format: "PNG", reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open_bytes;

    fn back(image: &Dense) -> Dense {
        let source = open_bytes("image.png", png_bytes(image).unwrap()).unwrap();
        source.read(source.info().bounds().unwrap()).unwrap()
    }

    #[test]
    fn what_is_written_is_read_again() {
        for image in [
            Dense::new(3, 2, 1, Pixels::U8(vec![0, 1, 2, 253, 254, 255])).unwrap(),
            Dense::new(1, 2, 3, Pixels::U8(vec![0, 1, 2, 253, 254, 255])).unwrap(),
            Dense::new(2, 2, 1, Pixels::U16(vec![0, 255, 256, 65535])).unwrap(),
        ] {
            assert_eq!(back(&image), image);
        }
        let labels = Dense::new(2, 1, 1, Pixels::U32(vec![7, 65535])).unwrap();
        assert_eq!(back(&labels).as_u16(), Some(&[7, 65535][..]));
    }

    #[test]
    fn what_has_no_form_is_refused() {
        let label = Dense::new(1, 1, 1, Pixels::U32(vec![65536])).unwrap();
        assert_eq!(png_bytes(&label), Err(RegionError::Label { limit: 65535, found: 65536 }));
        assert!(png_bytes(&Dense::new(1, 1, 1, Pixels::F64(vec![0.0])).unwrap()).is_err());
        assert!(png_bytes(&Dense::new(0, 0, 1, Pixels::U8(vec![])).unwrap()).is_err());
    }
}
