//! What a file is, by its first bytes.

use std::io::Read;
use std::sync::Arc;

use super::origin::Origin;
use super::png::PngSource;
use super::tiff::TiffSource;
use super::{Source, SourceError};

pub(super) fn open(origin: Origin) -> Result<Arc<dyn Source>, SourceError> {
    let mut first = Vec::new();
    let reader = origin.reader()?;
    reader.take(64).read_to_end(&mut first).map_err(|error| origin.unreadable(&error))?;
    match Form::of(&first) {
        Form::Png => Ok(Arc::new(PngSource::open(origin)?)),
        Form::Tiff => Ok(Arc::new(TiffSource::open(origin)?)),
        Form::Other(found) => Err(origin.content("a PNG or TIFF image", found, "convert it to PNG or TIFF")),
    }
}

enum Form {
    Png,
    Tiff,
    Other(String),
}

impl Form {
    fn of(first: &[u8]) -> Form {
        match first {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Form::Png,
            [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => Form::Tiff,
            other => Form::Other(describe(other)),
        }
    }
}

fn describe(first: &[u8]) -> String {
    match first {
        [] => "an empty file".into(),
        [0xff, 0xd8, 0xff, ..] => "a JPEG image, which is not read yet".into(),
        [0x89, b'P', b'N', b'G', ..] => "a PNG signature that was changed in transfer".into(),
        [b'G', b'I', b'F', b'8', ..] => "a GIF image".into(),
        [b'B', b'M', ..] => "a BMP image".into(),
        [b'P', b'K', 3, 4, ..] => "a ZIP archive".into(),
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
