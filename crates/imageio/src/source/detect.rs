//! What a file is, by its first bytes.

use std::io::Read;
use std::sync::Arc;

use onceflow_region::{Source, SourceError};

use super::jpeg::JpegSource;
use super::openslide;
use super::png::PngSource;
use super::tiff::TiffSource;
use crate::origin::ByteOrigin;

pub(super) fn open(origin: ByteOrigin) -> Result<Arc<dyn Source>, SourceError> {
    let mut first = Vec::new();
    let reader = origin.reader()?;
    reader.take(LOOK).read_to_end(&mut first).map_err(|error| origin.unreadable(&error))?;
    match FileFormat::of(&first, &origin.ending()) {
        FileFormat::Png => Ok(Arc::new(PngSource::open(origin)?)),
        FileFormat::Jpeg => Ok(Arc::new(JpegSource::open(origin)?)),
        FileFormat::Tiff => match TiffSource::open(origin) {
            Ok(source) => Ok(Arc::new(source)),
            Err(refused) => openslide::open_refused(refused.0, refused.1),
        },
        FileFormat::Slide(form) => openslide::open(origin, form),
        FileFormat::Other(found) => {
            let expected = "a PNG, JPEG or TIFF image, or a slide";
            let todo = match first.as_slice() {
                [] => "copy or export it again: nothing was written into it",
                first if is_text(first) => "name an image: this file holds text",
                _ => "convert it to PNG or TIFF",
            };
            Err(origin.content(expected, found, todo))
        }
    }
}

/// How many bytes say what a file is.
const LOOK: u64 = 132;

enum FileFormat {
    Png,
    Jpeg,
    Tiff,
    /// A slide of a form that only OpenSlide reads.
    Slide(&'static str),
    Other(String),
}

impl FileFormat {
    /// The form by the first bytes; the ending counts only for slides whose first bytes are those of something else.
    fn of(first: &[u8], ending: &str) -> FileFormat {
        match (first, ending) {
            (_, "mrxs") => FileFormat::Slide("a MIRAX slide"),
            ([0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..], _) => FileFormat::Png,
            ([0xff, 0xd8, 0xff, ..], _) => FileFormat::Jpeg,
            ([b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..], _) => FileFormat::Tiff,
            (_, "vms" | "vmu") => FileFormat::Slide("a Hamamatsu slide of several files"),
            (first, "svslide") if first.starts_with(b"SQLite format 3") => {
                FileFormat::Slide("a Sakura slide")
            }
            (first, _) if first.starts_with(b"ZISRAWFILE") => FileFormat::Slide("a Zeiss CZI slide"),
            (first, _) if first.ends_with(b"DICM") && first.len() == 132 => {
                FileFormat::Slide("a DICOM slide")
            }
            (other, _) => FileFormat::Other(describe(other)),
        }
    }
}

fn describe(first: &[u8]) -> String {
    match first {
        [] => "an empty file".into(),
        [0x89, b'P', b'N', b'G', ..] => "a PNG signature that was changed in transfer".into(),
        [b'G', b'I', b'F', b'8', ..] => "a GIF image".into(),
        [b'B', b'M', ..] => "a BMP image".into(),
        [b'P', b'K', 3, 4, ..] => "a ZIP archive".into(),
        [0, 0, 0, 12, b'j', b'P', b' ', b' ', ..] => "a JPEG 2000 image".into(),
        _ if is_text(first) => "a text".into(),
        _ => {
            let digits: Vec<String> = first.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            format!("a file that begins with the bytes {}", digits.join(" "))
        }
    }
}

/// Letters and line ends only; a letter of several bytes may be cut at the end.
fn is_text(first: &[u8]) -> bool {
    let text = match std::str::from_utf8(first) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            return is_text(&first[..error.valid_up_to()]);
        }
        Err(_) => return false,
    };
    !text.is_empty() && text.chars().all(|letter| !letter.is_control() || letter.is_ascii_whitespace())
}
