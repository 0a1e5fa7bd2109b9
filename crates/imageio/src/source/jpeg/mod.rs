//! JPEG: whole files, and the streams of which tiles of TIFF files consist.
//!
//! The decoder runs without vector instructions: their last bits differ from one instruction set to the next.

mod frame;
mod source;

use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;

pub(super) use frame::{Frame, Refused};
pub(super) use source::JpegSource;

/// What the three values of a coloured pixel are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colours {
    /// What the stream says, which is brightness and two differences unless a marker says otherwise.
    AsStated,
    /// Red, green and blue, even when the stream states otherwise: TIFF files state it elsewhere.
    Rgb,
}

/// The most scans of a progressive image: encoders write ten or so, and each goes over all blocks.
const MOST_SCANS: usize = 64;

/// The pixels of a stream, row by row: grey, or red, green and blue.
pub(super) fn decode(stream: &[u8], frame: &Frame, colours: Colours) -> Result<Vec<u8>, Refused> {
    let broken = |error: DecodeErrors| Refused::new("a JPEG image", error.to_string().trim_matches('"'));
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_use_unsafe(false)
        .set_max_width(frame.width)
        .set_max_height(frame.height)
        .jpeg_set_max_scans(MOST_SCANS);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(stream), options);
    decoder.decode_headers().map_err(broken)?;
    let stated = decoder.input_colorspace().unwrap_or(ColorSpace::YCbCr);
    let wanted = match (frame.components, colours) {
        (1, _) => ColorSpace::Luma,
        (_, Colours::AsStated) => ColorSpace::RGB,
        // Asking for what the stream is said to hold leaves the values as they are.
        (_, Colours::Rgb) => stated,
    };
    decoder.set_options(options.jpeg_set_out_colorspace(wanted));
    let pixels = decoder.decode().map_err(broken)?;
    if pixels.len() != frame.bytes() {
        let found = format!("{} values", pixels.len());
        return Err(Refused::new(format!("{} values of a JPEG image", frame.bytes()), found));
    }
    Ok(pixels)
}
