//! Opening images by what a study or a command calls them: a path, or `synth:4096x4096?seed=7`.

mod convert;
mod paint;
mod parts_picture;
mod resolution;
pub(crate) mod tissue_costs;

use std::path::Path;
use std::sync::Arc;

use onceflow_imageio::{MaskFolder, Outlines, Resampled, VolumeSource, Working};
use onceflow_nuclei::NucleiError;
use onceflow_region::{Element, ImageInfo, Source, SourceError};
use onceflow_study::Diagnostic;
use onceflow_synth::{SynthError, SyntheticImage, Tissue};

use crate::EngineError;
use crate::file::broken_link;
pub use convert::{Conversion, ImageForm, PlannedConversion, WantedPixels, convert, plan_conversion};
pub use paint::{bytes_to_paint, paint, tissue};
pub use parts_picture::{DrawnParts, draw_parts};
pub use resolution::AtWork;
pub use tissue_costs::{BLANK_COST, tissue_costs};

/// Opens a colour image of 8 bits; a path is relative to `folder`. Nothing but its head is read.
pub fn open_image(name: &str, folder: &Path) -> Result<Arc<dyn Source>, EngineError> {
    let source = open_source(name, folder)?;
    refuse_but(name, source.as_ref(), &[Element::U8], "8 bits per channel")?;
    Ok(source)
}

/// The same, also of 16 bits or real numbers: [`what_is_taken`] says what becomes of them.
pub fn open_deep_image(name: &str, folder: &Path) -> Result<Arc<dyn Source>, EngineError> {
    let source = open_source(name, folder)?;
    let known = [Element::U8, Element::U16, Element::F32, Element::F64];
    refuse_but(name, source.as_ref(), &known, "8 or 16 bits per channel, or real numbers from 0 to 1")?;
    Ok(source)
}

/// Opens an image of whatever pixels; of synthetic tissue, what it looks like.
pub fn open_source(name: &str, folder: &Path) -> Result<Arc<dyn Source>, EngineError> {
    match parse_synthetic(name)? {
        Some(tissue) => Ok(Arc::new(SyntheticImage::image(tissue))),
        None => open_file(name, folder),
    }
}

/// Opens a mask, a label image or a folder with a mask for each object; of synthetic tissue, its exact truth.
pub fn open_labels(name: &str, folder: &Path) -> Result<Arc<dyn Source>, EngineError> {
    match parse_synthetic(name)? {
        Some(tissue) => Ok(Arc::new(SyntheticImage::truth(tissue))),
        None if MaskFolder::is_one(&folder.join(name)) => {
            Ok(Arc::new(MaskFolder::open(&folder.join(name)).map_err(unreadable)?))
        }
        None => open_file(name, folder),
    }
}

/// Opens what was drawn on an image: a mask or a label image, or outlines (GeoJSON, ImageScope XML), drawn over its pixels.
pub fn open_drawn(name: &str, folder: &Path, of: &ImageInfo) -> Result<Arc<dyn Source>, EngineError> {
    let path = folder.join(name);
    if parse_synthetic(name)?.is_some() || !Outlines::is_one(&path) {
        return open_labels(name, folder);
    }
    Ok(Outlines::read(&path).map_err(unreadable)?.over(of, &Working::whole(of)))
}

/// The same over an image at work. A mask or label image has the size of the image at work, or that of its file, whose
/// pixels are then taken at the resolution of the work.
pub fn open_drawn_at_work(
    name: &str,
    folder: &Path,
    of: &ImageInfo,
    at_work: &AtWork,
) -> Result<Arc<dyn Source>, EngineError> {
    let path = folder.join(name);
    if parse_synthetic(name)?.is_none() && Outlines::is_one(&path) {
        return Ok(Outlines::read(&path).map_err(unreadable)?.over(of, &at_work.working));
    }
    let drawn = open_labels(name, folder)?;
    let is_of = |info: &ImageInfo| (info.width, info.height) == (drawn.info().width, drawn.info().height);
    if is_of(at_work.source.info()) || !is_of(of) {
        return Ok(drawn);
    }
    Ok(Arc::new(Resampled::labels(drawn, at_work.working)))
}

/// Opens a volume of three dimensions.
pub fn open_volume(name: &str) -> Result<VolumeSource, EngineError> {
    let path = Path::new(name);
    onceflow_imageio::open_volume(path).map_err(|error| match error {
        SourceError::File { .. } if !path.exists() => missing("image", name),
        error => unreadable(error),
    })
}

fn open_file(name: &str, folder: &Path) -> Result<Arc<dyn Source>, EngineError> {
    let path = folder.join(name);
    onceflow_imageio::open(&path).map_err(|error| match error {
        SourceError::File { .. } if path.is_symlink() && !path.exists() => {
            let message = broken_link(Diagnostic::error(format!("cannot open the image {name}")), &path);
            EngineError::Missing { file: name.to_owned(), message: Box::new(message) }
        }
        SourceError::File { .. } if !path.exists() => missing("image", name),
        error => unreadable(error),
    })
}

/// What is said of an image or a truth that is not there.
pub(crate) fn missing(what: &str, name: &str) -> EngineError {
    let message = Diagnostic::error(format!("cannot open the {what} {name}"));
    let expected = if what == "image" { "an image file" } else { "a file with truth" };
    let message = message.expected_found(expected, "nothing of that name");
    let message = message.with_hint("check the name; a study names images relative to itself");
    EngineError::Missing { file: name.to_owned(), message: Box::new(message) }
}

/// The error of an image that cannot be read.
pub(crate) fn unreadable(error: SourceError) -> EngineError {
    // A library that is missing is no fault of the image: all others lack it too.
    let of_machine = matches!(error, SourceError::Library { .. });
    let error = NucleiError::from(error).into();
    if of_machine { error } else { EngineError::Unreadable(Box::new(error)) }
}

/// The tissue with a name such as `synth:4096x4096?seed=7`; `None` for any other name.
///
/// # Errors
/// When the name begins with `synth:` and has no valid size or seed.
pub fn parse_synthetic(name: &str) -> Result<Option<Tissue>, EngineError> {
    onceflow_synth::parse_synthetic(name).map_err(|error| {
        let message = match error {
            SynthError::Name { .. } => Diagnostic::error(format!("invalid synthetic image `{name}`"))
                .expected_found("synth:WIDTHxHEIGHT?seed=NUMBER", format!("`{name}`"))
                .with_hint("write synth:1000x1000?seed=7"),
            error => Diagnostic::error(format!("invalid synthetic image `{name}`: {error}")),
        };
        message.into()
    })
}

/// What is taken of an image whose pixels are not colours of 8 bits, or of a file that holds more than one image.
pub fn what_is_taken(source: &dyn Source) -> Vec<String> {
    let info = source.info();
    let depth = match info.element {
        Element::U16 => Some("has 16 bits per channel; the upper 8 of each are taken".to_owned()),
        Element::F32 | Element::F64 => Some("has real numbers; 0 to 1 becomes 0 to 255".to_owned()),
        _ => None,
    };
    let grey = (info.channels == 1).then(|| "is grey; red, green and blue get the same values".to_owned());
    let more = info.details.other_images;
    let pages = (more > 0).then(|| format!("holds {} images; the first is taken", more + 1));
    [depth, grey, pages].into_iter().flatten().collect()
}

/// The workflows read colours of 8 bits; a study would lose silently what its thresholds are about if it made them.
fn refuse_but(name: &str, source: &dyn Source, known: &[Element], expected: &str) -> Result<(), EngineError> {
    let element = source.info().element;
    if known.contains(&element) {
        return Ok(());
    }
    let error = Diagnostic::error(format!("the image {name} cannot be segmented"));
    let found = format!("{} bits per channel ({element})", 8 * element.bytes());
    let hint = "convert it to 8 bits, for instance: vips cast IN OUT uchar --shift";
    Err(error.expected_found(expected, found).with_hint(hint).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_synthetic_images_are_parsed_or_refused() {
        assert_eq!(parse_synthetic("synth:640x480?seed=7").unwrap().unwrap().seed(), 7);
        assert!(parse_synthetic("slide.tif").unwrap().is_none());
        for bad in ["synth:", "synth:640", "synth:640x", "synth:0x4", "synth:-1x4", "synth:6x4?seed=x"] {
            let error = parse_synthetic(bad).unwrap_err().to_string();
            assert!(error.contains("invalid synthetic image"), "{bad}: {error}");
        }
    }
}
