//! Opening images by what a study or a command calls them: a path, or `synth:4096x4096?seed=7`.

use std::path::Path;
use std::sync::Arc;

use onceflow_region::{Element, ImageInfo, Outlines, Source, SourceError, VolumeSource, Working};
use onceflow_study::Diagnostic;

use crate::EngineError;
use crate::synthetic::{Synthetic, parse_synthetic};

/// Opens a colour image of 8 bits; a path is relative to `folder`. Nothing but its head is read.
pub fn open_image(name: &str, folder: &Path) -> Result<Arc<dyn Source>, EngineError> {
    let source = open_source(name, folder)?;
    refuse_but(name, source.as_ref(), &[Element::U8], "8 bits per channel")?;
    Ok(source)
}

/// The same, also of 16 bits or real numbers: [`as_eight_bits`] says what becomes of them.
pub fn open_deep_image(name: &str, folder: &Path) -> Result<Arc<dyn Source>, EngineError> {
    let source = open_source(name, folder)?;
    let known = [Element::U8, Element::U16, Element::F32, Element::F64];
    refuse_but(name, source.as_ref(), &known, "8 or 16 bits per channel, or real numbers from 0 to 1")?;
    Ok(source)
}

/// Opens an image of whatever pixels; of synthetic tissue, what it looks like.
pub fn open_source(name: &str, folder: &Path) -> Result<Arc<dyn Source>, EngineError> {
    match parse_synthetic(name)? {
        Some(tissue) => Ok(Arc::new(Synthetic::image(tissue))),
        None => open_file(name, folder),
    }
}

/// Opens a mask or a label image; of synthetic tissue, its exact truth.
pub fn open_labels(name: &str, folder: &Path) -> Result<Arc<dyn Source>, EngineError> {
    match parse_synthetic(name)? {
        Some(tissue) => Ok(Arc::new(Synthetic::truth(tissue))),
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

/// Opens a volume of three dimensions.
pub fn open_volume(name: &str) -> Result<VolumeSource, EngineError> {
    let path = Path::new(name);
    onceflow_region::open_volume(path).map_err(|error| match error {
        SourceError::File { .. } if !path.exists() => missing("image", name),
        error => unreadable(error),
    })
}

fn open_file(name: &str, folder: &Path) -> Result<Arc<dyn Source>, EngineError> {
    let path = folder.join(name);
    onceflow_region::open(&path).map_err(|error| match error {
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

/// What is said of an image that cannot be read: the machine's refusals are not the image's fault.
pub(crate) fn unreadable(error: SourceError) -> EngineError {
    let cannot = |file: &str| Diagnostic::error(format!("cannot read the image {file}"));
    match error {
        SourceError::File { file, reason, todo } => {
            let message = cannot(&file).expected_found("a file that can be read", reason).with_hint(todo);
            EngineError::Environment(Box::new(message))
        }
        SourceError::Content { file, expected, found, todo } => {
            cannot(&file).expected_found(expected, found).with_hint(todo).into()
        }
        SourceError::Library { file, reason, todo } => {
            let message = cannot(&file).expected_found("a library that reads it", reason).with_hint(todo);
            EngineError::Environment(Box::new(message))
        }
        SourceError::Outside { ref file, .. }
        | SourceError::TooLarge { ref file, .. }
        | SourceError::NoScale { ref file, .. } => {
            EngineError::Internal(format!("{file} was read wrongly: {error}"))
        }
        SourceError::Region { file, error } => {
            Diagnostic::error(format!("cannot read the image {file}: {error}")).into()
        }
    }
}

/// How the pixels of an image become colours of 8 bits; nothing when they are such already.
pub fn as_eight_bits(source: &dyn Source) -> Option<&'static str> {
    match source.info().element {
        Element::U16 => Some("has 16 bits per channel; the upper 8 of each are taken"),
        Element::F32 | Element::F64 => Some("has real numbers; 0 to 1 becomes 0 to 255"),
        _ => None,
    }
}

/// The workflows read colours of 8 bits; a study would lose silently what its thresholds are about if it made them.
fn refuse_but(name: &str, source: &dyn Source, known: &[Element], expected: &str) -> Result<(), EngineError> {
    let element = source.info().element;
    if known.contains(&element) {
        return Ok(());
    }
    let error = Diagnostic::error(format!("the image {name} cannot be segmented"));
    let error = error.expected_found(expected, format!("{element}"));
    Err(error.with_hint("convert it to 8 bits, for instance: vips cast IN OUT uchar").into())
}
